//! Opens an instance: the data folder, its lock, the master key, the store, the engine.
//!
//! Invariant: one process at a time opens an embedded store. A second one is refused at once and never shares the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::num::NonZeroU8;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::Duration;

use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::apps::{Key, Organization, keys};
use crate::bank_transports::Transports;
use crate::chain::HistoryKeys;
use crate::clock::Clock;
use crate::config::{BadConfig, Config, Database};
use crate::engine::{Engine, Executor, Queries};
use crate::history;
use crate::ids::Seeds;
use crate::key_file::{self, MasterKeys};
use crate::originals::ORIGINALS;
use crate::outbound::{DEADLINE, Outbound, Tokens, Turns};
use crate::payout_links::{self, PayoutLink};
use crate::program::{Bursar, Environment, KnownKeys, SeenRequests, SetupToken, SignIns};
use crate::providers::{Gateway, Providers, Smtp};
use crate::refusal::Refusal;
use crate::screening::Watchlist;
use crate::store::postgres::Arrival;
use crate::store::sqlite::OpenError;
use crate::store::{BackgroundThread, Departure, Memory, Postgres, Reads, Sqlite, Store, postgres};
use crate::vault::Vault;
use crate::worker;
use crate::world::{Query, Want};

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An invalid setting: exit code 78.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// Another process has the store: exit code 1.
    #[error(
        "another bursar process has {path} open, and an embedded store allows one process. Stop that server first \
         (systemctl stop bursar), or use its HTTP API"
    )]
    Locked { path: String },
    /// The embedded store did not open: exit code 1.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The shared store did not open: exit code 1.
    #[error(transparent)]
    Shared(#[from] postgres::OpenError),
    /// The sandbox's clock or demonstration data failed: exit code 1.
    #[error("{0}")]
    Sandbox(String),
    /// The operating system returned an error: exit code 1.
    #[error("{what}: {source}")]
    System { what: String, source: std::io::Error },
}

fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> StartError {
    let what = what.into();
    move |source| StartError::System { what, source }
}

/// An opened store without an engine.
pub struct Instance {
    /// One for each executor.
    stores: Vec<Store>,
    reads: Reads,
    guards: Guards,
}

/// Keeps the store open. When dropped, it ends the background threads and releases the lock.
#[derive(Default)]
pub struct Guards {
    // The order matters: checkpoints end before another process may open the store.
    background: Vec<BackgroundThread>,
    lock: Option<File>,
}

/// The dependencies of an instance other than its store. Tests use a clock that does not advance and seeds that count.
pub struct Dependencies {
    pub clock: Clock,
    /// Randomness for commands.
    pub command_seeds: Seeds,
    /// Randomness for requests.
    pub request_seeds: Seeds,
    pub vault: Vault,
    pub environment: Environment,
    /// Whether a rail without a route is refused. In the sandbox it is simulated.
    pub live: bool,
    /// The base URL of the pages, without a trailing slash.
    pub public_url: String,
    pub providers: Providers,
    /// The ways to banks.
    pub transports: Transports,
    /// The deadline of a call to another server.
    pub call_deadline: Duration,
    /// The sanctions list at the start.
    pub watchlist: Arc<Watchlist>,
}

impl Instance {
    /// Opens an embedded store in a file, and locks it. Fails with `Locked` if another process has it.
    pub fn sqlite(path: &Path, migrate: bool) -> Result<Self, StartError> {
        let lock = lock(path)?;
        let Sqlite { writer, readers, checkpointer, .. } = Sqlite::open(path, migrate)?;
        let guards = Guards { background: vec![checkpointer], lock: Some(lock) };
        Ok(Self { stores: vec![Store::Sqlite(Box::new(writer))], reads: Reads::Sqlite(readers), guards })
    }

    /// Opens a shared store on a server, with this number of executors or that of [`Postgres::open`]. Fails with `Shared` if the server cannot be
    /// reached or the schema is unknown.
    pub fn postgres(
        settings: postgres::Settings,
        migrate: bool,
        executors: Option<NonZeroU8>,
    ) -> Result<Self, StartError> {
        let Postgres { writers, readers, background } = Postgres::open(settings, migrate, executors)?;
        let stores = writers.into_iter().map(|writer| Store::Postgres(Box::new(writer))).collect();
        let guards = Guards { background, lock: None };
        Ok(Self { stores, reads: Reads::Postgres(readers), guards })
    }

