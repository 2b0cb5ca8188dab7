//! Stored responses whose body is the object of an event (docs/internals/adr/0043-stored-responses-point-at-events.md).
//!
//! Most commands that change one object emit an event with exactly the JSON that they return, except that the event has
//! null instead of a link's claim address. Such a response stores the event's id, and the start of the address.
//!
//! Invariant: a response has an original only if the original gives the same bytes at the time of the command. Events
//! never change, except by an erasure, and neither does the token of a link.

use crate::events::{self, Event};
use crate::ids::PayoutLinkId;
use crate::payout_links::{self, PayoutLink};
use crate::program::{Lost, Original, Originals, ReadBody};
use crate::scope::Scope;
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, World};

pub const ORIGINALS: Originals = Originals { find, read };

/// The address of a link in an event. Inside a text of the JSON, the quotes would be escaped.
const NO_ADDRESS: &str = r#""link":null"#;

fn find(world: &World, vault: &Vault, scope: Scope, body: &str) -> Option<Original> {
    // The last event is the most likely one.
    events::emitted(world, scope).iter().find_map(|event| {
        let address_start = if event.object == body { None } else { Some(address_start(&event.object, body)?) };
        let original = Original { event: event.id, address_start };
        let rebuilt = rebuilt(world, vault, event, &original).ok()?.ok()?;
        (rebuilt == body).then_some(original)
    })
}

/// Returns the start of the claim address, if the body has one where the object has none.
fn address_start(object: &str, body: &str) -> Option<String> {
    let (before, after) = object.split_once(NO_ADDRESS)?;
    let address = body.strip_prefix(before)?.strip_prefix(r#""link":""#)?.strip_suffix(after)?.strip_suffix('"')?;
    let token_at = address.rfind('/')? + 1;
    Some(address[..token_at].to_owned())
}

fn read(world: &World, vault: &Vault, scope: Scope, original: &Original) -> Result<ReadBody, Halt> {
    match events::find(world, scope, original.event)? {
        Some(found) => rebuilt(world, vault, &found.event, original),
        None => Ok(Err(Lost::Damaged)),
    }
}

fn rebuilt(world: &World, vault: &Vault, event: &Event, original: &Original) -> Result<ReadBody, Halt> {
    if event.erased.is_some() {
        return Ok(Err(Lost::Erased { object: event.object_id }));
    }
    let Some(start) = &original.address_start else { return Ok(Ok(event.object.clone())) };
    let link = world.get::<PayoutLink>(key![event.org, PayoutLinkId(event.object_id)])?;
    let token = link.and_then(|link| payout_links::token(vault, &link));
    let body = event.object.split_once(NO_ADDRESS).zip(token);
    let body = body.map(|((before, after), token)| format!(r#"{before}"link":"{start}{token}"{after}"#));
    Ok(body.ok_or(Lost::Damaged))
}
