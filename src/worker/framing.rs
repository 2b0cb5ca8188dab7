//! The frame of a mail: its sender, its large line, its reason and its links.

use super::writing::{Pen, Uncomposed, find_letter};
use crate::apps::brand::{Brand, Sender};
use crate::ids::{MessageId, OrgId};
use crate::language::Text;
use crate::messages::{Channel, Composed, Template};
use crate::providers::{Frame, Mail, html};
use crate::refusal::{Code, Refusal};
use crate::world::{Halt, World};

/// Returns a mail as its recipient sees it, in HTML; `None` for a message by another channel.
pub(crate) fn html_mail(world: &mut World, pen: &Pen, org: OrgId, id: MessageId) -> Result<Option<String>, Halt> {
    let letter = find_letter(world, org, id)?;
    let message = &letter.message;
    if message.channel != Channel::Email || message.is_erased() {
        return Ok(None);
    }
    let composed = pen.compose(&letter)?;
    let frame = pen.frame(&letter, &composed);
    let mail = Mail {
        id: message.id.0,
        written: message.created_at,
        to: &message.recipient,
        subject: &composed.subject,
        text: &composed.text,
        link: composed.link.as_deref(),
        frame: &frame,
    };
    let bug = |_| Refusal::new(Code::InternalError, "A bug stopped this request.");
    Ok(Some(html(&mail).map_err(bug)?))
}

impl Pen {
    /// Returns the frame of a message that is sent by mail; other channels have none.
    pub(super) fn frame(&self, letter: &Uncomposed, composed: &Composed) -> Frame {
        if letter.message.channel != Channel::Email {
            return Frame::default();
        }
        let sender = Sender::from(letter.app());
        let public = |path: String| format!("{}{path}", self.public_url());
        let logo = sender.brand.logo.map(|_| public(sender.logo_path()));
        let (template, about) = (&letter.message.template.0, public(sender.path()));
        let claim = composed.link.as_deref().filter(|_| letter.link().is_some());
        let until = letter.link().filter(|_| matches!(template, Template::ClaimLink { .. }));
        let Brand { color, website, support_email, support_phone, terms_url, privacy_url, footer, .. } = sender.brand;
        let language = letter.language();
        let links = [(Text::Website, website), (Text::Terms, terms_url), (Text::Privacy, privacy_url)];
        Frame {
            logo,
            color,
            headline: headline(letter, composed),
            until: until.map(|link| language.moment(link.expires_at)),
            because: language.say(because(template)).with("sender", &sender.name).plain(),
            why: claim.map_or(about, |claim| format!("{claim}/why")),
            support_email,
            support_phone,
            is_reminder: matches!(template, Template::ClaimLink { delivery: 2.., .. }),
            links: links.into_iter().filter_map(|(label, link)| Some((language.text(label), link?))).collect(),
            footer,
            sender: sender.name,
            language,
        }
    }
}

/// Returns the amount, or the code.
fn headline(letter: &Uncomposed, composed: &Composed) -> Option<String> {
    let language = letter.language();
    match &letter.message.template.0 {
        Template::ClaimLink { .. } => letter.link().map(|link| language.money(link.amount)),
        Template::Code { .. } => composed.code.clone(),
        Template::PayoutFailed { amount_cents, .. }
        | Template::PayoutCanceled { amount_cents, .. }
        | Template::PaidByPreference { amount_cents, .. }
        | Template::PaymentCollected { amount_cents, .. }
        | Template::PayoutCompleted { amount_cents, .. } => Some(language.money(*amount_cents)),
        Template::PayeeChanged { .. } | Template::ReplyAnswer { .. } => None,
    }
}

/// Returns the reason why a payee gets a mail.
const fn because(template: &Template) -> Text {
    match template {
        Template::ClaimLink { .. } => Text::MailBecauseLink,
        Template::Code { .. } => Text::MailBecauseCode,
        Template::PayoutFailed { .. }
        | Template::PayoutCanceled { .. }
        | Template::PaidByPreference { .. }
        | Template::PayoutCompleted { .. } => Text::MailBecausePaid,
        Template::PaymentCollected { .. } => Text::MailBecauseCollected,
        Template::PayeeChanged { .. } => Text::MailBecauseChanged,
        Template::ReplyAnswer { .. } => Text::MailBecauseReplied,
    }
}
