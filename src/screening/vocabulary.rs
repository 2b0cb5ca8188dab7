//! The distinct words of a list, with a search for similar words.
//!
//! Jaro-Winkler runs for few words only: words of given lengths need a minimum number of common letters, and bit sets
//! bound how many they share. The bound is exact; tests compare the index with a full scan.

use std::collections::{BTreeMap, HashMap};

use super::folded::Word;
use super::likeness::{
    Alike, FUZZY_LETTERS_MIN, LETTERS_MAX, Near, PARTNER_MIN, PREFIX_MAX, Positions, first_bit, likeness_by, winkler,
};

/// The letters of a word as bits: first and second occurrence of each letter, first occurrence of each digit.
#[derive(Clone, Copy, Debug)]
struct Letters {
    bits: u64,
    /// The number of letters and digits without a bit.
    more: u32,
    first: u32,
}

impl Letters {
    fn of(text: &str) -> Self {
        let (mut bits, mut more) = (0_u64, 0);
        for byte in text.bytes().take(LETTERS_MAX) {
            let (once, twice) = match byte {
                b'a'..=b'z' => (1 << (byte - b'a'), 1 << (byte - b'a' + 26)),
                b'0'..=b'9' => (1 << (byte - b'0' + 52), 0),
                _ => (0, 0),
            };
            if bits & once == 0 && once != 0 {
                bits |= once;
            } else if bits & twice == 0 && twice != 0 {
                bits |= twice;
            } else {
                more += 1;
            }
        }
        let first = text.bytes().chain([0; 4]).take(4).fold(0, |first, byte| first << 8 | u32::from(byte));
        Self { bits, more, first }
    }

    fn common_prefix(self, other: Self) -> usize {
        match (self.first ^ other.first).leading_zeros() / 8 {
            0 => 0,
            1 => 1,
            2 => 2,
            3 => 3,
            _ => PREFIX_MAX,
        }
    }
}

/// Returns whether at most `many` bits are set. Clearing them one by one is faster than counting, because `many` is
/// small.
fn has_at_most(mut bits: u64, many: u32) -> bool {
    for _ in 0..many {
        bits &= bits.wrapping_sub(1);
    }
    bits == 0
}

/// The most common letters, which split the words into groups of similar size.
const GROUPING: [u8; 14] = *b"aeiounrslmtdhk";

fn grouping(letters: Letters) -> u64 {
    let mask = GROUPING.iter().fold(0, |mask, letter| mask | 1_u64 << (letter - b'a'));
    letters.bits & mask
}

/// Letters of each word that are stored contiguously for fast access.
const SPELLED: usize = 16;

fn spelled(text: &str) -> [u8; SPELLED] {
    let mut spelled = [0; SPELLED];
    spelled.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
    spelled
}

struct Lookup {
    letters: Letters,
    bits: u32,
    places: Positions,
    length: usize,
}

impl Lookup {
    fn of(text: &str) -> Self {
        let letters = Letters::of(text);
        let (bits, places) = (letters.bits.count_ones(), Positions::of(text.as_bytes()));
        Self { letters, bits, places, length: text.len().min(LETTERS_MAX) }
    }

    /// Returns whether another word may share `needed` letters, in any position.
    fn may_share(&self, theirs: Letters, needed: u32) -> bool {
        let enough = self.bits + self.letters.more.min(theirs.more);
        enough >= needed && has_at_most(self.letters.bits & !theirs.bits, enough - needed)
    }

    /// Returns the number of matching letters: each letter takes the first free equal letter within reach. The number
    /// is the same from either side, because the window moves with the position. Letters beyond [`SPELLED`] count as
    /// matching.
    fn matching_at_most(&self, theirs: &[u8; SPELLED], length: usize) -> u32 {
        let near = Near::of(self.length, length);
        let seen = length.min(SPELLED);
        let mut taken = 0;
        for (at, letter) in theirs[..seen].iter().enumerate() {
            taken |= first_bit(self.places.of_letter(*letter) & near.window(at) & !taken);
        }
        taken.count_ones() + small(length - seen)
    }
}

