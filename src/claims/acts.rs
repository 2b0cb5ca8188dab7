//! What a payee does, for the page and for the JSON twin alike: inputs in, the claim's
//! document out. Who holds the link needs no other credential; who goes on after the
//! code shows the sitting's secret.

use std::sync::Arc;

use super::document::{self, ClaimDocument};
use super::payout::ClaimPayout;
use super::sitting::{self, NewSitting};
use super::verbs::{ChooseMethod, Contact, FillProfile, GiveContact, MethodChosen, ProveContact};
use crate::email::Email;
use crate::engine::Command;
use crate::http::Bursar;
use crate::money::Cents;
use crate::payout_links::ClaimToken;
use crate::refusal::Refusal;
use crate::users::verification::{NewCode, hash_code};

/// One payee at one link.
#[derive(Clone, Debug)]
pub struct Payee {
    bursar: Arc<Bursar>,
    token: ClaimToken,
    /// The address of the link's JSON, of which the steps' addresses are made.
    path: String,
    session_hash: Option<Vec<u8>>,
}

impl Payee {
    /// Whoever shows this token and, perhaps, the secret of a sitting.
    ///
    /// # Errors
    /// `not-found` when it is no token.
    pub fn new(bursar: &Arc<Bursar>, token: &str, session: Option<&str>) -> Result<Self, Refusal> {
        let parsed = ClaimToken::parse(&bursar.vault, token).ok_or_else(|| Refusal::not_found("payout link"))?;
        Ok(Self {
            bursar: bursar.clone(),
            token: parsed,
            path: format!("/v2/claims/{token}"),
            session_hash: session.map(|secret| sitting::hash(&bursar.vault, secret)),
        })
    }

    /// The link's token.
    pub fn token(&self) -> &ClaimToken {
        &self.token
    }

    /// The sitting's hash, when a secret was shown.
    pub fn session_hash(&self) -> Option<Vec<u8>> {
        self.session_hash.clone()
    }

    /// Where the claim stands.
    pub async fn look(&self) -> Result<ClaimDocument, Refusal> {
        let (token, session, path) = (self.token.clone(), self.session_hash.clone(), self.path.clone());
        self.bursar.read(move |world| document::document(world, &token, session.as_deref(), &path)).await
    }

    async fn run<C: Command>(&self, command: C) -> Result<C::Reply, Refusal> {
        self.bursar.engine.run(command).await
    }

    /// Sends a code to a phone or an address.
    pub async fn contact(&self, contact: Contact) -> Result<ClaimDocument, Refusal> {
        let code = NewCode::draw(&self.bursar, self.token.org);
        self.run(GiveContact { token: self.token.clone(), contact, code }).await?;
        self.look().await
    }

    /// Opens a sitting with the code. The document carries its secret.
    pub async fn code(&self, code: &str) -> Result<ClaimDocument, Refusal> {
        let sitting = NewSitting::draw(&self.bursar.vault, &mut self.bursar.entropy());
        let (secret, hash) = (sitting.secret.clone(), sitting.hash.clone());
        let offered_hash = hash_code(&self.bursar.vault, self.token.org, code);
        let checked = self.run(ProveContact { token: self.token.clone(), offered_hash, sitting }).await?;
        if let Some(refusal) = checked.refusal() {
            return Err(refusal);
        }
        let opened = Self { session_hash: Some(hash), ..self.clone() };
        Ok(ClaimDocument { session: Some(secret), ..opened.look().await? })
    }

    /// Says the payee's name.
    pub async fn profile(
        &self,
        first_name: String,
        last_name: String,
        email: Option<Email>,
    ) -> Result<ClaimDocument, Refusal> {
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        self.run(FillProfile { token, session_hash, first_name, last_name, email }).await?;
        self.look().await
    }

    /// Says where the money goes.
    pub async fn method(
        &self,
        chosen: MethodChosen,
        is_default: bool,
        auto_payout_enabled: Option<bool>,
    ) -> Result<ClaimDocument, Refusal> {
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        self.run(ChooseMethod { token, session_hash, chosen, is_default, auto_payout_enabled }).await?;
        self.look().await
    }

    /// Takes the money.
    pub async fn payout(&self, amount: Option<Cents>) -> Result<ClaimDocument, Refusal> {
        self.run(self.payout_command(amount)).await?;
        self.look().await
    }

    /// The command that takes the money, for those who run it under an idempotency key.
    pub fn payout_command(&self, amount: Option<Cents>) -> ClaimPayout {
        ClaimPayout { token: self.token.clone(), session_hash: self.session_hash.clone(), amount }
    }
}
