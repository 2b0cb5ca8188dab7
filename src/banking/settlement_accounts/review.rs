//! The approval by a second person, and the end.

use std::sync::Arc;

use super::model::SettlementAccount;
use super::rows;
use crate::acting::Act;
use crate::banking::person::Person;
use crate::banking::setup::{self, SetupEvent};
use crate::engine::Command;
use crate::events::acts::ActKind;
use crate::ids::{MemberId, OrgId, SettlementAccountId};
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

/// Takes an account out of use. Its caller checks that nothing in it is open.
///
/// # Errors
/// `invalid-state` if it is ended.
pub fn end(world: &mut World, account: &Arc<SettlementAccount>, by: MemberId) -> Result<Arc<SettlementAccount>, Halt> {
    let to = setup::apply(NOUN, account.status, SetupEvent::Ended)?;
    let now = world.now();
    rows::change(world, account, ActKind::SettlementAccountEnded, by, |account| {
        account.status = to;
        account.ended_by = Some(by);
        account.ended_at = Some(now);
    })
}
