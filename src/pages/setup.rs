//! A set-up link as a page at `/setup/<token>`: the first administrator creates the organization, or a member sets a
//! password.
//!
//! Invariants: a GET changes nothing; a used or expired token opens nothing, and the page says so; no password is
//! written into a page. The rules are those of `apps::acts` and `members::sign_in`.

use std::pin::Pin;
use std::sync::Arc;

use super::claim::wording::sentence;
use super::draw::page;
use super::views::{FieldError, Form, SetupPage, SetupState};
use crate::apps::acts::{check_setup, set_up_organization};
use crate::apps::first::FirstOrganization;
use crate::email::Email;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::input::types::Line;
use crate::input::{Input, input};
use crate::language::Language;
use crate::members::NewPassword;
use crate::members::sign_in::{Kind, Token, invited, set_password};
use crate::program::Bursar;
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::strict_json::Json;

input! {
    /// The first organization and its administrator.
    pub struct OrganizationForm {
        /// The organization's name.
        pub organization_name: Line<100>,
        /// The administrator's name.
        pub name: Line<100>,
        /// The administrator's e-mail address.
        pub email: Email,
        /// The administrator's password, at least 12 characters.
        pub password: NewPassword,
    }
}

input! {
    /// A member's new password.
    pub struct PasswordForm {
        /// At least 12 characters.
        pub password: NewPassword,
    }
}

fn closed() -> Refusal {
    Refusal::not_found("setup link")
}

/// Returns the page that a token opens.
///
/// # Errors
/// `not-found` when it opens none.
async fn opens(bursar: &Bursar, token: &str) -> Result<SetupState, Refusal> {
    let Some(Token { org, hash }) = Token::read(&bursar.vault, Kind::SetUp, token) else {
        return check_setup(bursar, token).await.map(|()| SetupState::Organization);
    };
    match bursar.read(move |world| invited(world, org, &hash)).await {
        Ok(member) => Ok(SetupState::Member { name: member.name.clone() }),
        Err(refusal) if refusal.code == Code::WrongToken => Err(closed()),
        Err(refusal) => Err(refusal),
    }
}

/// Checks that a token opens a page. Error: `not-found`.
fn check_token(bursar: Arc<Bursar>, token: String) -> Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send>> {
    Box::pin(async move { opens(&bursar, &token).await.map(drop) })
}

/// GET /setup/{token}
pub async fn show_setup_page(call: Call) -> Outcome {
    let state = opens(&call.bursar, call.parameter("token")).await?;
    draw(&call, 200, state, Form::default())
}

/// POST /setup/{token}
pub async fn take_setup(call: Call) -> Outcome {
    let offered = opens(&call.bursar, call.parameter("token")).await?;
    let is_member = matches!(offered, SetupState::Member { .. });
    let taken = if is_member { set_own_password(&call).await } else { make_organization(&call).await };
    match taken {
        Ok(state) => draw(&call, 200, state, Form::default()),
        Err(refusal) if refusal.errors.is_empty() || refusal.code == Code::WrongToken => Err(refusal),
        Err(refusal) => draw(&call, refusal.code.status(), offered, again(&call, &refusal)),
    }
}

async fn make_organization(call: &Call) -> Result<SetupState, Refusal> {
    let given: OrganizationForm = read(call)?;
    let asked = FirstOrganization {
        name: given.organization_name.0,
        admin_name: given.name.0,
        admin_email: given.email.as_str().to_owned(),
        admin_password_hash: None,
        app_name: None,
    };
    let made = set_up_organization(call, call.parameter("token"), asked, Some(given.password)).await?;
    let key = format!("{}:{}", made.keys.client_id, made.keys.api_key);
    Ok(SetupState::Made { name: made.name, id: made.id.to_string(), key, email: made.administrator.email })
}

async fn set_own_password(call: &Call) -> Result<SetupState, Refusal> {
    let given: PasswordForm = read(call)?;
    let member = set_password(call, call.parameter("token"), given.password).await?;
    Ok(SetupState::PasswordSet { id: member.org.to_string(), email: member.email })
}

/// Returns the form as a JSON body. An empty field is absent. A password is kept exactly, including spaces.
fn read<T: Input>(call: &Call) -> Result<T, Refusal> {
    let Json::Object(fields) = &call.body else { return T::read(&call.body, "").map_err(Refusal::fields) };
    let given = fields.iter().filter_map(|(name, value)| {
        match value {
            Json::Text(text) if name == "password" => Some(text.as_str()).filter(|text| !text.is_empty()),
            Json::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) | Json::Object(_) => None,
        }
        .map(|text| (name.clone(), Json::Text(text.to_owned())))
    });
    T::read(&Json::Object(given.collect()), "").map_err(Refusal::fields)
}

/// Returns the form to show again, without the password.
fn again(call: &Call, refusal: &Refusal) -> Form {
    let Json::Object(fields) = &call.body else { return Form::default() };
    let typed = fields.iter().filter(|(name, _)| name != "password");
    let values = typed.filter_map(|(name, value)| match value {
        Json::Text(text) => Some((name.clone(), text.clone())),
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) | Json::Object(_) => None,
    });
    let errors = refusal.errors.iter().map(|error| {
        let field = error.field.trim_start_matches('/').to_owned();
        FieldError { message: advice(&field, &error.message), field }
    });
    Form { values: values.collect(), errors: errors.collect(), ..Form::default() }
}

/// Returns an error as a sentence that says what to do. `rule` is the message of the field's input, which administrators
/// of a service may read as it is.
fn advice(field: &str, rule: &str) -> String {
    let name = field.replace('_', " ");
    match (field, rule) {
        ("email", _) => sentence(Language::En, field, rule),
        (_, "is required" | "must not be blank") => format!("Enter your {name}."),
        (_, rule) => format!("The {name} {}.", rule.trim_end_matches('.')),
    }
}

fn draw(call: &Call, status: u16, state: SetupState, form: Form) -> Outcome {
    let view = SetupPage { token: call.parameter("token").to_owned(), state, form };
    // The page may show a key.
    Ok(page(status, &view)?.header("cache-control", "no-store"))
}

fn render_error(refusal: &Refusal, _: &str, _: Option<Language>) -> Answer {
    let is_closed = [Code::NotFound, Code::WrongToken].contains(&refusal.code);
    let state = if is_closed { SetupState::Closed } else { SetupState::Problem { message: refusal.message.clone() } };
    let answer = page(refusal.code.status(), &SetupPage { token: String::new(), state, form: Form::default() });
    let answer = answer.unwrap_or_else(|refusal| Answer::from(&refusal));
    match refusal.retry_after_seconds {
        Some(seconds) => answer.header("retry-after", seconds.to_string()),
        None => answer,
    }
}

pub fn routes() -> Vec<Route> {
    let about = |route: Route, summary: &'static str| {
        let route = route.about("Pages", summary).opened_by_token(check_token).renders_errors_with(render_error);
        Route { wrong_token: SecurityEvent::SetupTokenRefused, ..route }
            .gives_empty(200, "The page.")
            .refuses(&[Code::NotFound])
    };
    vec![
        about(route!(Get "/setup/{token}" Anyone "show_setup_page" show_setup_page), "Show the page of a setup link"),
        about(
            route!(Post "/setup/{token}" Anyone "take_setup" take_setup),
            "Create the first organization, or set a member's password",
        )
        .refuses(&[Code::InvalidInput, Code::InvalidEmail, Code::WrongToken]),
    ]
}
