//! The words of a list, each once, and which of them are like a word that is asked for.
//!
//! Jaro-Winkler is computed for few words: two words of given lengths need a certain number of letters in common,
//! and how many they can have is seen from their letters as bits. The bound is exact: no word that is alike is
//! passed over, which the tests hold against a look at every word.

use std::collections::{BTreeMap, HashMap};

use super::folded::Word;
use super::likeness::{
    Alike, FUZZY_LETTERS_MIN, LETTERS_MAX, Near, PARTNER_MIN, PREFIX_MAX, Positions, first_bit, likeness_by, winkler,
};

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

/// Whether at most so many bits are set. Few are asked for, so taking them away one by one is faster than to count.
fn has_at_most(mut bits: u64, many: u32) -> bool {
    for _ in 0..many {
        bits &= bits.wrapping_sub(1);
    }
    bits == 0
}

/// The letters by which words are put in groups: the commonest, so that groups are about as large as each other.
const GROUPING: [u8; 14] = *b"aeiounrslmtdhk";

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

/// The word that is asked for.
struct Lookup {
    letters: Letters,
    /// How many bits it has.
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

    /// Whether another word may have this many letters in common with it, wherever they stand.
    fn may_share(&self, theirs: Letters, needed: u32) -> bool {
        let enough = self.bits + self.letters.more.min(theirs.more);
        enough >= needed && has_at_most(self.letters.bits & !theirs.bits, enough - needed)
    }

    /// Letters of another word that match: each takes the first free one of its kind that stands near it here. From
    /// either side the same number is found, because the places that a letter reaches move on with it. Letters that are not
    /// kept side by side count as matching.
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

/// A length of a word, as bits are counted.
fn small(places: usize) -> u32 {
    u32::try_from(places).unwrap_or(u32::MAX)
}

/// Words of one length that have and lack the same common letters: which of the grouped words they are.
#[derive(Debug)]
struct Group {
    letters: u64,
    words: std::ops::Range<usize>,
}

/// A word of the list, and the names that it stands in.
#[derive(Debug)]
pub(super) struct Entered {
    /// The word.
    pub word: Word,
    /// The names, by their places in the list, and the places of the word in them.
    pub names: Vec<(usize, usize)>,
}

/// All words of a list of two letters and more: an initial is found by what stands beside it.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// By their text, so that those with the same beginning stand together.
    entered: Vec<Entered>,
    letters: Vec<Letters>,
    spelled: Vec<[u8; SPELLED]>,
    lengths: Vec<usize>,
    /// By the length of their words.
    groups: Vec<Vec<Group>>,
    /// The words of each group side by side, with their places in `entered`.
    grouped: Vec<(Letters, usize)>,
    by_skeleton: HashMap<String, Vec<usize>>,
    /// By the length of the word that is asked for.
    needed: Vec<Needed>,
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

    /// The words that are like this one, each once, in the order of their texts, and how alike they are.
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

    /// Adds words that share enough letters to be alike whatever their first letters are.
    fn with_other_beginnings(&self, asked: &Lookup, needed: &Needed, found: &mut Vec<usize>) {
        let our_group = grouping(asked.letters);
        for (their_length, groups) in self.groups.iter().enumerate() {
            let needed = needed[their_length][0];
            // How many of our letters, and of theirs, may be without a partner.
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

    /// Adds words that share the first letter, and with it enough letters to be alike.
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

/// What words of `length` letters must share with others of up to `longest`.
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