    /// Opens a store in memory, which ends with the process.
    pub fn memory(memory: &Memory) -> Self {
        let stores = vec![Store::Memory(memory.clone())];
        Self { stores, reads: Reads::Memory(memory.clone()), guards: Guards::default() }
    }

    /// Opens the store that the configuration names.
    pub fn configured(config: &Config) -> Result<Self, StartError> {
        make_folder(&config.data_dir)?;
        match &config.database {
            Database::Sqlite(path) => {
                let opened = Self::sqlite(path, config.migrate)?;
                opened.reads.limit_storage(config.storage_quota_bytes);
                Ok(opened)
            }
            Database::Postgres { settings, password_file, executors } => {
                let server = server(settings, password_file.as_deref())?;
                Self::postgres(server, config.migrate, *executors)
            }
        }
    }

    /// Returns whether the store has no organization. It blocks, so it must not be called from async code.
    pub fn is_empty(&self) -> Result<bool, StartError> {
        let any = [Want::Page(Query::across::<Organization>(1))];
        let found = self.reads.load(&any).map_err(|error| StartError::Sandbox(error.to_string()))?;
        Ok(found.iter().all(Vec::is_empty))
    }

    /// Returns the parts of an instance, for programs that read a store without an engine.
    pub fn into_parts(self) -> (Vec<Store>, Reads, Guards) {
        (self.stores, self.reads, self.guards)
    }

    /// Starts the engine. Fails with `System` if a thread cannot be started.
    pub fn start(self, dependencies: Dependencies) -> Result<(Arc<Bursar>, Guards), StartError> {
        let Dependencies {
            clock,
            mut command_seeds,
            request_seeds,
            vault,
            environment,
            live,
            public_url,
            providers,
            transports,
            call_deadline,
            watchlist,
        } = dependencies;
        let mut executors = Vec::with_capacity(self.stores.len());
        let mut stores = self.stores;
        let history = history::keys(&vault);
        begin_history(&mut stores, &self.reads, &history, &clock)?;
        let vault = Arc::new(vault);
        let follow_ups = worker::follow_ups(environment, &providers, &vault, &public_url);
        let executor = |store, seeds| {
            let executor = Executor::new(store, clock.clone(), seeds).chained(history.chain.clone());
            let executor = executor.live(live);
            executor.followed_by(follow_ups.clone())
        };
        // A single executor uses all seeds.
        while stores.len() > 1 {
            executors.extend(stores.pop().map(|store| executor(store, command_seeds.split())));
        }
        executors.extend(stores.pop().map(|store| executor(store, command_seeds)));
        let engine = Engine::with(executors).map_err(system("cannot start the engine's threads"))?;
        let queries = Queries::start(self.reads.clone()).map_err(system("cannot start the read threads"))?;
        let bursar = Bursar {
            engine,
            reads: self.reads,
            queries,
            vault,
            history,
            clock,
            environment,
            live,
            public_url,
            seeds: Mutex::new(request_seeds),
            keys: KnownKeys::default(),
            sign_ins: SignIns::default(),
            providers,
            transports,
            outbound: Outbound::new(environment.reach(), call_deadline),
            rail_tokens: Tokens::default(),
            rail_turns: Turns::default(),
            setup: SetupToken::default(),
            watchlist: RwLock::new(watchlist),
            local_credentials: OnceLock::new(),
            originals: ORIGINALS,
            requests: SeenRequests::default(),
        };
        Ok((Arc::new(bursar), self.guards))
    }
}

/// Adds the rows of an older version to the hash chain, on a separate thread because a server may block.
fn begin_history(stores: &mut Vec<Store>, reads: &Reads, keys: &HistoryKeys, clock: &Clock) -> Result<(), StartError> {
    let Some(store) = stores.pop() else { return Ok(()) };
    let opened = std::thread::scope(|scope| {
        let opening = scope.spawn(|| history::open(store, reads, keys, clock));
        let died = || Err(history::HistoryError::Refused("a bug stopped the start".to_owned()));
        opening.join().unwrap_or_else(|_| died())
    });
    let store = opened.map_err(|error| match error {
        history::HistoryError::ForeignKey => StartError::Config(BadConfig::one(format!(
            "key-file: does not match this store; restore the key file that this store was created with ({error})"
        ))),
        history::HistoryError::Store(_) | history::HistoryError::Refused(_) => {
            StartError::Sandbox(format!("cannot open the history: {error}"))
        }
    })?;
    stores.push(store);
    Ok(())
}

