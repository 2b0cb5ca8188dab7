//! The calls of an operation in several languages, for the reference.

use serde_json::Value;

use crate::pages::views::{Operation, Sample};

/// Adds the samples of an operation, whose path, parameters and example are already there.
pub(super) fn add(operation: &mut Operation, base_url: &str) {
    let call = Call::of(operation);
    let sample = |language, code| Sample { language, code };
    operation.samples = vec![
        sample("curl", call.curl(base_url)),
        sample("Python", call.python(base_url)),
        sample("TypeScript", call.typescript(base_url)),
        sample("Go", call.go(base_url)),
    ];
}

struct Call<'a> {
    operation: &'a Operation,
    body: Option<Value>,
    /// Names of the placeholders of the path.
    path: Vec<&'a str>,
    /// Names of the required parameters of the query.
    query: Vec<&'a str>,
    has_key: bool,
    /// Whether the header Api-App-Id is required.
    names_app: bool,
}

impl<'a> Call<'a> {
    fn of(operation: &'a Operation) -> Self {
        let required = |place: &'static str| {
            let is_required = move |kind: &str| kind.split(',').next() == Some(place);
            operation
                .parameters
                .iter()
                .filter(move |row| row.required && is_required(&row.kind))
                .map(|row| row.name.as_str())
        };
        Self {
            operation,
            body: operation.request_example.as_deref().and_then(|example| serde_json::from_str(example).ok()),
            path: required("path").collect(),
            query: required("query").collect(),
            has_key: operation.callers != "anyone",
            names_app: required("header").any(|name| name == "Api-App-Id"),
        }
    }

    /// Returns the path with its query; each value is what `value` returns for its name.
    fn target(&self, value: impl Fn(&str) -> String) -> String {
        let mut target = self.operation.path.clone();
        for name in &self.path {
            target = target.replace(&format!("{{{name}}}"), &value(name));
        }
        let query: Vec<String> = self.query.iter().map(|name| format!("{name}={}", value(name))).collect();
        if query.is_empty() { target } else { format!("{target}?{}", query.join("&")) }
    }

    /// Returns a command for a shell that has `CLIENT_ID`, `API_KEY` and a variable for each parameter.
    fn curl(&self, base_url: &str) -> String {
        let mut parts = vec!["curl".to_owned()];
        if self.operation.method != "GET" {
            parts[0].push_str(&format!(" -X {}", self.operation.method));
        }
        parts[0].push_str(&format!(" \"{base_url}{}\"", self.target(|name| format!("${}", name.to_uppercase()))));
        if self.has_key {
            parts.push("-u \"$CLIENT_ID:$API_KEY\"".to_owned());
        }
        if self.names_app {
            parts.push("-H \"Api-App-Id: $APP_ID\"".to_owned());
        }
        if let Some(body) = &self.body {
            parts.push("-H 'Content-Type: application/json'".to_owned());
            parts.push(format!("-d '{}'", body.to_string().replace('\'', "'\\''")));
        }
        parts.join(" \\\n  ")
    }

    fn python(&self, base_url: &str) -> String {
        // As the SDK names them.
        let named = |name: &&str| if *name == "from" { "from_".to_owned() } else { (*name).to_owned() };
        let mut arguments: Vec<String> = self.path.iter().map(named).collect();
        arguments.extend(self.body.as_ref().map(|body| python_literal(body, 0)));
        arguments.extend(self.query.iter().map(|name| format!("{0}={0}", named(name))));
        if self.names_app {
            arguments.push("app_id=app_id".to_owned());
        }
        let client = if self.has_key { "client_id, api_key, " } else { "" };
        format!(
            "from bursar import Bursar\n\nwith Bursar({client}base_url=\"{base_url}\") as bursar:\n    result = bursar.{}({})",
            self.operation.id,
            arguments.join(", ").replace('\n', "\n    "),
        )
    }

    fn typescript(&self, base_url: &str) -> String {
        let object = |names: &[&str]| format!("{{ {} }}", names.join(", "));
        let mut parameters = Vec::new();
        if !self.path.is_empty() {
            parameters.push(format!("path: {}", object(&self.path)));
        }
        if !self.query.is_empty() {
            parameters.push(format!("query: {}", object(&self.query)));
        }
        let mut options = Vec::new();
        if !parameters.is_empty() {
            options.push(format!("params: {{ {} }}", parameters.join(", ")));
        }
        if let Some(example) = self.body.as_ref().map(pretty) {
            options.push(format!("body: {}", example.replace('\n', "\n  ")));
        }
        let options =
            if options.is_empty() { String::new() } else { format!(", {{\n  {},\n}}", options.join(",\n  ")) };
        let key = if self.has_key { ", clientId, apiKey" } else { "" };
        let app = if self.names_app { ", appId" } else { "" };
        format!(
            "import {{ Bursar }} from \"@bursar/sdk\";\n\nconst bursar = new Bursar({{ baseUrl: \"{base_url}\"{key}{app} \
             }});\nconst result = await bursar.{}(\"{}\"{options});",
            self.operation.method.to_lowercase(),
            self.operation.path,
        )
    }

    fn go(&self, base_url: &str) -> String {
        let names: Vec<&str> = self.path.iter().chain(&self.query).copied().collect();
        let target = format!("{base_url}{}", self.target(|_| "%s".to_owned()));
        let url = if names.is_empty() {
            format!("\"{target}\"")
        } else {
            let values: Vec<String> = names.iter().map(|name| camel(name)).collect();
            format!("fmt.Sprintf(\"{target}\", {})", values.join(", "))
        };
        let mut lines = Vec::new();
        let body = match &self.body {
            Some(body) => {
                lines.push(format!("body := strings.NewReader(`{}`)", pretty(body)));
                "body"
            }
            None => "nil",
        };
        lines.push(format!("request, err := http.NewRequest(\"{}\", {url}, {body})", self.operation.method));
        lines.push("if err != nil {\n\treturn err\n}".to_owned());
        if self.has_key {
            lines.push("request.SetBasicAuth(clientID, apiKey)".to_owned());
        }
        if self.names_app {
            lines.push("request.Header.Set(\"Api-App-Id\", appID)".to_owned());
        }
        if self.body.is_some() {
            lines.push("request.Header.Set(\"Content-Type\", \"application/json\")".to_owned());
        }
        lines.push("response, err := http.DefaultClient.Do(request)".to_owned());
        lines.join("\n")
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value always serializes")
}

