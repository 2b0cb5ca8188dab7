//! The history of an app's fee table: every version, so that a past payout can be explained.
//!
//! Current and future versions are also in the app's settings (`settings.rs`), so that a payout reads no history.

use std::collections::BTreeMap;

use serde::Serialize;

use super::settings::{FeeTable, FeeVersion, Settings};
use super::settings_input::{ScheduleJson, rows};
use crate::clock::Time;
use crate::ids::{AppId, OrgId};
use crate::scope::Scope;
use crate::world::World;
use crate::world::record::{Document, record};

record! {
    /// One version of an app's fee table. Never changed, never removed.
    pub struct FeeTableVersion in "fee_tables" {
        key (org, app, version);
        pub org: OrgId,
        pub app: AppId,
        /// Counts from 1 within the app.
        pub version: i64,
        pub fees: Document<FeeTable>,
        /// The time from which it applies, until a later version does.
        pub effective_at: Time,
        pub created_at: Time,
    }
}

/// A version of an app's fee table.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FeeTable)]
pub struct FeeTableJson {
    /// Counts from 1 within the app.
    pub version: i64,
    /// The fees that the app adds to the service's fees.
    pub fees: BTreeMap<String, ScheduleJson>,
    /// The time from which it applies, until a later version does.
    #[schema(value_type = String, format = DateTime)]
    pub effective_at: Time,
    /// Whether it applies now.
    pub in_force: bool,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
}

impl FeeTableJson {
    /// Returns a version as shown at a moment.
    pub fn at(version: &FeeTableVersion, settings: &Settings, now: Time) -> Self {
        Self {
            version: version.version,
            fees: rows(&version.fees.0),
            effective_at: version.effective_at,
            in_force: settings.fees.holding(now).0 == version.version,
            created: version.created_at,
        }
    }
}

/// Adds a version to the history.
pub(super) fn keep(world: &mut World, scope: Scope, made: FeeVersion) {
    let created_at = world.now();
    let FeeVersion { version, effective_at, table } = made;
    world.add(FeeTableVersion {
        org: scope.org,
        app: scope.app,
        version,
        fees: Document(table),
        effective_at,
        created_at,
    });
}
