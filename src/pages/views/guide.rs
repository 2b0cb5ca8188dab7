//! A page of the user guide at `/guide`.

use askama::Template;

/// One document with the list of all.
#[derive(Debug, Clone, Template)]
#[template(path = "guide.html")]
pub struct GuidePage {
    /// The text of its first heading.
    pub title: String,
    /// HTML that the program made from an embedded document.
    pub body: String,
    /// All documents.
    pub groups: Vec<GuideGroup>,
    /// The chapter before this one.
    pub previous: Option<GuideLink>,
    /// The chapter after this one.
    pub next: Option<GuideLink>,
    /// Whether the pages of the sandbox are served too.
    pub is_sandbox: bool,
}

/// A part of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideGroup {
    /// "Tutorials".
    pub name: &'static str,
    /// In reading order.
    pub links: Vec<GuideLink>,
}

/// A document in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuideLink {
    /// "/guide/quickstart".
    pub address: &'static str,
    /// "Quickstart".
    pub name: &'static str,
    /// Whether it is the page that is shown.
    pub is_current: bool,
}
