//! The examples for nginx, Caddy and HAProxy, each started in front of the program: the program sees the caller's
//! address, large bodies get a clear response, and probes and metrics are not reachable.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::deploy::{done, file, text};
use crate::harness::Process;

const NAME: &str = "pay.example.com";
/// The caller has another address than the proxy, which connects from 127.0.0.1.
const CALLER: &str = "127.0.0.2";

/// Returns a free address of this machine.
pub fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A proxy in front of a server, with the files of both.
struct Front {
    folder: tempfile::TempDir,
    server: Option<Process>,
    proxy: Child,
    http: u16,
    https: u16,
}

impl Drop for Front {
    fn drop(&mut self) {
        // nginx ends its workers on this signal.
        drop(Command::new("kill").arg(self.proxy.id().to_string()).status());
        drop(self.proxy.wait());
    }
}

struct Paths<'a> {
    folder: &'a Path,
    server: String,
    http: u16,
    https: u16,
}

impl Paths<'_> {
    fn of(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// Writes an example with other paths and ports. Each replacement must occur.
    fn write(&self, example: &str, replaced: &[(&str, String)]) -> PathBuf {
        let mut config = text(&format!("proxy/{example}"));
        for (from, to) in replaced {
            assert!(config.contains(from), "{example} has no {from}");
            config = config.replace(from, to);
        }
        let path = self.folder.join(example);
        fs::write(&path, config).unwrap();
        path
    }
}

fn nginx(paths: &Paths) -> Command {
    let example = paths.write(
        "nginx.conf",
        &[
            ("listen 80;", format!("listen 127.0.0.1:{};", paths.http)),
            ("listen 443 ssl", format!("listen 127.0.0.1:{} ssl", paths.https)),
            ("127.0.0.1:8080", paths.server.clone()),
            ("/etc/ssl/pay.example.com.pem", paths.of("cert.pem")),
            ("/etc/ssl/private/pay.example.com.key", paths.of("key.pem")),
        ],
    );
    let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {};\n", paths.of(kind)))
        .concat();
    let user = if done(Command::new("id").arg("-u")) == "0\n" { "user root;\n" } else { "" };
    let whole = format!(
        "{user}daemon off;\npid {};\nerror_log stderr;\nevents {{}}\nhttp {{\n{folders}include {};\n}}\n",
        paths.of("nginx.pid"),
        example.display()
    );
    let config = paths.folder.join("whole.conf");
    fs::write(&config, whole).unwrap();
    done(Command::new("/usr/sbin/nginx").arg("-t").arg("-c").arg(&config));
    let mut nginx = Command::new("/usr/sbin/nginx");
    nginx.arg("-c").arg(config);
    nginx
}

fn caddy(paths: &Paths) -> Command {
    done(Command::new("caddy").args(["validate", "--adapter", "caddyfile", "--config"]).arg(file("proxy/Caddyfile")));
    let ports = format!("{{\n\tadmin off\n\thttp_port {}\n\thttps_port {}\n\tservers", paths.http, paths.https);
    let tls = format!("{NAME} {{\n\ttls {} {}", paths.of("cert.pem"), paths.of("key.pem"));
    let replaced = [("{\n\tservers", ports), ("pay.example.com {", tls), ("127.0.0.1:8080", paths.server.clone())];
    let config = paths.write("Caddyfile", &replaced);
    let mut caddy = Command::new("caddy");
    caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(config);
    caddy.env("HOME", paths.folder).env("XDG_DATA_HOME", paths.folder).env("XDG_CONFIG_HOME", paths.folder);
    caddy
}

fn haproxy(paths: &Paths) -> Command {
    let both = ["cert.pem", "key.pem"].map(|name| fs::read_to_string(paths.of(name)).unwrap()).concat();
    fs::write(paths.of("both.pem"), both).unwrap();
    let config = paths.write(
        "haproxy.cfg",
        &[
            ("bind :80\n", format!("bind 127.0.0.1:{}\n", paths.http)),
            ("bind :443 ", format!("bind 127.0.0.1:{} ", paths.https)),
            ("127.0.0.1:8080", paths.server.clone()),
            // The sandbox of the test has its probes on the same listener.
            ("check port 9090", "check".to_owned()),
            ("/etc/haproxy/pay.example.com.pem", paths.of("both.pem")),
            (
                "/etc/haproxy/bursar-unavailable.http",
                file("proxy/haproxy-unavailable.http").to_str().unwrap().to_owned(),
            ),
        ],
    );
    let said = done(Command::new("/usr/sbin/haproxy").arg("-c").arg("-f").arg(&config));
    assert!(!said.contains("WARNING"), "{said}");
    let mut haproxy = Command::new("/usr/sbin/haproxy");
    haproxy.arg("-db").arg("-f").arg(config);
    haproxy
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn error_code(&self) -> String {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body));
        for field in ["success", "message", "errors"] {
            assert!(!body[field].is_null(), "{field}: {body}");
        }
        body["error_code"].as_str().unwrap().to_owned()
    }
}

