use std::sync::Arc;

use super::inputs::SealedNumber;
use super::json::SettlementAccountJson;
use super::model::{BookingGrain, SettlementAccount, StatementKind};
use super::rows;
use crate::acting::Act;
use crate::banking::connections;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupStatus};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankConnectionId, OrgId};
use crate::payout_methods::AccountType;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// POST /v2/bank/settlement-accounts
#[derive(Clone, Debug)]
pub struct AddSettlementAccount {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
    pub name: String,
    pub currency: String,
    pub account_type: AccountType,
    pub routing_number: String,
    pub number: SealedNumber,
    pub statement_kind: StatementKind,
    pub booking_grain: BookingGrain,
}

impl Command for AddSettlementAccount {
    type Reply = Arc<SettlementAccount>;

    fn decide(&self, world: &mut World) -> Result<Arc<SettlementAccount>, Halt> {
        let actor = self.person.may(world, self.org, Act::Govern)?;
        let connection = connections::find(world, self.org, self.connection)?;
        let of_connection = rows::of_connection(world, self.org, connection.id)?;
        setup::has_room("settlement accounts of this connection", of_connection.iter().map(|other| other.status))?;
        // Two records of one account would book each of its lines twice.
        let others = rows::of_org(world, self.org)?;
        let is_same = |other: &&Arc<SettlementAccount>| {
            other.status != SetupStatus::Ended && other.fingerprint == self.number.fingerprint
        };
        if let Some(other) = others.iter().find(is_same) {
            let message =
                format!("is the number of the settlement account {}; use that one, or end it first", other.id);
            return Err(Refusal::field(Code::InvalidState, "/account_number", message)
                .because(Reason::AlreadyExists)
                .into());
        }

        // From here it must succeed.
        let (id, created_at) = (world.id(), world.now());
        let account = SettlementAccount {
            org: self.org,
            id,
            connection: self.connection,
            name: self.name.clone(),
            currency: self.currency.clone(),
            account_type: self.account_type,
            routing_number: self.routing_number.clone(),
            last4: self.number.last4.clone(),
            sealed_number: Vec::new(),
            fingerprint: self.number.fingerprint.clone(),
            statement_kind: self.statement_kind,
            booking_grain: self.booking_grain,
            status: SetupStatus::Draft,
            made_by: actor.member,
            approved_by: None,
            approved_at: None,
            ended_by: None,
            ended_at: None,
            version: 1,
            created_at,
        };
        let sealed_number = self.number.number.seal(&rows::seal_context(&account));
        let account = world.add(SettlementAccount { sealed_number, ..account });
        let act = NewAct::of(ActKind::SettlementAccountAdded, None, id).by(Some(actor.member));
        acts::record(world, self.org, act.changing(&(), &SettlementAccountJson::from(&*account)))?;
        Ok(account)
    }
}
