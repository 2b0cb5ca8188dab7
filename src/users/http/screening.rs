use serde::Serialize;
use serde_json::json;

use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{MemberId, UserId};
use crate::input::input;
use crate::input::types::Text;
use crate::input::types::word_input;
use crate::permission::Permission;
use crate::refusal::Code;
use crate::scope::Scope;
use crate::screening::ListVersion;
use crate::users::screening::{DecideScreening, Decision, ScreeningJson, ScreeningRunJson, document, run_of};
use crate::users::{find, find_in_organization};

word_input!(crate::users::screening::Decision);

/// The sanctions list in use, and the newest screening of all users against it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ScreeningList)]
pub struct ScreeningListJson {
    /// The list with which names are compared.
    pub list: ListVersion,
    /// The newest screening of the organization's users; null before the first.
    #[schema(required)]
    pub run: Option<ScreeningRunJson>,
}

pub async fn list(call: Call) -> Outcome {
    let (org, list) = (call.caller.org, call.bursar.watchlist().version().clone());
    let run = call.read(move |world| run_of(world, org)).await?;
    Ok(Answer::ok(&ScreeningListJson { list, run }))
}

pub async fn show(call: Call) -> Outcome {
    let id: UserId = call.id("user_id", "user")?;
    let (org, app) = (call.caller.org, call.caller.app);
    let screening = call
        .read(move |world| {
            let user = match app {
                Some(app) => find(world, Scope { org, app }, id)?,
                None => find_in_organization(world, org, id)?,
            };
            document(world, &user)
        })
        .await?;
    Ok(Answer::ok(&screening))
}

input! {
    /// A member's decision, with the reason.
    pub struct DecideInput {
        /// A member with the role admin.
        pub acting_user_id: MemberId,
        /// The evidence for the decision; it is kept.
        pub comment: Text<500>,
    }
}

pub async fn clear(call: Call) -> Outcome {
    decide(call, Decision::Clear).await
}

pub async fn confirm(call: Call) -> Outcome {
    decide(call, Decision::Confirm).await
}

async fn decide(call: Call, decision: Decision) -> Outcome {
    let (org, user) = (call.caller.org, call.id("user_id", "user")?);
    let command = call.body::<DecideInput>().map(|input| DecideScreening {
        org,
        user,
        acting: input.acting_user_id,
        decision,
        comment: input.comment.0,
    });
    call.once(command, Answer::ok).await
}

pub(super) fn routes() -> Vec<Route> {
    let example = json!({"acting_user_id": "01a0c450-6c00-7000-8000-e9aa48460b4d", "comment": "Born 30 years later, passport seen."});
    let refusals = [Code::NotFound, Code::NotPermitted, Code::InvalidState];
    vec![
        route!(Get "/v2/screening/list" AppOrOrganization "get_screening_list" list)
            .about("Screening", "Get the sanctions list in use")
            .describe("Returns the version of the list and the progress of screening all users with it. A new list screens all users again.")
            .gives::<ScreeningListJson>(200, "The sanctions list."),
        route!(Get "/v2/users/{user_id}/screening" AppOrOrganization "get_user_screening" show)
            .about("Screening", "Get the screening result of a user")
            .describe("Returns the matches between the user's names and the sanctions list, and the decisions about them.")
            .gives::<ScreeningJson>(200, "The matches, each with its score explained word by word.")
            .refuses(&[Code::NotFound]),
        route!(Post "/v2/users/{user_id}/screening/clear" Organization "clear_user_screening" clear)
            .members(Permission::Govern)
            .about("Screening", "Clear a sanctions match")
            .describe("Ends the review: the user is not the person on the list. The user's status is as before the review, and the same pair of names does not match again. This call also reverts a confirmation.")
            .takes::<DecideInput>()
            .example(example.clone())
            .gives::<ScreeningJson>(200, "The decided screening.")
            .refuses(&refusals),
        route!(Post "/v2/users/{user_id}/screening/confirm" Organization "confirm_user_screening" confirm)
            .members(Permission::Govern)
            .about("Screening", "Confirm a sanctions match")
            .describe("Ends the review: the user is the person on the list. The user is disabled and flagged. Nothing is paid out; money in the wallet stays there.")
            .takes::<DecideInput>()
            .example(example)
            .gives::<ScreeningJson>(200, "The decided screening.")
            .refuses(&refusals),
    ]
}
