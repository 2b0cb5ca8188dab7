//! The objects that clients and payees know, learned from commits.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::checks::changed::{changed, written};
use super::requests::Token;
use crate::claims::ClaimSession;
use crate::clock::Time;
use crate::ids::{
    JobId, MemberId, MemberSessionId, OrgId, PayableId, PaymentCustomerId, PayoutLinkId, PayoutMethodId,
    PayoutRequestId, TransferId, UserId, VendorId, VendorPaymentMethodId,
};
use crate::jobs::{Job, Work};
use crate::members::sign_in::MemberSession;
use crate::members::{Member, Role};
use crate::payables::{Payable, PayableStatus};
use crate::payment_customers::PaymentCustomer;
use crate::payout_links::{self, PayoutLink};
use crate::payout_methods::PayoutMethod;
use crate::payout_requests::PayoutRequest;
use crate::platform::Platform;
use crate::scope::Scope;
use crate::store::memory::Change;
use crate::transfers::{Transfer, TransferKind, TransferStatus};
use crate::users::{AppUser, User, UserStatus};
use crate::vault::Vault;
use crate::vendors::{MethodStatus, Vendor, VendorPaymentMethod};
use crate::verification::Verification;

/// Links that clients still use. Older ones are left to their expiry.
const LINKS_KEPT: usize = 120;

const REQUESTS_KEPT: usize = 60;

const BILLS_KEPT: usize = 40;

const ACCOUNTS_KEPT: usize = 8;

const PAYOUTS_KEPT: usize = 30;

/// Claim sessions and payout methods that a thief may know.
const SESSIONS_KEPT: usize = 60;
const METHODS_KEPT: usize = 60;

const BANKED_KEPT: usize = 40;

#[derive(Clone, Debug)]
pub(super) struct KnownLink {
    pub scope: Scope,
    pub id: PayoutLinkId,
    pub token: Token,
    /// The payee's phone in E.164.
    pub phone: Option<String>,
    pub email: Option<String>,
    /// Whether it names its payee, by a phone, an address or an id.
    pub names_payee: bool,
    pub amount: i64,
}

/// A claim session as the payee's browser keeps it.
#[derive(Clone, Debug)]
pub(super) struct KnownSession {
    pub link: KnownLink,
    pub hash: Vec<u8>,
    ended: bool,
    paid: bool,
    changes_until: Time,
    expires_at: Time,
}

