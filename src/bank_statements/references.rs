//! The reference with which a payer names the app that a deposit is for. Pure.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use crate::ids::{AppId, OrgId};

/// What every reference begins with.
const PREFIX: &str = "BUR";
/// The digits after it: 50 bits.
const DIGITS: usize = 10;
/// Without letters that are taken for digits.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Returns the reference of an app, which follows from its id: `BUR7K3Q9X2M4T`. A mistyped one is unknown.
#[must_use]
pub fn deposit_reference(org: OrgId, app: AppId) -> String {
    let hash = Sha256::new().chain_update(b"deposit reference\0").chain_update(org.0).chain_update(app.0).finalize();
    let bits = hash.iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let digit = |place: usize| char::from(ALPHABET[usize::try_from(bits >> (5 * place) & 31).unwrap_or(0)]);
    PREFIX.chars().chain((0..DIGITS).map(digit)).collect()
}

/// Returns the apps whose references a text contains. Banks insert blanks and line ends anywhere.
pub(super) fn named(text: &str, references: &HashMap<String, AppId>) -> Vec<AppId> {
    let letters: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect();
    let length = PREFIX.len() + DIGITS;
    let mut apps: Vec<AppId> = letters
        .match_indices(PREFIX)
        .filter_map(|(at, _)| letters.get(at..at + length).and_then(|word| references.get(word)).copied())
        .collect();
    apps.sort_unstable();
    apps.dedup();
    apps
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_text_names_the_apps_whose_references_it_contains() {
        let org = OrgId(Uuid::from_u128(1));
        let (one, other) = (AppId(Uuid::from_u128(2)), AppId(Uuid::from_u128(3)));
        let references: HashMap<String, AppId> =
            [one, other].map(|app| (deposit_reference(org, app), app)).into_iter().collect();
        assert_eq!(references.len(), 2);
        let reference = deposit_reference(org, one);
        let (head, tail) = reference.split_at(7);
        assert_eq!(named(&format!("WIRE/{head} {}/INVOICE 4", tail.to_lowercase()), &references), [one]);
        assert_eq!(named(&format!("{reference} {reference}"), &references), [one]);
        assert_eq!(named(&format!("{reference} {}", deposit_reference(org, other)), &references), [one, other]);
        for text in ["", "BUR", "BUR0000000000", head, &reference.replace('B', "8")] {
            assert_eq!(named(text, &references), [], "{text}");
        }
    }
}
