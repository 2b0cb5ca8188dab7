//! The workers' hands: which jobs they take, what they do with them step by step, and what comes of their reports.

use super::sabotage::Sabotage;
use super::system::Batch;
use super::worker::{self, Hand, Known, Outside, Performed};
use super::{Said, Simulation, Violation, Who};
use crate::jobs::{Job, Lease, Leased};
use crate::ledger::verify::Finding;
use crate::messages::Begun;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;

/// Jobs in the workers' hands at most.
const HANDS_MAX: usize = 64;

impl Simulation {
    /// Leases for due jobs; now and then two workers reach for the same one. What needs no lease is at times begun
    /// without, by two at once too.
    pub(super) fn workers_lease(&mut self, batch: &mut Batch<Who, Said>) {
        let free = HANDS_MAX.saturating_sub(self.hands.len());
        let limit = free.min(if self.draining { 16 } else { self.chance.position(10) });
        for (org, id) in self.directory.due_jobs(self.system.now(), limit) {
            let times = if self.chance.one_in(30) { 2 } else { 1 };
            let known = self.system.read(|world| world.get::<Job>(key![org, id])).ok().flatten();
            if let Some(job) = known.filter(|job| job.work.0.is_internal())
                && self.chance.one_in(2)
            {
                let hand = Hand { leased: job.unleased(), known: Known::Nothing, asleep_steps: 0, finished: None };
                self.hands.extend(std::iter::repeat_n(hand, times));
                continue;
            }
            for _ in 0..times {
                batch.add(Who::Lease, Lease { org, id }, Said::Leased);
            }
        }
    }

    /// Some workers do their job, some report, some die, some sleep.
    pub(super) fn workers_report(&mut self, batch: &mut Batch<Who, Said>) -> Result<(), Box<Violation>> {
        for mut hand in std::mem::take(&mut self.hands) {
            hand.asleep_steps -= 1;
            let draw = if self.draining { 99 } else { self.chance.position(100) };
            match draw {
                _ if hand.asleep_steps >= 0 => {
                    self.hands.push(hand);
                    continue;
                }
                0 => continue,
                1..=30 => {
                    self.hands.push(hand);
                    continue;
                }
                _ => {}
            }
            let Some(finished) = hand.finished.clone() else {
                self.perform(hand).map_err(|finding| self.violation(finding))?;
                continue;
            };
            let newest = self.directory.fence(hand.leased.id);
            let fence = match (self.settings.sabotage, newest) {
                (Sabotage::StaleLeases, Some(newest)) => newest,
                _ => hand.leased.fence,
            };
            worker::report(batch, &hand, finished, fence, &self.vault, &mut self.chance);
        }
        Ok(())
    }

    /// Has a worker do its job, or a part of it.
    fn perform(&mut self, mut hand: Hand) -> Result<(), Finding> {
        let mut outside = Outside {
            rail: &mut self.rail,
            provider: &mut self.provider,
            receiver: &mut self.receiver,
            vault: &self.vault,
        };
        match worker::perform(&mut hand, &self.system, &mut outside, &mut self.chance) {
            // Nobody answered: the lease will end, and somebody will ask.
            Ok(Performed::Silence) => {}
            Ok(Performed::OnTheWay) => self.hands.push(hand),
            Err(refusal) => return Err(undoable(&hand.leased, &refusal)),
        }
        self.provider.complaint().map_or(Ok(()), Err)
    }

    pub(super) fn worker_leased(&mut self, outcome: Result<Said, Refusal>) -> Result<(), Finding> {
        match outcome {
            Ok(Said::Leased(Some(leased))) => {
                if self.holds(&leased) {
                    let what = "was leased twice with one fencing number".to_owned();
                    return Err(Finding { invariant: 17, what, place: format!("job {}", leased.id) });
                }
                let asleep_steps = if self.chance.one_in(20) { self.chance.between(5, 80) } else { 0 };
                self.hands.push(Hand { leased, known: Known::Nothing, asleep_steps, finished: None });
                Ok(())
            }
            Ok(Said::Leased(None) | Said::Begun(_) | Said::GoOn | Said::Done | Said::Answer(_)) | Err(_) => Ok(()),
        }
    }

    /// A report of a lease that was overtaken must not have been taken (17).
    pub(super) fn worker_reported(
        &mut self,
        hand: Hand,
        outcome: Result<Said, Refusal>,
        excused: bool,
    ) -> Result<(), Finding> {
        // The directory still shows what was so before this batch.
        let newest = self.directory.fence(hand.leased.id);
        match outcome {
            Ok(_) if newest != Some(hand.leased.fence) => {
                let what =
                    format!("was reported with the fencing number {}; the newest is {newest:?}", hand.leased.fence);
                let place = format!("job {} ({:?})", hand.leased.id, hand.leased.work);
                Err(Finding { invariant: 17, what, place })
            }
            // What was noted is done at once: a carrier that is told later than within its deadline is not told at all.
            Ok(Said::Begun(Begun::Send)) => self.perform(Hand { known: Known::Noted, finished: None, ..hand }),
            Ok(Said::Begun(Begun::Ask)) => {
                self.go_on(Hand { known: Known::InDoubt, finished: None, ..hand });
                Ok(())
            }
            Ok(Said::GoOn) => {
                self.go_on(Hand { known: Known::Noted, finished: None, ..hand });
                Ok(())
            }
            Ok(Said::Begun(Begun::Over) | Said::Done | Said::Leased(_) | Said::Answer(_)) => Ok(()),
            // Somebody else has it now.
            Err(refusal) if refusal.code == Code::ResourceBusy => Ok(()),
            // The worker does not know whether it was heard, or knows that it was not, and says it again.
            Err(refusal) if refusal.code == Code::OutcomeUnknown || excused => {
                self.go_on(hand);
                Ok(())
            }
            Err(refusal) => Err(undoable(&hand.leased, &refusal)),
        }
    }

    /// A worker goes on with its job. One that made several reports at once hears of each, and goes on once.
    fn go_on(&mut self, hand: Hand) {
        if !self.holds(&hand.leased) {
            self.hands.push(hand);
        }
    }

    fn holds(&self, leased: &Leased) -> bool {
        self.hands.iter().any(|hand| hand.leased.id == leased.id && hand.leased.fence == leased.fence)
    }
}

/// A job that will be begun again and again, and can never be done.
fn undoable(leased: &Leased, refusal: &Refusal) -> Finding {
    let what = format!("cannot be done: {}", refusal.message);
    Finding { invariant: 20, what, place: format!("job {} ({:?})", leased.id, leased.work) }
}
