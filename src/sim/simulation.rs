//! The steps of a simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bank::{Desk, Far};
use super::chance::Chance;
use super::checks::Checks;
use super::checks::changed::written;
use super::clients::{Clients, Sight, link_theft};
use super::directory::Directory;
use super::follow_ups::{self, FollowUps};
use super::pager::Pager;
use super::promises::{Next, Promises};
use super::provider::Provider;
use super::rail::Rail;
use super::receiver::{self, Receiver};
use super::report::{Report, Violation, bug};
use super::requests::{Moving, Request, Said, Step, Who, Wish};
use super::sabotage::Sabotage;
use super::seals::{self, Seals};
use super::stage::{Found, Fund, SignAllIn, Stage};
use super::system::{Batch, Ran, System};
use super::worker::Hand;
use crate::chain::UNKEYED;
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::http::Answer;
use crate::ids::OrgId;
use crate::jobs::{self, Work};
use crate::ledger::verify::Finding;
use crate::payout_links::DELIVERIES_MAX;
use crate::refusal::{Code, Refusal};
use crate::store::memory::Fault;
use crate::transfers::Transfer;
use crate::vault::Vault;
use crate::verification::hash_code;
use crate::verify::verify_history;
use crate::world::{Halt, Record as _, World};
use bursar_transports::intake::Watch;

/// The first moment of every simulation: 2026-09-21T14:13:20Z.
pub(super) const START: Time = Time::from_micros(1_790_000_000_000_000);
/// Steps before the first full pass. The interval doubles, because the cost of a pass grows with the data.
const FULL_PASS_STEPS: u64 = 4_000;
/// A thief tries a claim link once in so many steps.
const THIEF_ONE_IN: u32 = 10;

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Decides everything.
    pub seed: u64,
    /// Commands to run before the simulation drains.
    pub ops: u64,
    pub sabotage: Sabotage,
}

pub struct Simulation {
    pub(super) settings: Settings,
    pub(super) chance: Chance,
    pub(super) vault: Arc<Vault>,
    pub(super) system: System,
    pub(super) stage: Stage,
    pub(super) directory: Directory,
    pub(super) clients: Clients,
    pub(super) promises: Promises,
    pub(super) checks: Checks,
    pub(super) rail: Rail,
    pub(super) provider: Provider,
    pub(super) receiver: Receiver,
    pub(super) far: Far,
    pub(super) desk: Desk,
    /// The day on which the rows of banks were checked.
    pub(super) bank_checked_on: i64,
    pub(super) pager: Pager,
    pub(super) seals: Seals,
    pub(super) hands: Vec<Hand>,
    /// Secrets of the sessions that the current requests open, in their order.
    pub(super) sessions: Vec<Option<Vec<u8>>>,
    /// The number of responses by request kind and status.
    pub(super) heard: BTreeMap<String, u64>,
    pub(super) steps: u64,
    pub(super) ops: u64,
    pub(super) faults: u64,
    pub(super) failed_follow_ups: u64,
    pub(super) next_pass: u64,
    /// Whether the end has begun: no new requests, no faults.
    pub(super) draining: bool,
}

/// Runs a simulation to its end. `progress` receives the number of commands so far.
///
/// # Errors
///
/// The first violation.
pub fn simulate(settings: Settings, mut progress: impl FnMut(u64)) -> Result<Report, Box<Violation>> {
    let mut simulation = Simulation::new(settings)?;
    while simulation.ops < settings.ops {
        simulation.step()?;
        progress(simulation.ops);
    }
    simulation.drain()?;
    Ok(simulation.report())
}

impl Simulation {
    pub(super) fn new(settings: Settings) -> Result<Self, Box<Violation>> {
        let mut chance = Chance::of_seed(settings.seed);
        let master: [u8; 32] = chance.entropy().bytes();
        let vault = Arc::new(Vault::new(master));
        let follow_ups = FollowUps::new(vault.clone(), settings.sabotage == Sabotage::KeptFollowUps);
        let system = System::new(START, follow_ups, &mut chance);
        if settings.sabotage == Sabotage::LazyStore {
            system.memory().make_lazy();
        }
        let deliveries_max =
            if settings.sabotage == Sabotage::OneDeliveryTooMany { DELIVERIES_MAX - 1 } else { DELIVERIES_MAX };
        let mut simulation = Self {
            settings,
            vault,
            chance,
            system,
            stage: Stage::new(),
            directory: Directory::default(),
            clients: Clients::default(),
            promises: Promises::default(),
            checks: Checks::new(deliveries_max),
            rail: Rail::new(settings.sabotage == Sabotage::RailTakesTwice),
            provider: Provider::new(settings.sabotage == Sabotage::ProviderDenies),
            receiver: Receiver::default(),
            far: Far::default(),
            desk: Desk::default(),
            bank_checked_on: 0,
            pager: Pager::new(settings.sabotage == Sabotage::PagesByCount),
            seals: Seals::new(settings.seed, master),
            hands: Vec::new(),
            sessions: Vec::new(),
            heard: BTreeMap::new(),
            steps: 0,
            ops: 0,
            faults: 0,
            failed_follow_ups: 0,
            next_pass: FULL_PASS_STEPS,
            draining: false,
        };
        simulation.set_up()?;
        Ok(simulation)
    }

