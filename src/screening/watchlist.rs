//! A list that names are looked up in, and what a look-up finds.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Serialize;

use super::compare::{Comparison, UNMATCHED_FULL, compare_from};
use super::folded::{FoldedName, Role, Word};
use super::likeness::FUZZY_LETTERS_MIN;
use super::ofac::{self, BadList, Files};
use super::vocabulary::{Entered, Vocabulary};
use crate::clock::Time;
use crate::world::record::words;

/// The score from which on a name is reviewed, unless the program is told otherwise.
pub const SCORE_MIN: i64 = 85;
/// What a weak alias takes off the score: many people are called so.
const WEAK_COST: i64 = 5;
/// Most hits that are told of one name; somebody looks at each.
const HITS_MAX: usize = 20;

words! {
    /// What is on a list.
    pub enum EntryKind {
        /// A person.
        Individual = "individual",
        /// A company or another body.
        Entity = "entity",
        /// A ship; no name of a person is compared with it.
        Vessel = "vessel",
        /// An aircraft; no name of a person is compared with it.
        Aircraft = "aircraft",
    }
}

words! {
    /// Which of an entry's names.
    pub enum NameKind {
        /// The one that it is listed by.
        Primary = "primary",
        /// Also known as.
        Alias = "aka",
        /// Formerly known as.
        Formerly = "fka",
        /// Now known as.
        Now = "nka",
        /// A nickname that many others have too.
        Weak = "weak_aka",
    }
}

/// Somebody on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The list's own number, `ent_num`.
    pub number: i64,
    /// What it is.
    pub kind: EntryKind,
    /// All names; the first is the primary one.
    pub names: Vec<(NameKind, String)>,
    /// Under which programs.
    pub program: Option<String>,
    /// Title or office.
    pub title: Option<String>,
    /// Dates and places of birth, passports, and more: what tells people apart.
    pub remarks: Option<String>,
    /// Addresses.
    pub addresses: Vec<String>,
}

/// Which list it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ListVersion {
    /// SHA-256 of the files.
    pub hash: String,
    /// When its newest file was written.
    #[schema(value_type = String, format = DateTime)]
    pub published: Time,
    /// People, companies, ships and aircraft on it.
    pub entries: usize,
    /// Names that are compared: of people and companies, aliases included.
    pub names: usize,
    /// The score from which on a name is reviewed.
    pub score_min: i64,
}

/// A name on the list that is like the screened one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Who.
    pub entry: Arc<Entry>,
    /// The name that is most like it.
    pub listed_name: String,
    /// Which of the entry's names that is.
    pub name_kind: NameKind,
    /// 0 to 100, what a weak alias takes off included.
    pub score: i64,
    /// How the score came about.
    pub comparison: Comparison,
}

struct Listed {
    entry: Arc<Entry>,
    kind: NameKind,
    name: String,
    folded: FoldedName,
    counts: Counts,
}

/// What of a name decides whether comparing it is worth the while.
#[derive(Clone, Copy)]
struct Counts {
    full_words: usize,
    letters: usize,
}

impl Counts {
    fn of(name: &FoldedName) -> Self {
        Self { full_words: name.full_words(), letters: name.letters() }
    }
}

/// How many words of the screened name, and of one on the list, have a partner at most, initials left aside.
#[derive(Clone, Copy, Default)]
struct Reached {
    ours: u16,
    theirs: u16,
    /// The last word that reached it, so that each word counts once.
    by: u16,
}

/// A list, ready to be asked.
pub struct Watchlist {
    version: ListVersion,
    listed: Vec<Listed>,
    /// The words of the names.
    words: Vocabulary,
    /// Each two words that follow each other, as one: for those who write them so.
    joined: Vocabulary,
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
    /// Reads a list. `published` is when its newest file was written; from `score_min` on a name is a hit.
    ///
    /// # Errors
    /// [`BadList`].
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
        let words = vocabulary(&listed, |name| name.words.iter().filter(|word| is_searched(word)).collect());
        let joined = vocabulary(&listed, |name| name.joined.iter().collect());
        Ok(Self { version, listed, words, joined })
    }

    /// The sandbox's list: invented people, in the same format.
    pub fn of_sandbox() -> Arc<Self> {
        OF_SANDBOX.clone()
    }

    /// Which list it is.
    pub fn version(&self) -> &ListVersion {
        &self.version
    }

    /// Everybody on the list whose name is like this one, the likest first, at most twenty.
    pub fn screen(&self, name: &str) -> Vec<Hit> {
        let screened = FoldedName::of(name);
        let mut best: BTreeMap<i64, Hit> = BTreeMap::new();
        for at in self.candidates(&screened) {
            let listed = &self.listed[at];
            let cost = cost_of(listed.kind);
            let Some(comparison) = compare_from(self.version.score_min + cost, &screened, &listed.folded) else {
                continue;
            };
            let score = comparison.score - cost;
            let known = best.get(&listed.entry.number).map_or(-1, |hit| hit.score);
            if score > known {
                let (entry, listed_name) = (listed.entry.clone(), listed.name.clone());
                best.insert(entry.number, Hit { entry, listed_name, name_kind: listed.kind, score, comparison });
            }
        }
        let mut hits: Vec<Hit> = best.into_values().collect();
        hits.sort_by_key(|hit| (-hit.score, hit.entry.number));
        hits.truncate(HITS_MAX);
        hits
    }

    /// The names that may be like this one, in the order of the list: those that share a word with it, and enough
    /// of them. A name that is left out could not have reached the score; see [`may_reach`].
    fn candidates(&self, screened: &FoldedName) -> Vec<usize> {
        let mut reached = vec![Reached::default(); self.listed.len()];
        let mut found = Vec::new();
        let alone = screened.words.iter().filter(|word| is_searched(word)).map(|word| (word, false));
        let joined = screened.joined.iter().map(|word| (word, true));
        for (number, (word, is_joined)) in (1..).zip(alone.chain(joined)) {
            let mut reach = |name: usize, ours: u16, theirs: u16| {
                let reached = &mut reached[name];
                if reached.by != number {
                    if reached.by == 0 {
                        found.push(name);
                    }
                    *reached = Reached { ours: reached.ours + ours, theirs: reached.theirs + theirs, by: number };
                }
            };
            // One word beside two counts for more than one beside one: it comes first. Two beside two is never
            // better than each beside its own.
            if !is_joined {
                self.joined.alike(word).flat_map(|entered| &entered.names).for_each(|name| reach(*name, 1, 2));
            }
            let ours = if is_joined { 2 } else { 1 };
            self.words.alike(word).flat_map(|entered| &entered.names).for_each(|name| reach(*name, ours, 1));
        }
        let counts = Counts::of(screened);
        found.retain(|at| {
            let listed = &self.listed[*at];
            may_reach(self.version.score_min + cost_of(listed.kind), reached[*at], counts, listed.counts)
        });
        found.sort_unstable();
        found
    }
}

