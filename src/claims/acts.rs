//! What a payee does, for the page and for the JSON twin alike: inputs in, the claim's
//! document out. Who holds the link needs no other credential; who goes on after the
//! code shows the sitting's secret.

use std::sync::Arc;

use super::document::{self, ClaimDocument, MethodOption};
use super::http::{NewMethodStep, SavedMethodStep};
use super::payout::ClaimPayout;
use super::quote::{self, ClaimQuote};
use super::sitting::{self, NewSitting};
use super::tax_form::GiveTaxForm;
use super::verbs::{ChooseMethod, Contact, FillProfile, GiveContact, MethodChosen, ProveContact, SendCodeAgain};
use crate::apps;
use crate::email::Email;
use crate::engine::Command;
use crate::http::Bursar;
use crate::money::Cents;
use crate::payout_links::{self, ClaimToken};
use crate::refusal::{Code, Refusal};
use crate::users::tax_form::first_verification;
use crate::users::verification::{Checked, NewCode, hash_code};
use crate::users::{NewMethod, TaxFormInput};

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

    /// Who sent the link, whatever became of it since.
    pub async fn sender(&self) -> Result<String, Refusal> {
        let token = self.token.clone();
        self.bursar
            .read(move |world| {
                let link = payout_links::by_token(world, &token)?;
                Ok(apps::find(world, link.scope())?.name.clone())
            })
            .await
    }

    /// The ways that are open to whoever sits there, also after one was chosen.
    pub async fn ways(&self) -> Result<Vec<MethodOption>, Refusal> {
        let (token, session) = (self.token.clone(), self.session_hash.clone());
        self.bursar
            .read(move |world| {
                let sitting = sitting::find(world, &token, session.as_deref())?;
                document::method_options(world, &sitting)
            })
            .await
    }

    /// What the payout would be: of this amount, or of all that is left.
    pub async fn quote(&self, amount: Option<Cents>) -> Result<ClaimQuote, Refusal> {
        let (token, session) = (self.token.clone(), self.session_hash.clone());
        self.bursar.read(move |world| quote::quote(world, &token, session.as_deref(), amount)).await
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

    /// Sends another code to where the last one went.
    pub async fn send_code_again(&self) -> Result<ClaimDocument, Refusal> {
        let code = NewCode::draw(&self.bursar, self.token.org);
        self.run(SendCodeAgain { token: self.token.clone(), code }).await?;
        self.look().await
    }

    /// Opens a sitting with the code. The document carries its secret.
    pub async fn code(&self, code: &str) -> Result<ClaimDocument, Refusal> {
        self.try_code(code).await?.map_err(|checked| {
            let bug = || Refusal::new(Code::InternalError, "A right code was refused.");
            checked.refusal().unwrap_or_else(bug)
        })
    }

    /// The same, for those who treat each kind of wrong code in its own way.
    pub async fn try_code(&self, code: &str) -> Result<Result<ClaimDocument, Checked>, Refusal> {
        let sitting = NewSitting::draw(&self.bursar.vault, &mut self.bursar.entropy());
        let (secret, hash) = (sitting.secret.clone(), sitting.hash.clone());
        let offered_hash = hash_code(&self.bursar.vault, self.token.org, code);
        let token = self.token.clone();
        let named =
            self.bursar.read(move |world| Ok(payout_links::by_token(world, &token)?.payee.0.full_name())).await?;
        let names = self.bursar.look_up(named.into_iter().collect()).await?;
        let checked = self.run(ProveContact { token: self.token.clone(), offered_hash, sitting, names }).await?;
        if checked != Checked::Right {
            return Ok(Err(checked));
        }
        let opened = Self { session_hash: Some(hash), ..self.clone() };
        Ok(Ok(ClaimDocument { session: Some(secret), ..opened.look().await? }))
    }

    /// Says the payee's name.
    pub async fn profile(
        &self,
        first_name: String,
        last_name: String,
        email: Option<Email>,
    ) -> Result<ClaimDocument, Refusal> {
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        let names = self.bursar.look_up(vec![format!("{first_name} {last_name}")]).await?;
        self.run(FillProfile { token, session_hash, first_name, last_name, email, names }).await?;
        self.look().await
    }

    /// Gives the tax form.
    pub async fn compliance(&self, form: TaxFormInput) -> Result<ClaimDocument, Refusal> {
        let form = form.checked(self.bursar.clock.now().date(), "").map_err(Refusal::fields)?;
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        // The form is sealed beside the payee's id, so the payee is found before the command runs.
        let (shown, session) = (token.clone(), session_hash.clone());
        let user = self.bursar.read(move |world| Ok(sitting::find(world, &shown, session.as_deref())?.user.id)).await?;
        let names = self.bursar.look_up(form.names()).await?;
        let form = form.sealed(&self.bursar.vault, user, &mut self.bursar.entropy());
        let verification = first_verification(self.bursar.environment);
        self.run(GiveTaxForm { token, session_hash, user, form, verification, names }).await?;
        self.look().await
    }

    /// Says that the money goes to a method that was set up before.
    pub async fn saved_method(&self, step: SavedMethodStep) -> Result<ClaimDocument, Refusal> {
        let chosen = MethodChosen::Saved(step.payout_method_id);
        self.method(chosen, step.is_default, step.auto_payout_enabled).await
    }

    /// Says where the money goes, to a method that is new.
    pub async fn new_method(&self, step: NewMethodStep) -> Result<ClaimDocument, Refusal> {
        let names = self.bursar.look_up(step.details.holder_name().map(str::to_owned).into_iter().collect()).await?;
        let details = step.details.sealed(&self.bursar.vault, self.bursar.entropy().bytes());
        let (is_default, auto_payout_enabled) = (step.is_default, step.auto_payout_enabled);
        let new = NewMethod { details, is_default, auto_payout_enabled, metadata: None, names: Some(names) };
        self.method(MethodChosen::New(Box::new(new)), is_default, auto_payout_enabled).await
    }

    async fn method(
        &self,
        chosen: MethodChosen,
        is_default: Option<bool>,
        auto_payout_enabled: Option<bool>,
    ) -> Result<ClaimDocument, Refusal> {
        let is_default = is_default.unwrap_or(false);
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        self.run(ChooseMethod { token, session_hash, chosen, is_default, auto_payout_enabled }).await?;
        self.look().await
    }

    /// Takes the money, if still as much is left as the payee saw.
    pub async fn payout(&self, amount: Cents, seen_left: Cents) -> Result<(), Refusal> {
        let seen_left = Some(seen_left);
        self.run(ClaimPayout { seen_left, ..self.payout_command(Some(amount)) }).await?;
        Ok(())
    }

    /// The command that takes the money, for those who run it under an idempotency key.
    pub fn payout_command(&self, amount: Option<Cents>) -> ClaimPayout {
        ClaimPayout { token: self.token.clone(), session_hash: self.session_hash.clone(), amount, seen_left: None }
    }
}
