//! Compares two words: equal, similar letters (Jaro-Winkler), similar sound, or an initial.
//!
//! All numbers are integers; similarities are in thousandths.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use super::folded::Word;

/// Words with a similarity below this, in thousandths, are different.
pub(super) const PARTNER_MIN: i64 = 840;
/// Shorter words match only if they are equal, because one letter is too large a part of them.
pub(super) const FUZZY_LETTERS_MIN: usize = 4;
/// Letters of a word that are compared; longer words are cut.
pub(super) const LETTERS_MAX: usize = 64;
/// Length of the common prefix that raises the Winkler similarity.
pub(super) const PREFIX_MAX: usize = 4;
/// Lowest similarity of two words that sound alike, in thousandths.
const SOUNDS_ALIKE: i64 = 920;
/// Sounds needed for a match by sound: a vowel and three consonants, or two consonants after a leading vowel.
const SKELETON_MIN: usize = 4;
/// Similarity of an initial and its word, in thousandths.
const INITIAL: i64 = 800;

/// How two words agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Alike {
    /// Equal letter by letter.
    Same,
    /// Most letters agree, in nearly the same order.
    Similar,
    /// Two spellings of one sound.
    SoundsAlike,
    /// One is the first letter of the other.
    Initial,
}

/// Returns the similarity of two words in thousandths; `None` if they are different words.
pub(super) fn likeness(ours: &Word, theirs: &Word) -> Option<(i64, Alike)> {
    likeness_by(ours, || Positions::of(ours.text.as_bytes()), theirs)
}

/// Same as [`likeness`], with the letter positions of `ours` computed once for many comparisons.
pub(super) fn likeness_by<P: Borrow<Positions>>(
    ours: &Word,
    our_places: impl FnOnce() -> P,
    theirs: &Word,
) -> Option<(i64, Alike)> {
    if ours.text == theirs.text {
        return Some((1_000, Alike::Same));
    }
    let (short, long) =
        if ours.text.len() <= theirs.text.len() { (&ours.text, &theirs.text) } else { (&theirs.text, &ours.text) };
    if short.len() == 1 {
        return long.starts_with(short.as_str()).then_some((INITIAL, Alike::Initial));
    }
    if short.len() < FUZZY_LETTERS_MIN {
        return None;
    }
    let by_letters = jaro_winkler(&ours.text, our_places().borrow(), &theirs.text);
    let begins_with_vowel = ours.skeleton.starts_with(['a', 'e', 'o']);
    let enough = ours.skeleton.len() + usize::from(begins_with_vowel) >= SKELETON_MIN;
    let sounds_alike = ours.skeleton == theirs.skeleton && enough;
    if sounds_alike {
        return Some((by_letters.max(SOUNDS_ALIKE), Alike::SoundsAlike));
    }
    (by_letters >= PARTNER_MIN).then_some((by_letters, Alike::Similar))
}

/// Returns the Jaro-Winkler similarity of two ASCII words in thousandths, or some value below [`PARTNER_MIN`] if it is
/// below that. It is symmetric: the first pair of equal letters within reach is matched from either side, and earlier
/// letters are out of reach for all later ones.
fn jaro_winkler(ours: &str, our_places: &Positions, theirs: &str) -> i64 {
    let cut = |text: &str| text.len().min(LETTERS_MAX);
    let (ours, theirs) = (&ours.as_bytes()[..cut(ours)], &theirs.as_bytes()[..cut(theirs)]);
    let near = Near::of(ours.len(), theirs.len());
    let (mut our_matched, mut their_matched) = (0_u64, 0_u64);
    for (at, letter) in theirs.iter().enumerate() {
        let partner = first_bit(our_places.of_letter(*letter) & near.window(at) & !our_matched);
        their_matched |= u64::from(partner != 0) << at;
        our_matched |= partner;
    }
    let matching = usize::try_from(our_matched.count_ones()).expect("a word has at most 64 letters");
    let prefix = ours.iter().zip(theirs).take(PREFIX_MAX).take_while(|(ours, theirs)| ours == theirs).count();
    let lengths = (ours.len(), theirs.len());
    let at_most = winkler(lengths, matching, 0, prefix);
    if at_most < PARTNER_MIN {
        return at_most;
    }
    let our_letters = ours.iter().enumerate().filter(|(at, _)| our_matched >> at & 1 == 1).map(|(_, letter)| letter);
    let their_letters =
        theirs.iter().enumerate().filter(|(at, _)| their_matched >> at & 1 == 1).map(|(_, letter)| letter);
    let moved = our_letters.zip(their_letters).filter(|(ours, theirs)| ours != theirs).count() / 2;
    winkler(lengths, matching, moved, prefix)
}

