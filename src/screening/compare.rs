//! Two names side by side: each word with its best partner, whatever the order, and a score for the whole.
//!
//! All numbers are whole: similarities in thousandths, the score in hundredths.

use serde::{Deserialize, Serialize};

use super::folded::{FoldedName, Role, Word};

/// Words less alike than this, in thousandths, are different words.
const PARTNER_MIN: i64 = 840;
/// Words shorter than this are alike only when they are the same: a letter is too much of them.
const FUZZY_LETTERS_MIN: usize = 4;
/// What two words that sound alike are worth at least, in thousandths.
const SOUNDS_ALIKE: i64 = 920;
/// Sounds that two words must share to sound alike: a vowel and three consonants, or two where the vowel comes first.
const SKELETON_MIN: usize = 4;
/// What an initial is worth beside the word that it may stand for, in thousandths.
const INITIAL: i64 = 800;
/// What a word without a partner costs, in points of the score.
const UNMATCHED_FULL: i64 = 7;
const UNMATCHED_INITIAL: i64 = 2;
const UNMATCHED_PARTICLE: i64 = 1;

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

/// A word of the screened name beside its partner on the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WordPair {
    /// The word or, written apart, the words of the screened name.
    pub screened: String,
    /// Those of the listed name.
    pub listed: String,
    /// How they agree.
    pub alike: Alike,
    /// How much, in hundredths.
    pub similarity: i64,
}

/// A screened name beside a listed one, and how the score came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Comparison {
    /// 0 to 100; 100 for the same words in any order.
    pub score: i64,
    /// Words that have a partner.
    pub pairs: Vec<WordPair>,
    /// Words of the screened name that have none.
    pub only_screened: Vec<String>,
    /// Words of the listed name that have none.
    pub only_listed: Vec<String>,
}

/// How alike two words are, in thousandths; `None` when they are different words.
pub(super) fn likeness(ours: &Word, theirs: &Word) -> Option<(i64, Alike)> {
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
    let by_letters = jaro_winkler_thousandths(&ours.text, &theirs.text);
    let begins_with_vowel = ours.skeleton.starts_with(['a', 'e', 'o']);
    let enough = ours.skeleton.len() + usize::from(begins_with_vowel) >= SKELETON_MIN;
    let sounds_alike = ours.skeleton == theirs.skeleton && enough;
    if sounds_alike {
        return Some((by_letters.max(SOUNDS_ALIKE), Alike::SoundsAlike));
    }
    (by_letters >= PARTNER_MIN).then_some((by_letters, Alike::Similar))
}

/// Whether Jaro-Winkler of two words could reach [`PARTNER_MIN`], by their lengths, their letters (as bits) and
/// their first letters: rules nearly all pairs out without comparing them.
pub(super) fn may_be_alike(ours: (&str, u64), theirs: (&str, u64)) -> bool {
    let (a, b) = (ours.0.len(), theirs.0.len());
    if a < FUZZY_LETTERS_MIN || b < FUZZY_LETTERS_MIN {
        return false;
    }
    let lacks = |left: u64, right: u64| usize::try_from((left & !right).count_ones()).unwrap_or(usize::MAX);
    let shared = a.saturating_sub(lacks(ours.1, theirs.1)).min(b.saturating_sub(lacks(theirs.1, ours.1)));
    let prefix = ours.0.bytes().zip(theirs.0.bytes()).take(4).take_while(|(x, y)| x == y).count();
    // Jaro is at most (m/a + m/b + 1) / 3; Winkler takes a tenth of what is missing for each common first letter.
    let jaro = (shared * 1_000 / a + shared * 1_000 / b + 1_000) / 3 + 2;
    let most = jaro + 1_000_usize.saturating_sub(jaro) * prefix / 10 + 2;
    i64::try_from(most).is_ok_and(|most| most >= PARTNER_MIN)
}

