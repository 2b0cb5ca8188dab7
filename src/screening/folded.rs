//! Folds names to plain words: lower-case Latin letters without marks or titles.

use deunicode::deunicode_with_tofu;

const TITLES: [&str; 44] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "dr",
    "doctor",
    "prof",
    "professor",
    "sir",
    "lady",
    "lord",
    "rev",
    "father",
    "sheikh",
    "shaykh",
    "shaikh",
    "sheik",
    "haji",
    "hajji",
    "hajj",
    "mullah",
    "mulla",
    "maulavi",
    "mawlawi",
    "mawlana",
    "ayatollah",
    "imam",
    "gen",
    "general",
    "col",
    "colonel",
    "maj",
    "major",
    "capt",
    "captain",
    "lt",
    "jr",
    "sr",
    "ii",
    "iii",
    "iv",
    "phd",
    "esq",
];
/// Small words inside a name. A name with or without one is the same name.
const PARTICLES: [&str; 27] = [
    "al", "el", "ul", "ad", "ar", "as", "at", "az", "an", "bin", "ben", "ibn", "bint", "abu", "de", "del", "der",
    "den", "di", "da", "do", "du", "la", "van", "von", "y", "e",
];
/// Letters of a word that count towards its weight.
const WEIGHT_MAX: i64 = 6;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// Lower-case ASCII letters and digits.
    pub text: String,
    /// The word by sound; see [`skeleton`].
    pub skeleton: String,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    Full,
    /// A single letter, the initial of a word.
    Initial,
    Particle,
}

impl Word {
    pub fn of(text: &str) -> Self {
        let role = if PARTICLES.contains(&text) {
            Role::Particle
        } else if text.len() == 1 {
            Role::Initial
        } else {
            Role::Full
        };
        Self { text: text.to_owned(), skeleton: skeleton(text), role }
    }

