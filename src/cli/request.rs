//! `bursar get` and `bursar post`

use clap::{Args, ValueEnum};
use reqwest::Method;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::api::{As, Server};
use super::terminal::{Failed, say, until_interrupted};
use crate::routes;

/// The request, and the key that sends it.
#[derive(Args)]
pub(super) struct Options {
    /// Path of the operation, with or without /v2, such as payout-links?limit=2
    #[arg(value_name = "PATH")]
    path: String,
    #[command(flatten)]
    server: Server,
    /// Key of the sandbox that sends the request
    #[arg(long = "as", value_name = "CALLER", default_value = "app")]
    caller: Caller,
    /// Print the response on one line
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Body {
    #[command(flatten)]
    options: Options,
    /// Fields of the body: amount=1000 payee.phone_number=2127361234; name:=JSON sends JSON
    #[arg(value_name = "FIELD=VALUE")]
    fields: Vec<String>,
    /// The whole body: JSON, or @FILE with JSON
    #[arg(long, short, value_name = "JSON|@FILE", conflicts_with = "fields")]
    data: Option<String>,
    /// Idempotency key of the request
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Caller {
    /// The app's key
    App,
    /// The organization's key
    Organization,
}

impl From<Caller> for As {
    fn from(caller: Caller) -> Self {
        match caller {
            Caller::App => Self::App,
            Caller::Organization => Self::Organization,
        }
    }
}

pub(super) fn get(asked: &Options) -> Result<(), Failed> {
    send(asked, Method::GET, None, None)
}

pub(super) fn post(asked: &Body) -> Result<(), Failed> {
    let path = path(&asked.options.path);
    let body = match &asked.data {
        Some(data) => whole(data)?,
        None => {
            let body = of_fields(&asked.fields, schema(&path).as_ref()).map_err(Failed::Unreadable)?;
            body.to_string().into_bytes()
        }
    };
    send(&asked.options, Method::POST, Some(body), asked.key.as_deref())
}

fn send(asked: &Options, method: Method, body: Option<Vec<u8>>, key: Option<&str>) -> Result<(), Failed> {
    let api = asked.server.open(asked.caller.into())?;
    let path = path(&asked.path);
    let headers: Vec<(&str, &str)> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
    until_interrupted(async {
        let bytes = api.send_bytes(method, &path, body, &headers).await?;
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(answer) if asked.json => say(&answer.to_string()),
            Ok(answer) => say(&format!("{answer:#}")),
            // A file, such as the results of a batch.
            Err(_) => say(String::from_utf8_lossy(&bytes).trim_end()),
        }
    })
}

/// Returns the path with its version: `payout-links` is `/v2/payout-links`.
fn path(given: &str) -> String {
    let rest = given.trim_start_matches('/');
    let has_version = rest == "v2" || rest.starts_with("v2/");
    if has_version { format!("/{rest}") } else { format!("/v2/{rest}") }
}

/// Reads the body of `--data`. It is sent as it was written: a copy would hide a duplicate key, which the server refuses.
fn whole(data: &str) -> Result<Vec<u8>, Failed> {
    let bytes = match data.strip_prefix('@') {
        Some(file) => std::fs::read(file).map_err(|error| Failed::Unreadable(format!("{file}: {error}")))?,
        None => data.as_bytes().to_vec(),
    };
    let read = serde_json::from_slice::<IgnoredAny>(&bytes);
    read.map_err(|error| Failed::Unreadable(format!("--data is not JSON: {error}")))?;
    Ok(bytes)
}

/// Returns the schema of the body that a path takes, by the table of routes.
fn schema(path: &str) -> Option<Value> {
    let path = path.split('?').next().unwrap_or(path);
    let matches = |template: &str| {
        let (mut given, mut wanted) = (path.split('/'), template.split('/'));
        loop {
            match (given.next(), wanted.next()) {
                (None, None) => return true,
                (Some(given), Some(wanted)) if given == wanted || wanted.starts_with('{') => {}
                _ => return false,
            }
        }
    };
    let is_post = |route: &crate::http::Route| route.method == crate::http::Method::Post;
    let found = routes::business().into_iter().find(|route| is_post(route) && matches(route.path))?;
    found.documented.body.clone()
}

/// Returns the body of `amount=1000 payee.phone_number=2127361234 metadata:='"a"'`. A value is text where the schema
/// takes text, and otherwise JSON if it can be read as JSON.
fn of_fields(fields: &[String], schema: Option<&Value>) -> Result<Value, String> {
    let mut body = json!({});
    for field in fields {
        let (name, text) = field.split_once('=').ok_or_else(|| format!("{field:?} must be FIELD=VALUE"))?;
        let (name, is_json) = name.strip_suffix(':').map_or((name, false), |name| (name, true));
        let names: Vec<&str> = name.split('.').collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(format!("{field:?} must be FIELD=VALUE, with names of fields separated by points"));
        }
        let read = serde_json::from_str(text);
        let value = match read {
            Err(error) if is_json => return Err(format!("{name}: is not JSON: {error}")),
            Ok(value) if is_json => value,
            Ok(value) if !takes_text(schema, &names) => value,
            Ok(_) | Err(_) => Value::String(text.to_owned()),
        };
        put(&mut body, &names, value).ok_or_else(|| format!("{name}: is given twice, or is not an object"))?;
    }
    Ok(body)
}

