//! Markdown as HTML for a page with a strict content security policy: no inline style, no HTML of the author's own.

use std::collections::HashSet;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Ids of the page around the document.
const PAGE_IDS: [&str; 2] = ["main", "chapters"];

/// A document as HTML.
#[derive(Debug)]
pub struct Drawn {
    /// The text of the first heading.
    pub title: String,
    /// The HTML below `<main>`.
    pub body: String,
}

/// The target of a link.
#[derive(Debug, PartialEq, Eq)]
pub enum Target {
    /// A path or an anchor of this server.
    Here(String),
    /// An address of another server.
    Elsewhere(String),
    /// Not served: the link's text remains.
    Nowhere,
}

/// Draws a document; `resolve` returns the target of each of its links.
pub fn draw(markdown: &str, resolve: impl Fn(&str) -> Target) -> Drawn {
    let events: Vec<Event> = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS).collect();
    let ids = HashSet::from(PAGE_IDS.map(str::to_owned));
    let mut drawing = Drawing { ids, ..Drawing::default() };
    for (at, event) in events.iter().enumerate() {
        drawing.add(event, &events[at + 1..], &resolve);
    }
    let mut body = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut body, drawing.out.into_iter());
    // A header without text is no header.
    Drawn { title: drawing.title, body: body.replace("<th></th>", "<td></td>") }
}

#[derive(Default)]
struct Drawing<'a> {
    out: Vec<Event<'a>>,
    title: String,
    /// The text of the last heading.
    heading: String,
    ids: HashSet<String>,
    /// Code blocks and tables so far.
    regions: usize,
    in_comment: bool,
    /// The end of each open link.
    links: Vec<Option<Event<'a>>>,
}

impl<'a> Drawing<'a> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "all other events are drawn unchanged")]
    fn add(&mut self, event: &Event<'a>, rest: &[Event], resolve: &impl Fn(&str) -> Target) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.open_heading(*level, words(rest)),
            Event::Start(Tag::CodeBlock(kind)) => {
                let tag = self.region("pre", language(kind));
                self.out.push(Event::Html(format!("{tag}<code>").into()));
            }
            Event::Start(Tag::Table(columns)) => {
                let tag = self.region("div class=\"table-scroll\"", "Table");
                self.out.push(Event::Html(tag.into()));
                // An alignment would become an inline style.
                self.out.push(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])));
            }
            Event::End(TagEnd::Table) => {
                self.out.push(event.clone());
                self.out.push(Event::Html("</div>\n".into()));
            }
            Event::Start(Tag::Link { dest_url, .. }) => self.open_link(resolve(dest_url)),
            Event::End(TagEnd::Link) => self.out.extend(self.links.pop().flatten()),
            // An image is not served: its text remains.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::HtmlBlock) => self.in_comment = rest.first().is_some_and(is_comment),
            Event::End(TagEnd::HtmlBlock) => self.in_comment = false,
            Event::Html(_) if self.in_comment => {}
            comment if is_comment(comment) => {}
            Event::Html(text) | Event::InlineHtml(text) => self.out.push(Event::Text(text.clone())),
            Event::TaskListMarker(_) => self.out.push(Event::InlineHtml("<span class=\"task\">☐</span> ".into())),
            other => self.out.push(other.clone()),
        }
    }

    fn open_heading(&mut self, level: HeadingLevel, text: String) {
        let slug = slug(&text);
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.clone()).chain(numbered).find(|id| !self.ids.contains(id));
        let id = free.unwrap_or(slug);
        self.ids.insert(id.clone());
        if self.title.is_empty() {
            self.title.clone_from(&text);
        }
        self.heading = text;
        let (classes, attrs) = (Vec::new(), Vec::new());
        self.out.push(Event::Start(Tag::Heading { level, id: Some(id.into()), classes, attrs }));
    }

    /// The opening tag of an element that scrolls sideways: the keyboard must reach it, and its label is unique.
    fn region(&mut self, tag: &str, kind: &str) -> String {
        self.regions += 1;
        let label = escaped(&format!("{kind} {}: {}", self.regions, self.heading));
        format!("<{tag} tabindex=\"0\" role=\"region\" aria-label=\"{label}\">")
    }

    fn open_link(&mut self, target: Target) {
        let (open, close) = match target {
            Target::Here(address) => (format!("<a href=\"{}\">", escaped(&address)), Some(Event::End(TagEnd::Link))),
            Target::Elsewhere(address) => {
                (format!("<a href=\"{}\" rel=\"external\">", escaped(&address)), Some(Event::End(TagEnd::Link)))
            }
            Target::Nowhere => (String::new(), None),
        };
        self.out.push(Event::InlineHtml(open.into()));
        self.links.push(close);
    }
}

