//! Finds and changes the rows, seals and opens the number, and records the acts.

use std::sync::Arc;

use super::json::SettlementAccountJson;
use super::model::SettlementAccount;
use crate::banking::connections::BankConnection;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankConnectionId, MemberId, OrgId, SettlementAccountId};
use crate::refusal::Refusal;
use crate::vault::{Purpose, SealContext, Tampered, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

pub fn find(world: &World, org: OrgId, id: SettlementAccountId) -> Result<Arc<SettlementAccount>, Halt> {
    let found = world.get::<SettlementAccount>(key![org, id])?;
    Ok(found.ok_or_else(|| Refusal::not_found("settlement account"))?)
}

/// Returns a settlement account of this connection.
pub fn find_of(
    world: &World,
    connection: &BankConnection,
    id: SettlementAccountId,
) -> Result<Arc<SettlementAccount>, Halt> {
    let account = find(world, connection.org, id)?;
    if account.connection == connection.id { Ok(account) } else { Err(Refusal::not_found("settlement account").into()) }
}

/// Returns the accounts of a connection in every state.
pub fn of_connection(
    world: &World,
    org: OrgId,
    connection: BankConnectionId,
) -> Result<Vec<Arc<SettlementAccount>>, Halt> {
    world.all::<SettlementAccount>(SettlementAccount::OF_CONNECTION, key![org, connection])
}

/// Returns the accounts of all connections in every state.
pub fn of_org(world: &mut World, org: OrgId) -> Result<Vec<Arc<SettlementAccount>>, Halt> {
    let connections = world.all::<BankConnection>(BankConnection::OF_ORG, key![org])?;
    let accounts = world.each(connections, |world, connection| of_connection(world, org, connection.id))?;
    Ok(accounts.into_iter().flatten().collect())
}

/// Changes an account, and records the act of the member.
pub(super) fn change(
    world: &mut World,
    before: &Arc<SettlementAccount>,
    kind: ActKind,
    by: MemberId,
    edit: impl FnOnce(&mut SettlementAccount),
) -> Result<Arc<SettlementAccount>, Halt> {
    let after = world.change(before, |account| {
        edit(account);
        account.version += 1;
    });
    let act = NewAct::of(kind, None, after.id).by(Some(by));
    let (was, is) = (SettlementAccountJson::from(&**before), SettlementAccountJson::from(&*after));
    acts::record(world, after.org, act.changing(&was, &is))?;
    Ok(after)
}

/// Returns the seal context of an account's number, which includes the connection and the bank.
pub fn seal_context(account: &SettlementAccount) -> SealContext {
    SealContext::new(Purpose::BankAccount, account.org, "settlement_accounts", account.id.0, "sealed_number")
        .bound_to(account.connection.0)
        .bound_to(&account.routing_number)
        .bound_to(account.account_type.as_str())
}

pub fn fingerprint(routing_number: &str, number: &[u8], vault: &Vault) -> Vec<u8> {
    let parts = [b"settlement account".as_slice(), routing_number.as_bytes(), number];
    vault.guessable_hash(Purpose::Fingerprint, &parts).to_vec()
}

/// Opens the number for a file. Fails with [`Tampered`] if another program changed the row.
pub fn open(account: &SettlementAccount, vault: &Vault) -> Result<String, Tampered> {
    let number = vault.open(&seal_context(account), &account.sealed_number)?;
    String::from_utf8(number).map_err(|_| Tampered)
}
