//! Collects one page of a payee's data.

use std::sync::Arc;

use uuid::Uuid;

use super::json::{ExportJson, ExportPage, Section};
use super::json::{IdentityJson, ProfileJson, TaxYearJson};
use crate::apps;
use crate::events::{Event, EventJson, Filter, Page};
use crate::ids::{AppId, OrgId, UserId};
use crate::messages::Message;
use crate::payout_links::{self, PayoutLink, PayoutLinkJson};
use crate::payout_methods::PayoutMethod;
use crate::payout_requests::{self, PayoutRequest, PayoutRequestJson};
use crate::scope::Scope;
use crate::transfers::{self, Transfer};
use crate::users::notices::ChangeNotice;
use crate::users::screening::ScreeningHit;
use crate::users::{self, AppUser, ComplianceDecision, TaxYear, User};
use crate::vault::Vault;
use crate::verification::VerificationJson;
use crate::world::query::{Compare, Direction};
use crate::world::record::{Cell, Value};
use crate::world::{Halt, Key, Query, Record, ValueRef, Want, World, only_once};

/// Apps whose rows are read for one page.
const APPS: usize = 50;
/// Tax years of a profile; higher than ever needed.
const YEARS: usize = 100;

#[derive(Clone, Debug)]
pub struct ExportRequest {
    pub org: OrgId,
    /// `None` for all data of the organization.
    pub app: Option<AppId>,
    pub user: UserId,
    /// `None` for the first page of each list.
    pub section: Option<Section>,
    pub after: Option<Cursor>,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// After the row with this id.
    Id(Uuid),
    /// After this row of this app, in lists ordered by app.
    OfApp(AppId, Value),
}

impl Cursor {
    /// Parses a position in a list; `None` if it is invalid.
    pub fn parse(section: Section, text: &str) -> Option<Self> {
        let of_app = || {
            let (app, row) = text.split_once('.')?;
            Some((AppId(Uuid::try_parse(app).ok()?), row))
        };
        match section {
            Section::Transfers => {
                let (app, row) = of_app()?;
                Some(Self::OfApp(app, Uuid::try_parse(row).ok()?.to_value()))
            }
            Section::Events | Section::PhoneVerificationEvents | Section::EmailVerificationEvents => {
                let (app, row) = of_app()?;
                Some(Self::OfApp(app, row.parse::<i64>().ok()?.to_value()))
            }
            Section::Profiles
            | Section::PayoutMethods
            | Section::ScreeningHits
            | Section::ComplianceDecisions
            | Section::PayoutLinks
            | Section::PayoutLinksByPhone
            | Section::PayoutLinksByEmail
            | Section::PayoutRequests
            | Section::PayoutRequestsByPhone
            | Section::Notices
            | Section::MessagesByPhone
            | Section::MessagesByEmail => Uuid::try_parse(text).ok().map(Self::Id),
        }
    }
}

