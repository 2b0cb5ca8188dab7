//! bursar

// Words: exact values with a name, pure code, no I/O.

/// An exact number of cents, and percentages of it.
pub mod money;
/// The rails that money leaves by.
pub mod platform;
/// What a payout costs, and the schedules that say so.
pub mod fees;
/// Countries, and the states of the United States.
pub mod country;
/// Countries and regions under embargo.
pub mod embargo;
/// Phone numbers that a numbering plan gives out.
pub mod phone;
/// E-mail addresses.
pub mod email;
/// Checks of free text, spelling hints, masks.
pub mod text;
/// Routing and account numbers, IBAN, BIC, addresses on chains.
pub mod bank;
/// Request bodies, read strictly and exactly.
pub mod strict_json;
/// The Authorization header.
pub mod basic;
/// Moments in UTC, and the clocks that tell them.
pub mod clock;
/// The keyed chain of the history, and signed heads of it.
pub mod chain;
/// From how much on the tax office is told.
pub mod tax;
/// Ids of each kind of object, and the entropy that makes them.
pub mod ids;
/// The app that an object belongs to.
pub mod scope;
/// What a member's role may allow.
pub mod permission;
/// A change of one field.
pub mod patch;
/// Sealing and keyed hashes.
pub mod vault;
/// Every way in which the service says no.
pub mod refusal;

// Machinery: knows records, commands and requests, and no noun.

/// Attacks, locks and changes of authority: one log line and one count each.
pub mod security_log;
/// The working set of a batch of commands.
pub mod world;
/// How like a name is to those on a sanctions list.
pub mod screening;
/// Where records live.
pub mod store;
/// One batch of commands is one commit.
pub mod engine;
/// The one way out over HTTP, and where it may lead.
pub mod outbound;
/// Those who carry messages to people: a mail server, a gateway to phones.
pub mod providers;
/// The running program, shared by handlers and the worker.
pub mod program;
/// Inputs, answers, lists, idempotency, routes.
pub mod http;
/// Work that is done after a commit, with leases.
pub mod jobs;

// The business.

/// The gap-free log of what happened.
pub mod events;
/// An app's events, sent to URLs of its choice.
pub mod webhooks;
/// The book: where money is, and every movement of it.
pub mod ledger;
/// The keys of the history, and how an older chain is carried over.
pub mod history;
/// The people of an organization, and what they may do.
pub mod members;
/// Where users' money goes.
pub mod payout_methods;
/// Bank accounts of apps, payers and vendors.
pub mod bank_accounts;
/// Organizations, apps and keys; who calls.
pub mod apps;
/// What people are told, and by which way.
pub mod messages;
/// The people who are paid, and which apps may pay them.
pub mod users;
/// What apps tell of their companies, directors and use of money.
pub mod app_compliance;
/// The ways by which money leaves, and the sandbox's own.
pub mod rails;
/// One movement of money each, as the API tells it.
pub mod transfers;
/// How money gets into an app's wallet and out of it again.
pub mod funding;
/// Who pays an app without being its user.
pub mod payment_customers;
/// Money collected from users and payment customers.
pub mod payments;
/// Who acts in accounts payable, and within which limits.
pub mod acting;
/// Who sends bills, and the bank accounts by which they are paid.
pub mod vendors;
/// The rules that say whose approval a bill needs.
pub mod approval_policies;
/// Bills: their approval and their payment.
pub mod payables;
/// Claimable links that carry an amount.
pub mod payout_links;
/// What people ask to be paid.
pub mod payout_requests;
/// Money on its way to a person, by a rail.
pub mod payouts;
/// Many links that were submitted together.
pub mod payout_link_batches;
/// What the rails say of transfers, brought to the noun that each belongs to.
pub mod settlements;
/// How a payee takes the money of a link.
pub mod claims;
/// Takes an erased payee out of every row that names them.
pub mod erasure;
/// Everything that is kept of a payee, in one document.
pub mod export;

// Ways in and out.

/// Checks the stored data against the invariants.
pub mod verify;
/// Seals of all nouns: rewritten and checked.
pub mod seals;
/// What only the sandbox has: the movable clock.
pub mod sandbox;
/// Every kind of record.
pub mod tables;
/// The pages that people see: the claim, the sandbox inbox, the reference.
pub mod pages;
/// Does what commits leave to be done.
pub mod worker;
/// HTTP requests become calls, in one fixed order.
pub mod dispatch;
/// Whether the program lives, is ready, and what it measures.
pub mod health;
/// The description of the API, and its page.
pub mod openapi;
/// THE table of routes.
pub mod routes;
/// The file with the master keys.
pub mod key_file;
/// What the program is told.
pub mod config;
/// The folder with the sanctions list, and taking up a new one.
pub mod sanctions;
/// Opening the store, its lock and the master key.
pub mod instance;
/// All reasons against serving, with their remedies.
pub mod preflight;
/// An embedded store moves to PostgreSQL, whole and provably.
pub mod moving;
/// Copies of an embedded store.
pub mod backups;
/// How many connections there may be, and how long each may stand still.
pub mod connections;
/// One process, from start to a clean end.
pub mod serve;
/// A client that sends as much as is answered.
pub mod load;
/// The simulator: months of payouts from a seed, checked after every step.
pub mod sim;
/// The command line.
pub mod cli;
