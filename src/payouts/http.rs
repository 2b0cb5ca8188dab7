//! The routes of payouts.

use serde_json::json;

use super::approve::ApprovePayout;
use super::cancel::CancelPayout;
use super::choose::RailRequest;
use super::create::CreatePayout;
use super::estimate::{EstimateJson, EstimateRequest, estimate as estimated};
use super::quote::FeeRequest;
use super::send::{SendPayout, name_to_look_up};
use crate::acting::Named;
use crate::fees::{BOOK_CURRENCY, Party, Schedule};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{MemberId, PayoutMethodId, UserId};
use crate::input::types::{Amount, Integer, Metadata, NoFields};
use crate::input::{Input, Problems, input, text, wrong};
use crate::money::{Cents, Percent};
use crate::payout_links::{self, NewLink, NewPayoutLink, NewToken, PayoutLinkJson};
use crate::payout_methods::{Details, SealedDetails, Target};
use crate::permission::Permission;
use crate::platform::Platform;
use crate::refusal::{Code, FieldError, Refusal};
use crate::strict_json::Json;
use crate::transfers::TransferJson;

/// A fee in cents, from zero.
type Fee = Integer<0, { Cents::AMOUNT_MAX.get() }>;

impl RailRequest {
    /// Returns the words of docs/specification.md, table 9.
    fn words() -> Vec<&'static str> {
        Platform::ALL.map(Platform::as_str).into_iter().chain(["default"]).collect()
    }
}

impl Input for RailRequest {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        match text(json, at)? {
            "default" => Ok(Self::Default),
            "rtp" => Err(wrong(
                at,
                "rtp cannot be requested; send ach, which uses rtp if the account and the amount allow it",
            )),
            "invoice" => Err(wrong(at, "invoice is not supported; send ach or another rail")),
            word => match Platform::parse_requested(word) {
                Ok(platform) => Ok(Self::Rail(platform)),
                Err(_) => Err(wrong(at, format!("must be one of: {}", Self::words().join(", ")))),
            },
        }
    }
    fn schema() -> serde_json::Value {
        json!({"title": "EstimatePlatform", "type": "string", "enum": Self::words()})
    }
}

input! {
    /// The payout to estimate.
    pub struct EstimateQuery {
        /// The user to pay.
        pub user_id: UserId,
        /// Cents; if missing, only the schedules are returned.
        pub amount: Option<Amount>,
        /// The rail; `default` is the rail of the user's default payout method. Use ach to allow rtp.
        pub platform: RailRequest,
        /// The account or card, for ach, intl_bank and push_to_card; the user's most recent one if missing.
        pub account_id: Option<PayoutMethodId>,
        /// The party that pays the fees; the app's default if missing.
        pub payout_fee_party: Option<Party>,
        /// The app's own fee, in cents, instead of its fee table; requires payout_fee_percent.
        pub payout_fee_fixed: Option<Fee>,
        /// The app's own fee as a decimal fraction below 1, such as 0.05 or .05; requires payout_fee_fixed.
        pub payout_fee_percent: Option<Percent>,
        /// Whether to explain the fees.
        pub explain: Option<bool>,
    }
}

input! {
    /// The fields of a new payout.
    pub struct NewPayout {
        /// The user to pay.
        pub user_id: UserId,
        /// Cents that leave the user's wallet, including the fees that the user pays.
        pub amount: Amount,
        /// The rail; `default` is the rail of the user's default payout method. Use ach to allow rtp.
        pub platform: RailRequest,
        /// The account or card, for ach, intl_bank and push_to_card; the user's most recent one if missing.
        pub account_id: Option<PayoutMethodId>,
        /// Whether the app fills the user's wallet first; money that does not arrive goes back to the app.
        pub fund: Option<bool>,
        /// Exclude the payout from tax reports.
        pub tax_exempt: Option<bool>,
        /// The party that pays the fees; the app's default if missing.
        pub payout_fee_party: Option<Party>,
        /// The app's own fee, in cents, instead of its fee table; requires payout_fee_percent.
        pub payout_fee_fixed: Option<Fee>,
        /// The app's own fee as a decimal fraction below 1, such as 0.05 or .05; requires payout_fee_fixed.
        pub payout_fee_percent: Option<Percent>,
        /// A note, returned unchanged.
        pub metadata: Option<Metadata>,
    }
}

input! {
    /// The approval of a payout.
    pub struct Approval {
        /// The member: an admin or a payer.
        pub acting_user_id: MemberId,
    }
}

