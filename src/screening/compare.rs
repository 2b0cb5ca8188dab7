//! Compares two names word by word: pairs each word with its best partner in any order, and scores the whole name.
//!
//! All numbers are integers: word similarities in thousandths, the score from 0 to 100.

use serde::{Deserialize, Serialize};

use super::folded::{FoldedName, Role, Word};
use super::likeness::{Alike, FUZZY_LETTERS_MIN, likeness};
use super::spaceless;

/// Cost of a word without a partner, in points of the score.
const UNMATCHED_FULL: i64 = 7;
/// Cost of the first extra word of the screened name. It is lower because payees type their own names and may add
/// words.
const UNMATCHED_FIRST_ADDED: i64 = 3;
const UNMATCHED_INITIAL: i64 = 2;
const UNMATCHED_PARTICLE: i64 = 1;

/// A word of the screened name and its partner in the listed name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WordPair {
    /// The word, or several words, of the screened name.
    pub screened: String,
    /// The word, or several words, of the listed name.
    pub listed: String,
    /// The kind of agreement.
    pub alike: Alike,
    /// The similarity, in hundredths.
    pub similarity: i64,
}

/// The comparison of a screened name with a listed name, word by word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Comparison {
    /// 0 to 100; 100 for the same words in any order.
    pub score: i64,
    /// Words that have a partner.
    pub pairs: Vec<WordPair>,
    /// Words of the screened name without a partner.
    pub only_screened: Vec<String>,
    /// Words of the listed name without a partner.
    pub only_listed: Vec<String>,
}

/// A possible pair of words. `ours` and `theirs` are the index of the first word and the number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    worth: i64,
    alike: Alike,
    ours: (usize, usize),
    theirs: (usize, usize),
}

impl Candidate {
    /// Ranks two words joined to one below a single word of equal similarity.
    pub(super) fn of((worth, alike): (i64, Alike), ours: (usize, usize), theirs: (usize, usize)) -> Self {
        let less = i64::from(ours.1 + theirs.1 > 2 && alike != Alike::Same);
        Self { worth: worth - less, alike, ours, theirs }
    }
}

struct Alignment {
    chosen: Vec<Candidate>,
    our_taken: Vec<bool>,
    their_taken: Vec<bool>,
    score: i64,
}

pub fn compare(screened: &FoldedName, listed: &FoldedName) -> Comparison {
    let Alignment { chosen, our_taken, their_taken, score } =
        choose(&mut candidates(screened, listed), screened, listed);
    let left = |words: &[Word], taken: &[bool]| -> Vec<String> {
        words.iter().zip(taken).filter(|(_, taken)| !**taken).map(|(word, _)| word.text.clone()).collect()
    };
    let together = spaceless::compare(screened, listed).filter(|(without_spaces, _)| *without_spaces > score);
    if let Some((score, alike)) = together {
        let pair = WordPair { screened: screened.text(), listed: listed.text(), alike, similarity: score };
        return Comparison { score, pairs: vec![pair], only_screened: Vec::new(), only_listed: Vec::new() };
    }
    Comparison {
        score,
        pairs: chosen.iter().map(|pair| shown(pair, &screened.words, &listed.words)).collect(),
        only_screened: left(&screened.words, &our_taken),
        only_listed: left(&listed.words, &their_taken),
    }
}

/// Returns the score for candidates that an index has found, in any order, so that no word is compared again.
pub(super) fn score_by(candidates: &mut [Candidate], screened: &FoldedName, listed: &FoldedName) -> i64 {
    choose(candidates, screened, listed).score
}

fn choose(candidates: &mut [Candidate], screened: &FoldedName, listed: &FoldedName) -> Alignment {
    let (ours, theirs) = (&screened.words, &listed.words);
    // The order of the words decides between equal pairs, so every run has the same result.
    candidates.sort_unstable_by_key(|pair| (-pair.worth, pair.alike, pair.ours, pair.theirs));
    let (mut our_taken, mut their_taken) = (vec![false; ours.len()], vec![false; theirs.len()]);
    let mut chosen: Vec<Candidate> = Vec::new();
    for pair in candidates {
        let free = |taken: &[bool], (at, count): (usize, usize)| !taken[at..at + count].contains(&true);
        if free(&our_taken, pair.ours) && free(&their_taken, pair.theirs) {
            our_taken[pair.ours.0..pair.ours.0 + pair.ours.1].fill(true);
            their_taken[pair.theirs.0..pair.theirs.0 + pair.theirs.1].fill(true);
            chosen.push(*pair);
        }
    }
    let left = |words: &[Word], taken: &[bool]| Left::of(words.iter().zip(taken).filter(|(_, taken)| !**taken));
    let score = score(&chosen, ours, theirs, &left(ours, &our_taken), &left(theirs, &their_taken));
    Alignment { chosen, our_taken, their_taken, score }
}

