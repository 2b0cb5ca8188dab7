//! A preview of the last step: the fee, the amount that arrives, the destination and the time.

use super::payout::{must_be_ready, within};
use super::progress::chosen;
use super::session::{self, ActiveSession};
use crate::clock::Time;
use crate::email::Email;
use crate::language::Language;
use crate::money::Cents;
use crate::payout_links::ClaimToken;
use crate::payout_methods::PayoutMethod;
use crate::payouts::{self, FeeRequest, Way};
use crate::platform::Platform;
use crate::world::{Halt, World};

/// A payout of a link as it would be made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimQuote {
    /// Cents that remain of the link.
    pub available: Cents,
    /// Cents that would leave the wallet.
    pub amount: Cents,
    /// Cents of it that the payee would pay.
    pub fee_amount: Cents,
    /// Cents that would arrive.
    pub payout_amount: Cents,
    /// `Checking account ••6789`
    pub destination: String,
    /// The bank of the destination, if known.
    pub bank: Option<String>,
    pub platform: Platform,
    pub arrives_at: Time,
}

/// Quotes the payout of `amount`, or of the whole remaining amount, by the method of the session.
///
/// # Errors
///
/// Those of the last step that can be known before: `user-info-missing` while a step is not done, `invalid-input` for
/// an amount above the remaining amount or below its fee.
pub(super) fn quote(
    world: &mut World,
    token: &ClaimToken,
    session_hash: Option<&[u8]>,
    amount: Option<Cents>,
    language: Language,
) -> Result<ClaimQuote, Halt> {
    let session = session::find(world, token, session_hash)?;
    must_be_ready(world, &session)?;
    let available = session.link.remaining();
    let amount = within(amount, available)?;
    let method = chosen(world, &session)?;
    let fees = FeeRequest { party: session.link.fee_party, override_: None };
    let quoted = payouts::quote(world, session.link.scope(), &Way::to(&method), amount, fees)?;
    let platform = quoted.prices.platform;
    let arrives_at = payouts::arrives_at(world, session.link.scope(), platform, quoted.charged.payout_amount)?;
    Ok(ClaimQuote {
        available,
        amount,
        fee_amount: quoted.charged.user_fee,
        payout_amount: quoted.charged.payout_amount,
        destination: match card_address(&session, &method) {
            Some(address) => method.distinguished_by(&address, language),
            None => method.distinguished(language),
        },
        bank: method.bank_name.clone(),
        platform,
        arrives_at,
    })
}

/// Returns the address to which a card without its own is delivered: the payee's. A guest sees it masked, as all saved
/// data of the payee.
fn card_address(session: &ActiveSession, method: &PayoutMethod) -> Option<String> {
    let address =
        session.user.email.as_ref().filter(|_| method.platform.pays_whole_dollars() && method.email.is_none());
    let shown = |address: &String| match (session.session.is_guest, Email::parse(address)) {
        (true, Ok(email)) => email.masked(),
        (true, Err(_)) | (false, _) => address.clone(),
    };
    address.map(shown)
}
