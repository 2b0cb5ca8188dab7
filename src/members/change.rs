use std::sync::Arc;

use super::json::MemberJson;
use super::model::{Member, MemberStatus, NewMember, Role};
use super::rows::{add, email_is_free, find};
use super::sign_in;
use crate::engine::Command;
use crate::events::acts::{self, ActKind, NewAct};
use crate::events::{self, EventName, NewEvent};
use crate::ids::{MemberId, OrgId};
use crate::patch::Patch;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;
use crate::world::{Halt, Record as _, World};

/// Adds a member with the organization's next number.
#[derive(Clone, Debug)]
pub struct CreateMember {
    pub org: OrgId,
    pub name: String,
    pub email: String,
    pub role: Role,
    /// See [`super::password`].
    pub password_hash: Option<String>,
}

impl Command for CreateMember {
    type Reply = Member;

    fn decide(&self, world: &mut World) -> Result<Member, Halt> {
        let new = NewMember {
            id: world.id(),
            name: self.name.clone(),
            email: self.email.clone(),
            role: self.role,
            password_hash: self.password_hash.clone(),
        };
        let member = add(world, self.org, new)?;
        emit(world, &member)?;
        record_created(world, &member)?;
        Ok(Member::clone(&member))
    }
}

pub fn record_created(world: &mut World, member: &Member) -> Result<(), Halt> {
    let act = NewAct::of(ActKind::MemberCreated, None, member.id).changing(&(), &summary(member));
    acts::record(world, member.org, act)
}

/// Returns the fields for an act: neither name nor address.
fn summary(member: &Member) -> serde_json::Value {
    serde_json::json!({
        "role": member.role.as_str(), "status": member.status.as_str(), "password": member.password_hash.is_some(),
    })
}

/// Changes a member; `None` leaves a field as it is.
#[derive(Clone, Debug)]
pub struct UpdateMember {
    pub org: OrgId,
    pub id: MemberId,
    pub name: Option<String>,
    pub email: Option<String>,
    pub role: Option<Role>,
    /// Hashed; removed by `Clear`.
    pub password_hash: Patch<String>,
}

impl Command for UpdateMember {
    type Reply = Member;

    fn decide(&self, world: &mut World) -> Result<Member, Halt> {
        let member = find(world, self.org, self.id)?;
        if let Some(email) = &self.email {
            let members = world.all::<Member>(Member::OF_ORG, key![self.org])?;
            email_is_free(&members, email, Some(self.id))?;
        }
        if self.role.is_some_and(|role| role != Role::Admin) {
            must_not_be_last_admin(world, &member)?;
        }

        let mut changed = Member::clone(&member);
        changed.name = self.name.clone().unwrap_or(changed.name);
        changed.email = self.email.clone().unwrap_or(changed.email);
        changed.role = self.role.unwrap_or(changed.role);
        changed.password_hash = self.password_hash.clone().over(changed.password_hash.take());
        // Equal values are no transition and emit no event.
        if changed.values() == member.values() {
            return Ok(changed);
        }

        // From here it must succeed.
        let before = summary(&member);
        let member = change(world, &member, |member| *member = changed)?;
        let act = NewAct::of(ActKind::MemberChanged, None, member.id).changing(&before, &summary(&member));
        acts::record(world, self.org, act)?;
        Ok(Member::clone(&member))
    }
}

/// Removes a member. A second removal changes nothing.
#[derive(Clone, Debug)]
pub struct RemoveMember {
    pub org: OrgId,
    pub id: MemberId,
}

impl Command for RemoveMember {
    type Reply = Member;

    fn decide(&self, world: &mut World) -> Result<Member, Halt> {
        let removed = world.get::<Member>(key![self.org, self.id])?;
        if let Some(removed) = removed.filter(|member| member.status == MemberStatus::Removed) {
            return Ok(Member::clone(&removed));
        }
        let member = find(world, self.org, self.id)?;
        must_not_be_last_admin(world, &member)?;

        // From here it must succeed.
        let now = world.now();
        let member = change(world, &member, |member| {
            member.status = MemberStatus::Removed;
            member.removed_at = Some(now);
            member.password_hash = None;
        })?;
        acts::record(world, self.org, NewAct::of(ActKind::MemberRemoved, None, member.id))?;
        Ok(Member::clone(&member))
    }
}

/// Changes a member and emits an event. Another password, another role, or a removal ends every session.
pub(super) fn change(
    world: &mut World,
    before: &Arc<Member>,
    edit: impl FnOnce(&mut Member),
) -> Result<Arc<Member>, Halt> {
    let member = world.change(before, |member| {
        edit(member);
        member.version += 1;
    });
    let is_removed = member.status == MemberStatus::Removed;
    if is_removed || member.role != before.role || member.password_hash != before.password_hash {
        sign_in::end_all(world, member.org, member.id)?;
    }
    if is_removed {
        sign_in::forget(world, member.org, member.id)?;
    }
    emit(world, &member)?;
    Ok(member)
}

