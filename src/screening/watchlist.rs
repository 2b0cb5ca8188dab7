//! A list of sanctioned names and the search for similar ones.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Serialize;

use super::compare::{Candidate, Comparison, compare, cost_of_full, may_be_two, score_by};
use super::entry::{Entry, EntryKind, NameKind};
use super::folded::{FoldedName, Role, Word};
use super::likeness::{Alike, FUZZY_LETTERS_MIN, likeness};
use super::ofac::{self, BadList, Files};
use super::spaceless;
use super::vocabulary::{Entered, Vocabulary};
use crate::clock::Time;

/// The default score from which a name needs a review.
pub const SCORE_MIN: i64 = 85;
/// Deducted from the score of a weak alias, because many people use it.
const WEAK_COST: i64 = 5;
/// Most hits per name; a reviewer reads each of them.
const HITS_MAX: usize = 20;

/// The version of the sanctions list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ListVersion {
    /// SHA-256 of the files.
    pub hash: String,
    /// When the newest file was written.
    #[schema(value_type = String, format = DateTime)]
    pub published: Time,
    /// People, companies, ships and aircraft on the list.
    pub entries: usize,
    /// Names that are compared: those of people and companies, with aliases.
    pub names: usize,
    /// The score from which a name needs a review.
    pub score_min: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub entry: Arc<Entry>,
    /// The most similar name of the entry.
    pub listed_name: String,
    pub name_kind: NameKind,
    /// 0 to 100, after the deduction for a weak alias.
    pub score: i64,
    pub comparison: Comparison,
}

struct Listed {
    entry: Arc<Entry>,
    kind: NameKind,
    name: String,
    folded: FoldedName,
    counts: Counts,
}

/// The counts of a name that decide whether it is worth comparing.
#[derive(Clone, Copy)]
struct Counts {
    full_words: usize,
    letters: usize,
    /// Words that are not searched: initials, and particles of two or three letters.
    short_words: usize,
}

impl Counts {
    fn of(name: &FoldedName) -> Self {
        let short_words = name.words.iter().filter(|word| !is_searched(word)).count();
        Self { full_words: name.full_words(), letters: name.letters(), short_words }
    }
}

/// An upper bound of the words with a partner in the screened and the listed name, without initials.
#[derive(Clone, Copy)]
struct Reached {
    ours: u16,
    theirs: u16,
    /// The last word that was counted, so that each word counts once.
    by: u16,
    /// The last pair of the name; [`NO_PAIR`] while it has none.
    last_pair: u32,
}

const NO_PAIR: u32 = u32::MAX;

impl Default for Reached {
    fn default() -> Self {
        Self { ours: 0, theirs: 0, by: 0, last_pair: NO_PAIR }
    }
}

pub struct Watchlist {
    version: ListVersion,
    listed: Vec<Listed>,
    words: Vocabulary,
    /// Each two adjacent words joined, for names written without that space.
    joined: Vocabulary,
    spaceless: spaceless::Index,
}

impl std::fmt::Debug for Watchlist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Watchlist({}, {} names)", self.version.hash, self.version.names)
    }
}

static OF_SANDBOX: LazyLock<Arc<Watchlist>> = LazyLock::new(|| {
    let files = Files {
        sdn: include_bytes!("../../fixtures/sanctions/SDN.CSV").to_vec(),
        alt: include_bytes!("../../fixtures/sanctions/ALT.CSV").to_vec(),
        add: include_bytes!("../../fixtures/sanctions/ADD.CSV").to_vec(),
        comments: Some(include_bytes!("../../fixtures/sanctions/SDN_COMMENTS.CSV").to_vec()),
    };
    let published = Time::parse("2026-01-01T00:00:00Z").expect("a moment that is written out");
    Arc::new(Watchlist::read(&files, published, SCORE_MIN).expect("the list that the program carries can be read"))
});

