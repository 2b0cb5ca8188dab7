//! The link of a notice as a page at `/notice/<token>`. A GET changes nothing, because mail scanners open links. The
//! rules are those of `users::notices`.

use super::claim::wording::{capitalized, mask, refused};
use super::draw::{moment, page};
use super::refused::{Place, Refused};
use super::sender;
use super::views::{FieldError, Form, NoticePage, NoticeState};
use super::{language, tried};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::language::Language;
use crate::messages::in_words;
use crate::refusal::{Code, Refusal};
use crate::strict_json::Json;
use crate::users::http::notices::check_token;
use crate::users::notices::{self, Freeze, NoticeJson, NoticeToken, SendNoticeCode, Unfreeze};
use crate::verification::{Checked, NewCode, hash_code};

fn token(call: &Call) -> Result<NoticeToken, Refusal> {
    let token = NoticeToken::parse(&call.bursar.vault, call.parameter("token"));
    token.ok_or_else(|| Refusal::not_found("notice"))
}

/// GET /notice/{token}
pub async fn show_notice_page(call: Call) -> Outcome {
    let token = token(&call)?;
    let notice = call.read(move |world| notices::show(world, token)).await?;
    let refused = Refused::of(&call, &place(&call, token));
    let (status, form) = refused.map_or((200, Form::default()), |refused| (refused.status(), refused.form));
    draw(&call, status, &notice, form)
}

/// Returns the place of the page, which shows a refused form too.
fn place(call: &Call, token: NoticeToken) -> Place<'static> {
    Place { org: token.org, path: format!("/notice/{}", call.parameter("token")), session: None }
}

fn refuse(call: &Call, token: NoticeToken, refusal: &Refusal, field: &str, message: String) -> Outcome {
    let errors = vec![FieldError { field: field.to_owned(), message }];
    let refused = Refused::new(refusal, Form { errors, ..Form::default() });
    Ok(refused.redirect(call, &place(call, token), ""))
}

/// POST /notice/{token}/{step}
pub async fn take_notice_step(call: Call) -> Outcome {
    let token = token(&call)?;
    let taken = match call.parameter("step") {
        "language" => return language::keep(&call, &format!("/notice/{}", call.parameter("token"))),
        "freeze" => call.run_for(token.org, Freeze { token }).await.map(|()| None),
        "code" => {
            let notice = call.read(move |world| notices::show(world, token)).await?;
            let code = NewCode::draw(&call.bursar, token.org).in_language(Some(of_notice(&call, &notice)));
            call.run_for(token.org, SendNoticeCode { token, code }).await.map(|()| None)
        }
        "unfreeze" => unfreeze(&call, token).await,
        _ => Err(Refusal::not_found("page")),
    };
    match taken {
        Ok(Some(checked)) => {
            let notice = call.read(move |world| notices::show(world, token)).await?;
            let refusal = checked.refusal().unwrap_or_else(|| Refusal::not_found("code"));
            let language = of_notice(&call, &notice);
            let (field, message) = match tried(language, checked) {
                Some(message) => ("token", message),
                None => ("", refused(language, &refusal)),
            };
            refuse(&call, token, &refusal, field, message)
        }
        Ok(None) => {
            let location = format!("/notice/{}", call.parameter("token"));
            Ok(Answer::empty(303).header("location", location).header("referrer-policy", "no-referrer"))
        }
        Err(refusal) if refusal.code == Code::NotFound || refusal.code.status() >= 500 => Err(refusal),
        Err(refusal) => {
            let notice = call.read(move |world| notices::show(world, token)).await?;
            let language = of_notice(&call, &notice);
            refuse(&call, token, &refusal, "", refused(language, &refusal))
        }
    }
}

/// Returns the result of a code that was not right.
async fn unfreeze(call: &Call, token: NoticeToken) -> Result<Option<Checked>, Refusal> {
    let typed = match call.body.get("token") {
        Some(Json::Text(typed)) => typed.chars().filter(|letter| !letter.is_whitespace()).collect(),
        _ => String::new(),
    };
    let offered_hash = hash_code(&call.bursar.vault, token.org, &typed);
    let checked = call.run_for(token.org, Unfreeze { token, offered_hash }).await?;
    call.log_noted(&checked.noted(token.org));
    Ok(Some(checked).filter(|checked| *checked != Checked::Right))
}

/// Returns the language of a notice's page: that of its message, unless the payee chooses another.
fn of_notice(call: &Call, notice: &NoticeJson) -> Language {
    language::of(call, notice.language, notice.sender.brand.language)
}

fn draw(call: &Call, status: u16, notice: &NoticeJson, mut form: Form) -> Outcome {
    if !notice.code_sent {
        // The code was tried too often, and its field is gone.
        form.errors.iter_mut().for_each(|error| error.field.clear());
    }
    let language = of_notice(call, notice);
    let in_words = |change| in_words(language, change, notice.method.as_deref());
    let changes = notice.changes.iter().map(|change| capitalized(&in_words(*change)));
    let view = NoticePage {
        language,
        token: call.parameter("token").to_owned(),
        sender: sender::view(&notice.sender, notice.sender.path()),
        changes: changes.collect(),
        changed: moment(language, notice.created),
        sent_to: mask(&notice.sent_to),
        state: match (notice.frozen, notice.code_sent) {
            (false, _) => NoticeState::Running,
            (true, false) => NoticeState::Stopped,
            (true, true) => NoticeState::CodeSent,
        },
        form,
    };
    page(status, &view)
}

pub fn routes() -> Vec<Route> {
    let about = |route: Route, summary: &'static str| {
        let route =
            route.about("Pages", summary).opened_by_token(check_token).renders_errors_with(super::claim::render_error);
        route.gives_empty(200, "The page.").refuses(&[Code::NotFound, Code::LinkExpired])
    };
    vec![
        about(route!(Get "/notice/{token}" Anyone "show_notice_page" show_notice_page), "Show a notice"),
        about(
            route!(Post "/notice/{token}/{step}" Anyone "take_notice_step" take_notice_step),
            "Freeze or unfreeze automatic payouts",
        )
        .gives_empty(303, "Done, or the form is refused; Location is the page that says so.")
        .refuses(&[Code::WrongToken, Code::InvalidState, Code::UserInactive, Code::VerificationLocked]),
    ]
}