/// The positions of each letter in an ASCII word, as bits.
pub(super) struct Positions([u64; 128]);

impl Positions {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut places = [0; 128];
        for (at, letter) in text.iter().take(LETTERS_MAX).enumerate() {
            places[usize::from(letter & 0x7f)] |= 1 << at;
        }
        Self(places)
    }

    pub(super) fn of_letter(&self, letter: u8) -> u64 {
        self.0[usize::from(letter & 0x7f)]
    }
}

/// The reach within which two letters match: at most half the length of the longer word.
pub(super) struct Near {
    reach: usize,
    /// One bit for each position within reach.
    ones: u64,
}

impl Near {
    /// Takes lengths of at most [`LETTERS_MAX`], so at most 63 bits are set.
    pub(super) fn of(ours: usize, theirs: usize) -> Self {
        let reach = (ours.max(theirs) / 2).saturating_sub(1);
        Self { reach, ones: (1 << (2 * reach + 1).min(63)) - 1 }
    }

    /// Returns the positions within reach of `at`, which is below [`LETTERS_MAX`].
    pub(super) fn window(&self, at: usize) -> u64 {
        if at >= self.reach { self.ones << (at - self.reach) } else { self.ones >> (self.reach - at) }
    }
}

pub(super) fn first_bit(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// Returns the similarity in thousandths of two words of these lengths: `matching` letters, of which `moved` are in
/// another order, and a common `prefix`. It grows with `matching` and `prefix` and falls with `moved`; the index relies
/// on that.
pub(super) fn winkler(lengths: (usize, usize), matching: usize, moved: usize, prefix: usize) -> i64 {
    let (a, b) = lengths;
    if matching == 0 {
        return 0;
    }
    // Jaro is the mean of three fractions; `part` of `whole` avoids rounding.
    let part = matching * matching * (a + b) + (matching - moved) * a * b;
    let whole = 3 * a * b * matching;
    // Winkler adds a tenth of the missing part for each common first letter, if the words are similar at all.
    let raised = if 10 * part > 7 * whole { 10 * part + prefix * (whole - part) } else { 10 * part };
    let thousandths = (200 * raised + whole) / (2 * whole);
    i64::try_from(thousandths).expect("a part of a whole is at most a thousand thousandths")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[allow(clippy::float_arithmetic, clippy::cast_possible_truncation, reason = "the measure that ours is held to")]
    fn by_the_book(ours: &str, theirs: &str) -> i64 {
        (strsim::jaro_winkler(ours, theirs) * 1_000.0).round() as i64
    }

    fn by_places(ours: &str, theirs: &str) -> i64 {
        jaro_winkler(ours, &Positions::of(ours.as_bytes()), theirs)
    }

    proptest! {
        #[test]
        fn whole_numbers_give_what_fractions_give(ours in "[a-e]{0,12}", theirs in "[a-e]{0,12}") {
            prop_assume!(!ours.is_empty() && !theirs.is_empty());
            let (whole, fraction) = (by_places(&ours, &theirs), by_the_book(&ours, &theirs));
            prop_assert_eq!(whole, by_places(&theirs, &ours), "in either order");
            if whole < PARTNER_MIN {
                prop_assert!(fraction <= PARTNER_MIN, "{} {}", whole, fraction);
            } else {
                // The inexact fraction may round a half either way.
                prop_assert!((whole - fraction).abs() <= 1, "{} {}", whole, fraction);
            }
        }
    }

    #[test]
    fn known_similarities() {
        for (ours, theirs, thousandths) in
            [("martha", "marhta", 961), ("dixon", "dicksonx", 813), ("dwayne", "duane", 840), ("abcd", "wxyz", 0)]
        {
            assert_eq!((by_places(ours, theirs), by_the_book(ours, theirs)), (thousandths, thousandths), "{ours}");
        }
        let long = "ab".repeat(LETTERS_MAX);
        assert_eq!(by_places(&long, &format!("{long}c")), 1_000, "what comes after is not compared");
    }

    #[test]
    fn more_in_common_is_never_less_alike() {
        for (a, b) in (1..=12).flat_map(|a| (1..=12).map(move |b| (a, b))) {
            for matching in 1..=a.min(b) {
                for prefix in 0..=PREFIX_MAX {
                    let alike = winkler((a, b), matching, 0, prefix);
                    assert!(alike >= winkler((a, b), matching - 1, 0, prefix), "{a} {b} {matching} {prefix}");
                    assert!(alike >= winkler((a, b), matching, 0, prefix.saturating_sub(1)));
                    assert!(alike >= winkler((a, b), matching, matching / 2, prefix));
                }
            }
        }
    }
}
