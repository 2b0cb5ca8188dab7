//! The sandbox's inbox as a page, and its mails as their recipients see them. A local sandbox has no login, so the page shows the messages of all apps.

use super::assets::MAIL_POLICY;
use super::draw::page;
use super::sandbox::Local;
use super::views::{InboxMessage as Shown, InboxPage, MessageChannel};
use crate::http::{Answer, Call, Outcome};
use crate::ids::MessageId;
use crate::input::Input as _;
use crate::messages::Channel;
use crate::program::Environment;
use crate::refusal::Refusal;
use crate::sandbox::inbox::{Received, Recipient, organization_of, received};
use crate::worker::{Pen, html_mail};

const SHOWN_MAX: usize = 100;

/// GET /inbox
pub async fn show_inbox(call: Call) -> Outcome {
    match call.bursar.environment {
        Environment::Production => return Err(Refusal::not_found("page")),
        Environment::Sandbox => {}
    }
    if let Some((_, id)) = call.query.iter().find(|(name, _)| name == "mail") {
        return show_mail(&call, id).await;
    }
    let to = call.query.iter().find(|(name, _)| name == "to").map_or("", |(_, to)| to.trim()).to_owned();
    // Text that is neither a phone number nor an address matches no message.
    let recipient =
        if to.is_empty() { None } else { Some(Recipient::read_text(&to, "to").map_or(to.clone(), |to| to.0)) };
    let vault = call.bursar.vault.clone();
    let mut found = call.read(move |world| received(world, &vault, recipient.as_deref(), SHOWN_MAX + 1)).await?;
    let has_more = found.len() > SHOWN_MAX;
    found.truncate(SHOWN_MAX);
    let may_reply = Local::of(&call).await.is_some();
    let messages = found.into_iter().map(shown).collect();
    page(200, &InboxPage { to, messages, may_reply, has_more, is_sandbox: true })
}

/// Shows a mail as its recipient sees it, with its own styles and without the frame of a page.
async fn show_mail(call: &Call, id: &str) -> Outcome {
    let id = id.parse().map(MessageId).map_err(|_| Refusal::not_found("message"))?;
    let pen = Pen::of(&call.bursar);
    let found = call.read(move |world| match organization_of(world, id)? {
        Some(org) => html_mail(world, &pen, org, id),
        None => Ok(None),
    });
    let html = found.await?.ok_or_else(|| Refusal::not_found("message"))?;
    let answer = Answer::html(200, html).header("content-security-policy", MAIL_POLICY);
    Ok(answer.header("x-frame-options", "DENY").header("referrer-policy", "no-referrer"))
}

fn shown(Received { message, composed }: Received) -> Shown {
    let channel = match message.channel {
        Channel::Sms => MessageChannel::Sms,
        Channel::Email => MessageChannel::Email,
        Channel::Voice => MessageChannel::Voice,
    };
    Shown {
        id: format!("message-{}", message.id),
        mail: (channel == MessageChannel::Email).then(|| format!("/inbox?mail={}", message.id)),
        channel,
        to: message.recipient.clone(),
        created: message.created_at.strftime("%B %-d, %H:%M:%S UTC"),
        created_at: message.created_at.to_string(),
        subject: Some(composed.subject).filter(|_| channel == MessageChannel::Email),
        text: composed.text,
        link: composed.link,
        code: composed.code,
    }
}
