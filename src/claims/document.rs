//! A claim as JSON (docs/decisions.md 16, "Claims as JSON"): its state and its next step.

use serde::Serialize;
use utoipa::ToSchema;

use super::contact_change::{self, PendingContactChange};
use super::model::ClaimContact;
use super::named_contact::{NamedContacts, named_contacts};
use super::progress::{chosen, progress};
use super::session::{self, ActiveSession, Ended};
use super::steps::{self, StepName};
use super::verbs::code_context;
use crate::apps::{self, brand::Sender};
use crate::banking::routes;
use crate::clock::Time;
use crate::fees::BOOK_CURRENCY;
use crate::ids::{PayoutMethodId, TransferId};
use crate::language::{Language, Text};
use crate::money::Cents;
use crate::payout_links::{self, ClaimToken, LinkStatus, PayoutLink, rules};
use crate::payout_methods::{self, FieldSpec};
use crate::payouts::{self, FeeRequest, Way, quote};
use crate::platform::Platform;
use crate::transfers::{Transfer, TransferStatus};
use crate::users::{self, User, UserStatus};
use crate::verification;
use crate::world::record::{key, words};
use crate::world::{Halt, World};

/// The state of a claim and its next step.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClaimDocument {
    /// The link's status.
    #[schema(value_type = LinkStatus)]
    pub status: &'static str,
    /// The amount in cents. Never changes.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Cents that are not paid out yet.
    #[schema(value_type = i64)]
    pub remaining_amount: Cents,
    /// USD.
    pub currency: &'static str,
    /// The app that pays.
    pub app: ClaimApp,
    /// The payee, masked: the link alone reveals no number and no address.
    pub payee: MaskedPayee,
    /// The sender's memo.
    #[schema(required)]
    pub memo: Option<String>,
    /// The sender's message to the payee.
    #[schema(required)]
    pub message: Option<String>,
    /// When the link expires.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Time,
    /// Why nothing can be paid out now although all steps are done, in words for the payee; null if nothing prevents
    /// it.
    #[schema(required)]
    pub on_hold: Option<&'static str>,
    /// The steps of this claim, in order.
    pub steps: Vec<StepName>,
    /// The completed steps.
    pub completed_steps: Vec<StepName>,
    /// The masked contact whose code is awaited; null if none is.
    #[schema(required)]
    pub code_sent_to: Option<String>,
    /// How many attempts that code has left, for the pages.
    #[serde(skip)]
    pub code_tries_left: Option<i64>,
    /// Why the session that was sent has ended, for the pages.
    #[serde(skip)]
    pub ended: Option<Ended>,
    /// Whether this session may only send the money of this payout, and change no default method, automatic payouts or
    /// name of the payee. True if a known payee opened a link that names no payee, and after everything is paid.
    pub only_this_payout: bool,
    /// Whether this session may change the payee's phone number or e-mail address, with a code on both sides.
    pub may_change_contact: bool,
    /// The change of a phone number or e-mail address that waits for its codes, or null.
    #[schema(required)]
    pub contact_change: Option<PendingContactChange>,
    /// The next step; null when no step is left.
    #[schema(required)]
    pub next_step: Option<NextStep>,
    /// The newest payout of this link.
    #[schema(required)]
    pub transfer: Option<ClaimTransfer>,
    /// The secret of the claim session; send it as the header Claim-Session. Only in the response to the code.
    #[schema(required)]
    pub session: Option<String>,
}

/// The app that pays.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClaimApp {
    /// The app's name.
    pub name: String,
    /// The app, for the pages.
    #[serde(skip)]
    pub sender: Sender,
    /// The countries to whose phones the app sends messages, for the pages.
    #[serde(skip)]
    pub texts_to: Vec<String>,
}

/// The payee, as far as the link reveals it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MaskedPayee {
    /// The payee's first name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// The phone's country calling code, digits.
    #[schema(required)]
    pub country_code: Option<String>,
    /// The end of the phone number.
    #[schema(required)]
    pub phone_number: Option<String>,
    /// The address, its middle hidden.
    #[schema(required)]
    pub email: Option<String>,
}

/// The next step of a claim.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NextStep {
    /// The name of the step.
    pub name: StepName,
    /// The path to which its fields are sent by POST.
    pub path: String,
    /// The fields of the step.
    pub fields: Vec<StepField>,
    /// For the step method: the open methods, with their fees and fields. For the step payout: the chosen method, with
    /// its fee for the whole remaining amount.
    pub options: Vec<MethodOption>,
}