    /// Returns the length up to [`WEIGHT_MAX`], or 1 for initials and particles.
    pub fn weight(&self) -> i64 {
        match self.role {
            Role::Full => i64::try_from(self.text.len()).unwrap_or(WEIGHT_MAX).min(WEIGHT_MAX),
            Role::Initial | Role::Particle => 1,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedName {
    pub words: Vec<Word>,
    /// Each word joined with the next one; one fewer than `words`.
    pub joined: Vec<Word>,
}

impl FoldedName {
    /// Folds a name: transliterates letters to Latin, removes marks and case, keeps `O'Brien` as one word and
    /// `Jean-Claude` as two, replaces digits inside a word by similar letters, and removes titles unless nothing else
    /// is left.
    pub fn of(name: &str) -> Self {
        Self::reading(name, 'i')
    }

    /// Folds a name in both ways if it has a digit one inside a word: as an i and as an l.
    pub fn readings(name: &str) -> Vec<Self> {
        let (first, second) = (Self::reading(name, 'i'), Self::reading(name, 'l'));
        if first == second { vec![first] } else { vec![first, second] }
    }

    fn reading(name: &str, one: char) -> Self {
        let latin: Vec<char> = deunicode_with_tofu(name, " ").to_ascii_lowercase().chars().collect();
        let is_followed = |at: usize| latin.get(at + 1).is_some_and(char::is_ascii_alphanumeric);
        let plain: String = latin
            .iter()
            .enumerate()
            .filter(|(_, letter)| !matches!(letter, '\'' | '`' | '.'))
            .map(|(at, letter)| match letter {
                letter if letter.is_ascii_alphanumeric() => *letter,
                '@' if is_followed(at) => 'a',
                '$' if is_followed(at) => 's',
                '!' | '|' if is_followed(at) => one,
                _ => ' ',
            })
            .collect();
        let words: Vec<String> = plain.split_whitespace().map(|word| without_digits(word, one)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let named: Vec<&str> = words.iter().copied().filter(|word| !TITLES.contains(word)).collect();
        let kept = if named.is_empty() { words } else { named };
        let joined = kept.windows(2).map(|two| Word::of(&two.concat())).collect();
        Self { words: kept.into_iter().map(Word::of).collect(), joined }
    }

    /// Returns the words with spaces between. Two names with the same folded text are the same name.
    pub fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    pub fn full_words(&self) -> usize {
        self.words.iter().filter(|word| word.role == Role::Full).count()
    }

    pub fn letters(&self) -> usize {
        self.words.iter().filter(|word| word.text.len() == 1).count()
    }
}

/// Replaces digits inside a word by similar letters. A number is unchanged.
fn without_digits(word: &str, one: char) -> String {
    if !word.contains(|letter: char| letter.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let letter = |digit: char| match digit {
        '0' => 'o',
        '1' => one,
        '2' => 'z',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '6' | '9' => 'g',
        '7' => 't',
        '8' => 'b',
        letter => letter,
    };
    word.chars().map(letter).collect()
}

/// Returns a word by sound, so that `Qaddafi`, `Gadhafi` and `Kadafi` are equal: variant transliterations become one
/// letter, doubled letters one, and only the first vowel remains, as one of three. Without it, `Hassan` and `Hussein`
/// would be equal.
fn skeleton(text: &str) -> String {
    let mut spelled = text.to_owned();
    for (group, letter) in SPELLINGS {
        spelled = spelled.replace(group, letter);
    }
    let (mut skeleton, mut last, mut has_vowel) = (String::with_capacity(spelled.len()), ' ', false);
    for letter in spelled.chars() {
        let vowel = match letter {
            'a' => Some('a'),
            'e' | 'i' => Some('e'),
            'o' | 'u' => Some('o'),
            'y' if !skeleton.is_empty() => Some('e'),
            _ => None,
        };
        match vowel {
            Some(vowel) if !has_vowel => {
                has_vowel = true;
                skeleton.push(vowel);
            }
            None if letter != last => skeleton.push(letter),
            Some(_) | None => {}
        }
        last = letter;
    }
    skeleton
}

/// Groups of letters and their replacements, longer groups first.
const SPELLINGS: [(&str, &str); 18] = [
    ("sch", "s"),
    ("tch", "c"),
    ("kh", "h"),
    ("gh", "k"),
    ("dh", "d"),
    ("th", "t"),
    ("ph", "f"),
    ("sh", "s"),
    ("ch", "c"),
    ("ck", "k"),
    ("dj", "j"),
    ("zh", "j"),
    ("ts", "z"),
    ("cz", "c"),
    ("x", "ks"),
    ("q", "k"),
    ("g", "k"),
    ("w", "v"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_plain_words() {
        for (name, folded) in [
            ("  Jane   DOE ", "jane doe"),
            ("Doe, Jane", "doe jane"),
            ("José Ñúñez", "jose nunez"),
            ("Jean-Claude O'Brien", "jean claude obrien"),
            ("Øystein Łukasz Straße", "oystein lukasz strasse"),
            ("Владимир", "vladimir"),
            ("Dr. Jane Doe, Jr.", "jane doe"),
            ("J. R. Doe", "j r doe"),
            ("General Major", "general major"),
            ("T3st S4nct10ned", "test sanctioned"),
            ("$ara L@nge! 7 2nd", "sara lange 7 znd"),
            ("", ""),
            ("—…", ""),
        ] {
            assert_eq!(FoldedName::of(name).text(), folded, "{name}");
        }
    }

    #[test]
    fn words_that_sound_alike_have_one_skeleton() {
        for words in [
            &["qaddafi", "gadhafi", "kadafi", "gaddafi", "qadhafi"][..],
            &["hussein", "husain", "hossein", "hussain"],
            &["yusuf", "youssef", "yousef"],
            &["sergey", "sergei", "serguei"],
            &["alexander", "aleksandr"],
            &["muammar", "moamer", "muamar"],
            &["mohammed", "muhammad", "mohamed"],
        ] {
            let first = skeleton(words[0]);
            assert!(words.iter().all(|word| skeleton(word) == first), "{words:?} {first}");
        }
        for (left, right) in [("martin", "morton"), ("hassan", "hussein"), ("omar", "amir")] {
            assert_ne!(skeleton(left), skeleton(right), "{left} {right}");
        }
    }

    #[test]
    fn particles_and_initials_weigh_little() {
        let weights: Vec<i64> = FoldedName::of("J al Constantinopolous").words.iter().map(Word::weight).collect();
        assert_eq!(weights, [1, 1, 6]);
    }
}
