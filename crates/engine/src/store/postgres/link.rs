//! One connection, with a small runtime that drives it on the caller's thread.
//!
//! All statements of a round are sent before any response is awaited. After an error the caller must drop the
//! connection: only the server knows its state.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, Client, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::cells::Param;
use super::node::{Node, Target};
use super::settings::with_cause;
use super::statements::{Form, Statement};
use crate::store::StoreError;

/// The server ends an idle transaction after this time, which frees the lock of a stopped process.
pub const IDLE_MAX_MILLIS: u32 = 3_000;
/// The longest wait of a batch for other batches of its organization.
pub(super) const LOCK_MAX_MILLIS: u64 = 8_000;
/// Prepared statements per connection; a table needs about four.
const STATEMENTS_MAX: usize = 512;
/// The transactions of a connection in which each statement is planned for its values, because tables may be empty.
const YOUNG_MAX: u32 = 64;
/// The limit for connecting, including TLS and authentication.
const READY_DEADLINE: Duration = Duration::from_secs(3);

/// A statement of a round.
pub(super) enum Ask<'a> {
    /// A placeholder; it is not sent.
    Nothing,
    /// A statement without parameters and result.
    Plain(String),
    /// A statement without parameters that returns rows; never prepared.
    Once(String),
    /// One of a few constant statements, with its parameters.
    Fixed(&'static str, Vec<Param<'static>>),
    /// A statement made from records.
    Made(&'a Statement<'a>),
}

#[derive(Default)]
struct Prepared {
    fixed: HashMap<&'static str, tokio_postgres::Statement>,
    made: HashMap<Form, tokio_postgres::Statement>,
}

impl Ask<'_> {
    fn text(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Plain(text) | Self::Once(text) => Some(text.clone()),
            Self::Fixed(text, _) => Some((*text).to_owned()),
            Self::Made(made) => Some(made.form.text()),
        }
    }
}

#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// The server rejected a statement. The transaction is lost, and nothing of it was written.
    #[error("{message} ({code})", code = code.code())]
    Said {
        /// The SQLSTATE.
        code: SqlState,
        message: String,
        /// Whether the session ended with it.
        ended: bool,
    },
    /// The connection broke. Pending statements may have run.
    #[error("{0}")]
    Broken(String),
    /// The response took too long. Pending statements may have run, or may still run.
    #[error("no response within {0:?}")]
    Silent(Duration),
}

impl From<tokio_postgres::Error> for LinkError {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(said) => Self::Said {
                code: said.code().clone(),
                message: said.message().to_owned(),
                ended: !matches!(said.parsed_severity(), Some(Severity::Error) | None),
            },
            None => Self::Broken(with_cause(&error)),
        }
    }
}

impl LinkError {
    /// Returns whether a retry may succeed: deadlocks, failed serialization, a server that shuts down or became a
    /// standby. A timeout is not retried, because the caller has waited long enough. A missing right, table or column
    /// is an outage that the operator can fix, not a bug.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Broken(_) => true,
            Self::Silent(_) => false,
            Self::Said { code, ended, .. } => {
                let (code, classes) =
                    (code.code(), ["08", "25", "40", "42501", "42703", "42P01", "53", "57", "58", "XX"]);
                *ended || classes.iter().any(|class| code.starts_with(class))
            }
        }
    }

    /// Returns whether concurrent transactions caused the error; the connection stays usable.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Said { code, ended: false, .. } if *code == SqlState::T_R_SERIALIZATION_FAILURE)
    }

    pub fn is_full(&self) -> bool {
        matches!(self, Self::Said { code, .. } if *code == SqlState::DISK_FULL)
    }

    /// Returns whether the server failed to connect to another server.
    pub fn is_of_a_connection(&self) -> bool {
        matches!(self, Self::Said { code, .. } if code.code().starts_with("08"))
    }

    /// Maps the error for a read, or for a batch before its COMMIT.
    pub fn of_read(self) -> StoreError {
        let reason = self.to_string();
        match self.may_pass() {
            _ if self.is_full() => StoreError::Full(reason),
            true => StoreError::Again(reason),
            false => StoreError::Read(reason),
        }
    }
}

pub(super) type Answer = Result<Vec<tokio_postgres::Row>, LinkError>;

