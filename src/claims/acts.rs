//! The steps of a payee, for the page and the JSON routes: inputs in, the claim's document out. Steps up to the code
//! need only the link; later steps need the session's secret.

use std::sync::Arc;

use super::contact_change::{BeginContactChange, ConfirmContactChange};
use super::document::{self, ClaimDocument, MethodOption};
use super::end::EndSession;
use super::inputs::{ContactCodesStep, NewMethodStep, SavedMethodStep, SixDigits};
use super::language::{self, Speak};
use super::named_contact::SendNamedCode;
use super::payout::ClaimPayout;
use super::quote::{self, ClaimQuote};
use super::session::{self, NewSession};
use super::tax_form::GiveTaxForm;
use super::verbs::{ChooseMethod, Contact, FillProfile, GiveContact, MethodChosen, ProveContact, SendCodeAgain};
use crate::apps::{self, brand::Sender};
use crate::email::Email;
use crate::engine::Command;
use crate::language::Language;
use crate::messages::Channel;
use crate::money::Cents;
use crate::payout_links::{self, ClaimToken, RequestNewLink};
use crate::payout_methods::{self, Details, PayoutMethod};
use crate::phone::PhoneNumber;
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::taxes::{TaxFormInput, first_verification};
use crate::users::{self, NewMethod};
use crate::verification::{Checked, NewCode, hash_code};
use crate::world::World;

/// What a link's page shows in every state of the link.
#[derive(Clone, Debug)]
pub struct Offer {
    pub sender: Sender,
    /// Of the whole link.
    pub amount: Cents,
    /// Whether the payee has asked for a new link.
    pub is_requested_again: bool,
}

/// The ways of a payee to be paid.
#[derive(Clone, Debug)]
pub struct OpenWays {
    /// Without those whose fee takes the whole remaining amount.
    pub options: Vec<MethodOption>,
    /// The country of the payee's phone, if known.
    pub country: Option<String>,
    /// The remaining amount, if the fee of every open rail takes all of it.
    pub under_fees: Option<Cents>,
}

/// One payee at one link.
#[derive(Clone, Debug)]
pub struct Payee {
    bursar: Arc<Bursar>,
    token: ClaimToken,
    /// The path of the link's JSON, the prefix of the steps' paths.
    path: String,
    session_hash: Option<Vec<u8>>,
    /// Of the pages. Without one, as for JSON, texts are English and messages are in the payee's or the app's language.
    language: Option<Language>,
}

impl Payee {
    /// Returns the holder of this token, with the session of this secret, if any.
    ///
    /// # Errors
    ///
    /// `not-found` for a malformed token.
    pub fn new(bursar: &Arc<Bursar>, token: &str, session: Option<&str>) -> Result<Self, Refusal> {
        let parsed = ClaimToken::parse(&bursar.vault, token).ok_or_else(|| Refusal::not_found("payout link"))?;
        Ok(Self {
            bursar: bursar.clone(),
            token: parsed,
            path: format!("/v2/claims/{token}"),
            session_hash: session.map(|secret| session::hash(&bursar.vault, secret)),
            language: None,
        })
    }

