use super::rows;
use serde_json::json;

use super::add_payment_method::AddPaymentMethod;
use super::confirm_payment_method::ConfirmPaymentMethod;
use super::create::CreateVendor;
use super::json::{VendorJson, VendorPaymentMethodJson, payment_method_json};
use super::model::{MethodStatus, Vendor, VendorPaymentMethod, VendorStatus};
use crate::acting::Named;
use crate::bank::{AccountNumber, RoutingNumber};
use crate::bank_accounts::{BankAccountInput, HolderName, HolderType};
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, of_app, page, page_of};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{MemberId, VendorId};
use crate::input::input;
use crate::input::types::{Line, word_input};
use crate::payout_methods::AccountType;
use crate::permission::Permission;
use crate::refusal::{Code, Refusal};
use crate::users::Address;

word_input!(VendorStatus);
word_input!(MethodStatus);

/// Characters.
pub const EXTERNAL_ID_MAX: usize = 100;

input! {
    /// A new vendor.
    pub struct NewVendor {
        /// The member who adds the vendor (admin or ap_creator); the app itself if not given.
        pub acting_user_id: Option<MemberId>,
        /// The vendor's name.
        pub name: HolderName,
        /// The vendor's address.
        pub address: Address,
        /// The e-mail address for contact.
        pub contact_email: Option<Email>,
        /// Your own id for the vendor.
        pub external_id: Option<Line<EXTERNAL_ID_MAX>>,
    }
}

input! {
    /// A new payment method.
    pub struct NewVendorPaymentMethod {
        /// The member who adds the account (admin or ap_creator); required for every account but a new vendor's first.
        pub acting_user_id: Option<MemberId>,
        /// The name on the account.
        pub name: HolderName,
        /// Four to seventeen digits. Stored encrypted; responses show the last four.
        pub account_number: AccountNumber,
        /// Nine digits; the last is a check digit.
        pub routing_number: RoutingNumber,
        /// checking (the default) or savings.
        pub account_type: Option<AccountType>,
        /// company (the default) or individual, which decides how a bank's file names the entry.
        pub holder_type: Option<HolderType>,
    }
}

input! {
    /// The confirmation of a payment method.
    pub struct Confirmation {
        /// The second member: not a viewer, and not the member who added the account.
        pub acting_user_id: MemberId,
    }
}

input! {
    /// The member who deletes.
    pub struct Deletion {
        /// The member (admin or ap_creator); the app itself if not given.
        pub acting_user_id: Option<MemberId>,
    }
}

list_query! {
    /// The filters of the list of vendors.
    pub struct VendorsQuery {
        /// active (the default) or deleted.
        pub status: Option<VendorStatus>,
        /// Return only the vendor with this external id.
        pub external_id: Option<Line<EXTERNAL_ID_MAX>>,
    }
}

list_query! {
    /// The filters of the list of payment methods.
    pub struct VendorPaymentMethodsQuery {
        /// Return only this status; all but deleted if not given.
        pub status: Option<MethodStatus>,
    }
}

/// POST /v2/accounts-payable/vendors
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = call.body::<NewVendor>().map(|new| CreateVendor {
        scope,
        acting: new.acting_user_id,
        name: new.name.0,
        address: new.address,
        contact_email: new.contact_email.map(|email| email.as_str().to_owned()),
        external_id: new.external_id.map(|id| id.0),
    });
    call.once(command, |vendor| Answer::created(&VendorJson::from(&**vendor))).await
}

/// GET /v2/accounts-payable/vendors
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: VendorsQuery = call.query()?;
    let found = call
        .read(move |world| {
            page::<Vendor>(world, of_app::<Vendor>(scope, "id"), &asked.asked(), |query| {
                query
                    .equal("status", asked.status.unwrap_or(VendorStatus::Active))
                    .matching("external_id", asked.external_id.as_ref().map(|id| id.0.clone()))
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|vendor| VendorJson::from(vendor))))
}

/// GET /v2/accounts-payable/vendors/{vendor_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let vendor = call.read(move |world| rows::find(world, scope, id)).await?;
    Ok(Answer::ok(&VendorJson::from(&*vendor)))
}

/// POST /v2/accounts-payable/vendors/{vendor_id}/payment-methods
pub async fn add_payment_method(call: Call) -> Outcome {
    let (scope, vendor) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let nonce = call.bursar.entropy().bytes();
    let command = call.body::<NewVendorPaymentMethod>().map(|new| {
        let NewVendorPaymentMethod { acting_user_id, name, account_number, routing_number, account_type, holder_type } =
            new;
        let account = BankAccountInput { name, account_number, routing_number, account_type, holder_type };
        let account = account.sealed(&call.bursar.vault, nonce);
        AddPaymentMethod { scope, vendor, acting: acting_user_id, account }
    });
    call.once(command, Answer::created).await
}