/// The letters and digits of a word as bits.
pub(super) fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |bits, byte| match byte {
        b'a'..=b'z' => bits | 1 << (byte - b'a'),
        b'0'..=b'9' => bits | 1 << (byte - b'0' + 26),
        _ => bits,
    })
}

#[allow(
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    reason = "no money: a likeness between 0 and 1, rounded once into thousandths; its few IEEE operations give the same bits everywhere"
)]
fn jaro_winkler_thousandths(ours: &str, theirs: &str) -> i64 {
    (strsim::jaro_winkler(ours, theirs) * 1_000.0).round() as i64
}

/// One way to put words beside each other: where they begin and how many they are on each side.
struct Candidate {
    worth: i64,
    alike: Alike,
    ours: (usize, usize),
    theirs: (usize, usize),
}

/// Puts a screened name beside a listed one.
pub fn compare(screened: &FoldedName, listed: &FoldedName) -> Comparison {
    let (ours, theirs) = (&screened.words, &listed.words);
    let mut candidates = candidates(ours, theirs);
    // The best pairs first; among equals the order of the words decides, so that every run decides alike.
    candidates.sort_by_key(|pair| (-pair.worth, pair.alike, pair.ours, pair.theirs));
    let (mut our_taken, mut their_taken) = (vec![false; ours.len()], vec![false; theirs.len()]);
    let mut chosen: Vec<Candidate> = Vec::new();
    for pair in candidates {
        let free = |taken: &[bool], (at, count): (usize, usize)| !taken[at..at + count].contains(&true);
        if free(&our_taken, pair.ours) && free(&their_taken, pair.theirs) {
            our_taken[pair.ours.0..pair.ours.0 + pair.ours.1].fill(true);
            their_taken[pair.theirs.0..pair.theirs.0 + pair.theirs.1].fill(true);
            chosen.push(pair);
        }
    }
    let left = |words: &[Word], taken: &[bool]| -> Vec<Word> {
        words.iter().zip(taken).filter(|(_, taken)| !**taken).map(|(word, _)| word.clone()).collect()
    };
    let (only_screened, only_listed) = (left(ours, &our_taken), left(theirs, &their_taken));
    let score = score(&chosen, ours, theirs, only_screened.iter().chain(&only_listed));
    let text = |words: Vec<Word>| words.into_iter().map(|word| word.text).collect();
    Comparison {
        score,
        pairs: chosen.iter().map(|pair| shown(pair, ours, theirs)).collect(),
        only_screened: text(only_screened),
        only_listed: text(only_listed),
    }
}

/// Every pair of words that are alike, and every word beside two that are it, written apart: `Abd al` has no
/// partner in `Abdalrahman`, `abdal rahman` has.
fn candidates(ours: &[Word], theirs: &[Word]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut add = |our_word: &Word, their_word: &Word, ours: (usize, usize), theirs: (usize, usize)| {
        found.extend(likeness(our_word, their_word).map(|(worth, alike)| Candidate { worth, alike, ours, theirs }));
    };
    for (i, our_word) in ours.iter().enumerate() {
        for (j, their_word) in theirs.iter().enumerate() {
            add(our_word, their_word, (i, 1), (j, 1));
            if let Some(next) = theirs.get(j + 1) {
                let joined = Word::of(&format!("{}{}", their_word.text, next.text));
                if our_word.role() == Role::Full && our_word.text.len() >= FUZZY_LETTERS_MIN {
                    add(our_word, &joined, (i, 1), (j, 2));
                }
            }
            if let Some(next) = ours.get(i + 1) {
                let joined = Word::of(&format!("{}{}", our_word.text, next.text));
                if their_word.role() == Role::Full && their_word.text.len() >= FUZZY_LETTERS_MIN {
                    add(&joined, their_word, (i, 2), (j, 1));
                }
            }
        }
    }
    // Two words for one are better than one of them alone, if they are as like.
    for pair in &mut found {
        if pair.ours.1 + pair.theirs.1 > 2 && pair.alike != Alike::Same {
            pair.worth -= 1;
        }
    }
    found
}