    /// Creates the organizations and their apps, and funds their wallets.
    pub(super) fn set_up(&mut self) -> Result<(), Box<Violation>> {
        for org in Stage::organizations(&mut self.chance, START) {
            let mut batch = Batch::new();
            batch.add(Who::Stage, org, Found { org }, |()| Said::Done);
            for app in Stage::apps_of(org, &self.vault, &mut self.chance) {
                batch.add(Who::Stage, org, app, |app| Said::Answer(Answer::ok(&app)));
            }
            for member in Stage::members_of(org) {
                batch.add(Who::Stage, org, member, |member| Said::Answer(Answer::ok(&member.id)));
            }
            let ran = self.system.run(batch, Fault::None);
            self.settle(ran)?;
        }
        let apps: Vec<Fund> = self
            .system
            .memory()
            .rows(crate::apps::App::TABLE)
            .iter()
            .filter_map(|row| {
                let (crate::world::Value::Id(org), crate::world::Value::Id(app)) = (&row[0], &row[1]) else {
                    return None;
                };
                Some(self.stage.enter(OrgId(*org), crate::ids::AppId(*app)))
            })
            .collect();
        let mut batch = Batch::new();
        for (number, fund) in apps.into_iter().enumerate() {
            let org = fund.scope.org;
            let (account, settings) = Stage::set_up(fund.scope, number, &self.vault, &mut self.chance);
            // Only one app has a subscription: webhook jobs would take steps from payments.
            if number == 0 {
                batch.add(Who::Stage, org, receiver::endpoint(fund.scope, &self.vault), |_| Said::Done);
            }
            batch.add(Who::Stage, org, SignAllIn { org }, |()| Said::Done);
            batch.add(Who::Stage, org, fund, |()| Said::Done);
            batch.add(Who::Stage, org, account, |_| Said::Done);
            batch.add(Who::Stage, org, settings, |_| Said::Done);
        }
        let ran = self.system.run(batch, Fault::None);
        self.settle(ran)?;
        self.set_up_bank()
    }

    /// Runs one batch with its faults, and checks it.
    pub(super) fn step(&mut self) -> Result<(), Box<Violation>> {
        self.steps += 1;
        self.pass_time();
        let mut batch = Batch::new();
        self.bank_works(&mut batch);
        self.rail_reports(&mut batch);
        self.workers_lease(&mut batch);
        self.workers_report(&mut batch)?;
        self.clients_ask(&mut batch);
        self.rekey(&mut batch)?;
        let fault = self.fault();
        let ran = self.system.run(batch, fault);
        let stopped = ran.stopped;
        self.settle(ran)?;
        if stopped || (!self.draining && self.chance.one_in(2_000)) {
            self.restart()?;
        }
        if !self.draining && self.chance.one_in(THIEF_ONE_IN) {
            self.thief_asks()?;
        }
        if self.chance.one_in(4) {
            let read = self.pager.read(&self.system, &self.stage.apps, &mut self.chance);
            read.map_err(|finding| self.violation(finding))?;
        }
        if self.steps >= self.next_pass {
            self.next_pass = self.steps.saturating_mul(2);
            self.check_everything()?;
        }
        Ok(())
    }

    pub(super) fn pass_time(&mut self) {
        let seconds = match self.chance.position(600) {
            0 => self.chance.between(DAY_SECONDS / 2, 3 * DAY_SECONDS),
            1..=4 => self.chance.between(600, 8 * 3_600),
            // Longer than a lease, so that slow workers become stale.
            5..=15 => self.chance.between(30, 200),
            16..=200 => 1,
            _ => 0,
        };
        if !self.draining {
            self.system.pass(seconds);
        }
    }

    pub(super) fn fault(&mut self) -> Fault {
        let fault = match self.chance.position(900) {
            0 | 1 => Fault::WrittenButUnknown,
            2 | 3 => Fault::LostAndUnknown,
            4..=8 => Fault::Refused,
            9..=11 => Fault::Full,
            _ => Fault::None,
        };
        if self.draining || fault == Fault::None {
            return Fault::None;
        }
        self.faults += 1;
        fault
    }