/// What its kind takes off a name's score.
fn cost_of(kind: NameKind) -> i64 {
    match kind {
        NameKind::Weak => WEAK_COST,
        NameKind::Primary | NameKind::Alias | NameKind::Formerly | NameKind::Now => 0,
    }
}

/// Whether a name could have this score if all partners were the same letter by letter: a word without a partner
/// costs, and one word alone is no name unless it is all there is. A letter may be a partner of any word.
fn may_reach(score_min: i64, reached: Reached, ours: Counts, theirs: Counts) -> bool {
    let our_partners = usize::from(reached.ours) + theirs.letters;
    let their_partners = usize::from(reached.theirs) + ours.letters;
    let single = ours.full_words <= 1 && theirs.full_words <= 1;
    if our_partners.max(their_partners) < 2 && !single {
        return false;
    }
    let left = ours.full_words.saturating_sub(our_partners) + theirs.full_words.saturating_sub(their_partners);
    i64::try_from(left).is_ok_and(|left| 100 - UNMATCHED_FULL * left >= score_min)
}

/// Whether a name is found by this word: it carries the name, or it could be taken for one that does.
fn is_searched(word: &Word) -> bool {
    word.role == Role::Full || word.text.len() >= FUZZY_LETTERS_MIN
}

fn vocabulary(listed: &[Listed], words_of: impl Fn(&FoldedName) -> Vec<&Word>) -> Vocabulary {
    let mut entered: BTreeMap<&str, Entered> = BTreeMap::new();
    for (at, Listed { folded, .. }) in listed.iter().enumerate() {
        for word in words_of(folded) {
            let new = || Entered { word: word.clone(), names: Vec::new() };
            entered.entry(&word.text).or_insert_with(new).names.push(at);
        }
    }
    Vocabulary::of(entered.into_values().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::screening::{common_name, compare, made_list, made_name};

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

    /// The hits without an index: every name of the list is compared.
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

    /// Names of words that are like each other, with particles, initials and words written together or apart.
    fn tangled_names() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            6 => prop::sample::select(vec![
                "mohammed", "muhammad", "mahmoud", "ahmed", "ahmad", "abdul", "abdal", "rahman", "abdulrahman",
                "abdalrahman", "ivanov", "ivanova", "sergei", "sergey", "serguei", "ali", "alia", "khan", "kahn",
                "bint", "bind", "jean", "claude", "jeanclaude", "jose", "josef", "alamin", "amin", "amina", "li", "wei",
            ]).prop_map(str::to_owned),
            1 => prop::sample::select(vec!["al", "bin", "de", "y", "j", "m", "a", "s", "c"]).prop_map(str::to_owned),
            1 => "[a-d]{2,6}",
        ];
        prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn the_index_finds_what_comparing_with_everybody_finds(
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
    fn the_index_finds_what_comparing_with_everybody_finds_on_a_longer_list() {
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
        // Measured at full size: see docs/performance.md. A change of the rules that reviews many more must be seen.
        assert!(wrong <= 2, "{wrong} of 500 names were like one of the list by chance");
        let missed =
            (1..=500).step_by(5).filter(|number| number % 4 != 0 && list.screen(&made_name(*number)).is_empty());
        assert_eq!(missed.count(), 0, "who is on the list is found");
    }

    #[test]
    fn few_names_of_a_long_list_are_compared_as_a_whole() {
        let list = made_list(4_000, SCORE_MIN).unwrap();
        let compared = |name: String| list.candidates(&FoldedName::of(&name)).len();
        let most = (1..=50).map(|number| compared(made_name(number)).max(compared(made_name(number + 9_000)))).max();
        // One in fifty; nearly all of the rest share no word, or one where two are needed.
        assert!(most.unwrap() <= 80, "{most:?} of 4,000 names");
    }
}