impl Watchlist {
    /// Parses a list. `published` is when its newest file was written; a name is a hit from `score_min`.
    pub fn read(files: &Files, published: Time, score_min: i64) -> Result<Self, BadList> {
        let entries: Vec<Arc<Entry>> = ofac::read(files)?.into_iter().map(Arc::new).collect();
        let mut listed = Vec::new();
        for entry in &entries {
            match entry.kind {
                EntryKind::Individual | EntryKind::Entity => {}
                EntryKind::Vessel | EntryKind::Aircraft => continue,
            }
            listed.extend(entry.names.iter().map(|(kind, name)| {
                let folded = FoldedName::of(name);
                let counts = Counts::of(&folded);
                Listed { entry: entry.clone(), kind: *kind, name: name.clone(), folded, counts }
            }));
        }
        let (entries, names) = (entries.len(), listed.len());
        let version = ListVersion { hash: files.hash(), published, entries, names, score_min };
        let words = vocabulary(&listed, |name| &name.words, is_searched);
        let joined = vocabulary(&listed, |name| &name.joined, |_| true);
        let spaceless = spaceless::Index::of(listed.iter().map(|listed| &listed.folded));
        Ok(Self { version, listed, words, joined, spaceless })
    }

    /// Returns the sandbox's list of invented people in the published format.
    pub fn of_sandbox() -> Arc<Self> {
        OF_SANDBOX.clone()
    }

    pub fn version(&self) -> &ListVersion {
        &self.version
    }

    /// Returns the listed entries with a similar name, best first, at most twenty.
    pub fn screen(&self, name: &str) -> Vec<Hit> {
        let readings = FoldedName::readings(name);
        let mut best: BTreeMap<i64, (i64, usize, &FoldedName)> = BTreeMap::new();
        for screened in &readings {
            for (at, score) in self.alike(screened) {
                let known = best.entry(self.listed[at].entry.number).or_insert((score, at, screened));
                if score > known.0 {
                    *known = (score, at, screened);
                }
            }
        }
        let mut best: Vec<(i64, usize, &FoldedName)> = best.into_values().collect();
        best.sort_by_key(|(score, at, _)| (-score, self.listed[*at].entry.number));
        best.truncate(HITS_MAX);
        let hits = best.into_iter().map(|(score, at, screened)| {
            let Listed { entry, kind, name, folded, .. } = &self.listed[at];
            let comparison = compare(screened, folded);
            Hit { entry: entry.clone(), listed_name: name.clone(), name_kind: *kind, score, comparison }
        });
        hits.collect()
    }

    /// Returns the similar names with their scores. A name is left out if it shares too few words ([`may_reach`]) or
    /// its words are not similar enough to reach the score.
    fn alike(&self, screened: &FoldedName) -> Vec<(usize, i64)> {
        let shared = self.shared_words(screened);
        let counts = Counts::of(screened);
        let mut pairs = Vec::new();
        let mut found = Vec::new();
        for at in shared.names.iter().copied() {
            let listed = &self.listed[at];
            let cost = cost_of(listed.kind);
            if !may_reach(self.version.score_min + cost, shared.reached[at], counts, listed.counts) {
                continue;
            }
            pairs.clear();
            shared.pairs_of(at, &mut pairs);
            if counts.short_words + listed.counts.short_words > 0 {
                pair_short_words(screened, &listed.folded, &mut pairs);
            }
            let score = score_by(&mut pairs, screened, &listed.folded) - cost;
            if score >= self.version.score_min {
                found.push((at, score));
            }
        }
        for at in self.spaceless.candidates(screened) {
            let listed = &self.listed[at];
            let score =
                spaceless::compare(screened, &listed.folded).map_or(0, |(score, _)| score) - cost_of(listed.kind);
            if score >= self.version.score_min {
                found.push((at, score));
            }
        }
        found.sort_unstable();
        found
    }

