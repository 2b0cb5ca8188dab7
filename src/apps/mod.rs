//! Organizations, their apps, and the keys that open them (docs/decisions.md 2).
//!
//! Invariant: an organization is the tenant. Whatever an app owns stands under its
//! organization, and no key of one ever reaches another: a key's client id carries its
//! organization inside, and is looked for nowhere else. Deliberately absent: what an
//! app's money is doing (`ledger`), and who may call which route (the table of routes
//! says it, [`authenticate()`] keeps it).
//!
//! Start at [`App`], then [`authenticate()`].

pub mod acts;
mod authenticate;
pub mod bootstrap;
mod create;
mod delete;
mod demonstration;
mod fee_tables;
pub mod first;
mod http;
mod json;
mod keyless;
pub mod keys;
pub mod limits;
mod model;
mod last_use;
pub mod phones;
mod rotate;
mod settings;
mod settings_input;
mod update;

pub use authenticate::{Presented, authenticate};
pub use create::CreateApp;
pub use delete::{DeleteApp, DeletionHooks, has_any};
pub use demonstration::{CreateDemonstration, Credentials, DEPOSIT};
pub use fee_tables::FeeTableVersion;
pub use http::{app_in_path, routes};
pub use json::{AppJson, touch};
pub use keyless::may_post_without_key;
pub use model::{
    App, AppMetrics, AppStatus, Key, Organization, count_connected_user, count_money_out, find, find_even_deleted, want,
};
pub use rotate::{IssueKey, Owner, RevokeKey};
pub use settings::{
    AuthorizationNeeded, AutoRefill, DeliveryLimits, FeeTable, FeeVersion, FeeVersions, MemberProof, Settings,
};
pub use settings_input::ScheduleJson;
pub use update::{UpdateApp, UpdateSettings};