pub fn export(world: &mut World, vault: &Vault, asked: &ExportRequest) -> Result<ExportJson, Halt> {
    let user = match asked.app {
        Some(app) => users::find(world, Scope { org: asked.org, app }, asked.user)?,
        None => users::find_in_organization(world, asked.org, asked.user)?,
    };
    let identity = IdentityJson::of(&user);
    let is_whole = asked.app.is_none();
    let identity = if is_whole { identity.opened(vault, asked.org, &user) } else { identity };
    let (phone, email) = (user.phone_e164.clone(), user.email.as_ref().map(|email| email.to_lowercase()));
    let mut lists = Lists { asked, missing: Vec::new() };
    let by_phone = lists.codes(world, phone.as_ref())?;
    let by_email = lists.codes(world, email.as_ref())?;
    let codes_of = |counted: &Option<VerificationJson>| counted.as_ref().map(|counted| counted.id.0);
    let (phone_codes, email_codes) = (codes_of(&by_phone), codes_of(&by_email));
    let of_user = ("user_id", Some(user.id.to_value()));
    let text = |text: Option<String>| text.map(|text| text.to_value());
    let (phone, email) = (text(phone), text(email));
    let notified = Some(user.id.to_value()).filter(|_| is_whole);
    let document = ExportJson {
        user_id: user.id,
        app_id: asked.app,
        exported_at: world.now(),
        identity,
        verifications: by_phone.into_iter().chain(by_email).collect(),
        profiles: lists.rows(world, Section::Profiles, of_user.clone(), profile)?,
        payout_methods: lists.plain::<PayoutMethod, _>(world, Section::PayoutMethods, of_user.clone())?,
        screening_hits: lists.plain::<ScreeningHit, _>(world, Section::ScreeningHits, of_user.clone())?,
        compliance_decisions: lists.plain::<ComplianceDecision, _>(
            world,
            Section::ComplianceDecisions,
            of_user.clone(),
        )?,
        payout_links: lists.links(world, Section::PayoutLinks, ("payee_user", Some(user.id.to_value())))?,
        payout_links_by_phone: lists.links(world, Section::PayoutLinksByPhone, ("payee_phone", phone.clone()))?,
        payout_links_by_email: lists.links(world, Section::PayoutLinksByEmail, ("payee_email", email.clone()))?,
        transfers: lists.transfers(world)?,
        payout_requests: lists.requests(world, Section::PayoutRequests, of_user)?,
        payout_requests_by_phone: lists.requests(
            world,
            Section::PayoutRequestsByPhone,
            ("payee_phone", phone.clone()),
        )?,
        notices: lists.plain::<ChangeNotice, _>(world, Section::Notices, ("user_id", notified))?,
        messages_by_phone: lists.plain::<Message, _>(world, Section::MessagesByPhone, ("recipient", phone))?,
        messages_by_email: lists.plain::<Message, _>(world, Section::MessagesByEmail, ("recipient", email))?,
        events: lists.events(world, Section::Events, Some(user.id.0))?,
        phone_verification_events: lists.events(world, Section::PhoneVerificationEvents, phone_codes)?,
        email_verification_events: lists.events(world, Section::EmailVerificationEvents, email_codes)?,
    };
    if lists.missing.is_empty() {
        return Ok(document);
    }
    only_once(&mut lists.missing);
    Err(Halt::Load(lists.missing))
}

/// The lists of an export. Missing rows are collected and loaded together.
struct Lists<'a> {
    asked: &'a ExportRequest,
    missing: Vec<Want>,
}

type Rows<R> = Vec<(AppId, Arc<R>)>;

/// An app, and the position in its rows after which to continue.
type AppCursor = (AppId, Option<Value>);

