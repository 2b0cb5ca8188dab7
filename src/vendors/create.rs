use super::rows;
use std::sync::Arc;

use super::model::{Vendor, VendorStatus};
use crate::acting::{Act, acting_if_named};
use crate::engine::Command;
use crate::ids::MemberId;
use crate::scope::Scope;
use crate::users::Address;
use crate::world::record::Document;
use crate::world::{Halt, World};

/// POST /v2/accounts-payable/vendors
#[derive(Clone, Debug)]
pub struct CreateVendor {
    pub scope: Scope,
    pub acting: Option<MemberId>,
    pub name: String,
    pub address: Address,
    pub contact_email: Option<String>,
    pub external_id: Option<String>,
}

impl Command for CreateVendor {
    type Reply = Arc<Vendor>;

    fn decide(&self, world: &mut World) -> Result<Arc<Vendor>, Halt> {
        let Scope { org, app } = self.scope;
        let actor = acting_if_named(world, org, self.acting, Act::Prepare)?;

        // From here it must succeed.
        let (id, created_at) = (world.id(), world.now());
        let vendor = world.add(Vendor {
            org,
            id,
            app,
            name: self.name.clone(),
            address: Document(self.address.clone()),
            contact_email: self.contact_email.clone(),
            external_id: self.external_id.clone(),
            status: VendorStatus::Active,
            created_by: actor.map(|actor| actor.member),
            version: 1,
            created_at,
            deleted_at: None,
        });
        rows::emit(world, &vendor)?;
        Ok(vendor)
    }
}
