//! The record of a transfer, and the words for its kind and status.

use uuid::Uuid;

use crate::clock::Time;
use crate::fees::{Breakdown, FeeBasis, Party};
use crate::ids::{
    AppId, BankAccountId, MemberId, OrgId, PaymentCustomerId, PayoutLinkId, PayoutMethodId, TransferId, UserId,
};
use crate::money::Cents;
use crate::platform::Platform;
use crate::rails::Direction;
use crate::rails::failures::FailureCode;
use crate::scope::Scope;
use crate::world::record::{Document, record, words};

words! {
    /// What a transfer is for (docs/decisions.md 8).
    pub enum TransferKind {
        /// Between wallets and holds of the house.
        Balance = "balance",
        /// To a person, by a rail.
        Payout = "payout",
        /// Into or out of the app's wallet.
        Refill = "refill",
        /// From a person or a customer.
        Payment = "payment",
        /// To a vendor.
        Payable = "payable",
        /// Of a provider's account with us.
        Settlement = "settlement",
    }
}

words! {
    /// Where a transfer stands.
    pub enum TransferStatus {
        /// Made, the money set aside.
        Created = "created", // docs/specification.md
        /// Stopped for a review.
        Flagged = "flagged",
        /// At the rail.
        Pending = "pending",
        /// The money arrived.
        Completed = "completed",
        /// It did not, and is back.
        Failed = "failed",
        /// It had arrived and came back.
        Reversed = "reversed",
        /// Taken back before it was sent.
        Canceled = "canceled",
    }
}

record! {
    /// One movement of money.
    pub struct Transfer in "transfers" {
        key (org, id)
        many UNDER_WAY (org, under_way_of);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: TransferId,
        /// The app.
        pub app: AppId,
        /// The person it concerns.
        pub user_id: Option<UserId>,
        /// What it is for.
        pub kind: TransferKind,
        /// Where it stands.
        pub status: TransferStatus,
        /// Cents. Balance transfers are negative when they go from the app to the user, refills when they go out of
        /// the app's wallet.
        pub amount: Cents,
        /// By which rail.
        pub platform: Option<Platform>,
        /// To or from which of a user's payout methods.
        pub payout_method: Option<PayoutMethodId>,
        /// To or from which bank account of an app, a payer or a vendor.
        pub bank_account: Option<BankAccountId>,
        /// The payment customer who pays.
        pub customer: Option<PaymentCustomerId>,
        /// The user or the payment customer that it concerns, while it has not come to its end.
        pub under_way_of: Option<Uuid>,
        /// For which link.
        pub payout_link: Option<PayoutLinkId>,
        /// The service's fee, in cents.
        pub fee: Cents,
        /// What the app adds.
        pub platform_fee: Cents,
        /// The charge for the exchange.
        pub fx_fee: Cents,
        /// What arrives at the payee; the amount itself where there is no fee.
        pub arrives: Cents,
        /// Who pays the fees.
        pub fee_party: Option<Party>,
        /// What the fees were made by, where there are any.
        pub fee_basis: Option<Document<FeeBasis>>,
        /// Whether the app filled the user's wallet for it, and is given back what does not arrive.
        pub funded: bool,
        /// Which member let it go after a review.
        pub approved_by: Option<MemberId>,
        /// Why it failed or came back.
        pub error: Option<FailureCode>,
        /// Kept out of tax reports.
        pub tax_exempt: bool,
        /// The caller's note.
        pub metadata: Option<String>,
        /// When the rail is expected to have decided.
        pub settles_at: Option<Time>,
        /// When the money arrived.
        pub completed_at: Option<Time>,
        /// Goes up with each change.
        pub version: i64,
        /// When it was made.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
    }
}

impl Transfer {
    /// A new transfer without fees, in its first state.
    pub fn new(org: OrgId, app: AppId, id: TransferId, kind: TransferKind, amount: Cents, now: Time) -> Self {
        Self {
            org,
            id,
            app,
            user_id: None,
            kind,
            status: TransferStatus::Created,
            amount,
            platform: None,
            payout_method: None,
            bank_account: None,
            customer: None,
            under_way_of: None,
            payout_link: None,
            fee: Cents::ZERO,
            platform_fee: Cents::ZERO,
            fx_fee: Cents::ZERO,
            arrives: amount,
            fee_party: None,
            fee_basis: None,
            funded: false,
            approved_by: None,
            error: None,
            tax_exempt: false,
            metadata: None,
            settles_at: None,
            completed_at: None,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Which way a rail moves it; none where no rail has to do with it.
    pub fn direction(&self) -> Option<Direction> {
        self.platform?;
        match self.kind {
            TransferKind::Payout | TransferKind::Payable => Some(Direction::Credit),
            TransferKind::Payment => Some(Direction::Debit),
            // A refill is negative when it goes out of the app's wallet.
            TransferKind::Refill if self.amount.is_negative() => Some(Direction::Credit),
            TransferKind::Refill => Some(Direction::Debit),
            TransferKind::Balance | TransferKind::Settlement => None,
        }
    }

    /// Whether it has not come to its end.
    pub const fn is_under_way(&self) -> bool {
        match self.status {
            TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending => true,
            TransferStatus::Completed
            | TransferStatus::Failed
            | TransferStatus::Reversed
            | TransferStatus::Canceled => false,
        }
    }

    /// What `under_way_of` must be: whoever it concerns, as long as it is under way.
    pub fn whose_while_under_way(&self) -> Option<Uuid> {
        let whose = self.user_id.map(|user| user.0).or(self.customer.map(|customer| customer.0));
        whose.filter(|_| self.is_under_way())
    }

    /// The app that it belongs to.
    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }

    /// Whether its rail was not told of it yet and is to be. One that was approved is pending from that moment on, and
    /// still waits for its rail.
    pub const fn waits_for_rail(&self) -> bool {
        match self.status {
            TransferStatus::Created => true,
            TransferStatus::Pending => self.settles_at.is_none(),
            TransferStatus::Flagged
            | TransferStatus::Completed
            | TransferStatus::Failed
            | TransferStatus::Reversed
            | TransferStatus::Canceled => false,
        }
    }

    /// With the fees of a payout, and what they were made by.
    #[must_use]
    pub fn with_fees(self, charged: &Breakdown, party: Party, basis: FeeBasis) -> Self {
        Self {
            fee: charged.fee,
            platform_fee: charged.platform_fee,
            fx_fee: charged.fx_upcharge,
            arrives: charged.payout_amount,
            fee_party: Some(party),
            fee_basis: Some(Document(basis)),
            ..self
        }
    }
}
