//! One connection, with the small runtime that drives it on the thread of whoever uses it.
//!
//! All statements of a round are sent before any answer is waited for. Whoever sees an error from here throws the
//! connection away: only the server knows what became of it.

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
use super::nodes::{Node, Target};
use super::settings::with_cause;
use super::statements::{Form, Statement};
use crate::store::StoreError;

/// A transaction whose process has stopped is ended by the server after this time, and its lock is free.
pub const IDLE_MAX_MILLIS: u32 = 3_000;
/// How long a batch waits for those that other processes have in hand in its organization.
pub(super) const LOCK_MAX_MILLIS: u64 = 8_000;
/// Prepared statements kept by a connection; there are about four for each table.
const STATEMENTS_MAX: usize = 512;
/// How long a connection may take to be ready, greeting and TLS included.
const READY_DEADLINE: Duration = Duration::from_secs(3);

/// What a round is made of.
pub(super) enum Ask<'a> {
    /// Nothing, in the place of something: it is not sent.
    Nothing,
    /// A text without parameters and without an answer.
    Plain(String),
    /// A text without parameters whose rows count; never prepared.
    Once(String),
    /// One of a few texts with these parameters.
    Fixed(&'static str, Vec<Param<'static>>),
    /// Made from records.
    Made(&'a Statement<'a>),
}

/// What a connection has prepared.
#[derive(Default)]
struct Prepared {
    fixed: HashMap<&'static str, tokio_postgres::Statement>,
    made: HashMap<Form, tokio_postgres::Statement>,
}

impl Ask<'_> {
    /// What is sent, without its parameters.
    fn text(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Plain(text) | Self::Once(text) => Some(text.clone()),
            Self::Fixed(text, _) => Some((*text).to_owned()),
            Self::Made(made) => Some(made.form.text()),
        }
    }
}

/// What went wrong in a round.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// The server said no to one statement; the transaction is lost, and nothing of it was written.
    #[error("{message} ({code})", code = code.code())]
    Said {
        /// The SQLSTATE.
        code: SqlState,
        /// In the server's words.
        message: String,
        /// Whether the session ended with it.
        ended: bool,
    },
    /// The connection broke: what was under way may have happened.
    #[error("{0}")]
    Broken(String),
    /// The answer took too long: what was under way may have happened, or may happen yet.
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
    /// Whether the same may go well on another connection or a moment later: deadlocks, failed serialization,
    /// a server that shuts down or has become a standby. Whoever waited for an answer in vain has waited enough. A right,
    /// a table or a column that is gone is the operator's to bring back: an outage, and no bug.
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

    /// Whether other transactions are in the way of this one, and of nothing else on the connection.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Said { code, ended: false, .. } if *code == SqlState::T_R_SERIALIZATION_FAILURE)
    }

    /// Whether the server has no room on its disk.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Said { code, .. } if *code == SqlState::DISK_FULL)
    }

    /// Whether the server said that it could not connect to another.
    pub fn is_of_a_connection(&self) -> bool {
        matches!(self, Self::Said { code, .. } if code.code().starts_with("08"))
    }

    /// What it means for who only reads, or has not asked for a commit yet.
    pub fn of_read(self) -> StoreError {
        let reason = self.to_string();
        match self.may_pass() {
            _ if self.is_full() => StoreError::Full(reason),
            true => StoreError::Again(reason),
            false => StoreError::Read(reason),
        }
    }
}

/// What became of one of a round.
pub(super) type Answer = Result<Vec<tokio_postgres::Row>, LinkError>;

/// Where a connection leads.
#[derive(Clone, Debug)]
pub(super) enum Leads {
    /// To one of the hosts of the URL.
    ToHost(usize),
    /// To a node of a distributed database.
    ToNode(Arc<Node>),
}

/// See the module's comment.
pub(super) struct Link {
    pub leads: Leads,
    client: Client,
    prepared: Prepared,
    /// How many transactions were begun.
    begun: u32,
    pooled: bool,
    /// Whether the database has the extension that spreads it over nodes.
    citus: bool,
    /// Whether the server warned of something since [`Self::listen`].
    warned: Arc<AtomicBool>,
    /// Whether it is driven on a thread aside, because its user's is one of an async runtime, which may not block.
    aside: bool,
    /// Goes away last, without waiting: it may be dropped where nobody may block.
    runtime: Option<Runtime>,
}

