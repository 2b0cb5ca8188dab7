//! The person who acts on the bank set-up.

use crate::acting::{Act, Actor, Named, of_organization};
use crate::caller::Caller;
use crate::ids::{MemberId, OrgId};
use crate::program::Environment;
use crate::world::{Halt, World};

/// A person who changes the bank set-up. In production the member's own session proves who it is: the organization's
/// key alone could name two members, and one person would then be both.
#[derive(Clone, Copy, Debug)]
pub struct Person {
    named: Named,
    must_prove: bool,
}

impl Person {
    pub fn by(caller: &Caller, environment: Environment, member: MemberId) -> Self {
        let must_prove = match environment {
            Environment::Sandbox => false,
            Environment::Production => true,
        };
        Self { named: Named::by(caller, member), must_prove }
    }

    /// Returns the member, whose role must permit the act.
    ///
    /// # Errors
    /// `member-proof-required`, `unauthorized`, `not-found`, `not-permitted`.
    pub fn may(self, world: &mut World, org: OrgId, act: Act) -> Result<Actor, Halt> {
        of_organization(world, org, self.named, self.must_prove, act)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::{Admission, CredentialKind};
    use crate::engine::Command;
    use crate::members::{CreateMember, Role};
    use crate::program::Bursar;
    use crate::refusal::Code;

    const ORG: OrgId = OrgId(uuid::Uuid::from_u128(1));

    #[derive(Debug)]
    struct Govern(Person);

    impl Command for Govern {
        type Reply = ();

        fn decide(&self, world: &mut World) -> Result<(), Halt> {
            self.0.may(world, ORG, Act::Govern).map(|_| ())
        }
    }

    /// The organization's key, without a session.
    fn key() -> Caller {
        let admission = Admission { needs: |_| Vec::new(), refuse_gone: |_, _| Ok(()) };
        let (app, member, client_id) = (None, None, String::new());
        Caller { org: ORG, app, kind: CredentialKind::Organization, member, client_id, admission }
    }

    #[tokio::test]
    async fn in_production_the_organizations_key_names_no_member() {
        for (environment, expected) in
            [(Environment::Sandbox, None), (Environment::Production, Some(Code::MemberProofRequired))]
        {
            let bursar = Bursar::in_memory(environment).unwrap();
            let (name, email) = ("Ann".to_owned(), "ann@example.com".to_owned());
            let ann = CreateMember { org: ORG, name, email, role: Role::Admin, password_hash: None };
            let ann = bursar.engine.run(ORG, ann).await.unwrap().id;
            let acted = bursar.engine.run(ORG, Govern(Person::by(&key(), environment, ann))).await;
            assert_eq!(acted.err().map(|refusal| refusal.code), expected, "{environment}");
        }
    }
}
