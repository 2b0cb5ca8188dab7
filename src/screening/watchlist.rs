//! A list that names are looked up in, and what a look-up finds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use serde::Serialize;

use super::compare::{Comparison, compare, letters, likeness, may_be_alike};
use super::folded::{FoldedName, Role, Word};
use super::ofac::{self, BadList, Files};
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
}

/// A word of the list, and the names that it stands in. Two words that follow each other are here as one too, for
/// those who write them so.
struct Entered {
    word: Word,
    letters: u64,
    names: Vec<usize>,
}

/// A list, ready to be asked.
pub struct Watchlist {
    version: ListVersion,
    listed: Vec<Listed>,
    entered: Vec<Entered>,
    by_text: HashMap<String, usize>,
    by_skeleton: HashMap<String, Vec<usize>>,
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
            listed.extend(entry.names.iter().map(|(kind, name)| Listed {
                entry: entry.clone(),
                kind: *kind,
                name: name.clone(),
                folded: FoldedName::of(name),
            }));
        }
        let (entries, names) = (entries.len(), listed.len());
        let version = ListVersion { hash: files.hash(), published, entries, names, score_min };
        let mut list =
            Self { version, listed, entered: Vec::new(), by_text: HashMap::new(), by_skeleton: HashMap::new() };
        list.index();
        Ok(list)
    }

    /// The sandbox's list: invented people, in the same format.
    pub fn of_sandbox() -> Arc<Self> {
        OF_SANDBOX.clone()
    }

    /// Which list it is.
    pub fn version(&self) -> &ListVersion {
        &self.version
    }

    fn index(&mut self) {
        let mut names_of: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (at, listed) in self.listed.iter().enumerate() {
            for text in searched(&listed.folded) {
                names_of.entry(text).or_default().insert(at);
            }
        }
        for (text, names) in names_of {
            let (word, at) = (Word::of(&text), self.entered.len());
            self.by_skeleton.entry(word.skeleton.clone()).or_default().push(at);
            self.entered.push(Entered { letters: letters(&text), word, names: names.into_iter().collect() });
            self.by_text.insert(text, at);
        }
    }

    /// Everybody on the list whose name is like this one, the likest first, at most twenty.
    pub fn screen(&self, name: &str) -> Vec<Hit> {
        let screened = FoldedName::of(name);
        let mut best: BTreeMap<i64, Hit> = BTreeMap::new();
        for at in self.candidates(&screened) {
            let listed = &self.listed[at];
            let comparison = compare(&screened, &listed.folded);
            let score = match listed.kind {
                NameKind::Weak => comparison.score - WEAK_COST,
                NameKind::Primary | NameKind::Alias | NameKind::Formerly | NameKind::Now => comparison.score,
            };
            let known = best.get(&listed.entry.number).map_or(-1, |hit| hit.score);
            if score >= self.version.score_min && score > known {
                let (entry, listed_name) = (listed.entry.clone(), listed.name.clone());
                best.insert(entry.number, Hit { entry, listed_name, name_kind: listed.kind, score, comparison });
            }
        }
        let mut hits: Vec<Hit> = best.into_values().collect();
        hits.sort_by_key(|hit| (-hit.score, hit.entry.number));
        hits.truncate(HITS_MAX);
        hits
    }

    /// Names that share enough words with the screened one to be compared whole: two, or the only one.
    fn candidates(&self, screened: &FoldedName) -> Vec<usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for text in searched(screened) {
            let word = Word::of(&text);
            // Words that follow each other count for both of them.
            let joined = screened.words.iter().all(|single| single.text != text);
            let mut names: Vec<usize> = Vec::new();
            for at in self.alike(&word) {
                names.extend(&self.entered[at].names);
            }
            names.sort_unstable();
            names.dedup();
            for name in names {
                *shared.entry(name).or_default() += if joined { 2 } else { 1 };
            }
        }
        let enough = |at: usize, count: usize| {
            let fewest = screened.full_words().min(self.listed[at].folded.full_words());
            count >= 2 || fewest <= 1 || self.is_joined(at, screened)
        };
        let mut found: Vec<usize> =
            shared.into_iter().filter(|(at, count)| enough(*at, *count)).map(|(at, _)| at).collect();
        found.sort_unstable();
        found
    }

    /// Whether one screened word is two of the listed name's: then one shared word may be the whole.
    fn is_joined(&self, at: usize, screened: &FoldedName) -> bool {
        let words = &self.listed[at].folded.words;
        words.windows(2).any(|two| {
            let joined = Word::of(&format!("{}{}", two[0].text, two[1].text));
            screened.words.iter().any(|word| likeness(word, &joined).is_some())
        })
    }

    /// The list's words that are like this one.
    fn alike(&self, word: &Word) -> Vec<usize> {
        let mut found: Vec<usize> = self.by_text.get(&word.text).copied().into_iter().collect();
        let sounding = self.by_skeleton.get(&word.skeleton).into_iter().flatten().copied();
        found.extend(sounding.filter(|at| likeness(word, &self.entered[*at].word).is_some()));
        let bits = letters(&word.text);
        let near = self.entered.iter().enumerate().filter(|(_, entered)| {
            may_be_alike((&word.text, bits), (&entered.word.text, entered.letters))
                && likeness(word, &entered.word).is_some()
        });
        found.extend(near.map(|(at, _)| at));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The words by which a name is found: those that carry it, and each two that follow each other as one.
fn searched(name: &FoldedName) -> Vec<String> {
    let full = name.words.iter().filter(|word| word.role() == Role::Full).map(|word| word.text.clone());
    let joined = name.words.windows(2).map(|two| format!("{}{}", two[0].text, two[1].text));
    full.chain(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Syllables of names that nobody has, so that a list of any size can be made.
    fn made_name(mut seed: u64) -> String {
        const SYLLABLES: [&str; 40] = [
            "ba", "ver", "mo", "lin", "dra", "kos", "tel", "ri", "sha", "gun", "pe", "tov", "al", "mir", "zen", "cor",
            "du", "fal", "ho", "jas", "ki", "lo", "mar", "nes", "or", "pra", "qui", "ros", "sti", "tam", "ul", "vas",
            "wen", "xi", "yor", "zam", "bel", "cas", "dor", "eli",
        ];
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((seed >> 33) % below).unwrap()
        };
        let mut word = |syllables: usize| (0..syllables).map(|_| SYLLABLES[draw(40)]).collect::<String>();
        format!("{}, {} {}", word(3), word(2), word(3)).to_uppercase()
    }

    fn made_list(names: u64) -> Watchlist {
        let row = |number: u64| {
            format!("{number},\"{}\",individual,SYNTH,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n", made_name(number))
        };
        let sdn: String = (1..=names).map(row).collect();
        let files = Files { sdn: sdn.into_bytes(), ..Files::default() };
        Watchlist::read(&files, Time::from_micros(0), SCORE_MIN).unwrap()
    }

    #[test]
    fn the_index_finds_what_comparing_with_everybody_finds() {
        let list = made_list(200);
        for number in (1..=200).step_by(9) {
            let name = made_name(number).replace(',', "");
            let (short, _) = name.rsplit_once(' ').unwrap();
            for name in [name.as_str(), short] {
                let found: Vec<i64> = list.screen(name).into_iter().map(|hit| hit.entry.number).collect();
                let folded = FoldedName::of(name);
                let mut all: Vec<(i64, i64)> = list
                    .listed
                    .iter()
                    .map(|listed| (-compare(&folded, &listed.folded).score, listed.entry.number))
                    .filter(|(score, _)| -score >= SCORE_MIN)
                    .collect();
                all.sort_unstable();
                let all: Vec<i64> = all.into_iter().map(|(_, number)| number).take(HITS_MAX).collect();
                assert_eq!(found, all, "{name}");
                assert!(!found.is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn hardly_any_name_is_like_one_on_a_list_by_chance() {
        let list = made_list(500);
        let wrong = (1_000_001..=1_000_500).filter(|number| !list.screen(&made_name(*number)).is_empty()).count();
        // Measured at full size: see docs/performance.md. A change of the rules that reviews many more must be seen.
        assert!(wrong <= 2, "{wrong} of 500 names were like one of the list by chance");
        let missed = (1..=500).step_by(5).filter(|number| list.screen(&made_name(*number)).is_empty()).count();
        assert_eq!(missed, 0, "who is on the list is found");
    }
}
