//! Every event: its name, when it is emitted, and its object (docs/decisions.md 12).
//!
//! This is the only list: `events::emit` takes no other names, and docs/events.md and the `webhooks` of the OpenAPI
//! document are generated from it. Names never change, because the log and its receivers depend on them.

use crate::world::record::words;

/// Declares the events: the occasion, the name, and the object's schema in the OpenAPI document.
macro_rules! events {
    ($(#[doc = $when:literal] $variant:ident = $name:tt carries $object:literal,)+) => {
        words! {
            /// The name of an event.
            pub enum EventName { $(#[doc = $when] $variant = $name,)+ }
        }

        impl EventName {
            /// Returns the occasion, as in the documents.
            pub fn when(self) -> &'static str {
                match self { $(Self::$variant => $when.trim_ascii(),)+ }
            }

            /// Returns the name of the object's schema in the OpenAPI document.
            pub const fn object(self) -> &'static str {
                match self { $(Self::$variant => $object,)+ }
            }
        }
    };
}

events! {
    /// A link was created, changed, canceled, or has expired.
    PayoutLinkUpdated = "payout_link.updated" carries "PayoutLink",
    /// A link has reached its payee's phone or e-mail address.
    PayoutLinkSent = "payout_link.sent" carries "PayoutLink",
    /// The payee claimed a link; the money is in their wallet.
    PayoutLinkClaimed = "payout_link.claimed" carries "PayoutLink",
    /// The full amount of a link has arrived at the payee's destination.
    PayoutLinkPaidOut = "payout_link.paid_out" carries "PayoutLink",
    /// A link could not be delivered, or the money for it did not arrive.
    PayoutLinkFailed = "payout_link.failed" carries "PayoutLink",
    /// A transfer was created, or reached a state that has no event of its own.
    TransferUpdated = "transfer.updated" carries "Transfer",
    /// A transfer's money has arrived.
    TransferCompleted = "transfer.completed" carries "Transfer",
    /// A transfer failed; its money was given back.
    TransferFailed = "transfer.failed" carries "Transfer",
    /// A transfer waits for a member's review.
    TransferFlagged = "transfer.flagged" carries "Transfer",
    /// A payout request was created, approved, or rejected.
    PayoutRequestUpdated = "payout_request.updated" carries "PayoutRequest",
    /// A user was created, connected or changed.
    UserUpdated = "user.updated" carries "User",
    /// A user's payout method was set up, changed, or removed.
    UserUpdatedPayoutMethod = "user.updated.payout_method" carries "User",
    /// Two users were found to be one person; the object is the remaining user. Users are not merged yet.
    UserMerged = "user.user_merged" carries "User",
    /// The app's name, settings, keys, bank account, or state changed.
    AppUpdated = "app.updated" carries "App",
    /// A member of the organization was added, changed or removed. Emitted to every app of the organization.
    MemberUpdated = "member.updated" carries "Member",
    /// A payable was created, changed, or advanced in its approval or payment.
    PayableUpdated = "payable.updated" carries "Payable",
    /// A vendor was added or deleted.
    VendorUpdated = "vendor.updated" carries "Vendor",
    /// A vendor's payment method was added, confirmed or deleted.
    VendorPaymentMethodUpdated = "vendor_payment_method.updated" carries "VendorPaymentMethod",
    /// An approval policy was created, changed or deleted.
    ApprovalPolicyUpdated = "approval_policy.updated" carries "ApprovalPolicy",
    /// A batch was submitted, or reached another state.
    PayoutLinkBatchUpdated = "payout_link_batch.updated" carries "PayoutLinkBatch",
    /// A payment to the app was created, reached another state, or its hold ended. It has no other event.
    PaymentUpdated = "payment.updated" carries "Transfer",
    /// A payment customer was created, changed or deleted, or their bank accounts changed.
    PaymentCustomerUpdated = "payment_customer.updated" carries "PaymentCustomer",
    /// A code was sent to a person who must prove a phone number or an e-mail address.
    VerificationSent = "verification.sent" carries "Verification",
    /// A phone number or an e-mail address was locked after 100 wrong codes.
    VerificationLocked = "verification.locked" carries "Verification",
    /// A phone number or an e-mail address was unlocked, with an organization key or by a signed-in administrator.
    VerificationUnlocked = "verification.unlocked" carries "Verification",
    /// An organization was created; a key, a member, a setting or a policy changed; a payee was erased; or a phone number or an e-mail address was unlocked. Only in the log of GET /v2/administrative-acts; not sent to webhook endpoints.
    AdministrativeAct = "administrative_act.recorded" carries "AdministrativeAct",
    /// A webhook endpoint is tested. Sent to this endpoint only, also if it does not receive events of this name.
    WebhookEndpointTested = "webhook_endpoint.tested" carries "WebhookEndpoint",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_begins_with_what_it_is_about() {
        for name in EventName::ALL {
            let noun = name.as_str().split('.').next().unwrap();
            let object: String = name.object().to_ascii_lowercase();
            let about = noun.replace('_', "");
            assert!(object == about || *name == EventName::PaymentUpdated, "{name} carries a {object}");
            assert!(name.when().ends_with('.'), "{name} is described in sentences");
        }
    }
}
