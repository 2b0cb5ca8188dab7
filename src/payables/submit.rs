//! Submits a payable for approval and fixes the payment terms and the approvers.

use super::rows;
use std::sync::Arc;

use super::model::{ActionKind, Approval, ApprovalStep, Payable, Terms};
use super::rows::{HistoryEntry, advance};
use super::rules::{self, PayableEvent};
use crate::acting::{Act, Named, may_approve, proven};
use crate::approval_policies::{self, ApprovalPolicy, PolicyStep};
use crate::engine::Command;
use crate::ids::{MemberId, PayableId};
use crate::members::Member;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::vendors::{self, VendorPaymentMethod};
use crate::world::record::{Document, key};
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/payables/{payable_id}/submit-for-approval
#[derive(Clone, Copy, Debug)]
pub struct Submit {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: Named,
}

impl Command for Submit {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = proven(world, self.scope, self.acting, Act::Prepare)?;
        rules::apply(payable.status, PayableEvent::Submitted)?;
        let (terms, method) = terms(world, &payable)?;
        let policies = approval_policies::of_app(world, self.scope)?;
        let policy = approval_policies::rules::choose(&policies, terms.amount, terms.vendor);
        let members = world.all::<Member>(Member::OF_ORG, key![self.scope.org])?;
        let steps = match policy {
            Some(policy) => steps_of(policy, &members, actor.member)?,
            None => vec![any_approver(&members, actor.member)?],
        };

        // From here it must succeed.
        let submitter = actor.member;
        advance(
            world,
            &payable,
            PayableEvent::Submitted,
            Some(HistoryEntry::of(ActionKind::SubmitForApproval, actor)),
            |payable| {
                payable.terms = Some(Document(terms));
                payable.payment_method = Some(method.id);
                payable.payment_method_name = Some(method.name.clone());
                payable.submitted_by = Some(submitter);
                payable.policy = policy.map(|policy| policy.id);
                payable.approval_steps.0 = steps;
            },
        )
    }
}

/// Returns the payment terms. A payable without an account uses the vendor's only one.
fn terms(world: &World, payable: &Payable) -> Result<(Terms, Arc<VendorPaymentMethod>), Halt> {
    let lacks = |what: &str| {
        Refusal::new(
            Code::InvalidState,
            format!("The payable cannot be submitted yet: {what}. Change the payable first."),
        )
        .because(Reason::StepMissing)
    };
    if !payable.amount.is_positive() {
        return Err(lacks("amount or items is missing").into());
    }
    let Some(vendor) = payable.vendor else { return Err(lacks("ap_vendor_id is missing").into()) };
    let vendor = vendors::find_active(world, payable.scope(), vendor)?;
    let method = match payable.payment_method {
        Some(method) => vendors::payment_method(world, &vendor, method)?,
        None => match vendors::payment_methods(world, &vendor)?.as_slice() {
            [only] => only.clone(),
            [] => return Err(lacks("its vendor has no payment method, so add one").into()),
            [..] => {
                return Err(lacks("its vendor has several payment methods, so ap_payment_method_id is required").into());
            }
        },
    };
    let terms = Terms {
        amount: payable.amount,
        vendor: vendor.id,
        payment_method: method.id,
        bank_account: method.bank_account,
    };
    Ok((terms, method))
}

/// Returns the steps of a policy, each with the approvers who may approve now, except the submitter.
///
/// # Errors
/// `invalid-state` when a step could never be completed.
fn steps_of(
    policy: &ApprovalPolicy,
    members: &[Arc<Member>],
    submitter: MemberId,
) -> Result<Vec<ApprovalStep>, Refusal> {
    let step = |(number, step): (usize, &PolicyStep)| {
        let named = step.approvers.iter().filter_map(|id| members.iter().find(|member| member.id == *id));
        let approvals: Vec<Approval> = named.filter_map(|member| approval(member, submitter)).collect();
        let required = usize::try_from(step.num_approvals_required).unwrap_or(usize::MAX);
        if approvals.len() < required {
            let name = policy.name.as_deref().unwrap_or("without a name");
            let message = format!(
                "The approval policy {name} ({}) cannot be completed: step {number} needs {required} approvals, but \
                 only {} of its members can approve (the submitter cannot). Change the policy, or let another member \
                 submit.",
                policy.id,
                approvals.len()
            );
            return Err(Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete));
        }
        Ok(ApprovalStep { num_approvals_required: step.num_approvals_required, approvals, completed_at: None })
    };
    (1..).zip(&policy.steps.0).map(step).collect()
}

/// Returns the step used when no policy applies: any one approver except the submitter (docs/decisions.md 10).
fn any_approver(members: &[Arc<Member>], submitter: MemberId) -> Result<ApprovalStep, Refusal> {
    let approvals: Vec<Approval> = members.iter().filter_map(|member| approval(member, submitter)).collect();
    if approvals.is_empty() {
        let message = "No member except the submitter can approve. Add another active member with the role \
                       ap_approver or admin.";
        return Err(Refusal::new(Code::InvalidState, message).because(Reason::SetUpIncomplete));
    }
    Ok(ApprovalStep { num_approvals_required: 1, approvals, completed_at: None })
}

/// Returns the entry of a member who may approve; `None` for the submitter and all others.
fn approval(member: &Arc<Member>, submitter: MemberId) -> Option<Approval> {
    let may = member.id != submitter && may_approve(member);
    may.then(|| Approval {
        member: member.id,
        number: member.number,
        name: member.name.clone(),
        given: None,
        at: None,
        comment: None,
    })
}
