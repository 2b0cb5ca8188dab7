//! A thief with a claim link's token, and neither the payee's phone nor mailbox. The thief requests and guesses codes,
//! names methods of their own and of others, uses sessions that are over or belong to another link, and returns after
//! the payment.

use super::tax_form;
use super::{Sight, contact, recipient};
use crate::claims::Contact;
use crate::money::Cents;
use crate::payout_methods::{Details, Target};
use crate::platform::Platform;
use crate::sim::chance::Chance;
use crate::sim::directory::KnownLink;
use crate::sim::requests::{Choice, Request, Step, Wish};

/// Consecutive tries of a thief at one link.
const TRIES_MAX: usize = 4;

/// Returns the thief's next tries at a link. `has_phone` is a negative control: the thief reads the payee's codes.
pub(in crate::sim) fn link_theft(has_phone: bool, sight: &Sight<'_>, chance: &mut Chance) -> Vec<Request> {
    let tries = chance.position(TRIES_MAX) + 1;
    let Some((link, session)) = found(sight, chance) else { return Vec::new() };
    let steps = (0..tries).filter_map(|_| step(&link, session.clone(), has_phone, sight, chance));
    let request = |step| {
        let wish = Wish::Claim { link: link.token.clone(), step };
        Request { scope: link.scope, key: None, wish, foreign: false, by_thief: true }
    };
    steps.map(request).collect()
}

fn step(link: &KnownLink, session: Vec<u8>, has_phone: bool, sight: &Sight<'_>, chance: &mut Chance) -> Option<Step> {
    Some(match chance.position(14) {
        0 => Step::Contact(contact(link, sight)?),
        // At a link that names no payee this may be the phone of a known one.
        1 => Step::Contact(Contact::Phone(sight.stage.payee(chance)?.phone.clone())),
        2 => Step::CodeAgain,
        3..=6 if has_phone => Step::Code(sight.provider.code(link.scope.org, &recipient(link, sight)?)?.clone()),
        3..=6 => Step::Code(chance.entropy().six_digits()),
        7 => Step::Profile { session, first_name: "A".to_owned(), last_name: "Thief".to_owned() },
        8 => {
            let user = sight.directory.user(link.scope.org, &recipient(link, sight)?)?;
            Step::TaxForm { session, user, form: tax_form(chance) }
        }
        9 | 10 => {
            let handle = format!("thief-{}", chance.between(1, 1_000));
            let (target, currency) = (Target::Handle { handle }, "USD".to_owned());
            let details = Details { platform: Platform::WalletB, target, currency };
            Step::Method { session, chosen: Choice::New(Box::new(details)), is_preferred: chance.one_in(2) }
        }
        11 => {
            let methods = &sight.directory.methods;
            let method = *methods.get(chance.position(methods.len().max(1)))?;
            Step::Method { session, chosen: Choice::Saved(method), is_preferred: chance.one_in(2) }
        }
        12 => {
            let amount = chance.one_in(2).then(|| Cents::new(chance.between(1, link.amount)));
            Step::Payout { session, amount }
        }
        _ => Step::End { session },
    })
}

/// Returns a link and the session secret that the thief uses there: of a session that is over, of a session of another
/// link, random bytes, or nothing.
fn found(sight: &Sight<'_>, chance: &mut Chance) -> Option<(KnownLink, Vec<u8>)> {
    let (links, sessions) = (&sight.directory.links, &sight.directory.claim_sessions);
    let link = links.get(chance.position(links.len().max(1))).cloned();
    match chance.position(5) {
        0 | 1 => {
            let over: Vec<_> = sessions.iter().filter(|session| session.is_over(sight.now)).collect();
            chance.pick(&over).map(|session| (session.link.clone(), session.hash.clone()))
        }
        2 => {
            let link = link?;
            let others: Vec<_> = sessions.iter().filter(|session| session.link.id != link.id).collect();
            chance.pick(&others).map(|session| (link, session.hash.clone()))
        }
        3 => Some((link?, chance.entropy().bytes::<32>().to_vec())),
        _ => Some((link?, Vec::new())),
    }
}
