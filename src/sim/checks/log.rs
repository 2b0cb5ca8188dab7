//! Checks the event log after each commit: every transition has exactly one event, without gaps, in an unbroken chain
//! (14 and 15).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use uuid::Uuid;

use super::changed::{changed, is_no_transition, written};
use crate::chain::UNKEYED;
use crate::events::{Event, EventName, EventObject, EventSegment, EventStream};
use crate::ids::{AppId, OrgId, UserId};
use crate::ledger::verify::Finding;
use crate::members::Member;
use crate::payment_customers::PaymentCustomer;
use crate::payout_link_batches::PayoutLinkBatch;
use crate::payout_links::PayoutLink;
use crate::store::memory::Change;
use crate::transfers::Transfer;
use crate::users::{AppUser, User};
use crate::world::Record as _;

/// The end of each log, and the newest emitted version of each object, per log and over all logs.
#[derive(Default)]
pub(super) struct Log {
    ends: HashMap<(OrgId, AppId), (i64, Vec<u8>)>,
    reported: HashMap<(AppId, Uuid), i64>,
    versions: HashMap<Uuid, i64>,
    connected: BTreeSet<(UserId, AppId)>,
}

impl Log {
    pub(super) fn commit(&mut self, changes: &[Change]) -> Vec<Finding> {
        // The log of administrative acts has no events about members.
        let of_apps = self.ends.keys().filter(|(org, app)| org.0 != app.0);
        let had_logs: BTreeSet<OrgId> = of_apps.map(|(org, _)| *org).collect();
        let mut findings = kept_or_erased(changes);
        let mut reported: BTreeMap<(AppId, Uuid), (EventName, Vec<i64>)> = BTreeMap::new();
        let mut codes: BTreeMap<(AppId, Uuid), Vec<i64>> = BTreeMap::new();
        let new = changed::<EventSegment>(changes).filter(|change| change.before.is_none());
        let new: Vec<Arc<EventSegment>> = new.filter_map(|change| change.after).collect();
        findings.extend(new.iter().filter_map(|segment| self.segment(segment, changes)));
        for event in new.iter().flat_map(|segment| segment.events()) {
            let of_codes =
                [EventName::VerificationSent, EventName::VerificationLocked, EventName::VerificationUnlocked];
            if of_codes.contains(&event.name) {
                codes.entry((event.app, event.object_id)).or_default().push(event.version);
                continue;
            }
            reported.entry((event.app, event.object_id)).or_insert((event.name, Vec::new())).1.push(event.version);
        }
        findings.extend(codes.into_iter().filter_map(|(object, versions)| self.codes(object, versions)));
        // A member who predates the organization's first log has no event of the first version.
        for member in changed::<Member>(changes).filter_map(|change| change.after) {
            if !had_logs.contains(&member.org) {
                self.versions.entry(member.id.0).or_insert(member.version);
            }
        }
        // Two apps may emit different versions of one object in one commit: sort the lower one first.
        let mut reported: Vec<_> = reported.into_iter().collect();
        reported.sort_by_key(|((_, object), (_, versions))| (*object, versions.first().copied()));
        // The versions before this commit, because several logs may emit their first event of an object in it.
        let before: HashMap<Uuid, i64> = reported
            .iter()
            .map(|((_, object), _)| (*object, self.versions.get(object).copied().unwrap_or(0)))
            .collect();
        findings.extend(reported.into_iter().filter_map(|(object, (name, versions))| {
            let before = before.get(&object.1).copied().unwrap_or(0);
            // Each log numbers the events of a user separately.
            let of_user = matches!(name, EventName::UserUpdated | EventName::UserUpdatedPayoutMethod);
            let before = if of_user { 0 } else { before };
            if of_user {
                self.versions.insert(object.1, 0);
            }
            self.versions(object, name, &versions, before)
        }));
        for stream in written::<EventStream>(changes) {
            // A log may have a subscription before its first event.
            let end = self.ends.get(&(stream.org, stream.app)).cloned().unwrap_or_default();
            if end != (stream.sequence, stream.hash.clone()) {
                let what = "the log does not end at its head".to_owned();
                findings.push(Finding { invariant: 14, what, place: format!("log of app {}", stream.app) });
            }
        }
        let transfers = changed::<Transfer>(changes).filter(|change| !is_note(change) && !is_no_transition(change));
        findings.extend(self.versions_of(transfers, "transfer", |it| (it.id.0, it.version)));
        let links = changed::<PayoutLink>(changes).filter(|change| !is_unseen(change));
        findings.extend(self.versions_of(links, "payout link", |it| (it.id.0, it.version)));
        findings.extend(self.profiles(changes));
        findings.extend(self.versions_of(changed::<Member>(changes), "member", |it| (it.id.0, it.version)));
        let customers = changed::<PaymentCustomer>(changes);
        findings.extend(self.versions_of(customers, "payment customer", |it| (it.id.0, it.version)));
        // A batch emits an event when its status changes, not for each finished row.
        let batches = changed::<PayoutLinkBatch>(changes).filter(|change| {
            let status = |batch: &Option<Arc<PayoutLinkBatch>>| batch.as_ref().map(|batch| batch.status);
            status(&change.before) != status(&change.after)
        });
        findings.extend(self.versions_of(batches, "payout link batch", |it| (it.id.0, it.version)));
        findings
    }