fn small(places: usize) -> u32 {
    u32::try_from(places).unwrap_or(u32::MAX)
}

/// The words of one length that have the same grouping letters, as a range of the grouped words.
#[derive(Debug)]
struct Group {
    letters: u64,
    words: std::ops::Range<usize>,
}

/// A word of the list with the names that contain it.
#[derive(Debug)]
pub(super) struct Entered {
    pub word: Word,
    /// The position of each name in the list, and of the word in the name.
    pub names: Vec<(usize, usize)>,
}

/// The words of a list with two letters or more. Initials are matched through the other words of their name.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// Sorted by text, so words with the same prefix are adjacent.
    entered: Vec<Entered>,
    letters: Vec<Letters>,
    spelled: Vec<[u8; SPELLED]>,
    lengths: Vec<usize>,
    /// Indexed by the length of their words.
    groups: Vec<Vec<Group>>,
    /// The words of each group, with their indexes in `entered`.
    grouped: Vec<(Letters, usize)>,
    by_skeleton: HashMap<String, Vec<usize>>,
    /// Indexed by the length of the searched word.
    needed: Vec<Needed>,
}

/// The number of letters that two words must share, by the other word's length and the common prefix; [`NEVER`] if no
/// number is enough.
type Needed = Vec<[u32; PREFIX_MAX + 1]>;
const NEVER: u32 = u32::MAX;

impl Vocabulary {
    /// Takes distinct words, sorted by their texts.
    pub(super) fn of(entered: Vec<Entered>) -> Self {
        let letters: Vec<Letters> = entered.iter().map(|entered| Letters::of(&entered.word.text)).collect();
        let spelled = entered.iter().map(|entered| spelled(&entered.word.text)).collect();
        let lengths: Vec<usize> = entered.iter().map(|entered| entered.word.text.len().min(LETTERS_MAX)).collect();
        let mut by_skeleton: HashMap<String, Vec<usize>> = HashMap::new();
        let mut grouping_of: BTreeMap<(usize, u64), Vec<(Letters, usize)>> = BTreeMap::new();
        let mut longest = 0;
        for (at, Entered { word, .. }) in entered.iter().enumerate() {
            by_skeleton.entry(word.skeleton.clone()).or_default().push(at);
            let length = lengths[at];
            longest = longest.max(length);
            if length >= FUZZY_LETTERS_MIN {
                grouping_of.entry((length, grouping(letters[at]))).or_default().push((letters[at], at));
            }
        }
        let mut groups: Vec<Vec<Group>> = (0..=longest).map(|_| Vec::new()).collect();
        let mut grouped = Vec::new();
        for ((length, letters), words) in grouping_of {
            groups[length].push(Group { letters, words: grouped.len()..grouped.len() + words.len() });
            grouped.extend(words);
        }
        let needed = (0..=LETTERS_MAX).map(|length| needed(length, longest)).collect();
        Self { entered, letters, spelled, lengths, groups, grouped, by_skeleton, needed }
    }

