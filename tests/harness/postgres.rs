//! PostgreSQL for the tests: one server for a run, and a separate database for each test.
//!
//! The first test that needs the server starts it, and it ends with the process that started the tests.
//! `BURSAR_TEST_POSTGRES_BIN` selects its programs (`make postgres-18`), and `BURSAR_TEST_ISOLATION` its default
//! isolation level (`make serializable`). `BURSAR_TEST_POSTGRES` names another server to use instead, as a URL without
//! a database, whose user may create databases. If `BURSAR_TEST_STORE` is `citus`, it is the cluster of `citus.rs`.

use std::fs::File;
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::citus::Citus;
use bursar::store::postgres::Settings;
use bursar::store::{Postgres, migrations};

/// The database that all others are copied from.
const TEMPLATE: &str = "bursar_template";

/// Returns the settings of a new database if the API's tests are to run over PostgreSQL.
pub fn asked_for() -> Option<Settings> {
    match std::env::var("BURSAR_TEST_STORE").as_deref() {
        Ok("postgres" | "citus") => Some(Database::new().settings()),
        Ok("pgbouncer") => Some(Database::new().pooled()),
        _ => None,
    }
}

/// Returns whether they are to run over a cluster of Citus.
pub fn is_citus_asked_for() -> bool {
    std::env::var("BURSAR_TEST_STORE").is_ok_and(|store| store == "citus")
}

/// Runs on a separate thread, because a test's async runtime must not block.
pub fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[derive(Clone, Debug)]
pub struct Cluster {
    /// A folder with `data/` and `socket/`; `None` for an external server.
    folder: Option<PathBuf>,
    /// `postgres://…/{}?…`, with a placeholder for the database's name.
    url: String,
    /// Set if it is a coordinator.
    pub citus: Option<Citus>,
}

/// A database with our schema and nothing in it.
#[derive(Clone, Debug)]
pub struct Database {
    pub cluster: Cluster,
    pub name: String,
}

impl Cluster {
    /// Returns the server that the tests of a run share.
    pub fn shared() -> Self {
        if is_citus_asked_for() { Self::citus() } else { Self::single() }
    }

    /// Returns the run's single server, ignoring `BURSAR_TEST_STORE`.
    pub fn single() -> Self {
        let owner = std::os::unix::process::parent_id();
        let folder = std::env::temp_dir().join(format!("bursar-postgres-{owner}"));
        std::fs::create_dir_all(&folder).unwrap();
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let cluster = match std::env::var("BURSAR_TEST_POSTGRES") {
            Ok(url) => {
                let (front, query) = url.split_once('?').unwrap_or((&url, ""));
                Self::elsewhere(format!("{}/{{}}?{query}", front.trim_end_matches('/')))
            }
            Err(_) => Self::at(&folder),
        };
        let ready = folder.join("ready");
        // The files of a run that ended with its machine are not a running server.
        let lives = ready.exists() && aside(|| cluster.try_run("postgres", "SELECT 1").is_ok());
        if !lives {
            if cluster.folder.is_some() {
                drop(std::fs::remove_dir_all(folder.join("data")));
                Self::start(&folder, owner, "off");
            }
            cluster.make_template();
            File::create(ready).unwrap();
        }
        // The lock is released with its file.
        cluster
    }

    /// Returns the coordinator of the cluster that `BURSAR_TEST_CITUS_URL` names.
    pub fn citus() -> Self {
        let named = std::env::var("BURSAR_TEST_CITUS_URL").unwrap_or_else(|_| {
            panic!("BURSAR_TEST_CITUS_URL is not set: the URL, without a database, of the coordinator of a cluster of Citus; tests/citus/cluster.sh starts one")
        });
        let url = format!("{}/{{}}", named.trim_end_matches('/'));
        let coordinator = Self::elsewhere(url);
        let citus = Citus::at(&coordinator);
        Self { citus: Some(citus), ..coordinator }
    }

    /// Returns the server of a URL, which has a placeholder for the database's name.
    pub fn elsewhere(url: String) -> Self {
        Self { folder: None, url, citus: None }
    }

    /// Returns another server of the same cluster: `host:port`.
    pub fn beside(&self, node: &str) -> Self {
        let login = self.url.split_once('@').map_or("postgres://", |(login, _)| login);
        Self::elsewhere(format!("{login}@{node}/{{}}"))
    }

