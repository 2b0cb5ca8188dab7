//! Every event there is: its name, when it is told, and what it is about (docs/decisions.md 12).
//!
//! THE list. `events::emit` takes nothing else, so that no event can be told that is not described; docs/events.md
//! and the `webhooks` of the OpenAPI document are made from it. A name never changes: it stands in the log for
//! ever, and receivers ask for it.

use crate::world::record::words;

/// Declares the events: when each is told, its name, and the schema of the object that it carries, by the name
/// that it has in the OpenAPI document.
macro_rules! events {
    ($(#[doc = $when:literal] $variant:ident = $name:tt carries $object:literal,)+) => {
        words! {
            /// What happened.
            pub enum EventName { $(#[doc = $when] $variant = $name,)+ }
        }

        impl EventName {
            /// When it is told, as the documents say it.
            pub fn when(self) -> &'static str {
                match self { $(Self::$variant => $when.trim_ascii(),)+ }
            }

            /// The schema of the object that it carries, by its name in the OpenAPI document.
            pub const fn object(self) -> &'static str {
                match self { $(Self::$variant => $object,)+ }
            }
        }
    };
}

events! {
    /// A link was made, changed, canceled, or has expired.
    PayoutLinkUpdated = "payout_link.updated" carries "PayoutLink",
    /// A link has reached its payee's phone or address.
    PayoutLinkSent = "payout_link.sent" carries "PayoutLink",
    /// The payee claimed a link; the money is in their wallet.
    PayoutLinkClaimed = "payout_link.claimed" carries "PayoutLink",
    /// All that a link carried has arrived where the payee wanted it.
    PayoutLinkPaidOut = "payout_link.paid_out" carries "PayoutLink",
    /// A link could not be delivered, or the money for it did not come.
    PayoutLinkFailed = "payout_link.failed" carries "PayoutLink",
    /// A transfer was made, or moved to a state that has no event of its own.
    TransferUpdated = "transfer.updated" carries "Transfer",
    /// A transfer's money has arrived.
    TransferCompleted = "transfer.completed" carries "Transfer",
    /// A transfer did not go through; what it moved was given back.
    TransferFailed = "transfer.failed" carries "Transfer",
    /// A transfer waits until somebody has looked at it.
    TransferFlagged = "transfer.flagged" carries "Transfer",
    /// A payout request was made, approved, or rejected.
    PayoutRequestUpdated = "payout_request.updated" carries "PayoutRequest",
    /// A user was made or connected, or anything about them changed.
    UserUpdated = "user.updated" carries "User",
    /// A user's payout method was set up, changed, or taken away.
    UserUpdatedPayoutMethod = "user.updated.payout_method" carries "User",
    /// Two users turned out to be one person; the object is the one that remains. Nothing merges users yet.
    UserMerged = "user.user_merged" carries "User",
    /// The app's name, settings, keys, bank account, or state changed.
    AppUpdated = "app.updated" carries "App",
    /// A member of the organization was added, changed or removed; every app of the organization is told.
    MemberUpdated = "member.updated" carries "Member",
    /// A payable was made, changed, or took a step of its approval or its payment.
    PayableUpdated = "payable.updated" carries "Payable",
    /// A vendor was added or deleted.
    VendorUpdated = "vendor.updated" carries "Vendor",
    /// A vendor's payment method was added, confirmed or deleted.
    VendorPaymentMethodUpdated = "vendor_payment_method.updated" carries "VendorPaymentMethod",
    /// An approval policy was made, changed or deleted.
    ApprovalPolicyUpdated = "approval_policy.updated" carries "ApprovalPolicy",
    /// A batch was submitted, or moved to another state.
    PayoutLinkBatchUpdated = "payout_link_batch.updated" carries "PayoutLinkBatch",
    /// A payment to the app was made, moved to another state, or its hold ended; no other event tells of it.
    PaymentUpdated = "payment.updated" carries "Transfer",
    /// A payment customer was made, changed or deleted, or their bank accounts changed.
    PaymentCustomerUpdated = "payment_customer.updated" carries "PaymentCustomer",
    /// A code was sent to somebody who has to prove a phone or an address.
    VerificationSent = "verification.sent" carries "Verification",
    /// A phone or an address was locked after 100 wrong codes.
    VerificationLocked = "verification.locked" carries "Verification",
    /// A phone or an address was unlocked, with an organization key or by a signed-in administrator.
    VerificationUnlocked = "verification.unlocked" carries "Verification",
    /// An organization was created, a key, a member, a setting or a policy changed, a payee was erased, or a phone or an address unlocked. Only in the log of GET /v2/administrative-acts; no endpoint gets it.
    AdministrativeAct = "administrative_act.recorded" carries "AdministrativeAct",
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
