//! The words of the project: plain English, one word for one thing (STYLE.md, docs/glossary.md).
//!
//! tools/language.txt lists the words that are not used, with what to write instead. Comments, texts and documents are
//! counted; a count may only fall.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// How often a banned word may occur. Lower a number when its count falls; never raise one. The one text is a stored word of
/// older versions, in a migration.
const AT_MOST: [(&str, usize); 6] =
    [("documents", 0), ("openapi.json", 0), ("templates", 0), ("src, comments", 0), ("src, texts", 1), ("tests", 0)];
/// These name the words in order to ban or to count them.
const THE_RULES: [&str; 3] = ["STYLE.md", "docs/glossary.md", "docs/internals/language.md"];
/// Lines of comments for each hundred lines of code in `src/`, at most.
const COMMENTS_MAX: usize = 15;

struct Rule {
    word: Regex,
    instead: &'static str,
}

fn rules() -> Vec<Rule> {
    let lines = include_str!("../tools/language.txt").lines().filter(|line| !line.starts_with('#'));
    let rule = |line: &'static str| {
        let (word, instead) = line.split_once(" : ").unwrap();
        Rule { word: Regex::new(&format!(r"(?i)\b(?:{word})\b")).unwrap(), instead }
    };
    lines.map(rule).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder with one of these endings, in order.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir()
                && !path.ends_with("node_modules")
                && !path.ends_with(".venv")
                && !path.ends_with(".packages")
            {
                folders.push(path);
            } else if endings.iter().any(|ending| path.to_str().unwrap().ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A Rust file as two texts with the same lines: its comments, and its strings. Names of code in backticks are cut out.
fn comments_and_texts(source: &str) -> (String, String) {
    let piece = Regex::new(r#"(?m)//.*$|b?'(?:[^'\\\n]|\\[^u]|\\u\{\w+\})'|"(?:[^"\\]|\\[\s\S])*"|\n"#).unwrap();
    let (mut comments, mut texts) = (String::new(), String::new());
    for piece in piece.find_iter(source).map(|found| found.as_str()) {
        match piece.as_bytes()[0] {
            b'/' => comments.push_str(piece),
            b'"' => {
                texts.push_str(piece);
                comments.extend(piece.chars().filter(|letter| *letter == '\n'));
            }
            b'\n' => {
                comments.push('\n');
                texts.push('\n');
            }
            _ => {}
        }
    }
    (without_code(&comments), texts)
}

/// A text without the names of code in backticks.
fn without_code(text: &str) -> String {
    Regex::new("`[^`\n]*`").unwrap().replace_all(text, "``").into_owned()
}

/// A document without the names and blocks of code in it; its lines stay where they are.
fn prose(document: &str) -> String {
    let mut in_block = false;
    let line = |line: &str| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        if in_block || is_fence { String::new() } else { line.to_owned() }
    };
    without_code(&document.lines().map(line).collect::<Vec<_>>().join("\n"))
}

/// Each banned word of a text, with its line and what to write instead.
fn banned(rules: &[Rule], name: &str, text: &str) -> Vec<String> {
    let in_line = |(at, line): (usize, &str)| {
        let hit = |rule: &Rule| {
            let hits = rule.word.find_iter(line).map(|hit| hit.as_str().to_owned());
            hits.map(|hit| format!("{name}:{}: {hit:?}: {}", at + 1, rule.instead)).collect::<Vec<_>>()
        };
        rules.iter().flat_map(hit).collect::<Vec<_>>()
    };
    text.lines().enumerate().flat_map(in_line).collect()
}

fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

fn documents() -> Vec<PathBuf> {
    let in_root = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let in_root = in_root.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let all = in_root.chain(files("docs", &[".md"]));
    all.filter(|path| !THE_RULES.contains(&short(path).as_str())).collect()
}

/// Every banned word of the repository, by place.
fn all_banned() -> BTreeMap<&'static str, Vec<String>> {
    let rules = rules();
    let mut found = BTreeMap::from(AT_MOST.map(|(place, _)| (place, Vec::new())));
    let mut add = |place: &'static str, path: &Path, text: &str| {
        found.get_mut(place).unwrap().extend(banned(&rules, &short(path), text));
    };
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    for path in documents() {
        add("documents", &path, &prose(&read(&path)));
    }
    let document = root().join("openapi.json");
    add("openapi.json", &document, &without_code(&read(&document)));
    for path in files("templates", &["html", "txt"]) {
        add("templates", &path, &read(&path));
    }
    for path in files("src", &[".rs"]).into_iter().chain(files("crates", &[".rs"])) {
        let (comments, texts) = comments_and_texts(&read(&path));
        add("src, comments", &path, &comments);
        add("src, texts", &path, &texts);
    }
    for path in files("tests", &[".rs", ".py", ".mjs"]) {
        let (comments, _) = comments_and_texts(&read(&path));
        add("tests", &path, &comments);
    }
    found
}

#[test]
fn banned_words_only_become_fewer() {
    let mut wrong = Vec::new();
    let found = all_banned();
    for (place, at_most) in AT_MOST {
        let here = &found[place];
        if here.len() > at_most {
            wrong.push(format!("{place}: {} banned words, at most {at_most}:\n{}", here.len(), here.join("\n")));
        } else if here.len() < at_most {
            wrong.push(format!("{place}: {} banned words; lower the limit of {at_most}", here.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn comments_give_reasons_only() {
    let (mut comments, mut code) = (0, 0);
    for path in files("src", &[".rs"]).into_iter().chain(files("crates", &[".rs"])) {
        for line in fs::read_to_string(path).unwrap().lines().map(str::trim).filter(|line| !line.is_empty()) {
            *(if line.starts_with("//") { &mut comments } else { &mut code }) += 1;
        }
    }
    let ratio = comments * 100 / code;
    assert!(
        ratio <= COMMENTS_MAX,
        "{comments} lines of comments for {code} lines of code: {ratio} %, at most {COMMENTS_MAX}"
    );
}

/// A dead end for a reader: a document that is cited and is not there.
#[test]
fn cited_documents_exist() {
    let cited = Regex::new(r"\b(?:docs/[\w./-]+|[A-Z_]+)\.md\b").unwrap();
    let mut wrong = Vec::new();
    for path in
        files("src", &[".rs"]).into_iter().chain(files("crates", &[".rs"])).chain(files("tests", &[".rs", ".py"]))
    {
        let text = fs::read_to_string(&path).unwrap();
        let is_missing = |name: &&str| !root().join(name).is_file();
        wrong.extend(
            cited
                .find_iter(&text)
                .map(|hit| hit.as_str())
                .filter(is_missing)
                .map(|name| format!("{}: {name}", short(&path))),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let document = fs::read_to_string(root().join("openapi.json")).unwrap();
    let any = Regex::new(r"\w\.md\b").unwrap();
    assert_eq!(any.find(&document).map(|hit| hit.as_str()), None, "the API's document cites a file");
}

#[test]
fn banned_words_are_found_where_they_are_read() {
    let (comments, texts) = comments_and_texts("let a = \"told // no\"; // anew `told`\nlet b = '\"'; // whoever\n");
    assert_eq!(banned(&rules(), "a.rs", &texts), ["a.rs:1: \"told\": return, report, notify, emit, say which"]);
    let found = banned(&rules(), "a.rs", &comments);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].starts_with("a.rs:2: \"whoever\""), "{found:?}");
    assert_eq!(prose("a `told` b\n```\ntold\n```\nc"), "a `` b\n\n\n\nc");
}
