//! What the rules of all nouns with a state have in common. Which moves there are is a noun's own.

use std::fmt::{Debug, Display};

use crate::refusal::{Code, Refusal};

/// A closed set of words, as `words!` declares them.
pub trait Words: Copy + Display + 'static {
    /// All of them, in order.
    const ALL: &'static [Self];

    /// The word that stands for it everywhere.
    fn as_str(self) -> &'static str;
}

/// A move for docs/states.md: from, what happens, to.
pub type TransitionRow = (&'static str, String, &'static str);

/// Every move from state to state.
pub fn transitions<S: Words, H: Copy + Debug>(events: &[H], next: impl Fn(S, H) -> Option<S>) -> Vec<TransitionRow> {
    let pairs = S::ALL.iter().flat_map(|from| events.iter().map(move |event| (*from, *event)));
    pairs
        .filter_map(|(from, event)| {
            let to = next(from, event)?;
            Some((from.as_str(), format!("{event:?}"), to.as_str()))
        })
        .collect()
}

/// Where `next` leads from here.
///
/// # Errors
/// `invalid-state` where it leads nowhere; the message names the states from which it would.
pub fn apply<S: Words>(noun: &str, from: S, next: impl Fn(S) -> Option<S>) -> Result<S, Refusal> {
    next(from).ok_or_else(|| {
        let fitting: Vec<&str> = S::ALL.iter().filter(|it| next(**it).is_some()).map(|it| it.as_str()).collect();
        let message = format!("The {noun} is {from}; this call requires status {}.", fitting.join(" or "));
        Refusal::new(Code::InvalidState, message)
    })
}
