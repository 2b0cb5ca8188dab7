//! The beginning of a receiver's response, as it is kept and shown. Its text is the receiver's, so it may repeat a payee's
//! data: an erasure removes it.

use super::model::WebhookDelivery;
use super::rows::of_app;
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Replaces a byte or a character that cannot be shown.
const NOT_SHOWN: char = char::REPLACEMENT_CHARACTER;

/// Returns the bytes as text: a byte that is not UTF-8, and a character that controls a terminal or hides others, becomes
/// a replacement character. A character that the end of the bytes cuts off is left out.
pub fn printable(bytes: &[u8]) -> Option<String> {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        Ok(_) | Err(_) => bytes,
    };
    let text: String = String::from_utf8_lossy(whole)
        .chars()
        .map(|letter| if is_shown(letter) { letter } else { NOT_SHOWN })
        .collect();
    (!text.is_empty()).then_some(text)
}

fn is_shown(letter: char) -> bool {
    let hides =
        matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    matches!(letter, '\r' | '\n' | '\t') || !letter.is_control() && !hides
}

/// Removes the receivers' responses to an event from its deliveries. A deleted endpoint's deliveries are not shown, and
/// are removed after 30 days.
pub fn erase(world: &mut World, scope: Scope, sequence: i64) -> Result<(), Halt> {
    let endpoints = of_app(world, scope)?;
    world
        .each(&endpoints, |world, endpoint| {
            let key = key![scope.org, endpoint.id, sequence];
            if let Some(delivery) = world.find::<WebhookDelivery>(WebhookDelivery::OF_EVENT, key)?
                && delivery.response_body.is_some()
            {
                world.change(&delivery, |delivery| delivery.response_body = None);
            }
            Ok(())
        })
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_shown_is_replaced() {
        for (bytes, text) in [
            (&b""[..], None),
            (b"ok", Some("ok")),
            (b"{\"a\": 1}\r\n\t!", Some("{\"a\": 1}\r\n\t!")),
            (b"\x00\x1b[2J\x7f", Some("\u{fffd}\u{fffd}[2J\u{fffd}")),
            (b"\xff\xfeA", Some("\u{fffd}\u{fffd}A")),
            ("Zo\u{eb} \u{202e}x\u{200b}".as_bytes(), Some("Zo\u{eb} \u{fffd}x\u{fffd}")),
            // The first byte of a character of two.
            (b"caf\xc3", Some("caf")),
        ] {
            assert_eq!(printable(bytes).as_deref(), text, "{bytes:?}");
        }
    }
}