/// Returns every pair of similar words. Two adjacent words also count as one: `Abd al` has no partner in `Abdalrahman`,
/// `abdal rahman` has.
fn candidates(screened: &FoldedName, listed: &FoldedName) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut add = |our_word: &Word, their_word: &Word, ours: (usize, usize), theirs: (usize, usize)| {
        found.extend(likeness(our_word, their_word).map(|alike| Candidate::of(alike, ours, theirs)));
    };
    for (i, our_word) in screened.words.iter().enumerate() {
        for (j, their_word) in listed.words.iter().enumerate() {
            add(our_word, their_word, (i, 1), (j, 1));
        }
        if may_be_two(our_word) {
            for (j, joined) in listed.joined.iter().enumerate() {
                add(our_word, joined, (i, 1), (j, 2));
            }
        }
    }
    for (j, their_word) in listed.words.iter().enumerate().filter(|(_, word)| may_be_two(word)) {
        for (i, joined) in screened.joined.iter().enumerate() {
            add(joined, their_word, (i, 2), (j, 1));
        }
    }
    found
}

/// Returns whether a word is also compared with two adjacent words.
pub(super) fn may_be_two(word: &Word) -> bool {
    word.role == Role::Full && word.text.len() >= FUZZY_LETTERS_MIN
}

struct Left {
    full: i64,
    small: i64,
}

impl Left {
    fn of<'a>(words: impl Iterator<Item = (&'a Word, &'a bool)>) -> Self {
        let mut left = Self { full: 0, small: 0 };
        for (word, _) in words {
            match word.role {
                Role::Full => left.full += 1,
                Role::Initial => left.small += UNMATCHED_INITIAL,
                Role::Particle => left.small += UNMATCHED_PARTICLE,
            }
        }
        left
    }
}

/// Returns the cost of full words without a partner, by their number on each side. A name that contains all words of a
/// listed name costs nothing, because added words do not change a listed name.
pub(super) fn cost_of_full(ours: i64, theirs: i64) -> i64 {
    match (ours, theirs) {
        (_, 0) => 0,
        (0, theirs) => UNMATCHED_FULL * theirs,
        (ours, theirs) => UNMATCHED_FULL * theirs + UNMATCHED_FIRST_ADDED + UNMATCHED_FULL * (ours - 1),
    }
}