/// GET /v2/accounts-payable/vendors/{vendor_id}/payment-methods
pub async fn list_payment_methods(call: Call) -> Outcome {
    let (scope, vendor): (_, VendorId) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let asked: VendorPaymentMethodsQuery = call.query()?;
    let list = call
        .read(move |world| {
            let vendor = rows::find(world, scope, vendor)?;
            let methods = rows::ever_added(world, &vendor)?;
            let place = |method: &VendorPaymentMethod| (method.id.0, method.created_at);
            let found = page_of(methods, &asked.asked(), place, |method| match asked.status {
                Some(status) => method.status == status,
                None => method.status != MethodStatus::Deleted,
            })?;
            let shown = |method: &std::sync::Arc<VendorPaymentMethod>| payment_method_json(world, method);
            let data = found.records.iter().map(shown).collect::<Result<Vec<_>, _>>()?;
            Ok(ListEnvelope { has_more: found.has_more, data })
        })
        .await?;
    Ok(Answer::ok(&list))
}

/// GET /v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}
pub async fn show_payment_method(call: Call) -> Outcome {
    let (scope, vendor) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let id = call.id("payment_method_id", "payment method of this vendor")?;
    let method = call
        .read(move |world| {
            let vendor = rows::find(world, scope, vendor)?;
            let method = rows::payment_method(world, &vendor, id)?;
            payment_method_json(world, &method)
        })
        .await?;
    Ok(Answer::ok(&method))
}

/// POST /v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}/confirm
pub async fn confirm_payment_method(call: Call) -> Outcome {
    let (scope, vendor) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let method = call.id("payment_method_id", "payment method of this vendor")?;
    let command: Result<_, Refusal> = call.body::<Confirmation>().map(|confirmation| ConfirmPaymentMethod {
        scope,
        vendor,
        method,
        acting: Named::by(&call.caller, confirmation.acting_user_id),
    });
    call.once(command, Answer::ok).await
}

const TAG: &str = "Accounts payable";

pub fn routes() -> Vec<Route> {
    [vendor_routes(), payment_method_routes()].concat()
}

fn vendor_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/accounts-payable/vendors" App "list_vendors" list)
            .members(Permission::View)
            .about(TAG, "List vendors")
            .describe("Lists the app's vendors, newest first.")
            .asks::<VendorsQuery>()
            .gives::<ListEnvelope<VendorJson>>(200, "One page of the list."),
        route!(Post "/v2/accounts-payable/vendors" App "create_vendor" create)
            .members(Permission::Prepare)
            .about(TAG, "Add a vendor")
            .describe("Adds a company or person whose payables the app pays. A payable is paid by one of the vendor's payment methods.")
            .takes::<NewVendor>()
            .example(json!({
                "name": "Corner Shop",
                "address": {"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"},
                "contact_email": "bills@example.com"
            }))
            .gives::<VendorJson>(201, "The vendor.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidEmail]),
        route!(Get "/v2/accounts-payable/vendors/{vendor_id}" App "get_vendor" show)
            .members(Permission::View)
            .about(TAG, "Get a vendor")
            .describe("Returns one vendor.")
            .gives::<VendorJson>(200, "The vendor; deleted vendors are returned too.")
            .refuses(&[Code::NotFound]),
    ]
}

fn payment_method_routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/accounts-payable/vendors/{vendor_id}/payment-methods" App "list_vendor_payment_methods" list_payment_methods)
            .members(Permission::View)
            .about(TAG, "List a vendor's payment methods")
            .describe("Lists the accounts to which the vendor is paid, newest first, with masked numbers.")
            .asks::<VendorPaymentMethodsQuery>()
            .gives::<ListEnvelope<VendorPaymentMethodJson>>(200, "One page of the list.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/accounts-payable/vendors/{vendor_id}/payment-methods" App "create_vendor_payment_method" add_payment_method)
            .members(Permission::Prepare)
            .about(TAG, "Add a vendor's payment method")
            .describe(
                "The first payment method of a new vendor is usable immediately; above the app's \
                 payable_approval_limit it is usable after 24 hours. A second member must confirm each later payment \
                 method, which is usable 24 hours after that.",
            )
            .takes::<NewVendorPaymentMethod>()
            .example(json!({"name": "Corner Shop", "account_number": "000123456789", "routing_number": "110000000"}))
            .gives::<VendorPaymentMethodJson>(201, "The payment method.")
            .refuses(&[Code::LimitExceeded, Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Get "/v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}" App "get_vendor_payment_method" show_payment_method)
            .members(Permission::View)
            .about(TAG, "Get a vendor's payment method")
            .describe("Returns one payment method of a vendor, with a masked number.")
            .gives::<VendorPaymentMethodJson>(200, "The payment method; deleted payment methods are returned too.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}/confirm" OrganizationForApp "confirm_vendor_payment_method" confirm_payment_method)
            .members(Permission::Confirm)
            .about(TAG, "Confirm a vendor's payment method")
            .describe(
                "Requires a second member: not a viewer, and not the member who added it. The member uses their own \
                 session or, unless the app requires member_proof, the organization's key with Api-App-Id. The \
                 payment method is usable 24 hours later.",
            )
            .takes::<Confirmation>()
            .gives::<VendorPaymentMethodJson>(200, "The payment method.")
            .refuses(&[Code::MemberProofRequired, Code::NotFound, Code::SelfApproval, Code::InvalidState]),
    ]
}
