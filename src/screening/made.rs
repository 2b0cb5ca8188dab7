//! Generated lists of invented names, to measure and test screening at any size.

use super::Watchlist;
use super::ofac::{BadList, Files};
use crate::clock::Time;

const SYLLABLES: [&str; 40] = [
    "ba", "ver", "mo", "lin", "dra", "kos", "tel", "ri", "sha", "gun", "pe", "tov", "al", "mir", "zen", "cor", "du",
    "fal", "ho", "jas", "ki", "lo", "mar", "nes", "or", "pra", "qui", "ros", "sti", "tam", "ul", "vas", "wen", "xi",
    "yor", "zam", "bel", "cas", "dor", "eli",
];
/// Frequent words of such lists in several spellings, the most expensive names to screen.
const COMMON: [&str; 24] = [
    "mohammed", "muhammad", "mohamed", "ahmed", "ahmad", "ali", "hassan", "hasan", "hussein", "husain", "abdul",
    "abdallah", "abd", "al", "rahman", "khan", "ibrahim", "omar", "said", "maria", "jose", "luis", "garcia", "lopez",
];

/// A pseudo-random sequence that is the same in every run.
struct Draws(u64);

impl Draws {
    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let below = u64::try_from(words.len()).expect("a written list of words is short");
        words[usize::try_from((self.0 >> 33) % below).expect("it is below the length of the list")]
    }

    fn word(&mut self, syllables: usize) -> String {
        (0..syllables).map(|_| self.one_of(&SYLLABLES)).collect()
    }
}

/// Returns an invented name for a number: family name, comma, two given names.
pub fn made_name(number: u64) -> String {
    let mut draws = Draws(number);
    format!("{}, {} {}", draws.word(3), draws.word(2), draws.word(3)).to_uppercase()
}

/// Returns a name for a number that contains common words.
pub fn common_name(number: u64) -> String {
    let mut draws = Draws(number);
    let (family, first, second) = (draws.word(2), draws.one_of(&COMMON), draws.one_of(&COMMON));
    format!("{family}, {first} {second}").to_uppercase()
}

/// Returns the name of a generated list under this number; every fourth has common words.
pub fn listed_name(number: u64) -> String {
    if number.is_multiple_of(4) { common_name(number) } else { made_name(number) }
}

/// Generates a list with the names 1 to `names`.
pub fn made_list(names: u64, score_min: i64) -> Result<Watchlist, BadList> {
    let row = |number: u64| {
        let name = listed_name(number);
        format!("{number},\"{name}\",individual,SYNTH,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n")
    };
    let sdn: String = (1..=names).map(row).collect();
    let files = Files { sdn: sdn.into_bytes(), ..Files::default() };
    Watchlist::read(&files, Time::from_micros(0), score_min)
}
