//! Passes the set-up of banks to its checks (invariant 35).

use crate::banking::checks;
use crate::banking::connections::BankConnection;
use crate::banking::originators::Originator;
use crate::banking::routes::RailRoute;
use crate::banking::settlement_accounts::SettlementAccount;
use crate::ledger::verify::Finding;
use crate::store::{Snapshot, StoreError};
use crate::world::Key;
use crate::world::record::key;

pub(super) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    let mut find = |what: Option<&str>, place: String| {
        findings.extend(what.map(|what| Finding { invariant: 35, what: what.to_owned(), place }));
    };
    snapshot.each::<BankConnection>(|connection| {
        find(checks::of_connection(connection), format!("bank connection {}", connection.id));
        Ok(())
    })?;
    snapshot.each::<Originator>(|originator| {
        find(checks::of_originator(originator), format!("originator {}", originator.id));
        Ok(())
    })?;
    snapshot.each::<SettlementAccount>(|account| {
        find(checks::of_settlement_account(account), format!("settlement account {}", account.id));
        Ok(())
    })?;
    // An organization has few routes.
    let mut routes = Vec::new();
    snapshot.each::<RailRoute>(|route| {
        routes.push(route.clone());
        Ok(())
    })?;
    let originators: Vec<Key> = routes.iter().map(|route| key![route.org, route.originator]).collect();
    let accounts: Vec<Key> = routes.iter().map(|route| key![route.org, route.settlement_account]).collect();
    let originators = snapshot.get_all::<Originator>(&originators)?;
    let accounts = snapshot.get_all::<SettlementAccount>(&accounts)?;
    for ((route, originator), account) in routes.iter().zip(originators).zip(accounts) {
        let what = checks::of_route(route, originator.as_deref(), account.as_deref());
        find(what, format!("route {}", route.id));
    }
    Ok(findings)
}
