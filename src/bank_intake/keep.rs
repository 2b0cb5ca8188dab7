//! Stores a file that was fetched or uploaded: the same bytes once.

use std::sync::Arc;

use super::json::InboundFileJson;
use super::model::{Findings, InboundFile, InboundPart, InboundStatus};
use super::rows;
use crate::acting::Act;
use crate::banking::{Person, connections};
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::ids::{BankConnectionId, MemberId, OrgId};
use crate::jobs::{self, Leased, Work};
use crate::vault::Unsealed;
use crate::world::record::Document;
use crate::world::{Halt, Want, World};

/// The length of a piece, in bytes.
pub const PART_BYTES: usize = 256 << 10;

/// Stores the bytes of a file, and queues the job that reads them.
#[derive(Clone, Debug)]
pub struct KeepInbound {
    /// The job that fetched it.
    pub leased: Leased,
    pub connection: BankConnectionId,
    pub name: String,
    pub size: i64,
    pub modified: Option<i64>,
    pub sha256: String,
    /// The bytes, in pieces of [`PART_BYTES`].
    pub parts: Vec<Unsealed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    New,
    /// The bytes are known under another name.
    Duplicate,
    /// The bytes are known under this name.
    Known,
}

impl Command for KeepInbound {
    type Reply = Kept;

    fn needs(&self) -> Vec<Want> {
        vec![self.leased.want()]
    }

    fn decide(&self, world: &mut World) -> Result<Kept, Halt> {
        let org = self.leased.org;
        let same = rows::of_hash(world, org, self.connection, &self.sha256)?;
        // A slow transfer may outlast the lease. The hash keeps the bytes of two workers apart.
        match jobs::renew(world, &self.leased) {
            Ok(()) | Err(Halt::Refuse(_)) => {}
            Err(load @ Halt::Load(_)) => return Err(load),
        }
        // An upload that no other member let be read does not hide the bank's own file.
        let is_known =
            |file: &&Arc<InboundFile>| file.name == self.name && (file.is_used() || file.uploaded_by.is_none());
        let known = same.iter().find(is_known);
        if let Some(known) = known {
            if known.modified != self.modified {
                rows::change(world, known, |file| file.modified = self.modified);
            }
            return Ok(Kept::Known);
        }
        let new = NewInbound {
            connection: self.connection,
            name: &self.name,
            size: self.size,
            modified: self.modified,
            sha256: &self.sha256,
            parts: &self.parts,
            uploaded_by: None,
        };
        let file = new.add(world, org, &same);
        Ok(if file.duplicate_of.is_some() { Kept::Duplicate } else { Kept::New })
    }
}

/// The bytes of a file that is not known by this name.
struct NewInbound<'a> {
    connection: BankConnectionId,
    name: &'a str,
    size: i64,
    modified: Option<i64>,
    sha256: &'a str,
    parts: &'a [Unsealed],
    /// The member who uploads it.
    uploaded_by: Option<MemberId>,
}

impl NewInbound<'_> {
    /// Adds the file, and queues the job that reads it, unless a member uploads it. `same` are the files with the same bytes.
    fn add(&self, world: &mut World, org: OrgId, same: &[Arc<InboundFile>]) -> Arc<InboundFile> {
        let duplicate_of = same.iter().find(|file| file.is_used()).map(|file| file.id);
        let status = match (duplicate_of, self.uploaded_by) {
            (Some(_), _) => InboundStatus::Duplicate,
            (None, Some(_)) => InboundStatus::Uploaded,
            (None, None) => InboundStatus::Stored,
        };
        let (id, now) = (world.id(), world.now());
        let file = world.add(InboundFile {
            org,
            id,
            connection: self.connection,
            name: self.name.to_owned(),
            size: self.size,
            modified: self.modified,
            sha256: self.sha256.to_owned(),
            status,
            duplicate_of,
            findings: Document(Findings::default()),
            items: 0,
            reports_read: 0,
            unmatched: 0,
            uploaded_by: self.uploaded_by,
            closed_by: None,
            evidence: None,
            version: 1,
            created_at: now,
            updated_at: now,
        });
        if duplicate_of.is_none() {
            for (number, bytes) in (0..).zip(self.parts) {
                let part = InboundPart { org, id: world.id(), file: id, number, sealed_bytes: Vec::new() };
                let sealed_bytes = bytes.seal(&rows::seal_context(&part));
                world.add(InboundPart { sealed_bytes, ..part });
            }
        }
        if status == InboundStatus::Stored {
            jobs::enqueue(world, org, Work::ReadInboundFile { file: id.0 });
        }
        file
    }
}

/// POST /v2/bank/inbound-files
#[derive(Clone, Debug)]
pub struct UploadInbound {
    pub org: OrgId,
    pub person: Person,
    pub connection: BankConnectionId,
    pub name: String,
    pub size: i64,
    pub sha256: String,
    /// The bytes, in pieces of [`PART_BYTES`].
    pub parts: Vec<Unsealed>,
}

impl Command for UploadInbound {
    type Reply = Arc<InboundFile>;

    fn decide(&self, world: &mut World) -> Result<Arc<InboundFile>, Halt> {
        connections::find(world, self.org, self.connection)?;
        let by = self.person.may(world, self.org, Act::Pay)?.member;
        let same = rows::of_hash(world, self.org, self.connection, &self.sha256)?;
        // A file that was discarded by mistake can be uploaded again.
        let has_used = same.iter().any(|file| file.is_used());
        let is_known = |file: &&Arc<InboundFile>| {
            let counts = match file.status {
                InboundStatus::Discarded => false,
                InboundStatus::Duplicate => has_used,
                InboundStatus::Uploaded
                | InboundStatus::Stored
                | InboundStatus::Applied
                | InboundStatus::Quarantined => true,
            };
            counts && file.name == self.name
        };
        if let Some(known) = same.iter().find(is_known) {
            return Ok(known.clone());
        }

        // From here it must succeed.
        let Self { org, connection, size, .. } = *self;
        let (name, sha256, parts) = (self.name.as_str(), self.sha256.as_str(), self.parts.as_slice());
        let uploaded_by = Some(by);
        let new = NewInbound { connection, name, size, modified: None, sha256, parts, uploaded_by };
        let file = new.add(world, org, &same);
        let act = NewAct::of(ActKind::InboundFileUploaded, None, file.id).by(Some(by));
        acts::record(world, org, act.changing(&(), &InboundFileJson::from(&*file)))?;
        Ok(file)
    }
}