    /// Every changed profile has an event in the log of its app. A change of a payee has one in the log of every
    /// connected app.
    fn profiles(&mut self, changes: &[Change]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |what: String, app: AppId, user: UserId| {
            findings.push(Finding { invariant: 14, what, place: format!("user {user} of app {app}") });
        };
        let mut moved = BTreeSet::new();
        for change in changed::<AppUser>(changes) {
            let Some(after) = change.after else { continue };
            let before = change.before.as_deref().map_or(0, |before| before.version);
            let reported = self.reported.get(&(after.app, after.user_id.0)).copied().unwrap_or(0);
            if after.version != reported || after.version == before {
                let what = format!("went from version {before} to {}; its events report {reported}", after.version);
                find(what, after.app, after.user_id);
            }
            moved.insert((after.user_id, after.app));
            if after.is_connected() {
                self.connected.insert((after.user_id, after.app));
            } else {
                self.connected.remove(&(after.user_id, after.app));
            }
        }
        for change in changed::<User>(changes) {
            let Some(user) = change.after else { continue };
            if change.before.is_some_and(|before| before.version == user.version) {
                continue;
            }
            let first = (user.id, AppId(Uuid::nil()));
            let apps = self.connected.range(first..).take_while(|(of, _)| *of == user.id);
            for (_, app) in apps.filter(|connection| !moved.contains(*connection)) {
                find("was changed without an event in this log".to_owned(), *app, user.id);
            }
        }
        findings
    }

    fn segment(&mut self, segment: &EventSegment, changes: &[Change]) -> Option<Finding> {
        let EventSegment { org, app, first, last, .. } = *segment;
        let (sequence, hash) = self.ends.entry((org, app)).or_default();
        let gap = first != *sequence + 1;
        let linked = segment.previous_hash == *hash && segment.hashes(&UNKEYED).last() == Some(&segment.hash);
        (*sequence, *hash) = (last, segment.hash.clone());
        let places: BTreeSet<Uuid> = written::<EventObject>(changes)
            .filter(|place| (place.org, place.app, place.first) == (org, app, first))
            .map(|place| place.object_id)
            .collect();
        let is_found = segment.events().map(|event| event.object_id).collect::<BTreeSet<Uuid>>() == places;
        let (invariant, what) = match (gap, linked, segment.contradiction()) {
            (true, ..) => (14, "the events before it are missing"),
            (false, false, _) => (15, "does not follow from the previous event"),
            (false, true, Some(what)) => (14, what),
            (false, true, None) if !is_found => (14, "is not found by the objects of its events"),
            (false, true, None) => return None,
        };
        Some(Finding { invariant, what: what.to_owned(), place: format!("events {first} to {last} of app {app}") })
    }

