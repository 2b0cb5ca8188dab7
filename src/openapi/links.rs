//! The links of the document: the operations that take the id in a response.
//!
//! They follow from the paths: an object of `POST /v2/users` leads to `/v2/users/{user_id}` and everything below it,
//! and so does a user in the response of another operation. If a collection is only listed, the link uses the list's
//! first object.

use serde_json::{Map, Value, json};

use crate::http::route::NamedSchema;
use crate::http::{Method, Route};

/// Returns the links of a route's successful response; none if no other route names its object.
pub(super) fn links(route: &Route, routes: &[Route]) -> Map<String, Value> {
    let Some((collection, expression)) = origin(route, routes) else { return Map::new() };
    let followers = routes.iter().filter_map(|follower| {
        let name = object_of(follower.path, collection.path)?;
        let given = own_placeholders(follower.path, collection.path)?;
        let id = expression.replace("{}", property(collection, name)?);
        // The earlier placeholders of the path have the values of the request.
        let before = given.into_iter().map(|outer| (outer.to_owned(), json!(format!("$request.path.{outer}"))));
        let parameters: Map<String, Value> = before.chain([(name.to_owned(), json!(id))]).collect();
        let operation_id = follower.documented.operation_id;
        Some((operation_id.to_owned(), json!({"operationId": operation_id, "parameters": parameters})))
    });
    followers.collect()
}

/// Returns the route of the collection to which this route's object belongs, and the expression for the object's
/// property `{}` in the response.
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
    // Sending a payout returns a payout link, an object of another collection.
    let same = |other: &&Route| other.method == Method::Post && given(other) == given(route) && is_collection(other);
    let elsewhere = route.method == Method::Post && !route.path.contains('{');
    Some((routes.iter().find(same).filter(|_| elsewhere)?, "$response.body#/{}"))
}

/// Returns the schema of a route's first successful response with a body.
fn given(route: &Route) -> Option<&NamedSchema> {
    let answers = route.documented.answers.iter().filter(|(status, ..)| *status < 300);
    answers.filter_map(|(_, _, body)| body.as_ref()).next()
}

/// Returns `user_id` for `/v2/users/{user_id}/verify` below `/v2/users`.
fn object_of<'a>(path: &'a str, collection: &str) -> Option<&'a str> {
    let below = path.strip_prefix(collection)?.strip_prefix("/{")?;
    let (name, after) = below.split_once('}')?;
    // A path with a further placeholder is linked from that object.
    (!after.contains('{')).then_some(name)
}

/// Returns the placeholders of the collection's own path.
fn own_placeholders<'a>(path: &'a str, collection: &str) -> Option<Vec<&'a str>> {
    Some(placeholders(path.get(..collection.len())?).collect())
}

/// Returns the property with the id: one with the placeholder's name, else `id`.
fn property<'a>(collection: &Route, name: &'a str) -> Option<&'a str> {
    let (_, schema) = given(collection)?;
    let has = |name: &str| schema.pointer(&format!("/properties/{name}")).is_some();
    if has(name) {
        return Some(name);
    }
    (has("id") || has("data")).then_some("id")
}

/// Returns the names in braces, in their order.
pub(super) fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
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
