//! Requests of apps and administrators about persons: tax forms, changes, reviews, deletion; and an app's compliance
//! data.

use std::sync::Arc;

use serde_json::Value;

use super::super::system::Batch;
use super::{Request, RequestKind, Said, Who, input};
use crate::app_compliance::{ComplianceInput, PutCompliance};
use crate::clock::Time;
use crate::closing::DeleteUser;
use crate::email::Email;
use crate::http::Answer;
use crate::ids::{Entropy, MemberId, OrgId, UserId};
use crate::patch::Patch;
use crate::phone::PhoneNumber;
use crate::program::Environment;
use crate::refusal::Refusal;
use crate::screening::{LookedUp, Watchlist};
use crate::taxes::first_verification;
use crate::taxes::{SealedTaxForm, SetCompliance, TaxFormInput};
use crate::users::screening::{DecideScreening, Decision};
use crate::users::{By, UpdateUser, UserPatch};
use crate::vault::Vault;

#[derive(Clone, Debug)]
pub(in crate::sim) enum Minding {
    /// A tax form, as JSON.
    TaxForm {
        user: UserId,
        form: Value,
    },
    Change {
        user: UserId,
        first_name: Option<String>,
        email: Option<Email>,
        phone: Option<PhoneNumber>,
        mark: Option<String>,
    },
    Review {
        user: UserId,
        acting: MemberId,
        decision: Decision,
    },
    Delete(UserId),
    /// An app's data about its company, as JSON.
    ReportApp(Value),
}

impl Minding {
    pub(super) fn request_kind(&self) -> RequestKind {
        let (target, takes_key, names_object) = match self {
            Self::TaxForm { .. } => ("PUT /v2/users/compliance?", true, true),
            Self::Change { .. } => ("PATCH /v2/users?", true, true),
            Self::Review { .. } => ("POST /v2/users/screening/decide?", true, true),
            Self::Delete(_) => ("DELETE /v2/users?", true, true),
            Self::ReportApp(_) => ("PUT /v2/apps/compliance?", true, false),
        };
        RequestKind { target, takes_key, harmless_twice: true, names_object }
    }
}

impl Request {
    pub(super) fn send_minding(
        &self,
        minding: Minding,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
        now: Time,
    ) {
        let scope = self.scope;
        match minding {
            Minding::TaxForm { user, form } => {
                let form = sealed(&form, scope.org, user, vault, &mut entropy, now);
                let verification = first_verification(Environment::Sandbox);
                let command = form.map(|form| {
                    let names = LookedUp::of(Watchlist::of_sandbox(), form.names.clone());
                    SetCompliance { scope, by: By::App, user, form, verification, names }
                });
                self.once_if(batch, vault, command, Answer::ok);
            }
            Minding::Change { user, first_name, email, phone, mark } => {
                let patch = UserPatch {
                    default_payout_method: Patch::Keep,
                    auto_payout_enabled: None,
                    sealed_date_of_birth: Patch::Keep,
                    adjustment_1099: Patch::Keep,
                    metadata: mark.map_or(Patch::Keep, Patch::Set),
                    payout_options_exclude_list: None,
                    first_name,
                    last_name: None,
                    email,
                    phone,
                };
                let names = LookedUp::of(Watchlist::of_sandbox(), []);
                self.once(batch, vault, UpdateUser { scope, by: By::App, user, patch, names }, Answer::ok);
            }
            Minding::Review { user, acting, decision } => {
                let comment = "Checked by a member.".to_owned();
                let command = DecideScreening { org: scope.org, user, acting, decision, comment };
                self.once(batch, vault, command, Answer::ok);
            }
            Minding::Delete(user) => {
                self.once(batch, vault, DeleteUser { scope, by: By::App, user }, Answer::ok);
            }
            Minding::ReportApp(reported) => {
                let (sent, nonce) = (input::<ComplianceInput>(&reported), entropy.bytes());
                let vault_of_app = vault.clone();
                let command = sent.map(|sent| PutCompliance { scope, sent, vault: vault_of_app, nonce });
                // The response body is sealed with a random nonce, so clients cannot compare its bytes.
                self.once_if(batch, vault, command, |(is_first, _)| Answer::empty(if *is_first { 201 } else { 200 }));
            }
        }
    }
}

/// Returns the tax form that its handler makes of the input.
pub(super) fn sealed(
    form: &Value,
    org: OrgId,
    user: UserId,
    vault: &Vault,
    entropy: &mut Entropy,
    now: Time,
) -> Result<SealedTaxForm, Refusal> {
    let form = input::<TaxFormInput>(form)?.checked(now.date(), "").map_err(Refusal::fields)?;
    Ok(form.sealed(vault, org, user, entropy))
}
