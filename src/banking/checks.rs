//! Invariant 35: each part of a bank's set-up that is in use was approved by another member than its maker, a
//! connection in use was tested, and the parts of an approved route belong to one connection or are one provider. Pure.

use super::connections::{BankConnection, ConnectionStatus};
use super::originators::Originator;
use super::providers::RailProvider;
use super::routes::{Carries, RailRoute};
use super::settlement_accounts::SettlementAccount;
use super::setup::SetupStatus;
use crate::ids::MemberId;

const UNAPPROVED: &str = "is in use, and its approval is missing or by its maker";

fn is_approved(made_by: MemberId, approved_by: Option<MemberId>) -> bool {
    approved_by.is_some_and(|by| by != made_by)
}

/// Returns what is wrong with a connection.
#[must_use]
pub fn of_connection(connection: &BankConnection) -> Option<&'static str> {
    let (was_tested, was_approved) = match connection.status {
        ConnectionStatus::Draft => return None,
        ConnectionStatus::Tested => (connection.tested_by.is_some(), true),
        ConnectionStatus::Approved | ConnectionStatus::Paused => {
            (connection.tested_by.is_some(), is_approved(connection.made_by, connection.approved_by))
        }
    };
    match (was_tested, was_approved) {
        (false, _) => Some("was not tested with its bank"),
        (true, false) => Some(UNAPPROVED),
        (true, true) => None,
    }
}

fn of_part(status: SetupStatus, made_by: MemberId, approved_by: Option<MemberId>) -> Option<&'static str> {
    match status {
        SetupStatus::Draft | SetupStatus::Ended => None,
        SetupStatus::Approved => (!is_approved(made_by, approved_by)).then_some(UNAPPROVED),
    }
}

/// Returns what is wrong with an originator.
#[must_use]
pub fn of_originator(originator: &Originator) -> Option<&'static str> {
    of_part(originator.status, originator.made_by, originator.approved_by)
}

/// Returns what is wrong with a settlement account.
#[must_use]
pub fn of_settlement_account(account: &SettlementAccount) -> Option<&'static str> {
    of_part(account.status, account.made_by, account.approved_by)
}

/// Returns what is wrong with a provider.
#[must_use]
pub fn of_provider(provider: &RailProvider) -> Option<&'static str> {
    of_part(provider.status, provider.made_by, provider.approved_by)
}

/// Returns what is wrong with a route, with its originator and its settlement account, or its provider.
#[must_use]
pub fn of_route(
    route: &RailRoute,
    originator: Option<&Originator>,
    account: Option<&SettlementAccount>,
    provider: Option<&RailProvider>,
) -> Option<&'static str> {
    let is_whole = match route.carries() {
        Some(Carries::Bank(parts)) => {
            originator.is_some_and(|originator| originator.connection == parts.connection)
                && account.is_some_and(|account| account.connection == parts.connection)
        }
        Some(Carries::Provider(_)) => provider.is_some(),
        None => return Some("names neither a bank nor a provider, or both"),
    };
    if !is_whole {
        return Some("names an originator or a settlement account that its connection does not have, or no provider");
    }
    of_part(route.status, route.made_by, route.approved_by)
}
