//! Where money can be. Pure.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::ids::{AppId, LedgerAccountId, OrgId, UserId};
use crate::platform::Platform;
use crate::world::record::words;

words! {
    /// The kinds of ledger accounts.
    pub enum LedgerAccountKind {
        /// What an app can spend.
        AppWallet = "app_wallet",
        /// What an app has set aside: unclaimed links, initiated payables.
        AppHeld = "app_held",
        /// Payments that an app has collected and that cannot leave it yet.
        AppCollected = "app_collected",
        /// What a person owns within an app.
        UserWallet = "user_wallet",
        /// What an organization has not given to an app.
        OrganizationWallet = "organization_wallet",
        /// What is under way on a rail; comes back to zero.
        Clearing = "clearing",
        /// What the service has earned.
        ServiceFees = "service_fees",
        /// What changing currencies has earned.
        Fx = "fx",
        /// The outside world, as an app sees it.
        External = "external",
        /// What an organization has given to an app, in the app's book.
        Funding = "funding",
        /// The same in the organization's book.
        OrganizationFunding = "organization_funding",
    }
}

/// A place where money can be. Each has one ledger account within its organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// What an app can spend.
    AppWallet(AppId),
    /// What an app has set aside: unclaimed links, initiated payables.
    AppHeld(AppId),
    /// Payments that an app has collected and that cannot leave it yet.
    AppCollected(AppId),
    /// What a person owns within an app.
    UserWallet(AppId, UserId),
    /// What the organization has not given to an app.
    OrganizationWallet,
    /// What is under way on a rail.
    Clearing(AppId, Platform),
    /// What the service has earned from an app's payouts.
    ServiceFees(AppId),
    /// What changing currencies has earned on them.
    Fx(AppId),
    /// The outside world, as the app sees it. Its balance is what came in, negative, plus what went out.
    External(AppId),
    /// Stands in the app's book for the organization, so that a movement between the two balances there.
    Funding(AppId),
    /// Stands in the organization's book for its apps.
    OrganizationFunding,
}

impl Account {
    /// What kind of place it is.
    pub const fn kind(self) -> LedgerAccountKind {
        match self {
            Self::AppWallet(_) => LedgerAccountKind::AppWallet,
            Self::AppHeld(_) => LedgerAccountKind::AppHeld,
            Self::AppCollected(_) => LedgerAccountKind::AppCollected,
            Self::UserWallet(..) => LedgerAccountKind::UserWallet,
            Self::OrganizationWallet => LedgerAccountKind::OrganizationWallet,
            Self::Clearing(..) => LedgerAccountKind::Clearing,
            Self::ServiceFees(_) => LedgerAccountKind::ServiceFees,
            Self::Fx(_) => LedgerAccountKind::Fx,
            Self::External(_) => LedgerAccountKind::External,
            Self::Funding(_) => LedgerAccountKind::Funding,
            Self::OrganizationFunding => LedgerAccountKind::OrganizationFunding,
        }
    }

    /// The app in whose book it stands; `None` for the organization's own book.
    pub const fn app(self) -> Option<AppId> {
        match self {
            Self::AppWallet(app)
            | Self::AppHeld(app)
            | Self::AppCollected(app)
            | Self::UserWallet(app, _)
            | Self::Clearing(app, _)
            | Self::ServiceFees(app)
            | Self::Fx(app)
            | Self::External(app)
            | Self::Funding(app) => Some(app),
            Self::OrganizationWallet | Self::OrganizationFunding => None,
        }
    }

    /// The person whose wallet it is.
    pub const fn user(self) -> Option<UserId> {
        match self {
            Self::UserWallet(_, user) => Some(user),
            Self::AppWallet(_)
            | Self::AppHeld(_)
            | Self::AppCollected(_)
            | Self::OrganizationWallet
            | Self::Clearing(..)
            | Self::ServiceFees(_)
            | Self::Fx(_)
            | Self::External(_)
            | Self::Funding(_)
            | Self::OrganizationFunding => None,
        }
    }

    /// The rail whose clearing account it is.
    pub const fn platform(self) -> Option<Platform> {
        match self {
            Self::Clearing(_, platform) => Some(platform),
            Self::AppWallet(_)
            | Self::AppHeld(_)
            | Self::AppCollected(_)
            | Self::UserWallet(..)
            | Self::OrganizationWallet
            | Self::ServiceFees(_)
            | Self::Fx(_)
            | Self::External(_)
            | Self::Funding(_)
            | Self::OrganizationFunding => None,
        }
    }

