//! The workers: the jobs they lease, their steps, and the outcomes of their reports.

use std::sync::Arc;

use super::report::Violation;
use super::requests::{Said, Who};
use super::sabotage::Sabotage;
use super::simulation::Simulation;
use super::system::Batch;
use super::worker::{self, Finished, Hand, Known, Outside, Performed};
use crate::bank_files::BankFile;
use crate::jobs::{Job, Lease, Leased};
use crate::ledger::verify::Finding;
use crate::messages::Begun;
use crate::refusal::{Code, Refusal};
use crate::world::record::key;

const HANDS_MAX: usize = 64;

impl Simulation {
    /// Leases due jobs, sometimes one job for two workers. Jobs that need no lease sometimes start without one, also
    /// twice.
    pub(super) fn workers_lease(&mut self, batch: &mut Batch<Who, Said>) {
        let free = HANDS_MAX.saturating_sub(self.hands.len());
        let limit = free.min(if self.draining { 16 } else { self.chance.position(10) });
        for (org, id) in self.directory.due_jobs(self.system.now(), limit) {
            let times = if self.chance.one_in(30) { 2 } else { 1 };
            let known = self.system.read(|world| world.get::<Job>(key![org, id])).ok().flatten();
            if let Some(job) = known.filter(|job| job.work.0.is_internal())
                && self.chance.one_in(2)
            {
                let hand = Hand::new(job.unleased(), 0);
                self.hands.extend(std::iter::repeat_n(hand, times));
                continue;
            }
            for _ in 0..times {
                batch.add(Who::Lease, org, Lease { org, id }, Said::Leased);
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

    /// Performs a worker's job or a part of it.
    fn perform(&mut self, mut hand: Hand) -> Result<(), Finding> {
        let mut outside = Outside {
            rail: &mut self.rail,
            provider: &mut self.provider,
            receiver: &mut self.receiver,
            bank: &mut self.far,
            sabotage: self.settings.sabotage,
            vault: &self.vault,
        };
        match worker::perform(&mut hand, &self.system, &mut outside, &mut self.chance) {
            // No response: the lease ends, and another worker queries the outcome.
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
                self.hands.push(Hand::new(leased, asleep_steps));
                Ok(())
            }
            Ok(Said::Leased(None) | Said::Begun(_) | Said::Begins(_) | Said::GoOn | Said::Done | Said::Answer(_))
            | Err(_) => Ok(()),
        }
    }

    /// Checks that a report with a stale fencing token was rejected (17).
    pub(super) fn worker_reported(
        &mut self,
        hand: Hand,
        outcome: Result<Said, Refusal>,
        excused: bool,
    ) -> Result<(), Finding> {
        // The directory still shows the state before this batch.
        let newest = self.directory.fence(hand.leased.id);
        match outcome {
            // The hash of its bytes keeps the stores of a slow transfer apart, so they need no lease.
            Ok(_) if newest != Some(hand.leased.fence) && matches!(hand.finished, Some(Finished::InboundKept(_))) => {
                Ok(())
            }
            Ok(_) if newest != Some(hand.leased.fence) => {
                let what =
                    format!("was reported with the fencing number {}; the newest is {newest:?}", hand.leased.fence);
                let place = format!("job {} ({:?})", hand.leased.id, hand.leased.work);
                Err(Finding { invariant: 17, what, place })
            }
            // A recorded message is sent at once: after its deadline it may not be sent.
            Ok(Said::Begun(Begun::Send)) => self.perform(Hand { known: Known::Noted, finished: None, ..hand }),
            Ok(Said::Begun(Begun::Ask)) => {
                self.go_on(Hand { known: Known::InDoubt, finished: None, ..hand });
                Ok(())
            }
            Ok(Said::GoOn) => self.continued(hand, None),
            Ok(Said::Begins(file)) => self.continued(hand, Some(&file)),
            Ok(Said::Begun(Begun::Over) | Said::Done | Said::Leased(_) | Said::Answer(_)) => Ok(()),
            // Another worker has the job.
            Err(refusal) if refusal.code == Code::ResourceBusy => Ok(()),
            // The report was lost, or its outcome is unknown: the worker reports again.
            Err(refusal) if refusal.code == Code::OutcomeUnknown || excused => {
                self.go_on(hand);
                Ok(())
            }
            Err(refusal) => Err(undoable(&hand.leased, &refusal)),
        }
    }

    /// Continues a job after the commit of one of its parts.
    fn continued(&mut self, hand: Hand, begun: Option<&Arc<BankFile>>) -> Result<(), Finding> {
        let mut hand = Hand { known: Known::Noted, finished: None, ..hand };
        if worker::after_commit(&mut hand, begun) {
            // A fencing token protects commits, not requests: the file is published as soon as the intent is committed.
            return self.perform(hand);
        }
        self.go_on(hand);
        Ok(())
    }

    /// Continues a job. A worker that sent several reports receives several outcomes and continues once.
    fn go_on(&mut self, hand: Hand) {
        if !self.holds(&hand.leased) {
            self.hands.push(hand);
        }
    }

    fn holds(&self, leased: &Leased) -> bool {
        self.hands.iter().any(|hand| hand.leased.id == leased.id && hand.leased.fence == leased.fence)
    }
}

/// Returns the finding for a job that would be retried without end.
fn undoable(leased: &Leased, refusal: &Refusal) -> Finding {
    let what = format!("cannot be done: {}", refusal.message);
    Finding { invariant: 20, what, place: format!("job {} ({:?})", leased.id, leased.work) }
}
