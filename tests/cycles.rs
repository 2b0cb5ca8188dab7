//! No cycle among the files of the program: a file names only items of files that do not need it, directly or by others.
//!
//! The arrows are read from the text. A path (`super::x`, `crate::noun::x`, or a name that a `use` brings in) is an
//! arrow to the file that defines the item, through all re-exports. A `mod.rs` may re-export its children.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use regex::Regex;

use crate::source::{code, order, parts, program};

/// Text of each file, by its path below the folder of its crate.
type Sources = BTreeMap<String, String>;
/// The path of a module, from the root of the crate.
type Path = Vec<String>;

fn path(text: &str) -> Path {
    text.split("::").map(|part| part.trim().to_owned()).collect()
}

/// A file of the program, as far as its imports need it.
struct Module {
    file: String,
    code: String,
    /// Name in this file and full path of each `use`; the flag marks a re-export.
    imports: Vec<(String, Path, bool)>,
    definitions: BTreeSet<String>,
}

struct Program(BTreeMap<Path, Module>);

/// Returns the module path of a file.
fn module_of(file: &str) -> Path {
    let parts = file.trim_end_matches(".rs").split('/').map(str::to_owned);
    parts.filter(|part| part != "mod" && part != "lib").collect()
}

/// Returns the members of a `use` tree as paths, each with the name that it gets.
fn flat(prefix: &[String], tree: &str, found: &mut Vec<(String, Path)>) {
    let tree = tree.trim();
    let group = tree.strip_suffix('}').and_then(|tree| tree.split_once('{'));
    if let Some((before, members)) = group.filter(|(before, _)| !before.contains(',')) {
        let prefix = [prefix, &before.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect::<Path>()];
        for member in members_of(members) {
            flat(&prefix.concat(), &member, found);
        }
        return;
    }
    let (full, name) =
        tree.split_once(" as ").map_or((tree, None), |(full, name)| (full, Some(name.trim().to_owned())));
    let mut whole = [prefix, &path(full)].concat();
    if whole.last().is_some_and(|last| last == "self") {
        whole.pop();
    }
    let last = whole.last().cloned().unwrap_or_default();
    found.push((name.unwrap_or(last), whole));
}

/// Returns the parts between the commas outside braces.
fn members_of(group: &str) -> Vec<String> {
    let (mut depth, mut found) = (0, vec![String::new()]);
    for letter in group.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth == 0 && letter == ',' {
            found.push(String::new());
        } else {
            found.last_mut().unwrap().push(letter);
        }
    }
    found.retain(|member| !member.trim().is_empty());
    found
}

impl Program {
    fn read(sources: &Sources) -> Self {
        let uses = Regex::new(r"(?s)(?m)^\s*(pub(?:\([^)]*\))?\s+)?use ([^;]+);").unwrap();
        let defined = Regex::new(
            r"\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(?:mut\s+)?([A-Za-z_][A-Za-z0-9_]*)",
        )
        .unwrap();
        let modules = sources.iter().map(|(file, text)| {
            let at = module_of(file);
            let code = code(text);
            let mut imports = Vec::new();
            for use_ in uses.captures_iter(&code) {
                let mut found = Vec::new();
                flat(&[], &use_[2].split_whitespace().collect::<Vec<_>>().join(" "), &mut found);
                imports.extend(found.into_iter().map(|(name, path)| (name, path, use_.get(1).is_some())));
            }
            let definitions = defined.captures_iter(&code).map(|name| name[1].to_owned()).collect();
            (at, Module { file: file.clone(), code: uses.replace_all(&code, "").into_owned(), imports, definitions })
        });
        Self(modules.collect())
    }

