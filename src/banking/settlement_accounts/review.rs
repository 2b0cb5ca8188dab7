//! The approval by a second person, and the end.

use std::sync::Arc;

use super::model::SettlementAccount;
use super::rows;
use crate::acting::Act;
use crate::bank_statements;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupEvent, SetupStatus};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{OrgId, SettlementAccountId};
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

const NOUN: &str = "settlement account";

/// POST /v2/bank/settlement-accounts/{settlement_account_id}/approve
#[derive(Clone, Copy, Debug)]
pub struct ApproveSettlementAccount {
    pub org: OrgId,
    /// Not the member who added it.
    pub person: Person,
    pub account: SettlementAccountId,
}

impl Command for ApproveSettlementAccount {
    type Reply = Arc<SettlementAccount>;

    fn decide(&self, world: &mut World) -> Result<Arc<SettlementAccount>, Halt> {
        let account = rows::find(world, self.org, self.account)?;
        let actor = self.person.may(world, self.org, Act::Pay)?;
        setup::is_second_person(account.made_by, actor.member)?;
        let to = setup::apply(NOUN, account.status, SetupEvent::Approved)?;

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &account, ActKind::SettlementAccountApproved, actor.member, |account| {
            account.status = to;
            account.approved_by = Some(actor.member);
            account.approved_at = Some(now);
        })
    }
}

/// POST /v2/bank/settlement-accounts/{settlement_account_id}/end. A repetition changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct EndSettlementAccount {
    pub org: OrgId,
    pub person: Person,
    pub account: SettlementAccountId,
}

impl Command for EndSettlementAccount {
    type Reply = Arc<SettlementAccount>;

    fn decide(&self, world: &mut World) -> Result<Arc<SettlementAccount>, Halt> {
        let account = rows::find(world, self.org, self.account)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if account.status == SetupStatus::Ended {
            return Ok(account);
        }
        let to = setup::apply(NOUN, account.status, SetupEvent::Ended)?;
        if let Some(open) = bank_statements::open_matter(world, self.org, account.id)? {
            let message = format!("The account has {open}. Clarify that first: see bursar bank reconcile.");
            return Err(Refusal::new(Code::InvalidState, message).into());
        }

        // From here it must succeed.
        let now = world.now();
        rows::change(world, &account, ActKind::SettlementAccountEnded, actor.member, |account| {
            account.status = to;
            account.ended_by = Some(actor.member);
            account.ended_at = Some(now);
        })
    }
}
