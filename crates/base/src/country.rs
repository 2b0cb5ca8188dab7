//! Countries and the states of the United States, by their postal and ISO 3166-1 codes.
//!
//! Deliberately absent: subdivisions of other countries, and address formats: outside the US only the country of an
//! address is checked.

/// Codes and names of the states, the district, the territories and the military posts of the US mail, sorted by code.
pub const US_STATES: [(&str, &str); 59] = [
    ("AA", "Armed Forces Americas"),
    ("AE", "Armed Forces Europe"),
    ("AK", "Alaska"),
    ("AL", "Alabama"),
    ("AP", "Armed Forces Pacific"),
    ("AR", "Arkansas"),
    ("AS", "American Samoa"),
    ("AZ", "Arizona"),
    ("CA", "California"),
    ("CO", "Colorado"),
    ("CT", "Connecticut"),
    ("DC", "District of Columbia"),
    ("DE", "Delaware"),
    ("FL", "Florida"),
    ("GA", "Georgia"),
    ("GU", "Guam"),
    ("HI", "Hawaii"),
    ("IA", "Iowa"),
    ("ID", "Idaho"),
    ("IL", "Illinois"),
    ("IN", "Indiana"),
    ("KS", "Kansas"),
    ("KY", "Kentucky"),
    ("LA", "Louisiana"),
    ("MA", "Massachusetts"),
    ("MD", "Maryland"),
    ("ME", "Maine"),
    ("MI", "Michigan"),
    ("MN", "Minnesota"),
    ("MO", "Missouri"),
    ("MP", "Northern Mariana Islands"),
    ("MS", "Mississippi"),
    ("MT", "Montana"),
    ("NC", "North Carolina"),
    ("ND", "North Dakota"),
    ("NE", "Nebraska"),
    ("NH", "New Hampshire"),
    ("NJ", "New Jersey"),
    ("NM", "New Mexico"),
    ("NV", "Nevada"),
    ("NY", "New York"),
    ("OH", "Ohio"),
    ("OK", "Oklahoma"),
    ("OR", "Oregon"),
    ("PA", "Pennsylvania"),
    ("PR", "Puerto Rico"),
    ("RI", "Rhode Island"),
    ("SC", "South Carolina"),
    ("SD", "South Dakota"),
    ("TN", "Tennessee"),
    ("TX", "Texas"),
    ("UT", "Utah"),
    ("VA", "Virginia"),
    ("VI", "Virgin Islands"),
    ("VT", "Vermont"),
    ("WA", "Washington"),
    ("WI", "Wisconsin"),
    ("WV", "West Virginia"),
    ("WY", "Wyoming"),
];

/// Returns whether this is an ISO 3166-1 alpha-2 code, in upper case.
#[must_use]
pub fn is_country(code: &str) -> bool {
    country_name(code).is_some()
}

/// The names that people use, where the names of ISO 3166-1 are formal (short English names of Unicode's CLDR).
const SHORT_NAMES: [(&str, &str); 32] = [
    ("BN", "Brunei"),
    ("BO", "Bolivia"),
    ("BQ", "Caribbean Netherlands"),
    ("CC", "Cocos (Keeling) Islands"),
    ("CD", "Congo - Kinshasa"),
    ("CG", "Congo - Brazzaville"),
    ("CI", "Côte d’Ivoire"),
    ("CV", "Cape Verde"),
    ("FK", "Falkland Islands"),
    ("FM", "Micronesia"),
    ("GB", "United Kingdom"),
    ("IR", "Iran"),
    ("KP", "North Korea"),
    ("KR", "South Korea"),
    ("LA", "Laos"),
    ("MD", "Moldova"),
    ("MF", "Saint Martin"),
    ("NL", "Netherlands"),
    ("PS", "Palestinian Territories"),
    ("RU", "Russia"),
    ("SH", "Saint Helena"),
    ("SX", "Sint Maarten"),
    ("SY", "Syria"),
    ("TW", "Taiwan"),
    ("TZ", "Tanzania"),
    ("UM", "U.S. Outlying Islands"),
    ("US", "United States"),
    ("VA", "Vatican City"),
    ("VE", "Venezuela"),
    ("VG", "British Virgin Islands"),
    ("VI", "U.S. Virgin Islands"),
    ("VN", "Vietnam"),
];

/// Returns the English name of an ISO 3166-1 alpha-2 code in upper case.
#[must_use]
pub fn country_name(code: &str) -> Option<&'static str> {
    let formal = rust_iso3166::from_alpha2(code)?.name;
    Some(SHORT_NAMES.binary_search_by_key(&code, |(known, _)| known).map_or(formal, |at| SHORT_NAMES[at].1))
}

/// Returns the codes and English names of all countries, sorted by name.
#[must_use]
pub fn countries() -> Vec<(&'static str, &'static str)> {
    let named = rust_iso3166::ALL.iter().filter_map(|country| Some((country.alpha2, country_name(country.alpha2)?)));
    let mut countries: Vec<_> = named.collect();
    countries.sort_unstable_by_key(|(_, name)| *name);
    countries
}

/// Returns whether this is a two-letter code of [`US_STATES`], in upper case.
#[must_use]
pub fn is_us_state(code: &str) -> bool {
    US_STATES.binary_search_by_key(&code, |(known, _)| known).is_ok()
}

/// Returns whether this has the form of a ZIP code: five digits, optionally a dash and four more.
#[must_use]
pub fn is_us_zip(text: &str) -> bool {
    let digits = |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('-') {
        Some((five, four)) => digits(five, 5) && digits(four, 4),
        None => digits(text, 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_sorted_and_found() {
        assert!(US_STATES.is_sorted_by(|(left, _), (right, _)| left < right));
        assert!(US_STATES.iter().all(|(code, _)| is_us_state(code)));
        assert!(!["", "ny", "NY ", "ZZ", "New York"].into_iter().any(is_us_state));
        let states = US_STATES.len() - ["DC", "AS", "GU", "MP", "PR", "VI", "AA", "AE", "AP"].len();
        assert_eq!(states, 50);
    }

    #[test]
    fn countries() {
        for code in ["US", "DE", "GB", "MX", "XK"] {
            assert_eq!(is_country(code), code != "XK", "{code}");
        }
        assert!(!["", "us", "USA", "ZZ", "U", "EU"].into_iter().any(is_country));
        assert_eq!(country_name("DE"), Some("Germany"));
        assert_eq!((country_name("GB"), country_name("TW")), (Some("United Kingdom"), Some("Taiwan")));
        assert!(SHORT_NAMES.is_sorted_by(|(left, _), (right, _)| left < right));
        assert!(super::countries().iter().all(|(_, name)| !name.contains(" of)")), "a formal name");
    }

    #[test]
    fn zips() {
        assert!(["10001", "10001-1234"].into_iter().all(is_us_zip));
        for text in ["", "1000", "100011", "10001-", "10001-123", "1000a", "10001 1234", "١٠٠٠١"] {
            assert!(!is_us_zip(text), "{text}");
        }
    }
}
