//! Every page in every state with sample data, checked for structure. `BURSAR_GALLERY=1 cargo nextest run gallery` also
//! writes the pages to `target/gallery/`, to open in a browser.

mod developer;
mod samples;
mod shown;

use std::collections::BTreeSet;

use samples::*;
use shown::{Shown, show};

use super::*;
use crate::language::Language;

/// Returns all opening tags of the page, without the angle brackets.
fn tags(html: &str) -> Vec<&str> {
    let pieces = html.split('<').skip(1).filter(|piece| !piece.starts_with('/'));
    pieces.map(|piece| piece.split_once('>').unwrap().0).collect()
}

fn attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"').unwrap().0)
}

/// Whether a tag has an attribute such as `onclick=`.
fn has_handler(tag: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphabetic();
    tag.split(" on").skip(1).any(|rest| rest.trim_start_matches(letter).starts_with('='))
}

fn values_of<'html>(tags: &[&'html str], name: &str) -> BTreeSet<&'html str> {
    tags.iter().filter_map(|tag| attribute(tag, name)).flat_map(|value| value.split(' ')).collect()
}

#[test]
fn each_page_has_one_heading_and_a_place_to_skip_to() {
    for Shown { name, html } in all_pages() {
        assert_eq!(html.matches("<h1").count(), 1, "{name}: headings");
        assert_eq!(html.matches("<main id=\"main\"").count(), 1, "{name}: main");
        assert_eq!(html.matches("<title>").count(), 1, "{name}: title");
        assert!(html.contains("<html lang=\"en\""), "{name}: language");
    }
}

#[test]
fn each_field_has_a_label_and_each_reference_inside_a_page_leads_somewhere() {
    for Shown { name, html } in all_pages() {
        let tags = tags(&html);
        let ids: Vec<&str> = tags.iter().filter_map(|tag| attribute(tag, "id")).collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{name}: an id is not unique in {ids:?}");

        let labelled = values_of(&tags, "for");
        for field in tags.iter().filter(|tag| tag.starts_with("input ") || tag.starts_with("select ")) {
            if attribute(field, "type") != Some("hidden") {
                let id = attribute(field, "id").unwrap_or_else(|| panic!("{name}: {field} has no id"));
                assert!(labelled.contains(id), "{name}: {id} has no label");
            }
        }
        for pointer in ["for", "aria-describedby", "aria-labelledby"] {
            for id in values_of(&tags, pointer) {
                assert!(unique.contains(id), "{name}: {pointer} names {id}, which does not exist");
            }
        }
        for anchor in values_of(&tags, "href").iter().filter_map(|href| href.strip_prefix('#')) {
            assert!(unique.contains(anchor), "{name}: a link leads to #{anchor}, which does not exist");
        }
    }
}

#[test]
fn no_page_needs_what_its_content_security_policy_forbids() {
    assert!(has_handler("a onclick=\"x\"") && !has_handler("pre aria-label=\"Pay one person\""));
    for Shown { name, html } in all_pages() {
        assert!(!html.contains("<style"), "{name}: inline style sheet");
        for tag in tags(&html) {
            assert!(attribute(tag, "style").is_none(), "{name}: inline style in {tag}");
            assert!(!has_handler(tag), "{name}: inline handler in {tag}");
            assert!(!tag.starts_with("script") || attribute(tag, "src").is_some(), "{name}: inline script");
            for pointer in ["href", "src", "action", "formaction"] {
                let Some(target) = attribute(tag, pointer) else {
                    continue;
                };
                let here = target.starts_with('/') && !target.starts_with("//") || target.starts_with('#');
                // A document of the guide may name another site; no page loads anything from it.
                let named = tag.starts_with("a ") && attribute(tag, "rel") == Some("external");
                let contact = ["mailto:", "tel:"].iter().any(|scheme| target.starts_with(scheme));
                let sandbox = target.starts_with("http://127.0.0.1:8080/");
                assert!(here || sandbox || named || contact, "{name}: {tag} leaves this host");
            }
        }
    }
}

