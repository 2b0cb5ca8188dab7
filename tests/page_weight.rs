//! What the pages weigh: the page, its scripts, styles and pictures as a browser loads them for the first time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::harness::{PUBLIC_URL, Server};

/// The most that a page loads.
const PAGE_MAX: usize = 200_000;
/// The most that the first page of the reference loads.
const REFERENCE_MAX: usize = 150_000;

/// The values of `href` and `src` that are paths of this server.
fn addresses(page: &str) -> BTreeSet<String> {
    let values = ["href=\"", "src=\""].into_iter().flat_map(|name| page.split(name).skip(1));
    let paths = values.filter_map(|rest| Some(rest.split_once('"')?.0.split('#').next()?.to_owned()));
    paths.filter(|path| path.starts_with('/') && !path.starts_with("//")).collect()
}

/// The bytes of a response as a browser asks for it.
async fn weight(server: &Server, path: &str) -> usize {
    let reply = server.get(path).header("accept-encoding", "gzip").send().await;
    reply.header("content-length").unwrap_or_else(|| panic!("{path}: {}", reply.status)).parse().unwrap()
}

/// Follows the links from a page; returns what each page loads.
async fn crawl(server: &Server, from: &[&str]) -> BTreeMap<String, usize> {
    let mut files = BTreeMap::new();
    let mut pages = BTreeMap::new();
    let mut next: Vec<String> = from.iter().map(|path| (*path).to_owned()).collect();
    while let Some(path) = next.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let reply = server.get(&path).header("accept", "text/html").send().await;
        if !reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")) {
            continue;
        }
        let mut loaded = weight(server, &path).await;
        for address in addresses(&reply.text) {
            if !address.starts_with("/assets/") {
                next.push(address);
                continue;
            }
            if !files.contains_key(&address) {
                files.insert(address.clone(), weight(server, &address).await);
            }
            loaded += files[&address];
        }
        pages.insert(path, loaded);
    }
    pages
}

#[tokio::test]
async fn no_page_loads_more_than_200_kilobytes_and_the_reference_begins_with_less_than_150() {
    let server = Server::memory().await;
    let payee = json!({"country_code": "1", "phone_number": "2127361234"});
    let body = json!({"amount": 2_500, "payee": payee});
    let link = server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body["link"].clone();
    server.work_off().await;
    let claim = link.as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap().to_owned();
    let pages = crawl(&server, &["/", "/docs", "/guide", "/inbox", "/requests", &claim]).await;
    for known in ["/docs/payouts", "/guide/quickstart", "/guide/reference/operating", &format!("{claim}/why")] {
        assert!(pages.contains_key(known), "the crawl does not reach {known}: {:?}", pages.keys());
    }
    let heavy: Vec<_> = pages.iter().filter(|(_, weight)| **weight > PAGE_MAX).collect();
    assert!(heavy.is_empty(), "{heavy:?}");
    assert!(pages["/docs"] < REFERENCE_MAX, "{}", pages["/docs"]);
    // The counterpart: scripts and styles count too.
    let alone = weight(&server, "/docs").await;
    assert!(pages["/docs"] > alone + 5_000, "{} and {alone}", pages["/docs"]);
}
