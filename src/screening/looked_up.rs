//! Screening results that are prepared before a command.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::watchlist::{Hit, ListVersion, Watchlist};

/// The hits for some names. A handler screens the names on its own thread and passes the results to the command. If the
/// stored name has changed in between, the command screens the new name.
#[derive(Clone, Debug)]
pub struct LookedUp {
    list: Arc<Watchlist>,
    answers: BTreeMap<String, Vec<Hit>>,
}

impl LookedUp {
    /// Screens these names; takes one to two milliseconds per name with a list of the published size.
    pub fn of(list: Arc<Watchlist>, names: impl IntoIterator<Item = String>) -> Self {
        let answers = names.into_iter().map(|name| {
            let hits = list.screen(&name);
            (name, hits)
        });
        let answers = answers.collect();
        Self { list, answers }
    }

    pub fn version(&self) -> &ListVersion {
        self.list.version()
    }

    pub fn hits(&self, name: &str) -> Vec<Hit> {
        self.answers.get(name).cloned().unwrap_or_else(|| self.list.screen(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_looked_up_is_not_looked_up_again() {
        let list = Watchlist::of_sandbox();
        let asked = LookedUp::of(list.clone(), ["Test Sanctioned".to_owned(), "Jane Doe".to_owned()]);
        for name in ["Test Sanctioned", "Jane Doe", "Andrej Wexler"] {
            assert_eq!(asked.hits(name), list.screen(name), "{name}");
        }
        let answers = BTreeMap::from([("Test Sanctioned".to_owned(), Vec::new())]);
        let differs = LookedUp { list, answers };
        assert!(differs.hits("Test Sanctioned").is_empty(), "the answer counts that was brought along");
        assert_eq!(differs.hits("Sanctioned Test").len(), 1, "of another name the list is asked");
    }
}
