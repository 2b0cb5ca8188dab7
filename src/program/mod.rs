//! The running program: the engine, the store and the secrets that handlers and the worker share.
//!
//! Deliberately absent: HTTP. A request is a `Call` of `http`, which holds this program.

mod environment;
mod known_keys;
mod setup;
mod sign_ins;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::chain::HistoryKeys;
use crate::clock::Clock;
use crate::engine::{Engine, Queries};
use crate::ids::{Entropy, Seeds};
use crate::outbound::Outbound;
use crate::providers::Providers;
use crate::refusal::{Code, Refusal};
use crate::screening::{LookedUp, Watchlist};
use crate::store::Reads;
use crate::vault::Vault;
use crate::world::{Halt, World};

pub use environment::Environment;
pub use known_keys::{KnownKey, KnownKeys};
pub use setup::{Setup, SetupToken};
pub use sign_ins::{Account, SignIns, network};

/// The running program, as far as a handler needs it.
pub struct Bursar {
    /// Takes commands.
    pub engine: Engine,
    /// The store's reading half.
    pub reads: Reads,
    /// Answers reads.
    pub queries: Queries,
    /// Seals and hashes secrets.
    pub vault: Arc<Vault>,
    /// Chains the history and signs its heads.
    pub history: HistoryKeys,
    /// Tells the time.
    pub clock: Clock,
    /// Which environment this is.
    pub environment: Environment,
    /// Where people reach the pages, without a trailing slash; the start of every claim link.
    pub public_url: String,
    /// Where chance comes from.
    pub seeds: Mutex<Seeds>,
    /// Keys that were read lately; starts empty.
    pub keys: KnownKeys,
    /// Counts failed sign-ins of members, and bounds how many passwords are hashed at once.
    pub sign_ins: SignIns,
    /// Carry messages to people.
    pub providers: Providers,
    /// Calls other people's servers.
    pub outbound: Outbound,
    /// The setup token, where there is no organization yet.
    pub setup: SetupToken,
    /// The sanctions list in use; it can be exchanged while the program runs.
    pub watchlist: RwLock<Arc<Watchlist>>,
}

impl Bursar {
    /// Fresh entropy, for secrets that a handler draws before its command runs.
    pub fn entropy(&self) -> Entropy {
        self.seeds.lock().unwrap_or_else(PoisonError::into_inner).next_entropy()
    }

    /// The sanctions list in use.
    pub fn watchlist(&self) -> Arc<Watchlist> {
        self.watchlist.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes another sanctions list into use, for names that become known from now on.
    pub fn use_watchlist(&self, list: Arc<Watchlist>) {
        *self.watchlist.write().unwrap_or_else(PoisonError::into_inner) = list;
    }

    /// Looks names up in the sanctions list in use, off the async threads, for a command to take along.
    pub async fn look_up(&self, names: Vec<String>) -> Result<LookedUp, Refusal> {
        let list = self.watchlist();
        if names.is_empty() {
            return Ok(LookedUp::of(list, names));
        }
        let looking = tokio::task::spawn_blocking(move || LookedUp::of(list, names)).await;
        looking.map_err(|_| Refusal::new(Code::InternalError, "A bug stopped this request."))
    }

    /// Looks at the store.
    pub async fn read<T: Send + 'static>(
        &self,
        query: impl Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.queries.run(self.clock.now(), query).await
    }
}

#[cfg(test)]
impl Bursar {
    /// A whole program over an empty memory, whose clock stands still and whose chance repeats.
    pub(crate) fn in_memory(environment: Environment) -> std::io::Result<Self> {
        let memory = crate::store::Memory::new();
        let clock = Clock::manual(crate::clock::Time::from_micros(1_790_000_000_000_000));
        let store = crate::store::Store::Memory(memory.clone());
        let executor = crate::engine::Executor::new(store, clock.clone(), Seeds::counted(1));
        Ok(Self {
            engine: Engine::start(executor)?,
            queries: Queries::start(Reads::Memory(memory.clone()))?,
            reads: Reads::Memory(memory),
            vault: Arc::new(Vault::new([1; 32])),
            history: HistoryKeys::of_seed(&[1; 32]),
            clock,
            environment,
            public_url: "http://127.0.0.1:8080".to_owned(),
            seeds: Mutex::new(Seeds::counted(2)),
            keys: KnownKeys::default(),
            sign_ins: SignIns::default(),
            providers: Providers::default(),
            outbound: Outbound::new(environment.reach(), crate::outbound::DEADLINE),
            setup: SetupToken::default(),
            watchlist: RwLock::new(Watchlist::of_sandbox()),
        })
    }
}

impl fmt::Debug for Bursar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bursar({})", self.environment)
    }
}
