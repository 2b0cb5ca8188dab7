//! The tables of all records, for checks of the schema and for moves between stores.

use crate::app_compliance::AppCompliance;
use crate::approval_policies::ApprovalPolicy;
use crate::apps::brand::AppLogo;
use crate::apps::limit_days::LimitDay;
use crate::apps::{App, AppMetrics, FeeTableVersion, Key, Organization};
use crate::bank_accounts::BankAccount;
use crate::bank_files::{BankEntry, BankFile, BankSequence};
use crate::bank_intake::{BankItem, InboundFile, InboundPart};
use crate::bank_reversals::BankReversal;
use crate::bank_statements::{BankBalance, BankStatement};
use crate::banking::connections::BankConnection;
use crate::banking::originators::Originator;
use crate::banking::providers::RailProvider;
use crate::banking::routes::RailRoute;
use crate::banking::settlement_accounts::SettlementAccount;
use crate::claims::{ClaimContact, ClaimSession};
use crate::closing::Erasure;
use crate::events::{EventObject, EventRow, EventSegment, EventStream};
use crate::funding::{Debt, OrganizationTransfer};
use crate::history::HistoryBegin;
use crate::idempotency::StoredAnswer;
use crate::jobs::Job;
use crate::ledger::wallet_funding::WalletFunding;
use crate::ledger::{Hold, LedgerAccount, LedgerBook, Transaction};
use crate::members::Member;
use crate::members::sign_in::{MemberFactor, MemberSession, MemberSetUp};
use crate::messages::{DeliveryDay, InboxMessage, Message, TextStop};
use crate::payables::{Payable, PayableFile};
use crate::payment_customers::PaymentCustomer;
use crate::payout_link_batches::{BatchRow, PayoutLinkBatch};
use crate::payout_links::PayoutLink;
use crate::payout_methods::PayoutMethod;
use crate::payout_requests::{PayoutRequest, PublicRequests};
use crate::rail_payments::RailPayment;
use crate::rails::sandbox::RailItem;
use crate::sandbox::clock::EnvironmentClock;
use crate::seals::SealState;
use crate::transfers::{Debit, Transfer};
use crate::users::notices::ChangeNotice;
use crate::users::screening::{ScreeningHit, ScreeningRun};
use crate::users::{AppUser, ComplianceDecision, TaxYear, User};
use crate::vendors::{Vendor, VendorPaymentMethod};
use crate::verification::{Verification, VerificationDay, VerificationRecipient};
use crate::webhooks::{WebhookDelivery, WebhookEndpoint};
use crate::world::{Record, Table};

/// Ordered by the records' names. `tests/schemas.rs` compares the list with both schemas.
pub const ALL: &[&Table] = &[
    Key::TABLE,
    AppCompliance::TABLE,
    AppLogo::TABLE,
    AppMetrics::TABLE,
    AppUser::TABLE,
    ApprovalPolicy::TABLE,
    App::TABLE,
    BankAccount::TABLE,
    BankBalance::TABLE,
    BankConnection::TABLE,
    BankEntry::TABLE,
    BankFile::TABLE,
    BankItem::TABLE,
    BankReversal::TABLE,
    BankSequence::TABLE,
    BankStatement::TABLE,
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
    InboundFile::TABLE,
    InboundPart::TABLE,
    InboxMessage::TABLE,
    Job::TABLE,
    LedgerAccount::TABLE,
    LedgerBook::TABLE,
    LimitDay::TABLE,
    MemberFactor::TABLE,
    MemberSession::TABLE,
    MemberSetUp::TABLE,
    Member::TABLE,
    Message::TABLE,
    OrganizationTransfer::TABLE,
    Organization::TABLE,
    Originator::TABLE,
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
    RailPayment::TABLE,
    RailProvider::TABLE,
    RailRoute::TABLE,
    ScreeningHit::TABLE,
    ScreeningRun::TABLE,
    SealState::TABLE,
    SettlementAccount::TABLE,
    StoredAnswer::TABLE,
    TaxYear::TABLE,
    TextStop::TABLE,
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