    /// Sets the language of texts and messages.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language: Some(language), ..self }
    }

    /// Returns the language of the payee's last visit, and that of the app.
    pub async fn languages(&self) -> Result<(Option<Language>, Option<Language>), Refusal> {
        let token = self.token.clone();
        self.bursar.read(move |world| language::known(world, &token)).await
    }

    /// Stores the language that the payee chose, if a session is open. The page is shown in it in any case.
    pub async fn speak(&self, language: Option<Language>) {
        let Some(language) = language.filter(|_| self.session_hash.is_some()) else { return };
        let speak = Speak { token: self.token.clone(), session_hash: self.session_hash.clone(), language };
        if let Err(refusal) = self.run(speak).await {
            tracing::debug!(code = refusal.code.as_str(), "the language of a payee is not stored");
        }
    }

    fn new_code(&self) -> NewCode {
        NewCode::draw(&self.bursar, self.token.org).in_language(self.language)
    }

    pub fn token(&self) -> &ClaimToken {
        &self.token
    }

    pub fn session_hash(&self) -> Option<Vec<u8>> {
        self.session_hash.clone()
    }

    /// Refuses a payee without a live session, before anything is said about the body of a step.
    ///
    /// # Errors
    ///
    /// Those of a session's look-up, such as `unauthorized`.
    pub async fn must_have_session(&self) -> Result<(), Refusal> {
        let (token, session) = (self.token.clone(), self.session_hash.clone());
        self.bursar.read(move |world| session::find(world, &token, session.as_deref()).map(drop)).await
    }

    /// Returns the state of the claim.
    pub async fn fetch(&self) -> Result<ClaimDocument, Refusal> {
        let (token, session, path) = (self.token.clone(), self.session_hash.clone(), self.path.clone());
        let language = self.language.unwrap_or_default();
        self.bursar.read(move |world| document::document(world, &token, session.as_deref(), &path, language)).await
    }

    /// Returns the sender and the amount, in every state of the link.
    pub async fn offer(&self) -> Result<Offer, Refusal> {
        let token = self.token.clone();
        self.bursar
            .read(move |world| {
                let link = payout_links::by_token(world, &token)?;
                let sender = Sender::from(&*apps::find(world, link.scope())?);
                Ok(Offer { sender, amount: link.amount, is_requested_again: link.new_link_requested_at.is_some() })
            })
            .await
    }

    /// Returns the open methods, even if one is already chosen.
    pub async fn ways(&self) -> Result<OpenWays, Refusal> {
        let (token, session) = (self.token.clone(), self.session_hash.clone());
        let language = self.language.unwrap_or_default();
        self.bursar
            .read(move |world| {
                let active = session::find(world, &token, session.as_deref())?;
                let phone = users::reached(world, active.link.scope(), &active.user)?.phone_e164;
                let phone = phone.and_then(|phone| PhoneNumber::parse_e164(&phone).ok());
                let options = document::method_options(world, &active, language)?;
                let is_open = !users::open_rails(world, active.link.scope(), &active.user)?.is_empty();
                let under_fees = (is_open && options.is_empty()).then(|| active.link.remaining());
                Ok(OpenWays { options, country: phone.and_then(|phone| phone.country()), under_fees })
            })
            .await
    }

    /// Returns the payee's name as the sender gave it, and the payee's own e-mail address, for the session's holder only.
    pub async fn named(&self) -> Result<[Option<String>; 3], Refusal> {
        let (token, session) = (self.token.clone(), self.session_hash.clone());
        self.bursar
            .read(move |world| {
                let active = session::find(world, &token, session.as_deref())?;
                let payee = &active.link.payee.0;
                let email = active.user.email.clone().filter(|_| !active.session.is_guest);
                Ok([payee.first_name.clone(), payee.last_name.clone(), email])
            })
            .await
    }

    /// Returns the quote of a payout of this amount, or of the whole remaining amount.
    pub async fn quote(&self, amount: Option<Cents>) -> Result<ClaimQuote, Refusal> {
        let (token, session) = (self.token.clone(), self.session_hash.clone());
        let language = self.language.unwrap_or_default();
        self.bursar.read(move |world| quote::quote(world, &token, session.as_deref(), amount, language)).await
    }

    async fn run<C: Command>(&self, command: C) -> Result<C::Reply, Refusal> {
        self.bursar.engine.run(self.token.org, command).await
    }

    /// Returns the command that sends a code to a phone or an address. Each step has its command, for callers with an
    /// idempotency key.
    pub fn contact_command(&self, contact: Contact) -> GiveContact {
        GiveContact { token: self.token.clone(), contact, code: self.new_code() }
    }

    pub async fn contact(&self, contact: Contact) -> Result<ClaimDocument, Refusal> {
        self.run(self.contact_command(contact)).await?;
        self.fetch().await
    }

    /// Sends a code to the phone or the address that the link names.
    pub async fn send_named_code(&self, channel: Channel) -> Result<(), Refusal> {
        let code = self.new_code();
        self.run(SendNamedCode { token: self.token.clone(), channel, code }).await
    }

    /// Sends another code to the contact of the last one.
    pub async fn send_code_again(&self) -> Result<ClaimDocument, Refusal> {
        let code = self.new_code();
        self.run(SendCodeAgain { token: self.token.clone(), code }).await?;
        self.fetch().await
    }

    pub async fn code_command(&self, code: &str) -> Result<ProveContact, Refusal> {
        let new_session = NewSession::draw(&self.bursar.vault, &mut self.bursar.entropy());
        let offered_hash = hash_code(&self.bursar.vault, self.token.org, code);
        let token = self.token.clone();
        let named =
            self.bursar.read(move |world| Ok(payout_links::by_token(world, &token)?.payee.0.full_name())).await?;
        let names = self.bursar.look_up(named.into_iter().collect()).await?;
        Ok(ProveContact { token: self.token.clone(), offered_hash, new_session, names, language: self.language })
    }

    /// Returns the claim in the session that a code has just opened, with the session's secret.
    pub async fn opened(&self, new_session: &NewSession) -> Result<ClaimDocument, Refusal> {
        let opened = Self { session_hash: Some(new_session.hash.clone()), ..self.clone() };
        Ok(ClaimDocument { session: Some(new_session.secret.clone()), ..opened.fetch().await? })
    }

    /// Opens a session with the code, for callers that handle each kind of wrong code.
    pub async fn try_code(&self, code: &str) -> Result<Result<ClaimDocument, Checked>, Refusal> {
        let command = self.code_command(code).await?;
        let new_session = command.new_session.clone();
        let checked = self.run(command).await?;
        if checked != Checked::Right {
            return Ok(Err(checked));
        }
        Ok(Ok(self.opened(&new_session).await?))
    }

    pub async fn profile_command(
        &self,
        first_name: String,
        last_name: String,
        email: Option<Email>,
    ) -> Result<FillProfile, Refusal> {
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        let names = self.bursar.look_up(vec![format!("{first_name} {last_name}")]).await?;
        Ok(FillProfile { token, session_hash, first_name, last_name, email, names })
    }

    pub async fn profile(
        &self,
        first_name: String,
        last_name: String,
        email: Option<Email>,
    ) -> Result<ClaimDocument, Refusal> {
        self.run(self.profile_command(first_name, last_name, email).await?).await?;
        self.fetch().await
    }

    pub async fn compliance_command(&self, form: TaxFormInput) -> Result<GiveTaxForm, Refusal> {
        let form = form.checked(self.bursar.clock.now().date(), "").map_err(Refusal::fields)?;
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        // The form is sealed with the payee's id, which must be known before the command runs.
        let (shown, session) = (token.clone(), session_hash.clone());
        let user = self.bursar.read(move |world| Ok(session::find(world, &shown, session.as_deref())?.user.id)).await?;
        let names = self.bursar.look_up(form.names()).await?;
        let form = form.sealed(&self.bursar.vault, self.token.org, user, &mut self.bursar.entropy());
        let verification = first_verification(self.bursar.environment);
        Ok(GiveTaxForm { token, session_hash, user, form, verification, names })
    }

    pub async fn compliance(&self, form: TaxFormInput) -> Result<ClaimDocument, Refusal> {
        self.run(self.compliance_command(form).await?).await?;
        self.fetch().await
    }

    /// Returns the command that chooses a saved method. A method of another app's claim is sealed again, because a
    /// method's details are sealed for one row.
    pub async fn saved_method_command(&self, step: &SavedMethodStep) -> Result<ChooseMethod, Refusal> {
        let (token, session, id) = (self.token.clone(), self.session_hash.clone(), step.payout_method_id);
        let others = move |world: &mut World| {
            let active = session::find(world, &token, session.as_deref())?;
            let method = payout_methods::paid_to(world, token.org, active.user.id, id)?;
            Ok(Some(method).filter(|method| method.app != active.link.app && method.in_use))
        };
        // The command refuses in the same cases, with the idempotency key.
        let copy = match self.bursar.read(others).await.ok().flatten() {
            Some(method) => Some(Box::new(self.sealed_again(&method).await?)),
            None => None,
        };
        let chosen = MethodChosen::Saved { id, copy };
        Ok(self.method_command(chosen, step.is_default, step.auto_payout_enabled))
    }

    async fn sealed_again(&self, method: &PayoutMethod) -> Result<NewMethod, Refusal> {
        let damaged = |_| {
            Refusal::new(
                Code::InternalError,
                "The sealed details of a payout method cannot be \
                                                             decrypted.",
            )
        };
        let details = Details::open(method, &self.bursar.vault).map_err(damaged)?;
        let names = self.bursar.look_up(details.holder_name().map(str::to_owned).into_iter().collect()).await?;
        let details = details.sealed(&self.bursar.vault, self.bursar.entropy().bytes());
        Ok(NewMethod { details, is_default: None, auto_payout_enabled: None, metadata: None, names: Some(names) })
    }

    pub async fn new_method_command(&self, step: NewMethodStep) -> Result<ChooseMethod, Refusal> {
        let names = self.bursar.look_up(step.details.holder_name().map(str::to_owned).into_iter().collect()).await?;
        let details = step.details.sealed(&self.bursar.vault, self.bursar.entropy().bytes());
        let (is_default, auto_payout_enabled) = (step.is_default, step.auto_payout_enabled);
        let new = NewMethod { details, is_default, auto_payout_enabled, metadata: None, names: Some(names) };
        Ok(self.method_command(MethodChosen::New(Box::new(new)), is_default, auto_payout_enabled))
    }

    fn method_command(
        &self,
        chosen: MethodChosen,
        is_default: Option<bool>,
        auto_payout_enabled: Option<bool>,
    ) -> ChooseMethod {
        let is_default = is_default.unwrap_or(false);
        let (token, session_hash) = (self.token.clone(), self.session_hash.clone());
        ChooseMethod { token, session_hash, chosen, is_default, auto_payout_enabled }
    }

    pub async fn saved_method(&self, step: SavedMethodStep) -> Result<ClaimDocument, Refusal> {
        self.run(self.saved_method_command(&step).await?).await?;
        self.fetch().await
    }

    pub async fn new_method(&self, step: NewMethodStep) -> Result<ClaimDocument, Refusal> {
        self.run(self.new_method_command(step).await?).await?;
        self.fetch().await
    }

    /// Pays out the amount, if the remaining amount is the one that the payee saw.
    pub async fn payout(&self, amount: Cents, seen_left: Cents) -> Result<(), Refusal> {
        let seen_left = Some(seen_left);
        self.run(ClaimPayout { seen_left, ..self.payout_command(Some(amount)) }).await?.map(|_| ())
    }

    pub fn contact_change_command(&self, new: Contact) -> BeginContactChange {
        let codes = [(), ()].map(|()| self.new_code());
        BeginContactChange { token: self.token.clone(), session_hash: self.session_hash.clone(), new, codes }
    }

    /// Sends a code to the present contact and one to the new.
    pub async fn change_contact(&self, new: Contact) -> Result<(), Refusal> {
        self.run(self.contact_change_command(new)).await
    }

    pub fn confirm_contact_command(&self, codes: &ContactCodesStep) -> ConfirmContactChange {
        let hash = |code: &SixDigits| hash_code(&self.bursar.vault, self.token.org, &code.0);
        let offered = [hash(&codes.present_token), hash(&codes.new_token)];
        ConfirmContactChange { token: self.token.clone(), session_hash: self.session_hash.clone(), offered }
    }

    /// Confirms the change with both codes, for callers that handle each kind of wrong code.
    pub async fn confirm_contact(&self, codes: &ContactCodesStep) -> Result<Result<(), [Checked; 2]>, Refusal> {
        self.run(self.confirm_contact_command(codes)).await
    }

    pub fn new_link_command(&self) -> RequestNewLink {
        RequestNewLink { token: self.token.clone() }
    }

    /// Asks the sender of an expired link for a new one.
    pub async fn request_new_link(&self) -> Result<(), Refusal> {
        self.run(self.new_link_command()).await
    }

    pub fn end_command(&self) -> EndSession {
        EndSession { token: self.token.clone(), session_hash: self.session_hash.clone() }
    }

    pub async fn end(&self) -> Result<(), Refusal> {
        self.run(self.end_command()).await
    }

    pub fn payout_command(&self, amount: Option<Cents>) -> ClaimPayout {
        ClaimPayout { token: self.token.clone(), session_hash: self.session_hash.clone(), amount, seen_left: None }
    }
}
