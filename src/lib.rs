//! bursar, a payments service.

// Values, exact and pure (crates/base).
pub use bursar_base::{
    bank, basic, chain, clock, color, country, email, embargo, fees, ids, image, input, language, money, patch,
    permission, phone, platform, reason, refusal, scope, strict_json, tax, text, vault,
};
// Machinery of its own crates (crates/engine, crates/outbound): commands, batches, stores; calls to external servers.
pub use bursar_engine::{engine, store, world};
pub use bursar_outbound::{outbound, providers};

// Machinery: records, commands and requests, independent of any noun.

/// Attacks, locks and permission changes: one log line and one count each.
pub mod security_log;
/// The log's lines on their way to a stream.
pub mod log_output;
/// Compares names with a sanctions list.
pub mod screening;
/// The ways to banks that the configuration names.
pub mod bank_transports;
/// The running program, shared by handlers and the worker.
pub mod program;
/// Who sends a request: an app, an organization, a member.
pub mod caller;
/// Idempotency keys and stored responses.
pub mod idempotency;
/// Calls, lists, routes.
pub mod http;
/// Jobs that a commit leaves to a worker, with leases.
pub mod jobs;

// The business.

/// Banking days, and the windows in which a bank takes files.
pub mod calendars;
/// The event log of each app, without gaps.
pub mod events;
/// Sends an app's events to its webhook endpoints.
pub mod webhooks;
/// The double-entry record of all money.
pub mod ledger;
/// The keys of the hash chain, and the upgrade of an older chain.
pub mod history;
/// The members of an organization, and their roles.
pub mod members;
/// Payees' stored destinations.
pub mod payout_methods;
/// Bank accounts of apps, payment customers and vendors.
pub mod bank_accounts;
/// Organizations, apps and keys, and the authentication of callers.
pub mod apps;
/// The acting member and their permissions.
pub mod acting;
/// Instructions to payout rails, their providers, and the simulated rails of the sandbox.
pub mod rails;
/// Connections to banks, originators, settlement accounts, and the routes of rails.
pub mod banking;
/// Messages to people, and their delivery.
pub mod messages;
/// Codes that prove control of a phone number or an e-mail address.
pub mod verification;
/// The records of payees, and the apps that may pay them.
pub mod users;
/// Tax forms, and the sums of tax years.
pub mod taxes;
/// An app's answers about its company, directors and use of money.
pub mod app_compliance;
/// Transfers: one movement of money each.
pub mod transfers;
/// Payments at providers behind HTTP.
pub mod rail_payments;
/// Payments in files for a bank: entries, files, and what members do with them.
pub mod bank_files;
/// Deposits to an app's wallet, and withdrawals from it.
pub mod funding;
/// Payers of an app who are not its users.
pub mod payment_customers;
/// Money collected from users and payment customers.
pub mod payments;
/// Companies that send bills, and their bank accounts.
pub mod vendors;
/// The approvals that a bill needs.
pub mod approval_policies;
/// Bills: their approval and their payment.
pub mod payables;
/// Payout links: an amount that a payee can claim.
pub mod payout_links;
/// The bodies of stored responses that events have.
pub mod originals;
/// Requests of people to be paid.
pub mod payout_requests;
/// Payouts: money to a person by a payout rail.
pub mod payouts;
/// Payout links that were submitted together.
pub mod payout_link_batches;
/// Orders of members to take an entry or a file back at the bank.
pub mod bank_reversals;
/// Applies the rails' reports to transfers.
pub mod settlements;
/// The files that banks send: stored once, and applied whole.
pub mod bank_intake;
/// The statements of bank accounts: applied in order, line by line.
pub mod bank_statements;
/// What a person must look at at a bank.
pub mod bank_alarms;
/// The steps in which a payee takes the money of a link.
pub mod claims;
/// Deletes apps, users and vendors, and erases a payee from every row that names them.
pub mod closing;
/// All stored data about a payee, in one document.
pub mod export;

// Entry points, and tools over all nouns.

/// Checks the stored data against the invariants.
pub mod verify;
/// Rewrites and checks the sealed values of all nouns.
pub mod seals;
/// A simulated bank, which reads payment files and answers with files.
pub mod bankbox;
/// Sandbox only: the movable clock and the magic values.
pub mod sandbox;
/// Every kind of record.
pub mod tables;
/// Runs the jobs that commits leave.
pub mod worker;
/// The web pages: the claim, the sandbox inbox, the reference.
pub mod pages;
pub mod metrics_list;
/// Turns HTTP requests into calls, in one fixed order.
pub mod dispatch;
/// Probes of liveness and readiness, and the metrics.
pub mod health;
pub mod saturation;
/// The OpenAPI document, and its page.
pub mod openapi;
/// The table of routes.
pub mod routes;
/// The file with the master keys.
pub mod key_file;
/// The configuration.
pub mod config;
/// The folder with the sanctions list, and the switch to a new list.
pub mod sanctions;
/// Opens the store, its lock and the master key.
pub mod instance;
/// Lists all reasons not to start, with their remedies.
pub mod preflight;
/// Moves an embedded store to PostgreSQL, with proof that it is complete.
pub mod moving;
/// Copies of an embedded store.
pub mod backups;
/// Limits on the number of connections, and on their idle time.
pub mod connections;
/// Runs one server process, from start to a clean end.
pub mod serve;
/// A load generator for a running server.
pub mod load;
/// Checks whether an adapter keeps the adapter protocol.
pub mod rails_check;
/// The simulator: months of payouts from a seed, checked after every step.
pub mod sim;
/// The command line.
pub mod cli;
