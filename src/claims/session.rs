//! The claim session of a payee: a secret for the person who knew the code.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::model::ClaimSession;
use super::rules::{self as session_rules, IDLE_SECONDS, Rights};
use crate::ids::Entropy;
use crate::payout_links::{self, ClaimToken, PayoutLink, rules};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::users::{self, User};
use crate::vault::{Purpose, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

#[derive(Clone)]
pub struct NewSession {
    /// The payee's browser keeps it.
    pub secret: String,
    pub hash: Vec<u8>,
}

impl NewSession {
    pub fn draw(vault: &Vault, entropy: &mut Entropy) -> Self {
        let secret = URL_SAFE_NO_PAD.encode(entropy.bytes::<32>());
        let hash = hash(vault, &secret);
        Self { secret, hash }
    }
}

impl std::fmt::Debug for NewSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewSitting(…)")
    }
}

pub fn hash(vault: &Vault, secret: &str) -> Vec<u8> {
    vault.keyed_hash(Purpose::Session, &[secret.as_bytes()]).to_vec()
}

/// A link, a live session of it, and its payee.
#[derive(Clone, Debug)]
pub struct ActiveSession {
    pub link: Arc<PayoutLink>,
    pub session: Arc<ClaimSession>,
    pub user: Arc<User>,
    pub rights: Rights,
}

impl ActiveSession {
    /// Refuses changes of the payee, and of this link before it is paid, if the session may not make them.
    ///
    /// # Errors
    ///
    /// `invalid-state`.
    pub fn may_change(&self) -> Result<(), Refusal> {
        match self.rights {
            Rights::All => Ok(()),
            Rights::ReplaceFailed | Rights::None => {
                let message = "This payout is paid out. This session can only replace a failed payout method; request \
                               a new code to change anything else.";
                Err(Refusal::new(Code::InvalidState, message).because(Reason::TooLate))
            }
        }
    }

    /// Refuses the choice of a method if no money remains.
    ///
    /// # Errors
    ///
    /// `already-claimed`.
    pub fn may_choose_method(&self) -> Result<(), Refusal> {
        if self.link.remaining().is_zero() {
            return Err(Refusal::new(Code::AlreadyClaimed, "This payout is already paid out or on its way.")
                .because(Reason::PaidOut));
        }
        Ok(())
    }

    /// Whether the session may change the defaults for later payouts to this payee.
    pub fn may_change_payee(&self) -> bool {
        self.rights == Rights::All && !self.session.is_guest
    }

    /// Changes the session and prolongs it.
    pub fn touch(&self, world: &mut World, edit: impl FnOnce(&mut ClaimSession)) {
        let until = world.now().plus_seconds(IDLE_SECONDS);
        world.change(&self.session, |session| {
            session.changes_until = until;
            edit(session);
        });
    }
}

/// Returns the session of this link with this secret, ended or not.
pub(super) fn shown(
    world: &mut World,
    link: &PayoutLink,
    secret_hash: Option<&[u8]>,
) -> Result<Option<Arc<ClaimSession>>, Halt> {
    let session = match secret_hash {
        Some(hash) => world.find::<ClaimSession>(ClaimSession::BY_SECRET, key![link.org, hash.to_vec()])?,
        None => None,
    };
    Ok(session.filter(|session| session.link == link.id))
}

/// Why the session of a secret has ended without an order of its payee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A newer session of the link was opened, with another code.
    Replaced,
    /// It was idle for too long.
    Idle,
}

/// Returns why the session with this secret has ended; `None` if it is live, unknown, or was ended by its payee.
pub(super) fn ended(world: &mut World, link: &PayoutLink, secret_hash: Option<&[u8]>) -> Result<Option<Ended>, Halt> {
    let Some(session) = shown(world, link, secret_hash)? else { return Ok(None) };
    let Some(ended_at) = session.ended_at else {
        let rights = session_rules::rights(&session, link.remaining().is_zero(), world.now());
        return Ok((rights == Rights::None && session.paid_at.is_none()).then_some(Ended::Idle));
    };
    // The newer one is opened in the commit that ends the older.
    let all = world.all::<ClaimSession>(ClaimSession::OF_LINK, key![link.org, link.id])?;
    Ok(all.iter().any(|other| other.id != session.id && other.created_at == ended_at).then_some(Ended::Replaced))
}

/// Returns the live session of this link with this secret.
///
/// # Errors
///
/// `not-found`, `link-expired`, `link-canceled`, `already-claimed` by another, `unauthorized` without a live session.
pub fn find(world: &mut World, token: &ClaimToken, secret_hash: Option<&[u8]>) -> Result<ActiveSession, Halt> {
    let link = payout_links::by_token(world, token)?;
    rules::may_open(&link, world.now())?;
    let (now, paid_out) = (world.now(), link.remaining().is_zero());
    let rights = |session: &ClaimSession| session_rules::rights(session, paid_out, now);
    let session = shown(world, &link, secret_hash)?;
    let Some((session, rights)) =
        session.map(|session| (session.clone(), rights(&session))).filter(|(_, rights)| *rights != Rights::None)
    else {
        let message = "Enter your phone number or e-mail address first, then the code that we send you.";
        return Err(Refusal::new(Code::Unauthorized, message).because(Reason::SessionMissing).into());
    };
    let user = users::find(world, link.scope(), session.user_id)?;
    if link.claimed_user.is_some_and(|claimed| claimed != user.id) {
        return Err(Refusal::new(Code::AlreadyClaimed, "Another person has already claimed this payout.")
            .because(Reason::ClaimedByAnother)
            .into());
    }
    Ok(ActiveSession { link, session, user, rights })
}