fn is_comment(event: &Event) -> bool {
    matches!(event, Event::Html(text) | Event::InlineHtml(text) if text.starts_with("<!--"))
}

/// The kind of a code block, for its label.
fn language(kind: &CodeBlockKind) -> &'static str {
    let CodeBlockKind::Fenced(info) = kind else { return "Text" };
    match info.split(' ').next().unwrap_or_default() {
        "sh" => "Commands",
        "json" => "JSON",
        "python" => "Python",
        "typescript" => "TypeScript",
        "go" => "Go",
        "ini" | "nginx" | "toml" => "Configuration",
        _ => "Text",
    }
}

/// The text of the heading whose content begins here.
fn words(events: &[Event]) -> String {
    let heading = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let words = heading
        .filter_map(|event| if let Event::Text(text) | Event::Code(text) = event { Some(text.as_ref()) } else { None });
    words.collect()
}

/// The anchor of a heading, as code hosts make it: the links of the documents work in both places.
fn slug(heading: &str) -> String {
    let kept = |letter: char| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    };
    heading.to_lowercase().chars().filter_map(kept).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(markdown: &str) -> String {
        let resolve = |link: &str| match link {
            "gone.md" => Target::Nowhere,
            _ if link.contains("://") => Target::Elsewhere(link.to_owned()),
            _ => Target::Here(format!("/guide/{link}")),
        };
        draw(markdown, resolve).body
    }

    #[test]
    fn headings_have_ids_and_the_first_is_the_title() {
        let drawn = draw("# Pay `one` person: how?\n\n## Next\n\n## Next\n\n## Main\n", |_| Target::Nowhere);
        assert_eq!(drawn.title, "Pay one person: how?");
        for id in ["pay-one-person-how", "next", "next-1", "main-1"] {
            assert!(drawn.body.contains(&format!(" id=\"{id}\"")), "{id}: {}", drawn.body);
        }
    }

    #[test]
    fn code_and_tables_are_regions_with_names_of_their_own() {
        let html = body("# A \"b\"\n\n```sh\necho <a>\n```\n\n```json\n{}\n```\n\n| | x |\n|---|--:|\n| 1 | 2 |\n");
        let names = ["Commands 1: A &quot;b&quot;", "JSON 2: A &quot;b&quot;", "Table 3: A &quot;b&quot;"];
        for name in names {
            assert!(html.contains(&format!("tabindex=\"0\" role=\"region\" aria-label=\"{name}\"")), "{html}");
        }
        assert!(html.contains("<code>echo &lt;a&gt;\n</code></pre>"), "{html}");
        assert!(html.contains("<td></td>") && !html.contains("style"), "{html}");
    }

    #[test]
    fn links_lead_to_their_targets_or_are_text() {
        assert_eq!(body("[a](x)"), "<p><a href=\"/guide/x\">a</a></p>\n");
        assert_eq!(body("[a](https://x.example/)"), "<p><a href=\"https://x.example/\" rel=\"external\">a</a></p>\n");
        assert_eq!(body("[a](gone.md) ![b](c.svg)"), "<p>a b</p>\n");
    }

    #[test]
    fn html_in_a_document_is_text() {
        assert_eq!(body("a <b onclick=\"x\"> c"), "<p>a &lt;b onclick=\"x\"&gt; c</p>\n");
        assert_eq!(
            body("<!-- hidden\nhere -->\n\na <!-- b -->\n\n<script>x</script>\n"),
            "<p>a </p>\n&lt;script&gt;x&lt;/script&gt;\n"
        );
    }
}
