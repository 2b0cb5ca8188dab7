//! What clients and payees ask for, and how each becomes the command that its handler would run.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::chance::Chance;
use super::house::Batch;
use super::{Said, Who};
use crate::claims::{
    ChooseMethod, ClaimPayout, Contact, FillProfile, GiveContact, MethodChosen, NewSitting, ProveContact,
};
use crate::engine::Command;
use crate::http::idempotency::{Keyed, Once};
use crate::http::{Answer, Scope};
use crate::ids::{Entropy, OrgId, PayoutLinkId, UserId};
use crate::money::Cents;
use crate::payout_links::{Cancel, ClaimToken, Create, NewLink, NewToken, PayoutLink, Redeliver};
use crate::payout_methods::Details;
use crate::payouts::SendPayout;
use crate::phone::PhoneNumber;
use crate::transfers::MoveBalance;
use crate::users::verification::{Checked, NewCode, hash_code};
use crate::users::{self, Identity, NewMethod, Person, SendVerificationToken, Verify};
use crate::vault::Vault;
use crate::world::{Halt, World};

/// What is asked for. A request that is sent again asks for exactly the same.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    SendPayout(Box<NewLink>),
    CreateLink(Box<NewLink>),
    Redeliver(PayoutLinkId),
    Cancel(PayoutLinkId),
    MoveBalance { user: UserId, amount: Cents, mark: String },
    Meet(Box<Person>),
    SendToken(UserId),
    Verify { user: UserId, code: String },
    SetUpMethod { user: UserId, details: Box<Details>, auto_payout: bool },
    GiveContact { link: Token, phone: PhoneNumber },
    ProveContact { link: Token, code: String },
    FillProfile { link: Token, sitting: Vec<u8>, first_name: String, last_name: String },
    ChooseMethod { link: Token, sitting: Vec<u8>, details: Box<Details> },
    ClaimPayout { link: Token, sitting: Vec<u8>, amount: Option<Cents> },
}

/// The token of a link, as its holder has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Token {
    /// The organization that it names.
    pub org: OrgId,
    /// Its hash.
    pub hash: Vec<u8>,
}

impl Token {
    fn shown(&self) -> ClaimToken {
        ClaimToken { org: self.org, hash: self.hash.clone() }
    }
}

/// One request, which may be sent several times.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// As whom.
    pub scope: Scope,
    /// Under which idempotency key.
    pub key: Option<String>,
    /// What for.
    pub wish: Wish,
    /// Whether it names another tenant's object, which must not be found.
    pub foreign: bool,
}

impl Request {
    /// Whose idempotency keys it shares.
    pub fn key_scope(&self) -> Uuid {
        if let Wish::ClaimPayout { link, .. } = &self.wish {
            // Keys of one link are its own, as at the handler.
            return Uuid::from_slice(&link.hash[..16]).unwrap_or_default();
        }
        self.scope.app.0
    }