impl KnownSession {
    /// Whether it is ended, or idle for too long. After a payout, the session may still replace a failed method.
    pub fn is_over(&self, now: Time) -> bool {
        self.ended || now >= self.expires_at || (!self.paid && now >= self.changes_until)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KnownBill {
    pub scope: Scope,
    pub id: PayableId,
    pub status: PayableStatus,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KnownAccount {
    pub id: VendorPaymentMethodId,
    pub status: MethodStatus,
}

#[derive(Default)]
pub(super) struct Directory {
    pub links: VecDeque<KnownLink>,
    pub requests: VecDeque<(Scope, PayoutRequestId)>,
    /// Payouts that wait for a member's approval.
    pub flagged: BTreeSet<(Scope, TransferId)>,
    pub paid: VecDeque<(Scope, TransferId)>,
    pub vendors: HashMap<Scope, Vec<VendorId>>,
    pub accounts: HashMap<VendorId, VecDeque<KnownAccount>>,
    pub bills: VecDeque<KnownBill>,
    pub members: HashMap<OrgId, Vec<(MemberId, Role)>>,
    /// The session of each member that lasts longest, and its end.
    pub sessions: HashMap<(OrgId, MemberId), (MemberSessionId, Time)>,
    pub users: HashMap<Scope, Vec<UserId>>,
    pub customers: HashMap<Scope, Vec<PaymentCustomerId>>,
    pub reviewed: BTreeSet<(OrgId, UserId)>,
    pub claim_sessions: VecDeque<KnownSession>,
    pub methods: VecDeque<PayoutMethodId>,
    /// Users with an account at a bank.
    pub banked: HashMap<Scope, VecDeque<UserId>>,
    /// The hashes of all codes ever sent.
    pub code_hashes: HashSet<Vec<u8>>,
    phones: HashMap<UserId, String>,
    by_contact: HashMap<(OrgId, String), UserId>,
    /// Jobs by due time.
    due: BTreeSet<(Time, OrgId, JobId)>,
    jobs: HashMap<JobId, (Time, i64)>,
    /// Jobs that never end.
    polls: HashSet<JobId>,
    pub payouts: u64,
    pub links_made: u64,
}

impl Directory {
    pub fn commit(&mut self, changes: &[Change], vault: &Vault) {
        for change in changed::<PayoutLink>(changes).filter(|change| change.before.is_none()) {
            self.links_made += 1;
            self.links.extend(change.after.as_deref().and_then(|link| known_link(link, vault)));
        }
        let requests = changed::<PayoutRequest>(changes).filter(|change| change.before.is_none());
        self.requests.extend(requests.filter_map(|it| it.after).map(|request| (request.scope(), request.id)));
        keep_newest(&mut self.links, LINKS_KEPT);
        keep_newest(&mut self.requests, REQUESTS_KEPT);
        for user in written::<User>(changes) {
            self.phones.extend(user.phone_e164.clone().map(|phone| (user.id, phone)));
            for contact in [&user.phone_e164, &user.email].into_iter().flatten() {
                self.by_contact.insert((user.org, contact.clone()), user.id);
            }
            if user.status == UserStatus::InReview {
                self.reviewed.insert((user.org, user.id));
            } else {
                self.reviewed.remove(&(user.org, user.id));
            }
        }
        for known in changed::<AppUser>(changes).filter(|change| change.before.is_none()).filter_map(|it| it.after) {
            self.users.entry(Scope { org: known.org, app: known.app }).or_default().push(known.user_id);
        }
        for member in changed::<Member>(changes).filter(|change| change.before.is_none()).filter_map(|it| it.after) {
            self.members.entry(member.org).or_default().push((member.id, member.role));
        }
        for session in changed::<MemberSession>(changes).filter_map(|it| it.after) {
            let whose = (session.org, session.member);
            let known = self.sessions.get(&whose).copied();
            if session.ended_at.is_none() && known.is_none_or(|(_, until)| until <= session.expires_at) {
                self.sessions.insert(whose, (session.id, session.expires_at));
            } else if session.ended_at.is_some() && known.is_some_and(|(id, _)| id == session.id) {
                self.sessions.remove(&whose);
            }
        }
        self.accounts_payable(changes);
        self.claims(changes);
        let customers = changed::<PaymentCustomer>(changes).filter(|change| change.before.is_none());
        for customer in customers.filter_map(|it| it.after) {
            let scope = Scope { org: customer.org, app: customer.app };
            self.customers.entry(scope).or_default().push(customer.id);
        }
        for change in changed::<Transfer>(changes) {
            let Some(transfer) = change.after.filter(|transfer| transfer.kind == TransferKind::Payout) else {
                continue;
            };
            let known = (transfer.scope(), transfer.id);
            if change.before.is_none() {
                self.payouts += 1;
                self.paid.push_back(known);
            }
            if transfer.status == TransferStatus::Flagged {
                self.flagged.insert(known);
            } else {
                self.flagged.remove(&known);
            }
        }
        keep_newest(&mut self.paid, PAYOUTS_KEPT);
        for change in changed::<Job>(changes) {
            if let Some(job) = &change.before {
                self.due.remove(&(job.due_at, job.org, job.id));
                self.jobs.remove(&job.id);
            }
            if let Some(job) = &change.after {
                self.due.insert((job.due_at, job.org, job.id));
                self.jobs.insert(job.id, (job.due_at, job.fence));
                if is_poll(job) {
                    self.polls.insert(job.id);
                }
            }
        }
    }

    fn claims(&mut self, changes: &[Change]) {
        for session in written::<ClaimSession>(changes) {
            let known = self.claim_sessions.iter_mut().find(|known| known.hash == session.secret_hash);
            if let Some(known) = known {
                (known.ended, known.paid) = (session.ended_at.is_some(), session.paid_at.is_some());
                known.changes_until = session.changes_until;
            } else if let Some(link) = self.links.iter().find(|link| link.id == session.link) {
                self.claim_sessions.push_back(KnownSession {
                    link: link.clone(),
                    hash: session.secret_hash.clone(),
                    ended: session.ended_at.is_some(),
                    paid: session.paid_at.is_some(),
                    changes_until: session.changes_until,
                    expires_at: session.expires_at,
                });
            }
        }
        keep_newest(&mut self.claim_sessions, SESSIONS_KEPT);
        let methods = changed::<PayoutMethod>(changes).filter(|change| change.before.is_none());
        for method in methods.filter_map(|it| it.after) {
            self.methods.push_back(method.id);
            if method.platform == Platform::Ach {
                let banked = self.banked.entry(Scope { org: method.org, app: method.app }).or_default();
                banked.push_back(method.user_id);
                keep_newest(banked, BANKED_KEPT);
            }
        }
        keep_newest(&mut self.methods, METHODS_KEPT);
        self.code_hashes.extend(written::<Verification>(changes).map(|known| known.code_hash.clone()));
    }

    fn accounts_payable(&mut self, changes: &[Change]) {
        for vendor in changed::<Vendor>(changes).filter(|change| change.before.is_none()).filter_map(|it| it.after) {
            self.vendors.entry(Scope { org: vendor.org, app: vendor.app }).or_default().push(vendor.id);
        }
        for change in changed::<VendorPaymentMethod>(changes) {
            let Some(account) = change.after else { continue };
            let of_vendor = self.accounts.entry(account.vendor).or_default();
            if change.before.is_none() {
                of_vendor.push_back(KnownAccount { id: account.id, status: account.status });
                keep_newest(of_vendor, ACCOUNTS_KEPT);
            }
            of_vendor.iter_mut().filter(|known| known.id == account.id).for_each(|known| known.status = account.status);
        }
        for change in changed::<Payable>(changes) {
            let Some(bill) = change.after else { continue };
            if change.before.is_none() {
                self.bills.push_back(KnownBill { scope: bill.scope(), id: bill.id, status: bill.status });
            }
            self.bills.iter_mut().filter(|known| known.id == bill.id).for_each(|known| known.status = bill.status);
        }
        keep_newest(&mut self.bills, BILLS_KEPT);
    }

    pub fn due_jobs(&self, now: Time, limit: usize) -> Vec<(OrgId, JobId)> {
        let due = self.due.iter().take_while(|(due_at, ..)| *due_at <= now).take(limit);
        due.map(|(_, org, id)| (*org, *id)).collect()
    }

    pub fn next_due(&self) -> Option<Time> {
        self.due.first().map(|(due_at, ..)| *due_at)
    }

    /// Returns the number of jobs that will end.
    pub fn jobs(&self) -> usize {
        self.jobs.len() - self.polls.iter().filter(|poll| self.jobs.contains_key(poll)).count()
    }

    /// Returns the newest fencing token of a job, or `None` if it is done.
    pub fn fence(&self, job: JobId) -> Option<i64> {
        self.jobs.get(&job).map(|(_, fence)| *fence)
    }

    pub fn user(&self, org: OrgId, contact: &str) -> Option<UserId> {
        self.by_contact.get(&(org, contact.to_owned())).copied()
    }

    pub fn phone(&self, user: UserId) -> Option<&String> {
        self.phones.get(&user)
    }
}

/// Whether a job lists a bank's folder from time to time, without an end.
pub(super) fn is_poll(job: &Job) -> bool {
    matches!(job.work.0, Work::PollBank { .. })
}

fn keep_newest<T>(known: &mut VecDeque<T>, limit: usize) {
    known.drain(..known.len().saturating_sub(limit));
}

fn known_link(link: &PayoutLink, vault: &Vault) -> Option<KnownLink> {
    Some(KnownLink {
        scope: link.scope(),
        id: link.id,
        token: Token { org: link.org, shown: payout_links::token(vault, link)? },
        names_payee: link.for_user.is_some() || link.payee_phone.is_some() || link.payee_email.is_some(),
        phone: link.payee_phone.clone(),
        email: link.payee_email.clone(),
        amount: link.amount.get(),
    })
}
