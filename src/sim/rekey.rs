//! Rewrites all seals, page by page.

use std::sync::Arc;

use super::report::{Violation, bug};
use super::requests::{Said, Who};
use super::seals::REKEY_FACTOR;
use super::simulation::Simulation;
use super::system::Batch;
use crate::ledger::verify::Finding;
use crate::refusal::{Code, Refusal};
use crate::seals::{Position, next_page};
use crate::vault::Vault;

impl Simulation {
    /// Begins a rekey when it is due, and rewrites the next page of the current one.
    pub(super) fn rekey(&mut self, batch: &mut Batch<Who, Said>) -> Result<(), Box<Violation>> {
        if self.seals.pass.is_none() && self.steps >= self.seals.next_rekey && !self.draining {
            self.seals.next_rekey = self.steps.saturating_mul(REKEY_FACTOR);
            self.seals.begin(self.system.memory(), &self.vault);
        }
        while let Some(pass) = &self.seals.pass {
            let Some(org) = pass.organizations.front().copied() else {
                self.seals.end(&self.vault);
                return self.check_seals();
            };
            let page = self.system.read(|world| next_page(world, org, &pass.at, &self.vault));
            match page.map_err(|refusal| self.violation(bug("reading seals", &refusal)))? {
                None => self.seals.go_on(Position::default(), true),
                Some((page, next)) if page.is_empty() => self.seals.go_on(next, false),
                Some((page, next)) => {
                    let mut entropy = self.seals.chance.entropy();
                    let command = page.rewrite(&self.vault, || entropy.bytes());
                    batch.add(Who::Rekey(next), org, command, |_| Said::Done);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Continues with the next page if this one was written, and repeats it otherwise.
    pub(super) fn rewritten(
        &mut self,
        next: Position,
        outcome: Result<Said, Refusal>,
        excused: bool,
    ) -> Result<(), Finding> {
        match outcome {
            Ok(_) => self.seals.go_on(next, false),
            Err(refusal) if excused || refusal.code == Code::OutcomeUnknown => {}
            Err(refusal) => return Err(bug("rewriting seals", &refusal)),
        }
        Ok(())
    }

    /// Checks the sample after a restart or a rekey.
    pub(super) fn check_seals(&mut self) -> Result<(), Box<Violation>> {
        let vault: &Arc<Vault> = &self.vault;
        let found = self.seals.check(self.system.memory(), vault);
        found.map_or(Ok(()), |finding| Err(self.violation(finding)))
    }
}
