//! The sitting of a payee: a secret that only the one who knew the code holds.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::model::ClaimSession;
use crate::clock::DAY_SECONDS;
use crate::ids::Entropy;
use crate::payout_links::{self, ClaimToken, PayoutLink, rules};
use crate::refusal::{Code, Refusal};
use crate::users::{self, User};
use crate::vault::{Purpose, Vault};
use crate::world::record::key;
use crate::world::{Halt, World};

/// How long a sitting lasts: long enough that a payee whose bank said no some days later can go on where they were.
pub const SITTING_SECONDS: i64 = 14 * DAY_SECONDS;

/// A secret that was drawn for a new sitting.
#[derive(Clone)]
pub struct NewSitting {
    /// What the payee's browser keeps.
    pub secret: String,
    /// Its keyed hash.
    pub hash: Vec<u8>,
}

impl NewSitting {
    /// Draws a secret.
    pub fn draw(vault: &Vault, entropy: &mut Entropy) -> Self {
        let secret = URL_SAFE_NO_PAD.encode(entropy.bytes::<32>());
        let hash = hash(vault, &secret);
        Self { secret, hash }
    }
}

impl std::fmt::Debug for NewSitting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewSitting(…)")
    }
}

/// The keyed hash of a sitting's secret.
pub fn hash(vault: &Vault, secret: &str) -> Vec<u8> {
    vault.keyed_hash(Purpose::Session, &[secret.as_bytes()]).to_vec()
}

/// A link, the sitting that works on it, and who sits there.
#[derive(Clone, Debug)]
pub struct Sitting {
    /// The link.
    pub link: Arc<PayoutLink>,
    /// The sitting.
    pub session: Arc<ClaimSession>,
    /// The payee.
    pub user: Arc<User>,
}

/// The sitting that this secret opens on this link.
///
/// # Errors
/// `not-found`, `link-expired`, `link-canceled`, `already-claimed` by another, `unauthorized` without a valid sitting.
pub fn find(world: &mut World, token: &ClaimToken, secret_hash: Option<&[u8]>) -> Result<Sitting, Halt> {
    let link = payout_links::by_token(world, token)?;
    rules::may_open(&link, world.now())?;
    let session = match secret_hash {
        Some(hash) => world.find::<ClaimSession>(ClaimSession::BY_SECRET, key![link.org, hash.to_vec()])?,
        None => None,
    };
    let now = world.now();
    let Some(session) = session.filter(|session| session.link == link.id && now < session.expires_at) else {
        let message =
            "Prove who you are first: give your phone number or e-mail address, then the code that was sent there.";
        return Err(Refusal::new(Code::Unauthorized, message).into());
    };
    let user = users::find(world, link.scope(), session.user_id)?;
    if link.claimed_user.is_some_and(|claimed| claimed != user.id) {
        return Err(Refusal::new(Code::AlreadyClaimed, "Somebody else claimed this payout.").into());
    }
    Ok(Sitting { link, session, user })
}
