use super::delete_app::DeleteApp;
use super::delete_user::DeleteUser;
use super::delete_vendor::{DeletePaymentMethod, DeleteVendor};
use crate::apps::{self, AppJson, app_in_path};
use crate::events;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::payables;
use crate::payout_link_batches;
use crate::payout_requests;
use crate::permission::Permission;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::users::{By, UserJson};
use crate::vendors::{Deletion, VendorJson, VendorPaymentMethodJson};

/// Reads of an app's objects before its deletion is refused, because new events keep coming.
const READS_BEFORE_DELETING: usize = 16;

pub async fn delete_app(call: Call) -> Outcome {
    let scope = app_in_path(&call)?;
    for _ in 0..READS_BEFORE_DELETING {
        let events_seen = call
            .read(move |world| {
                apps::find(world, scope)?;
                // Read the count first: a later read may see newer objects.
                let events_seen = events::length(world, scope)?;
                payables::refuse_open(world, scope)?;
                payout_requests::refuse_open(world, scope)?;
                payout_link_batches::refuse_open(world, scope)?;
                Ok(events_seen)
            })
            .await?;
        let command = DeleteApp { scope, events_seen };
        if let Some(deleted) = call.run(command).await? {
            call.bursar.keys.forget_all();
            call.log_security(SecurityEvent::AppChanged, "deleted", Some(&scope.app.to_string()));
            return Ok(Answer::ok(&deleted));
        }
    }
    let message = "The app still receives requests. Stop its clients or revoke its keys, then delete it.";
    Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse))
}

pub async fn delete_user(call: Call) -> Outcome {
    let (scope, user) = (call.scope()?, call.id("user_id", "user")?);
    let by = By::key_of(call.caller.kind);
    call.once(Ok(DeleteUser { scope, by, user }), Answer::ok).await
}

/// DELETE /v2/accounts-payable/vendors/{vendor_id}
pub async fn delete_vendor(call: Call) -> Outcome {
    let (scope, vendor) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let acting = call.body::<Deletion>()?.acting_user_id;
    let vendor = call.run(DeleteVendor { scope, vendor, acting }).await?;
    Ok(Answer::ok(&VendorJson::from(&*vendor)))
}

/// DELETE /v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}
pub async fn delete_payment_method(call: Call) -> Outcome {
    let (scope, vendor) = (call.scope()?, call.id("vendor_id", "vendor")?);
    let method = call.id("payment_method_id", "payment method of this vendor")?;
    let acting = call.body::<Deletion>()?.acting_user_id;
    let command = DeletePaymentMethod { scope, vendor, method, acting };
    let method = call.run(command).await?;
    Ok(Answer::ok(&method))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Delete "/v2/apps/{app_id}" Organization "delete_app" delete_app)
            .about("Apps", "Delete an app")
            .describe(
                "Refused while the app holds money or has open bills, payout requests or batches. Revokes the app's \
                 keys and erases the data of its company, directors and bank account; the history remains.",
            )
            .gives::<AppJson>(200, "The deleted app.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
        route!(Delete "/v2/users/{user_id}" App "delete_user" delete_user)
            .about("Users", "Delete a user")
            .describe(
                "Erases the payee's data; the id and the ledger remain. With an app key, if other apps are connected \
                 to the payee, erases only this app's profile and payout methods. A repeated call returns the same \
                 response. Refused while the user is under a sanctions review.",
            )
            .gives::<UserJson>(200, "The user, disabled.")
            .refuses(&[Code::NotFound, Code::UserHasBalance, Code::InvalidState]),
        route!(Delete "/v2/accounts-payable/vendors/{vendor_id}" App "delete_vendor" delete_vendor)
            .members(Permission::Prepare)
            .about("Accounts payable", "Delete a vendor")
            .describe(
                "Refused while an open payable (neither paid nor canceled) names the vendor. Histories still name it. \
                 A repeated call changes nothing.",
            )
            .takes::<Deletion>()
            .gives::<VendorJson>(200, "The vendor.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
        route!(Delete "/v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}" App "delete_vendor_payment_method" delete_payment_method)
            .members(Permission::Prepare)
            .about("Accounts payable", "Delete a vendor's payment method")
            .describe(
                "Refused while an open payable (neither paid nor canceled) names the payment method. A repeated call \
                 changes nothing.",
            )
            .takes::<Deletion>()
            .gives::<VendorPaymentMethodJson>(200, "The payment method.")
            .refuses(&[Code::NotFound, Code::NotPermitted, Code::InvalidState]),
    ]
}
