//! The words of a list, each once, and which of them are like a word that is asked for.
//!
//! Jaro-Winkler is computed for few words: two words of given lengths need a certain number of letters in common,
//! and how many they can have is seen from their letters as bits. The bound is exact: no word that is alike is
//! passed over, which the tests hold against a look at every word.

use std::collections::HashMap;

use super::folded::Word;
use super::likeness::{FUZZY_LETTERS_MIN, LETTERS_MAX, PARTNER_MIN, PREFIX_MAX, likeness, winkler};

/// A word's letters as bits: the first and the second time that a letter comes, and the first time of a digit.
#[derive(Clone, Copy, Debug)]
struct Letters {
    bits: u64,
    /// How many letters and digits are not in the bits.
    more: u32,
    /// The first four letters.
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

    /// How many letters they have in common at most, wherever they stand.
    fn shared_at_most(self, other: Self) -> u32 {
        (self.bits & other.bits).count_ones() + self.more.min(other.more)
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

/// The letters by which words are put in groups: the commonest, so that groups are about as large as each other.
const GROUPING: [u8; 10] = *b"aeiounrslm";

fn grouping(letters: Letters) -> u64 {
    let mask = GROUPING.iter().fold(0, |mask, letter| mask | 1_u64 << (letter - b'a'));
    letters.bits & mask
}

/// Letters of each word that are kept side by side, so that looking at them costs little.
const SPELLED: usize = 16;

fn spelled(text: &str) -> [u8; SPELLED] {
    let mut spelled = [0; SPELLED];
    spelled.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
    spelled
}

/// Where each letter stands in the word that is asked for, as bits.
struct Places {
    of_letter: [u64; 256],
    length: usize,
}

impl Places {
    fn of(text: &str) -> Self {
        let mut of_letter = [0; 256];
        for (at, byte) in text.bytes().take(LETTERS_MAX).enumerate() {
            of_letter[usize::from(byte)] |= 1 << at;
        }
        Self { of_letter, length: text.len().min(LETTERS_MAX) }
    }

    /// Letters of another word that match at most: those that stand near the same letter here.
    fn matching_at_most(&self, theirs: &[u8; SPELLED], length: usize) -> u32 {
        let reach = (self.length.max(length) / 2).saturating_sub(1);
        // As many ones as places that a letter reaches to both sides; at most 63, so the shift is defined.
        let window = (1_u64 << (2 * reach + 1).min(63)) - 1;
        let seen = length.min(SPELLED);
        let near = theirs[..seen].iter().enumerate().filter(|(at, letter)| {
            let window =
                if *at >= reach { window.checked_shl(shift(at - reach)) } else { Some(window >> (reach - at)) };
            self.of_letter[usize::from(**letter)] & window.unwrap_or(0) != 0
        });
        shift(near.count() + length - seen)
    }
}

fn shift(places: usize) -> u32 {
    u32::try_from(places).unwrap_or(u32::MAX)
}

/// Words of one length that have and lack the same common letters.
#[derive(Debug)]
struct Group {
    length: usize,
    letters: u64,
    words: Vec<(Letters, usize)>,
}

/// A word of the list, and the names that it stands in.
#[derive(Debug)]
pub(super) struct Entered {
    /// The word.
    pub word: Word,
    /// The names, by their places in the list.
    pub names: Vec<usize>,
}

/// All words of a list of two letters and more: an initial is found by what stands beside it.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// By their text, so that those with the same beginning stand together.
    entered: Vec<Entered>,
    letters: Vec<Letters>,
    spelled: Vec<[u8; SPELLED]>,
    lengths: Vec<usize>,
    groups: Vec<Group>,
    by_skeleton: HashMap<String, Vec<usize>>,
    longest: usize,
}

/// Letters that a word must share with one of another length, by that length and the prefix that they share;
/// [`NEVER`] when no number is enough.
type Needed = Vec<[u32; PREFIX_MAX + 1]>;
const NEVER: u32 = u32::MAX;

impl Vocabulary {
    /// A vocabulary of these words, each once, in the order of their texts.
    pub(super) fn of(entered: Vec<Entered>) -> Self {
        let letters: Vec<Letters> = entered.iter().map(|entered| Letters::of(&entered.word.text)).collect();
        let spelled = entered.iter().map(|entered| spelled(&entered.word.text)).collect();
        let lengths: Vec<usize> = entered.iter().map(|entered| entered.word.text.len().min(LETTERS_MAX)).collect();
        let mut by_skeleton: HashMap<String, Vec<usize>> = HashMap::new();
        let mut groups: HashMap<(usize, u64), Vec<(Letters, usize)>> = HashMap::new();
        let mut longest = 0;
        for (at, Entered { word, .. }) in entered.iter().enumerate() {
            by_skeleton.entry(word.skeleton.clone()).or_default().push(at);
            let length = lengths[at];
            longest = longest.max(length);
            if length >= FUZZY_LETTERS_MIN {
                groups.entry((length, grouping(letters[at]))).or_default().push((letters[at], at));
            }
        }
        let mut groups: Vec<Group> =
            groups.into_iter().map(|((length, letters), words)| Group { length, letters, words }).collect();
        groups.sort_by_key(|group| (group.length, group.letters));
        Self { entered, letters, spelled, lengths, groups, by_skeleton, longest }
    }

