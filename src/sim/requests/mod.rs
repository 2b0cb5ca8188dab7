//! Requests of clients and payees, each with the command that its handler would run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

mod batch;
mod bill;
mod claim;
mod money;
mod payment;
mod payout_request;
mod person;

pub(super) use bill::{BillAct, Billing};
pub(super) use claim::{Choice, Step};
pub(super) use money::Moving;
pub(super) use payment::{Collecting, Paying};
pub(super) use payout_request::Asking;
pub(super) use person::Minding;

use super::chance::Chance;
use super::rail::Reference;
use super::system::Batch;
use super::worker::Hand;
use crate::bank_files::BankFile;
use crate::clock::Time;
use crate::engine::Command;
use crate::http::Answer;
use crate::idempotency::{Keyed, Once, answering};
use crate::ids::{OrgId, PayoutLinkId, UserId};
use crate::input::Input;
use crate::jobs::Leased;
use crate::messages::Begun;
use crate::money::Cents;
use crate::originals::ORIGINALS;
use crate::payout_links::{self, Cancel, ClaimToken, Create, NewLink, NewToken, PayoutLink, Redeliver};
use crate::payout_methods::{Details, MethodOrigin};
use crate::payouts::SendPayout;
use crate::phone::PhoneNumber;
use crate::refusal::{ErrorContext, Refusal};
use crate::scope::Scope;
use crate::screening::{LookedUp, Watchlist};
use crate::seals::Position;
use crate::strict_json::Json;
use crate::transfers::MoveBalance;
use crate::users::{self, Identity, NewMethod, Person, SendVerificationToken, Verify};
use crate::vault::Vault;
use crate::verification::{Checked, NewCode, hash_code};
use crate::world::{Halt, World};

/// The sender of a command.
pub(super) enum Who {
    Stage,
    Client(Box<Request>),
    Lease,
    Hand(Box<Hand>),
    Rail(Reference),
    /// A member of the organization with a bank.
    Member,
    /// The pass that seals all values again, and its next position.
    Rekey(Position),
}

/// A reply, in a form that all commands share.
pub(super) enum Said {
    Answer(Answer),
    Leased(Option<Leased>),
    Begun(Begun),
    /// A delivery of a bank file has its number.
    Begins(Arc<BankFile>),
    /// A part of the job is done, and its worker continues.
    GoOn,
    Done,
}

/// The content of a request. A retry has the same content.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    SendPayout(Box<NewLink>),
    CreateLink(Box<NewLink>),
    Redeliver(PayoutLinkId),
    Cancel(PayoutLinkId),
    MoveBalance {
        user: UserId,
        amount: Cents,
        mark: String,
    },
    Meet(Box<Person>),
    SendToken(UserId),
    Verify {
        user: UserId,
        code: String,
    },
    SetUpMethod {
        user: UserId,
        details: Box<Details>,
        auto_payout: bool,
    },
    Claim {
        link: Token,
        step: Step,
    },
    Ask(Asking),
    Move(Moving),
    Bill(Box<Billing>),
    Collect(Box<Paying>),
    Mind(Minding),
    /// Rows of a payout link batch, as they are sent.
    SubmitBatch(Vec<Value>),
}

/// Properties of every request of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestKind {
    /// Method and path, as the key's row stores them.
    pub target: &'static str,
    pub takes_key: bool,
    /// Whether a repetition is refused or harmless, even without a key.
    pub harmless_twice: bool,
    /// Whether it names an object of a tenant, which another tenant must not find.
    pub names_object: bool,
}

