use super::collect::{Cursor, ExportRequest, export};
use super::{ExportJson, Section};
use crate::closing::{Erasure, shows};
use crate::http::lists::LIMIT_MAX;
use crate::http::route::route;
use crate::http::{Answer, Call, Content, Outcome, Route};
use crate::input::input;
use crate::input::types::{Integer, Text};
use crate::refusal::{Code, Refusal};
use crate::security_log::SecurityEvent;
use crate::world::record::key;

/// Objects per list.
const LIMIT_DEFAULT: i64 = 25;

input! {
    /// The requested part of an export.
    pub struct ExportQuery {
        /// Return only this list; the first page of each list if not given.
        pub section: Option<Section>,
        /// Return the page of that list after this position; follow `next` of the page before.
        pub after: Option<Text<100>>,
        /// Objects per list, 1 to 100; 25 if not given.
        pub limit: Option<Integer<1, LIMIT_MAX>>,
    }
}

impl ExportQuery {
    fn cursor(&self) -> Result<Option<Cursor>, Refusal> {
        let Some(after) = &self.after else { return Ok(None) };
        let cursor = self.section.and_then(|section| Cursor::parse(section, &after.0));
        let message = "is not a position in this list; use `next` of the previous page";
        cursor.map(Some).ok_or_else(|| Refusal::field(Code::InvalidInput, "after", message))
    }
}

/// GET /v2/users/{user_id}/export
pub async fn export_user(call: Call) -> Outcome {
    let query: ExportQuery = call.query()?;
    let asked = ExportRequest {
        org: call.caller.org,
        app: call.caller.app,
        user: call.id("user_id", "user")?,
        section: query.section,
        after: query.cursor()?,
        limit: usize::try_from(query.limit.as_ref().map_or(LIMIT_DEFAULT, |limit| limit.0)).unwrap_or(1),
    };
    let (vault, user) = (call.bursar.vault.clone(), asked.user.to_string());
    let org = asked.org;
    let (document, erasures) = call
        .read(move |world| {
            let erasures = world.all::<Erasure>(Erasure::OF_ORG, key![org])?;
            Ok((export(world, &vault, &asked)?, erasures))
        })
        .await?;
    let answer = Answer::ok(&document);
    if let Content::Json(text) = &answer.content
        && shows(&erasures, text)
    {
        let message = "A payee is being erased from this export. Try again later.";
        return Err(Refusal::new(Code::ServiceUnavailable, message).retry_after(5));
    }
    call.log_security(SecurityEvent::UserExported, "exported", Some(&user));
    Ok(answer)
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/users/{user_id}/export" AppOrOrganization "export_user" export_user)
            .about("Users", "Export a payee's data")
            .describe(
                "With an organization key, returns all data of the payee in the organization. With an app key, or an \
                 organization key and Api-App-Id, returns the payee's identity and the data of that app. Payouts and \
                 payments are transfers of that type. Each list has one page; `next` is the path of the next page. \
                 After the erasure of the payee, the export returns the data in the retention table of the operating \
                 guide; until the erasure job ends, the status is 503. The export never contains secrets, codes or \
                 claim links; account numbers and tax numbers are masked. It does not contain rows of batches that \
                 name the payee, nor vendors and payment customers, who are not users. The call changes nothing; the \
                 security log records it.",
            )
            .asks::<ExportQuery>()
            .gives::<ExportJson>(200, "The export.")
            .refuses(&[Code::NotFound]),
    ]
}