/// Emits an event to every app, with the fields of a member that an app may see.
fn emit(world: &mut World, member: &Member) -> Result<(), Halt> {
    let new = NewEvent::of(EventName::MemberUpdated, member.id.0, member.version, &MemberJson::for_app(member));
    events::emit_to_all(world, member.org, &new)
}

/// Refuses to remove the last admin: no other role can change roles or end a review.
fn must_not_be_last_admin(world: &mut World, member: &Member) -> Result<(), Halt> {
    if member.role != Role::Admin {
        return Ok(());
    }
    let members = world.all::<Member>(Member::OF_ORG, key![member.org])?;
    let is_admin = |other: &Member| other.role == Role::Admin && other.status == MemberStatus::Active;
    if members.iter().any(|other| other.id != member.id && is_admin(other)) {
        return Ok(());
    }
    let message =
        format!("{} is the only admin of the organization. Give another member the role admin first.", member.name);
    Err(Refusal::new(Code::InvalidState, message).because(Reason::LastAdmin).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Bursar, Environment};

    const ORG: OrgId = OrgId(uuid::Uuid::from_u128(1));

    fn jane() -> CreateMember {
        let (name, email) = ("Jane".to_owned(), "jane@example.com".to_owned());
        CreateMember { org: ORG, name, email, role: Role::Payer, password_hash: None }
    }

    #[tokio::test]
    async fn numbers_are_given_once() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let first = bursar.engine.run(ORG, jane()).await.unwrap();
        let refusal =
            bursar.engine.run(ORG, CreateMember { email: "JANE@example.com".into(), ..jane() }).await.unwrap_err();
        assert_eq!(refusal.code, Code::InvalidState);

        let removed = bursar.engine.run(ORG, RemoveMember { org: ORG, id: first.id }).await.unwrap();
        let again = bursar.engine.run(ORG, RemoveMember { org: ORG, id: first.id }).await.unwrap();
        assert_eq!((removed.status, again.removed_at), (MemberStatus::Removed, removed.removed_at));
        let second = bursar.engine.run(ORG, jane()).await.unwrap();
        assert_eq!((first.number, second.number), (1, 2), "the address is free again, the number is not");
    }

    #[tokio::test]
    async fn a_change_leaves_what_it_does_not_name() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let member =
            bursar.engine.run(ORG, CreateMember { password_hash: Some("hash".into()), ..jane() }).await.unwrap();
        let change = UpdateMember {
            org: ORG,
            id: member.id,
            name: None,
            email: Some("jane@example.com".into()),
            role: Some(Role::Viewer),
            password_hash: Patch::Keep,
        };
        let changed = bursar.engine.run(ORG, change.clone()).await.unwrap();
        assert_eq!((changed.name.as_str(), changed.role), ("Jane", Role::Viewer));
        assert_eq!(changed.password_hash.as_deref(), Some("hash"));
        let stranger = UpdateMember { org: OrgId(uuid::Uuid::from_u128(2)), ..change };
        assert_eq!(bursar.engine.run(ORG, stranger).await.unwrap_err().code, Code::NotFound);
    }
    #[tokio::test]
    async fn an_organization_keeps_an_admin() {
        let bursar = Bursar::in_memory(Environment::Sandbox).unwrap();
        let admin = |email: &str| CreateMember { email: email.to_owned(), role: Role::Admin, ..jane() };
        let first = bursar.engine.run(ORG, admin("first@example.com")).await.unwrap().id;
        let demote = |id| UpdateMember {
            org: ORG,
            id,
            name: None,
            email: None,
            role: Some(Role::Viewer),
            password_hash: Patch::Keep,
        };
        let refusal = bursar.engine.run(ORG, demote(first)).await.unwrap_err();
        assert_eq!(refusal.code, Code::InvalidState);
        let refusal = bursar.engine.run(ORG, RemoveMember { org: ORG, id: first }).await.unwrap_err();
        assert_eq!(refusal.code, Code::InvalidState);

        let second = bursar.engine.run(ORG, admin("second@example.com")).await.unwrap().id;
        // Two admins demote each other at the same moment: one of them stays.
        let (one, other) = tokio::join!(bursar.engine.run(ORG, demote(first)), bursar.engine.run(ORG, demote(second)));
        assert_eq!([one.is_ok(), other.is_ok()].iter().filter(|demoted| **demoted).count(), 1);
    }
}