impl Front {
    fn start(command: fn(&Paths) -> Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let flags = ["--trusted-proxies", "127.0.0.1", "--public-url", "https://pay.example.com"];
        let server = Process::start_logging_with(&folder.path().join("data"), &flags);
        let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
        let subject = ["-subj", "/CN=pay.example.com", "-addext", "subjectAltName=DNS:pay.example.com"];
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]).args(subject);
        done(openssl.arg("-keyout").arg(&key).arg("-out").arg(&cert));
        let (http, https) = (free_port(), free_port());
        let paths = Paths { folder: folder.path(), server: server.address.clone(), http, https };
        let mut proxy = command(&paths);
        let log = fs::File::create(folder.path().join("proxy.log")).unwrap();
        proxy.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let proxy = proxy.spawn().unwrap();
        let front = Self { folder, server: Some(server), proxy, http, https };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", https)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{}", front.log());
            std::thread::park_timeout(Duration::from_millis(20));
        }
        front
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("proxy.log")).unwrap()
    }

    fn ask(&self, path: &str, arguments: &[&str]) -> Reply {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--include", "--max-time", "60", "--interface", CALLER, "--path-as-is"]);
        curl.arg("--cacert").arg(self.folder.path().join("cert.pem"));
        for port in [self.http, self.https] {
            curl.arg("--resolve").arg(format!("{NAME}:{port}:127.0.0.1"));
        }
        // Else curl waits for the permission to send, which some proxies do not forward.
        curl.args(["--header", "Expect:"]).args(arguments);
        let url =
            if path.starts_with("http") { path.to_owned() } else { format!("https://{NAME}:{}{path}", self.https) };
        let output = curl.arg(url).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {errors} {}", self.log()));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn credential(&self) -> String {
        let file = self.folder.path().join("data/sandbox-credentials.json");
        let credentials: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let text = |name: &str| credentials["app"][name].as_str().unwrap().to_owned();
        format!("{}:{}", text("client_id"), text("api_key"))
    }
}

/// Everything that an example promises.
fn keeps_its_promises(command: fn(&Paths) -> Command) {
    let mut front = Front::start(command);
    let credential = front.credential();
    let json = ["--user", &credential, "--header", "Content-Type: application/json"];
    let body = r#"{"amount":1000,"delivery":{"method":"link"}}"#;
    let made = front.ask("/v2/payout-links", &[&json[..], &["--data", body]].concat());
    assert_eq!(made.status, 201, "{} {}", made.body, front.log());
    assert!(made.body.contains("https://pay.example.com/claim/"), "{}", made.body);
    assert!(made.head.contains("strict-transport-security"), "{}", made.head);

    let spoofed = ["--user", "pk_sandbox_a:b", "--header", "X-Forwarded-For: 203.0.113.9"];
    assert_eq!(front.ask("/v2/apps", &spoofed).status, 401);

    for path in ["/metrics", "/livez", "/readyz"] {
        let hidden = front.ask(path, &[]);
        assert_eq!((hidden.status, hidden.error_code().as_str()), (404, "not-found"), "{path}");
    }
    for path in ["/metrics/", "/./metrics", "//metrics", "/%6detrics", "/Metrics", "/metrics?x=1", "/v2/../metrics"] {
        let reply = front.ask(path, &[]);
        assert!(reply.status != 200 && !reply.body.contains("bursar_"), "{path}: {} {}", reply.status, reply.body);
    }

    let large = front.folder.path().join("large");
    let data = format!("@{}", large.display());
    for (bytes, chunked) in [(1_500_000, false), (3_000_000, false), (3_000_000, true)] {
        fs::write(&large, " ".repeat(bytes)).unwrap();
        let chunks: &[&str] = if chunked { &["--http1.1", "--header", "Transfer-Encoding: chunked"] } else { &[] };
        let reply = front.ask("/v2/payout-links", &[&json[..], chunks, &["--data-binary", &data]].concat());
        assert_eq!((reply.status, reply.error_code().as_str()), (413, "payload-too-large"), "{bytes} {chunked}");
    }

    // The file of a bank may be larger: the answer is that of the service, to a key that may not upload it.
    fs::write(&large, " ".repeat(1_500_000)).unwrap();
    let upload = front.ask("/v2/bank/inbound-files", &[&json[..], &["--data-binary", &data]].concat());
    assert_eq!(upload.status, 403, "{}", upload.body);

    let plain = front.ask(&format!("http://{NAME}:{}/docs", front.http), &[]);
    assert!(
        (300..400).contains(&plain.status) && plain.head.contains("location: https://pay.example.com"),
        "{}",
        plain.head
    );

    let server = front.server.take().unwrap();
    server.signal("TERM");
    let (status, log) = server.wait(Duration::from_secs(30));
    assert!(status.success(), "{log}");
    let refused = log.lines().find(|line| line.contains("login_failed")).unwrap_or_else(|| panic!("{log}"));
    assert!(refused.contains(CALLER) && !log.contains("203.0.113.9"), "{refused}");

    let gone = front.ask("/v2/apps", &json);
    assert_eq!((gone.status, gone.error_code().as_str()), (503, "outcome-unknown"), "{}", front.log());
    assert!(gone.head.contains("retry-after: 1"), "{}", gone.head);
}

#[test]
fn nginx_in_front_keeps_its_promises() {
    keeps_its_promises(nginx);
}

#[test]
fn caddy_in_front_keeps_its_promises() {
    keeps_its_promises(caddy);
}

#[test]
fn haproxy_in_front_keeps_its_promises() {
    keeps_its_promises(haproxy);
}
