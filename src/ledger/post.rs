//! Posting: the only way in which money moves.

use std::sync::Arc;

use super::account::{Account, LedgerAccountKind};
use super::chain;
use super::model::{CURRENCY, LedgerAccount, LedgerBook, Transaction, TransactionKind};
use super::wallet_funding::{self, WalletFunding};
use crate::ids::{LedgerAccountId, OrgId, PostingId, TransferId};
use crate::money::{Cents, MoneyOverflow};
use crate::reason::{Details, Reason};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// An amount that leaves one ledger account and arrives in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    pub kind: TransactionKind,
    pub from: Account,
    /// Another account of the same part of the ledger.
    pub to: Account,
    pub amount: Cents,
}

/// Movements that are posted together, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    org: OrgId,
    transfer: Option<TransferId>,
    metadata: Option<String>,
    movements: Vec<Movement>,
    /// Whether it may take money that the app owes; every other posting leaves that amount in the app's wallet.
    takes_owed: bool,
}

impl Posting {
    /// Returns a posting of these movements, in their order. It balances by construction: each amount leaves one
    /// account and arrives in another.
    ///
    /// Movements of zero are omitted, not refused: a payout names its fee even if the fee is zero. A posting without
    /// movements is no error.
    pub fn balanced(org: OrgId, transfer: Option<TransferId>, movements: Vec<Movement>) -> Self {
        let movements = movements.into_iter().filter(|movement| !movement.amount.is_zero()).collect();
        Self { org, transfer, metadata: None, movements, takes_owed: false }
    }

    /// Lets the posting take money that the app owes, to pay the debt or to move money that came in for another
    /// purpose.
    #[must_use]
    pub(super) fn taking_owed(mut self) -> Self {
        self.takes_owed = true;
        self
    }

    /// Replaces the outside world by the account that represents it for this money: of a bank account of the
    /// organization, what its bank has not booked.
    #[must_use]
    pub fn through(mut self, outside: Account) -> Self {
        let replaced = |account: Account| if matches!(account, Account::External(_)) { outside } else { account };
        for movement in &mut self.movements {
            (movement.from, movement.to) = (replaced(movement.from), replaced(movement.to));
        }
        self
    }

    /// Adds the caller's note to each transaction.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Option<String>) -> Self {
        self.metadata = metadata;
        self
    }

    /// Returns the movements, none of them zero.
    pub fn movements(&self) -> &[Movement] {
        &self.movements
    }

    /// Returns the rows that [`post`] reads, for [`Command::needs`](crate::engine::Command::needs): a command that
    /// knows its posting before it runs saves a round of loading.
    pub fn wants(&self) -> Vec<Want> {
        self.wants_of(&self.accounts())
    }

    /// Returns the accounts with their ids, each once: an id is a hash.
    fn accounts(&self) -> Vec<(Account, LedgerAccountId)> {
        let mut accounts: Vec<(Account, LedgerAccountId)> = Vec::with_capacity(2 * self.movements.len());
        for account in self.movements.iter().flat_map(|movement| [movement.from, movement.to]) {
            if accounts.iter().all(|(known, _)| *known != account) {
                accounts.push((account, account.id(self.org)));
            }
        }
        accounts
    }

    fn wants_of(&self, accounts: &[(Account, LedgerAccountId)]) -> Vec<Want> {
        let rows = accounts.iter().flat_map(|(account, id)| {
            let row = Want::row::<LedgerAccount>(key![self.org, *id]);
            let watched = account.app().filter(|_| account.kind() == LedgerAccountKind::AppWallet);
            let watch = watched.map(|app| Want::row::<WalletFunding>(key![self.org, app]));
            [Some(row), watch].into_iter().flatten()
        });
        std::iter::once(Want::row::<LedgerBook>(key![self.org])).chain(rows).collect()
    }
}

