//! What a payout costs: the one place where rail, schedules, app and party meet.
//! The estimate, the claim page and the payout itself all ask here.

use crate::apps;
use crate::fees::{self, Breakdown, ChargeInput, FeeRefusal, Party, RailTerms};
use crate::http::Scope;
use crate::money::Cents;
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// Up to here an account that takes real-time payments is paid by them: $100,000.00.
pub const RTP_AMOUNT_MAX: Cents = Cents::new(10_000_000);

/// What a payout would cost, and by which rail it would go.
#[derive(Clone, Debug)]
pub struct Quote {
    /// The rail, after the upgrade from ACH to RTP.
    pub platform: Platform,
    /// The service's terms for it.
    pub terms: &'static RailTerms,
    /// Who pays the fees.
    pub party: Party,
    /// All parts of the charge.
    pub charged: Breakdown,
}

/// Quotes a payout of `amount` by `platform`. `rtp_enabled` tells of the account it goes to.
pub fn quote(
    world: &mut World,
    scope: Scope,
    platform: Platform,
    rtp_enabled: bool,
    amount: Cents,
    party: Option<Party>,
) -> Result<Quote, Halt> {
    let app = apps::find(world, scope)?;
    let settings = &app.settings.0;
    let platform = upgraded(platform, rtp_enabled, amount);
    let terms = fees::schedule(platform, world.now().date());
    let party = party.unwrap_or(settings.payout_fee_party);
    let added = settings.fees.schedule(platform, None);
    let charged = fees::charge(ChargeInput {
        platform,
        amount,
        service: &terms.schedule,
        app: &added,
        override_: false,
        fx: terms.fx_percent,
        party,
    });
    Ok(Quote { platform, terms, party, charged: charged.map_err(refusal)? })
}

/// ACH becomes RTP when the account takes it and the amount is within the limit (decisions.md 7).
fn upgraded(platform: Platform, rtp_enabled: bool, amount: Cents) -> Platform {
    if platform == Platform::Ach && rtp_enabled && amount <= RTP_AMOUNT_MAX { Platform::Rtp } else { platform }
}

fn refusal(reason: FeeRefusal) -> Refusal {
    Refusal::field(Code::InvalidInput, "/amount", reason.to_string())
}
