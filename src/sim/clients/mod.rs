//! Clients and payees: their next requests, and their retries after lost responses.
//!
//! They misbehave as real ones do: they repeat requests with one key, use an old key for a new request, name other
//! tenants' objects, type wrong codes, and claim a link from two places at once.

mod batches;
mod bills;
mod link_thief;
mod money;
mod payments;
mod persons;
mod theft;

pub(super) use link_thief::link_theft;

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use super::chance::Chance;
use super::directory::{Directory, KnownLink};
use super::provider::Provider;
use super::requests::{Asking, Choice, Request, Step, Token, Wish, written_down};
use super::stage::{Individual, Stage};
use crate::claims::Contact;
use crate::clock::{DAY_SECONDS, Time};
use crate::ids::{PayoutLinkId, PayoutRequestId, UserId};
use crate::money::Cents;
use crate::payout_links::{AccountingData, DeliveryMethod, DeliveryRequest, FundingSource, NewLink, Payee};
use crate::payout_requests::{Asker, NewRequest};
use crate::scope::Scope;

/// Requests that wait for a retry, at most.
const WAITING_MAX: usize = 500;
/// Keys that are kept to be used for another request, at most.
const OLD_KEYS: usize = 64;

/// Payees who claim their links at the same time.
const PATIENT: usize = 12;

#[derive(Clone, Debug)]
enum Claiming {
    CodeRequested,
    /// Holds the session's secret and the number of completed steps.
    InSession(Vec<u8>, usize),
}

/// The state that clients and payees can read.
pub(super) struct Sight<'a> {
    pub stage: &'a Stage,
    pub directory: &'a Directory,
    pub provider: &'a Provider,
    pub now: Time,
}

#[derive(Default)]
pub(super) struct Clients {
    claims: HashMap<Token, Claiming>,
    waiting: VecDeque<Request>,
    old_keys: VecDeque<(Scope, String)>,
    old_batches: VecDeque<(Scope, Vec<Value>)>,
    /// The link that each app redelivers until the limit is reached.
    nagged: HashMap<Scope, PayoutLinkId>,
    marks: u64,
}

impl Clients {
    /// Returns the next request, or `None` if the chosen caller has no request now.
    pub fn next(&mut self, sight: &Sight<'_>, chance: &mut Chance) -> Option<Request> {
        if chance.one_in(4)
            && let Some(again) = self.waiting.pop_front()
        {
            return Some(again);
        }
        let request = match chance.position(12) {
            0..=5 => self.ask(sight, chance)?,
            _ => self.claim(sight, chance)?,
        };
        if let Some(key) = &request.key {
            self.old_keys.push_back((request.scope, key.clone()));
            if self.old_keys.len() > OLD_KEYS {
                self.old_keys.pop_front();
            }
        }
        Some(request)
    }