/// Opens the store that the configuration names, with the vault of its key file. A new sandbox creates its key.
///
/// Fails with `Config` if the key file is missing in production or for a store that is not empty, if others may read
/// it, or if it holds no key.
pub fn with_vault(config: &Config) -> Result<(Instance, Vault), StartError> {
    let path = &config.key.file;
    if config.environment == Environment::Production || path.exists() {
        let vault = vault(config)?;
        return Ok((Instance::configured(config)?, vault));
    }
    let opened = Instance::configured(config)?;
    if !opened.is_empty()? {
        let reason = format!(
            "key-file {}: does not exist, and this store requires its own key; restore the key file that this store \
             was created with",
            path.display()
        );
        return Err(BadConfig::one(reason).into());
    }
    key_file::write_new(path, &MasterKeys::draw())
        .map_err(system(format!("cannot create the key file {}", path.display())))?;
    Ok((opened, vault(config)?))
}

/// Refuses a store of another environment or another master key with `Config`.
pub async fn must_belong(bursar: &Bursar, config: &Config) -> Result<(), StartError> {
    let unread = |refusal: Refusal| StartError::Sandbox(refusal.message);
    let keys = bursar.read(|world| world.page::<Key>(&Query::across::<Key>(1))).await.map_err(unread)?;
    if let Some(key) = keys.first()
        && let Err(foreign) = keys::organization_in(&key.client_id, config.environment)
    {
        let reason = format!(
            "environment {}: this store belongs to another environment ({}); each environment needs its own store",
            config.environment, foreign.message
        );
        return Err(BadConfig::one(reason).into());
    }
    let links = bursar.read(|world| world.page::<PayoutLink>(&Query::across::<PayoutLink>(1))).await.map_err(unread)?;
    if links.first().is_some_and(|link| !payout_links::opens_with(&bursar.vault, link)) {
        let reason = format!(
            "key-file {}: does not match this store; restore the key file that this store was created with",
            config.key.file.display()
        );
        return Err(BadConfig::one(reason).into());
    }
    Ok(())
}

/// Opens the configured store for reading only, even while another process has it open. It creates nothing.
pub fn read_only(config: &Config) -> Result<Reads, StartError> {
    match &config.database {
        Database::Sqlite(path) if !path.exists() => {
            Err(BadConfig::one(format!("there is no store at {}", path.display())).into())
        }
        Database::Sqlite(path) => Ok(Reads::Sqlite(Sqlite::read_only(path)?)),
        Database::Postgres { settings, password_file, .. } => {
            Ok(Reads::Postgres(Postgres::read_only(server(settings, password_file.as_deref())?)?))
        }
    }
}

/// Returns the history keys of the key file, or `None` without one.
pub fn history_of(config: &Config) -> Result<Option<HistoryKeys>, StartError> {
    if !config.key.file.exists() {
        return Ok(None);
    }
    Ok(Some(history::keys(&vault(config)?)))
}

/// Opens and locks an embedded store that is to move away. It creates nothing. Fails with `Config` if there is no such
/// file, `Locked` if a server has it open, and `Store` if its schema is not exactly the program's.
pub fn departing(path: &Path) -> Result<(Departure, Guards), StartError> {
    if !path.exists() {
        return Err(BadConfig::one(format!("no store exists at {}", path.display())).into());
    }
    let guards = Guards { background: Vec::new(), lock: Some(lock(path)?) };
    Ok((Departure::open(path)?, guards))
}

/// Connects to the server that a store is to move to. Fails with `Config` if its password cannot be read, and `Shared`
/// if it cannot be reached.
pub fn arriving(settings: &postgres::Settings, password_file: Option<&Path>) -> Result<Arrival, StartError> {
    Ok(Arrival::open(server(settings, password_file)?)?)
}

/// Updates the schema of the configured database, and distributes it over the nodes of its cluster. Returns the names
/// of the newly distributed tables. Fails with `Config` for an embedded store, and `Shared` if the database cannot be
/// distributed.
pub fn distribute(config: &Config) -> Result<Vec<String>, StartError> {
    match &config.database {
        Database::Sqlite(_) => {
            Err(BadConfig::one("database-url: only a postgres:// database can be distributed".to_owned()).into())
        }
        Database::Postgres { settings, password_file, .. } => {
            Ok(Postgres::distribute(server(settings, password_file.as_deref())?)?)
        }
    }
}