/// Posts: the only writer of the ledger. Movements apply in their order, and wallets are checked after all of them, so
/// money may pass through an empty wallet within one posting.
///
/// The app cannot spend money that it owes: a posting that takes money out of its wallet must leave that amount, until
/// the job that pays the debt ([`wallet_funding`]) has run.
///
/// # Errors
///
/// `transaction-insufficient-funds` if a wallet would be below zero, or below its app's debt; `limit-exceeded` if a
/// balance would not fit into 64 bits of cents. Nothing is posted then.
pub fn post(world: &mut World, posting: &Posting) -> Result<(), Halt> {
    refuse_malformed(posting)?;
    let accounts = posting.accounts();
    world.require(posting.wants_of(&accounts))?;
    let book = world.get::<LedgerBook>(key![posting.org])?;
    let mut states =
        accounts.into_iter().map(|account| state(world, posting.org, account)).collect::<Result<Vec<_>, _>>()?;
    let place = |account: Account| states.iter().position(|state| state.account == account);
    let places: Vec<(usize, usize)> =
        posting.movements.iter().filter_map(|movement| Some((place(movement.from)?, place(movement.to)?))).collect();
    let mut steps = Vec::new();
    for (movement, &(from, to)) in posting.movements.iter().zip(&places) {
        let source_after = states[from].apply(movement.amount.negated())?;
        let destination_after = states[to].apply(movement.amount)?;
        let (source, destination) = (states[from].id, states[to].id);
        steps.push(Leg { movement, source, source_after, destination, destination_after });
    }
    for state in &states {
        let owed = if posting.takes_owed { Cents::ZERO } else { owed_out_of(world, posting.org, state)? };
        if state.lacks(owed) {
            return Err(insufficient_funds(state, owed).into());
        }
    }

    // From here it must succeed.
    if steps.is_empty() {
        return Ok(());
    }
    let book = book
        .unwrap_or_else(|| world.add(LedgerBook { org: posting.org, last_number: 0, accounts: 0, hash: Vec::new() }));
    let (last_number, hash) = write_transactions(world, posting, &steps, &book);
    let accounts = write_balances(world, posting.org, &states, book.accounts);
    world.change(&book, |book| {
        book.last_number = last_number;
        book.accounts = accounts;
        book.hash = hash;
    });
    for state in states {
        if let Account::AppWallet(app) = state.account {
            wallet_funding::schedule(world, Scope { org: posting.org, app }, state.balance)?;
        }
    }
    Ok(())
}

/// An account while a posting is computed.
struct AccountState {
    account: Account,
    id: LedgerAccountId,
    /// The stored row; `None` before the first entry.
    row: Option<Arc<LedgerAccount>>,
    balance: Cents,
    entries: i64,
}

impl AccountState {
    /// Changes the balance and returns the new one.
    fn apply(&mut self, amount: Cents) -> Result<Cents, Refusal> {
        self.balance = self.balance.plus(amount).map_err(|MoneyOverflow| too_large(self.account))?;
        self.entries += 1;
        Ok(self.balance)
    }

    /// The balance before the posting.
    fn held(&self) -> Cents {
        self.row.as_ref().map_or(Cents::ZERO, |row| row.balance)
    }

    /// Whether the posting takes money that is not there, or that must stay for a debt.
    fn lacks(&self, owed: Cents) -> bool {
        let taken_out = self.balance < self.held();
        (self.balance.is_negative() || taken_out && self.balance < owed) && !self.account.kind().may_go_below_zero()
    }
}

/// Returns the amount that must stay in the account for the app's debt.
fn owed_out_of(world: &World, org: OrgId, state: &AccountState) -> Result<Cents, Halt> {
    let Account::AppWallet(app) = state.account else { return Ok(Cents::ZERO) };
    Ok(wallet_funding::find(world, Scope { org, app })?.owed)
}

/// A movement with the balances after it.
struct Leg<'a> {
    movement: &'a Movement,
    source: LedgerAccountId,
    source_after: Cents,
    destination: LedgerAccountId,
    destination_after: Cents,
}

