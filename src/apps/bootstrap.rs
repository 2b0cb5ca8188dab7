//! The first start of an empty sandbox: a demonstration organization, and a file with its keys (docs/decisions.md 13
//! and 15).
//!
//! Invariant: if the program dies at any moment, the keys in the file open the store's demonstration organization, or
//! the next start ensures it. The file is written first, and the commit uses its content.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::acts::{self, OpenedSetup};
use super::demonstration::{CreateDemonstration, Credentials};
use super::rows::is_empty;
use crate::program::{Bursar, Environment};
use crate::refusal::{Code, Refusal};

pub const FILE_NAME: &str = "sandbox-credentials.json";

/// The result of a start.
#[derive(Clone, Debug)]
pub struct Bootstrapped {
    /// The file of the credentials, if this sandbox has one.
    pub path: PathBuf,
    /// Whether this start created the organization.
    pub first_start: bool,
    /// The credentials, at the first start only: later starts show the path, not the secrets.
    pub credentials: Option<Credentials>,
    /// The setup token of a production server without an organization.
    pub setup: Option<OpenedSetup>,
}

/// Creates the demonstration organization of an empty sandbox. Does nothing in production, or if the store has an
/// organization.
///
/// # Errors
///
/// 503 `service-unavailable` if the store or the file cannot be read or written.
pub async fn bootstrap(bursar: &Bursar, data_dir: &Path, base_url: &str) -> Result<Bootstrapped, Refusal> {
    let path = data_dir.join(FILE_NAME);
    let is_new = bursar.read(is_empty).await?;
    if bursar.environment == Environment::Production || !is_new {
        let setup = is_new.then(|| acts::open_setup(bursar));
        if bursar.environment == Environment::Sandbox {
            let (file, base_url) = (path.clone(), base_url.to_owned());
            let kept = tokio::task::spawn_blocking(move || keep_address(&file, &base_url)).await;
            if let Ok(Err(error)) = kept {
                tracing::warn!(path = %path.display(), %error, "the address cannot be written into the credentials' file");
            }
        }
        return Ok(Bootstrapped { path, first_start: false, credentials: None, setup });
    }
    let fresh = Credentials::draw(&mut bursar.entropy(), bursar.clock.now(), bursar.environment, base_url);
    let file = path.clone();
    let credentials = tokio::task::spawn_blocking(move || read_or_write(&file, fresh))
        .await
        .unwrap_or_else(|_| Err(io::Error::other("writing was interrupted")))
        .map_err(|error| unavailable(&path, &error))?;
    let command = CreateDemonstration::of(&credentials, &bursar.vault, &mut bursar.entropy());
    let first_start = bursar.engine.run(command.org, command).await?;
    Ok(Bootstrapped { path, first_start, credentials: Some(credentials), setup: None })
}

/// Returns the credentials in the file.
///
/// # Errors
///
/// The error of the operating system, or `InvalidData` if the file has other content.
pub fn read(path: &Path) -> io::Result<Credentials> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// Returns three commands to copy: send $10.00, read the payee's message, and after the claim move the clock by a day.
/// `user` is the key of an app; `between` separates the arguments.
pub fn curl_commands(user: &str, base_url: &str, between: &str) -> [String; 3] {
    let curl = format!("curl -u '{user}'");
    let json = "-H 'Content-Type: application/json'";
    let payout = r#"{"amount": 1000, "payee": {"country_code": "1", "phone_number": "2127361234"}, "delivery": {"message": "Thank you!"}}"#;
    let payout = format!("-d '{payout}'");
    let seconds = r#"-d '{"seconds": 86400}'"#;
    [
        [curl.as_str(), json, &payout, &format!("{base_url}/v2/payouts/send-payout")].join(between),
        [curl.as_str(), &format!("'{base_url}/v2/sandbox/messages?to=%2B12127361234'")].join(between),
        [curl.as_str(), json, seconds, &format!("{base_url}/v2/sandbox/clock/advance")].join(between),
    ]
}

