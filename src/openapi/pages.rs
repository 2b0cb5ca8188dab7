//! The pages of the reference: an overview, a page and a Markdown text for each group, and the list of texts for programs.
//!
//! They are drawn once, at the first request, and stay in memory.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use askama::Template as _;
use bytes::Bytes;
use serde_json::Value;

use super::later::Later;
use super::reference;
use crate::http::route::route;
use crate::http::{Answer, Call, Content, Outcome, Route};
use crate::pages;
use crate::pages::assets::{ASSET_KEPT_SECONDS, TRYING_POLICY};
use crate::pages::draw::page;
use crate::pages::views::{OperationGroup, ReferenceGroupPage, ReferenceGroupText, ReferencePage};
use crate::program::{Bursar, Environment};
use crate::refusal::{Code, Refusal};

const MARKDOWN: &str = "text/markdown; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

struct Reference {
    document: Later<Value>,
    drawn: OnceLock<Result<Drawn, Refusal>>,
}

/// The answers, by the last part of their address.
type Drawn = HashMap<String, Answer>;

impl Reference {
    fn answer(&self, bursar: &Bursar, name: &str) -> Outcome {
        let drawn = self.drawn.get_or_init(|| draw(&self.document, bursar)).as_ref().map_err(Clone::clone)?;
        drawn.get(name).cloned().ok_or_else(|| Refusal::not_found("page"))
    }
}

/// Draws all pages of a document.
fn draw(document: &Value, bursar: &Bursar) -> Result<Drawn, Refusal> {
    let is_sandbox = bursar.environment == Environment::Sandbox;
    let base_url = bursar.public_url.clone();
    let groups = reference::groups(document, &base_url);
    let names: Vec<(String, String)> = groups.iter().map(|group| (group.id.clone(), group.name.clone())).collect();
    let mut drawn = Drawn::new();
    drawn.insert("llms.txt".to_owned(), text(PLAIN, list_of_texts(&base_url, &groups)));
    for group in &groups {
        let markdown = ReferenceGroupText { base_url: base_url.clone(), group: group.clone() };
        let markdown = markdown.render().map_err(|error| {
            tracing::error!(%error, "a page cannot be rendered");
            Refusal::new(Code::InternalError, "A bug stopped this request.")
        })?;
        drawn.insert(format!("{}.md", group.id), text(MARKDOWN, markdown));
        let view =
            ReferenceGroupPage { base_url: base_url.clone(), group: group.clone(), groups: names.clone(), is_sandbox };
        let mut answer = page(200, &view)?;
        if is_sandbox {
            answer.headers.retain(|(name, _)| *name != "content-security-policy");
            answer = answer.header("content-security-policy", TRYING_POLICY);
        }
        drawn.insert(group.id.clone(), shared(answer));
    }
    let version = document["info"]["version"].as_str().unwrap_or_default().to_owned();
    let overview = ReferencePage { version, base_url, chapters: reference::chapters(), groups, is_sandbox };
    drawn.insert(String::new(), shared(page(200, &overview)?));
    Ok(drawn)
}

/// Marks an answer that is the same for everyone.
pub(super) fn public(answer: Answer) -> Answer {
    answer.header("cache-control", format!("public, max-age={ASSET_KEPT_SECONDS}"))
}

/// Returns a page whose copies share its text.
fn shared(mut page: Answer) -> Answer {
    if let Content::Html(html) = page.content {
        page.content = Content::File { content_type: "text/html; charset=utf-8", bytes: Bytes::from(html) };
    }
    public(page)
}

fn text(content_type: &'static str, text: String) -> Answer {
    public(Answer::file(content_type, Bytes::from(text)))
}

/// Returns the addresses of all texts in Markdown, as <https://llmstxt.org> describes it.
fn list_of_texts(base_url: &str, groups: &[OperationGroup]) -> String {
    let mut list = format!(
        "# bursar\n\n> A self-hosted program that moves money to people and collects money from them, over an HTTP JSON \
         API.\n\n- [OpenAPI document]({base_url}/openapi.json)\n\n## Guide\n\n"
    );
    for (address, name) in pages::texts() {
        list.push_str(&format!("- [{name}]({base_url}{address})\n"));
    }
    list.push_str("\n## Reference\n\n");
    for group in groups {
        list.push_str(&format!("- [{}]({base_url}/docs/{}.md): {}\n", group.name, group.id, group.description));
    }
    list
}

/// Returns the routes of the pages of a document.
pub(super) fn routes(document: Later<Value>) -> Vec<Route> {
    let reference = Arc::new(Reference { document, drawn: OnceLock::new() });
    let show = |name: fn(&Call) -> &str| {
        let reference = Arc::clone(&reference);
        move |call: Call| std::future::ready(reference.answer(&call.bursar, name(&call)))
    };
    let (show_reference, show_group) = (show(|_| ""), show(|call| call.parameter("group")));
    let get_texts = show(|_| "llms.txt");
    vec![
        route!(Get "/docs" Anyone "show_reference" show_reference)
            .about("Reference", "Show the API reference")
            .gives_empty(200, "The page."),
        route!(Get "/docs/{group}" Anyone "show_reference_group" show_group)
            .about("Reference", "Show a group of operations, or with .md after its name, return it as Markdown")
            .gives_empty(200, "The page.")
            .refuses(&[Code::NotFound]),
        route!(Get "/llms.txt" Anyone "get_llms_text" get_texts)
            .about("Reference", "List the guide and the reference as Markdown files, for programs")
            .gives_empty(200, "The list."),
    ]
}
