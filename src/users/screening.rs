//! Screening of names against a list of people who must not be paid.
//!
//! The sandbox's list has one name (decisions.md 13). Deliberately absent: scores. A name is on the list or
//! it is not, so that a test knows what will happen.

use super::model::{OfacStatus, User};
use super::rules::{self, UserEvent};

/// The names, folded as [`fold`] does.
const LIST: [&str; 1] = ["test sanctioned"];

/// Puts a user whose name is on the list under review; gives whether it is.
pub(super) fn screen(user: &mut User) -> bool {
    let listed = is_listed(&user.full_name());
    if listed {
        user.compliance.0.flags.ofac = true;
        user.compliance.0.flags.ofac_status = OfacStatus::InReview;
        user.status = rules::status_after(user.status, UserEvent::Flag);
    }
    listed
}

/// Whether a full name is on the list, whatever the case, the spacing and the order of its parts.
fn is_listed(full_name: &str) -> bool {
    let folded = fold(full_name);
    LIST.contains(&folded.as_str()) || LIST.iter().any(|listed| sorted(listed) == sorted(&folded))
}

fn fold(name: &str) -> String {
    let letters: String = name.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    letters.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn sorted(name: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = name.split(' ').collect();
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_are_found_however_they_are_written() {
        for name in ["Test Sanctioned", "TEST  SANCTIONED", "Sanctioned, Test", " test-sanctioned "] {
            assert!(is_listed(name), "{name}");
        }
        for name in ["", "Test", "Sanctioned", "Testa Sanctioned", "Test Sanctioned Jr"] {
            assert!(!is_listed(name), "{name}");
        }
    }
}