/// A column and its value; matches no row without a value.
type Where = (&'static str, Option<Value>);

impl Lists<'_> {
    fn gather<T>(&mut self, read: Result<T, Halt>) -> Result<Option<T>, Halt> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(Halt::Load(wants)) => {
                self.missing.extend(wants);
                Ok(None)
            }
            Err(refused @ Halt::Refuse(_)) => Err(refused),
        }
    }

    /// Returns the counts of codes for the organization only, because they include codes of other apps.
    fn codes(&mut self, world: &World, recipient: Option<&String>) -> Result<Option<VerificationJson>, Halt> {
        match recipient.filter(|_| self.asked.app.is_none()) {
            Some(recipient) => Ok(self.gather(VerificationJson::counted(world, self.asked.org, recipient))?.flatten()),
            None => Ok(None),
        }
    }

    fn plain<R, T>(&mut self, world: &mut World, section: Section, of: Where) -> Result<Option<ExportPage<T>>, Halt>
    where
        R: Record,
        T: for<'r> From<&'r R>,
    {
        self.rows::<R, T>(world, section, of, |_, row| Ok(Some(T::from(row))))
    }

    fn links(
        &mut self,
        world: &mut World,
        section: Section,
        of: Where,
    ) -> Result<Option<ExportPage<PayoutLinkJson>>, Halt> {
        let user = self.asked.user;
        self.rows(world, section, of, move |_, link: &PayoutLink| {
            let is_theirs = link.payee_user.is_none_or(|payee| payee == user);
            Ok(is_theirs.then(|| payout_links::without_address(link)))
        })
    }

    fn requests(
        &mut self,
        world: &mut World,
        section: Section,
        of: Where,
    ) -> Result<Option<ExportPage<PayoutRequestJson>>, Halt> {
        let user = self.asked.user;
        self.rows(world, section, of, move |world, request: &PayoutRequest| {
            if request.user_id.is_some_and(|payee| payee != user) {
                return Ok(None);
            }
            Ok(Some(payout_requests::Shown::of(world, Arc::new(request.clone()))?.without_address()))
        })
    }

    fn events(
        &mut self,
        world: &mut World,
        section: Section,
        object: Option<Uuid>,
    ) -> Result<Option<ExportPage<EventJson>>, Halt> {
        let object = object.filter(|_| section == Section::Events || self.asked.app.is_none());
        let Some(object) = object else { return Ok(self.is_asked(section).then(ExportPage::empty)) };
        let (org, filter) = (self.asked.org, Filter { name: None, object: Some(object) });
        let page = |world: &World, app, after: Option<Value>, limit| {
            let after = after.as_ref().and_then(i64::from_value);
            Page { scope: Scope { org, app }, filter, direction: Direction::Descending, after, limit }.events(world)
        };
        let show = |_: &mut World, event: &Event| Ok(Some(EventJson::from(event)));
        self.by_app(world, section, "0", page, |event| event.sequence.to_string(), show)
    }

    /// Returns one page of a list, newest first. An app sees only its own rows in tables with an app column.
    fn rows<R: Record, T>(
        &mut self,
        world: &mut World,
        section: Section,
        (column, value): Where,
        show: impl Fn(&mut World, &R) -> Result<Option<T>, Halt>,
    ) -> Result<Option<ExportPage<T>>, Halt> {
        if !self.is_asked(section) {
            return Ok(None);
        }
        let Some(value) = value else { return Ok(Some(ExportPage::empty())) };
        let order = if section == Section::Profiles { "app" } else { "id" };
        let query = Query::of::<R>(self.asked.org.to_value(), order, self.asked.limit + 1);
        let mut query = query.filter(column, Compare::Equal, value);
        if R::TABLE.position("app").is_some() {
            query = query.matching("app", self.asked.app);
        }
        if let (Some(Cursor::Id(after)), true) = (&self.asked.after, self.asked.section.is_some()) {
            query.after = Some(after.to_value());
        }
        let found = self.gather(world.page::<R>(&query))?;
        let Some(mut found) = found else { return Ok(None) };
        let is_more = found.len() > self.asked.limit;
        found.truncate(self.asked.limit);
        let last = found.last().filter(|_| is_more).map(|last| word(&last.cells(&[query.order])));
        let shown = world.each(&found, |world, row| show(world, row));
        let data = self.gather(shown)?.unwrap_or_default().into_iter().flatten().collect();
        Ok(Some(ExportPage { data, next: last.map(|last| self.next(section, &last)) }))
    }

    fn transfers(&mut self, world: &mut World) -> Result<Option<ExportPage<transfers::TransferJson>>, Halt> {
        let (org, user) = (self.asked.org, self.asked.user);
        let page = |world: &World, app: AppId, after, limit| {
            let rows = Query::of::<Transfer>(org.to_value(), "id", limit).equal("app", app).equal("user_id", user);
            world.page::<Transfer>(&Query { after, ..rows })
        };
        let show = |world: &mut World, transfer: &Transfer| transfers::json(world, transfer).map(Some);
        self.by_app(world, Section::Transfers, &Uuid::nil().to_string(), page, |transfer| transfer.id.to_string(), show)
    }

    /// Returns one page of a list ordered by app, then newest first, because these tables are indexed by app. `page`
    /// reads rows of one app, `position` is a row's place in the list, and `first` a place before all rows.
    fn by_app<R, T>(
        &mut self,
        world: &mut World,
        section: Section,
        first: &str,
        page: impl Fn(&World, AppId, Option<Value>, usize) -> Result<Vec<Arc<R>>, Halt>,
        position: impl Fn(&R) -> String,
        show: impl Fn(&mut World, &R) -> Result<Option<T>, Halt>,
    ) -> Result<Option<ExportPage<T>>, Halt> {
        if !self.is_asked(section) {
            return Ok(None);
        }
        let limit = self.asked.limit;
        let Some((apps, is_last)) = self.apps(world)? else { return Ok(None) };
        let pages = world.each(&apps, |world, (app, after)| {
            Ok(page(world, *app, after.clone(), limit + 1)?.into_iter().map(|row| (*app, row)).collect())
        });
        let Some(pages): Option<Vec<Rows<R>>> = self.gather(pages)? else { return Ok(None) };
        let mut found: Rows<R> = pages.into_iter().flatten().collect();
        let is_more = found.len() > limit;
        found.truncate(limit);
        let next = match (found.last(), apps.last()) {
            (Some((app, row)), _) if is_more => Some(format!("{app}.{}", position(row))),
            // After all rows of the last of these apps.
            (_, Some((app, _))) if !is_last => Some(format!("{app}.{first}")),
            (..) => None,
        };
        let shown = world.each(&found, |world, (_, row)| show(world, row));
        let data = self.gather(shown)?.unwrap_or_default().into_iter().flatten().collect();
        Ok(Some(ExportPage { data, next: next.map(|next| self.next(section, &next)) }))
    }

    /// Returns the next connected or formerly connected apps, each with the position to continue from, and whether they
    /// are the last.
    fn apps(&mut self, world: &World) -> Result<Option<(Vec<AppCursor>, bool)>, Halt> {
        let after = match &self.asked.after {
            Some(Cursor::OfApp(app, row)) if self.asked.section.is_some() => Some((*app, Some(row.clone()))),
            Some(_) | None => None,
        };
        if let Some(app) = self.asked.app {
            let row = after.and_then(|(_, row)| row);
            return Ok(Some((vec![(app, row)], true)));
        }
        let query = Query::of::<AppUser>(self.asked.org.to_value(), "app", APPS + 1).equal("user_id", self.asked.user);
        let behind = after.as_ref().map(|(app, _)| app.to_value());
        let query = Query { direction: Direction::Ascending, after: behind, ..query };
        let Some(profiles) = self.gather(world.page::<AppUser>(&query))? else { return Ok(None) };
        let is_last = profiles.len() <= APPS;
        let further = profiles.iter().take(APPS).map(|profile| (profile.app, None));
        Ok(Some((after.into_iter().chain(further).collect(), is_last)))
    }

    fn is_asked(&self, section: Section) -> bool {
        self.asked.section.is_none_or(|asked| asked == section)
    }

    fn next(&self, section: Section, after: &str) -> String {
        let ExportRequest { user, limit, .. } = self.asked;
        format!("/v2/users/{user}/export?section={section}&limit={limit}&after={after}")
    }
}