words! {
    /// The JSON type of a field of a step.
    pub enum FieldType {
        Text = "string",
        Number = "integer",
        Flag = "boolean",
        Form = "object",
    }
}

/// A field of a step.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StepField {
    /// The name of the field.
    pub name: String,
    /// The JSON type.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Whether the field is required.
    pub required: bool,
    /// The allowed words, if the field has a fixed set.
    pub choices: Vec<String>,
}

/// A way to be paid.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MethodOption {
    /// The rail.
    #[schema(value_type = Platform)]
    pub platform: &'static str,
    /// The display name of the rail.
    pub name: &'static str,
    /// The payee's saved method, if the option is one.
    #[schema(required)]
    pub payout_method_id: Option<PayoutMethodId>,
    /// The saved method's description and the end of its number.
    #[schema(required)]
    pub description: Option<String>,
    /// The payee's fee for the whole remaining amount, in cents.
    #[schema(value_type = i64)]
    pub fee_amount: Cents,
    /// The amount that arrives, in cents.
    #[schema(value_type = i64)]
    pub payout_amount: Cents,
    /// When the money arrives.
    pub arrival: &'static str,
    /// When the money arrives if it is paid out now. For the pages only: a replay of a step has the same bytes.
    #[serde(skip)]
    pub arrives_at: Time,
    /// The fields of the method's details; empty for a saved method.
    pub fields: Vec<StepField>,
}

/// A payout of a link, as its payee sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClaimTransfer {
    /// The id of the transfer.
    pub id: TransferId,
    /// The payout's status. A flagged payout waits for the sender's approval.
    #[schema(value_type = TransferStatus)]
    pub status: &'static str,
    /// Cents that left the wallet.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Cents that arrive.
    #[schema(value_type = i64)]
    pub payout_amount: Cents,
    /// The payee's fee in cents.
    #[schema(value_type = i64)]
    pub fee_amount: Cents,
    /// The rail.
    #[schema(required, value_type = Option<Platform>)]
    pub platform: Option<&'static str>,
    /// The destination, in the payee's session only; null with the link alone.
    #[schema(required)]
    pub destination: Option<String>,
    /// When the money arrived.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub completed_at: Option<Time>,
    /// When the money is expected to arrive.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub arrives_at: Option<Time>,
    /// Why the payout failed.
    #[schema(required)]
    pub error: Option<&'static str>,
    /// The error in words.
    #[schema(required)]
    pub error_message: Option<&'static str>,
}

/// Returns the claim behind a token, with the details that the session may see.
pub(super) fn document(
    world: &mut World,
    token: &ClaimToken,
    session_hash: Option<&[u8]>,
    path: &str,
    language: Language,
) -> Result<ClaimDocument, Halt> {
    let link = payout_links::by_token(world, token)?;
    rules::may_open(&link, world.now())?;
    let payee = masked(world, &link)?;
    // Without a session, the document has what any holder of the link may see.
    let active = world.attempt(|world| session::find(world, token, session_hash))?.ok();
    let ended = match &active {
        Some(_) => None,
        None => session::ended(world, &link, session_hash)?,
    };
    let (code_sent_to, code_tries_left) = awaited_code(world, &link)?.unzip();
    let progress = progress(world, &link, active.as_ref(), code_sent_to.is_some())?;
    let on_hold = active.as_ref().and_then(|active| on_hold(&link, &active.user)).map(|text| language.text(text));
    let next_step = match steps::next(progress) {
        Some(StepName::Payout) if on_hold.is_some() => None,
        Some(step) => Some(next_step(world, active.as_ref(), &payee, (step, path), language)?),
        None => None,
    };
    let transfer = match newest_payout(world, &link)? {
        Some(transfer) => Some(claim_transfer(world, &transfer, active.as_ref(), language)?),
        None => None,
    };
    let contact_change = match &active {
        Some(active) => contact_change::pending(world, active)?,
        None => None,
    };
    let app = apps::find(world, link.scope())?;
    Ok(ClaimDocument {
        status: link.status.as_str(),
        amount: link.amount,
        remaining_amount: link.remaining(),
        currency: "USD",
        app: ClaimApp {
            name: app.name.clone(),
            sender: Sender::from(&*app),
            texts_to: app.settings.0.phone_countries(),
        },
        payee,
        memo: link.memo.clone(),
        message: link.message.clone().filter(|message| crate::text::check_message(message).is_ok()),
        expires_at: link.expires_at,
        on_hold,
        steps: steps::all(progress),
        completed_steps: steps::all(progress).into_iter().filter(|step| steps::is_done(progress, *step)).collect(),
        code_sent_to,
        code_tries_left,
        ended,
        only_this_payout: active.as_ref().is_some_and(|active| !active.may_change_payee()),
        may_change_contact: active.as_ref().is_some_and(contact_change::is_allowed),
        contact_change,
        next_step,
        transfer,
        session: None,
    })
}