    /// The same for the same request, another for any other.
    pub fn print(&self) -> String {
        let digest = Sha256::digest(format!("{:?}", self.wish).as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn keyed(&self, vault: &Arc<Vault>) -> Option<Keyed> {
        let key = self.key.clone()?;
        let fields = BTreeMap::from([("body".to_owned(), self.print())]);
        let vault = vault.clone();
        Some(Keyed { scope: self.key_scope(), key, target: self.target().to_owned(), fields, vault })
    }

    /// Whether sending it twice at once is no second request: it has a key, or its second time is refused or harmless.
    pub fn may_be_doubled(&self) -> bool {
        self.key.is_some()
            || match &self.wish {
                Wish::SendPayout(_) | Wish::CreateLink(_) | Wish::MoveBalance { .. } => false,
                Wish::Redeliver(_) | Wish::Cancel(_) | Wish::Meet(_) | Wish::SendToken(_) | Wish::Verify { .. } => true,
                Wish::SetUpMethod { .. } | Wish::GiveContact { .. } | Wish::ProveContact { .. } => true,
                Wish::FillProfile { .. } | Wish::ChooseMethod { .. } | Wish::ClaimPayout { .. } => true,
            }
    }

    /// Method and path, as the key's row keeps them.
    pub fn target(&self) -> &'static str {
        match self.wish {
            Wish::SendPayout(_) => "POST /v2/payouts/send-payout?",
            Wish::CreateLink(_) => "POST /v2/payout-links?",
            Wish::Redeliver(_) => "POST /v2/payout-links/redeliver?",
            Wish::Cancel(_) => "DELETE /v2/payout-links?",
            Wish::MoveBalance { .. } => "POST /v2/transfers?",
            Wish::Meet(_) => "POST /v2/users?",
            Wish::SendToken(_) => "POST /v2/users/send-verification-token?",
            Wish::Verify { .. } => "POST /v2/users/verify?",
            Wish::SetUpMethod { .. } => "PUT /v2/users/payout-methods?",
            Wish::GiveContact { .. } => "POST /v2/claims/contact?",
            Wish::ProveContact { .. } => "POST /v2/claims/code?",
            Wish::FillProfile { .. } => "POST /v2/claims/profile?",
            Wish::ChooseMethod { .. } => "POST /v2/claims/method?",
            Wish::ClaimPayout { .. } => "POST /v2/claims/payout?",
        }
    }

    /// Adds the command of this request to a batch, with what a handler draws for it. Gives the sitting that
    /// it opens when it succeeds.
    pub fn send(&self, batch: &mut Batch<Who, Said>, vault: &Arc<Vault>, chance: &mut Chance) -> Option<Vec<u8>> {
        let (scope, mut entropy) = (self.scope, chance.entropy());
        match self.wish.clone() {
            Wish::SendPayout(new) => {
                let token = NewToken::draw(vault, &mut entropy, scope.org);
                self.once(batch, vault, SendPayout { scope, new: *new, token }, |link| made(link));
            }
            Wish::CreateLink(new) => {
                let token = NewToken::draw(vault, &mut entropy, scope.org);
                self.once(batch, vault, Create { scope, new: *new, token }, |link| made(link));
            }
            Wish::Redeliver(link) => self.once(batch, vault, Redeliver { scope, link }, |link| made(link)),
            Wish::Cancel(link) => self.once(batch, vault, Cancel { scope, link }, |link| made(link)),
            Wish::MoveBalance { user, amount, mark } => {
                let command = MoveBalance { scope, user, amount, metadata: Some(mark) };
                self.once(batch, vault, command, |(_, json)| Answer::ok(json));
            }
            Wish::Meet(person) => self.once(batch, vault, Meet { scope, person: *person }, id_alone),
            Wish::SendToken(user) => {
                let code = NewCode::of(vault, scope.org, &entropy.six_digits(), entropy.bytes());
                let command = SendVerificationToken { scope, user, use_voice: false, code };
                self.once(batch, vault, command, |_| Answer::empty(202));
            }
            Wish::Verify { user, code } => {
                let offered_hash = hash_code(vault, scope.org, &code);
                self.once(batch, vault, Verify { scope, user, offered_hash }, |reply| match reply {
                    Ok(user) => Answer::ok(user),
                    Err(checked) => refused(*checked),
                });
            }
            Wish::SetUpMethod { user, details, auto_payout } => {
                let new = NewMethod {
                    details: details.sealed(vault, entropy.bytes()),
                    is_default: Some(true),
                    auto_payout_enabled: Some(auto_payout),
                    metadata: None,
                };
                self.once(batch, vault, SetUpMethod { scope, user, new }, id_alone);
            }
            payees @ (Wish::GiveContact { .. }
            | Wish::ProveContact { .. }
            | Wish::FillProfile { .. }
            | Wish::ChooseMethod { .. }
            | Wish::ClaimPayout { .. }) => return self.send_of_payee(payees, batch, vault, entropy),
        }
        None
    }

    /// The steps of a claim.
    fn send_of_payee(
        &self,
        wish: Wish,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
    ) -> Option<Vec<u8>> {
        match wish {
            Wish::GiveContact { link, phone } => {
                let code = NewCode::of(vault, link.org, &entropy.six_digits(), entropy.bytes());
                let command = GiveContact { token: link.shown(), contact: Contact::Phone(phone), code };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
            Wish::ProveContact { link, code } => {
                let sitting = NewSitting::draw(vault, &mut entropy);
                let (hash, offered_hash) = (sitting.hash.clone(), hash_code(vault, link.org, &code));
                let command = ProveContact { token: link.shown(), offered_hash, sitting };
                self.once(batch, vault, command, |checked| refused(*checked));
                return Some(hash);
            }
            Wish::FillProfile { link, sitting, first_name, last_name } => {
                let session_hash = Some(sitting);
                let command = FillProfile { token: link.shown(), session_hash, first_name, last_name, email: None };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
            Wish::ChooseMethod { link, sitting, details } => {
                let sealed = details.sealed(vault, entropy.bytes());
                let new = NewMethod { details: sealed, is_default: None, auto_payout_enabled: None, metadata: None };
                let command = ChooseMethod {
                    token: link.shown(),
                    session_hash: Some(sitting),
                    chosen: MethodChosen::New(Box::new(new)),
                    is_default: false,
                    auto_payout_enabled: None,
                };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
            Wish::ClaimPayout { link, sitting, amount } => {
                let command = ClaimPayout { token: link.shown(), session_hash: Some(sitting), amount, seen_left: None };
                self.once(batch, vault, command, |_| Answer::empty(200));
            }
            Wish::SendPayout(_)
            | Wish::CreateLink(_)
            | Wish::Redeliver(_)
            | Wish::Cancel(_)
            | Wish::MoveBalance { .. }
            | Wish::Meet(_)
            | Wish::SendToken(_)
            | Wish::Verify { .. }
            | Wish::SetUpMethod { .. } => {}
        }
        None
    }

    fn once<C: Command>(
        &self,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        command: C,
        answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
    ) {
        let org = command.organization();
        let once = Once { org, keyed: self.keyed(vault), command: Ok(command), answer: Box::new(answer) };
        batch.add(Who::Client(Box::new(self.clone())), once, Said::Answer);
    }
}

fn made(link: &PayoutLink) -> Answer {
    let document = serde_json::json!({"id": link.id, "status": link.status, "deliveries": link.deliveries});
    Answer::created(&document)
}

fn id_alone(id: &Uuid) -> Answer {
    Answer::ok(&serde_json::json!({"id": id}))
}

fn refused(checked: Checked) -> Answer {
    checked.refusal().map_or_else(|| Answer::empty(200), |refusal| Answer::from(&refusal))
}

/// An app learns of a person, as by `POST /v2/users`.
struct Meet {
    scope: Scope,
    person: Person,
}

impl Command for Meet {
    type Reply = Uuid;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Uuid, Halt> {
        Ok(users::connect_or_create(world, self.scope, &self.person)?.id.0)
    }
}

/// A user's payout method, as by `PUT /v2/users/{user_id}/payout-methods`.
struct SetUpMethod {
    scope: Scope,
    user: UserId,
    new: NewMethod,
}

impl Command for SetUpMethod {
    type Reply = Uuid;

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<Uuid, Halt> {
        let user = users::find(world, self.scope, self.user)?;
        Ok(users::set_up_payout_method(world, self.scope, &user, &self.new)?.id.0)
    }
}

/// Somebody as an app writes them down: the phone is not proven by that.
pub(super) fn written_down(phone: &PhoneNumber, first_name: &str, last_name: &str) -> Person {
    Person {
        identity: Identity::Phone(phone.clone()),
        first_name: Some(first_name.to_owned()),
        last_name: Some(last_name.to_owned()),
        email: None,
        verified: false,
    }
}
