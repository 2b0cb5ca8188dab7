use std::sync::Arc;

use serde_json::Value;

use super::super::system::Batch;
use super::person::sealed;
use super::{Request, RequestKind, Said, Token, Who, refused};
use crate::claims::{
    ChooseMethod, ClaimPayout, Contact, EndSession, FillProfile, GiveContact, GiveTaxForm, MethodChosen, NewSession,
    ProveContact, SendCodeAgain,
};
use crate::clock::Time;
use crate::http::Answer;
use crate::ids::{Entropy, PayoutMethodId, UserId};
use crate::money::Cents;
use crate::payout_methods::Details;
use crate::program::Environment;
use crate::screening::{LookedUp, Watchlist};
use crate::taxes::first_verification;
use crate::users::NewMethod;
use crate::vault::Vault;
use crate::verification::{NewCode, hash_code};

/// A step of a link's holder. A session is the hash of its secret; an empty one means no session.
#[derive(Clone, Debug)]
pub(in crate::sim) enum Step {
    Contact(Contact),
    /// Another code to the contact of the last one.
    CodeAgain,
    Code(String),
    Profile {
        session: Vec<u8>,
        first_name: String,
        last_name: String,
    },
    /// A tax form, as JSON; it is sealed with the id of the session's user.
    TaxForm {
        session: Vec<u8>,
        user: UserId,
        form: Value,
    },
    Method {
        session: Vec<u8>,
        chosen: Choice,
        /// Whether it becomes the default, to which later payouts go automatically.
        is_preferred: bool,
    },
    Payout {
        session: Vec<u8>,
        amount: Option<Cents>,
    },
    End {
        session: Vec<u8>,
    },
}

#[derive(Clone, Debug)]
pub(in crate::sim) enum Choice {
    New(Box<Details>),
    Saved(PayoutMethodId),
}

impl Choice {
    fn sealed(self, is_preferred: bool, vault: &Vault, entropy: &mut Entropy) -> MethodChosen {
        match self {
            Self::Saved(id) => MethodChosen::Saved { id, copy: None },
            Self::New(details) => MethodChosen::New(Box::new(NewMethod {
                details: details.sealed(vault, entropy.bytes()),
                is_default: is_preferred.then_some(true),
                auto_payout_enabled: is_preferred.then_some(true),
                metadata: None,
                names: Some(LookedUp::of(Watchlist::of_sandbox(), [])),
            })),
        }
    }
}

impl Step {
    pub(super) fn request_kind(&self) -> RequestKind {
        let (target, takes_key) = match self {
            Self::Contact(_) => ("POST /v2/claims/contact?", false),
            Self::CodeAgain => ("POST /v2/claims/contact (again)?", false),
            Self::Code(_) => ("POST /v2/claims/code?", false),
            Self::Profile { .. } => ("POST /v2/claims/profile?", false),
            Self::TaxForm { .. } => ("POST /v2/claims/compliance?", false),
            Self::Method { .. } => ("POST /v2/claims/method?", false),
            Self::Payout { .. } => ("POST /v2/claims/payout?", true),
            Self::End { .. } => ("POST /v2/claims/end?", false),
        };
        RequestKind { target, takes_key, harmless_twice: true, names_object: true }
    }
}

impl Request {
    pub(super) fn send_step(
        &self,
        link: &Token,
        step: Step,
        batch: &mut Batch<Who, Said>,
        vault: &Arc<Vault>,
        mut entropy: Entropy,
        now: Time,
    ) -> Option<Vec<u8>> {
        let token = link.parsed(vault);
        let shown = |session: Vec<u8>| Some(session).filter(|hash| !hash.is_empty());
        match step {
            Step::Contact(contact) => {
                let code = NewCode::of(vault, link.org, &entropy.six_digits(), entropy.bytes());
                let command = GiveContact { token, contact, code };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
            Step::CodeAgain => {
                let code = NewCode::of(vault, link.org, &entropy.six_digits(), entropy.bytes());
                self.once(batch, vault, SendCodeAgain { token, code }, |()| Answer::empty(200));
            }
            Step::Code(code) => {
                let session = NewSession::draw(vault, &mut entropy);
                let (hash, offered_hash) = (session.hash.clone(), hash_code(vault, link.org, &code));
                let command = ProveContact {
                    token,
                    offered_hash,
                    new_session: session,
                    names: LookedUp::of(Watchlist::of_sandbox(), []),
                    language: None,
                };
                self.once(batch, vault, command, |checked| refused(*checked));
                return Some(hash);
            }
            Step::Profile { session, first_name, last_name } => {
                let names = LookedUp::of(Watchlist::of_sandbox(), [format!("{first_name} {last_name}")]);
                let (session_hash, email) = (shown(session), None);
                let command = FillProfile { token, session_hash, first_name, last_name, email, names };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
            Step::TaxForm { session, user, form } => {
                let session_hash = shown(session);
                let verification = first_verification(Environment::Sandbox);
                let form = sealed(&form, token.org, user, vault, &mut entropy, now);
                let command = form.map(|form| {
                    let names = LookedUp::of(Watchlist::of_sandbox(), form.names.clone());
                    GiveTaxForm { token, session_hash, user, form, verification, names }
                });
                self.once_if(batch, vault, command, |()| Answer::empty(200));
            }
            Step::Method { session, chosen, is_preferred } => {
                let command = ChooseMethod {
                    token,
                    session_hash: shown(session),
                    chosen: chosen.sealed(is_preferred, vault, &mut entropy),
                    is_default: is_preferred,
                    auto_payout_enabled: is_preferred.then_some(true),
                };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
            Step::Payout { session, amount } => {
                let command = ClaimPayout { token, session_hash: shown(session), amount, seen_left: None };
                self.once(batch, vault, command, |paid| {
                    paid.as_ref().map_or_else(Answer::from, |_| Answer::empty(200))
                });
            }
            Step::End { session } => {
                let command = EndSession { token, session_hash: shown(session) };
                self.once(batch, vault, command, |()| Answer::empty(200));
            }
        }
        None
    }
}
