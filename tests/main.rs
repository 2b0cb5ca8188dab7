//! The tests that drive the program from outside: a file for each noun, one target, so that it links once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that cannot go on ends there"
)]

mod harness;

mod approval_policies;
mod app_compliance;
mod apps;
mod backups;
mod batch_crash;
mod belonging;
mod citus;
mod citus_direct;
mod citus_nodes;
mod claims;
mod claims_of_users;
mod claims_paid_out;
mod contract;
mod coming_back;
mod command_line;
mod crash;
mod deleted_apps;
mod delivery;
mod documents;
mod events;
mod failover;
mod fee_estimates;
mod fee_properties;
mod fee_tables;
mod front;
mod funding;
mod handwritten;
mod idempotency;
mod ledger;
mod links_by_ach;
mod lists;
mod load;
mod matrix;
mod mistakes;
mod move_store;
mod move_store_killed;
mod pages;
mod pgbouncer;
mod payout_limits;
mod payment_customers;
mod payments;
mod payables;
mod payables_files;
mod payables_paying;
mod payables_races;
mod payout_links;
mod payout_link_batch_plans;
mod payout_link_batches;
mod payout_methods;
mod payout_requests;
mod payouts;
mod process;
mod portable;
mod postgres;
mod postgres_chaos;
mod postgres_fencing;
mod postgres_hosts;
mod postgres_plans;
mod postgres_processes;
mod postgres_serializable;
mod races;
mod samples;
mod sandbox;
mod schemas;
mod screening;
mod story_app;
mod stores;
mod stores_differ;
mod secure_mail;
mod story_funding;
mod story_organization;
mod story_payment;
mod story_payable;
mod story_payout;
mod story_payout_link_batch;
mod story_payout_request;
mod story_screening;
mod story_transfer;
mod story_user;
mod story_white_label;
mod tax_years;
mod story_webhook;
mod tidy;
mod told;
mod transfers;
mod user_findings;
mod users;
mod vendors;
mod webhooks;
mod wire;
mod workers;
