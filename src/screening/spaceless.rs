//! Compares names without their spaces: `Testsanc tioned` and `T e s t S a n c t i o n e d` match `Test Sanctioned`.
//!
//! A listed name is joined to one word in each rotation of its words. A screened name matches if all of it, or a run of
//! its words, equals that word. The whole name may differ by one letter if its spaces differ too.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::folded::FoldedName;
use super::likeness::Alike;

/// Fewest letters of a name that is compared as a whole.
const WHOLE_MIN: usize = 6;
/// Fewest letters for a match with one edit or inside a longer name. Shorter names match by chance.
const LONG_MIN: usize = 10;
/// Score of a whole name that differs by one letter.
const EDITED_SCORE: i64 = 95;
/// A listed name with more words is compared only from its first word.
const WORDS_MAX: usize = 8;

/// A name as one word, with the positions where its words end.
struct Spaceless {
    text: String,
    ends: Vec<usize>,
}

impl Spaceless {
    fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for word in words {
            text.push_str(word);
            ends.push(text.len());
        }
        Self { text, ends }
    }

    fn whole(name: &FoldedName) -> Self {
        Self::of(name.words.iter().map(|word| word.text.as_str()))
    }

    fn rotations(name: &FoldedName) -> impl Iterator<Item = Self> + '_ {
        let words = || name.words.iter().map(|word| word.text.as_str());
        let starts = if name.words.len() > WORDS_MAX { 1 } else { name.words.len() };
        (0..starts).map(move |start| Self::of(words().skip(start).chain(words().take(start))))
    }

    fn starts(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(0).chain(self.ends.iter().copied()).take(self.ends.len())
    }

    /// Returns whether a run of these words equals the other name.
    fn contains(&self, other: &Self) -> bool {
        let ends_a_word = |at: usize| self.ends.contains(&at);
        self.starts()
            .any(|start| self.text[start..].starts_with(other.text.as_str()) && ends_a_word(start + other.text.len()))
    }

    /// Returns whether a word ends where no word of the other name ends, give or take one letter. Names with the same
    /// word ends were already compared word by word.
    fn is_spaced_otherwise(&self, other: &Self) -> bool {
        let lacks = |ends: &[usize], others: &[usize]| {
            ends.iter().any(|end| !others.iter().any(|other| other.abs_diff(*end) <= 1))
        };
        lacks(&self.ends, &other.ends) || lacks(&other.ends, &self.ends)
    }
}

/// Returns the score of two names as single words and how they agree; `None` if they are different.
pub(super) fn compare(screened: &FoldedName, listed: &FoldedName) -> Option<(i64, Alike)> {
    let ours = Spaceless::whole(screened);
    if ours.text.len() < WHOLE_MIN {
        return None;
    }
    let of = |theirs: Spaceless| {
        let is_long = theirs.text.len() >= LONG_MIN;
        if theirs.text == ours.text || is_long && listed.full_words() > 1 && ours.contains(&theirs) {
            return Some((100, Alike::Same));
        }
        let is_edited = is_long
            && theirs.text.len().abs_diff(ours.text.len()) <= 1
            && strsim::levenshtein(&ours.text, &theirs.text) == 1
            && ours.is_spaced_otherwise(&theirs);
        is_edited.then_some((EDITED_SCORE, Alike::Similar))
    };
    Spaceless::rotations(listed).filter_map(of).max_by_key(|(score, _)| *score)
}

#[derive(Clone, Copy, Hash)]
enum Part {
    All,
    FirstHalf(usize),
    LastHalf(usize),
}

fn key(part: Part, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (part, text).hash(&mut hasher);
    hasher.finish()
}

/// Finds the names that [`compare`] may match. One edit leaves one half of a word unchanged.
#[derive(Debug, Default)]
pub(super) struct Index(Vec<(u64, usize)>);

impl Index {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a FoldedName>) -> Self {
        let mut keys = Vec::new();
        for (at, name) in names.enumerate() {
            for Spaceless { text, .. } in Spaceless::rotations(name).filter(|name| name.text.len() >= WHOLE_MIN) {
                keys.push((key(Part::All, &text), at));
                if text.len() >= LONG_MIN {
                    let (first, last) = text.split_at(text.len() / 2);
                    keys.push((key(Part::FirstHalf(text.len()), first), at));
                    keys.push((key(Part::LastHalf(text.len()), last), at));
                }
            }
        }
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }

    /// Returns the positions of names in list order, without duplicates.
    pub(super) fn candidates(&self, screened: &FoldedName) -> Vec<usize> {
        let ours = Spaceless::whole(screened);
        let text = ours.text.as_str();
        if text.len() < WHOLE_MIN {
            return Vec::new();
        }
        let mut keys = vec![key(Part::All, text)];
        for start in ours.starts() {
            let long = ours.ends.iter().filter(|end| **end >= start + LONG_MIN);
            keys.extend(long.map(|end| key(Part::All, &text[start..*end])));
        }
        for length in (text.len() - 1..=text.len() + 1).filter(|length| *length >= LONG_MIN) {
            let half = length / 2;
            keys.push(key(Part::FirstHalf(length), &text[..half]));
            keys.push(key(Part::LastHalf(length), &text[text.len().saturating_sub(length - half)..]));
        }
        let mut found: Vec<usize> = keys.into_iter().flat_map(|key| self.under(key)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn under(&self, key: u64) -> impl Iterator<Item = usize> + '_ {
        let from = self.0.partition_point(|(known, _)| *known < key);
        self.0[from..].iter().take_while(move |(known, _)| *known == key).map(|(_, at)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(screened: &str, listed: &str) -> Option<i64> {
        compare(&FoldedName::of(screened), &FoldedName::of(listed)).map(|(score, _)| score)
    }

    #[test]
    fn spaces_make_no_other_name() {
        for (screened, listed, expected) in [
            ("T e s t S a n c t i o n e d", "SANCTIONED, Test", Some(100)),
            ("Testsanc tioned", "SANCTIONED, Test", Some(100)),
            ("TestSanctioned X", "SANCTIONED, Test", Some(100)),
            ("Mr X Sanc tioned Test", "SANCTIONED, Test", Some(100)),
            ("Testsanc tionned", "SANCTIONED, Test", Some(EDITED_SCORE)),
            ("Tstsanc tioned", "SANCTIONED, Test", Some(EDITED_SCORE)),
            ("V e x l e r", "VEXLER", Some(100)),
            ("Jane Vexler", "VEXLER", None),
            ("Jon Smithson", "SMITHSON, John", None),
            ("Janet Sanctioned", "SANCTIONED, Test", None),
            ("al de", "ALD, E", None),
        ] {
            assert_eq!(score(screened, listed), expected, "{screened} / {listed}");
        }
    }
}