    fn shared_words(&self, screened: &FoldedName) -> Shared {
        let mut shared = Shared::with(self.listed.len());
        let searched = screened.words.iter().enumerate().filter(|(_, word)| is_searched(word));
        for (number, (at, word)) in (1..).zip(searched.clone()) {
            // One word against two comes first, because it counts for more than one against one. Two against two is
            // never better than word against word.
            if may_be_two(word) {
                for (entered, alike) in self.joined.alike(word) {
                    shared.add(number, &entered.names, alike, ((at, 1), 2));
                }
            }
            for (entered, alike) in self.words.alike(word) {
                shared.add(number, &entered.names, alike, ((at, 1), 1));
            }
        }
        let alone = u16::try_from(searched.count()).unwrap_or(u16::MAX);
        for (number, (at, word)) in (alone + 1..).zip(screened.joined.iter().enumerate()) {
            for (entered, alike) in self.words.alike(word).filter(|(entered, _)| may_be_two(&entered.word)) {
                shared.add(number, &entered.names, alike, ((at, 2), 1));
            }
        }
        shared
    }
}

/// Pairs of similar words by name, as one linked list per name, the last pair first.
struct Shared {
    reached: Vec<Reached>,
    /// Names that share a word, each once.
    names: Vec<usize>,
    pairs: Vec<(Candidate, u32)>,
}

impl Shared {
    fn with(names: usize) -> Self {
        Self { reached: vec![Reached::default(); names], names: Vec::new(), pairs: Vec::new() }
    }

    /// Adds a pair to each of these names. `number` identifies our word, so that it counts once per name; `ours` is its
    /// position, and `many` the number of their words in the pair.
    fn add(
        &mut self,
        number: u16,
        names: &[(usize, usize)],
        alike: (i64, Alike),
        (ours, many): ((usize, usize), usize),
    ) {
        let (our_words, their_words) = if many == 2 { (1, 2) } else { (if ours.1 == 2 { 2 } else { 1 }, 1) };
        for (name, at) in names {
            let reached = &mut self.reached[*name];
            if reached.last_pair == NO_PAIR {
                self.names.push(*name);
            }
            if reached.by != number {
                reached.ours += our_words;
                reached.theirs += their_words;
                reached.by = number;
            }
            self.pairs.push((Candidate::of(alike, ours, (*at, many)), reached.last_pair));
            // Memory runs out long before `u32` does.
            reached.last_pair = u32::try_from(self.pairs.len() - 1).unwrap_or(NO_PAIR);
        }
    }

    fn pairs_of(&self, name: usize, pairs: &mut Vec<Candidate>) {
        let mut next = self.reached[name].last_pair;
        while let Some((pair, before)) = usize::try_from(next).ok().and_then(|at| self.pairs.get(at)) {
            pairs.push(*pair);
            next = *before;
        }
    }
}

/// Adds the pairs of words that are too short for the index: equal particles, and initials with their words.
fn pair_short_words(screened: &FoldedName, listed: &FoldedName, pairs: &mut Vec<Candidate>) {
    for (i, our_word) in screened.words.iter().enumerate() {
        for (j, their_word) in listed.words.iter().enumerate() {
            if !(is_searched(our_word) && is_searched(their_word)) {
                pairs.extend(likeness(our_word, their_word).map(|alike| Candidate::of(alike, (i, 1), (j, 1))));
            }
        }
    }
}

fn cost_of(kind: NameKind) -> i64 {
    match kind {
        NameKind::Weak => WEAK_COST,
        NameKind::Primary | NameKind::Alias | NameKind::Formerly | NameKind::Now => 0,
    }
}

