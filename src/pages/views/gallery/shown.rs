//! A drawn sample.

use askama::Template;

#[derive(Clone)]
pub(super) struct Shown {
    pub(super) name: &'static str,
    pub(super) html: String,
}

pub(super) fn show(name: &'static str, page: &impl Template) -> Shown {
    Shown { name, html: page.render().unwrap() }
}
