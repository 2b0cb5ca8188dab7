//! The table of routes: every path, its method, its permitted callers, and its handler.
//!
//! The end of each noun's `http.rs` has its rows; this module combines them. The router (`dispatch`), the document
//! (`openapi`), `bursar routes`, and the lists of the tests derive from this table.

use crate::http::Route;
use crate::{openapi, pages};

/// Returns every route but the probes, which have a separate listener in production (`health`).
pub fn table() -> Vec<Route> {
    let business = business();
    let reference = openapi::routes(&business);
    let outside = [crate::payout_links::reports(), crate::messages::inbound_routes(), crate::rail_payments::nudges()];
    let outside = outside.into_iter().flatten();
    business.into_iter().chain(reference).chain(pages::http::routes()).chain(outside).collect()
}

/// Returns every route of the API, in the order of the document. A new noun adds its rows here.
pub fn business() -> Vec<Route> {
    [
        crate::apps::routes(),
        crate::apps::brand::routes(),
        crate::app_compliance::routes(),
        crate::members::routes(),
        crate::members::sign_in::routes(),
        crate::users::routes(),
        crate::taxes::routes(),
        crate::export::routes(),
        crate::payouts::routes(),
        crate::payout_links::routes(),
        crate::payout_requests::routes(),
        crate::payout_link_batches::routes(),
        crate::claims::routes(),
        crate::transfers::routes(),
        crate::funding::routes(),
        crate::payment_customers::routes(),
        crate::payments::routes(),
        crate::payables::routes(),
        crate::vendors::routes(),
        crate::approval_policies::routes(),
        crate::acting::routes(),
        crate::banking::connections::routes(),
        crate::banking::originators::routes(),
        crate::banking::settlement_accounts::routes(),
        crate::banking::providers::routes(),
        crate::banking::routes::routes(),
        crate::rail_payments::routes(),
        crate::bank_files::routes(),
        crate::bank_alarms::routes(),
        crate::bank_reversals::routes(),
        crate::bank_intake::routes(),
        crate::bank_statements::routes(),
        crate::ledger::http::routes(),
        crate::transfers::transaction_routes(),
        crate::sandbox::inbox::routes(),
        crate::events::routes(),
        crate::webhooks::routes(),
        crate::closing::routes(),
        crate::sandbox::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strict_json::Json;
    use std::collections::HashSet;

    #[test]
    fn operation_ids_and_paths_are_unique() {
        let (mut names, mut places) = (HashSet::new(), HashSet::new());
        for route in table() {
            let name = route.documented.operation_id;
            assert!(names.insert(name), "{name} is a duplicate");
            assert!(places.insert((route.method, route.path)), "{name} has another's place");
        }
    }

    #[test]
    fn every_example_of_a_request_is_read_by_its_route() {
        let mut wrong = Vec::new();
        for route in business() {
            let (Some(example), Some(reader)) = (openapi::request_example(&route), route.documented.reader) else {
                continue;
            };
            let body = Json::parse(example.to_string().as_bytes()).unwrap();
            if let Err(problems) = reader(&body) {
                wrong.push(format!("{}: {example}: {problems:?}", route.documented.operation_id));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_route_is_described() {
        for route in table() {
            let documented = &route.documented;
            let name = documented.operation_id;
            assert!(!documented.tag.is_empty() && !documented.summary.is_empty(), "{name} lacks a tag or a summary");
            assert!(!documented.answers.is_empty(), "{name} gives nothing");
        }
    }
}
