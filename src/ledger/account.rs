//! The ledger accounts. Pure.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::ids::{AppId, LedgerAccountId, OrgId, SettlementAccountId, UserId};
use crate::platform::Platform;
use crate::world::record::words;

words! {
    /// The types of ledger accounts.
    pub enum LedgerAccountKind {
        /// Money that an app can spend.
        AppWallet = "app_wallet",
        /// Money that an app has set aside: unclaimed links, initiated payables.
        AppHeld = "app_held",
        /// Payments that an app has collected and that cannot leave it yet.
        AppCollected = "app_collected",
        /// A person's money within an app.
        UserWallet = "user_wallet",
        /// Money that an organization has not given to an app.
        OrganizationWallet = "organization_wallet",
        /// Money on its way on a rail; returns to zero.
        Clearing = "clearing",
        /// Fees that the service has earned.
        ServiceFees = "service_fees",
        /// Earnings of currency exchange.
        Fx = "fx",
        /// The outside world, as an app sees it.
        External = "external",
        /// Money that an organization has given to an app, in the app's part of the ledger.
        Funding = "funding",
        /// The counterpart of `funding` in the organization's own part of the ledger.
        OrganizationFunding = "organization_funding",
        /// Money that went through a bank account of the organization and that its bank has not booked.
        Unbooked = "unbooked",
        /// Money in a bank account of the organization, as its statements show it; negative, like all cash.
        AtBank = "at_bank",
        /// Lines of statements that are not explained.
        Suspense = "suspense",
        /// Fees and interest of a bank.
        BankCosts = "bank_costs",
    }
}

/// Names one ledger account of the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    AppWallet(AppId),
    AppHeld(AppId),
    AppCollected(AppId),
    UserWallet(AppId, UserId),
    OrganizationWallet,
    Clearing(AppId, Platform),
    ServiceFees(AppId),
    Fx(AppId),
    /// Its balance is the money that left, less the money that came in.
    External(AppId),
    /// The organization's side of a movement between it and the app, so that the app's part of the ledger balances.
    Funding(AppId),
    /// The apps' side, in the organization's part of the ledger.
    OrganizationFunding,
    /// Takes the place of [`Account::External`] for payments in files of a bank.
    Unbooked(AppId, SettlementAccountId),
    /// Moved by lines of applied statements only: all of them together are the bank's balance, negated. `None` is the
    /// organization's own part.
    AtBank(Option<AppId>, SettlementAccountId),
    /// In the organization's part of the ledger.
    Suspense(SettlementAccountId),
    /// In the organization's part of the ledger.
    BankCosts(SettlementAccountId),
}

impl Account {
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
            Self::Unbooked(..) => LedgerAccountKind::Unbooked,
            Self::AtBank(..) => LedgerAccountKind::AtBank,
            Self::Suspense(_) => LedgerAccountKind::Suspense,
            Self::BankCosts(_) => LedgerAccountKind::BankCosts,
        }
    }

    /// The app in whose part of the ledger it is; `None` for the organization's own part.
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
            | Self::Funding(app)
            | Self::Unbooked(app, _) => Some(app),
            Self::AtBank(app, _) => app,
            Self::OrganizationWallet | Self::OrganizationFunding | Self::Suspense(_) | Self::BankCosts(_) => None,
        }
    }

    /// The payee whose wallet it is.
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
            | Self::OrganizationFunding
            | Self::Unbooked(..)
            | Self::AtBank(..)
            | Self::Suspense(_)
            | Self::BankCosts(_) => None,
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
            | Self::OrganizationFunding
            | Self::Unbooked(..)
            | Self::AtBank(..)
            | Self::Suspense(_)
            | Self::BankCosts(_) => None,
        }
    }

    /// The organization's account at its bank.
    pub const fn settlement_account(self) -> Option<SettlementAccountId> {
        match self {
            Self::Unbooked(_, account)
            | Self::AtBank(_, account)
            | Self::Suspense(account)
            | Self::BankCosts(account) => Some(account),
            Self::AppWallet(_)
            | Self::AppHeld(_)
            | Self::AppCollected(_)
            | Self::UserWallet(..)
            | Self::OrganizationWallet
            | Self::Clearing(..)
            | Self::ServiceFees(_)
            | Self::Fx(_)
            | Self::External(_)
            | Self::Funding(_)
            | Self::OrganizationFunding => None,
        }
    }

    /// Returns the id, a hash of these values: it needs no query, and two commands that open an account at once agree
    /// on it.
    pub fn id(self, org: OrgId) -> LedgerAccountId {
        let mut hash = Sha256::new();
        hash.update(org.0);
        // The kind ends with a null byte and decides which parts follow, each of a fixed length but the last: no two
        // accounts have the same bytes.
        hash.update(self.kind().as_str());
        hash.update([0]);
        hash.update(self.app().map_or(Uuid::nil(), |app| app.0));
        hash.update(self.user().map_or(Uuid::nil(), |user| user.0));
        hash.update(self.platform().map_or("", Platform::as_str));
        // Absent in the accounts of other kinds, whose ids are older than it.
        if let Some(account) = self.settlement_account() {
            hash.update(account.0);
        }
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        LedgerAccountId(Uuid::new_v8(bytes))
    }

    /// `User wallet`, `Clearing: Bank account (ACH)`.
    pub fn name(self) -> String {
        account_name(self.kind(), self.platform())
    }
}

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
        LedgerAccountKind::Unbooked => "Through the bank, not booked",
        LedgerAccountKind::AtBank => "At the bank",
        LedgerAccountKind::Suspense => "Bank lines to explain",
        LedgerAccountKind::BankCosts => "Bank costs",
    };
    match platform {
        Some(platform) => format!("{name}: {}", platform.display_name()),
        None => name.to_owned(),
    }
}

impl LedgerAccountKind {
    /// Whether the balance may be negative. A wallet's may not, because money that is not in it cannot be spent.
    pub const fn may_go_below_zero(self) -> bool {
        match self {
            Self::AppWallet | Self::AppHeld | Self::AppCollected | Self::UserWallet | Self::OrganizationWallet => false,
            Self::Clearing
            | Self::ServiceFees
            | Self::Fx
            | Self::External
            | Self::Funding
            | Self::OrganizationFunding
            | Self::Unbooked
            | Self::AtBank
            | Self::Suspense
            | Self::BankCosts => true,
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
                Account::Unbooked(app, SettlementAccountId(Uuid::from_u128(4))),
                Account::Unbooked(app, SettlementAccountId(Uuid::from_u128(5))),
                Account::AtBank(Some(app), SettlementAccountId(Uuid::from_u128(4))),
            ]
        };
        let all: Vec<Account> = accounts(app)
            .into_iter()
            .chain(accounts(other))
            .chain([Account::OrganizationWallet, Account::OrganizationFunding])
            .chain([4, 5].map(|account| Account::AtBank(None, SettlementAccountId(Uuid::from_u128(account)))))
            .chain([4, 5].map(|account| Account::Suspense(SettlementAccountId(Uuid::from_u128(account)))))
            .chain([4, 5].map(|account| Account::BankCosts(SettlementAccountId(Uuid::from_u128(account)))))
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