    /// Returns the path from the root of the crate that a path in a module means; `None` for other crates.
    fn absolute(&self, at: &[String], path: &[String]) -> Option<Path> {
        let module = &self.0[at];
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([at, rest].concat()),
            "super" => self.absolute_from(&at[..at.len().checked_sub(1)?], rest),
            _ => {
                if self.0.contains_key(&[at, std::slice::from_ref(first)].concat()) {
                    return Some([at, path].concat());
                }
                let import = module.imports.iter().find(|(name, full, _)| name == first && full[..] != path[..])?;
                Some([self.absolute(at, &import.1)?, rest.to_vec()].concat())
            }
        }
    }

    fn absolute_from(&self, at: &[String], path: &[String]) -> Option<Path> {
        match path.first().map(String::as_str) {
            Some("super") => self.absolute_from(&at[..at.len().checked_sub(1)?], &path[1..]),
            _ => Some([at, path].concat()),
        }
    }

    /// Returns the module that defines the item of an absolute path; `None` for a path that is a module.
    fn definer(&self, path: &[String], depth: usize) -> Option<Path> {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (at, rest) = path.split_at(length);
        let (name, more) = rest.split_first()?;
        let module = &self.0[at];
        let import = module.imports.iter().find(|(import, _, _)| import == name);
        if let Some((_, full, _)) = import.filter(|_| depth < 16 && !module.definitions.contains(name))
            && let Some(target) = self.absolute(at, full)
        {
            return self.definer(&[target, more.to_vec()].concat(), depth + 1);
        }
        let all = module.imports.iter().filter(|(name, _, _)| name == "*" && depth < 16);
        for (_, full, _) in all {
            let target = self.absolute(at, &full[..full.len() - 1]);
            let found = target.and_then(|target| self.definer(&[target, rest.to_vec()].concat(), depth + 1));
            if let Some(found) = found.filter(|found| self.0[found].definitions.contains(name)) {
                return Some(found);
            }
        }
        Some(at.to_vec())
    }

    /// Returns the path of the item that has the name of this module and is re-exported next to it.
    fn item_named_like(&self, module: &[String]) -> Option<Path> {
        let (name, parent) = self.0.contains_key(module).then(|| module.split_last())??;
        let imports = &self.0.get(parent)?.imports;
        let items = imports.iter().filter(|(import, _, _)| import == name);
        items.filter_map(|(_, full, _)| self.absolute(parent, full)).find(|path| path[..] != *module)
    }

    /// Returns the arrows of each file, with the names that cause them.
    fn arrows(&self) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> {
        let inline = Regex::new(r"[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)+").unwrap();
        let mut arrows: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for (at, module) in &self.0 {
            let mut named: Vec<Path> = Vec::new();
            for (name, full, public) in &module.imports {
                let whole = self.absolute(at, full);
                if module.code.contains(&format!("{name}(")) {
                    named.extend(whole.iter().filter_map(|whole| self.item_named_like(whole)));
                }
                let is_child = whole.as_ref().is_some_and(|whole| whole.starts_with(at) && whole.len() > at.len());
                if !(*public && is_child) {
                    named.extend(whole);
                }
            }
            for found in inline.find_iter(&module.code) {
                named.extend(self.absolute(at, &path(found.as_str())));
            }
            let out = arrows.entry(&module.file).or_default();
            for whole in named {
                let definer = self.definer(&whole, 0).map(|definer| self.0[&definer].file.as_str());
                if let Some(file) = definer.filter(|file| *file != module.file) {
                    out.entry(file).or_default().insert(whole.last().unwrap().clone());
                }
            }
        }
        arrows
    }
}

/// Returns each set of files that need one another, with the arrows between them.
fn cycles(sources: &Sources) -> Vec<String> {
    let program = Program::read(sources);
    let arrows = program.arrows();
    let reached: BTreeMap<&str, BTreeSet<&str>> = arrows
        .keys()
        .map(|file| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![*file]);
            while let Some(file) = next.pop() {
                next.extend(arrows[file].keys().filter(|to| seen.insert(**to)));
            }
            (*file, seen)
        })
        .collect();
    let mut found = BTreeSet::new();
    for (file, to) in reached.iter().filter(|(file, to)| to.contains(*file)) {
        found.insert(to.iter().filter(|to| reached[**to].contains(file)).copied().collect::<Vec<&str>>());
    }
    let inside = |cycle: &Vec<&str>| {
        let arrow = |from: &&str| {
            let to = arrows[*from].iter().filter(|(to, _)| cycle.contains(*to));
            to.map(|(to, names)| format!("  {from} -> {to}: {names:?}\n")).collect::<String>()
        };
        cycle.iter().map(arrow).collect()
    };
    found.iter().map(inside).collect()
}