#[test]
fn wrong_forms_open_with_what_is_wrong_and_keep_what_was_typed() {
    for Shown { name, html } in all_pages().into_iter().filter(|shown| shown.name.ends_with("-wrong")) {
        assert!(html.contains("role=\"alert\""), "{name}: no summary of errors");
        assert!(html.contains("<title>Error: "), "{name}: the title does not say so");
        assert!(html.contains("field-error"), "{name}: no error next to a field");
    }
    let contact =
        show("contact", &contact(ContactWay::Phone, form(&[("phone_number", "12")], &[("phone_number", "No.")])));
    assert!(contact.html.contains("value=\"12\""));
    let tax = show("tax", &compliance(TaxForm::W9, form(&[("tax_id", "123456789")], &[("tax_id", "No.")])));
    assert!(!tax.html.contains("123456789"), "a tax number is shown again");
}

#[test]
fn what_other_people_wrote_is_escaped() {
    let page = show("contact", &contact(ContactWay::Phone, Form::default()));
    assert!(page.html.contains("spring &#60;catalogue&#62;"));
    assert!(!page.html.contains("<catalogue>"));
}

/// The texts between the tags of a page, and those of its labels, without what the samples' sender wrote.
fn words_of(html: &str) -> Vec<String> {
    let menu = html.find("<details class=\"languages\">").map_or(html.len(), |start| start);
    let after_menu = html[menu..].find("</details>").map_or("", |end| &html[menu + end..]);
    let page = format!("{}{after_menu}", &html[..menu]);
    let texts = page.split('<').skip(1).filter_map(|piece| Some(piece.split_once('>')?.1.trim().to_owned()));
    texts.filter(|text| text.contains(char::is_alphabetic)).collect()
}

/// English texts of the catalogue that a page in another language contains as a whole.
fn left_in_english(language: Language, html: &str) -> Vec<String> {
    let english: BTreeSet<String> = Text::ALL
        .iter()
        .filter(|text| language.say(**text).pattern() != Language::En.say(**text).pattern())
        .map(|text| Language::En.say(*text).pattern())
        .collect();
    words_of(html).into_iter().filter(|words| english.contains(words)).collect()
}

#[test]
fn every_page_is_in_every_language() {
    let english = pages_in(Language::En);
    for language in Language::ALL {
        for (Shown { name, html }, in_english) in pages_in(language).iter().zip(&english) {
            let opening = format!("<html lang=\"{language}\" dir=\"{}\">", language.direction());
            assert!(html.contains(&opening), "{name}, {language}");
            assert!(!html.contains('{') && !html.contains('}'), "{name}, {language}: an open placeholder");
            if language != Language::En {
                let left = left_in_english(language, html);
                assert!(left.is_empty(), "{name}, {language}: {left:?}");
                // The negative control: the same page in English.
                assert!(!left_in_english(language, &in_english.html).is_empty(), "{name}");
            }
        }
    }
}

#[test]
fn gallery_is_written_to_a_folder() {
    let pages = all_pages();
    let names: BTreeSet<&str> = pages.iter().map(|page| page.name).collect();
    assert_eq!(names.len(), pages.len(), "two states share a name");
    if std::env::var_os("BURSAR_GALLERY").is_none() {
        return;
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery");
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    for asset in &crate::pages::assets::ASSETS {
        std::fs::write(folder.join("assets").join(asset.name), asset.bytes).unwrap();
    }
    let color = crate::color::Color::of_digits("8a3ffc").unwrap();
    std::fs::write(folder.join("assets/color-8a3ffc.css"), crate::pages::sender::style_sheet(color)).unwrap();
    for page in pages {
        std::fs::write(folder.join(page.name).with_extension("html"), page.html).unwrap();
    }
    for language in [Language::Es, Language::Ar] {
        for page in pages_in(language) {
            std::fs::write(folder.join(format!("{}-{language}.html", page.name)), page.html).unwrap();
        }
    }
}