/// Returns the masked contact whose code is awaited, and the code's attempts. After a used, expired or locked code, the
/// payee gives the contact again.
fn awaited_code(world: &mut World, link: &PayoutLink) -> Result<Option<(String, i64)>, Halt> {
    let Some(contact) = world.get::<ClaimContact>(key![link.org, link.id])? else { return Ok(None) };
    let tries_left = verification::tries_left(world, link.org, &contact.recipient, code_context(link))?;
    Ok(tries_left.map(|tries_left| (verification::masked(&contact.recipient), tries_left)))
}

/// Returns the reason for a payee who must wait, without any detail of a review.
fn on_hold(link: &PayoutLink, user: &User) -> Option<Text> {
    match user.status {
        UserStatus::Unverified | UserStatus::Verified if link.status == LinkStatus::FundsPending => {
            Some(Text::HoldFunds)
        }
        UserStatus::Unverified | UserStatus::Verified => None,
        UserStatus::InReview => Some(Text::HoldReview),
        UserStatus::Disabled => Some(Text::HoldDisabled),
    }
}

/// Returns the payee of a link; for a user, the user's current contacts.
fn masked(world: &mut World, link: &PayoutLink) -> Result<MaskedPayee, Halt> {
    let NamedContacts { phone, email } = named_contacts(world, link)?;
    Ok(MaskedPayee {
        first_name: link.payee.0.first_name.clone(),
        country_code: phone.as_ref().map(|phone| phone.country_code().to_owned()),
        phone_number: phone.map(|phone| phone.masked()),
        email: email.map(|email| email.masked()),
    })
}

pub(super) fn newest_payout(world: &mut World, link: &PayoutLink) -> Result<Option<std::sync::Arc<Transfer>>, Halt> {
    match link.newest_payout {
        Some(payout) => world.get::<Transfer>(key![link.org, payout]),
        None => Ok(None),
    }
}

fn claim_transfer(
    world: &mut World,
    transfer: &Transfer,
    active: Option<&ActiveSession>,
    language: Language,
) -> Result<ClaimTransfer, Halt> {
    let destination = match (transfer.payout_method, active) {
        (Some(method), Some(active)) => {
            Some(payout_methods::paid_to(world, transfer.org, active.user.id, method)?.distinguished(language))
        }
        (Some(_) | None, _) => None,
    };
    Ok(ClaimTransfer {
        id: transfer.id,
        status: transfer.status.as_str(),
        amount: transfer.amount,
        payout_amount: transfer.arrives,
        fee_amount: transfer.amount.checked_sub(transfer.arrives).unwrap_or(Cents::ZERO),
        platform: transfer.platform.map(|platform| platform.as_str()),
        destination,
        completed_at: transfer.completed_at,
        arrives_at: transfer.settles_at.or(transfer.held_until),
        error: transfer.error.map(|error| error.as_str()),
        error_message: transfer.error.map(|error| error.failure().message),
    })
}

