use serde_json::json;

use super::change::{PutCompliance, read};
use super::input::ComplianceInput;
use super::model::Compliance;
use crate::apps::{self, app_in_path};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::refusal::Code;
use crate::users::read_with_days;

/// PUT /v2/apps/{app_id}/compliance
pub async fn put(call: Call) -> Outcome {
    let days = ["/company_info/incorporation_date", "/directors/*/dob"];
    let sent = read_with_days::<ComplianceInput>(&call.body, call.bursar.clock.now().date(), &days);
    let command = sent.and_then(|sent| {
        let (vault, nonce) = (call.bursar.vault.clone(), call.bursar.entropy().bytes());
        Ok(PutCompliance { scope: app_in_path(&call)?, sent, vault, nonce })
    });
    call.once(command, |(is_first, shown)| Answer::json(if *is_first { 201 } else { 200 }, shown).secret()).await
}

/// GET /v2/apps/{app_id}/compliance
pub async fn show(call: Call) -> Outcome {
    let (scope, vault) = (app_in_path(&call)?, call.bursar.vault.clone());
    let shown = call
        .read(move |world| {
            apps::find(world, scope)?;
            Ok(read(world, scope, &vault)?.masked())
        })
        .await?;
    Ok(Answer::ok(&shown).secret())
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Put "/v2/apps/{app_id}/compliance" AppOrOrganization "set_app_compliance" put)
            .about("Apps", "Add or update an app's compliance information")
            .describe("Updates the fields that are sent; null clears a field. Each entry of directors updates the director at the same index; an empty list removes all directors. Responses show the last four digits of tax numbers only.")
            .takes::<ComplianceInput>()
            .example(json!({
                "company_info": {"name": "Corner Shop LLC", "ein": "12-3456789", "incorporation_type": "llc", "ubo_count": 1},
                "directors": [{"ssn": "123-45-6789"}]
            }))
            .gives::<Compliance>(200, "The complete compliance information.")
            .gives::<Compliance>(201, "The compliance information, created.")
            .refuses(&[Code::NotFound, Code::InvalidSsn, Code::InvalidEmail, Code::InvalidPhoneNumber]),
        route!(Get "/v2/apps/{app_id}/compliance" AppOrOrganization "get_app_compliance" show)
            .about("Apps", "Get an app's compliance information")
            .describe("Returns every field; a field that was never set is null.")
            .gives::<Compliance>(200, "The complete compliance information.")
            .refuses(&[Code::NotFound]),
    ]
}