/// The mean likeness of the pairs, by weight, less what the words without a partner cost. A likeness counts for
/// less the further it is from the whole: two half-alike words make no name. One word alone makes none either,
/// unless it is all there is.
fn score<'a>(pairs: &[Candidate], ours: &[Word], theirs: &[Word], unmatched: impl Iterator<Item = &'a Word>) -> i64 {
    let count = |words: &[Word], at: fn(&Candidate) -> (usize, usize)| -> usize {
        let of_pair = |pair: &Candidate| {
            let (from, many) = at(pair);
            words[from..from + many].iter().filter(|word| word.role() == Role::Full).count()
        };
        pairs.iter().map(of_pair).sum()
    };
    let matched = count(ours, |pair| pair.ours).max(count(theirs, |pair| pair.theirs));
    let all = |words: &[Word]| words.iter().filter(|word| word.role() == Role::Full).count();
    let single = all(ours) <= 1 && all(theirs) <= 1;
    if matched == 0 || matched < 2 && !single {
        return 0;
    }
    let (mut worth, mut weight) = (0, 0);
    for pair in pairs {
        let of =
            |words: &[Word], (at, many): (usize, usize)| words[at..at + many].iter().map(Word::weight).sum::<i64>();
        let heavy = of(ours, pair.ours) + of(theirs, pair.theirs);
        let counted = match pair.alike {
            Alike::Same | Alike::Initial => pair.worth,
            Alike::SoundsAlike => pair.worth - (1_000 - pair.worth) / 2,
            Alike::Similar => pair.worth - (1_000 - pair.worth) * 5 / 4,
        };
        worth += counted * heavy;
        weight += heavy;
    }
    let cost: i64 = unmatched
        .map(|word| match word.role() {
            Role::Full => UNMATCHED_FULL,
            Role::Initial => UNMATCHED_INITIAL,
            Role::Particle => UNMATCHED_PARTICLE,
        })
        .sum();
    (worth / weight.max(1) / 10 - cost).clamp(0, 100)
}

