//! The security log of the real process: a line and a count for each refused login and each change of permissions,
//! without secrets or personal data.

use std::path::Path;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::harness::{Process, http};

/// Sends one request with a credential; returns the status and the body.
fn ask(process: &Process, credential: &str, line: &str, body: &str) -> (u16, Value) {
    ask_with(process, &format!("authorization: Basic {}", BASE64_STANDARD.encode(credential)), line, body)
}

/// Sends one request with these headers.
fn ask_with(process: &Process, headers: &str, line: &str, body: &str) -> (u16, Value) {
    let request = format!(
        "{line} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n{headers}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, rest) = http(&process.address, &request);
    (status, serde_json::from_str(rest.split("\r\n\r\n").nth(1).unwrap()).unwrap_or_default())
}

struct Credentials(Value);

impl Credentials {
    fn of(data_dir: &Path) -> Self {
        let text = std::fs::read_to_string(data_dir.join("sandbox-credentials.json")).unwrap();
        Self(serde_json::from_str(&text).unwrap())
    }

    fn text(&self, whose: &str, name: &str) -> String {
        self.0[whose][name].as_str().unwrap().to_owned()
    }

    fn pair(&self, whose: &str) -> String {
        format!("{}:{}", self.text(whose, "client_id"), self.text(whose, "api_key"))
    }
}

pub fn counted(process: &Process, kind: &str) -> u64 {
    let metrics = process.get("/metrics").1;
    let name = format!("bursar_security_events_total{{kind=\"{kind}\"}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.unwrap_or_else(|| panic!("no count of {kind}: {metrics}")).parse().unwrap()
}

#[test]
fn a_refused_login_and_a_change_of_authority_are_one_line_and_one_count_each() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_logging(folder.path());
    let credentials = Credentials::of(folder.path());
    let (app, organization) = (credentials.pair("app"), credentials.pair("organization"));
    let (app_client, app_id) = (credentials.text("app", "client_id"), credentials.text("app", "id"));
    for kind in ["login_failed", "access_refused", "wrong_claim_token", "verification_locked", "key_issued"] {
        assert_eq!(counted(&process, kind), 0, "{kind} is shown before the first event");
    }

    let wrong = "sk_sandbox_a-secret-that-must-not-be-logged";
    assert_eq!(ask(&process, &format!("{app_client}:{wrong}"), "GET /v2/users", "").0, 401);
    // A caller that swaps the two halves sends the secret as its client id.
    assert_eq!(ask(&process, &format!("{wrong}:"), "GET /v2/users", "").0, 401);
    assert_eq!(ask(&process, &app, "POST /v2/apps", r#"{"name":"Other"}"#).0, 403);
    assert_eq!(process.get("/v2/claims/a-token-that-must-not-be-logged").0, 404);
    let keys = format!("/v2/apps/{app_id}/keys");
    let (status, issued) = ask(&process, &organization, &format!("POST {keys}"), "{}");
    assert_eq!(status, 201, "{issued}");
    let new_client = issued["client_id"].as_str().unwrap();
    assert_eq!(ask(&process, &organization, &format!("DELETE {keys}/{new_client}"), "").0, 200);
    let settings = r#"{"payout_fee_party":"platform"}"#;
    assert_eq!(ask(&process, &organization, &format!("PUT /v2/apps/{app_id}/settings"), settings).0, 200);
    let member = r#"{"name":"Ann Secretary","email":"ann@example.com","role":"payer"}"#;
    assert_eq!(ask(&process, &organization, "POST /v2/members", member).0, 201);
    assert_eq!(ask(&process, &app, "POST /v2/sandbox/clock/advance", r#"{"seconds":60}"#).0, 200);
    let person = r#"{"first_name":"Jane","last_name":"Doe","email":"jane@example.com","country_code":"1","phone_number":"2127361234"}"#;
    let (status, user) = ask(&process, &app, "POST /v2/users", person);
    assert_eq!(status, 201, "{user}");
    let user = user["id"].as_str().unwrap();
    assert_eq!(ask(&process, &organization, &format!("GET /v2/users/{user}/export"), "").0, 200);
    // The negative control: a successful request is not a security event.
    assert_eq!(ask(&process, &app, "GET /v2/users", "").0, 200);

    assert_eq!(counted(&process, "login_failed"), 2);
    assert_eq!(counted(&process, "key_revoked"), 1);
    process.signal("TERM");
    let (_, logged) = process.wait(Duration::from_secs(10));
    for secret in ["must-not-be-logged", "Ann Secretary", "ann@example.com", "jane@example.com", "2127361234"] {
        assert!(!logged.contains(secret), "{logged}");
    }
    let lines = logged.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.filter(|line| line["target"] == "security").collect();
    let shown: Vec<Value> =
        lines.iter().map(|line| json!([line["event"], line["reason"], line["ip"], line["client_id"]])).collect();
    let by = credentials.text("organization", "client_id");
    assert_eq!(
        shown,
        [
            json!(["login_failed", "wrong-credentials", "127.0.0.1", app_client]),
            json!(["login_failed", "unknown-client-id", "127.0.0.1", null]),
            json!(["access_refused", "organization-key-required", "127.0.0.1", app_client]),
            json!(["wrong_claim_token", "not-found", "127.0.0.1", null]),
            json!(["key_issued", "issued", "127.0.0.1", by]),
            json!(["key_revoked", "revoked", "127.0.0.1", by]),
            json!(["setting_changed", "updated", "127.0.0.1", by]),
            json!(["member_changed", "created", "127.0.0.1", by]),
            json!(["clock_moved", "moved", "127.0.0.1", app_client]),
            json!(["user_exported", "exported", "127.0.0.1", by]),
        ]
    );
    assert_eq!(lines[0]["route"], "/v2/users");
    assert_eq!(lines[9]["subject"], user);
    assert_eq!((&lines[4]["subject"], &lines[6]["subject"]), (&json!(new_client), &json!(app_id)));
}

/// Returns the lines of the security log: event, reason, and subject.
fn lines(logged: &str) -> Vec<Value> {
    let lines = logged.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["target"] == "security").collect()
}

#[test]
fn a_wrong_code_a_lock_and_an_unlock_are_one_line_and_one_count_each() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_logging(folder.path());
    let credentials = Credentials::of(folder.path());
    let (app, organization) = (credentials.pair("app"), credentials.pair("organization"));
    let phone = r#"{"country_code":"1","phone_number":"2127361234"}"#;
    // At a claim. After thirty wrong codes each further one makes the phone wait for a day.
    let wrong_one = || {
        let link = format!(r#"{{"amount":100,"delivery":{{"method":"link"}},"payee":{phone}}}"#);
        let link = ask(&process, &app, "POST /v2/payout-links", &link).1;
        let claim = format!("/v2/claims/{}", link["link"].as_str().unwrap().rsplit('/').next().unwrap());
        assert_eq!(ask_with(&process, "x-none: 1", &format!("POST {claim}/contact"), phone).0, 200);
        let (status, _) = ask_with(&process, "x-none: 1", &format!("POST {claim}/code"), r#"{"token":"000000"}"#);
        // One code in a million is correct by chance: then another link follows.
        assert!(status == 400 || status == 200, "{status}");
        assert_eq!(ask(&process, &app, "POST /v2/sandbox/clock/advance", r#"{"seconds":86400}"#).0, 200);
    };
    while counted(&process, "wrong_code") < 99 {
        wrong_one();
    }
    assert_eq!(counted(&process, "verification_locked"), 0);
    while counted(&process, "wrong_code") < 100 {
        wrong_one();
    }
    assert_eq!(counted(&process, "verification_locked"), 1);
    for _ in 0..2 {
        assert_eq!(ask(&process, &organization, "POST /v2/verifications/unlock", phone).0, 200);
    }
    assert_eq!(counted(&process, "verification_unlocked"), 1, "to unlock again changes nothing");
    process.signal("TERM");
    let (_, logged) = process.wait(Duration::from_secs(10));
    assert!(!logged.contains("2127361234"), "no phone number is logged");
    let lines = lines(&logged);
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    let (wrong, locked, unlocked) = (of("wrong_code"), of("verification_locked"), of("verification_unlocked"));
    assert_eq!((wrong.len(), locked.len(), unlocked.len()), (100, 1, 1));
    let organization_id = credentials.text("organization", "id");
    for line in [wrong[0], locked[0], unlocked[0]] {
        assert_eq!((&line["ip"], &line["organization"]), (&json!("127.0.0.1"), &json!(organization_id)), "{line}");
        assert_eq!(line["subject"], locked[0]["subject"]);
    }
    assert_eq!(unlocked[0]["client_id"], credentials.text("organization", "client_id"));
}

#[test]
fn a_sign_in_a_failed_one_and_a_setup_token_are_one_line_and_one_count_each() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start_logging(folder.path());
    let credentials = Credentials::of(folder.path());
    let (organization, id) = (credentials.pair("organization"), credentials.text("organization", "id"));
    let jane = r#"{"name":"Jane Payer","email":"jane@example.com","role":"payer"}"#;
    let member = ask(&process, &organization, "POST /v2/members", jane).1["id"].as_str().unwrap().to_owned();
    let token = ask(&process, &organization, &format!("POST /v2/members/{member}/set-up-token"), "").1;
    let password = "a-password-that-must-not-be-logged";
    let set_up = json!({"token": token["token"], "password": password}).to_string();
    let anyone = |line: &str, body: &str| ask_with(&process, "x-none: 1", line, body);
    assert_eq!(anyone("POST /v2/member-set-ups", &set_up).0, 200);
    assert_eq!(anyone("POST /v2/member-set-ups", &set_up).0, 400, "it is used");
    let setup = r#"{"token":"a-token-that-must-not-be-logged","name":"Eve","admin_email":"eve@example.com"}"#;
    assert_eq!(anyone("POST /v2/setup", setup).0, 404);
    assert_eq!(process.get("/setup/a-token-that-must-not-be-logged").0, 404);

    let sign_in = |password: &str, code: Option<&str>| {
        let body = json!({"organization_id": id, "email": "jane@example.com", "password": password, "code": code});
        anyone("POST /v2/member-sessions", &body.to_string())
    };
    assert_eq!(sign_in("wrong-and-must-not-be-logged", None).0, 401);
    let (status, opened) = sign_in(password, None);
    assert_eq!(status, 201, "{opened}");
    let session = format!("member-session: {}", opened["token"].as_str().unwrap());
    let current = json!({"current_password": password}).to_string();
    let (status, totp) = ask_with(&process, &session, "POST /v2/member-sessions/current/totp", &current);
    assert_eq!(status, 200, "{totp}");
    let secret = crate::samples::base32(totp["secret"].as_str().unwrap());
    let now = || ask(&process, &credentials.pair("app"), "GET /v2/sandbox/clock", "").1;
    let time = |clock: &Value| bursar::clock::Time::parse(clock["now"].as_str().unwrap()).unwrap();
    let code = bursar::members::sign_in::totp::code_now(&secret, time(&now()));
    let confirm = |code: &str| {
        let body = json!({"code": code}).to_string();
        ask_with(&process, &session, "POST /v2/member-sessions/current/totp/confirm", &body).0
    };
    assert_eq!(confirm(&another(&code)), 400);
    assert_eq!(confirm(&code), 200);
    // A code is valid once, so this one is wrong now.
    assert_eq!(sign_in(password, Some(&code)).0, 400);
    process.signal("TERM");
    let (_, logged) = process.wait(Duration::from_secs(10));
    for secret in ["must-not-be-logged", "Jane Payer", "jane@example.com"] {
        assert!(!logged.contains(secret), "{secret}: {logged}");
    }
    let lines = lines(&logged);
    let shown: Vec<Value> = lines.iter().map(|line| json!([line["event"], line["reason"]])).collect();
    assert_eq!(
        shown,
        [
            json!(["member_changed", "created"]),
            json!(["member_changed", "set-up-token-issued"]),
            json!(["setup_token_used", "password-set"]),
            json!(["member_changed", "password-set"]),
            json!(["setup_token_refused", "wrong-token"]),
            json!(["setup_token_refused", "not-found"]),
            json!(["setup_token_refused", "not-found"]),
            json!(["member_session_refused", "wrong-password"]),
            json!(["login_failed", "no-credentials"]),
            json!(["member_session_opened", "signed-in"]),
            json!(["second_factor_failed", "not-confirmed"]),
            json!(["member_changed", "second-factor-added"]),
            json!(["second_factor_failed", "wrong-token"]),
        ]
    );
    assert_eq!((&lines[12]["subject"], &lines[12]["ip"]), (&json!(member), &json!("127.0.0.1")));
}

fn another(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}