/// Returns the weighted mean similarity of the pairs less the cost of unpaired words. Low similarity counts less than
/// proportionally: two half-similar words are no match. One matching word is enough only if both names have one word;
/// initials and particles alone never match.
fn score(pairs: &[Candidate], ours: &[Word], theirs: &[Word], our_left: &Left, their_left: &Left) -> i64 {
    let count = |words: &[Word], at: fn(&Candidate) -> (usize, usize)| -> usize {
        let of_pair = |pair: &Candidate| {
            let (from, many) = at(pair);
            words[from..from + many].iter().filter(|word| word.role == Role::Full).count()
        };
        pairs.iter().map(of_pair).sum()
    };
    let matched = count(ours, |pair| pair.ours).max(count(theirs, |pair| pair.theirs));
    let all = |words: &[Word]| words.iter().filter(|word| word.role == Role::Full).count();
    let single = all(ours) <= 1 && all(theirs) <= 1;
    let carries =
        |words: &[Word], (at, many): (usize, usize)| words[at..at + many].iter().any(|word| word.role == Role::Full);
    let anchored = pairs
        .iter()
        .any(|pair| pair.alike != Alike::Initial && (carries(ours, pair.ours) || carries(theirs, pair.theirs)));
    if !anchored || matched < 2 && !single {
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
    let added = if their_left.full == 0 { 0 } else { our_left.small };
    let cost = cost_of_full(our_left.full, their_left.full) + added + their_left.small;
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
            ("T3st S4nct10ned", "SANCTIONED, Test"),
            ("T e s t S a n c t i o n e d", "SANCTIONED, Test"),
            ("T.e.s.t S-a-n-c-t-i-o-n-e-d", "SANCTIONED, Test"),
            ("Testsanc tioned", "SANCTIONED, Test"),
            ("TestSanctioned X", "SANCTIONED, Test"),
            ("Ondrejj Maria Vexler", "VEXLER, Ondrej Matous"),
            ("Test Sanctioned-Smith-Johnson-Brown", "SANCTIONED, Test"),
            ("Maria Test Anna Sanctioned Smith Brown", "SANCTIONED, Test"),
            ("$ergey 1van0v", "IVANOV, Sergei"),
            ("0ndrej Vex1er", "VEXLER, Ondrej"),
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
            ("Maria Jose Garcia Lopez", "GARCIA, Maria Luisa"),
            ("Anna Maria Smith Brown", "BROWN, Anna Sofia Elena"),
            ("Testa Nctioned-Smith", "SANCTIONED, Testimony"),
            ("Jane Vexler", "VEXLER"),
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
            ("J al", "AL JOSE"),
        ] {
            let score = score_of(screened, listed);
            wrong.extend((score >= SCORE_MIN).then(|| format!("{screened} / {listed}: {score}")));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Common names, none of which is on the list below.
    const ORDINARY: [&str; 64] = [
        "Jane Doe",
        "John Smith",
        "Maria Garcia",
        "Mary Johnson",
        "James Williams",
        "Patricia Brown",
        "Robert Jones",
        "Jennifer Miller",
        "Michael Davis",
        "Linda Rodriguez",
        "William Martinez",
        "Elizabeth Hernandez",
        "David Lopez",
        "Barbara Gonzalez",
        "Richard Wilson",
        "Susan Anderson",
        "Joseph Thomas",
        "Jessica Taylor",
        "Thomas Moore",
        "Sarah Jackson",
        "Charles Martin",
        "Karen Lee",
        "Christopher Perez",
        "Nancy Thompson",
        "Mohammed Ahmed",
        "Fatima Hussain",
        "Ahmed Mahmoud",
        "Omar Farouk",
        "Yusuf Ibrahim",
        "Aisha Siddiqui",
        "Ivan Petrov",
        "Olga Smirnova",
        "Dmitri Kuznetsov",
        "Elena Popova",
        "Sergei Volkov",
        "Natalia Sokolova",
        "Wei Zhang",
        "Li Na",
        "Jun Chen",
        "Yan Liu",
        "Min-jun Kim",
        "Ji-woo Park",
        "Hiroshi Tanaka",
        "Yuki Sato",
        "Priya Sharma",
        "Rahul Verma",
        "Ananya Gupta",
        "Arjun Patel",
        "José Luis Fernández",
        "Ana Sofía Ramírez",
        "Juan Carlos Torres",
        "María José Castillo",
        "Carlos Alberto Ruiz",
        "Luis Miguel Ortega",
        "Hans Müller",
        "Anna-Lena Schmidt",
        "Pierre Dubois",
        "Marie-Claire Laurent",
        "Giovanni Rossi",
        "Lars Johansson",
        "Mary Ann O'Brien",
        "Jean-Luc Moreau",
        "Miguel Ángel Vargas Soto",
        "Ana Paula de Souza Lima",
    ];
    /// Invented in the style of the published list.
    const LISTED: [&str; 16] = [
        "SANCTIONED, Test",
        "VEXLER, Ondrej Matous",
        "AL-QASWARI, Idrees bin Tahmoor",
        "KRZEWINSKI-TALVO, Bogumila",
        "GUZMAN LOERA, Joaquin Archivaldo",
        "HASSAN, Abdul Karim",
        "IVANOV, Viktor Sergeyevich",
        "KIM, Chol Hyok",
        "AHMAD, Mohammad Yasin",
        "RODRIGUEZ ORTEGA, Jairo Alberto",
        "ZORIC, Milutin",
        "CHEN, Guo Wei Long",
        "GARCIA ABREGO, Juan Nepomuceno",
        "HUSSEIN, Saleh Omar",
        "MORENO, Jean Pascal",
        "SHARIF, Priyanka Begum",
    ];

    #[test]
    fn ordinary_names_match_no_entry() {
        let mut wrong = Vec::new();
        for screened in ORDINARY {
            for listed in LISTED {
                let score = score_of(screened, listed);
                wrong.extend((score >= SCORE_MIN).then(|| format!("{screened} / {listed}: {score}")));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        // Control: each listed name still matches with the added words.
        for listed in LISTED {
            assert!(score_of(&format!("Jane {listed} Smith Brown"), listed) >= SCORE_MIN, "{listed}");
        }
    }

    #[test]
    fn what_is_added_to_a_listed_name_takes_nothing_off() {
        for listed in LISTED {
            assert_eq!(
                score_of(&format!("{listed} Xavier J. von Brown"), listed),
                score_of(listed, listed),
                "{listed}"
            );
        }
        assert!(
            score_of("Test Sanctioned", "SANCTIONED, Test Xavier Yusuf Brown") < SCORE_MIN,
            "but not the other way"
        );
    }

    #[test]
    fn initials_and_particles_alone_are_no_match() {
        for (screened, listed) in [("J al", "AL JOSE"), ("al de", "DE LA AL"), ("J. K.", "J K"), ("M", "MUHAMMAD")] {
            assert_eq!(score_of(screened, listed), 0, "{screened} / {listed}");
        }
        assert!(score_of("J. Duvalier", "DUVALIER, Jean") >= SCORE_MIN, "next to a similar word they count");
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
    fn the_order_of_the_words_does_not_matter_nor_that_of_sides_with_the_same_words() {
        let names = ["Jane Mary Doe", "Doe Jane M", "Abdul Rahman Yasin", "Yasin Abdulrahman", "Muammar al Gaddafi"];
        for left in names {
            for right in names {
                let words = |name: &str| name.split(' ').count();
                if words(left) == words(right) {
                    assert_eq!(score_of(left, right), score_of(right, left), "{left} / {right}");
                }
                let reversed: Vec<&str> = left.split(' ').rev().collect();
                if !left.contains("Abdul Rahman") && !right.contains("Abdul Rahman") {
                    assert_eq!(score_of(left, right), score_of(&reversed.join(" "), right), "{left} / {right}");
                }
            }
            assert_eq!(score_of(left, left), 100);
        }
    }
}