fn word(key: &Key) -> String {
    match key.first() {
        Some(ValueRef::Id(id)) => id.to_string(),
        Some(ValueRef::Int(number)) => number.to_string(),
        Some(ValueRef::Null | ValueRef::Bool(_) | ValueRef::Time(_) | ValueRef::Text(_) | ValueRef::Bytes(_))
        | None => String::new(),
    }
}

fn profile(world: &mut World, profile: &AppUser) -> Result<Option<ProfileJson>, Halt> {
    let scope = Scope { org: profile.org, app: profile.app };
    let years = Query::of::<TaxYear>(scope.org.to_value(), "year", YEARS).equal("app", scope.app);
    let years = world.page::<TaxYear>(&years.equal("user_id", profile.user_id))?;
    let user: Arc<User> = users::find(world, scope, profile.user_id)?;
    Ok(Some(ProfileJson {
        app_id: profile.app,
        app_name: apps::find_even_deleted(world, scope)?.name.clone(),
        connected_at: profile.connected_at,
        disconnected_at: profile.disconnected_at,
        user: users::json(world, scope, &user)?,
        tax_years: years.iter().map(|year| TaxYearJson::from(&**year)).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_its_list_writes_it() {
        let (app, row) = (AppId(Uuid::from_u128(1)), Uuid::from_u128(2));
        let of_app = format!("{app}.{row}");
        assert_eq!(Cursor::parse(Section::Notices, &row.to_string()), Some(Cursor::Id(row)));
        assert_eq!(Cursor::parse(Section::Transfers, &of_app), Some(Cursor::OfApp(app, Value::Id(row))));
        assert_eq!(Cursor::parse(Section::Events, &format!("{app}.7")), Some(Cursor::OfApp(app, Value::Int(7))));
        for (section, text) in [
            (Section::Notices, of_app.as_str()),
            (Section::Events, &of_app),
            (Section::Transfers, "7"),
            (Section::Events, ""),
        ] {
            assert_eq!(Cursor::parse(section, text), None, "{section} {text}");
        }
    }
}
