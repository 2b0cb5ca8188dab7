//! The bill as a PDF. It is kept with the payable and can change only while the payable can.

use super::rows;
use std::sync::Arc;

use super::json::file_url;
use super::model::{ActionKind, Payable, PayableFile};
use super::rows::HistoryEntry;
use super::rules;
use super::update;
use crate::acting::{Act, acting_if_named};
use crate::engine::Command;
use crate::ids::{MemberId, PayableId};
use crate::refusal::Refusal;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The largest file, in bytes before Base64. Its Base64 is 955,736 characters, which leaves 90 KiB of a body of 1 MiB
/// for the other fields.
pub const FILE_BYTES_MAX: usize = 700 * 1024;

/// POST /v2/accounts-payable/payables/{payable_id}/file
#[derive(Clone, Debug)]
pub struct SetFile {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: Option<MemberId>,
    /// A validated PDF.
    pub bytes: Vec<u8>,
    pub public_url: String,
}

impl Command for SetFile {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = acting_if_named(world, self.scope.org, self.acting, Act::Prepare)?;
        rules::may_be_changed(&payable)?;

        // From here it must succeed.
        keep(world, self.scope, payable.id, &self.bytes)?;
        let entry = HistoryEntry { kind: ActionKind::Update, actor, comment: None };
        update::revise(world, &payable, entry, |payable| {
            payable.file_url = Some(file_url(&self.public_url, payable.id));
        })
    }
}

/// DELETE /v2/accounts-payable/payables/{payable_id}/file. Without a file, nothing changes.
#[derive(Clone, Copy, Debug)]
pub struct DeleteFile {
    pub scope: Scope,
    pub payable: PayableId,
    pub acting: Option<MemberId>,
}

impl Command for DeleteFile {
    type Reply = Arc<Payable>;

    fn decide(&self, world: &mut World) -> Result<Arc<Payable>, Halt> {
        let payable = rows::find(world, self.scope, self.payable)?;
        let actor = acting_if_named(world, self.scope.org, self.acting, Act::Prepare)?;
        let Some(file) = world.get::<PayableFile>(key![self.scope.org, payable.id])? else { return Ok(payable) };
        rules::may_be_changed(&payable)?;

        // From here it must succeed.
        world.remove(&file);
        let entry = HistoryEntry { kind: ActionKind::Update, actor, comment: None };
        update::revise(world, &payable, entry, |payable| payable.file_url = None)
    }
}

/// Stores a file and replaces the earlier one.
pub(super) fn keep(world: &mut World, scope: Scope, payable: PayableId, bytes: &[u8]) -> Result<(), Halt> {
    let created_at = world.now();
    match world.get::<PayableFile>(key![scope.org, payable])? {
        Some(before) => {
            world.change(&before, |file| {
                file.bytes = bytes.to_vec();
                file.created_at = created_at;
            });
        }
        None => {
            let bytes = bytes.to_vec();
            world.add(PayableFile { org: scope.org, payable, app: scope.app, bytes, created_at });
        }
    }
    Ok(())
}

/// Returns the file of a payable of the app.
///
/// # Errors
/// `not-found`, also for a payable without a file.
pub(super) fn of(world: &World, scope: Scope, payable: PayableId) -> Result<Arc<PayableFile>, Halt> {
    let payable = rows::find(world, scope, payable)?;
    let file = world.get::<PayableFile>(key![scope.org, payable.id])?;
    Ok(file.ok_or_else(|| Refusal::not_found("file of this payable"))?)
}
