//! Accounts payable: vendors, their accounts, and their bills, by members with and without permission.

use std::sync::Arc;

use super::super::system::Batch;
use super::{Request, RequestKind, Said, Who};
use crate::acting::Named;
use crate::bank_accounts::BankAccountInput;
use crate::closing::DeletePaymentMethod;
use crate::http::Answer;
use crate::ids::{Entropy, MemberId, MemberSessionId, PayableId, VendorId, VendorPaymentMethodId};
use crate::members::sign_in::{EndSession, OpenSession, Proof};
use crate::payables::{
    Approve, Cancel, Create, Currency, Pay, Payable, PayableJson, PayablePatch, Reject, Submit, Update,
};
use crate::sim::stage::PASSWORD_HASH;
use crate::users::Address;
use crate::vault::Vault;
use crate::vendors::{AddPaymentMethod, ConfirmPaymentMethod, CreateVendor};

#[derive(Clone, Debug)]
pub(in crate::sim) struct Billing {
    pub acting: MemberId,
    /// `None` if the app key alone names the member.
    pub session: Option<MemberSessionId>,
    pub act: BillAct,
}

#[derive(Clone, Debug)]
pub(in crate::sim) enum BillAct {
    AddVendor {
        name: String,
        address: Address,
    },
    AddAccount {
        vendor: VendorId,
        account: Box<BankAccountInput>,
    },
    ConfirmAccount {
        vendor: VendorId,
        method: VendorPaymentMethodId,
    },
    RemoveAccount {
        vendor: VendorId,
        method: VendorPaymentMethodId,
    },
    Create {
        number: String,
        says: Box<PayablePatch>,
    },
    Update {
        payable: PayableId,
        says: Box<PayablePatch>,
    },
    Submit(PayableId),
    Approve(PayableId),
    Reject(PayableId),
    Cancel(PayableId),
    Pay(PayableId),
    /// With the password alone.
    SignIn,
    SignOut(MemberSessionId),
}

impl Billing {
    pub(super) fn request_kind(&self) -> RequestKind {
        let (target, takes_key, harmless_twice, names_object) = match &self.act {
            BillAct::AddVendor { .. } => ("POST /v2/accounts-payable/vendors?", true, false, true),
            BillAct::AddAccount { .. } => ("POST /v2/accounts-payable/vendors/payment-methods?", true, true, true),
            BillAct::ConfirmAccount { .. } => {
                ("POST /v2/accounts-payable/vendors/payment-methods/confirm?", true, true, true)
            }
            BillAct::RemoveAccount { .. } => {
                ("DELETE /v2/accounts-payable/vendors/payment-methods?", false, true, true)
            }
            BillAct::Create { .. } => ("POST /v2/accounts-payable/payables?", true, false, true),
            BillAct::Update { .. } => ("PATCH /v2/accounts-payable/payables?", false, true, true),
            BillAct::Submit(_) => ("POST /v2/accounts-payable/payables/submit-for-approval?", true, true, true),
            BillAct::Approve(_) => ("POST /v2/accounts-payable/payables/approve?", true, true, true),
            BillAct::Reject(_) => ("POST /v2/accounts-payable/payables/reject?", true, true, true),
            BillAct::Cancel(_) => ("POST /v2/accounts-payable/payables/cancel?", true, true, true),
            BillAct::Pay(_) => ("POST /v2/accounts-payable/payables/pay?", true, true, true),
            BillAct::SignIn => ("POST /v2/member-sessions?", false, true, true),
            BillAct::SignOut(_) => ("DELETE /v2/member-sessions?", false, true, true),
        };
        RequestKind { target, takes_key, harmless_twice, names_object }
    }
}

impl Request {
    pub(super) fn send_billing(
        &self,
        billing: Billing,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
    ) {
        let (scope, acting, comment) = (self.scope, billing.acting, None);
        let named = Named { member: acting, session: billing.session };
        match billing.act {
            BillAct::AddVendor { name, address } => {
                let (acting, contact_email, external_id) = (Some(acting), None, None);
                let command = CreateVendor { scope, acting, name, address, contact_email, external_id };
                self.once(batch, vault, command, |vendor| Answer::ok(&serde_json::json!({"id": vendor.id})));
            }
            BillAct::AddAccount { vendor, account } => {
                let account = account.sealed(vault, entropy.bytes());
                let command = AddPaymentMethod { scope, vendor, acting: Some(acting), account };
                self.once(batch, vault, command, Answer::ok);
            }
            BillAct::ConfirmAccount { vendor, method } => {
                self.once(batch, vault, ConfirmPaymentMethod { scope, vendor, method, acting: named }, Answer::ok);
            }
            BillAct::RemoveAccount { vendor, method } => {
                self.once(
                    batch,
                    vault,
                    DeletePaymentMethod { scope, vendor, method, acting: Some(acting) },
                    Answer::ok,
                );
            }
            BillAct::Create { number, says } => {
                let (currency, public_url) = (Currency::default(), "http://127.0.0.1".to_owned());
                let command = Create { scope, acting, number, currency, says: *says, file: None, public_url };
                self.once(batch, vault, command, shown);
            }
            BillAct::Update { payable, says } => {
                self.once(batch, vault, Update { scope, payable, acting, patch: *says }, shown);
            }
            BillAct::Submit(payable) => self.once(batch, vault, Submit { scope, payable, acting: named }, shown),
            BillAct::Approve(payable) => {
                self.once(batch, vault, Approve { scope, payable, acting: named, comment }, shown)
            }
            BillAct::Reject(payable) => {
                self.once(batch, vault, Reject { scope, payable, acting: named, comment }, shown)
            }
            BillAct::Cancel(payable) => self.once(batch, vault, Cancel { scope, payable, acting }, shown),
            BillAct::SignIn => {
                let (org, proof, address) = (scope.org, Proof::None, None);
                let (secret_hash, password_hash) = (entropy.bytes::<32>().to_vec(), PASSWORD_HASH.to_owned());
                let command = OpenSession { org, member: acting, password_hash, proof, secret_hash, address };
                self.once(batch, vault, command, |opened| Answer::ok(&serde_json::json!({"id": opened.session.id})));
            }
            BillAct::SignOut(session) => {
                let (org, by) = (scope.org, None);
                self.once(batch, vault, EndSession { org, session, by }, |session| Answer::ok(&session.id));
            }
            BillAct::Pay(payable) => {
                let by_app = self.comes_with_app_key() && billing.session.is_none();
                self.once(batch, vault, Pay { scope, payable, acting: named, by_app, key: None }, shown);
            }
        }
    }
}

fn shown(payable: &Arc<Payable>) -> Answer {
    Answer::ok(&PayableJson::from(&**payable))
}
