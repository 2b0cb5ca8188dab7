//! `bursar routes`

use comfy_table::{Table, presets};
use serde_json::json;

use super::terminal::{Failed, say};
use crate::http::{Route, Who};
use crate::routes;

/// Prints the table of routes.
pub(super) fn run(as_json: bool) -> Result<(), Failed> {
    let routes = routes::table();
    if as_json {
        let rows: Vec<_> = routes.iter().map(row).collect();
        return say(&serde_json::Value::from(rows).to_string());
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["METHOD", "PATH", "WHO", "OPERATION"]);
    for route in &routes {
        table.add_row([route.method.as_str(), route.path, who(route.who), route.documented.operation_id]);
    }
    say(&table.trim_fmt())
}

fn row(route: &Route) -> serde_json::Value {
    json!({
        "method": route.method.as_str(),
        "path": route.path,
        "who": who(route.who),
        "operation_id": route.documented.operation_id,
    })
}

fn who(who: Who) -> &'static str {
    match who {
        Who::Anyone => "anyone",
        Who::Provider => "a carrier that signs",
        Who::AppOrItsClient => "app or its client",
        Who::App => "app",
        Who::AppOrOrganization => "app or organization",
        Who::Organization => "organization",
        Who::OrganizationForApp => "organization for an app",
        Who::Member => "signed-in member",
    }
}