/// Returns the fee options of a request; fixed and percent require each other. Fields are named as in a body.
fn fees_asked(party: Option<Party>, fixed: Option<Fee>, percent: Option<Percent>) -> Result<FeeRequest, Refusal> {
    let together = |missing: &str, given: &str| {
        Refusal::field(Code::InvalidInput, missing, format!("is required with {given}; send both or neither"))
    };
    let override_ = match (fixed, percent) {
        (None, None) => None,
        (Some(fixed), Some(percent)) => Some(Schedule { fixed: Cents::new(fixed.0), percent, ..Schedule::FREE }),
        (Some(_), None) => return Err(together("/payout_fee_percent", "payout_fee_fixed")),
        (None, Some(_)) => return Err(together("/payout_fee_fixed", "payout_fee_percent")),
    };
    Ok(FeeRequest { party, override_ })
}

/// Renames the fields of a refusal for a query: `amount` instead of `/amount`.
fn as_parameters(refusal: Refusal) -> Refusal {
    let Some(word) = refusal.errors.first().map(|error| error.field.clone()) else { return refusal };
    let as_parameter = |field: &str| field.trim_start_matches('/').to_owned();
    // The message of a single field begins with the field's name.
    let message = refusal.message.strip_prefix(&word).map(|rest| format!("{}{rest}", as_parameter(&word)));
    let errors = refusal.errors.into_iter();
    let errors = errors.map(|error| FieldError { field: as_parameter(&error.field), ..error }).collect();
    Refusal { message: message.unwrap_or(refusal.message), errors, ..refusal }
}

/// GET /v2/payouts/fee-estimate
pub async fn estimate(call: Call) -> Outcome {
    let scope = call.scope()?;
    let query: EstimateQuery = call.query()?;
    let fees = fees_asked(query.payout_fee_party, query.payout_fee_fixed, query.payout_fee_percent);
    let asked = EstimateRequest {
        user: query.user_id,
        amount: query.amount.map(|amount| amount.0),
        rail: query.platform,
        account: query.account_id,
        fees: fees.map_err(as_parameters)?,
        explain: query.explain.unwrap_or(false),
    };
    let estimate = call.read(move |world| estimated(world, scope, &asked)).await;
    Ok(Answer::ok(&estimate.map_err(as_parameters)?))
}

/// POST /v2/payouts
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = call.body::<NewPayout>().and_then(|new| {
        Ok(CreatePayout {
            scope,
            environment: call.bursar.environment,
            user: new.user_id,
            amount: new.amount.0,
            rail: new.platform,
            account: new.account_id,
            card: card(&call, new.platform),
            fees: fees_asked(new.payout_fee_party, new.payout_fee_fixed, new.payout_fee_percent)?,
            fund: new.fund.unwrap_or(false),
            tax_exempt: new.tax_exempt.unwrap_or(false),
            metadata: new.metadata.map(|metadata| metadata.0),
        })
    });
    call.once(command, Answer::created).await
}

/// Returns a sealed card without details for card rails, on which every user has one.
fn card(call: &Call, rail: RailRequest) -> Option<SealedDetails> {
    match rail {
        RailRequest::Rail(platform) if platform.pays_whole_dollars() => {
            let details = Details { platform, target: Target::Nothing, currency: BOOK_CURRENCY.to_owned() };
            Some(details.sealed(&call.bursar.vault, call.bursar.entropy().bytes()))
        }
        RailRequest::Rail(_) | RailRequest::Default => None,
    }
}

/// POST /v2/payouts/send-payout
pub async fn send(call: Call) -> Outcome {
    let scope = call.scope()?;
    let token = NewToken::draw(&call.bursar.vault, &mut call.bursar.entropy());
    let new = call.body::<NewPayoutLink>().and_then(NewPayoutLink::into_new_link).and_then(to_recipient);
    let name = match new.clone() {
        Ok(named) if named.payee.full_name().is_some() => {
            call.read(move |world| name_to_look_up(world, scope, &named)).await.unwrap_or_default()
        }
        // A refusal of the input is returned under the key; see `once`.
        Ok(_) | Err(_) => None,
    };
    let names = call.bursar.look_up(name.into_iter().collect()).await?;
    let command = new.map(|new| SendPayout { scope, environment: call.bursar.environment, new, token, names });
    let bursar = call.bursar.clone();
    call.once(command, move |link| payout_links::made(&bursar, link)).await
}

/// Requires a phone number, an e-mail address or a user. An address alone always receives a link.
fn to_recipient(new: NewLink) -> Result<NewLink, Refusal> {
    if new.user.is_none() && new.payee.phone_number.is_none() && new.payee.email.is_none() {
        let message = "is required unless user_id is sent; send payee {country_code, phone_number} or payee {email}";
        return Err(Refusal::field(Code::InvalidInput, "/payee", message));
    }
    Ok(new)
}