/// Reads an account of the posting.
fn state(world: &World, org: OrgId, (account, id): (Account, LedgerAccountId)) -> Result<AccountState, Halt> {
    let row = world.get::<LedgerAccount>(key![org, id])?;
    let balance = row.as_ref().map_or(Cents::ZERO, |row| row.balance);
    let entries = row.as_ref().map_or(0, |row| row.entries);
    Ok(AccountState { account, id, row, balance, entries })
}

/// Adds the transactions. Returns the number and the link of the last one.
fn write_transactions(world: &mut World, posting: &Posting, steps: &[Leg<'_>], book: &LedgerBook) -> (i64, Vec<u8>) {
    let (org, id, created_at) = (posting.org, world.id::<PostingId>(), world.now());
    let (mut number, mut hash) = (book.last_number, book.hash.clone());
    for step in steps {
        number += 1;
        let Movement { kind, from, to, amount } = *step.movement;
        let transaction = Transaction {
            org,
            number,
            app: from.app(),
            posting: id,
            transfer: posting.transfer,
            kind,
            amount,
            source: step.source,
            destination: step.destination,
            source_balance: step.source_after,
            destination_balance: step.destination_after,
            source_name: from.name(),
            destination_name: to.name(),
            metadata: posting.metadata.clone(),
            created_at,
        };
        hash = chain::link(world.chain(), &hash, &transaction);
        world.add(transaction);
    }
    (number, hash)
}

/// Writes the balances and opens new accounts. Returns the number of accounts after that.
fn write_balances(world: &mut World, org: OrgId, states: &[AccountState], accounts: i64) -> i64 {
    let now = world.now();
    let mut opened = accounts;
    for AccountState { account, id, row, balance, entries } in states {
        if let Some(row) = row {
            world.change(row, |row| {
                row.balance = *balance;
                row.entries = *entries;
                row.changed_at = now;
            });
            continue;
        }
        opened += 1;
        world.add(LedgerAccount {
            org,
            id: *id,
            number: opened,
            kind: account.kind(),
            app: account.app(),
            user: account.user(),
            platform: account.platform(),
            settlement_account: account.settlement_account(),
            balance: *balance,
            entries: *entries,
            currency: CURRENCY.to_owned(),
            created_at: now,
            changed_at: now,
        });
    }
    opened
}

/// Refuses a posting that no function of [`super::postings`] makes, as a bug.
fn refuse_malformed(posting: &Posting) -> Result<(), Refusal> {
    let bug = |message: &str| Err(Refusal::new(Code::InternalError, message));
    for movement in &posting.movements {
        if !movement.amount.is_positive() {
            return bug("The amount of a transaction must be above zero.");
        }
        if movement.from == movement.to {
            return bug("A transaction must name two different ledger accounts.");
        }
        if movement.from.app() != movement.to.app() {
            return bug("A transaction must stay within one ledger.");
        }
    }
    Ok(())
}

fn insufficient_funds(short: &AccountState, owed: Cents) -> Refusal {
    let (name, held) = (short.account.name(), short.held().dollars());
    let missing = owed.plus(short.balance.negated()).unwrap_or(owed);
    let of_which = if owed.is_positive() {
        format!(", of which {} is owed for returned money", owed.dollars())
    } else {
        String::new()
    };
    let message = format!("{name} holds {held}{of_which}; {} more is needed.", missing.dollars());
    let (available, missing) = (Some(short.held().get()), Some(missing.get()));
    let details = Details { available, missing, ..Details::default() };
    Refusal::new(Code::InsufficientFunds, message).because(Reason::BalanceTooLow).with(details)
}

fn too_large(account: Account) -> Refusal {
    let message = format!("The balance of {} would exceed the maximum of a ledger account.", account.name());
    Refusal::new(Code::LimitExceeded, message).because(Reason::BalanceLimit)
}
