//! An app's movements of its own money, and payouts by a rail that it names.

use std::sync::Arc;

use super::super::system::Batch;
use super::{Request, RequestKind, Said, Who};
use crate::acting::Named;
use crate::bank_accounts::OwnAccountInput;
use crate::funding::{Deposit, MoveBetween, SetAchAccount, Withdraw};
use crate::http::Answer;
use crate::ids::{Entropy, TransferId, UserId};
use crate::money::Cents;
use crate::payouts::{ApprovePayout, CancelPayout, CreatePayout, FeeRequest, RailRequest};
use crate::program::Environment;
use crate::vault::Vault;

#[derive(Clone, Debug)]
pub(in crate::sim) enum Moving {
    Deposit {
        amount: Cents,
        mark: String,
    },
    Withdraw {
        amount: Cents,
        mark: String,
    },
    /// Negative amounts go from the organization to the app.
    Between {
        amount: Cents,
        mark: String,
    },
    SetAccount(OwnAccountInput),
    Pay {
        user: UserId,
        amount: Cents,
        rail: RailRequest,
        fees: FeeRequest,
        fund: bool,
        mark: String,
    },
    Approve {
        transfer: TransferId,
        acting: Named,
    },
    Cancel(TransferId),
}

impl Moving {
    pub(super) fn request_kind(&self) -> RequestKind {
        let (target, takes_key, harmless_twice, names_object) = match self {
            Self::Deposit { .. } => ("POST /v2/apps/deposit?", true, false, false),
            Self::Withdraw { .. } => ("POST /v2/apps/withdraw?", true, false, false),
            Self::Between { .. } => ("POST /v2/organization-transfers?", true, false, false),
            Self::SetAccount(_) => ("PUT /v2/apps/ach-account?", false, true, false),
            Self::Pay { .. } => ("POST /v2/payouts?", true, false, true),
            Self::Approve { .. } => ("POST /v2/transfers/approve?", true, true, true),
            Self::Cancel(_) => ("POST /v2/transfers/cancel?", true, true, true),
        };
        RequestKind { target, takes_key, harmless_twice, names_object }
    }
}

impl Request {
    pub(super) fn send_moving(
        &self,
        moving: Moving,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
    ) {
        let scope = self.scope;
        match moving {
            Moving::Deposit { amount, mark } => {
                self.once(batch, vault, Deposit { scope, amount, metadata: Some(mark) }, Answer::ok);
            }
            Moving::Withdraw { amount, mark } => {
                let by_app = self.comes_with_app_key();
                self.once(batch, vault, Withdraw { scope, amount, metadata: Some(mark), by_app }, Answer::ok);
            }
            Moving::Between { amount, mark } => {
                self.once(batch, vault, MoveBetween { scope, amount, metadata: Some(mark) }, Answer::ok);
            }
            Moving::SetAccount(account) => {
                let account = account.sealed(vault, entropy.bytes());
                self.once(batch, vault, SetAchAccount { scope, account, by_app: false }, Answer::ok);
            }
            Moving::Pay { user, amount, rail, fees, fund, mark } => {
                let (account, card, metadata) = (None, None, Some(mark));
                let tax_exempt = false;
                let command = CreatePayout {
                    scope,
                    environment: Environment::Sandbox,
                    user,
                    amount,
                    rail,
                    account,
                    card,
                    fees,
                    fund,
                    tax_exempt,
                    metadata,
                };
                self.once(batch, vault, command, Answer::ok);
            }
            Moving::Approve { transfer, acting } => {
                self.once(batch, vault, ApprovePayout { scope, transfer, acting }, Answer::ok);
            }
            Moving::Cancel(transfer) => self.once(batch, vault, CancelPayout { scope, transfer }, Answer::ok),
        }
    }
}
