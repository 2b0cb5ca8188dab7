//! Master keys, and the first start in production, with the real program.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::harness::{Process, Server, bursar, http};
use crate::security_log::counted;

/// Runs the program to its end; returns the exit code, its output, and its errors.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let done = bursar(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

fn works(arguments: &[&str]) -> String {
    let (code, printed, complaint) = run(arguments);
    assert_eq!(code, 0, "{arguments:?}: {complaint}");
    printed
}

/// Sends one request with a key `client_id:secret`; returns the status and the body.
fn ask(process: &Process, key: &str, line: &str, body: &str) -> (u16, Value) {
    let head = format!(
        "{line} HTTP/1.1\r\nhost: {}\r\nauthorization: Basic {}\r\ncontent-type: application/json\r\n",
        process.address,
        BASE64_STANDARD.encode(key)
    );
    let request = format!("{head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    let (status, rest) = http(&process.address, &request);
    let body = rest.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

/// Returns the app's key in a sandbox's credentials.
fn app_key(data_dir: &Path) -> String {
    let text = std::fs::read_to_string(data_dir.join("sandbox-credentials.json")).unwrap();
    let credentials: Value = serde_json::from_str(&text).unwrap();
    let part = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
    format!("{}:{}", part("client_id"), part("api_key"))
}

const LINK: &str =
    r#"{"amount": 500, "payee": {"country_code": "1", "phone_number": "2127361113"}, "delivery": {"method": "link"}}"#;

#[test]
fn rekey_rewrites_every_seal_while_the_server_serves() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let (data, file) = (data_dir.to_str().unwrap(), data_dir.join("master.key"));
    let process = Process::start(&data_dir);
    let key = app_key(&data_dir);
    let (status, link) = ask(&process, &key, "POST /v2/payout-links", LINK);
    assert_eq!(status, 201, "{link}");
    let path = format!("GET /v2/payout-links/{}", link["id"].as_str().unwrap());
    let report: Value = serde_json::from_str(&works(&["rekey", "--data-dir", data, "--json"])).unwrap();
    assert_eq!((&report["active"], &report["removable"]), (&json!(2), &json!([1])));
    assert_eq!(report["records"], report["current"], "{report}");
    // The key was added and made active: two changed files.
    assert_eq!(counted(&process, "master_keys_changed"), 2);
    assert!(counted(&process, "seals_rewritten") > 0);
    assert_eq!(ask(&process, &key, &path, "").1["link"], link["link"], "the server served all the while");
    let (code, _, complaint) = run(&["keys", "master", file.to_str().unwrap(), "--remove", "2"]);
    assert!(code == 1 && complaint.contains("is the active one"), "{complaint}");
    works(&["keys", "master", file.to_str().unwrap(), "--remove", "1"]);
    process.signal("TERM");
    assert!(process.wait(Duration::from_secs(20)).0.success());
    let process = Process::start(&data_dir);
    let token = |link: &Value| link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    assert_eq!(token(&ask(&process, &key, &path, "").1), token(&link), "without the old key");
    let said = works(&["verify", "--data-dir", data, "--all-seals", "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said["seals"].as_u64().unwrap() > 0 && said["findings"] == json!([]), "{said}");
    // The control: another file opens nothing, and a server does not start with it.
    process.signal("TERM");
    process.wait(Duration::from_secs(20));
    std::fs::remove_file(&file).unwrap();
    works(&["keys", "master", file.to_str().unwrap()]);
    let (code, _, complaint) = run(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data]);
    assert_eq!(code, 78, "{complaint}");
}

#[test]
fn a_wrapped_key_file_is_unwrapped_by_a_command_or_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    works(&["keys", "master", path("plain").to_str().unwrap()]);
    let plain = std::fs::read(path("plain")).unwrap();
    let write = |name: &str, text: &str| -> PathBuf {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        path(name)
    };
    let wrapped = write("wrapped", &BASE64_STANDARD.encode(&plain));
    let flags = ["--key-file", wrapped.to_str().unwrap(), "--master-key-command", "base64 -d"];
    let data_dir = path("data");
    let process = Process::start_with(&data_dir, &flags);
    let key = app_key(&data_dir);
    let (status, link) = ask(&process, &key, "POST /v2/payout-links", LINK);
    assert_eq!(status, 201, "{link}");
    drop(process);

    // The same keys by a call: the token is in the header and the file in the body.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/unwrap", listener.local_addr().unwrap());
    let answer = json!({"plaintext": BASE64_STANDARD.encode(&plain)}).to_string();
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut some = [0; 4096];
        while !String::from_utf8_lossy(&request).contains("ciphertext\":\"") || request.last() != Some(&b'}') {
            let read = stream.read(&mut some).unwrap();
            request.extend_from_slice(&some[..read]);
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            answer.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(request).unwrap()
    });
    let token = write("token", "let-me-in\n");
    let by_call = [
        "--key-file",
        wrapped.to_str().unwrap(),
        "--master-key-url",
        &url,
        "--master-key-token-file",
        token.to_str().unwrap(),
    ];
    let said = works(&[&["verify", "--data-dir", data_dir.to_str().unwrap(), "--json"][..], &by_call].concat());
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said["findings"] == json!([]), "{said}");
    let request = heard.join().unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer let-me-in\r\n"), "{request}");

    for (flags, said) in [
        (vec!["--master-key-command", "false"], "ended with"),
        (vec!["--master-key-command", "cat"], "the output of master-key-command"),
        (vec!["--master-key-url", "http://example.com/unwrap"], "must begin with https://"),
        (vec!["--master-key-url", "http://127.0.0.1.example.com/"], "must begin with https://"),
        (vec!["--master-key-command", "cat", "--master-key-url", "https://x"], "cannot be combined"),
    ] {
        let serve = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data-dir",
            data_dir.to_str().unwrap(),
            "--key-file",
            wrapped.to_str().unwrap(),
        ];
        let (code, _, complaint) = run(&[&serve[..], &flags].concat());
        assert!(code == 78 && complaint.contains(said), "{flags:?}: {complaint}");
    }
}

