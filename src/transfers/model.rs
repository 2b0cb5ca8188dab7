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
    // docs/decisions.md 8
    /// The type of a transfer.
    pub enum TransferKind {
        /// Between wallets and holds of the ledger.
        Balance = "balance",
        /// To a person, by a rail.
        Payout = "payout",
        /// Into or out of the app's wallet.
        Refill = "refill",
        /// From a user or a payment customer.
        Payment = "payment",
        /// To a vendor.
        Payable = "payable",
        /// Reserved.
        Settlement = "settlement",
    }
}

words! {
    /// The state of a transfer.
    pub enum TransferStatus {
        /// Created, and its money is taken or held.
        Created = "created", // docs/specification.md
        /// Waits for a member to approve or cancel it.
        Flagged = "flagged",
        /// Sent to the rail.
        Pending = "pending",
        /// The money arrived.
        Completed = "completed",
        /// The money did not arrive and is back.
        Failed = "failed",
        /// The money arrived and was returned.
        Reversed = "reversed",
        /// Canceled before it was sent.
        Canceled = "canceled",
    }
}

record! {
    pub struct Transfer in "transfers" {
        key (org, id)
        many UNDER_WAY (org, under_way_of)
        many HELD (org, held_for);
        pub org: OrgId,
        pub id: TransferId,
        pub app: AppId,
        pub user_id: Option<UserId>,
        pub kind: TransferKind,
        pub status: TransferStatus,
        /// Cents. Balance transfers are negative from the app to the user, refills are negative out of the app's
        /// wallet.
        pub amount: Cents,
        pub platform: Option<Platform>,
        /// The user's payout method at the other end.
        pub payout_method: Option<PayoutMethodId>,
        /// The bank account of an app, a payer or a vendor at the other end.
        pub bank_account: Option<BankAccountId>,
        pub customer: Option<PaymentCustomerId>,
        /// The user or the payment customer, until the transfer has its terminal outcome.
        pub under_way_of: Option<Uuid>,
        pub payout_link: Option<PayoutLinkId>,
        /// In cents.
        pub fee: Cents,
        /// The app's own fee, in cents.
        pub platform_fee: Cents,
        pub fx_fee: Cents,
        /// Cents that arrive; the whole amount without a fee.
        pub arrives: Cents,
        pub fee_party: Option<Party>,
        pub fee_basis: Option<Document<FeeBasis>>,
        /// Whether the app filled the user's wallet for it; money that does not arrive goes back to the app.
        pub funded: bool,
        /// The member who approved it after a review.
        pub approved_by: Option<MemberId>,
        pub error: Option<FailureCode>,
        pub tax_exempt: bool,
        pub metadata: Option<String>,
        /// When the rail is expected to have an outcome.
        pub settles_at: Option<Time>,
        /// The prenote for whose outcome it waits; it is in no file for a bank until then.
        pub held_for: Option<TransferId>,
        /// When the prenote is presumed accepted, if its bank reports nothing.
        pub held_until: Option<Time>,
        /// When the money arrived.
        pub completed_at: Option<Time>,
        /// Incremented by each change.
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
    }
}

impl Transfer {
    /// Returns a new transfer without fees, in its first state.
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
            held_for: None,
            held_until: None,
            completed_at: None,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the direction on the rail; `None` without a rail.
    pub fn direction(&self) -> Option<Direction> {
        self.platform?;
        match self.kind {
            TransferKind::Payout | TransferKind::Payable => Some(Direction::Credit),
            TransferKind::Payment => Some(Direction::Debit),
            // A refill out of the app's wallet is negative.
            TransferKind::Refill if self.amount.is_negative() => Some(Direction::Credit),
            TransferKind::Refill => Some(Direction::Debit),
            TransferKind::Balance | TransferKind::Settlement => None,
        }
    }

    pub const fn is_under_way(&self) -> bool {
        match self.status {
            TransferStatus::Created | TransferStatus::Flagged | TransferStatus::Pending => true,
            TransferStatus::Completed
            | TransferStatus::Failed
            | TransferStatus::Reversed
            | TransferStatus::Canceled => false,
        }
    }

    /// Returns the required value of `under_way_of`: the user or customer while the transfer is in flight.
    pub fn whose_while_under_way(&self) -> Option<Uuid> {
        let whose = self.user_id.map(|user| user.0).or(self.customer.map(|customer| customer.0));
        whose.filter(|_| self.is_under_way())
    }

    pub fn scope(&self) -> Scope {
        Scope { org: self.org, app: self.app }
    }

    /// Returns whether it is still to be sent to its rail. An approved transfer is pending at once, and still waits for
    /// its rail.
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

    /// Sets the fees of a payout and their basis.
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
