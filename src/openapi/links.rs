//! Links of the document: which operations take the id that an answer has just given.
//!
//! They follow from the paths: what `POST /v2/users` made is what `/v2/users/{user_id}` and everything below it speaks
//! of, and so is a user whom another operation gives. Where a collection is only listed, the list's first object is.

use serde_json::{Map, Value, json};

use super::operation::placeholders;
use crate::http::route::NamedSchema;
use crate::http::{Method, Route};

/// The links of a route's successful answer; empty when nothing is made that other routes name.
pub(super) fn links(route: &Route, routes: &[Route]) -> Map<String, Value> {
    let Some((collection, expression)) = origin(route, routes) else { return Map::new() };
    let followers = routes.iter().filter_map(|follower| {
        let name = object_of(follower.path, collection.path)?;
        let given = own_placeholders(follower.path, collection.path)?;
        let id = expression.replace("{}", property(collection, name)?);
        // What stands in the path before the id is the same as in the request that was answered.
        let before = given.into_iter().map(|outer| (outer.to_owned(), json!(format!("$request.path.{outer}"))));
        let parameters: Map<String, Value> = before.chain([(name.to_owned(), json!(id))]).collect();
        let operation_id = follower.documented.operation_id;
        Some((operation_id.to_owned(), json!({"operationId": operation_id, "parameters": parameters})))
    });
    followers.collect()
}

/// The route whose path is the collection of what this route gives, and where the answer has the object's property `{}`.
fn origin<'a>(route: &'a Route, routes: &'a [Route]) -> Option<(&'a Route, &'static str)> {
    let makes = |route: &Route| matches!(route.method, Method::Post | Method::Put) && given(route).is_some();
    if route.method == Method::Get {
        let made = routes.iter().any(|other| other.path == route.path && makes(other));
        let is_list = given(route).is_some_and(|(name, _)| name.ends_with("List"));
        return (is_list && !made).then_some((route, "$response.body#/data/0/{}"));
    }
    if !makes(route) {
        return None;
    }
    let is_collection = |other: &Route| routes.iter().any(|below| object_of(below.path, other.path).is_some());
    if is_collection(route) {
        return Some((route, "$response.body#/{}"));
    }
    // A payout that was sent gives a payout link: the same object by another way.
    let same = |other: &&Route| other.method == Method::Post && given(other) == given(route) && is_collection(other);
    let elsewhere = route.method == Method::Post && !route.path.contains('{');
    Some((routes.iter().find(same).filter(|_| elsewhere)?, "$response.body#/{}"))
}

/// The schema of a route's first successful answer that has a body.
fn given(route: &Route) -> Option<&NamedSchema> {
    let answers = route.documented.answers.iter().filter(|(status, ..)| *status < 300);
    answers.filter_map(|(_, _, body)| body.as_ref()).next()
}

/// `user_id` for `/v2/users/{user_id}/verify` below `/v2/users`.
fn object_of<'a>(path: &'a str, collection: &str) -> Option<&'a str> {
    let below = path.strip_prefix(collection)?.strip_prefix("/{")?;
    let (name, after) = below.split_once('}')?;
    // What names further objects is reached from those.
    (!after.contains('{')).then_some(name)
}

/// The placeholders of the collection itself.
fn own_placeholders<'a>(path: &'a str, collection: &str) -> Option<Vec<&'a str>> {
    Some(placeholders(path.get(..collection.len())?).collect())
}

/// The property that carries the id: one of the placeholder's name, else `id`.
fn property<'a>(collection: &Route, name: &'a str) -> Option<&'a str> {
    let (_, schema) = given(collection)?;
    let has = |name: &str| schema.pointer(&format!("/properties/{name}")).is_some();
    if has(name) {
        return Some(name);
    }
    (has("id") || has("data")).then_some("id")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operation_id: &str) -> Map<String, Value> {
        let routes = crate::routes::business();
        let route = routes.iter().find(|route| route.documented.operation_id == operation_id);
        links(route.expect("it is a route"), &routes)
    }

    #[test]
    fn what_was_made_leads_to_what_can_be_done_with_it() {
        let user = of("create_user");
        assert_eq!(user["verify_user"]["parameters"], json!({"user_id": "$response.body#/id"}));
        assert!(user.contains_key("get_user") && user.contains_key("list_payout_methods"));
        assert!(!user.contains_key("remove_payout_method"), "that one names a method as well");
        assert!(!user.contains_key("connect_user"), "its path names no user");
    }

    #[test]
    fn a_path_within_another_keeps_its_beginning() {
        let method = &of("set_payout_method")["remove_payout_method"]["parameters"];
        assert_eq!(method, &json!({"user_id": "$request.path.user_id", "method_id": "$response.body#/id"}));
        let key = &of("create_app_key")["delete_app_key"]["parameters"];
        assert_eq!(key, &json!({"app_id": "$request.path.app_id", "client_id": "$response.body#/client_id"}));
    }

    #[test]
    fn the_same_object_by_another_way_leads_to_the_same() {
        assert_eq!(of("send_payout"), of("create_payout_link"));
        assert!(of("send_payout").contains_key("redeliver_payout_link"));
    }

    #[test]
    fn what_is_only_listed_is_found_in_its_list() {
        let account = &of("list_ledger_accounts")["show_ledger_account"]["parameters"];
        assert_eq!(account, &json!({"account_id": "$response.body#/data/0/id"}));
        assert!(of("list_users").is_empty() && of("get_user").is_empty());
    }
}
