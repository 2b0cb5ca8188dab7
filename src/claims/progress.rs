//! How far a claim has come.

use std::sync::Arc;

use super::session::ActiveSession;
use super::steps::Progress;
use super::verbs::to_be_counted;
use crate::payout_links::PayoutLink;
use crate::payout_methods::{self, PayoutMethod};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::users;
use crate::world::{Halt, World};

pub(super) fn progress(
    world: &mut World,
    link: &PayoutLink,
    active: Option<&ActiveSession>,
    code_sent: bool,
) -> Result<Progress, Halt> {
    let left = link.remaining();
    let Some(active) = active else {
        let asks_compliance = link.collect_compliance;
        return Ok(Progress { code_sent, asks_compliance, ..Progress::default() });
    };
    let has_method = world.attempt(|world| chosen(world, active))?.is_ok();
    Ok(Progress {
        code_sent: true,
        proven: true,
        asks_profile: active.session.asks_profile,
        has_profile: active.user.has_name(),
        asks_compliance: active.session.asks_compliance || form_is_due(world, link, active)?,
        has_compliance: active.user.has_tax_form(),
        has_method,
        paid_out: left.is_zero(),
    })
}

/// Returns the method of this session, or the payee's default.
pub(super) fn chosen(world: &mut World, active: &ActiveSession) -> Result<Arc<PayoutMethod>, Halt> {
    let scope = active.link.scope();
    let method = match active.session.payout_method {
        // A session from before methods belonged to apps may name the row of another app that the payee chose in both.
        Some(id) => Some(payout_methods::paid_to(world, scope.org, active.user.id, id)?),
        // A known payee's saved methods are not for the holder of a link that names no payee.
        None if active.session.is_guest => None,
        None => users::default_payout_method(world, scope, active.user.id)?,
    };
    // The rail may have been excluded since.
    let open = users::open_rails(world, active.link.scope(), &active.user)?;
    method.filter(|method| method.in_use && open.contains(&method.platform)).ok_or_else(|| {
        Refusal::new(Code::UserInfoMissing, "Choose a payout method first, with the step method.")
            .because(Reason::StepMissing)
            .into()
    })
}

/// Whether a tax form became due after the session was opened, because other money reached the threshold.
fn form_is_due(world: &World, link: &PayoutLink, active: &ActiveSession) -> Result<bool, Halt> {
    if link.tax_exempt {
        return Ok(false);
    }
    users::tax_form_is_due(world, link.scope(), &active.user, to_be_counted(link))
}
