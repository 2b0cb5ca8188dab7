//! The tables of all records, for checks of the schema and for moves between stores.

use crate::app_compliance::AppCompliance;
use crate::approval_policies::ApprovalPolicy;
use crate::apps::limit_days::LimitDay;
use crate::apps::{App, AppMetrics, FeeTableVersion, Key, Organization};
use crate::bank_accounts::BankAccount;
use crate::claims::{ClaimContact, ClaimSession};
use crate::closing::Erasure;
use crate::events::{EventObject, EventRow, EventSegment, EventStream};
use crate::funding::{Debt, OrganizationTransfer};
use crate::history::HistoryBegin;
use crate::idempotency::StoredAnswer;
use crate::jobs::Job;
use crate::ledger::wallet_funding::WalletFunding;
use crate::ledger::{Entry, Hold, LedgerAccount, LedgerBook, Transaction};
use crate::members::Member;
use crate::members::sign_in::{MemberFactor, MemberSession, MemberSetUp};
use crate::messages::{DeliveryDay, InboxMessage, Message};
use crate::payables::{Payable, PayableFile};
use crate::payment_customers::PaymentCustomer;
use crate::payout_link_batches::{BatchRow, PayoutLinkBatch};
use crate::payout_links::PayoutLink;
use crate::payout_methods::PayoutMethod;
use crate::payout_requests::{PayoutRequest, PublicRequests};
use crate::rails::sandbox::RailItem;
use crate::sandbox::clock::EnvironmentClock;
use crate::seals::SealState;
use crate::transfers::{Debit, Transfer};
use crate::users::notices::ChangeNotice;
use crate::users::screening::{ScreeningHit, ScreeningRun};
use crate::users::verification::{Verification, VerificationDay, VerificationRecipient};
use crate::users::{AppUser, ComplianceDecision, TaxYear, User};
use crate::vendors::{Vendor, VendorPaymentMethod};
use crate::webhooks::{WebhookDelivery, WebhookEndpoint};
use crate::world::{Record, Table};

/// Ordered by the records' names. `tests/schemas.rs` compares the list with both schemas.
pub const ALL: &[&Table] = &[
    Key::TABLE,
    AppCompliance::TABLE,
    AppMetrics::TABLE,
    AppUser::TABLE,
    ApprovalPolicy::TABLE,
    App::TABLE,
    BankAccount::TABLE,
    ChangeNotice::TABLE,
    ClaimContact::TABLE,
    ClaimSession::TABLE,
    ComplianceDecision::TABLE,
    Debit::TABLE,
    Debt::TABLE,
    DeliveryDay::TABLE,
    EnvironmentClock::TABLE,
    Erasure::TABLE,
    EventObject::TABLE,
    EventRow::TABLE,
    EventSegment::TABLE,
    EventStream::TABLE,
    FeeTableVersion::TABLE,
    HistoryBegin::TABLE,
    Hold::TABLE,
    InboxMessage::TABLE,
    Job::TABLE,
    LedgerAccount::TABLE,
    LedgerBook::TABLE,
    Entry::TABLE,
    LimitDay::TABLE,
    MemberFactor::TABLE,
    MemberSession::TABLE,
    MemberSetUp::TABLE,
    Member::TABLE,
    Message::TABLE,
    OrganizationTransfer::TABLE,
    Organization::TABLE,
    PayableFile::TABLE,
    Payable::TABLE,
    PaymentCustomer::TABLE,
    BatchRow::TABLE,
    PayoutLinkBatch::TABLE,
    PayoutLink::TABLE,
    PayoutMethod::TABLE,
    PayoutRequest::TABLE,
    PublicRequests::TABLE,
    RailItem::TABLE,
    ScreeningHit::TABLE,
    ScreeningRun::TABLE,
    SealState::TABLE,
    StoredAnswer::TABLE,
    TaxYear::TABLE,
    Transaction::TABLE,
    Transfer::TABLE,
    User::TABLE,
    VendorPaymentMethod::TABLE,
    Vendor::TABLE,
    VerificationDay::TABLE,
    VerificationRecipient::TABLE,
    Verification::TABLE,
    WalletFunding::TABLE,
    WebhookDelivery::TABLE,
    WebhookEndpoint::TABLE,
];