fn takes_text(schema: Option<&Value>, names: &[&str]) -> bool {
    let Some(schema) = schema else { return false };
    match names {
        [] => {
            schema["type"] == "string"
                || schema["type"].as_array().is_some_and(|types| types.contains(&json!("string")))
        }
        [name, rest @ ..] => {
            let own = schema["properties"].get(name);
            let choices = ["anyOf", "oneOf", "allOf"].map(|word| schema[word].as_array().cloned().unwrap_or_default());
            takes_text(own, rest) || choices.iter().flatten().any(|choice| takes_text(Some(choice), names))
        }
    }
}

/// Puts a value into an object at a path. Returns `None` if something else is there.
fn put(object: &mut Value, names: &[&str], value: Value) -> Option<()> {
    let fields = object.as_object_mut()?;
    match names {
        [] => None,
        [name] => fields.insert((*name).to_owned(), value).is_none().then_some(()),
        [name, rest @ ..] => put(fields.entry(*name).or_insert_with(|| Value::Object(Map::new())), rest, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(path: &str, fields: &[&str]) -> Result<Value, String> {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        of_fields(&fields, schema(path).as_ref())
    }

    #[test]
    fn a_field_has_the_type_of_its_schema() {
        let sent = body(
            "/v2/payouts/send-payout",
            &["amount=1000", "payee.phone_number=2127361234", "payee.country_code=1", "memo=12"],
        );
        let wanted =
            json!({"amount": 1000, "payee": {"phone_number": "2127361234", "country_code": "1"}, "memo": "12"});
        assert_eq!(sent.unwrap(), wanted);
        // Of an unknown operation, what is JSON is sent as JSON.
        assert_eq!(
            body("/v2/none", &["a=1", "b=x", "c:=\"1\"", "d=true"]).unwrap(),
            json!({"a": 1, "b": "x", "c": "1", "d": true})
        );
    }

    #[test]
    fn a_field_that_cannot_be_meant_is_refused() {
        for fields in [["amount"].as_slice(), &["=1"], &["a..b=1"], &["a:=x"], &["a=1", "a=2"], &["a=1", "a.b=2"]] {
            assert!(body("/v2/none", fields).is_err(), "{fields:?}");
        }
    }

    #[test]
    fn a_path_needs_no_version() {
        for (given, asked) in [
            ("payout-links", "/v2/payout-links"),
            ("/payout-links?limit=1", "/v2/payout-links?limit=1"),
            ("v2/apps", "/v2/apps"),
            ("/v2/apps", "/v2/apps"),
            ("v20", "/v2/v20"),
        ] {
            assert_eq!(path(given), asked);
        }
    }
}
