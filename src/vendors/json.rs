use serde::Serialize;
use utoipa::ToSchema;

use super::model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};
use crate::bank_accounts;
use crate::clock::Time;
use crate::ids::{AppId, MemberId, VendorId, VendorPaymentMethodId};
use crate::payout_methods::AccountType;
use crate::users::Address;
use crate::world::{Halt, World};

/// A company that sends bills to an app.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VendorJson {
    /// The vendor's id; the ap_vendor_id of payables.
    pub id: VendorId,
    /// When the vendor was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The vendor's name.
    pub name: String,
    /// The vendor's address.
    pub address: VendorAddressJson,
    /// The e-mail address for contact.
    #[schema(required)]
    pub contact_email: Option<String>,
    /// Your own id for the vendor.
    #[schema(required)]
    pub external_id: Option<String>,
    /// active or deleted.
    pub status: VendorStatus,
    /// The member who added the vendor, if the request named one.
    #[schema(required)]
    pub created_by: Option<MemberId>,
    /// The app's id.
    pub api_app_id: AppId,
    /// When the vendor was deleted.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub deleted: Option<Time>,
}

/// A postal address.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VendorAddressJson {
    /// Street and number.
    pub line_1: String,
    /// Second address line.
    #[schema(required)]
    pub line_2: Option<String>,
    /// Third address line.
    #[schema(required)]
    pub line_3: Option<String>,
    /// City.
    pub city: String,
    /// State or region.
    pub state: String,
    /// Postal code.
    pub postcode: String,
    /// Country, two letters.
    pub country: String,
}

impl From<&Address> for VendorAddressJson {
    fn from(address: &Address) -> Self {
        let Address { postcode, city, state, country, line_1, line_2, line_3 } = address.clone();
        Self { line_1, line_2, line_3, city, state, postcode, country }
    }
}

impl From<&Vendor> for VendorJson {
    fn from(vendor: &Vendor) -> Self {
        Self {
            id: vendor.id,
            created: vendor.created_at,
            name: vendor.name.clone(),
            address: VendorAddressJson::from(&vendor.address.0),
            contact_email: vendor.contact_email.clone(),
            external_id: vendor.external_id.clone(),
            status: vendor.status,
            created_by: vendor.created_by,
            api_app_id: vendor.app,
            deleted: vendor.deleted_at,
        }
    }
}

/// A bank account of a vendor.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VendorPaymentMethodJson {
    /// The payment method's id; the ap_payment_method_id of payables.
    pub id: VendorPaymentMethodId,
    /// When the account was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The vendor's id.
    pub ap_vendor_id: VendorId,
    /// The name on the account.
    pub name: String,
    /// unconfirmed, confirmed or deleted.
    pub status: MethodStatus,
    /// The time from which the account can be paid; null until it is confirmed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub usable_at: Option<Time>,
    /// The last four digits of the account number.
    #[schema(example = "6789")]
    pub mask: String,
    /// The bank's routing number.
    #[schema(example = "110000000")]
    pub routing_number: String,
    /// The bank's name, if known.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// checking or savings.
    pub account_type: AccountType,
    /// The member who added the account.
    #[schema(required)]
    pub added_by: Option<MemberId>,
    /// The second member, who confirmed the account; null for a vendor's first.
    #[schema(required)]
    pub confirmed_by: Option<MemberId>,
    /// When the account was confirmed; for a vendor's first, when it was added.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub confirmed: Option<Time>,
}

/// Returns a payment method with the visible part of its account.
pub fn payment_method_json(world: &World, method: &VendorPaymentMethod) -> Result<VendorPaymentMethodJson, Halt> {
    let account = bank_accounts::find(world, method.org, method.vendor.0, method.bank_account)?;
    Ok(VendorPaymentMethodJson {
        id: method.id,
        created: method.created_at,
        ap_vendor_id: method.vendor,
        name: method.name.clone(),
        status: method.status,
        usable_at: method.usable_at,
        mask: account.last4.clone(),
        routing_number: account.routing_number.clone(),
        bank_name: account.bank_name.clone(),
        account_type: account.account_type,
        added_by: method.added_by,
        confirmed_by: method.confirmed_by,
        confirmed: method.confirmed_at,
    })
}
