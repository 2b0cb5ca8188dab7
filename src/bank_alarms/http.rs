use super::find::alarms;
use super::json::BankAlarmJson;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::permission::Permission;

const TAG: &str = "Banks";

/// GET /v2/bank/alarms
pub async fn list(call: Call) -> Outcome {
    let org = call.caller.org;
    let found = call.read(move |world| alarms(world, org)).await?;
    Ok(Answer::ok(&found))
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Get "/v2/bank/alarms" Organization "list_bank_alarms" list)
            .members(Permission::View)
            .about(TAG, "List what a person must look at")
            .describe(
                "Files that are not at the bank ten minutes before its deadline, in doubt, refused or not acknowledged in \
                 time; files and returns that the bank has not booked after two banking days; statements that do not \
                 arrive or are not applied; lines that are not explained; accounts that do not cover the next files; \
                 limits that are used by 80 %. An alarm ends with its cause.",
            )
            .gives::<Vec<BankAlarmJson>>(200, "The alarms; empty if there are none."),
    ]
}