    /// Queues a request for a retry, because its response was lost or the client wants to be sure.
    pub fn ask_again(&mut self, request: Request) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.push_back(request);
        }
    }

    /// Returns the next queued retry, for the time when no new requests are made.
    pub fn waiting(&mut self) -> Option<Request> {
        self.waiting.pop_front()
    }

    /// Whether no retry is queued.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Records that a request succeeded. `session` is the one that it opened.
    pub fn succeeded(&mut self, request: &Request, session: Option<Vec<u8>>) {
        let Wish::Claim { link, step } = &request.wish else { return };
        match (step, session) {
            (Step::Contact(_), _) => {
                self.claims.entry(link.clone()).or_insert(Claiming::CodeRequested);
            }
            (Step::Code(_), Some(session)) => {
                self.claims.insert(link.clone(), Claiming::InSession(session, 0));
            }
            (Step::Profile { .. } | Step::TaxForm { .. } | Step::Method { .. }, _) => {
                if let Some(Claiming::InSession(_, steps)) = self.claims.get_mut(link) {
                    *steps += 1;
                }
            }
            (Step::End { .. }, _) => drop(self.claims.remove(link)),
            (Step::Code(_), None) | (Step::CodeAgain | Step::Payout { .. }, _) => {}
        }
    }

    /// Records that a request was refused. The payee starts the claim again.
    pub fn refused(&mut self, request: &Request) {
        let Wish::Claim { link, step } = &request.wish else { return };
        match step {
            Step::Code(_) | Step::Profile { .. } | Step::Method { .. } | Step::Payout { .. } => {
                self.claims.remove(link);
            }
            // A payee corrects a wrong form and retries.
            Step::TaxForm { .. } | Step::Contact(_) | Step::CodeAgain | Step::End { .. } => {}
        }
    }

    /// Returns metadata that identifies the object that a request creates.
    fn mark(&mut self) -> String {
        self.mark_of_row().to_string()
    }

    fn mark_of_row(&mut self) -> Value {
        self.marks += 1;
        json!({"mark": self.marks})
    }

    fn ask(&mut self, sight: &Sight<'_>, chance: &mut Chance) -> Option<Request> {
        if chance.one_in(10)
            && let Some((scope, pay)) = self.pay_by_bank(sight, chance)
        {
            let wish = Wish::Move(pay);
            let key = self.key(scope, &wish, chance);
            return Some(Request { scope, key, wish, foreign: false, by_thief: false });
        }
        let scope = *chance.pick(&sight.stage.apps)?;
        let foreign = chance.one_in(25);
        let at = if foreign { other_tenant(scope, sight, chance)? } else { scope };
        let wish = match chance.position(45) {
            0..=6 => Wish::SendPayout(Box::new(self.new_link(at, foreign, true, sight, chance)?)),
            7 | 8 => Wish::CreateLink(Box::new(self.new_link(at, foreign, false, sight, chance)?)),
            9..=11 => Wish::Redeliver(self.nag(at, sight, chance)?),
            12 => Wish::Cancel(link_of(at, sight, chance)?.id),
            13 | 14 => {
                let cents = chance.between(1, 20_000);
                let amount = Cents::new(if chance.one_in(3) { cents } else { -cents });
                Wish::MoveBalance { user: user_of(at, sight, chance)?, amount, mark: self.mark() }
            }
            15 => {
                let Individual { phone, first_name, last_name, .. } = chance.pick(&sight.stage.people)?;
                Wish::Meet(Box::new(written_down(phone, first_name, last_name)))
            }
            16 => Wish::SendToken(user_of(at, sight, chance)?),
            17 => self.verify(at, sight, chance)?,
            18..=20 => Wish::Ask(self.asking(at, foreign, sight, chance)?),
            26..=33 => Wish::Bill(Box::new(self.billing(at, sight, chance)?)),
            21..=25 => Wish::Move(self.moving(at, sight, chance)?),
            35..=39 => Wish::Collect(Box::new(self.paying(at, sight, chance)?)),
            40..=42 => Wish::Mind(self.minding(at, sight, chance)?),
            43 => self.theft(at, sight, chance)?,
            34 => Wish::SubmitBatch(self.batch(scope, sight, chance)?),
            _ => {
                let user = user_of(at, sight, chance)?;
                let details = Box::new(chance.pick(&individual(user, sight)?.details)?.clone());
                Wish::SetUpMethod { user, details, auto_payout: !chance.one_in(3) }
            }
        };
        let foreign = foreign && wish.request_kind().names_object;
        let key = self.key(scope, &wish, chance);
        Some(Request { scope, key, wish, foreign, by_thief: false })
    }

    /// Returns the link that an app redelivers, usually the same as before.
    fn nag(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<PayoutLinkId> {
        if !chance.one_in(8)
            && let Some(link) = self.nagged.get(&at)
        {
            return Some(*link);
        }
        let link = link_of(at, sight, chance)?.id;
        self.nagged.insert(at, link);
        Some(link)
    }

    fn key(&mut self, scope: Scope, wish: &Wish, chance: &mut Chance) -> Option<String> {
        if !wish.request_kind().takes_key || chance.one_in(8) {
            return None;
        }
        if chance.one_in(40)
            && let Some((_, old)) = self.old_keys.iter().find(|(of, _)| *of == scope)
        {
            return Some(old.clone());
        }
        Some(uuid(chance))
    }

    fn new_link(
        &mut self,
        at: Scope,
        foreign: bool,
        to_recipient: bool,
        sight: &Sight<'_>,
        chance: &mut Chance,
    ) -> Option<NewLink> {
        let person = sight.stage.payee(chance)?;
        let names_user = foreign || chance.one_in(4);
        let user = if names_user { user_of(at, sight, chance) } else { None };
        // Some payees are known by their address alone, and some by both.
        let (by_phone, by_email) = match chance.position(8) {
            0 if !to_recipient => (false, true),
            // Some links are for any holder.
            1 if !to_recipient => (false, false),
            2 => (true, true),
            _ => (true, false),
        };
        let payee = Payee {
            first_name: Some(person.first_name.clone()),
            last_name: Some(person.last_name.clone()),
            email: by_email.then(|| person.email.as_str().to_owned()),
            country_code: by_phone.then(|| person.phone.country_code().to_owned()),
            phone_number: by_phone.then(|| person.phone.national().to_owned()),
        };
        let method = match chance.position(6) {
            _ if !by_phone && !by_email && user.is_none() => Some(DeliveryMethod::Link),
            0 if !to_recipient => Some(DeliveryMethod::Link),
            1 if by_phone => Some(DeliveryMethod::Sms),
            2 if !to_recipient => Some(DeliveryMethod::All),
            _ => None,
        };
        let pulled = !to_recipient && chance.one_in(6);
        let expires_at = chance.one_in(3).then(|| sight.now.plus_seconds(chance.between(60, 20 * DAY_SECONDS)));
        let remind_at = chance.one_in(5).then(|| sight.now.plus_seconds(chance.between(1, 5 * DAY_SECONDS)));
        Some(NewLink {
            amount: Cents::new(amount(chance)),
            user,
            payee: if user.is_some() { Payee::default() } else { payee },
            delivery: DeliveryRequest { method, message: None },
            collect_compliance: chance.one_in(12),
            tax_exempt: chance.one_in(10),
            memo: None,
            metadata: Some(self.mark()),
            description: None,
            accounting_data: AccountingData::default(),
            funding_source: if pulled { FundingSource::Ach } else { FundingSource::ServiceBalance },
            fee_party: None,
            expires_at,
            remind_at,
        })
    }

    /// Returns a payout request, or the app's decision about one.
    fn asking(&mut self, at: Scope, foreign: bool, sight: &Sight<'_>, chance: &mut Chance) -> Option<Asking> {
        let known = sight.directory.requests.iter().filter(|(scope, _)| *scope == at).map(|(_, id)| *id);
        let known: Vec<PayoutRequestId> = known.collect();
        if let Some(id) = chance.pick(&known).filter(|_| !chance.one_in(3)) {
            return Some(if chance.one_in(4) { Asking::Reject(*id) } else { Asking::Approve(*id) });
        }
        let asker = if foreign || chance.one_in(3) {
            Asker::User(user_of(at, sight, chance)?)
        } else {
            Asker::Phone(sight.stage.payee(chance)?.phone.clone())
        };
        let (amount, metadata) = (Cents::new(amount(chance)), Some(self.mark()));
        Some(Asking::Submit(Box::new(NewRequest { amount, asker, memo: None, metadata })))
    }

    fn verify(&mut self, at: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Wish> {
        let user = user_of(at, sight, chance)?;
        let phone = sight.directory.phone(user)?;
        let code = if chance.one_in(5) { "000000".to_owned() } else { sight.provider.code(at.org, phone)?.clone() };
        Some(Wish::Verify { user, code })
    }

    /// Returns the next step of a payee's claim.
    fn claim(&mut self, sight: &Sight<'_>, chance: &mut Chance) -> Option<Request> {
        let links = &sight.directory.links;
        if links.is_empty() {
            return None;
        }
        // Most payees claim soon after their link was sent, at about the same time.
        let among = if chance.one_in(3) { links.len() } else { links.len().min(PATIENT) };
        let link = links[links.len() - 1 - chance.position(among)].clone();
        let step = match self.claims.get(&link.token).cloned() {
            None => Step::Contact(contact(&link, sight)?),
            Some(Claiming::CodeRequested) => self.prove(&link, sight, chance)?,
            Some(Claiming::InSession(session, steps)) => open_session(&link, session, steps, sight, chance)?,
        };
        let wish = Wish::Claim { link: link.token.clone(), step };
        let key = self.key(link.scope, &wish, chance);
        if let Wish::Claim { step, .. } = &wish
            && chance.one_in(60)
        {
            let scope = other_tenant(link.scope, sight, chance)?;
            // The secret of this link with another organization's id.
            let token = Token { org: scope.org, shown: link.token.shown };
            let wish = Wish::Claim { link: token, step: step.clone() };
            return Some(Request { scope, key, wish, foreign: true, by_thief: false });
        }
        Some(Request { scope: link.scope, key, wish, foreign: false, by_thief: false })
    }

    fn prove(&mut self, link: &KnownLink, sight: &Sight<'_>, chance: &mut Chance) -> Option<Step> {
        let recipient = recipient(link, sight)?;
        let received = sight.provider.code(link.scope.org, &recipient);
        let code = match received {
            Some(code) if !chance.one_in(8) => code.clone(),
            Some(_) => "123123".to_owned(),
            // No code has arrived: the payee waits, or later requests another code.
            None if chance.one_in(6) => {
                self.claims.remove(&link.token);
                return None;
            }
            None => return None,
        };
        if chance.one_in(10) {
            self.claims.remove(&link.token);
        }
        Some(Step::Code(code))
    }
}

/// Returns a step after the code.
fn open_session(
    link: &KnownLink,
    session: Vec<u8>,
    steps: usize,
    sight: &Sight<'_>,
    chance: &mut Chance,
) -> Option<Step> {
    let person = payee(link, sight)?;
    let step = if chance.one_in(6) { chance.position(5) } else { steps };
    Some(match step {
        0 => {
            let (first_name, last_name) = (person.first_name.clone(), person.last_name.clone());
            Step::Profile { session, first_name, last_name }
        }
        1 => {
            let user = sight.directory.user(link.scope.org, &recipient(link, sight)?)?;
            Step::TaxForm { session, user, form: tax_form(chance) }
        }
        2 => {
            let chosen = Choice::New(Box::new(chance.pick(&person.details)?.clone()));
            // At a link that names no payee, a known payee may not set a default method. Some try.
            let is_preferred = chance.one_in(if link.names_payee { 3 } else { 12 });
            Step::Method { session, chosen, is_preferred }
        }
        _ if chance.one_in(30) => Step::End { session },
        _ => {
            let amount = chance.one_in(3).then(|| Cents::new(chance.between(1, link.amount)));
            Step::Payout { session, amount }
        }
    })
}

/// Returns the payee of a link, or the finder of one that names no payee.
fn payee<'a>(link: &KnownLink, sight: &'a Sight<'_>) -> Option<&'a Individual> {
    match (&link.phone, &link.email) {
        (Some(phone), _) => sight.stage.by_phone(phone),
        (None, Some(email)) => sight.stage.by_email(email),
        (None, None) => sight.stage.people.get(usize::from(link.token.secret()[0]) % sight.stage.people.len()),
    }
}

/// Returns the contact for the code of a link: the phone, or the address if the link names only that.
fn contact(link: &KnownLink, sight: &Sight<'_>) -> Option<Contact> {
    let person = payee(link, sight)?;
    Some(match (&link.phone, &link.email) {
        (None, Some(_)) => Contact::Email(person.email.clone()),
        (Some(_), _) | (None, None) => Contact::Phone(person.phone.clone()),
    })
}

/// Returns the contact as the provider writes it.
fn recipient(link: &KnownLink, sight: &Sight<'_>) -> Option<String> {
    Some(match contact(link, sight)? {
        Contact::Phone(phone) => phone.e164(),
        Contact::Email(email) => email.as_str().to_owned(),
    })
}

fn individual<'a>(user: UserId, sight: &'a Sight<'_>) -> Option<&'a Individual> {
    sight.stage.by_phone(sight.directory.phone(user)?)
}

fn uuid(chance: &mut Chance) -> String {
    chance.entropy().id::<uuid::Uuid>(Time::from_micros(0)).to_string()
}

fn amount(chance: &mut Chance) -> i64 {
    match chance.position(10) {
        // Less than the fees of most rails.
        0 => chance.between(1, 50),
        1 => chance.between(100_000, 2_000_000),
        // Two or three of these make a tax form due, and one alone does not.
        3 | 4 => chance.between(70_000, 190_000),
        // More than any wallet holds.
        2 if chance.one_in(10) => 9_999_999_999,
        _ => chance.between(500, 50_000),
    }
}

fn other_tenant(scope: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<Scope> {
    let others: Vec<Scope> = sight.stage.apps.iter().copied().filter(|other| other.org != scope.org).collect();
    chance.pick(&others).copied()
}

/// Returns a user of the app, and sometimes one of another app of its organization, as a hostile app names them.
fn user_of(scope: Scope, sight: &Sight<'_>, chance: &mut Chance) -> Option<UserId> {
    let whose = if chance.one_in(10) {
        let sisters = sight.stage.apps.iter().filter(|app| app.org == scope.org && app.app != scope.app);
        sisters.copied().next().unwrap_or(scope)
    } else {
        scope
    };
    chance.pick(sight.directory.users.get(&whose)?).copied()
}

/// Returns a recent link of the app, if a few draws find one.
fn link_of<'a>(scope: Scope, sight: &'a Sight<'_>, chance: &mut Chance) -> Option<&'a KnownLink> {
    let links = &sight.directory.links;
    if links.is_empty() {
        return None;
    }
    (0..12).map(|_| &links[chance.position(links.len())]).find(|link| link.scope == scope)
}

/// Returns a W-9 or a W-8BEN; one W-9 of ten has an invalid number.
fn tax_form(chance: &mut Chance) -> Value {
    if chance.one_in(4) {
        return json!({"w8ben": {
            "name": "Jean Dupont", "citizenship": "FR", "date_of_birth": "1980-02-29", "line_1": "1 Rue de la Paix",
            "city": "Paris", "postcode": "75002", "country": "FR", "certified": true,
        }});
    }
    let tax_id = if chance.one_in(10) { "000-00-0000" } else { "123-45-6789" };
    json!({"w9": {
        "entity_type": "individual", "tax_id_type": "ssn",
        "name": "Jane Doe", "tax_id": tax_id, "line_1": "1 Main St", "city": "New York", "state": "NY",
        "postcode": "10001", "certified": true,
    }})
}
