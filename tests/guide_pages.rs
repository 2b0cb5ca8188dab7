//! The user guide as pages at `/guide`: what they are, and that no link is dead.

use std::collections::{BTreeMap, BTreeSet};

use crate::harness::{Reply, Server};
use crate::keys::{production, serve};

/// Other sites that documents name.
const SITES: [&str; 6] = [
    "https://docs.rs/regex/latest/regex/#syntax",
    "https://jqlang.org",
    "https://patroni.readthedocs.io",
    "https://rustup.rs",
    "https://semver.org",
    "https://www.standardwebhooks.com",
];

/// The values of an attribute on a page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let pieces = page.split(attribute).skip(1).filter_map(|rest| rest.strip_prefix("=\""));
    pieces.filter_map(|rest| rest.split('"').next()).collect()
}

fn is_page(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(reply.header("content-security-policy").is_some_and(|policy| !policy.contains("unsafe")));
    for forbidden in ["<style", " style=", " onclick=", "<script"] {
        assert!(!reply.text.contains(forbidden), "{forbidden}");
    }
}

#[tokio::test]
async fn show_guide_show_guide_chapter_and_show_guide_reference_answer() {
    let server = Server::memory().await;
    for (path, title) in [
        ("/guide", "The bursar guide"),
        ("/guide/pay-one-person", "Tutorial: pay one person"),
        ("/guide/reference/errors", "Errors"),
    ] {
        let page = server.get(path).send().await;
        is_page(&page, 200);
        assert!(page.text.contains(&format!("<title>{title} · bursar guide</title>")), "{path}");
        assert_eq!(page.header("cache-control"), Some("public, max-age=3600"));
        let etag = page.header("etag").unwrap().to_owned();
        server.get(path).header("if-none-match", etag).send().await.expect(304);
    }
    let chapter = server.get("/guide/pay-one-person").send().await.text;
    assert!(chapter.contains("<a href=\"/guide/pay-one-person\" aria-current=\"page\">"));
    assert!(chapter.contains("rel=\"prev\" href=\"/guide/money-flows\""));
    assert!(chapter.contains("rel=\"next\" href=\"/guide/pay-500-people\""));
    for path in ["/guide/no-such-chapter", "/guide/no-such-chapter.md", "/guide/reference/no-such-document"] {
        let missing = server.get(path).send().await;
        is_page(&missing, 404);
        assert!(missing.text.contains("Page not found") && missing.text.contains("href=\"/guide/quickstart\""));
        assert_eq!(missing.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn an_unknown_path_names_the_nearest_one_and_browsers_get_a_page() {
    let server = Server::memory().await;
    let near = server.get("/v1/payout-link").send().await;
    near.refused(404, "not-found");
    assert!(near.text.contains("did you mean /v2/payout-links?"), "{}", near.text);
    let far = server.get("/humans.txt").send().await;
    far.refused(404, "not-found");
    assert!(!far.text.contains("did you mean"), "{}", far.text);
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = server.get("/no-such-page").header("accept", browser).send().await;
    is_page(&page, 404);
    assert!(page.text.contains("Page not found") && page.text.contains("href=\"/guide/quickstart\""));
    // A payee who opened a link in part reads no guide.
    let senders = "/senders/019a0000-0000-7000-8000-000000000000/x";
    for path in ["/claim/", "/claim/abc/", senders, "/senders/"] {
        let page = server.get(path).header("accept", browser).header("accept-language", "de").send().await;
        is_page(&page, 404);
        assert!(page.text.contains("Wir kennen diesen Link nicht") && !page.text.contains("/guide/"), "{}", page.text);
    }
    // The controls: a program that accepts anything gets JSON, and so does a browser from the API.
    server.get("/no-such-page").header("accept", "*/*").send().await.refused(404, "not-found");
    server.get("/v2/payout-links").header("accept", browser).send().await.refused(401, "unauthorized");
}

/// Every page below `/guide` that can be reached from there, with the links to other pages.
async fn crawl(server: &Server) -> (BTreeMap<String, String>, BTreeSet<(String, String)>) {
    let (mut pages, mut links, mut waiting) = (BTreeMap::new(), BTreeSet::new(), vec!["/guide".to_owned()]);
    while let Some(path) = waiting.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let page = server.get(&path).send().await.expect(200).text;
        for link in values(&page, " href") {
            links.insert((path.clone(), link.to_owned()));
            let target = link.split('#').next().unwrap_or_default();
            if target.starts_with("/guide") {
                waiting.push(target.to_owned());
            }
        }
        pages.insert(path, page);
    }
    (pages, links)
}

#[tokio::test]
async fn every_link_of_the_guide_leads_somewhere() {
    let server = Server::memory().await;
    let (mut pages, links) = crawl(&server).await;
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide")).unwrap();
    for file in folder {
        let name = file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        let address = if name == "index" { "/guide".to_owned() } else { format!("/guide/{name}") };
        assert!(pages.contains_key(&address), "no link leads to {address}");
    }
    let mut dead = Vec::new();
    for (from, link) in links {
        if link.contains("://") {
            if !SITES.contains(&link.as_str()) {
                dead.push(format!("{from}: {link} is not a known site"));
            }
            continue;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let path = if path.is_empty() { from.as_str() } else { path };
        if !pages.contains_key(path) {
            let reply = server.get(path).send().await;
            if reply.status != 200 {
                dead.push(format!("{from}: {link} answers {}", reply.status));
            }
            pages.insert(path.to_owned(), reply.text);
        }
        if !anchor.is_empty() && !values(&pages[path], " id").contains(&anchor) {
            dead.push(format!("{from}: {link} names no heading"));
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[tokio::test]
async fn the_landing_page_and_the_reference_lead_to_the_guide() {
    let server = Server::memory().await;
    for path in ["/", "/docs"] {
        assert!(values(&server.get(path).send().await.expect(200).text, " href").contains(&"/guide"), "{path}");
    }
}

#[test]
fn production_serves_the_guide_without_the_pages_of_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    production(folder.path());
    let process = serve(folder.path());
    for path in ["/guide", "/guide/quickstart", "/guide/reference/sandbox", "/docs"] {
        let (status, page) = process.get(path);
        assert_eq!(status, 200, "{path}: {page}");
        let links = values(&page, " href");
        assert!(links.contains(&"/guide") && !links.contains(&"/") && !links.contains(&"/inbox"), "{path}");
        assert!(!page.contains("badge-sandbox"), "{path}");
    }
}
