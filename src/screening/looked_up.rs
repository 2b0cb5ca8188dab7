//! Names that were looked up before a command.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::watchlist::{Hit, ListVersion, Watchlist};

/// What a list says of some names. A handler asks the list, on a thread where nobody waits behind it, and a command takes
/// the answers along. The command asks for the name that it finds in the store; where that is another than the handler
/// expected, because somebody changed it in between, the list is asked again.
#[derive(Clone, Debug)]
pub struct LookedUp {
    list: Arc<Watchlist>,
    answers: BTreeMap<String, Vec<Hit>>,
}

impl LookedUp {
    /// Looks these names up, which takes a millisecond or two for each with a list of the published size.
    pub fn of(list: Arc<Watchlist>, names: impl IntoIterator<Item = String>) -> Self {
        let answers = names.into_iter().map(|name| {
            let hits = list.screen(&name);
            (name, hits)
        });
        let answers = answers.collect();
        Self { list, answers }
    }

    /// Which list was asked.
    pub fn version(&self) -> &ListVersion {
        self.list.version()
    }

    /// Everybody on the list whose name is like this one; see [`Watchlist::screen`].
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
