//! Two words side by side: the same, alike by their letters (Jaro-Winkler), alike in sound, or an initial.
//!
//! All numbers are whole: similarities in thousandths.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use super::folded::Word;

/// Words less alike than this, in thousandths, are different words.
pub(super) const PARTNER_MIN: i64 = 840;
/// Words shorter than this are alike only when they are the same: a letter is too much of them.
pub(super) const FUZZY_LETTERS_MIN: usize = 4;
/// Letters of a word that are compared; no name has a longer word.
pub(super) const LETTERS_MAX: usize = 64;
/// Letters at the beginning for which Winkler counts two words as more alike.
pub(super) const PREFIX_MAX: usize = 4;
/// What two words that sound alike are worth at least, in thousandths.
const SOUNDS_ALIKE: i64 = 920;
/// Sounds that two words must share to sound alike: a vowel and three consonants, or two where the vowel comes first.
const SKELETON_MIN: usize = 4;
/// What an initial is worth beside the word that it may stand for, in thousandths.
const INITIAL: i64 = 800;

/// How two words agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Alike {
    /// Letter by letter.
    Same,
    /// Most letters, in nearly the same order.
    Similar,
    /// Two spellings of one sound.
    SoundsAlike,
    /// One is the first letter of the other.
    Initial,
}

/// How alike two words are, in thousandths; `None` when they are different words.
pub(super) fn likeness(ours: &Word, theirs: &Word) -> Option<(i64, Alike)> {
    likeness_by(ours, || Positions::of(ours.text.as_bytes()), theirs)
}

/// The same, for one word beside many: where its letters stand is found once.
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

/// The Jaro-Winkler similarity of two words of ASCII letters, in thousandths; of words that are less alike than
/// [`PARTNER_MIN`] something below it. It does not matter which word is ours: of the letters of a kind the first pair that
/// stands near each other goes together in either case, and what comes before it is out of reach for all that follow.
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

/// Where each letter stands in a word, as bits. Words are ASCII.
pub(super) struct Positions([u64; 128]);

impl Positions {
    /// The places of the first [`LETTERS_MAX`] letters.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut places = [0; 128];
        for (at, letter) in text.iter().take(LETTERS_MAX).enumerate() {
            places[usize::from(letter & 0x7f)] |= 1 << at;
        }
        Self(places)
    }

    /// Where this letter stands.
    pub(super) fn of_letter(&self, letter: u8) -> u64 {
        self.0[usize::from(letter & 0x7f)]
    }
}

/// Which letters of two words stand near each other: half as far apart as the longer word is long, at most.
pub(super) struct Near {
    reach: usize,
    /// As many ones as there are places within reach of one.
    ones: u64,
}

impl Near {
    /// For words of these lengths, [`LETTERS_MAX`] at most; so there are at most 63 ones.
    pub(super) fn of(ours: usize, theirs: usize) -> Self {
        let reach = (ours.max(theirs) / 2).saturating_sub(1);
        Self { reach, ones: (1 << (2 * reach + 1).min(63)) - 1 }
    }

    /// The places within reach of this one, which is below [`LETTERS_MAX`].
    pub(super) fn window(&self, at: usize) -> u64 {
        if at >= self.reach { self.ones << (at - self.reach) } else { self.ones >> (self.reach - at) }
    }
}

/// The lowest bit that is set, if one is.
pub(super) fn first_bit(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// The similarity of two words of these lengths, in thousandths, from what was counted: `matching` letters, of
/// which `moved` stand in another order, and a common `prefix`. It grows with `matching` and with `prefix` and
/// falls with `moved`; the index relies on it.
pub(super) fn winkler(lengths: (usize, usize), matching: usize, moved: usize, prefix: usize) -> i64 {
    let (a, b) = lengths;
    if matching == 0 {
        return 0;
    }
    // Jaro is the mean of three fractions; here it is `part` of `whole`, without rounding.
    let part = matching * matching * (a + b) + (matching - moved) * a * b;
    let whole = 3 * a * b * matching;
    // Winkler takes a tenth of what is missing for each common first letter, of words that are alike at all.
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
                // A half may be rounded either way by a fraction that is not exact.
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
