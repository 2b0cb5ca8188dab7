//! A transfer as JSON (docs/specification.md, Transfer).

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::debit::{self, DebitJson};
use super::model::{Transfer, TransferKind, TransferStatus};
use crate::bank_accounts::BankAccount;
use crate::clock::Time;
use crate::fees::{FeeBasis, Party};
use crate::ids::{MemberId, PaymentCustomerId, PayoutLinkId, TransferId, UserId};
use crate::ledger::{self, TransactionJson};
use crate::payout_methods;
use crate::platform::Platform;
use crate::rails::Direction;
use crate::scope::Scope;
use crate::users::User;
use crate::world::record::key;
use crate::world::{Halt, World};

/// One movement of money; also the response of a payment.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TransferJson {
    /// The transfer's id.
    pub id: TransferId,
    /// When the transfer was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The user who pays or is paid.
    #[schema(required)]
    pub user_id: Option<UserId>,
    /// The payment customer who pays.
    #[schema(required)]
    pub customer_id: Option<PaymentCustomerId>,
    /// The transfer's status.
    #[schema(value_type = TransferStatus)]
    pub status: &'static str,
    /// The code of the failure or return.
    #[schema(required)]
    pub error: Option<&'static str>,
    /// The message of the failure or return.
    #[schema(required)]
    pub error_message: Option<&'static str>,
    /// The sender of money from outside.
    pub sender_details: SenderDetails,
    /// The type of the transfer.
    #[serde(rename = "type")]
    #[schema(value_type = TransferKind)]
    pub kind: &'static str,
    /// Cents, as decimal text.
    #[schema(example = "1000")]
    pub amount: String,
    /// The fees in cents, as decimal text.
    pub fee_amount: String,
    /// The amount that arrives, in cents, as decimal text.
    pub payout_amount: String,
    /// The party that pays the fees of a payout: user or platform.
    #[schema(required, value_type = Option<Party>)]
    pub payout_fee_party: Option<&'static str>,
    /// The basis of a payout's fees.
    #[schema(required)]
    pub fee_basis: Option<FeeBasis>,
    /// A payment's authorization, and when its money can leave the app; null for all other transfers.
    #[schema(required)]
    pub debit: Option<DebitJson>,
    /// Until when it waits for the validation of the account by a prenote, if the bank reports nothing; null if it does not
    /// wait.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub held_until: Option<Time>,
    /// The member who approved it after a review.
    #[schema(required)]
    pub approved_by: Option<MemberId>,
    /// The rail and the account.
    pub external_data: ExternalData,
    /// The ledger's transactions.
    pub transactions: Vec<TransactionJson>,
    /// The payout link.
    #[schema(required)]
    pub payout_link_id: Option<PayoutLinkId>,
    /// The caller's note as text; an object as its JSON text.
    #[schema(required)]
    pub metadata: Option<String>,
}

/// The sender, if known.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct SenderDetails {
    /// The sender's name.
    #[schema(required)]
    pub name: Option<String>,
    /// The sender's bank.
    #[schema(required)]
    pub bank_name: Option<String>,
    /// The bank's routing number.
    #[schema(required)]
    pub routing_number: Option<String>,
    /// The last four digits of the account.
    #[schema(required)]
    pub account_number_last4: Option<String>,
    /// The bank's trace number.
    #[schema(required)]
    pub trace_number: Option<String>,
    /// The sender's reference.
    #[schema(required)]
    pub reference: Option<String>,
    /// The sender's memo.
    #[schema(required)]
    pub memo: Option<String>,
}

/// The rail and the account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ExternalData {
    /// The payout method or bank account at the other end.
    #[schema(required)]
    pub account_id: Option<String>,
    /// The rail's reference.
    #[schema(required)]
    pub external_id: Option<String>,
    /// The rail.
    #[schema(required, value_type = Option<Platform>)]
    pub platform: Option<&'static str>,
}

pub fn json(world: &mut World, transfer: &Transfer) -> Result<TransferJson, Halt> {
    let transactions = ledger::transactions_in(world, transfer.scope(), transfer.id)?;
    let sender = sender(world, transfer)?;
    Ok(body(transfer, sender, debit::json(world, transfer)?, transactions))
}

