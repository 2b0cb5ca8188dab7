//! Vendors and their payment methods as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};
use crate::bank_accounts;
use crate::clock::Time;
use crate::ids::{AppId, MemberId, VendorId, VendorPaymentMethodId};
use crate::payout_methods::AccountType;
use crate::users::Address;
use crate::world::{Halt, World};

/// Who sends bills.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VendorJson {
    /// Its id: the ap_vendor_id of payables.
    pub id: VendorId,
    /// When it was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub address: VendorAddressJson,
    /// Whom to write to.
    #[schema(required)]
    pub contact_email: Option<String>,
    /// Your own id for it.
    #[schema(required)]
    pub external_id: Option<String>,
    /// active or deleted.
    pub status: VendorStatus,
    /// The member who added it, where the request named one.
    #[schema(required)]
    pub created_by: Option<MemberId>,
    /// The app.
    pub api_app_id: AppId,
    /// When it was deleted.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub deleted: Option<Time>,
}

/// A postal address.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VendorAddressJson {
    /// Street and number.
    pub line_1: String,
    /// More of it.
    #[schema(required)]
    pub line_2: Option<String>,
    /// More of it.
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

/// A bank account by which a vendor is paid.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VendorPaymentMethodJson {
    /// Its id: the ap_payment_method_id of payables.
    pub id: VendorPaymentMethodId,
    /// When it was added.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// Whose it is.
    pub ap_vendor_id: VendorId,
    /// The name on the account.
    pub name: String,
    /// unconfirmed, confirmed or deleted.
    pub status: MethodStatus,
    /// From when on it can be paid to; null until it is confirmed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub usable_at: Option<Time>,
    /// The last four digits of the account number.
    #[schema(example = "6789")]
    pub mask: String,
    /// The bank's number.
    #[schema(example = "110000000")]
    pub routing_number: String,
    /// The bank, where it is known.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// checking or savings.
    pub account_type: AccountType,
    /// The member who added it.
    #[schema(required)]
    pub added_by: Option<MemberId>,
    /// The second member, who confirmed it; null for the first of a vendor.
    #[schema(required)]
    pub confirmed_by: Option<MemberId>,
    /// When it was confirmed; for the first of a vendor, when it was added.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub confirmed: Option<Time>,
}

/// A payment method with what may be seen of its account.
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