/// Creates a folder for production without an organization; returns the configuration file.
pub fn production(folder: &Path) -> PathBuf {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    works(&["keys", "master", &path("master.key")]);
    std::fs::write(path("token"), "secret").unwrap();
    std::fs::set_permissions(path("token"), std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::create_dir(path("data")).unwrap();
    std::fs::set_permissions(path("data"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sanctions");
    works(&["screening", "load", list, "--data-dir", &path("data")]);
    let toml = format!(
        "environment = 'production'\ndata-dir = '{}'\nkey-file = '{}'\npublic-url = 'https://pay.example.com'\nadmin-listen = \
         '127.0.0.2:0'\nsmtp-url = 'smtps://mail.example.com:465'\nsmtp-from = 'pay@example.com'\nsms-url = \
         'https://sms.example.com'\nsms-account = 'AC1'\nsms-token-file = '{}'\nsms-from = '+12125550100'\n",
        path("data"),
        path("master.key"),
        path("token")
    );
    std::fs::write(path("bursar.toml"), toml).unwrap();
    folder.join("bursar.toml")
}

pub fn serve(folder: &Path) -> Process {
    Process::start_with(&folder.join("data"), &["--config", folder.join("bursar.toml").to_str().unwrap()])
}

#[test]
fn organizations_create_makes_what_a_first_payout_needs() {
    let folder = tempfile::tempdir().unwrap();
    let config = production(folder.path());
    let create =
        ["organizations", "create", "--config", config.to_str().unwrap(), "--name", "Example Pay", "--admin-email"];
    let (code, _, complaint) = run(&[&create[..], &["nobody"]].concat());
    assert!(code == 1 && complaint.contains("--admin-email"), "{complaint}");
    let made = works(&[&create[..], &["ada@example.com", "--app-name", "Payroll", "--json"]].concat());
    let made: Value = serde_json::from_str(&made).unwrap();
    let key = |of: &Value| format!("{}:{}", of["client_id"].as_str().unwrap(), of["api_key"].as_str().unwrap());
    // No password is generated: the administrator chooses one.
    let administrator = &made["administrator"];
    assert_eq!(administrator["password"], Value::Null, "{administrator}");
    let link = administrator["set_up"]["link"].as_str().unwrap();
    assert!(link.starts_with("https://pay.example.com/setup/mp_"), "{link}");
    let process = serve(folder.path());
    assert!(!process.printed.iter().any(|line| line.contains("/v2/setup")), "{:?}", process.printed);
    let (status, members) = ask(&process, &key(&made["keys"]), "GET /v2/members", "");
    assert_eq!((status, &members["data"][0]["role"]), (200, &json!("admin")), "{members}");
    let (status, refused) = ask(&process, &key(&made["app"]["keys"]), "POST /v2/payouts/send-payout", LINK);
    assert_eq!((status, &refused["error_code"]), (402, &json!("transaction-insufficient-funds")), "{refused}");
    let fictional = LINK.replace("2127361113", "2125550113");
    let (status, refused) = ask(&process, &key(&made["app"]["keys"]), "POST /v2/payouts/send-payout", &fictional);
    assert_eq!((status, &refused["reason"]), (400, &json!("phone-number-reserved")), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("only a sandbox accepts it"), "{refused}");
    let page = link.strip_prefix("https://pay.example.com").unwrap();
    let (status, page_text) = process.get(page);
    assert!(status == 200 && page_text.contains("Set your password"), "{page_text}");
    let token = administrator["set_up"]["token"].as_str().unwrap();
    let chosen = json!({"token": token, "password": "correct horse battery"}).to_string();
    assert_eq!(ask(&process, "x", "POST /v2/member-set-ups", &chosen).0, 200);
    assert_eq!(process.get(page).0, 404, "it works once");
    let (_, acts) = ask(&process, &key(&made["keys"]), "GET /v2/administrative-acts", "");
    let acts: Vec<&str> = acts["data"].as_array().unwrap().iter().map(|act| act["act"].as_str().unwrap()).collect();
    let created =
        ["organization.created", "key.issued", "member.created", "app.created", "key.issued", "member.changed"];
    assert_eq!(acts, created);
    // The store is locked while the server runs.
    let (code, _, complaint) = run(&[&create[..], &["ada@example.com"]].concat());
    assert!(code == 1 && complaint.contains("Stop that server first"), "{complaint}");
}

#[test]
fn create_first_organization_works_once_with_the_token_that_production_prints() {
    let folder = tempfile::tempdir().unwrap();
    production(folder.path());
    let process = serve(folder.path());
    let link = process.printed.iter().find(|line| line.contains("https://pay.example.com/setup/")).expect("and a link");
    let (status, page) = process.get(link.trim().strip_prefix("https://pay.example.com").unwrap());
    assert!(status == 200 && page.contains("Create your organization"), "{page}");
    let line = process.printed.iter().find(|line| line.contains("/v2/setup")).expect("a first start prints a token");
    let token = line.split("\"token\":\"").nth(1).unwrap().split('"').next().unwrap();
    let body = json!({"token": token, "name": "Example Pay", "admin_email": "ada@example.com", "app_name": "Payroll"})
        .to_string();
    let wrong = body.replace(token, &token.to_lowercase());
    assert_eq!(ask(&process, "x", "POST /v2/setup", &wrong).0, 404, "the control: another token");
    let (status, made) = ask(&process, "x", "POST /v2/setup", &body);
    assert_eq!(status, 201, "{made}");
    assert_eq!(ask(&process, "x", "POST /v2/setup", &body).0, 404, "it works once");
    let key = |of: &Value| format!("{}:{}", of["client_id"].as_str().unwrap(), of["api_key"].as_str().unwrap());
    assert_eq!(ask(&process, &key(&made["app"]["keys"]), "GET /v2/apps", "").0, 200);
    process.signal("TERM");
    assert!(process.wait(Duration::from_secs(20)).0.success());
    assert!(
        !serve(folder.path()).printed.iter().any(|line| line.contains("/v2/setup")),
        "there is an organization now"
    );
}

#[tokio::test]
async fn create_first_organization_needs_a_token_that_is_still_good() {
    let server = Server::memory().await;
    let setup = async |token: &str| {
        let body = json!({"token": token, "name": "Example Pay", "admin_email": "ada@example.com"});
        server.post("/v2/setup").json(body).send().await
    };
    setup("nothing").await.refused(404, "not-found");
    let token = bursar::apps::acts::open_setup(server.bursar()).token;
    server.advance(3_600);
    setup(&token).await.refused(404, "not-found");
    let token = bursar::apps::acts::open_setup(server.bursar()).token;
    let made = setup(&token).await.expect(201).body;
    assert_eq!(made["app"], Value::Null);
    setup(&token).await.refused(404, "not-found");
    let keys = &made["keys"];
    let (client_id, key) = (keys["client_id"].as_str().unwrap(), keys["api_key"].as_str().unwrap());
    let own = server.get("/v2/organizations").basic(client_id, key).send().await.expect(200).body;
    assert_eq!(own["data"][0]["id"], made["id"]);
}

#[test]
fn production_lists_what_is_wrong_with_its_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let config = production(folder.path());
    let data = folder.path().join("data");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(folder.path().join("token"), std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::remove_file(folder.path().join("master.key")).unwrap();
    std::fs::remove_dir_all(data.join("sanctions")).unwrap();
    let (code, _, complaint) = run(&["serve", "--config", config.to_str().unwrap()]);
    assert_eq!(code, 78);
    for said in ["bursar keys master", "chmod 700", "set its mode to 600", "bursar screening load"] {
        assert!(complaint.contains(said), "{said}: {complaint}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_leaves_no_core_dump() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.id())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"], "{core}");
}