    /// Adds the returns that the rail reports, some of them twice.
    pub(super) fn rail_reports(&mut self, batch: &mut Batch<Who, Said>) {
        let now = self.system.now();
        if let Some((org, transfer)) = self.rail.due_return(now) {
            let times = if !self.draining && self.chance.one_in(10) { 2 } else { 1 };
            for _ in 0..times {
                let work = Work::FollowTransfer { transfer: transfer.0 };
                batch.add(Who::Rail((org, transfer)), org, EnqueueReturn { org, work }, |()| Said::Done);
            }
        }
    }

    pub(super) fn clients_ask(&mut self, batch: &mut Batch<Who, Said>) {
        self.sessions.clear();
        // Fewer clients send requests while many jobs are due.
        let busy = self.directory.due_jobs(self.system.now(), 200).len() >= 200;
        let requests = if busy { 1 } else { self.chance.position(6) };
        for _ in 0..requests {
            let request = if self.draining {
                self.clients.waiting().or_else(|| self.last_word())
            } else {
                let (stage, directory, provider) = (&self.stage, &self.directory, &self.provider);
                let sight = Sight { stage, directory, provider, now: self.system.now() };
                self.clients.next(&sight, &mut self.chance)
            };
            let Some(request) = request else { continue };
            let copies = if request.may_be_doubled() && self.chance.one_in(25) { 2 } else { 1 };
            for _ in 0..copies {
                self.promises.sent(&request);
                self.checks.sent(&request);
                let session = request.send(batch, &self.vault, self.system.now(), &mut self.chance);
                self.sessions.push(session);
            }
        }
    }

    /// Runs a thief's requests in their own commit, so that the checks see which rows they change.
    pub(super) fn thief_asks(&mut self) -> Result<(), Box<Violation>> {
        let has_phone = self.settings.sabotage == Sabotage::ThiefHasPhone;
        let (stage, directory, provider) = (&self.stage, &self.directory, &self.provider);
        let sight = Sight { stage, directory, provider, now: self.system.now() };
        let requests = link_theft(has_phone, &sight, &mut self.chance);
        if requests.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new();
        self.sessions.clear();
        for request in requests {
            // One guess in a million is right, which is no defect: skip the right guesses.
            if let Wish::Claim { link, step: Step::Code(code) } = &request.wish
                && self.directory.code_hashes.contains(&hash_code(&self.vault, link.org, code))
                && !has_phone
            {
                continue;
            }
            let session = request.send(&mut batch, &self.vault, self.system.now(), &mut self.chance);
            self.sessions.push(session);
        }
        let ran = self.system.run(batch, Fault::None);
        self.settle(ran)
    }

    /// Checks the outcome of a batch, and records it.
    pub(super) fn settle(&mut self, ran: Ran<Who, Said>) -> Result<(), Box<Violation>> {
        let Ran { answers, mut changes, organizations, failed_follow_ups, excused, stopped } = ran;
        self.ops += u64::try_from(answers.len()).unwrap_or(u64::MAX);
        self.settings.sabotage.tamper(&mut changes, self.system.memory(), &mut self.chance);
        let by_thief = answers.iter().any(|(who, _)| matches!(who, Who::Client(request) if request.by_thief));
        if let Some(finding) = self.checks.commit(&changes, &organizations, by_thief).into_iter().next() {
            return Err(self.violation(finding));
        }
        if let Some(finding) = follow_ups::trace(&failed_follow_ups, &changes) {
            return Err(self.violation(finding));
        }
        self.failed_follow_ups += u64::try_from(failed_follow_ups.len()).unwrap_or(0);
        self.compare_with_rail(&changes)?;
        self.check_banks(&changes)?;
        let mut sessions = std::mem::take(&mut self.sessions).into_iter();
        for (place, (who, outcome)) in answers.into_iter().enumerate() {
            // A command decided after the commit with which the program stopped has no effect.
            let came_after = |refusal: &Refusal| {
                refusal.code == Code::StorageFull || (stopped && refusal.code == Code::ServiceUnavailable)
            };
            let excused = excused == Some(place) || outcome.as_ref().is_err_and(came_after);
            let settled = match who {
                // Another member, or the program itself, may have been first.
                Who::Member => Ok(()),
                Who::Stage => outcome.map(|_| ()).map_err(|refusal| bug("setting up", &refusal)),
                Who::Client(request) => self.client_hears(&request, outcome, excused, sessions.next().flatten()),
                Who::Lease => self.worker_leased(outcome),
                Who::Hand(hand) => self.worker_reported(*hand, outcome, excused),
                Who::Rekey(next) => self.rewritten(next, outcome, excused),
                Who::Rail(reference) => {
                    if outcome.is_ok() {
                        self.rail.reported(reference);
                    }
                    Ok(())
                }
            };
            settled.map_err(|finding| self.violation(finding))?;
        }
        self.desk.commit(&changes);
        self.directory.commit(&changes, &self.vault);
        self.provider.commit(&changes);
        self.pager.commit(&changes);
        self.seals.commit(&changes);
        Ok(())
    }