/// Returns the transfer without transactions: for its own transactions, and for events, which may be emitted before the
/// ledger is posted.
pub(super) fn without_transactions(world: &World, transfer: &Transfer) -> Result<TransferJson, Halt> {
    Ok(body(transfer, sender(world, transfer)?, debit::json(world, transfer)?, Vec::new()))
}

/// Returns the transfer of a transaction, as the transaction shows it.
pub(super) fn inside_transaction(world: &World, scope: Scope, id: TransferId) -> Result<Option<Value>, Halt> {
    let found = world.get::<Transfer>(key![scope.org, id])?.filter(|transfer| transfer.app == scope.app);
    let shown = found.map(|transfer| without_transactions(world, &transfer)).transpose()?;
    Ok(shown.map(|shown| serde_json::to_value(shown).expect("a transfer is plain data, which always serializes")))
}

/// Returns the visible details of the account that a rail debits. There is no trace number, because rails do not report
/// one yet.
fn sender(world: &World, transfer: &Transfer) -> Result<SenderDetails, Halt> {
    let org = transfer.org;
    match transfer.direction() {
        Some(Direction::Debit) => {}
        Some(Direction::Credit) | None => return Ok(SenderDetails::default()),
    }
    let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    if let Some(account) = transfer.bank_account {
        let Some(account) = world.get::<BankAccount>(key![org, account])? else { return Ok(SenderDetails::default()) };
        return Ok(SenderDetails {
            name: filled(&account.name),
            bank_name: account.bank_name.clone(),
            routing_number: filled(&account.routing_number),
            account_number_last4: filled(&account.last4),
            ..SenderDetails::default()
        });
    }
    let (Some(user), Some(method)) = (transfer.user_id, transfer.payout_method) else {
        return Ok(SenderDetails::default());
    };
    let method = payout_methods::paid_to(world, org, user, method)?;
    let user = world.get::<User>(key![org, user])?;
    Ok(SenderDetails {
        name: user.and_then(|user| filled(&user.full_name())),
        bank_name: method.bank_name.clone(),
        routing_number: method.routing_number.clone(),
        account_number_last4: method.mask.clone(),
        ..SenderDetails::default()
    })
}

/// Returns the last digits of the account that a rail debits.
pub fn account_end(world: &World, transfer: &Transfer) -> Result<Option<String>, Halt> {
    Ok(sender(world, transfer)?.account_number_last4)
}

fn body(
    transfer: &Transfer,
    sender_details: SenderDetails,
    debit: Option<DebitJson>,
    transactions: Vec<TransactionJson>,
) -> TransferJson {
    let fees = [transfer.platform_fee, transfer.fx_fee].iter().try_fold(transfer.fee, |sum, fee| sum.checked_add(*fee));
    TransferJson {
        id: transfer.id,
        created: transfer.created_at,
        user_id: transfer.user_id,
        customer_id: transfer.customer,
        status: transfer.status.as_str(),
        error: transfer.error.map(|error| error.as_str()),
        error_message: transfer.error.map(|error| error.failure().message),
        sender_details,
        kind: transfer.kind.as_str(),
        amount: transfer.amount.to_string(),
        fee_amount: fees.unwrap_or(transfer.fee).to_string(),
        payout_amount: transfer.arrives.to_string(),
        payout_fee_party: transfer.fee_party.map(Party::as_str),
        fee_basis: transfer.fee_basis.clone().map(|basis| basis.0),
        debit,
        held_until: transfer.held_until,
        approved_by: transfer.approved_by,
        external_data: ExternalData {
            account_id: transfer
                .payout_method
                .map(|method| method.to_string())
                .or_else(|| transfer.bank_account.map(|account| account.to_string())),
            external_id: transfer.platform.map(|_| reference(transfer.id.0)),
            platform: transfer.platform.map(|platform| platform.as_str()),
        },
        transactions,
        payout_link_id: transfer.payout_link,
        metadata: transfer.metadata.clone(),
    }
}

/// Returns the reference by which a rail identifies the transfer.
fn reference(transfer: Uuid) -> String {
    transfer.simple().to_string()
}