#[derive(Clone, Debug)]
pub(super) enum Leads {
    /// The index of a host of the URL.
    ToHost(usize),
    ToNode(Arc<Node>),
}

pub(super) struct Link {
    pub leads: Leads,
    client: Client,
    prepared: Prepared,
    begun: u32,
    pooled: bool,
    /// Whether the database has the extension Citus.
    citus: bool,
    /// Whether the session writes only in transactions.
    guarded: bool,
    /// Whether the server sent a warning since [`Self::listen`].
    warned: Arc<AtomicBool>,
    /// Whether it is driven on a separate thread, because the caller's thread belongs to an async runtime and must not
    /// block.
    aside: bool,
    /// Shut down without waiting, because a drop must not block.
    runtime: Option<Runtime>,
}

/// Runs a future to completion; see [`Link::aside`].
fn drive_to_end<F>(runtime: &Runtime, aside: bool, work: F) -> F::Output
where
    F: Future + Send,
    F::Output: Send,
{
    if !aside {
        return runtime.block_on(work);
    }
    let driven = std::thread::scope(|scope| scope.spawn(|| runtime.block_on(work)).join());
    driven.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

pub const BEGINNING: usize = 5;

/// Further settings with Citus. Settings of a transaction must also apply on its node, where the lock is awaited and
/// which may lose the coordinator. A generic plan for all organizations would query every node, so the server chooses;
/// it keeps only plans that determine the node at each execution.
const SPREAD: [&str; 2] = ["citus.propagate_set_commands = 'local'", "plan_cache_mode = auto"];

/// Returns the settings of every transaction. Plans are made once per statement and use indexes: a plan from when a
/// table was small must not scan it after it has grown. A commit waits for the standby, if there is one; the server
/// reports an abandoned wait only by a warning.
fn manners(scope: &str) -> String {
    format!(
        "{limits}; SET {scope} statement_timeout = 0; SET {scope} enable_seqscan = off; SET {scope} enable_hashjoin = off; \
         SET {scope} enable_mergejoin = off; SET {scope} plan_cache_mode = force_generic_plan; \
         SET {scope} client_min_messages = warning; \
         SELECT set_config('synchronous_commit', 'on', {local}) \
         WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')",
        limits = time_limits(scope).join("; "),
        local = if scope == "LOCAL" { "true" } else { "false" },
    )
}

fn time_limits(scope: &str) -> [String; 2] {
    [
        format!("SET {scope} idle_in_transaction_session_timeout = {IDLE_MAX_MILLIS}"),
        format!("SET {scope} lock_timeout = {LOCK_MAX_MILLIS}"),
    ]
}

impl Link {
    pub fn open(
        leads: Leads,
        config: &tokio_postgres::Config,
        tls: MakeRustlsConnect,
        pooled: bool,
        aside: bool,
    ) -> Result<Self, LinkError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| LinkError::Broken(format!("no runtime for a connection: {error}")))?;
        let warned = Arc::new(AtomicBool::new(false));
        let connecting = async {
            let (client, connection) = config.connect(tls).await?;
            tokio::spawn(drive(connection, warned.clone()));
            if !pooled {
                client.batch_execute(&manners("SESSION")).await?;
            }
            let citus =
                !client.query_typed("SELECT 1 FROM pg_extension WHERE extname = 'citus'", &[]).await?.is_empty();
            if citus && !pooled {
                client.batch_execute(&SPREAD.map(|set| format!("SET SESSION {set}")).join("; ")).await?;
            }
            Ok::<_, LinkError>((client, citus))
        };
        let connecting = async { tokio::time::timeout(READY_DEADLINE, connecting).await };
        let connected = drive_to_end(&runtime, aside, connecting);
        match connected {
            Ok(Ok((client, citus))) => Ok(Self {
                leads,
                client,
                prepared: Prepared::default(),
                begun: 0,
                pooled,
                citus,
                guarded: false,
                warned,
                aside,
                runtime: Some(runtime),
            }),
            Ok(Err(link_error)) => {
                runtime.shutdown_background();
                Err(link_error)
            }
            Err(_) => {
                runtime.shutdown_background();
                Err(LinkError::Silent(READY_DEADLINE))
            }
        }
    }

    pub fn leads_to(&self, place: &Target) -> bool {
        match (&self.leads, place) {
            (Leads::ToHost(_), Target::Main) => true,
            (Leads::ToNode(node), Target::At(wanted)) => node == wanted,
            (Leads::ToHost(_), Target::At(_)) | (Leads::ToNode(_), Target::Main) => false,
        }
    }

    pub fn drive_aside(&mut self, aside: bool) {
        self.aside = aside;
    }

    pub fn has_citus(&self) -> bool {
        self.citus
    }

    /// Returns the statements that begin a transaction, some of which may be placeholders.
    ///
    /// A plan is kept from a statement's first use. Over a small table all indexes of the organization cost the same, so
    /// it may use one with few of the statement's columns. `plan_cache_mode = auto` keeps such a plan too, because it
    /// costs no more than those for the values of the first five uses. Therefore the first [`YOUNG_MAX`] transactions
    /// keep no plan, and later ones discard them at the 128th, 256th … transaction, whenever tables can have doubled.
    pub fn begin(&mut self, how: &str) -> [Ask<'static>; BEGINNING] {
        self.begun = self.begun.saturating_add(1);
        let plans = match self.begun {
            _ if self.pooled || self.citus => "",
            ..=YOUNG_MAX => "; SET LOCAL plan_cache_mode = force_custom_plan",
            begun if begun.is_power_of_two() => "; DISCARD PLANS",
            _ => "",
        };
        let how = if how.is_empty() && self.guarded { "READ WRITE" } else { how };
        let begin = format!("BEGIN {how}{plans}");
        let mut asks = [const { Ask::Nothing }; BEGINNING];
        if self.citus {
            // A setting is sent to the node with the whole text that contains it, so each setting is a separate
            // statement.
            let [passed_on, plans] = SPREAD.map(|set| Ask::Plain(format!("SET LOCAL {set}")));
            let [idle, lock] = time_limits("LOCAL").map(Ask::Plain);
            asks = [Ask::Nothing, passed_on, plans, idle, lock];
        }
        asks[0] = Ask::Plain(if self.pooled { format!("{begin}; {}", manners("LOCAL")) } else { begin });
        asks
    }

    /// Ensures that a statement after a BEGIN that failed writes nothing, so that a transaction can be sent without
    /// waiting for its BEGIN. Without a session of its own it cannot be ensured, and `false` is returned.
    pub fn guard(&mut self, at_most: Duration) -> Result<bool, LinkError> {
        if !self.guarded && !self.pooled {
            self.ask_all(&[Ask::Plain("SET SESSION default_transaction_read_only = on".to_owned())], at_most)?;
            self.guarded = true;
        }
        Ok(self.guarded)
    }

    /// Sends all statements, then awaits all results, in order. A result that is late is [`LinkError::Silent`].
    pub fn ask(&mut self, asks: &[Ask<'_>], at_most: Duration) -> Vec<Answer> {
        if tracing::enabled!(tracing::Level::TRACE) {
            asks.iter().filter_map(Ask::text).for_each(|statement| tracing::trace!(statement, "sent to PostgreSQL"));
        }
        let Self { client, prepared, pooled, runtime, aside, .. } = self;
        let runtime = runtime.as_ref().expect("only drop takes the runtime away");
        let mut answers: Vec<Option<Answer>> = asks.iter().map(|_| None).collect();
        let talking = async {
            if !*pooled {
                prepare(client, prepared, asks).await?;
            }
            let (client, prepared) = (&*client, &*prepared);
            let mut sent: Vec<_> = asks.iter().map(|ask| Box::pin(answered(client, prepared, ask))).collect();
            in_order(&mut sent, &mut answers).await;
            Ok::<_, LinkError>(())
        };
        let ended = drive_to_end(runtime, *aside, async { tokio::time::timeout(at_most, talking).await });
        let silent = match ended {
            Ok(Ok(())) => LinkError::Broken("there was no response".to_owned()),
            // Nothing of the round was sent.
            Ok(Err(link_error)) => link_error,
            Err(_) => LinkError::Silent(at_most),
        };
        answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(silent.clone()))).collect()
    }

    /// Does the same as [`Self::ask`], and fails if any statement fails.
    pub fn ask_all(&mut self, asks: &[Ask<'_>], at_most: Duration) -> Result<Vec<Vec<tokio_postgres::Row>>, LinkError> {
        self.ask(asks, at_most).into_iter().collect()
    }

    /// Resets the record of server warnings.
    pub fn listen(&self) {
        self.warned.store(false, Ordering::SeqCst);
    }

    /// Returns whether the server sent a warning. An incomplete wait for the standby is reported by a warning and a
    /// successful commit.
    pub fn was_warned(&self) -> bool {
        self.warned.load(Ordering::SeqCst)
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Lends the driver's client, for migrations only.
    pub fn with_client<T>(&mut self, work: impl AsyncFnOnce(&mut Client) -> T) -> T {
        let Self { client, runtime, .. } = self;
        runtime.as_ref().expect("only drop takes the runtime away").block_on(work(client))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Drives the connection until it ends, and records the server's warnings.
async fn drive<T>(mut connection: Connection<Socket, T>, warned: Arc<AtomicBool>)
where
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    loop {
        match std::future::poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) => {
                if notice.parsed_severity() == Some(Severity::Warning) {
                    tracing::warn!(message = notice.message(), detail = notice.detail(), "PostgreSQL warns");
                    warned.store(true, Ordering::SeqCst);
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(error = with_cause(&error), "a connection to PostgreSQL ended");
                return;
            }
            None => return,
        }
    }
}

async fn prepare(client: &Client, prepared: &mut Prepared, asks: &[Ask<'_>]) -> Result<(), LinkError> {
    let mut missing: Vec<&Statement<'_>> = Vec::new();
    for ask in asks {
        match ask {
            Ask::Made(made)
                if !prepared.made.contains_key(&made.form) && !missing.iter().any(|other| other.form == made.form) =>
            {
                missing.push(made);
            }
            Ask::Fixed(text, params) if !prepared.fixed.contains_key(text) => {
                let statement = client.prepare_typed(text, &types(params)).await?;
                prepared.fixed.insert(*text, statement);
            }
            Ask::Nothing | Ask::Plain(_) | Ask::Once(_) | Ask::Fixed(..) | Ask::Made(_) => {}
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    if prepared.made.len() + missing.len() > STATEMENTS_MAX {
        prepared.made.clear();
        return Box::pin(prepare(client, prepared, asks)).await;
    }
    let preparing =
        missing.iter().map(|made| async { client.prepare_typed(&made.form.text(), &types(&made.params)).await });
    for (made, statement) in missing.iter().zip(futures::future::join_all(preparing).await) {
        prepared.made.insert(made.form.clone(), statement?);
    }
    Ok(())
}

fn types(params: &[Param<'_>]) -> Vec<Type> {
    params.iter().map(|param| param.to_sql().1).collect()
}

async fn answered(client: &Client, prepared: &Prepared, ask: &Ask<'_>) -> Answer {
    match ask {
        Ask::Nothing => Ok(Vec::new()),
        Ask::Plain(text) => Ok(client.batch_execute(text).await.map(|()| Vec::new())?),
        Ask::Once(text) => Ok(client.query_typed(text, &[]).await?),
        Ask::Fixed(text, params) => queried(client, prepared.fixed.get(text), || (*text).to_owned(), params).await,
        Ask::Made(made) => queried(client, prepared.made.get(&made.form), || made.form.text(), &made.params).await,
    }
}

/// Runs the prepared statement, or the text if none is prepared.
async fn queried(
    client: &Client,
    prepared: Option<&tokio_postgres::Statement>,
    text: impl FnOnce() -> String,
    params: &[Param<'_>],
) -> Answer {
    let typed: Vec<_> = params.iter().map(Param::to_sql).collect();
    match prepared {
        Some(statement) => {
            let params: Vec<_> = typed.into_iter().map(|(param, _)| param).collect();
            Ok(client.query(statement, &params).await?)
        }
        None => Ok(client.query_typed(&text(), &typed).await?),
    }
}

/// Polls all in order, which sends them, then awaits one after the other: the server responds in that order.
async fn in_order<F: Future + Unpin>(sent: &mut [F], answers: &mut [Option<F::Output>]) {
    let mut begun = false;
    std::future::poll_fn(|context| {
        for (future, answer) in sent.iter_mut().zip(answers.iter_mut()).filter(|(_, answer)| answer.is_none()) {
            match Pin::new(future).poll(context) {
                Poll::Ready(done) => *answer = Some(done),
                Poll::Pending if begun => return Poll::Pending,
                Poll::Pending => {}
            }
        }
        begun = true;
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