/// Returns the server settings of a configuration, with the password from its file.
fn server(settings: &postgres::Settings, password_file: Option<&Path>) -> Result<postgres::Settings, BadConfig> {
    let settings = settings.clone();
    match password_file {
        None => Ok(settings),
        Some(path) => Ok(settings.with_password(secret_file("database-password-file", path)?.trim())),
    }
}

impl std::fmt::Debug for Guards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Guards(checks: {}, locked: {})", self.background.len(), self.lock.is_some())
    }
}

/// Creates the data folder, accessible to its owner only, if it is missing.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StartError> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(system(format!("cannot create the data folder {}", folder.display())))
}

/// Locks the store by a file next to it. The operating system releases the lock when the process ends. All names of a
/// store lead to one lock.
pub(crate) fn lock(store: &Path) -> Result<File, StartError> {
    // A file that does not exist yet has only one name.
    let mut path = store.canonicalize().unwrap_or_else(|_| store.to_owned()).into_os_string();
    path.push(".lock");
    let path = PathBuf::from(path);
    let failed = || format!("cannot lock {}", path.display());
    let mut options = OpenOptions::new();
    let file = options.create(true).write(true).truncate(false).mode(0o600).open(&path).map_err(system(failed()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StartError::Locked { path: store.display().to_string() }),
        Err(TryLockError::Error(source)) => Err(system(failed())(source)),
    }
}

/// Returns the vault of the key file. Fails with `Config` if there is no such file, if others may read it, or if it
/// holds no keys.
pub fn vault(config: &Config) -> Result<Vault, StartError> {
    Ok(Vault::of(config.key.read().map_err(BadConfig::one)?.ring()))
}

/// Creates the configured providers with their secrets. Fails with `Config` if a file with a secret is missing, empty
/// or readable by others, or if TLS is not available.
pub fn providers(config: &Config) -> Result<Providers, StartError> {
    let secret = |setting: &str, path: &Path| {
        let text = secret_file(setting, path)?;
        match text.trim() {
            "" => Err(BadConfig::one(format!("{setting} {}: is empty", path.display()))),
            secret => Ok(SecretString::from(secret)),
        }
    };
    let mail = config.mail.as_ref().map(|(settings, password_file)| {
        let password = password_file.as_ref().map(|path| secret("smtp-password-file", path)).transpose()?;
        Smtp::new(settings.clone(), password.as_ref(), DEADLINE).map_err(BadConfig::one)
    });
    let phone = config.phone.as_ref().map(|(settings, token_file)| {
        Ok::<_, BadConfig>(Gateway::new(settings.clone(), &secret("sms-token-file", token_file)?, DEADLINE))
    });
    Ok(Providers { mail: mail.transpose()?, phone: phone.transpose()? })
}

/// Reads a secret from a file that only its owner may read.
fn secret_file(setting: &str, path: &Path) -> Result<Zeroizing<String>, BadConfig> {
    key_file::secret_text(path).map_err(|reason| BadConfig::one(format!("{setting} {}: {reason}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::config::Settings;

    #[test]
    fn a_store_is_opened_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let first = Instance::sqlite(&path, true).unwrap();
        assert!(matches!(Instance::sqlite(&path, true), Err(StartError::Locked { .. })));
        drop(first);
        assert!(Instance::sqlite(&path, true).is_ok());
    }

    #[test]
    fn a_sandbox_makes_its_key_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("data");
        let settings = Settings { data_dir: Some(data_dir.clone()), ..Settings::default() };
        let config = Config::load(settings, None).unwrap();
        assert!(with_vault(&config).is_ok());
        let made = std::fs::read_to_string(&config.key.file).unwrap();
        assert!(with_vault(&config).is_ok());
        assert_eq!(std::fs::read_to_string(&config.key.file).unwrap(), made);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data_dir), mode(&config.key.file)), (0o700, 0o600));

        std::fs::set_permissions(&config.key.file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(with_vault(&config).err().unwrap().to_string().contains("is readable by other users"));
    }

    #[test]
    fn a_store_has_one_lock_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let (store, alias) = (folder.path().join("store"), folder.path().join("alias"));
        std::fs::write(&store, "").unwrap();
        std::os::unix::fs::symlink(&store, &alias).unwrap();
        let locked = lock(&store).unwrap();
        assert!(matches!(lock(&alias), Err(StartError::Locked { .. })));
        drop(locked);
        assert!(lock(&alias).is_ok());
    }
}
