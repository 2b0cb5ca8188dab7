//! The user guide at `/guide`: the chapters of `docs/guide/` and the reference documents, embedded in the program.
//!
//! Each document becomes HTML once, at the first request, and stays in memory. Invariant: no link is dead. A link
//! between documents becomes a path of this server; a link to a file that is not served becomes plain text.

mod markdown;

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use markdown::{Drawn, Target, draw};

use super::assets::ASSET_KEPT_SECONDS;
use super::draw::page;
use super::views::{GuideGroup, GuideLink, GuidePage};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::program::Environment;

/// The address of the sandbox in the documents.
const SANDBOX: &str = "http://127.0.0.1:8080";
/// The overview's address with the name of its file, because `/guide.md` is outside the guide.
const INDEX: &str = "/guide/index";
/// The pages that production does not serve.
const SANDBOX_PAGES: [&str; 3] = ["", "/", "/inbox"];

struct Document {
    /// In the repository.
    file: &'static str,
    /// On the server.
    address: &'static str,
    /// In the list of chapters.
    name: &'static str,
    markdown: &'static str,
}

macro_rules! chapter {
    ($slug:literal, $name:literal) => {
        document!(concat!("docs/guide/", $slug, ".md"), concat!("/guide/", $slug), $name)
    };
}

macro_rules! reference {
    ($file:literal, $slug:literal, $name:literal) => {
        document!($file, concat!("/guide/reference/", $slug), $name)
    };
}

macro_rules! document {
    ($file:expr, $address:expr, $name:literal) => {
        Document {
            file: $file,
            address: $address,
            name: $name,
            markdown: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $file)),
        }
    };
}

/// The chapters in reading order, which is the order of `docs/guide/index.md`.
const CHAPTERS: [(&str, &[Document]); 5] = [
    (
        "Start here",
        &[
            document!("docs/guide/index.md", "/guide", "Overview"),
            chapter!("quickstart", "Quickstart"),
            chapter!("concepts", "Concepts"),
            chapter!("money-flows", "Money flows"),
        ],
    ),
    (
        "Tutorials",
        &[
            chapter!("pay-one-person", "Pay one person"),
            chapter!("pay-500-people", "Pay 500 people"),
            chapter!("pay-a-known-user", "Pay a known user"),
            chapter!("approvals", "Approvals"),
            chapter!("bills", "Bills"),
            chapter!("collect-payments", "Collect payments"),
            chapter!("white-label", "White-label"),
            chapter!("tax-forms", "Tax forms"),
            chapter!("sanctions-review", "Sanctions review"),
        ],
    ),
    (
        "Integrate",
        &[
            chapter!("client-libraries", "Client libraries"),
            chapter!("webhooks", "Webhooks"),
            chapter!("testing", "Testing"),
        ],
    ),
    (
        "Operate",
        &[
            chapter!("going-to-production", "Going to production"),
            chapter!("going-live", "Going live with a bank"),
            chapter!("deployment", "Deployment"),
            chapter!("runbook", "Runbook"),
            chapter!("upgrade", "Upgrade"),
            chapter!("security", "Security"),
            chapter!("bank-files", "Bank files"),
            chapter!("rails", "Rails over HTTP"),
        ],
    ),
    ("Decide", &[chapter!("faq", "FAQ"), chapter!("comparison", "Comparison")]),
];

/// The documents that chapters refer to, and those that these refer to.
const REFERENCE: [Document; 13] = [
    reference!("docs/errors.md", "errors", "Errors"),
    reference!("docs/events.md", "events", "Events"),
    reference!("docs/states.md", "states", "States"),
    reference!("docs/glossary.md", "glossary", "Glossary"),
    reference!("docs/sandbox.md", "sandbox", "The sandbox"),
    reference!("docs/operating.md", "operating", "Operating"),
    reference!("docs/security.md", "security", "Threat model"),
    reference!("docs/decisions.md", "decisions", "Decisions"),
    reference!("docs/internals/reliability.md", "reliability", "Reliability"),
    reference!("docs/internals/performance.md", "performance", "Performance"),
    reference!("SECURITY.md", "vulnerabilities", "Report a vulnerability"),
    reference!("CHANGELOG.md", "changelog", "Changelog"),
    reference!("README.md", "readme", "Readme"),
];

