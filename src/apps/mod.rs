//! Organizations, their apps, and their keys (docs/decisions.md 2).
//!
//! Invariant: an organization is the tenant. It owns the rows of its apps, and its keys open no other organization: a
//! client id contains its organization, and is searched in that organization only. Deliberately absent: the money of an
//! app (`ledger`), and the callers of each route (the table of routes lists them, [`authenticate()`] enforces them).
//!
//! Start at [`App`], then [`authenticate()`].

pub mod acts;
mod authenticate;
pub mod brand;
pub mod bootstrap;
mod create;
mod demonstration;
mod fee_tables;
pub mod first;
mod http;
mod inputs;
mod json;
mod keyless;
pub mod keys;
pub mod limit_days;
mod limits;
mod model;
mod last_use;
pub mod phones;
mod rotate;
mod rows;
mod settings;
mod settings_input;
mod update;

pub use authenticate::{Presented, authenticate};
pub use create::CreateApp;
pub use demonstration::{CreateDemonstration, Credentials, DEPOSIT};
pub use fee_tables::FeeTableVersion;
pub use http::{app_in_path, routes};
pub use json::{AppJson, emit_updated, shown, touch};
pub use keyless::may_post_without_key;
pub use limits::{Limits, Measure, Movement, measures};
pub use model::{App, AppMetrics, AppStatus, Key, Organization};
pub use rotate::{IssueKey, Owner, RevokeKey};
pub use rows::{count_connected_user, count_money_out, find, find_even_deleted, has_any, want};
pub use settings::{
    AuthorizationNeeded, AutoRefill, DeliveryLimits, FeeTable, FeeVersion, FeeVersions, MemberProof, Settings,
};
pub use settings_input::ScheduleJson;
pub use update::{UpdateApp, UpdateSettings};
