//! The running program: the engine, the store and the secrets that handlers and the worker share.
//!
//! Deliberately absent: HTTP. A request is a `Call` of `http`, which holds this program.

mod environment;
mod known_keys;
mod originals;
mod requests;
mod setup;
mod sign_ins;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use crate::bank_transports::Transports;
use crate::chain::HistoryKeys;
use crate::clock::Clock;
use crate::engine::{Engine, Queries};
use crate::ids::{Entropy, Seeds};
use crate::outbound::{Outbound, Tokens, Turns};
use crate::providers::Providers;
use crate::refusal::{Code, ErrorContext, Refusal};
use crate::screening::{LookedUp, Watchlist};
use crate::store::Reads;
use crate::vault::Vault;
use crate::world::{Halt, World};

pub use environment::Environment;
pub use known_keys::{KnownKey, KnownKeys};
pub use originals::{Lost, Original, Originals, ReadBody};
pub use requests::{SeenRequest, SeenRequests};
pub use setup::{Setup, SetupToken};
pub use sign_ins::{Account, SignIns, network};

pub struct Bursar {
    pub engine: Engine,
    pub reads: Reads,
    pub queries: Queries,
    pub vault: Arc<Vault>,
    /// Chains the history and signs its heads.
    pub history: HistoryKeys,
    pub clock: Clock,
    pub environment: Environment,
    /// Whether a rail without a route is refused instead of simulated.
    pub live: bool,
    /// The base URL of the pages and of every claim link, without a trailing slash.
    pub public_url: String,
    pub seeds: Mutex<Seeds>,
    pub keys: KnownKeys,
    /// Counts failed sign-ins of members, and limits concurrent password hashes.
    pub sign_ins: SignIns,
    pub providers: Providers,
    /// The ways to banks.
    pub transports: Transports,
    pub outbound: Outbound,
    /// Access tokens of providers of rails.
    pub rail_tokens: Tokens,
    /// The calls to each provider of a rail that are in flight.
    pub rail_turns: Turns,
    /// The setup token of a store without an organization.
    pub setup: SetupToken,
    /// The current sanctions list; it can be replaced while the program runs.
    pub watchlist: RwLock<Arc<Watchlist>>,
    /// The file of the sandbox's credentials, in a sandbox that serves its own machine alone: its pages may show them.
    pub local_credentials: OnceLock<PathBuf>,
    /// Finds the bodies of stored responses that events have.
    pub originals: Originals,
    /// The newest requests of a sandbox.
    pub requests: SeenRequests,
}

impl Bursar {
    /// Returns new entropy, for secrets that a handler draws before its command runs.
    pub fn entropy(&self) -> Entropy {
        self.seeds.lock().unwrap_or_else(PoisonError::into_inner).next_entropy()
    }

    pub fn watchlist(&self) -> Arc<Watchlist> {
        self.watchlist.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the sanctions list, for names that are screened from now on.
    pub fn use_watchlist(&self, list: Arc<Watchlist>) {
        *self.watchlist.write().unwrap_or_else(PoisonError::into_inner) = list;
    }

    /// Returns the part of error bodies that does not depend on the refusal.
    pub fn error_context(&self, request_id: Option<String>) -> ErrorContext {
        ErrorContext { request_id, public_url: self.public_url.clone() }
    }

    /// Screens names against the current sanctions list, outside of the async threads, for a command.
    pub async fn look_up(&self, names: Vec<String>) -> Result<LookedUp, Refusal> {
        let list = self.watchlist();
        if names.is_empty() {
            return Ok(LookedUp::of(list, names));
        }
        let looking = tokio::task::spawn_blocking(move || LookedUp::of(list, names)).await;
        looking.map_err(|_| Refusal::new(Code::InternalError, "A bug stopped this request."))
    }

    pub async fn read<T: Send + 'static>(
        &self,
        query: impl Fn(&mut World) -> Result<T, Halt> + Send + 'static,
    ) -> Result<T, Refusal> {
        let is_live = self.live;
        let query = move |world: &mut World| {
            world.set_live(is_live);
            query(world)
        };
        self.queries.run(self.clock.now(), query).await
    }
}

#[cfg(test)]
impl Bursar {
    /// Returns a program over an empty memory store, with a stopped clock and repeatable entropy.
    pub(crate) fn in_memory(environment: Environment) -> std::io::Result<Self> {
        let memory = crate::store::Memory::new();
        let clock = Clock::manual(crate::clock::Time::from_micros(1_790_000_000_000_000));
        let store = crate::store::Store::Memory(memory.clone());
        let executor =
            crate::engine::Executor::new(store, clock.clone(), Seeds::counted(1)).live(environment.is_live());
        Ok(Self {
            engine: Engine::start(executor)?,
            queries: Queries::start(Reads::Memory(memory.clone()))?,
            reads: Reads::Memory(memory),
            vault: Arc::new(Vault::new([1; 32])),
            history: HistoryKeys::of_seed(&[1; 32]),
            clock,
            environment,
            live: environment.is_live(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            seeds: Mutex::new(Seeds::counted(2)),
            keys: KnownKeys::default(),
            sign_ins: SignIns::default(),
            providers: Providers::default(),
            transports: Transports::default(),
            outbound: Outbound::new(environment.reach(), crate::outbound::DEADLINE),
            rail_tokens: Tokens::default(),
            rail_turns: Turns::default(),
            setup: SetupToken::default(),
            watchlist: RwLock::new(Watchlist::of_sandbox()),
            local_credentials: OnceLock::new(),
            originals: Originals::NONE,
            requests: SeenRequests::default(),
        })
    }
}

impl fmt::Debug for Bursar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bursar({})", self.environment)
    }
}