/// Returns the addresses and names of the chapters as Markdown.
pub fn texts() -> Vec<(String, &'static str)> {
    let address = |chapter: &Document| if chapter.address == "/guide" { INDEX } else { chapter.address };
    chapters().map(|chapter| (format!("{}.md", address(chapter)), chapter.name)).collect()
}

fn chapters() -> impl Iterator<Item = &'static Document> {
    CHAPTERS.iter().flat_map(|(_, chapters)| *chapters)
}

fn documents() -> impl Iterator<Item = &'static Document> {
    chapters().chain(&REFERENCE)
}

type Bodies = LazyLock<HashMap<&'static str, Drawn>>;

static SANDBOX_BODIES: Bodies = LazyLock::new(|| bodies(true));
static PRODUCTION_BODIES: Bodies = LazyLock::new(|| bodies(false));

/// All documents as HTML, by address.
fn bodies(is_sandbox: bool) -> HashMap<&'static str, Drawn> {
    let one = |document: &'static Document| {
        let drawn = draw(document.markdown, |link| target(document.file, link, is_sandbox));
        (document.address, drawn)
    };
    documents().map(one).collect()
}

/// The target of a link in a file of the repository.
fn target(file: &str, link: &str, is_sandbox: bool) -> Target {
    if link.starts_with('#') {
        return Target::Here(link.to_owned());
    }
    if let Some(path) = link.strip_prefix(SANDBOX) {
        let is_served = is_sandbox || !SANDBOX_PAGES.contains(&path);
        return if is_served { Target::Here(format!("/{}", path.trim_start_matches('/'))) } else { Target::Nowhere };
    }
    if link.contains("://") {
        return Target::Elsewhere(link.to_owned());
    }
    let (path, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
    let path = joined(file, path);
    if path == Path::new("openapi.json") {
        return Target::Here("/openapi.json".to_owned());
    }
    let found = documents().find(|document| Path::new(document.file) == path);
    found.map_or(Target::Nowhere, |document| Target::Here(format!("{}{anchor}", document.address)))
}

/// The path of a relative link, from the root of the repository.
fn joined(file: &str, link: &str) -> PathBuf {
    let mut path = Path::new(file).parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path
}

/// GET /guide
pub async fn show_guide(call: Call) -> Outcome {
    show(&call, "/guide")
}

/// GET /guide/{chapter}
pub async fn show_guide_chapter(call: Call) -> Outcome {
    show(&call, &format!("/guide/{}", call.parameter("chapter")))
}

/// GET /guide/reference/{document}
pub async fn show_guide_reference(call: Call) -> Outcome {
    show(&call, &format!("/guide/reference/{}", call.parameter("document")))
}

fn show(call: &Call, address: &str) -> Outcome {
    let is_sandbox = call.bursar.environment == Environment::Sandbox;
    let found = match address.strip_suffix(".md") {
        Some(address) => markdown_of(address),
        None => view(address, is_sandbox).map(|view| page(200, &view)).transpose()?,
    };
    let kept = format!("public, max-age={ASSET_KEPT_SECONDS}");
    found.map_or_else(|| page_not_found(is_sandbox), |answer| Ok(answer.header("cache-control", kept)))
}

/// Returns a document as Markdown.
fn markdown_of(address: &str) -> Option<Answer> {
    let address = if address == INDEX { "/guide" } else { address };
    let document = documents().find(|document| document.address == address)?;
    Some(Answer::file("text/markdown; charset=utf-8", document.markdown))
}

/// The page at an address, if there is one.
pub fn view(address: &str, is_sandbox: bool) -> Option<GuidePage> {
    let bodies = if is_sandbox { &SANDBOX_BODIES } else { &PRODUCTION_BODIES };
    let drawn = bodies.get(address)?;
    let place = chapters().position(|chapter| chapter.address == address);
    let chapter = |at: Option<usize>| at.and_then(|at| chapters().nth(at)).map(|chapter| link(chapter, address));
    Some(GuidePage {
        title: drawn.title.clone(),
        body: drawn.body.clone(),
        groups: groups(address),
        previous: chapter(place.and_then(|place| place.checked_sub(1))),
        next: chapter(place.map(|place| place + 1)),
        is_sandbox,
    })
}

/// Returns the page for a path that does not exist.
///
/// # Errors
/// `internal-error` when the template fails, which is a bug.
pub fn page_not_found(is_sandbox: bool) -> Outcome {
    page(404, &missing(is_sandbox))
}

fn missing(is_sandbox: bool) -> GuidePage {
    let title = "Page not found";
    GuidePage {
        title: title.to_owned(),
        body: format!(
            "<h1>{title}</h1>\n<p>There is no page at this address. <a href=\"#chapters\">Choose a chapter</a>.</p>"
        ),
        groups: groups(""),
        previous: None,
        next: None,
        is_sandbox,
    }
}

fn groups(current: &str) -> Vec<GuideGroup> {
    let group = |(name, documents): (&'static str, &'static [Document])| GuideGroup {
        name,
        links: documents.iter().map(|document| link(document, current)).collect(),
    };
    CHAPTERS.into_iter().chain([("Reference", REFERENCE.as_slice())]).map(group).collect()
}

fn link(document: &Document, current: &str) -> GuideLink {
    GuideLink { address: document.address, name: document.name, is_current: document.address == current }
}

/// The routes of the guide.
pub fn routes() -> Vec<Route> {
    let about = |route: Route, summary: &'static str| route.about("Pages", summary).gives_empty(200, "The page.");
    vec![
        about(route!(Get "/guide" Anyone "show_guide" show_guide), "Show the overview of the user guide"),
        about(
            route!(Get "/guide/{chapter}" Anyone "show_guide_chapter" show_guide_chapter),
            "Show a chapter of the user guide",
        )
        .gives_empty(404, "There is no such chapter."),
        about(
            route!(Get "/guide/reference/{document}" Anyone "show_guide_reference" show_guide_reference),
            "Show a reference document of the user guide",
        )
        .gives_empty(404, "There is no such document."),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_of_the_guide_is_a_chapter() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.map(|file| format!("docs/guide/{file}")).collect();
        let chapters: BTreeSet<String> = chapters().map(|chapter| chapter.file.to_owned()).collect();
        assert_eq!(chapters, files);
    }

    #[test]
    fn chapters_are_in_the_order_of_the_index() {
        let index = &SANDBOX_BODIES["/guide"].body;
        let places: Vec<(usize, &str)> = chapters()
            .skip(1)
            .map(|chapter| {
                let found = index.find(&format!("href=\"{}\"", chapter.address));
                (found.unwrap_or_else(|| panic!("{} is not in the index", chapter.file)), chapter.address)
            })
            .collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn every_relative_link_of_a_chapter_leads_to_a_page() {
        for chapter in chapters() {
            draw(chapter.markdown, |link| {
                let target = target(chapter.file, link, true);
                assert_ne!(target, Target::Nowhere, "{}: {link} is not served", chapter.file);
                target
            });
        }
    }

    #[test]
    fn links_are_resolved_against_the_file_that_has_them() {
        let here = |address: &str| Target::Here(address.to_owned());
        let chapter = |link: &str| target("docs/guide/index.md", link, true);
        assert_eq!(chapter("bills.md#set-limits"), here("/guide/bills#set-limits"));
        assert_eq!(chapter("index.md"), here("/guide"));
        assert_eq!(chapter("../errors.md"), here("/guide/reference/errors"));
        assert_eq!(chapter("../../SECURITY.md"), here("/guide/reference/vulnerabilities"));
        assert_eq!(chapter("#next"), here("#next"));
        assert_eq!(chapter("../../openapi.json"), here("/openapi.json"));
        assert_eq!(chapter("../../src/main.rs"), Target::Nowhere);
        assert_eq!(chapter("https://semver.org"), Target::Elsewhere("https://semver.org".to_owned()));
        assert_eq!(chapter("http://127.0.0.1:8080/inbox"), here("/inbox"));
        assert_eq!(target("README.md", "http://127.0.0.1:8080/inbox", false), Target::Nowhere);
        assert_eq!(target("README.md", "http://127.0.0.1:8080/docs", false), here("/docs"));
        assert_eq!(target("README.md", "docs/guide/index.md", false), here("/guide"));
    }
}