    /// Starts a separate server, which the test may stop and start. It ends with the test's process.
    pub fn own(folder: &Path) -> Self {
        let folder = folder.join("postgres");
        Self::start(&folder, std::process::id(), "on");
        let cluster = Self::at(&folder);
        cluster.make_template();
        cluster
    }

    fn at(folder: &Path) -> Self {
        let socket = folder.join("socket");
        let url = format!("postgres:///{{}}?user=bursar&host={}", socket.display());
        Self { folder: Some(folder.to_owned()), url, citus: None }
    }

    fn start(folder: &Path, owner: u32, fsync: &str) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/postgres.sh");
        let started =
            Command::new(script).arg(folder).args([&owner.to_string(), fsync]).output().expect("there is bash");
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    }

    /// Starts PgBouncer in front of it, unless one runs.
    pub fn start_pooler(&self) {
        let folder = self.folder();
        let lock = File::create(folder.join("pooler-lock")).unwrap();
        lock.lock().unwrap();
        if self.pooler().is_none() {
            // It ends with the owner of the server.
            let owner = std::fs::read_to_string(folder.join("owner")).unwrap();
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/pgbouncer.sh");
            let started = Command::new(script).arg(folder).arg(owner.trim()).output().expect("there is bash");
            assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        }
    }

    pub fn kill_pooler(&self) {
        let pid = self.pooler().expect("it runs");
        let killed = Command::new("sh").args(["-c", &format!("kill -9 {pid}")]).status().expect("there is a shell");
        assert!(killed.success());
        while self.pooler().is_some() {
            std::thread::park_timeout(Duration::from_millis(10));
        }
    }

    /// Returns the process id of the PgBouncer in front of it, if one runs.
    fn pooler(&self) -> Option<String> {
        let pid = std::fs::read_to_string(self.folder().join("pooler/pid")).ok()?.trim().to_owned();
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        command.contains("pgbouncer").then_some(pid)
    }

    fn make_template(&self) {
        aside(|| {
            self.run("postgres", &format!("DROP DATABASE IF EXISTS {TEMPLATE}"));
            self.run("postgres", &format!("CREATE DATABASE {TEMPLATE}"));
            let settings = Settings::parse(&self.url(TEMPLATE)).unwrap();
            drop(Postgres::open(settings, true, NonZeroU8::new(1)).expect("the schema can be made"));
        });
    }

    pub fn url(&self, database: &str) -> String {
        self.url.replace("{}", database)
    }

    /// Creates an empty database without a schema.
    pub fn bare(&self) -> Database {
        self.bare_as("TEMPLATE template0")
    }

    /// Creates an empty database with further words of SQL.
    pub fn bare_as(&self, how: &str) -> Database {
        let name = format!("bare_{}", uuid::Uuid::new_v4().simple());
        aside(|| self.run("postgres", &format!("CREATE DATABASE {name} {how}")));
        Database { cluster: self.clone(), name }
    }

    pub fn database(&self) -> Database {
        if let Some(citus) = &self.citus {
            return Database { cluster: self.clone(), name: citus.borrow(self) };
        }
        // `tools/postgres.sh` drops it after this process has ended. Process ids repeat within a long run.
        let name = format!("test_{}_{}", std::process::id(), uuid::Uuid::new_v4().simple());
        let make = format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}");
        let begun = Instant::now();
        aside(|| {
            // The last connection to the template may not have ended yet.
            while let Err(error) = self.try_run("postgres", &make) {
                assert!(begun.elapsed() < Duration::from_secs(20), "{error:?}\n{}", self.log());
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        Database { cluster: self.clone(), name }
    }

    /// Returns the end of the server's log and the free space of its file system, for the message of a failure.
    fn log(&self) -> String {
        let Some(folder) = &self.folder else { return String::new() };
        let script = "df -h .; free -m; tail -n 40 data/log";
        let said = Command::new("sh").args(["-c", script]).current_dir(folder).output().expect("there is a shell");
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    /// Runs a statement; returns the first column of its rows as text.
    pub fn run(&self, database: &str, sql: &str) -> Vec<String> {
        self.try_run(database, sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
    }

    pub fn try_run(&self, database: &str, sql: &str) -> Result<Vec<String>, tokio_postgres::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url(database), tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            let said = client.simple_query(sql).await?;
            let column = |message| {
                let tokio_postgres::SimpleQueryMessage::Row(row) = message else { return None };
                Some(row.get(0).unwrap_or_default().to_owned())
            };
            Ok(said.into_iter().filter_map(column).collect())
        })
    }

    /// Runs a script as the server's operating system user, in its folder.
    pub fn script(&self, script: &str) {
        let folder = self.folder.as_ref().expect("only a server of our own has a folder");
        let run = "cd \"$0\"; as=(); [ \"$(id -u)\" != 0 ] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups); \
            exec \"${as[@]}\" bash -euc \"$1\"";
        let done = Command::new("bash").args(["-c", run]).arg(folder).arg(script).output().expect("there is bash");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn control(&self, arguments: &str) {
        // The start of the server recorded the folder of its programs.
        self.script(&format!("\"$(cat bin)/pg_ctl\" -D data -l data/log {arguments} >/dev/null"));
    }

    /// Stops it like a crash.
    pub fn crash(&self) {
        self.control("-m immediate stop");
    }

    pub fn start_again(&self) {
        self.control("-w start");
    }

    /// Makes it listen on a port of `localhost` with TLS, and returns its URL there, with a placeholder for the text
    /// after the question mark. `root.pem` in its folder signed its certificate, and `other.pem` did not.
    pub fn with_tls(&self, database: &str, port: u16) -> String {
        self.script(
            "for ca in root other; do openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=$ca -keyout $ca.key -out $ca.pem 2>/dev/null; done; \
             openssl req -newkey rsa:2048 -nodes -subj /CN=db -keyout data/server.key -out server.csr 2>/dev/null; \
             printf 'subjectAltName=DNS:localhost\\nbasicConstraints=CA:FALSE\\n' > names; \
             openssl x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 -extfile names -out data/server.crt 2>/dev/null; \
             chmod 600 data/server.key",
        );
        aside(|| {
            for set in ["ssl = on", "listen_addresses = 'localhost'", &format!("port = {port}")] {
                self.run("postgres", &format!("ALTER SYSTEM SET {set}"));
            }
        });
        self.restart();
        format!("postgres://bursar@{{host}}:{port}/{database}")
    }

    /// Returns its folder, if it is a separate server of the test.
    pub fn folder(&self) -> &Path {
        self.folder.as_deref().expect("only a server of our own has a folder")
    }

    pub fn restart(&self) {
        self.control("-w -m fast restart");
    }
}

impl Database {
    /// Creates a database on the run's server.
    pub fn new() -> Self {
        Cluster::shared().database()
    }

    pub fn url(&self) -> String {
        self.cluster.url(&self.name)
    }

    pub fn settings(&self) -> Settings {
        Settings::parse(&self.url()).unwrap()
    }

    /// Returns the settings through PgBouncer, and starts it if none runs.
    pub fn pooled(&self) -> Settings {
        self.cluster.start_pooler();
        let pooler = self.cluster.folder().join("pooler");
        let url = format!("postgres:///{}?user=bursar&host={}", self.name, pooler.display());
        Settings::parse(&url).unwrap().through_pooler(true)
    }

    /// Runs a statement; returns the first column of its rows as text.
    pub fn run(&self, sql: &str) -> Vec<String> {
        aside(|| self.cluster.run(&self.name, sql))
    }

    /// Runs a statement on a connection whose locks are held until it is dropped.
    pub async fn hold(&self, sql: &str) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(sql).await.unwrap();
        client
    }

    /// Runs the migrations up to a version on a bare database, as an earlier program did.
    pub fn migrate_to(&self, version: i32) {
        self.run(migrations::CREATE_HISTORY);
        for migration in migrations::POSTGRES.iter().take_while(|migration| migration.version <= version) {
            self.run(migration.sql);
            self.run(&migration.record());
        }
    }

    /// Changes a table; on Citus, its parts on every node. `%s` in a text is the name of the part.
    pub fn alter(&self, table: &str, sql: &str) {
        let spread = self.cluster.citus.is_some()
            && !self
                .run(&format!("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = '{table}'::regclass"))
                .is_empty();
        if !spread {
            self.run(&sql.replace("%s", table));
            return;
        }
        let reported =
            self.run(&format!("SELECT (success, result) FROM run_command_on_placements('{table}', $each${sql}$each$)"));
        assert!(!reported.is_empty() && reported.iter().all(|reported| reported.starts_with("(t,")), "{reported:?}");
    }

    /// Deletes every row; only for a database of Citus, of which there are few.
    pub fn empty(&self) {
        super::citus::empty(&self.cluster, &self.name);
    }
}