fn sources() -> Sources {
    let all = program().into_iter().filter(|file| parts(file) != ["main.rs"] && parts(file) != ["lib.rs"]);
    all.map(|file| (parts(&file).join("/"), fs::read_to_string(&file).unwrap())).collect()
}

#[test]
fn no_files_need_each_other() {
    let cycles = cycles(&sources());
    assert!(cycles.is_empty(), "these files import each other:\n{}", cycles.join("\n"));
}

/// Returns the items that a file defines, not counting its tests.
fn defined(text: &str) -> Vec<String> {
    let item = Regex::new(
        r"(?m)^(?:pub(?:\([^)]*\))? )?(?:const |async )?(?:fn|struct|enum|trait|type|const|static|impl) ?[\w<]+",
    )
    .unwrap();
    let made = Regex::new(r"(?m)^(?:record|words|input|list_query)! \{").unwrap();
    let code = code(text);
    let found = item.find_iter(&code).chain(made.find_iter(&code));
    found.map(|found| found.as_str().to_owned()).collect()
}

#[test]
fn the_mod_file_of_a_noun_only_declares_and_re_exports() {
    let order = order();
    let place = |name: &str| order.iter().position(|module| module == name).unwrap();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(noun) = file.strip_suffix("/mod.rs").filter(|noun| order.iter().any(|module| module == noun)) else {
            continue;
        };
        let is_noun = place("jobs") < place(noun) && place(noun) < place("verify");
        if is_noun && !defined(&text).is_empty() {
            wrong.push(format!("{file} defines {:?}: move them to {noun}/rows.rs", defined(&text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(defined("pub use a::B;\nmod c;\npub fn d() {}\nrecord! {\n}\n"), ["pub fn d", "record! {"]);
}

fn made_up(files: &[(&str, &str)]) -> Sources {
    files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn cycles_of_each_size_are_found_through_re_exports() {
    let facade = ("noun/mod.rs", "mod rows;\nmod pay;\npub use rows::find;\npub use pay::{Pay, pay as paid};");
    let pay = ("noun/pay.rs", "pub struct Pay;\npub fn pay() { super::find() }");
    let apart = made_up(&[facade, pay, ("noun/rows.rs", "pub fn find() {}"), ("lib.rs", "pub mod noun;")]);
    assert_eq!(cycles(&apart), Vec::<String>::new());

    let rows = ("noun/rows.rs", "use super::Pay;\npub fn find() {}");
    let two = cycles(&made_up(&[facade, pay, rows]));
    assert_eq!(
        two,
        ["  noun/pay.rs -> noun/rows.rs: {\"find\"}\n  noun/rows.rs -> noun/pay.rs: {\"Pay\"}\n"],
        "through the re-exports of mod.rs"
    );

    let three = cycles(&made_up(&[
        facade,
        pay,
        ("noun/rows.rs", "use crate::{other::{self, Other}};\npub fn find() { other::more::go() }"),
        ("other/mod.rs", "pub mod more;\npub use more::Other;"),
        ("other/more.rs", "pub struct Other;\npub fn go() { let a = crate::noun::paid(); }"),
    ]));
    assert_eq!(three.len(), 1);
    assert_eq!(three[0].lines().count(), 3);

    let basement = ("noun/mod.rs", "mod pay;\npub use pay::Pay;\npub fn find() {}\nfn new() -> Pay { pay::pay() }");
    assert_eq!(cycles(&made_up(&[basement, pay])).len(), 1, "a mod.rs that defines items is a file as any other");

    let like_its_module = made_up(&[
        ("noun/mod.rs", "mod json;\nmod rows;\npub use json::json;\npub use rows::find;"),
        ("noun/json.rs", "pub fn json() { super::find() }"),
        ("noun/rows.rs", "use super::json;\npub fn find() { json(1) }"),
    ]);
    assert_eq!(cycles(&like_its_module).len(), 1, "a function that has the name of its module");

    let unseen =
        "// use super::Pay;\nfn a() -> &'static str { \"super::Pay\" }\n#[cfg(test)]\nmod tests {\n use super::Pay;\n}";
    assert!(cycles(&made_up(&[facade, pay, ("noun/rows.rs", unseen)])).is_empty());
}