/// Drives a future to its end; see [`Link::aside`].
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

/// Of how many statements the begin of a transaction is.
pub const BEGINNING: usize = 5;

/// What holds beside that where there is Citus. What we set for a transaction holds on its node too, where the lock is
/// waited for and which may lose the coordinator. A plan that is to serve every organization would ask every node, so
/// the server may choose: it keeps only those that find the node anew each time.
const SPREAD: [&str; 2] = ["citus.propagate_set_commands = 'local'", "plan_cache_mode = auto"];

/// What holds for every transaction of ours. Plans are made once for each statement, and by index: a plan made
/// while a table was small must not read the whole of it when it has grown. A commit waits for the standby, where the
/// server has one to wait for, and when that wait is given up we are told: by nothing but a warning.
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
    /// Connects; the server must take writes.
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

    /// Whether it leads to where an organization is.
    pub fn leads_to(&self, place: &Target) -> bool {
        match (&self.leads, place) {
            (Leads::ToHost(_), Target::Main) => true,
            (Leads::ToNode(node), Target::At(wanted)) => node == wanted,
            (Leads::ToHost(_), Target::At(_)) | (Leads::ToNode(_), Target::Main) => false,
        }
    }

    /// From now on it is driven aside, or not.
    pub fn drive_aside(&mut self, aside: bool) {
        self.aside = aside;
    }

    /// Whether the database has the extension that spreads it over nodes.
    pub fn has_citus(&self) -> bool {
        self.citus
    }

    /// The statements that begin a transaction, nothing for some of them.
    ///
    /// A plan is kept that was made when its statement was first sent. While tables are small every index of an
    /// organization looks as good as any, and one that finds all of its rows may be taken for each of them; so plans
    /// are made anew at the 1st, 2nd, 4th, 8th … transaction, whenever tables can have doubled.
    pub fn begin(&mut self, how: &str) -> [Ask<'static>; BEGINNING] {
        self.begun = self.begun.saturating_add(1);
        let begin = match self.begun.is_power_of_two() && !self.pooled && !self.citus {
            true => format!("BEGIN {how}; DISCARD PLANS"),
            false => format!("BEGIN {how}"),
        };
        let mut asks = [const { Ask::Nothing }; BEGINNING];
        if self.citus {
            // What the node is to be told is passed on with the whole text that it stands in, so each stands alone.
            let [passed_on, plans] = SPREAD.map(|set| Ask::Plain(format!("SET LOCAL {set}")));
            let [idle, lock] = time_limits("LOCAL").map(Ask::Plain);
            asks = [Ask::Nothing, passed_on, plans, idle, lock];
        }
        asks[0] = Ask::Plain(if self.pooled { format!("{begin}; {}", manners("LOCAL")) } else { begin });
        asks
    }

    /// Sends all, then waits for all, at most so long; the answers in their order. What had no answer in time is
    /// [`LinkError::Silent`].
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

    /// The same, where one that fails is a failure of all.
    pub fn ask_all(&mut self, asks: &[Ask<'_>], at_most: Duration) -> Result<Vec<Vec<tokio_postgres::Row>>, LinkError> {
        self.ask(asks, at_most).into_iter().collect()
    }

    /// From now on the server's warnings are minded.
    pub fn listen(&self) {
        self.warned.store(false, Ordering::SeqCst);
    }

    /// Whether there was one. A commit that was not waited for to the end is told by a warning and by success.
    pub fn was_warned(&self) -> bool {
        self.warned.load(Ordering::SeqCst)
    }

    /// Whether it is known to be broken.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Lends the driver's client, for the migrations alone.
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

/// Moves bytes until the connection ends, and minds what the server says beside its answers.
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

/// Asks by what is prepared, else by the text.
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

/// Begins all in their order, which sends them, and then waits for one after the other: the server answers in
/// that order.
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
