use serde_json::json;

use super::{SetCompliance, TaxFormInput, first_verification};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::UserId;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::users::{By, UserJson};

pub async fn set_compliance(call: Call) -> Outcome {
    let (scope, user) = (call.scope()?, call.id("user_id", "user")?);
    let command = match TaxFormInput::of_body(&call.body, call.bursar.clock.now().date()) {
        Ok(input) => compliance_of(&call, scope, user, input).await,
        Err(refusal) => Err(refusal),
    };
    call.once(command, Answer::ok).await
}

async fn compliance_of(call: &Call, scope: Scope, user: UserId, input: TaxFormInput) -> Result<SetCompliance, Refusal> {
    let form = input.checked(call.bursar.clock.now().date(), "").map_err(Refusal::fields)?;
    let names = call.bursar.look_up(form.names()).await?;
    let form = form.sealed(&call.bursar.vault, scope.org, user, &mut call.bursar.entropy());
    Ok(SetCompliance {
        scope,
        by: By::key_of(call.caller.kind),
        user,
        form,
        verification: first_verification(call.bursar.environment),
        names,
    })
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Put "/v2/users/{user_id}/compliance" App "set_user_compliance" set_compliance)
            .about("Users", "Set a user's tax form")
            .describe("Takes a W-9 or a W-8BEN. Numbers are stored encrypted and never returned in full. A new form replaces the previous one.")
            .takes::<TaxFormInput>()
            .example(json!({"w9": {
                "entity_type": "individual", "tax_id_type": "ssn",
                "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
                "postcode": "10001", "certified": true,
            }}))
            .gives::<UserJson>(200, "The user; its compliance object shows the data on file.")
            .refuses(&[Code::InvalidSsn, Code::NotFound, Code::UserInactive]),
    ]
}