    /// The words that are like this one, each once, in the order of their texts.
    pub(super) fn alike<'a>(&'a self, word: &'a Word) -> impl Iterator<Item = &'a Entered> {
        let mut found: Vec<usize> = Vec::new();
        found.extend(self.entered.binary_search_by(|entered| entered.word.text.cmp(&word.text)).ok());
        if word.text.len() >= FUZZY_LETTERS_MIN {
            found.extend(self.by_skeleton.get(&word.skeleton).into_iter().flatten());
            let needed = self.needed(word.text.len().min(LETTERS_MAX));
            self.with_other_beginnings(word, &needed, &mut found);
            self.with_the_same_beginning(word, &needed, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| &self.entered[at]).filter(|entered| likeness(word, &entered.word).is_some())
    }

    fn needed(&self, length: usize) -> Needed {
        let of = |other: usize, prefix: usize| -> u32 {
            if other < FUZZY_LETTERS_MIN {
                return NEVER;
            }
            let enough = |matching: &usize| winkler((length, other), *matching, 0, prefix) >= PARTNER_MIN;
            let fewest = (1..=length.min(other)).find(enough);
            fewest.and_then(|fewest| u32::try_from(fewest).ok()).unwrap_or(NEVER)
        };
        (0..=self.longest).map(|other| std::array::from_fn(|prefix| of(other, prefix))).collect()
    }

    /// Adds words that share enough letters to be alike whatever their first letters are.
    fn with_other_beginnings(&self, word: &Word, needed: &Needed, found: &mut Vec<usize>) {
        let (ours, length) = (Letters::of(&word.text), word.text.len().min(LETTERS_MAX));
        let (our_group, places) = (grouping(ours), Places::of(&word.text));
        for group in &self.groups {
            let needed = needed[group.length][0];
            let lacks = |left: u64, right: u64| usize::try_from((left & !right).count_ones()).unwrap_or(usize::MAX);
            let left = length.saturating_sub(lacks(our_group, group.letters));
            let right = group.length.saturating_sub(lacks(group.letters, our_group));
            if u32::try_from(left.min(right)).is_ok_and(|most| most >= needed) {
                let near = group.words.iter().filter(|(theirs, at)| {
                    ours.shared_at_most(*theirs) >= needed
                        && places.matching_at_most(&self.spelled[*at], group.length) >= needed
                });
                found.extend(near.map(|(_, at)| *at));
            }
        }
    }

    /// Adds words that share the first letter, and with it enough letters to be alike.
    fn with_the_same_beginning(&self, word: &Word, needed: &Needed, found: &mut Vec<usize>) {
        let (ours, places) = (Letters::of(&word.text), Places::of(&word.text));
        let first = |letters: &Letters| letters.first >> 24;
        let from = self.letters.partition_point(|letters| first(letters) < first(&ours));
        let to = self.letters.partition_point(|letters| first(letters) <= first(&ours));
        for at in from..to {
            let theirs = self.letters[at];
            let needed = needed[self.lengths[at]][ours.common_prefix(theirs)];
            if ours.shared_at_most(theirs) >= needed
                && places.matching_at_most(&self.spelled[at], self.lengths[at]) >= needed
            {
                found.push(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
                let found: Vec<&str> = vocabulary.alike(&word).map(|entered| entered.word.text.as_str()).collect();
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
        let needed = vocabulary.needed(word.text.len());
        let mut found = Vec::new();
        vocabulary.with_other_beginnings(&word, &needed, &mut found);
        vocabulary.with_the_same_beginning(&word, &needed, &mut found);
        assert!(found.len() < texts.len() / 10, "{} of {}", found.len(), texts.len());
    }
}
