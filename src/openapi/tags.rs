//! The tags of the document: groups of operations.

use serde_json::{Value, json};

use super::webhooks;

/// A group of operations and its description.
const TAGS: [(&str, &str); 23] = [
    ("Apps", "Apps, their keys, settings and compliance information, and the organization that owns them."),
    ("Members", "The members of an organization, their invitations and their sessions."),
    ("Users", "Payees with an account: their profile, verification and compliance."),
    ("Notices", "The page on which a payee stops automatic payouts after a notice."),
    ("Payout methods", "Where a user's money goes: bank accounts, wallets, cards."),
    ("Screening", "The comparison of users with the sanctions list, and the decisions about its hits."),
    ("Payouts", "Send money to a person, or estimate its fees."),
    ("Transfers", "Every movement of money, and its transactions in the ledger."),
    ("Payout links", "Links with an amount that a payee claims."),
    ("Payout requests", "Requests of people to be paid, which the app approves or rejects."),
    ("Payout link batches", "Up to 500 payout links in one request."),
    ("Claims", "The steps in which a payee claims a link. The token of the link is the credential."),
    ("Funding", "Deposits to wallets, withdrawals, and transfers between the organization and its apps."),
    ("Payment customers", "Payers who are not users, and their bank accounts."),
    ("Payments", "Money collected from users and payment customers."),
    ("Accounts payable", "Bills, vendors, and approval policies."),
    ("Banks", "Connections to banks, originators, settlement accounts, and the routes of rails."),
    ("Ledger", "The double-entry ledger: balances and entries."),
    ("Sandbox", "The sandbox only: messages that were sent, the clock, and values that cause failures."),
    ("Events", "The log of all changes, in order."),
    ("Webhooks", "The endpoints that receive events, and their deliveries."),
    ("Reference", "This document."),
    (webhooks::TAG, "The requests that an endpoint receives, one for each event."),
];

/// Returns the tags that these operations use, in their order.
pub(super) fn described(used: &[&str]) -> Value {
    let describe = |tag: &&str| TAGS.iter().find(|(name, _)| name == tag).map(|(_, description)| *description);
    used.iter().map(|tag| json!({"name": tag, "description": describe(tag).unwrap_or_default()})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_the_routes_is_described() {
        for route in crate::routes::business() {
            let tag = route.documented.tag;
            assert!(TAGS.iter().any(|(name, _)| *name == tag), "{tag} has no description");
        }
    }
}
