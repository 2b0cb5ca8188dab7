//! Takes an account out of use, when nothing in it is open.

use std::sync::Arc;

use super::rows;
use crate::acting::Act;
use crate::banking::settlement_accounts::{self, SettlementAccount};
use crate::banking::{Person, SetupStatus};
use crate::engine::Command;
use crate::ids::{OrgId, SettlementAccountId};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

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
        let account = settlement_accounts::find(world, self.org, self.account)?;
        let actor = self.person.may(world, self.org, Act::Govern)?;
        if account.status == SetupStatus::Ended {
            return Ok(account);
        }
        if let Some(open) = rows::open_matter(world, self.org, account.id)? {
            let message = format!("The account has {open}. Clarify that first: see bursar bank reconcile.");
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::InUse).into());
        }
        settlement_accounts::end(world, &account, actor.member)
    }
}