    /// The id of its ledger account: made of what the place is, so that nobody has to look it up, and two
    /// commands that open the same account at once open the same one.
    pub fn id(self, org: OrgId) -> LedgerAccountId {
        let mut hash = Sha256::new();
        hash.update(org.0);
        // The word ends with a null byte and decides which parts follow, each of a fixed length but the
        // last: no two places have the same bytes.
        hash.update(self.kind().as_str());
        hash.update([0]);
        hash.update(self.app().map_or(Uuid::nil(), |app| app.0));
        hash.update(self.user().map_or(Uuid::nil(), |user| user.0));
        hash.update(self.platform().map_or("", Platform::as_str));
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        LedgerAccountId(Uuid::new_v8(bytes))
    }

    /// What people call it: `User wallet`, `Clearing: Bank account (ACH)`.
    pub fn name(self) -> String {
        account_name(self.kind(), self.platform())
    }
}

/// What people call a place of this kind.
pub(super) fn account_name(kind: LedgerAccountKind, platform: Option<Platform>) -> String {
    let name = match kind {
        LedgerAccountKind::AppWallet => "App wallet",
        LedgerAccountKind::AppHeld => "App held",
        LedgerAccountKind::AppCollected => "App collected, on hold",
        LedgerAccountKind::UserWallet => "User wallet",
        LedgerAccountKind::OrganizationWallet => "Organization wallet",
        LedgerAccountKind::Clearing => "Clearing",
        LedgerAccountKind::ServiceFees => "Service fees",
        LedgerAccountKind::Fx => "Currency exchange",
        LedgerAccountKind::External => "Outside world",
        LedgerAccountKind::Funding => "Funding by the organization",
        LedgerAccountKind::OrganizationFunding => "Funding of apps",
    };
    match platform {
        Some(platform) => format!("{name}: {}", platform.display_name()),
        None => name.to_owned(),
    }
}

impl LedgerAccountKind {
    /// Whether its balance may be negative. A wallet's may not: nobody spends what is not there.
    pub const fn may_go_below_zero(self) -> bool {
        match self {
            Self::AppWallet | Self::AppHeld | Self::AppCollected | Self::UserWallet | Self::OrganizationWallet => false,
            Self::Clearing
            | Self::ServiceFees
            | Self::Fx
            | Self::External
            | Self::Funding
            | Self::OrganizationFunding => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_place_has_an_account_of_its_own() {
        let org = OrgId(Uuid::from_u128(1));
        let (app, other) = (AppId(Uuid::from_u128(2)), AppId(Uuid::from_u128(3)));
        let (jane, john) = (UserId(Uuid::from_u128(2)), UserId(Uuid::from_u128(3)));
        let accounts = |app| {
            [
                Account::AppWallet(app),
                Account::AppHeld(app),
                Account::AppCollected(app),
                Account::UserWallet(app, jane),
                Account::UserWallet(app, john),
                Account::Clearing(app, Platform::Ach),
                Account::Clearing(app, Platform::Rtp),
                Account::ServiceFees(app),
                Account::Fx(app),
                Account::External(app),
                Account::Funding(app),
            ]
        };
        let all: Vec<Account> = accounts(app)
            .into_iter()
            .chain(accounts(other))
            .chain([Account::OrganizationWallet, Account::OrganizationFunding])
            .collect();
        let ids: HashSet<_> = all.iter().map(|account| account.id(org)).collect();
        assert_eq!(ids.len(), all.len());
        let elsewhere: HashSet<_> = all.iter().map(|account| account.id(OrgId(Uuid::from_u128(9)))).collect();
        assert!(ids.is_disjoint(&elsewhere));
    }

    #[test]
    fn an_id_never_changes_because_rows_refer_to_it() {
        let id = Account::Clearing(AppId(Uuid::from_u128(2)), Platform::Ach).id(OrgId(Uuid::from_u128(1)));
        assert_eq!(id.0.get_version_num(), 8);
        insta::assert_snapshot!(id, @"ba49b167-c747-8d20-b7e0-624b659dde39");
    }
}