fn shown(pair: &Candidate, ours: &[Word], theirs: &[Word]) -> WordPair {
    let text = |words: &[Word], (at, many): (usize, usize)| {
        words[at..at + many].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    WordPair {
        screened: text(ours, pair.ours),
        listed: text(theirs, pair.theirs),
        alike: pair.alike,
        similarity: pair.worth / 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screening::SCORE_MIN;

    fn score_of(screened: &str, listed: &str) -> i64 {
        compare(&FoldedName::of(screened), &FoldedName::of(listed)).score
    }

    #[test]
    fn should_match() {
        let mut wrong = Vec::new();
        for (screened, listed) in [
            ("Test Sanctioned", "SANCTIONED, Test"),
            ("test-sanctioned", "Test Sanctioned"),
            ("Joaquin Guzman", "GUZMAN LOERA, Joaquin"),
            ("Joaquín Guzmán Loera", "GUZMAN LOERA, Joaquin Archivaldo"),
            ("Muammar Gaddafi", "QADHAFI, Muammar"),
            ("Moamer Kadafi", "QADDAFI, Muammar"),
            ("Mohammed Hussein Khan", "KHAN, Muhammad Husain"),
            ("Abdulrahman Yasin", "YASIN, Abdul Rahman"),
            ("Abdul Rahman Yasin", "YASIN, Abdulrahman"),
            ("Usama bin Ladin", "BIN LADEN, Osama"),
            ("Сергей Иванов", "IVANOV, Sergei"),
            ("Dr. Sergey Ivanov Jr.", "IVANOV, Sergei"),
            ("Jean Claude Duvalier", "DUVALIER, Jean-Claude"),
            ("J. C. Duvalier", "DUVALIER, Jean Claude"),
            ("Maria del Carmen Lopez", "LOPEZ, Maria Carmen"),
            ("Aleksandr Lukashenka", "LUKASHENKO, Alexander"),
            ("Mohamed al-Amin", "AL AMIN, Muhammad"),
            ("Björn Åkesson", "AAKESSON, Bjorn"),
        ] {
            let score = score_of(screened, listed);
            wrong.extend((score < SCORE_MIN).then(|| format!("{screened} / {listed}: {score}")));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn should_not_match() {
        let mut wrong = Vec::new();
        for (screened, listed) in [
            ("Jane Doe", "SANCTIONED, Test"),
            ("Test Smith", "SANCTIONED, Test"),
            ("Maria Garcia", "GARCIA, Mario Alberto Jose"),
            ("John Smith", "SMYTHE, Joan Alice"),
            ("Ali Hassan", "HUSSEIN, Ali"),
            ("Ali", "HUSSEIN, Ali"),
            ("Peter Schmidt", "SCHMITZ, Paula"),
            ("Sergey Ivanov", "IVANENKO, Serhiy"),
            ("Juan Perez", "PEREIRA, Joan"),
            ("Mohammed Ali", "MOHAMMED, Omar"),
            ("Li Wei", "LIN, Wen"),
            ("", "SANCTIONED, Test"),
            ("al de", "AL AMIN, Muhammad"),
        ] {
            let score = score_of(screened, listed);
            wrong.extend((score >= SCORE_MIN).then(|| format!("{screened} / {listed}: {score}")));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_score_is_explained_word_by_word() {
        let comparison = compare(&FoldedName::of("Sergey P. Ivanov"), &FoldedName::of("IVANOV, Sergei Petrovich Oleg"));
        let pairs: Vec<(&str, &str, Alike)> =
            comparison.pairs.iter().map(|pair| (pair.screened.as_str(), pair.listed.as_str(), pair.alike)).collect();
        assert_eq!(
            pairs,
            [
                ("ivanov", "ivanov", Alike::Same),
                ("sergey", "sergei", Alike::SoundsAlike),
                ("p", "petrovich", Alike::Initial)
            ]
        );
        assert_eq!((comparison.only_screened.len(), comparison.only_listed), (0, vec!["oleg".to_owned()]));
    }

    #[test]
    fn the_order_of_the_words_and_of_the_sides_does_not_matter() {
        let names = ["Jane Mary Doe", "Doe Jane M", "Abdul Rahman Yasin", "Yasin Abdulrahman", "Muammar al Gaddafi"];
        for left in names {
            for right in names {
                assert_eq!(score_of(left, right), score_of(right, left), "{left} / {right}");
                let reversed: Vec<&str> = left.split(' ').rev().collect();
                if !left.contains("Abdul Rahman") && !right.contains("Abdul Rahman") {
                    assert_eq!(score_of(left, right), score_of(&reversed.join(" "), right), "{left} / {right}");
                }
            }
            assert_eq!(score_of(left, left), 100);
        }
    }

    #[test]
    fn what_is_ruled_out_at_a_glance_would_not_have_been_alike() {
        let words = [
            "mohammed",
            "muhammad",
            "mahmoud",
            "ahmed",
            "hamed",
            "sanctioned",
            "santiago",
            "sanction",
            "maria",
            "mario",
            "martin",
            "marina",
            "ivanov",
            "ivanova",
            "ivanenko",
            "guzman",
            "gusman",
            "loera",
            "lorea",
            "abcdefgh",
            "hgfedcba",
            "aaaa",
            "aaab",
            "smith",
            "schmidt",
            "schmitz",
            "smyth",
            "lukashenko",
            "lukashenka",
        ];
        let mut ruled_out = 0;
        for left in words {
            for right in words {
                let may = may_be_alike((left, letters(left)), (right, letters(right)));
                let are = jaro_winkler_thousandths(left, right) >= PARTNER_MIN;
                assert!(may || !are, "{left} {right}");
                ruled_out += usize::from(!may);
            }
        }
        assert!(ruled_out > words.len() * words.len() / 2, "{ruled_out}");
    }
}
