//! The common part of the nouns' state machines. Each noun defines its own transitions.

use std::fmt::{Debug, Display};

use crate::refusal::Refusal;

/// A closed set of words, declared by `words!`.
pub trait Words: Copy + Display + 'static {
    const ALL: &'static [Self];

    fn as_str(self) -> &'static str;
}

/// A transition for docs/states.md: from, event, to.
pub type TransitionRow = (&'static str, String, &'static str);

pub fn transitions<S: Words, H: Copy + Debug>(events: &[H], next: impl Fn(S, H) -> Option<S>) -> Vec<TransitionRow> {
    let pairs = S::ALL.iter().flat_map(|from| events.iter().map(move |event| (*from, *event)));
    pairs
        .filter_map(|(from, event)| {
            let to = next(from, event)?;
            Some((from.as_str(), format!("{event:?}"), to.as_str()))
        })
        .collect()
}

/// Applies `next` to a state. Rejects with `invalid-state` if it has no transition; the message and the details name the
/// states that do. `way_out` says what the caller can do in a state.
pub fn apply<S: Words>(
    noun: &str,
    from: S,
    next: impl Fn(S) -> Option<S>,
    way_out: impl Fn(S) -> &'static str,
) -> Result<S, Refusal> {
    next(from).ok_or_else(|| {
        let fitting: Vec<&str> = S::ALL.iter().filter(|it| next(**it).is_some()).map(|it| it.as_str()).collect();
        let (allowed, way_out) = (fitting.join(" or "), way_out(from));
        let message = format!("The {noun} is {from}; this call requires status {allowed}. {way_out}");
        Refusal::in_status(message, from.as_str(), fitting)
    })
}