/// POST /v2/transfers/{transfer_id}/approve
pub async fn approve(call: Call) -> Outcome {
    let (scope, transfer) = (call.scope()?, call.id("transfer_id", "transfer")?);
    let command = call.body::<Approval>().map(|body| {
        let acting = Named::by(&call.caller, body.acting_user_id);
        ApprovePayout { scope, transfer, acting }
    });
    call.once(command, Answer::ok).await
}

/// POST /v2/transfers/{transfer_id}/cancel
pub async fn cancel(call: Call) -> Outcome {
    let (scope, transfer) = (call.scope()?, call.id("transfer_id", "transfer")?);
    let command = call.body::<NoFields>().map(|_| CancelPayout { scope, transfer });
    call.once(command, Answer::ok).await
}

pub fn routes() -> Vec<Route> {
    vec![send_route(), create_route(), estimate_route(), approve_route(), cancel_route()]
}

fn send_route() -> Route {
    route!(Post "/v2/payouts/send-payout" App "send_payout" send)
        .about("Payouts", "Send a payout")
        .describe(
            "Sends money to a phone number, an e-mail address or a user. A user of this app with automatic payouts is \
             paid immediately by their default payout method; any other payee receives a payout link. A payee who is \
             identified by an e-mail address alone always receives a link.",
        )
        .takes::<NewPayoutLink>()
        .example(json!({
            "amount": 1000,
            "payee": {"country_code": "1", "phone_number": "2127361234"},
            "delivery": {"message": "Thank you for your work!"}
        }))
        .gives::<PayoutLinkJson>(201, "The payout link; already claimed if the user is paid immediately.")
        .gives::<PayoutLinkJson>(202, "The payout link, which waits for its money (funding_source ach).")
        .refuses(&[
            Code::UserInfoMissing,
            Code::InsufficientFunds,
            Code::NotFound,
            Code::UserInactive,
            Code::InvalidPhoneNumber,
            Code::LimitExceeded,
        ])
}

fn create_route() -> Route {
    route!(Post "/v2/payouts" App "create_payout" create)
        .about("Payouts", "Pay out a user by a payout rail")
        .describe(
            "Pays a verified user by the payout rail in platform, from the user's wallet or, with fund=true, from the \
             app's wallet. The fees equal the fee estimate of the same payout. Above the app's payout_approval_limit \
             the transfer is flagged and waits for a member to approve it.",
        )
        .takes::<NewPayout>()
        .example(json!({
            "user_id": "019a0000-0000-7000-8000-000000000000", "amount": 1000, "platform": "ach", "fund": true
        }))
        .gives::<TransferJson>(201, "The transfer.")
        .refuses(&[
            Code::InsufficientFunds,
            Code::NotFound,
            Code::UserInactive,
            Code::UserInfoMissing,
            Code::InvalidState,
            Code::LimitExceeded,
        ])
}

fn estimate_route() -> Route {
    route!(Get "/v2/payouts/fee-estimate" App "estimate_payout_fees" estimate)
        .about("Payouts", "Estimate the fees of a payout")
        .describe(
            "Creates no transfer and moves no money. Without an amount, no checks run, platform is the requested \
             rail, and all amounts are null. explain=true adds the calculation of each fee.",
        )
        .asks::<EstimateQuery>()
        .gives::<EstimateJson>(200, "The estimate.")
        .refuses(&[Code::NotFound, Code::UserInactive, Code::UserInfoMissing, Code::InvalidState])
}

fn approve_route() -> Route {
    // Only the organization's key: an app that could name the member would approve its own payouts.
    route!(Post "/v2/transfers/{transfer_id}/approve" OrganizationForApp "approve_transfer" approve)
        .members(Permission::Pay)
        .about("Transfers", "Approve a flagged payout")
        .describe(
            "Approves a payout above the app's payout_approval_limit. Requires the organization's key with \
             Api-App-Id, or the session of a member with the role admin or payer. With member_proof required, only the \
             session proves the member.",
        )
        .takes::<Approval>()
        .example(json!({"acting_user_id": "019a0000-0000-7000-8000-000000000000"}))
        .gives::<TransferJson>(200, "The transfer, which bursar now sends to its rail.")
        .refuses(&[
            Code::MemberProofRequired,
            Code::NotPermitted,
            Code::NotFound,
            Code::InvalidState,
            Code::UserInactive,
            Code::UserInfoMissing,
        ])
}

fn cancel_route() -> Route {
    route!(Post "/v2/transfers/{transfer_id}/cancel" App "cancel_transfer" cancel)
        .about("Transfers", "Cancel a payout")
        .describe(
            "Allowed while the payout is flagged or bursar has not begun to send it to its rail. Returns the amount \
             and the fees. A repeated call changes nothing.",
        )
        .takes::<NoFields>()
        .gives::<TransferJson>(200, "The transfer.")
        .refuses(&[Code::NotFound, Code::InvalidState])
}