    pub(super) fn client_hears(
        &mut self,
        request: &Request,
        outcome: Result<Said, Refusal>,
        excused: bool,
        session: Option<Vec<u8>>,
    ) -> Result<(), Finding> {
        let outcome = outcome.map(|said| match said {
            Said::Answer(answer) => answer,
            Said::Leased(_) | Said::Begun(_) | Said::Begins(_) | Said::GoOn | Said::Done => Answer::empty(200),
        });
        let next = self.promises.answered(request, &outcome, excused, (&self.system, &self.vault));
        // A seal that does not open is why a response cannot be returned.
        let next = next.map_err(|finding| seals::all(&self.system, &self.vault).unwrap_or(finding))?;
        *self.heard.entry(heard(request, &outcome)).or_default() += 1;
        if let Ok(answer) = &outcome {
            self.checks.answered(request, answer)?;
        }
        match &outcome {
            _ if request.by_thief => return Ok(()),
            Ok(answer) if answer.status < 400 => self.clients.succeeded(request, session),
            Ok(_) => self.clients.refused(request),
            Err(refusal) if refusal.code == Code::OutcomeUnknown => {}
            Err(_) => self.clients.refused(request),
        }
        let to_be_sure = !self.draining && request.key.is_some() && self.chance.one_in(15);
        if next == Next::AskAgain || to_be_sure {
            self.clients.ask_again(request.clone());
        }
        Ok(())
    }

    /// Cancels a flagged transfer: at the end none may wait for a decision.
    pub(super) fn last_word(&mut self) -> Option<Request> {
        let (scope, transfer) = self.directory.flagged.pop_first()?;
        Some(Request { scope, key: None, wish: Wish::Move(Moving::Cancel(transfer)), foreign: false, by_thief: false })
    }

    /// Compares each changed transfer of a rail with the rail's own records.
    pub(super) fn compare_with_rail(&mut self, changes: &[crate::store::memory::Change]) -> Result<(), Box<Violation>> {
        let now = self.system.now();
        if let Some(finding) = self.far.commit(changes) {
            return Err(self.violation(finding));
        }
        let by_rail = written::<Transfer>(changes).filter(|transfer| transfer.direction().is_some());
        let disagrees = |transfer: &Transfer| {
            if self.far.carries(transfer.id) {
                self.far.disagreement(transfer)
            } else {
                self.rail.disagreement(transfer, now)
            }
        };
        let disagreement = by_rail.filter_map(|transfer| disagrees(&transfer)).next();
        disagreement.map_or(Ok(()), |finding| Err(self.violation(finding)))
    }

    pub(super) fn restart(&mut self) -> Result<(), Box<Violation>> {
        self.system.restart(&mut self.chance);
        // First: a seal that does not open is why a response is lost.
        self.check_seals()?;
        if let Some(finding) = self.promises.kept_recent((&self.system, &self.vault)) {
            return Err(self.violation(finding));
        }
        // Workers of the same process die with it; those of another process survive.
        if self.chance.one_in(2) {
            self.hands.clear();
            // The process forgets what its polls saw.
            self.far.watch = Watch::default();
        }
        Ok(())
    }

    /// Runs the full pass: the checks of `bursar verify`, and every promise.
    pub(super) fn check_everything(&self) -> Result<(), Box<Violation>> {
        let report = verify_history(&self.system.reads(), &UNKEYED, &[]);
        let finding = match report {
            Ok(report) => {
                let found = report.findings.into_iter().next().or_else(|| seals::all(&self.system, &self.vault));
                found.or_else(|| self.promises.kept_all((&self.system, &self.vault)))
            }
            Err(error) => {
                Some(Finding { invariant: Finding::UNNUMBERED, what: error.to_string(), place: "the store".to_owned() })
            }
        };
        finding.map_or(Ok(()), |finding| Err(self.violation(finding)))
    }

    pub(super) fn violation(&self, finding: Finding) -> Box<Violation> {
        let Settings { seed, ops, .. } = self.settings;
        Box::new(Violation { seed, ops, step: self.steps, finding })
    }
}

/// A rail reports a return: a job queries the transfer.
struct EnqueueReturn {
    org: OrgId,
    work: Work,
}

impl Command for EnqueueReturn {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        jobs::enqueue(world, self.org, self.work.clone());
        Ok(())
    }
}

/// Returns the key for the report: the request kind and the outcome.
fn heard(request: &Request, outcome: &Result<Answer, Refusal>) -> String {
    let target = request.wish.request_kind().target.trim_end_matches('?');
    let by = if request.by_thief { " by a thief" } else { "" };
    match outcome {
        Ok(answer) => format!("{target}{by}: {}", answer.status),
        Err(refusal) => format!("{target}{by}: {}", refusal.code.as_str()),
    }
}