/// Returns whether a name could reach the score if all partners were equal: words without a partner cost, and a single
/// word matches only a name of one word. A letter may be the partner of any word.
fn may_reach(score_min: i64, reached: Reached, ours: Counts, theirs: Counts) -> bool {
    let our_partners = usize::from(reached.ours) + theirs.letters;
    let their_partners = usize::from(reached.theirs) + ours.letters;
    let single = ours.full_words <= 1 && theirs.full_words <= 1;
    if our_partners.max(their_partners) < 2 && !single {
        return false;
    }
    let left = |words: usize, partners: usize| i64::try_from(words.saturating_sub(partners)).unwrap_or(i64::MAX / 100);
    let cost = cost_of_full(left(ours.full_words, our_partners), left(theirs.full_words, their_partners));
    100 - cost >= score_min
}

/// Returns whether the index contains this word: full words, and longer particles that could be mistaken for one.
fn is_searched(word: &Word) -> bool {
    word.role == Role::Full || word.text.len() >= FUZZY_LETTERS_MIN
}

fn vocabulary(
    listed: &[Listed],
    words_of: impl Fn(&FoldedName) -> &Vec<Word>,
    is_entered: impl Fn(&Word) -> bool,
) -> Vocabulary {
    let mut entered: BTreeMap<&str, Entered> = BTreeMap::new();
    for (name, Listed { folded, .. }) in listed.iter().enumerate() {
        for (at, word) in words_of(folded).iter().enumerate().filter(|(_, word)| is_entered(word)) {
            let new = || Entered { word: word.clone(), names: Vec::new() };
            entered.entry(&word.text).or_insert_with(new).names.push((name, at));
        }
    }
    Vocabulary::of(entered.into_values().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::screening::{common_name, made_list, made_name};

    fn hits(name: &str) -> Vec<String> {
        Watchlist::of_sandbox().screen(name).into_iter().map(|hit| hit.entry.names[0].1.clone()).collect()
    }

    #[test]
    fn listed_names_are_found_however_they_are_written() {
        for name in ["Test Sanctioned", "TEST  SANCTIONED", "Sanctioned, Test", " test-sanctioned ", "Tést Sanctioned"]
        {
            assert_eq!(hits(name), ["SANCTIONED, Test"], "{name}");
        }
        assert_eq!(hits("Ondrej Vexler"), ["VEXLER, Ondrej Matous"]);
        assert_eq!(hits("Andrej Wexler"), ["VEXLER, Ondrej Matous"], "by an alias");
        for name in [
            "T3st S4nct10ned",
            "Te5t Sanct1oned",
            "T e s t S a n c t i o n e d",
            "Testsanc tioned",
            "TestSanctioned X",
            "Test Sanctioned-Smith-Johnson-Brown",
        ] {
            assert_eq!(hits(name), ["SANCTIONED, Test"], "{name}");
        }
        assert_eq!(hits("Ondrejj Maria Vexler"), ["VEXLER, Ondrej Matous"]);
        assert_eq!(hits("0ndrej Vex1er"), ["VEXLER, Ondrej Matous"]);
        for name in ["", "Test", "Sanctioned", "Jane Doe", "Test Smith", "Person 7 Doe"] {
            assert_eq!(hits(name), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn ships_are_no_people_and_nicknames_count_for_less() {
        assert!(hits("Ivory Petrel").is_empty(), "a vessel of that name is on the list");
        let weak = Watchlist::of_sandbox().screen("Marble Falconer");
        assert_eq!((weak[0].name_kind, weak[0].score), (NameKind::Weak, 100 - WEAK_COST));
    }

    /// Compares every name of the list, without the index.
    fn hits_of_a_full_scan(list: &Watchlist, name: &str) -> Vec<(i64, i64)> {
        let folded = FoldedName::of(name);
        let mut best: BTreeMap<i64, i64> = BTreeMap::new();
        for listed in &list.listed {
            let score = compare(&folded, &listed.folded).score - cost_of(listed.kind);
            let known = best.entry(listed.entry.number).or_insert(score);
            *known = score.max(*known);
        }
        let mut hits: Vec<(i64, i64)> = best.into_iter().map(|(number, score)| (-score, number)).collect();
        hits.retain(|(score, _)| -score >= list.version.score_min);
        hits.sort_unstable();
        hits.truncate(HITS_MAX);
        hits
    }

    fn hits_of_the_index(list: &Watchlist, name: &str) -> Vec<(i64, i64)> {
        list.screen(name).into_iter().map(|hit| (-hit.score, hit.entry.number)).collect()
    }

    /// Generates names of similar words, with particles, initials, and joined or split words.
    fn tangled_names() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            6 => prop::sample::select(vec![
                "mohammed", "muhammad", "mahmoud", "ahmed", "ahmad", "abdul", "abdal", "rahman", "abdulrahman",
                "abdalrahman", "ivanov", "ivanova", "sergei", "sergey", "serguei", "ali", "alia", "khan", "kahn",
                "bint", "bind", "ivan", "ov", "abdulrah", "man", "mohamm", "ed", "jean", "claude", "jeanclaude", "jose", "josef", "alamin", "amin", "amina", "li", "wei",
            ]).prop_map(str::to_owned),
            1 => prop::sample::select(vec!["al", "bin", "de", "y", "j", "m", "a", "s", "c"]).prop_map(str::to_owned),
            1 => "[a-d]{2,6}",
        ];
        prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn the_index_finds_what_a_full_comparison_finds(
            listed in prop::collection::vec(tangled_names(), 1..60),
            asked in prop::collection::vec(tangled_names(), 1..20),
            score_min in 70..=95_i64,
        ) {
            let row = |(number, name): (usize, &String)| {
                format!("{},\"{name}\",individual,SYNTH,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n", number + 1)
            };
            let sdn: String = listed.iter().enumerate().map(row).collect();
            let files = Files { sdn: sdn.into_bytes(), ..Files::default() };
            let list = Watchlist::read(&files, Time::from_micros(0), score_min).unwrap();
            for name in asked.iter().chain(&listed) {
                prop_assert_eq!(hits_of_the_index(&list, name), hits_of_a_full_scan(&list, name), "{}", name);
            }
        }
    }

    #[test]
    fn the_index_finds_what_a_full_comparison_finds_on_a_longer_list() {
        let list = made_list(300, SCORE_MIN).unwrap();
        let asked =
            (1..=300).step_by(7).flat_map(|number| [made_name(number), common_name(number), made_name(number + 9_000)]);
        for name in asked {
            assert_eq!(hits_of_the_index(&list, &name), hits_of_a_full_scan(&list, &name), "{name}");
        }
    }

    #[test]
    fn hardly_any_name_is_like_one_on_a_list_by_chance() {
        let list = made_list(500, SCORE_MIN).unwrap();
        let wrong = (1_000_001..=1_000_500).filter(|number| !list.screen(&made_name(*number)).is_empty()).count();
        // The full-size measurement is in docs/internals/performance.md. This fails if a rule change causes many more
        // reviews.
        assert!(wrong <= 2, "{wrong} of 500 names were like one of the list by chance");
        let missed =
            (1..=500).step_by(5).filter(|number| number % 4 != 0 && list.screen(&made_name(*number)).is_empty());
        assert_eq!(missed.count(), 0, "who is on the list is found");
    }

    #[test]
    fn few_names_of_a_long_list_are_compared_as_a_whole() {
        let list = made_list(4_000, SCORE_MIN).unwrap();
        let compared = |name: String| {
            let folded = FoldedName::of(&name);
            let shared = list.shared_words(&folded);
            let may = |at: &&usize| {
                let listed = &list.listed[**at];
                may_reach(SCORE_MIN + cost_of(listed.kind), shared.reached[**at], Counts::of(&folded), listed.counts)
            };
            shared.names.iter().filter(may).count()
        };
        let most = (1..=50).map(|number| compared(made_name(number)).max(compared(made_name(number + 9_000)))).max();
        // One in fifty: the others share no word, or one word where two are needed.
        assert!(most.unwrap() <= 80, "{most:?} of 4,000 names");
    }
}
