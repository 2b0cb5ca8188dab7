//! How a simulated worker delivers a bank file: by the rules of `publish`, one step at a time, over connections that
//! end. What is committed decides where the next worker continues.

use std::sync::Arc;

use bursar_transports::Name;
use bursar_transports::publish::{End, Found, Known, Look, Order, Publishing, State, Step, Way, next};

use super::super::chance::Chance;
use super::super::sabotage::Sabotage;
use super::super::system::System;
use super::hand::{Delivery, Finished, Hand, Outside, Performed, finish};
use crate::bank_files::BankFile;
use crate::worker::{committed, step_of};

/// The wait before a file is sent again, in seconds.
pub(super) const AGAIN_SECONDS: i64 = 60;

impl Delivery {
    /// Servers that do not rename atomically leave doubts, and so do those that take every name at once.
    pub fn new(file: Arc<BankFile>, bytes: Vec<u8>, chance: &mut Chance) -> Self {
        let way = match chance.position(8) {
            0 => Way::PlainRename,
            1 => Way::Direct,
            _ => Way::AtomicRename,
        };
        let (state, known) = (State::Sealed, Known::default());
        Self { file, bytes: Arc::new(bytes), way, order: None, state, known, to: None }
    }

    /// Takes the number of the delivery. Returns `None` if a member has changed the file.
    pub fn begun(mut self, file: &Arc<BankFile>) -> Option<Self> {
        let (lease, last) = (u64::try_from(file.leases).ok()?, Name::parse(file.name.as_deref()?).ok()?);
        self.state = committed(file)?;
        self.order = Order::new(&file.id.to_string(), lease, last, &self.bytes, self.way).ok();
        self.file = file.clone();
        Some(self)
    }

    /// Takes the commit of a state. Returns whether the file is published next, which must follow at once.
    pub fn committed(&mut self) -> bool {
        let Some(to) = self.to.take() else { return false };
        self.known.is_fresh = matches!(to, State::Renaming(_));
        self.state = to;
        self.known.is_fresh
    }

    /// Records the outcome of a request that publishes.
    fn published(&mut self, is_ok: bool) {
        self.known.is_fresh = false;
        self.known.look = None;
        self.known.is_published = is_ok;
        self.known.has_failed = !is_ok;
    }
}

/// What a request over a connection does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Request {
    Answered,
    /// It had its effect, and the answer was lost.
    Unanswered,
    NotReceived,
    /// The worker ended after the effect.
    Died,
}

fn request(is_sound: bool, chance: &mut Chance) -> Request {
    match if is_sound { usize::MAX } else { chance.position(30) } {
        0 | 1 => Request::Unanswered,
        2 | 3 => Request::NotReceived,
        4 => Request::Died,
        _ => Request::Answered,
    }
}

/// Takes the next step of a delivery.
pub(super) fn step(hand: &mut Hand, system: &System, outside: &mut Outside<'_>, chance: &mut Chance) -> Performed {
    let Some(mut delivery) = hand.delivery.take() else { return Performed::Silence };
    let Some(order) = delivery.order.clone() else {
        let id = delivery.file.id;
        hand.delivery = Some(delivery);
        return finish(hand, Some(Finished::FileBegun(id)));
    };
    let again = || Some(Finished::Wait(system.now().plus_seconds(AGAIN_SECONDS)));
    let sabotage = outside.sabotage;
    if sabotage == Sabotage::SendsWithoutLook
        && matches!(delivery.state, State::Renaming(_))
        && !delivery.known.is_fresh
    {
        outside.bank.put(&order.last, &delivery.bytes);
        return finish(hand, again());
    }
    let outcome = request(outside.bank.sound, chance);
    let bytes = sent(&delivery.bytes, sabotage);
    let finished = match next(&order, &delivery.state, &delivery.known) {
        Step::Put(temp) => {
            if outcome == Request::Answered {
                outside.bank.put(&temp, &bytes);
                delivery.known.is_put = true;
                None
            } else {
                let half = bytes.len() / 2;
                outside.bank.put(&temp, bytes.get(..half).unwrap_or_default());
                return interrupted(hand, outcome, again());
            }
        }
        Step::Look(temp) if outcome == Request::Answered => {
            delivery.known.look = Some(outside.bank.look(&temp, &order.last, &delivery.bytes));
            None
        }
        Step::Look(_) => return interrupted(hand, outcome, again()),
        Step::Rename(temp) => {
            if !rename(&mut delivery, &temp, &order, outcome, outside, chance) {
                return Performed::Silence;
            }
            None
        }
        Step::PutFinal => {
            let whole = if outcome == Request::Answered { bytes.len() } else { bytes.len() / 2 };
            if outcome != Request::NotReceived {
                outside.bank.put(&order.last, bytes.get(..whole).unwrap_or_default());
            }
            if outcome == Request::Died {
                return Performed::Silence;
            }
            delivery.published(outcome == Request::Answered);
            None
        }
        Step::Remove(temp) => {
            outside.bank.remove(&temp);
            delivery.known.look = delivery.known.look.map(|look| Look { temp: Found::Missing, ..look });
            None
        }
        Step::Commit(to) => {
            let lease = i64::try_from(order.lease).unwrap_or(i64::MAX);
            let step = step_of(&to).map(|step| Finished::FileStep(delivery.file.id, lease, step));
            delivery.to = Some(to);
            step
        }
        Step::End(End::Sent | End::InDoubt(_)) => return finish(hand, Some(Finished::FileRests)),
        Step::End(End::NameTaken | End::NotRenamed) => return finish(hand, again()),
    };
    hand.delivery = Some(delivery);
    hand.finished = finished;
    Performed::OnTheWay
}

/// Renames the temporary file; returns whether the worker lives.
fn rename(
    delivery: &mut Delivery,
    temp: &Name,
    order: &Order,
    outcome: Request,
    outside: &mut Outside<'_>,
    chance: &mut Chance,
) -> bool {
    // A server that links and unlinks may end in between.
    let is_plain = matches!(delivery.state, State::Renaming(Publishing::Plain { .. }));
    let may_keep = is_plain && outcome != Request::Answered && chance.one_in(2);
    let is_received = outcome != Request::NotReceived;
    let is_done = if outside.sabotage == Sabotage::SendsNothing {
        outside.bank.remove(temp);
        is_received
    } else {
        is_received && outside.bank.rename(temp, &order.last, may_keep)
    };
    delivery.published(is_done && outcome == Request::Answered);
    outcome != Request::Died
}

/// The connection ended: the worker died, or tries again later.
fn interrupted(hand: &mut Hand, outcome: Request, again: Option<Finished>) -> Performed {
    if outcome == Request::Died { Performed::Silence } else { finish(hand, again) }
}

/// Returns the bytes that leave; with one letter of a payee's name changed in a negative control.
fn sent(bytes: &Arc<Vec<u8>>, sabotage: Sabotage) -> Arc<Vec<u8>> {
    if sabotage != Sabotage::SendsOtherBytes {
        return bytes.clone();
    }
    let is_before = |line: &&[u8]| line.first() != Some(&b'6');
    let start: usize = bytes.split(|byte| *byte == b'\n').take_while(is_before).map(|line| line.len() + 1).sum();
    let mut altered = bytes.to_vec();
    if let Some(letter) = altered.get_mut(start + 54) {
        *letter = b'X';
    }
    Arc::new(altered)
}