impl Wish {
    pub fn request_kind(&self) -> RequestKind {
        let request_kind = |target, takes_key, harmless_twice, names_object| RequestKind {
            target,
            takes_key,
            harmless_twice,
            names_object,
        };
        match self {
            // Only a user id can cross tenants: the same phone is another user in each organization.
            Self::SendPayout(new) => request_kind("POST /v2/payouts/send-payout?", true, false, new.user.is_some()),
            Self::CreateLink(new) => request_kind("POST /v2/payout-links?", true, false, new.user.is_some()),
            Self::Redeliver(_) => request_kind("POST /v2/payout-links/redeliver?", true, true, true),
            Self::Cancel(_) => request_kind("DELETE /v2/payout-links?", false, true, true),
            Self::MoveBalance { .. } => request_kind("POST /v2/transfers?", true, false, true),
            Self::Meet(_) => request_kind("POST /v2/users?", true, true, false),
            Self::SendToken(_) => request_kind("POST /v2/users/send-verification-token?", true, true, true),
            Self::Verify { .. } => request_kind("POST /v2/users/verify?", true, true, true),
            Self::SetUpMethod { .. } => request_kind("PUT /v2/users/payout-methods?", true, true, true),
            Self::Claim { step, .. } => step.request_kind(),
            Self::Ask(asking) => asking.request_kind(),
            Self::Move(moving) => moving.request_kind(),
            Self::Bill(billing) => billing.request_kind(),
            Self::Collect(paying) => paying.request_kind(),
            Self::Mind(minding) => minding.request_kind(),
            // A batch with the same rows is the same batch.
            Self::SubmitBatch(_) => request_kind("POST /v2/payout-link-batches?", true, true, false),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Token {
    pub org: OrgId,
    /// As the link's URL shows it.
    pub shown: String,
}

impl Token {
    fn parsed(&self, vault: &Vault) -> ClaimToken {
        let mut token = ClaimToken::parse(vault, &self.shown).expect("the token of a link is well-formed");
        token.org = self.org;
        token
    }

    /// Returns bits that only the link's holders know.
    pub fn secret(&self) -> [u8; 16] {
        self.shown.as_bytes().last_chunk().copied().unwrap_or_default()
    }
}

/// A request, which may be sent several times.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub scope: Scope,
    pub key: Option<String>,
    pub wish: Wish,
    /// Whether it names another tenant's object, which must not be found.
    pub foreign: bool,
    /// Whether the sender is a thief who has a link's token, and neither the payee's phone nor mailbox.
    pub by_thief: bool,
}

impl Request {
    /// Returns the owner of its idempotency keys.
    pub fn key_scope(&self) -> Uuid {
        if let Wish::Claim { link, .. } = &self.wish {
            // The keys of a link are its own, as in the handler.
            return Uuid::from_bytes(link.secret());
        }
        self.scope.app.0
    }

    /// Returns a fingerprint that only equal requests share.
    pub fn print(&self) -> String {
        let digest = Sha256::digest(format!("{:?}", self.wish).as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn keyed(&self, vault: &Arc<Vault>) -> Option<Keyed> {
        let key = self.key.clone()?;
        let fields = BTreeMap::from([("body".to_owned(), self.print())]);
        let vault = vault.clone();
        let target = self.wish.request_kind().target.to_owned();
        Some(Keyed {
            scope: self.key_scope(),
            key,
            target,
            fields,
            vault,
            originals: ORIGINALS,
            context: ErrorContext::default(),
        })
    }

    /// Requests without an idempotency key use the organization key, all others the app key.
    pub fn comes_with_app_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether a second copy of it has no second effect.
    pub fn may_be_doubled(&self) -> bool {
        self.key.is_some() || self.wish.request_kind().harmless_twice
    }

    /// Adds the command of this request to a batch, with the random values that a handler draws. Returns the session
    /// that it opens if it succeeds.
    pub fn send(
        &self,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        now: Time,
        chance: &mut Chance,
    ) -> Option<Vec<u8>> {
        let (scope, mut entropy) = (self.scope, chance.entropy());
        match self.wish.clone() {
            Wish::SendPayout(new) => {
                let token = NewToken::draw(vault, &mut entropy);
                let names = LookedUp::of(Watchlist::of_sandbox(), []);
                let environment = crate::program::Environment::Sandbox;
                self.once(batch, vault, SendPayout { scope, environment, new: *new, token, names }, made(vault));
            }
            Wish::CreateLink(new) => {
                let token = NewToken::draw(vault, &mut entropy);
                self.once(batch, vault, Create { scope, new: *new, token }, made(vault));
            }
            Wish::Redeliver(link) => self.once(batch, vault, Redeliver { scope, link }, made(vault)),
            Wish::Cancel(link) => self.once(batch, vault, Cancel { scope, link }, made(vault)),
            Wish::MoveBalance { user, amount, mark } => {
                let command = MoveBalance { scope, user, amount, metadata: Some(mark) };
                self.once(batch, vault, command, |(_, json)| Answer::ok(json));
            }
            Wish::Meet(person) => {
                let name = [&person.first_name, &person.last_name].into_iter().flatten().map(String::as_str);
                let names = LookedUp::of(Watchlist::of_sandbox(), [name.collect::<Vec<_>>().join(" ")]);
                self.once(batch, vault, Meet { scope, person: *person, names }, id_alone);
            }
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
                    names: Some(LookedUp::of(Watchlist::of_sandbox(), [])),
                };
                self.once(batch, vault, SetUpMethod { scope, user, new }, id_alone);
            }
            Wish::Claim { link, step } => return self.send_step(&link, step, batch, vault, entropy, now),
            Wish::Ask(asking) => self.send_asking(asking, batch, vault, entropy),
            Wish::Move(moving) => self.send_moving(moving, batch, vault, entropy),
            Wish::Bill(billing) => self.send_billing(*billing, batch, vault, entropy),
            Wish::Collect(paying) => self.send_paying(*paying, batch, vault, entropy),
            Wish::Mind(minding) => self.send_minding(minding, batch, vault, entropy, now),
            Wish::SubmitBatch(rows) => self.send_batch(&rows, batch, vault),
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
        self.once_if(batch, vault, Ok(command), answer);
    }

    /// Runs an input that may have been refused.
    fn once_if<C: Command>(
        &self,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        command: Result<C, Refusal>,
        answer: impl Fn(&C::Reply) -> Answer + Send + 'static,
    ) {
        let command = command.map(|command| answering(command, answer));
        let once = Once { org: self.scope.org, keyed: self.keyed(vault), command };
        batch.add(Who::Client(Box::new(self.clone())), self.scope.org, once, Said::Answer);
    }
}

/// Renders a link as the API does: its address is a secret.
pub(super) fn made(vault: &Arc<Vault>) -> impl Fn(&Arc<PayoutLink>) -> Answer + Send + 'static {
    let vault = vault.clone();
    move |link| Answer::created(&payout_links::json_under("http://127.0.0.1:8080", &vault, link)).secret()
}

/// Reads an input as its handler does.
fn input<T: Input>(sent: &Value) -> Result<T, Refusal> {
    T::read(&Json::from_serde(sent), "").map_err(Refusal::fields)
}

fn id_alone(id: &Uuid) -> Answer {
    Answer::ok(&json!({"id": id}))
}

fn refused(checked: Checked) -> Answer {
    checked.refusal().map_or_else(|| Answer::empty(200), |refusal| Answer::from(&refusal))
}

/// An app names a person, as by `POST /v2/users`.
struct Meet {
    scope: Scope,
    person: Person,
    names: LookedUp,
}

impl Command for Meet {
    type Reply = Uuid;

    fn decide(&self, world: &mut World) -> Result<Uuid, Halt> {
        Ok(users::connect_or_create(world, self.scope, &self.person, &self.names)?.id.0)
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

    fn decide(&self, world: &mut World) -> Result<Uuid, Halt> {
        let user = users::find(world, self.scope, self.user)?;
        Ok(users::set_up_payout_method(world, self.scope, &user, (&self.new, MethodOrigin::App))?.id.0)
    }
}

/// Returns a person as an app names them, which does not prove the phone.
pub(super) fn written_down(phone: &PhoneNumber, first_name: &str, last_name: &str) -> Person {
    Person {
        identity: Identity::Phone(phone.clone()),
        first_name: Some(first_name.to_owned()),
        last_name: Some(last_name.to_owned()),
        email: None,
        verified: false,
    }
}
