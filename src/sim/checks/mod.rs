//! Checks the changes of each commit against the invariants of docs/internals/reliability.md, with its own rules and
//! sums instead of the product's.
//!
//! The checks read changed rows only, so their cost follows the change. The full pass, which `bursar verify` also runs,
//! is made from time to time.

mod batches;
mod bills;
mod book;
pub(super) mod changed;
mod claims;
mod deliveries;
mod limits;
mod log;
mod objects;
mod people;
mod profiles;
mod pulled;
mod requests;
mod rest;
mod tenants;

pub(super) use rest::Reached;

use super::requests::Request;
use crate::http::Answer;
use crate::idempotency::StoredAnswer;
use crate::ids::OrgId;
use crate::ledger::verify::Finding;
use crate::payout_links::DELIVERIES_MAX;
use crate::store::memory::Change;
use changed::kept_for_ever;

pub(super) struct Checks {
    batches: batches::Batches,
    bills: bills::Bills,
    book: book::Book,
    claims: claims::Claims,
    deliveries: deliveries::Deliveries,
    limits: limits::Limits,
    log: log::Log,
    objects: objects::Objects,
    people: people::People,
    profiles: profiles::Profiles,
    pulled: pulled::Pulled,
    requests: requests::Requests,
    rest: rest::Rest,
    tenants: tenants::Tenants,
}

impl Checks {
    /// `deliveries_max` is the limit of invariant 10, which a negative control sets too low.
    pub fn new(deliveries_max: u32) -> Self {
        debug_assert!(deliveries_max <= DELIVERIES_MAX, "a control is stricter than the product, never laxer");
        Self {
            batches: batches::Batches::default(),
            bills: bills::Bills::default(),
            book: book::Book::default(),
            claims: claims::Claims::default(),
            deliveries: deliveries::Deliveries::default(),
            limits: limits::Limits::default(),
            log: log::Log::default(),
            objects: objects::Objects::new(deliveries_max),
            people: people::People::default(),
            profiles: profiles::Profiles::default(),
            pulled: pulled::Pulled::default(),
            requests: requests::Requests::default(),
            rest: rest::Rest::default(),
            tenants: tenants::Tenants::default(),
        }
    }

    /// Records a request before it is sent, so that checks know what clients requested.
    pub fn sent(&mut self, request: &Request) {
        self.batches.sent(request);
        self.pulled.sent(request);
        self.limits.sent(request);
    }

    pub fn answered(&mut self, request: &Request, answer: &Answer) -> Result<(), Finding> {
        self.rest.answered(request, answer);
        let finding = self.batches.answered(request, answer).or_else(|| self.limits.answered(request, answer));
        finding.or_else(|| self.claims.answered(request, answer)).map_or(Ok(()), Err)
    }

    /// Returns the counts for the report: both sides of the rule about young methods, and reached delivery limits.
    pub fn reached(&self) -> (Reached, u64) {
        (self.rest.reached, self.deliveries.reached)
    }

    /// Returns a promise to a client that is unmet when no job is left.
    pub fn left_over(&self) -> Option<Finding> {
        self.batches.left_over()
    }

    /// Returns the faults of a commit by commands of these organizations. `by_thief`: the caller has only a claim link.
    pub fn commit(&mut self, changes: &[Change], organizations: &[OrgId], by_thief: bool) -> Vec<Finding> {
        let mut findings = self.tenants.commit(changes, organizations);
        findings.extend(self.claims.commit(changes, by_thief));
        findings.extend(self.book.commit(changes));
        findings.extend(self.log.commit(changes));
        findings.extend(self.objects.commit(changes));
        findings.extend(self.requests.commit(changes));
        findings.extend(self.bills.commit(changes));
        findings.extend(self.batches.commit(changes));
        findings.extend(self.pulled.commit(changes));
        findings.extend(self.limits.commit(changes));
        findings.extend(self.people.commit(changes));
        findings.extend(self.profiles.commit(changes));
        findings.extend(self.rest.commit(changes));
        findings.extend(self.deliveries.commit(changes));
        findings.extend(kept_for_ever::<StoredAnswer>(changes, 8));
        findings
    }
}