/// Returns `payoutLinkID` for `payout_link_id`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part {
            "id" => camel.push_str("ID"),
            other => {
                let mut letters = other.chars();
                camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                camel.push_str(letters.as_str());
            }
        }
    }
    camel
}

/// Returns a literal of Python, with a line for each entry of an object.
fn python_literal(value: &Value, depth: usize) -> String {
    let (inner, outer) = ("    ".repeat(depth + 1), "    ".repeat(depth));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| python_literal(item, depth)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let lines: Vec<String> = fields
                .iter()
                .map(|(name, field)| {
                    format!("{inner}{}: {},\n", Value::from(name.as_str()), python_literal(field, depth + 1))
                })
                .collect();
            format!("{{\n{}{outer}}}", lines.concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::views::ReferenceRow;

    fn operation(method: &str, path: &str, parameters: &[(&str, &str)], example: Option<&str>) -> Operation {
        let row = |(name, kind): &(&str, &str)| ReferenceRow {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            required: true,
            description: String::new(),
        };
        Operation {
            id: "an_operation".into(),
            method: method.into(),
            path: path.into(),
            callers: "app key".into(),
            parameters: parameters.iter().map(row).collect(),
            request_example: example.map(str::to_owned),
            ..Operation::default()
        }
    }

    fn samples(mut operation: Operation) -> Vec<String> {
        add(&mut operation, "http://127.0.0.1:8080");
        operation.samples.into_iter().map(|sample| sample.code).collect()
    }

    #[test]
    fn a_read_names_its_parameters_in_every_language() {
        let samples = samples(operation(
            "GET",
            "/v2/links/{payout_link_id}",
            &[("payout_link_id", "path, string, uuid"), ("since", "query, string")],
            None,
        ));
        assert_eq!(
            samples[0],
            "curl \"http://127.0.0.1:8080/v2/links/$PAYOUT_LINK_ID?since=$SINCE\" \\\n  -u \"$CLIENT_ID:$API_KEY\""
        );
        assert!(samples[1].ends_with("bursar.an_operation(payout_link_id, since=since)"), "{}", samples[1]);
        assert!(samples[2].contains("params: { path: { payout_link_id }, query: { since } }"), "{}", samples[2]);
        assert!(samples[3].contains("/v2/links/%s?since=%s\", payoutLinkID, since)"), "{}", samples[3]);
    }

    #[test]
    fn a_quote_in_a_body_does_not_end_the_argument_of_curl() {
        let example = "{\"message\": \"it's \\\"yours\\\"\", \"on\": true, \"none\": null}";
        let samples = samples(operation("POST", "/v2/links", &[], Some(example)));
        assert!(
            samples[0].ends_with(r#"-d '{"message":"it'\''s \"yours\"","on":true,"none":null}'"#),
            "{}",
            samples[0]
        );
        assert!(samples[1].contains("\"on\": True") && samples[1].contains("\"none\": None"), "{}", samples[1]);
    }
}