fn next_step(
    world: &mut World,
    active: Option<&ActiveSession>,
    payee: &MaskedPayee,
    (step, path): (StepName, &str),
    language: Language,
) -> Result<NextStep, Halt> {
    let field = |name: &str, kind, required| StepField { name: name.to_owned(), kind, required, choices: Vec::new() };
    let mut options = Vec::new();
    let fields = match step {
        StepName::Contact => {
            // If the link names only one of the two, the other is refused.
            let names_either_or_none = payee.phone_number.is_some() == payee.email.is_some();
            let phone = ["country_code", "phone_number"].map(|name| field(name, FieldType::Text, false));
            let by_phone = phone.into_iter().filter(|_| payee.phone_number.is_some() || names_either_or_none);
            let by_email =
                (payee.email.is_some() || names_either_or_none).then(|| field("email", FieldType::Text, false));
            by_phone.chain(by_email).collect()
        }
        StepName::Code => vec![field("token", FieldType::Text, true)],
        StepName::Profile => vec![
            field("first_name", FieldType::Text, true),
            field("last_name", FieldType::Text, true),
            field("email", FieldType::Text, false),
        ],
        StepName::Compliance => vec![field("w9", FieldType::Form, false), field("w8ben", FieldType::Form, false)],
        StepName::Method => {
            if let Some(active) = active {
                options = method_options(world, active, language)?;
            }
            let may_prefer = active.is_some_and(ActiveSession::may_change_payee);
            let preferences = ["is_default", "auto_payout_enabled"].into_iter().filter(|_| may_prefer);
            let preferences = preferences.map(|name| field(name, FieldType::Flag, false));
            let mut platforms: Vec<String> = options.iter().map(|option| option.platform.to_owned()).collect();
            platforms.dedup();
            vec![
                StepField { choices: platforms, ..field("platform", FieldType::Text, false) },
                field("payout_method_id", FieldType::Text, false),
            ]
            .into_iter()
            .chain(preferences)
            .collect()
        }
        StepName::Payout => {
            if let Some(active) = active
                && let Ok(method) = world.attempt(|world| chosen(world, active))?
            {
                let saved = (Some(method.id), Some(method.distinguished(language)));
                options.extend(option(world, active, &Way::to(&method), active.link.remaining(), saved)?);
            }
            vec![field("amount", FieldType::Number, false)]
        }
    };
    Ok(NextStep { name: step, path: format!("{path}/{step}"), fields, options })
}

/// Returns the open methods: saved methods first, then the rails, each priced for the whole remaining amount.
pub(super) fn method_options(
    world: &mut World,
    active: &ActiveSession,
    language: Language,
) -> Result<Vec<MethodOption>, Halt> {
    let (link, user) = (&active.link, &active.user);
    let left = link.remaining();
    let open = users::open_rails(world, link.scope(), user)?;
    let mut options = Vec::new();
    let chosen = active.session.payout_method;
    for method in payout_methods::offered(world, link.scope(), user.id, chosen)? {
        let is_shown = !active.session.is_guest || chosen == Some(method.id);
        if is_shown && open.contains(&method.platform) {
            let saved = (Some(method.id), Some(method.distinguished(language)));
            options.extend(option(world, active, &Way::to(&method), left, saved)?);
        }
    }
    for platform in open {
        options.extend(option(world, active, &Way::by(platform), left, (None, None))?);
    }
    Ok(options)
}

/// Returns an option, unless its fee exceeds the amount.
fn option(
    world: &mut World,
    active: &ActiveSession,
    way: &Way,
    left: Cents,
    (payout_method_id, description): (Option<PayoutMethodId>, Option<String>),
) -> Result<Option<MethodOption>, Halt> {
    let fees = FeeRequest { party: active.link.fee_party, override_: None };
    let Ok(quoted) = world.attempt(|world| quote(world, active.link.scope(), way, left, fees))? else {
        return Ok(None);
    };
    let fields = if payout_method_id.is_some() { &[] } else { payout_methods::fields_of(way.platform) };
    let asks = routes::wants_address(world, active.link.scope(), way.platform, BOOK_CURRENCY)?;
    let prices = &quoted.prices;
    let scope = active.link.scope();
    let arrives_at = payouts::arrives_at(world, scope, prices.platform, quoted.charged.payout_amount)?;
    Ok(Some(MethodOption {
        platform: prices.platform.as_str(),
        name: prices.platform.display_name(),
        payout_method_id,
        description,
        fee_amount: quoted.charged.user_fee,
        payout_amount: quoted.charged.payout_amount,
        arrival: prices.terms.arrival.text,
        arrives_at,
        fields: fields.iter().filter_map(|spec| asked_field(spec, asks)).collect(),
    }))
}

/// Returns a field of a rail. The payee's address is asked for only where a bank needs it.
fn asked_field(spec: &FieldSpec, asks_address: bool) -> Option<StepField> {
    let is_residence = matches!(spec.name, "town" | "address_country");
    let asked = StepField { required: spec.required || is_residence, ..step_field(spec) };
    (asks_address || !is_residence).then_some(asked)
}

fn step_field(spec: &FieldSpec) -> StepField {
    let choices = spec.choices.iter().map(|choice| (*choice).to_owned()).collect();
    StepField { name: spec.name.to_owned(), kind: FieldType::Text, required: spec.required, choices }
}