    /// Each log numbers the events about the codes of a phone or an address separately, from 1.
    fn codes(&mut self, (app, object): (AppId, Uuid), mut versions: Vec<i64>) -> Option<Finding> {
        versions.sort_unstable();
        let latest = self.reported.entry((app, object)).or_default();
        let follow = versions.iter().zip(*latest + 1..).all(|(version, expected)| *version == expected);
        let what = format!("codes of the versions {versions:?} have events; the latest event was {latest}");
        *latest = versions.last().copied().unwrap_or(*latest);
        (!follow).then(|| Finding { invariant: 14, what, place: format!("object {object}") })
    }

    /// A log has each version of an object once, in order. Each app that knows a shared object, such as a user, emits
    /// its versions. A log that is new to the object begins with the current version or the next.
    fn versions(
        &mut self,
        (app, object): (AppId, Uuid),
        name: EventName,
        versions: &[i64],
        before: i64,
    ) -> Option<Finding> {
        let latest = self.versions.entry(object).or_default();
        let (first, last) = (versions.first().copied()?, versions.last().copied()?);
        let begins = match self.reported.get(&(app, object)) {
            Some(reported) => first == reported + 1,
            None => (before..=*latest + 1).contains(&first),
        };
        let follow = begins && versions.iter().zip(first..).all(|(version, expected)| *version == expected);
        let what = format!("{name} of app {app} reports versions {versions:?}; the latest reported was {latest}");
        self.reported.insert((app, object), last);
        *latest = last.max(*latest);
        (!follow).then(|| Finding { invariant: 14, what, place: format!("object {object}") })
    }

    /// Every changed object has a new version with an event.
    fn versions_of<R>(
        &self,
        changes: impl Iterator<Item = super::changed::Changed<R>>,
        noun: &str,
        version: impl Fn(&R) -> (Uuid, i64),
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        for change in changes {
            let Some((id, now)) = change.after.as_deref().map(&version) else { continue };
            let before = change.before.as_deref().map_or(0, |before| version(before).1);
            let reported = self.versions.get(&id).copied().unwrap_or(0);
            if now != reported || now == before {
                let what = format!("went from version {before} to {now}; its events report {reported}");
                findings.push(Finding { invariant: 14, what, place: format!("{noun} {id}") });
            }
        }
        findings
    }
}

/// Segments are never changed or removed. Erasing a payee's data may change only the objects of their events.
fn kept_or_erased(changes: &[Change]) -> Vec<Finding> {
    let broken = changed::<EventSegment>(changes).filter_map(|change| {
        let before = change.before?;
        let erased = change.after.is_some_and(|after| {
            let columns = |segment: &EventSegment| {
                let EventSegment { first, last, names, previous_hash, hash, created_at, .. } = segment.clone();
                (first, last, names, previous_hash, hash, created_at, segment.events().count())
            };
            let kept = |(before, after): (&Arc<Event>, &Arc<Event>)| {
                let (object, erased) = (after.object.clone(), after.erased.clone());
                before == after || after.erased.is_some() && Event { object, erased, ..Event::clone(before) } == **after
            };
            columns(&before) == columns(&after) && before.events().zip(after.events()).all(kept)
        });
        (!erased).then_some(before)
    });
    let finding = |segment: Arc<EventSegment>| Finding {
        invariant: 15,
        what: "was changed or removed, but can only be added".to_owned(),
        place: format!("events {} to {} of app {}", segment.first, segment.last, segment.app),
    };
    broken.map(finding).collect()
}

/// Sums of payouts and a token sealed under another key are not shown in a link, so they emit no event.
fn is_unseen(change: &super::changed::Changed<PayoutLink>) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let (paid_out, newest_payout, payouts) = (after.paid_out, after.newest_payout, after.payouts);
    let sealed_token = after.sealed_token.clone();
    let summed = PayoutLink { paid_out, newest_payout, payouts, sealed_token, ..PayoutLink::clone(before) };
    let row = |link: &PayoutLink| (PayoutLink::TABLE.encode)(link);
    row(before) != row(after) && row(&summed) == row(after)
}

/// `settles_at` of an approved payout is internal, so it emits no event.
fn is_note(change: &super::changed::Changed<Transfer>) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let row = |transfer: &Transfer| (Transfer::TABLE.encode)(transfer);
    let noted = Transfer { settles_at: after.settles_at, ..Transfer::clone(before) };
    before.settles_at != after.settles_at && row(&noted) == row(after)
}
