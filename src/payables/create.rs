//! Creates a payable.

use super::rows;
use std::sync::Arc;

use super::file;
use super::inputs::Currency;
use super::json::file_url;
use super::model::{Action, ActionKind, FundingSource, Payable, PayableStatus, StatusChange};
use super::update::PayablePatch;
use crate::acting::{Act, acting};
use crate::engine::Command;
use crate::ids::MemberId;
use crate::money::Cents;
use crate::scope::Scope;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/payables
#[derive(Clone, Debug)]
pub struct Create {
    pub scope: Scope,
    pub acting: MemberId,
    pub number: String,
    pub currency: Currency,
    pub says: PayablePatch,
    /// A validated PDF.
    pub file: Option<Vec<u8>>,
    pub public_url: String,
}

impl Command for Create {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let Scope { org, app } = self.scope;
        let (id, now) = (world.id(), world.now());
        let mut payable = Payable {
            org,
            id,
            app,
            number: self.number.clone(),
            amount: Cents::ZERO,
            currency: self.currency.0.to_owned(),
            description: None,
            external_id: None,
            status: PayableStatus::Created,
            funding_source: FundingSource::ServiceBalance,
            vendor: None,
            vendor_name: None,
            payment_method: None,
            payment_method_name: None,
            open_vendor: None,
            items: Document::default(),
            file_url: None,
            transfer: None,
            terms: None,
            submitted_by: None,
            policy: None,
            approval_steps: Document::default(),
            action_history: Document::default(),
            status_history: Document(vec![StatusChange { status: PayableStatus::Created, at: now }]),
            transfer_history: Document::default(),
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let amount = self.says.amount(&payable)?;
        let actor = acting(world, org, self.acting, Act::Prepare)?;
        let payee = self.says.payee(world, &payable)?;

        // From here it must succeed.
        self.says.apply(&mut payable, amount, payee);
        payable.open_vendor = payable.vendor;
        payable.action_history.0.push(Action { kind: ActionKind::Create, actor: Some(actor), comment: None, at: now });
        if let Some(bytes) = &self.file {
            payable.file_url = Some(file_url(&self.public_url, id));
            file::keep(world, self.scope, id, bytes)?;
        }
        let payable = world.add(payable);
        rows::emit(world, &payable)?;
        Ok(payable)
    }
}
