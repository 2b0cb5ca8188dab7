//! Passes the set-up of banks to its checks (invariant 35).

use uuid::Uuid;

use crate::banking::checks;
use crate::banking::connections::BankConnection;
use crate::banking::originators::Originator;
use crate::banking::providers::RailProvider;
use crate::banking::routes::RailRoute;
use crate::banking::settlement_accounts::SettlementAccount;
use crate::ids::{OriginatorId, RailProviderId, SettlementAccountId};
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
    snapshot.each::<RailProvider>(|provider| {
        find(checks::of_provider(provider), format!("provider {}", provider.id));
        Ok(())
    })?;
    // An organization has few routes.
    let mut routes = Vec::new();
    snapshot.each::<RailRoute>(|route| {
        routes.push(route.clone());
        Ok(())
    })?;
    let nil = Uuid::nil();
    let originators: Vec<Key> =
        routes.iter().map(|route| key![route.org, route.originator.unwrap_or(OriginatorId(nil))]).collect();
    let accounts: Vec<Key> = routes
        .iter()
        .map(|route| key![route.org, route.settlement_account.unwrap_or(SettlementAccountId(nil))])
        .collect();
    let providers: Vec<Key> =
        routes.iter().map(|route| key![route.org, route.provider.unwrap_or(RailProviderId(nil))]).collect();
    let originators = snapshot.get_all::<Originator>(&originators)?;
    let accounts = snapshot.get_all::<SettlementAccount>(&accounts)?;
    let providers = snapshot.get_all::<RailProvider>(&providers)?;
    for (((route, originator), account), provider) in routes.iter().zip(originators).zip(accounts).zip(providers) {
        let what = checks::of_route(route, originator.as_deref(), account.as_deref(), provider.as_deref());
        find(what, format!("route {}", route.id));
    }
    Ok(findings)
}
