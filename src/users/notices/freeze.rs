//! Lets a payee freeze automatic payouts with the link of a notice, and unfreeze them with a code.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::model::ChangeNotice;
use super::token::NoticeToken;
use crate::apps::{self, brand::Sender};
use crate::clock::{DAY_SECONDS, Time};
use crate::engine::Command;
use crate::events::EventName;
use crate::language::{Language, Text};
use crate::messages::{CodePurpose, PayeeChange};
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::users::{User, change};
use crate::verification::{self, Checked, CodeContext, NewCode, Recipient};
use crate::world::record::key;
use crate::world::{Halt, World};

const LINK_SECONDS: i64 = 90 * DAY_SECONDS;

/// A notice as shown by its link.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NoticeJson {
    /// The name of the app at which the change was made.
    pub app_name: String,
    /// The same app, for the pages.
    #[serde(skip)]
    pub sender: Sender,
    /// The language of the payee's last visit, for the pages.
    #[serde(skip)]
    pub language: Option<Language>,
    /// The changes.
    pub changes: Vec<PayeeChange>,
    /// The payout method that was added or chosen, masked.
    #[schema(required)]
    pub method: Option<String>,
    /// When the change was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The contact from before the change, masked; codes are sent there.
    #[schema(example = "***6789")]
    pub sent_to: String,
    /// Whether automatic payouts to the payee are frozen.
    pub frozen: bool,
    /// Whether a valid code for unfreezing was sent.
    pub code_sent: bool,
}

fn find(world: &mut World, token: NoticeToken) -> Result<(Arc<ChangeNotice>, Arc<User>), Halt> {
    let not_found = || Refusal::not_found("notice");
    let notice = world.get::<ChangeNotice>(key![token.org, token.notice])?.ok_or_else(not_found)?;
    let user = world.get::<User>(key![token.org, notice.user_id])?.ok_or_else(not_found)?;
    if world.now() >= notice.created_at.plus_seconds(LINK_SECONDS) {
        return Err(Refusal::new(Code::LinkExpired, "This link has expired. Ask the sender of your payouts.").into());
    }
    Ok((notice, user))
}

fn code_context(notice: &ChangeNotice) -> CodeContext {
    CodeContext { purpose: CodePurpose::Unfreeze, about: notice.user_id.0, names_recipient: true }
}

/// Returns the notice for a token. Viewing changes nothing.
pub fn show(world: &mut World, token: NoticeToken) -> Result<NoticeJson, Halt> {
    let (notice, user) = find(world, token)?;
    let scope = Scope { org: notice.org, app: notice.app };
    let app = apps::find_even_deleted(world, scope)?;
    Ok(NoticeJson {
        app_name: app.name.clone(),
        sender: Sender::from(&*app),
        language: user.language,
        changes: notice.changes.0.clone(),
        method: notice.method.clone(),
        created: notice.created_at,
        sent_to: verification::masked(&notice.recipient),
        frozen: user.payouts_frozen_at.is_some(),
        code_sent: verification::is_awaited(world, notice.org, &notice.recipient, code_context(&notice))?,
    })
}

/// A repeated call changes nothing.
#[derive(Clone, Debug)]
pub struct Freeze {
    pub token: NoticeToken,
}

impl Command for Freeze {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let (_, user) = find(world, self.token)?;
        freeze(world, &user)?;
        Ok(())
    }
}

pub fn freeze(world: &mut World, user: &Arc<User>) -> Result<Arc<User>, Halt> {
    if user.payouts_frozen_at.is_some() {
        return Ok(user.clone());
    }
    let now = world.now();
    change(world, user, EventName::UserUpdated, |user| user.payouts_frozen_at = Some(now))
}

#[derive(Clone, Debug)]
pub struct SendNoticeCode {
    pub token: NoticeToken,
    pub code: NewCode,
}

impl Command for SendNoticeCode {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let (notice, user) = find(world, self.token)?;
        must_be_frozen(&user)?;
        let scope = Scope { org: notice.org, app: notice.app };
        let to =
            Recipient { channel: notice.channel, recipient: &notice.recipient, code_context: code_context(&notice) };
        verification::start(world, scope, &to, &self.code)?;
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub struct Unfreeze {
    pub token: NoticeToken,
    pub offered_hash: Vec<u8>,
}

impl Command for Unfreeze {
    /// A wrong code is counted, which needs a commit, so it is a reply and not a refusal.
    type Reply = Checked;

    fn decide(&self, world: &mut World) -> Result<Checked, Halt> {
        let (notice, user) = find(world, self.token)?;
        must_be_frozen(&user)?;
        let scope = Scope { org: notice.org, app: notice.app };
        let checked = verification::check(world, scope, &notice.recipient, code_context(&notice), &self.offered_hash)?;
        if checked == Checked::Right {
            change(world, &user, EventName::UserUpdated, |user| user.payouts_frozen_at = None)?;
        }
        Ok(checked)
    }
}

fn must_be_frozen(user: &User) -> Result<(), Refusal> {
    if user.payouts_frozen_at.is_some() {
        return Ok(());
    }
    Err(Refusal::to_payee(Code::InvalidState, Text::RefusedNotFrozen).because(Reason::NotFrozen))
}