/// Returns the commands with the key of the sandbox's app, each on a line.
pub fn curl_lines(credentials: &Credentials) -> [String; 3] {
    let Credentials { base_url, app, .. } = credentials;
    curl_commands(&format!("{}:{}", app.client_id, app.api_key), base_url, " ")
}

/// Returns the credentials in the file, from a start that died before its commit, or else the fresh ones.
fn read_or_write(path: &Path, fresh: Credentials) -> io::Result<Credentials> {
    match fs::read(path) {
        // The address may have changed; the keys stay.
        Ok(bytes) => {
            let found: Credentials = serde_json::from_slice(&bytes)?;
            let found = Credentials { base_url: fresh.base_url, ..found };
            write_atomically(path, &found)?;
            Ok(found)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write_atomically(path, &fresh)?;
            Ok(fresh)
        }
        Err(error) => Err(error),
    }
}

/// Writes the address of a later start into the file, so that the command line finds the server. The file may be gone.
fn keep_address(path: &Path, base_url: &str) -> io::Result<()> {
    match read(path) {
        Ok(found) if found.base_url == base_url => Ok(()),
        Ok(found) => write_atomically(path, &Credentials { base_url: base_url.to_owned(), ..found }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the file atomically and durably, readable by its owner only.
///
/// # Errors
///
/// The error of the operating system.
pub fn write_atomically(path: &Path, credentials: &Credentials) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let draft = path.with_extension("json.draft");
    // A draft of an earlier start may have another mode.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let mut text = serde_json::to_string_pretty(credentials)?;
    text.push('\n');
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    // The new name is durable only after the folder is synced.
    File::open(folder)?.sync_all()
}

fn unavailable(path: &Path, error: &io::Error) -> Refusal {
    let message = format!(
        "The credentials of the sandbox cannot be read or written at {}: {error}. Correct or remove that file and \
         start again.",
        path.display()
    );
    Refusal::new(Code::ServiceUnavailable, message)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::{Arc, Mutex, OnceLock};

    use super::*;
    use crate::apps::{Presented, authenticate};
    use crate::clock::Clock;
    use crate::engine::{Engine, Executor, Queries};
    use crate::http::Who;
    use crate::ids::Seeds;
    use crate::program::{KnownKeys, Originals, SignIns};
    use crate::store::{Reads, Sqlite, Store};
    use crate::vault::Vault;

    const URL: &str = "http://127.0.0.1:8080";

    /// Starts a program over a real file, as `serve` does.
    fn start(database: &Path) -> Bursar {
        let Sqlite { writer, readers, .. } = Sqlite::open(database, true).unwrap();
        let clock = Clock::wall();
        let executor = Executor::new(Store::Sqlite(Box::new(writer)), clock.clone(), Seeds::System);
        Bursar {
            engine: Engine::start(executor).unwrap(),
            queries: Queries::start(Reads::Sqlite(readers.clone())).unwrap(),
            reads: Reads::Sqlite(readers),
            vault: Arc::new(Vault::new([1; 32])),
            history: crate::chain::HistoryKeys::of_seed(&[1; 32]),
            clock,
            environment: Environment::Sandbox,
            live: false,
            public_url: URL.to_owned(),
            seeds: Mutex::new(Seeds::System),
            keys: KnownKeys::default(),
            sign_ins: SignIns::default(),
            providers: crate::providers::Providers::default(),
            transports: crate::bank_transports::Transports::default(),
            outbound: crate::outbound::Outbound::new(Environment::Sandbox.reach(), crate::outbound::DEADLINE),
            rail_tokens: crate::outbound::Tokens::default(),
            rail_turns: crate::outbound::Turns::default(),
            setup: crate::program::SetupToken::default(),
            watchlist: std::sync::RwLock::new(crate::screening::Watchlist::of_sandbox()),
            local_credentials: OnceLock::new(),
            originals: Originals::NONE,
            requests: crate::program::SeenRequests::default(),
        }
    }

    async fn open_the_app(bursar: &Bursar, file: &Path) {
        use base64::prelude::{BASE64_STANDARD, Engine as _};
        let credentials: Credentials = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        for (client_id, secret, who) in [
            (&credentials.app.client_id, &credentials.app.api_key, Who::App),
            (&credentials.organization.client_id, &credentials.organization.api_key, Who::Organization),
        ] {
            let header = format!("Basic {}", BASE64_STANDARD.encode(format!("{client_id}:{secret}")));
            let presented = Presented { authorization: Some(&header), ..Presented::default() };
            let caller = authenticate(bursar, presented, who, None).await.unwrap();
            assert_eq!(caller.org, credentials.organization.id);
        }
    }

    #[tokio::test]
    async fn the_first_start_writes_the_credentials_and_later_ones_leave_them() {
        let folder = tempfile::tempdir().unwrap();
        let bursar = start(&folder.path().join("bursar.db"));
        let data = folder.path().join("data");
        let first = bootstrap(&bursar, &data, URL).await.unwrap();
        assert!(first.first_start);
        assert_eq!(fs::metadata(&first.path).unwrap().permissions().mode() & 0o777, 0o600);
        open_the_app(&bursar, &first.path).await;

        let written = fs::read(&first.path).unwrap();
        let later = bootstrap(&bursar, &data, URL).await.unwrap();
        assert!(!later.first_start && later.credentials.is_none());
        assert_eq!(fs::read(&first.path).unwrap(), written);
        assert_eq!(fs::read_dir(&data).unwrap().count(), 1, "no draft is left");
    }

    #[tokio::test]
    async fn a_start_that_died_before_its_commit_is_made_good() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE_NAME);
        let drawn = Credentials::draw(
            &mut Seeds::counted(5).next_entropy(),
            crate::clock::Time::from_micros(1),
            Environment::Sandbox,
            "http://elsewhere",
        );
        write_atomically(&file, &drawn).unwrap();
        // The crashed start may have left a draft.
        fs::write(file.with_extension("json.draft"), "{").unwrap();

        let bursar = start(&folder.path().join("bursar.db"));
        let started = bootstrap(&bursar, folder.path(), URL).await.unwrap();
        assert!(started.first_start);
        let expected = Credentials { base_url: URL.to_owned(), ..drawn };
        assert_eq!(started.credentials, Some(expected));
        open_the_app(&bursar, &file).await;
    }

    #[tokio::test]
    async fn a_damaged_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE_NAME);
        fs::write(&file, "{\"base_url\":").unwrap();
        let bursar = start(&folder.path().join("bursar.db"));
        let refusal = bootstrap(&bursar, folder.path(), URL).await.unwrap_err();
        assert_eq!(refusal.code, Code::ServiceUnavailable);
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\"base_url\":");
    }

    #[tokio::test]
    async fn production_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let bursar = Bursar::in_memory(Environment::Production).unwrap();
        let started = bootstrap(&bursar, folder.path(), URL).await.unwrap();
        assert!(!started.first_start && !started.path.exists());
    }

    #[test]
    fn the_file_is_as_documented() {
        let now = crate::clock::Time::from_micros(1);
        let drawn = Credentials::draw(&mut Seeds::counted(5).next_entropy(), now, Environment::Sandbox, URL);
        let document = serde_json::to_value(&drawn).unwrap();
        let fields =
            |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(fields(&document), "base_url organization app members");
        assert_eq!(fields(&document["organization"]), "id client_id api_key");
        assert_eq!(fields(&document["app"]), "id name client_id api_key");
        assert_eq!(fields(&document["members"][0]), "id number name email role password");
        assert_eq!(document["members"].as_array().unwrap().len(), 5);
        for line in curl_lines(&drawn) {
            assert!(line.starts_with(&format!("curl -u '{}:{}'", drawn.app.client_id, drawn.app.api_key)), "{line}");
        }
    }
}