    /// Returns the words similar to this one, each once and sorted by text, with their similarity.
    pub(super) fn alike<'a>(&'a self, word: &'a Word) -> impl Iterator<Item = (&'a Entered, (i64, Alike))> {
        let mut found: Vec<usize> = Vec::new();
        found.extend(self.entered.binary_search_by(|entered| entered.word.text.cmp(&word.text)).ok());
        let asked = Lookup::of(&word.text);
        if word.text.len() >= FUZZY_LETTERS_MIN {
            found.extend(self.by_skeleton.get(&word.skeleton).into_iter().flatten());
            let needed = &self.needed[asked.length];
            self.with_other_beginnings(&asked, needed, &mut found);
            self.with_the_same_beginning(&asked, needed, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(move |at| {
            let entered = &self.entered[at];
            Some((entered, likeness_by(word, || &asked.places, &entered.word)?))
        })
    }

    /// Adds words that share enough letters, whether or not their first letters agree.
    fn with_other_beginnings(&self, asked: &Lookup, needed: &Needed, found: &mut Vec<usize>) {
        let our_group = grouping(asked.letters);
        for (their_length, groups) in self.groups.iter().enumerate() {
            let needed = needed[their_length][0];
            let (Some(we_may_lack), Some(they_may_lack)) =
                (small(asked.length).checked_sub(needed), small(their_length).checked_sub(needed))
            else {
                continue;
            };
            let near = groups.iter().filter(|group| {
                has_at_most(our_group & !group.letters, we_may_lack)
                    && has_at_most(group.letters & !our_group, they_may_lack)
            });
            for (theirs, at) in near.flat_map(|group| &self.grouped[group.words.clone()]) {
                if asked.may_share(*theirs, needed)
                    && asked.matching_at_most(&self.spelled[*at], their_length) >= needed
                {
                    found.push(*at);
                }
            }
        }
    }

    /// Adds words with the same first letter that share enough letters.
    fn with_the_same_beginning(&self, asked: &Lookup, needed: &Needed, found: &mut Vec<usize>) {
        let first = |letters: &Letters| letters.first >> 24;
        let from = self.letters.partition_point(|letters| first(letters) < first(&asked.letters));
        let to = self.letters.partition_point(|letters| first(letters) <= first(&asked.letters));
        for at in from..to {
            let theirs = self.letters[at];
            let needed = needed[self.lengths[at]][asked.letters.common_prefix(theirs)];
            if asked.may_share(theirs, needed) && asked.matching_at_most(&self.spelled[at], self.lengths[at]) >= needed
            {
                found.push(at);
            }
        }
    }
}

fn needed(length: usize, longest: usize) -> Needed {
    let of = |other: usize, prefix: usize| -> u32 {
        if other < FUZZY_LETTERS_MIN {
            return NEVER;
        }
        let enough = |matching: &usize| winkler((length, other), *matching, 0, prefix) >= PARTNER_MIN;
        let fewest = (1..=length.min(other)).find(enough);
        fewest.and_then(|fewest| u32::try_from(fewest).ok()).unwrap_or(NEVER)
    };
    (0..=longest).map(|other| std::array::from_fn(|prefix| of(other, prefix))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::screening::likeness::likeness;

    fn vocabulary(texts: &[String]) -> Vocabulary {
        let mut texts = texts.to_vec();
        texts.sort();
        texts.dedup();
        let entered = |text: &String| Entered { word: Word::of(text), names: Vec::new() };
        Vocabulary::of(texts.iter().map(entered).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn the_index_passes_over_no_word_that_is_alike(
            texts in prop::collection::vec("[a-f]{2,5}|[a-z0-9]{2,12}|[mnae]{4,24}|(mo|ha|med|ab|dul|ra|n){2,4}", 1..300),
            asked in prop::collection::vec("[a-f]{2,5}|[mnae]{2,24}|(mo|ha|med|ab|dul|ra|n){2,4}", 1..10),
        ) {
            let vocabulary = vocabulary(&texts);
            for text in asked.iter().chain(texts.iter().take(20)) {
                let word = Word::of(text);
                let found: Vec<&str> = vocabulary.alike(&word).map(|(entered, _)| entered.word.text.as_str()).collect();
                let all: Vec<&str> = vocabulary
                    .entered
                    .iter()
                    .filter(|entered| likeness(&word, &entered.word).is_some())
                    .map(|entered| entered.word.text.as_str())
                    .collect();
                prop_assert_eq!(found, all);
            }
        }
    }

    #[test]
    fn few_words_are_compared_letter_by_letter() {
        let texts: Vec<String> = (0..5_000_u32).map(|n| format!("{:x}", n.wrapping_mul(2_654_435_761))).collect();
        let texts: Vec<String> =
            texts.iter().map(|text| text.bytes().map(|b| char::from(b'a' + b % 23)).collect()).collect();
        let vocabulary = vocabulary(&texts);
        let word = Word::of(&texts[7]);
        let asked = Lookup::of(&word.text);
        let needed = &vocabulary.needed[asked.length];
        let mut found = Vec::new();
        vocabulary.with_other_beginnings(&asked, needed, &mut found);
        vocabulary.with_the_same_beginning(&asked, needed, &mut found);
        assert!(found.len() < texts.len() / 10, "{} of {}", found.len(), texts.len());
    }
}
