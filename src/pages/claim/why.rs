//! The page that explains to a payee why they got a link.

use super::visit::Visit;
use super::wording;
use crate::claims::ClaimDocument;
use crate::http::Outcome;
use crate::language::Language;
use crate::pages::draw::page;
use crate::pages::views::{WhyPage, WhyPayment};

/// Draws the page. It needs no session, and shows a closed link without its payment.
pub(super) async fn show(visit: &Visit) -> Outcome {
    let sender = visit.payee.offer().await?.sender;
    let payment = visit.payee.fetch().await.ok().map(|claim| payment(visit.language, claim));
    let view = WhyPage {
        language: visit.language,
        languages: Some(visit.language_menu()),
        sender: visit.sender(&sender),
        payment,
        address: visit.call.bursar.public_url.clone(),
        back: Some(format!("/claim/{}", visit.token)),
        sandbox: visit.is_sandbox(),
    };
    page(200, &view)
}

fn payment(language: Language, claim: ClaimDocument) -> WhyPayment {
    let sent_to = claim.payee.phone_number.or(claim.payee.email);
    let sent_to = sent_to.map(|masked| wording::mask(&masked));
    WhyPayment { amount: language.money(claim.amount), memo: claim.memo, sent_to }
}
