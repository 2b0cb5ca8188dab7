//! The rules of the code, checked on its text: order of the modules, purity, sizes, names, and a test for each route.
//!
//! The checks read text, not types; comments, strings and tests are removed first.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::source::{code, code_of_line, files, module, order, parts, program, root, word};

/// Longest file, in lines.
const LINES_MAX: usize = 600;
/// Names that say nothing about the content.
const BANNED_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "manager", "service"];
/// Paths that pure code may not use.
const IMPURE: [&str; 10] = [
    "async ",
    ".await",
    "std::fs",
    "tokio",
    "axum",
    "rusqlite",
    "Instant::now",
    "SystemTime",
    "rand::random",
    "std::net",
];
/// Modules that are pure as a whole.
const PURE_MODULES: [&str; 11] =
    ["money", "platform", "fees", "phone", "email", "country", "text", "bank", "strict_json", "tax", "screening"];
/// Files of `crates/` that are not pure: the I/O of the transports.
const IO_OF_CRATES: [&str; 7] = [
    "transports/src/folder.rs",
    "transports/src/transport.rs",
    "transports/src/sftp/peer.rs",
    "transports/src/sftp/session.rs",
    "transports/src/sftp/client.rs",
    "transports/src/publish/deliver.rs",
    "transports/src/intake/fetch.rs",
];
/// Files of a business noun that are not pure: they carry a request to a command and back.
const WAYS_IN: [&str; 6] = ["http", "http.rs", "acts.rs", "authenticate.rs", "bootstrap.rs", "keyless.rs"];

/// Modules that carry HTTP requests in and responses out.
const HTTP_MODULES: [&str; 9] = ["http", "dispatch", "openapi", "routes", "pages", "sandbox", "health", "sim", "cli"];
/// Files of a noun that may use HTTP.
const HTTP_FACES: [&str; 8] =
    ["http", "http.rs", "json.rs", "inputs.rs", "input.rs", "settings_input.rs", "acts.rs", "authenticate.rs"];

/// Returns the top modules that a text names: `crate::x` and the members of `use crate::{x, y}`.
fn used(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        if let Some(group) = rest.strip_prefix('{') {
            used.extend(members(group));
        } else {
            used.insert(word(rest));
        }
    }
    used
}

/// Returns the first words of a group's members, up to the brace that ends it.
fn members(group: &str) -> Vec<String> {
    let (mut depth, mut member, mut found) = (1, String::new(), Vec::new());
    for letter in group.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth == 0 || depth == 1 && letter == ',' {
            found.push(word(member.trim()));
            member.clear();
        } else {
            member.push(letter);
        }
        if depth == 0 {
            break;
        }
    }
    found
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let order = order();
    let place = |name: &str| order.iter().position(|module| module == name);
    let mut wrong = Vec::new();
    for file in program() {
        let module = module(&file);
        if module == "lib" || module == "main" {
            continue;
        }
        let own = place(&module).unwrap_or_else(|| panic!("{module} is not in lib.rs"));
        let text = fs::read_to_string(&file).unwrap();
        for other in used(&code(&text)) {
            // Other names are macros, or re-exported by lib.rs.
            if place(&other).is_some_and(|other| other > own) {
                wrong.push(format!("{} uses {other}, which stands below it in lib.rs", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns whether a file may use `http`: it is an entry point, or the HTTP part of a noun.
fn faces_http(path: &Path) -> bool {
    let parts = parts(path);
    HTTP_MODULES.contains(&module(path).as_str()) || parts.iter().any(|part| HTTP_FACES.contains(&part.as_str()))
}

#[test]
fn the_business_does_not_use_http() {
    let mut users = BTreeSet::new();
    for file in program().into_iter().filter(|file| !faces_http(file)) {
        if used(&code(&fs::read_to_string(&file).unwrap())).contains("http") {
            users.insert(parts(&file).join("/"));
        }
    }
    assert!(users.is_empty(), "move what these need out of http, or into their http.rs: {users:?}");
}

/// Returns whether a file has only verbs, rules, models or values: code that decides and does nothing else.
fn is_pure(path: &Path) -> bool {
    let parts = parts(path);
    let order = order();
    let place = |name: &str| order.iter().position(|module| module == name).unwrap();
    let module = module(path);
    if PURE_MODULES.contains(&module.as_str()) {
        return true;
    }
    // The business is between the machinery and the entry points, in folders.
    let business = order.contains(&module) && place("jobs") < place(&module) && place(&module) < place("verify");
    business && !parts[1..].iter().any(|part| WAYS_IN.contains(&part.as_str()))
}

#[test]
fn what_decides_does_nothing_else() {
    let mut wrong = Vec::new();
    // The other files of these crates are pure.
    let of_crates = ["crates/formats/src", "crates/transports/src"]
        .into_iter()
        .flat_map(|folder| files(&root().join(folder), ".rs"))
        .filter(|file| !IO_OF_CRATES.iter().any(|io| file.ends_with(io)));
    let pure = program().into_iter().filter(|file| is_pure(file));
    for file in pure.chain(of_crates) {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in code(&text).lines().enumerate() {
            for word in IMPURE.iter().filter(|word| line.contains(*word)) {
                wrong.push(format!("{}:{}: {word}", file.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short_enough_to_read() {
    let mut sources = files(&root().join("src"), ".rs");
    sources.extend(files(&root().join("tests"), ".rs"));
    sources.extend(files(&root().join("crates"), ".rs"));
    let long: Vec<String> = sources
        .iter()
        .map(|file| (file, fs::read_to_string(file).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(file, lines)| format!("{} has {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn names_say_what_is_inside() {
    let sources = files(&root().join("src"), ".rs").into_iter().chain(files(&root().join("crates"), ".rs"));
    for file in sources {
        for part in file.strip_prefix(root()).unwrap() {
            let name = part.to_str().unwrap().trim_end_matches(".rs");
            assert!(!BANNED_NAMES.contains(&name), "{}", file.display());
        }
    }
}

/// Returns operation ids that no test's name contains.
fn untested() -> Vec<&'static str> {
    let mut sources = files(&root().join("src"), ".rs");
    sources.extend(files(&root().join("tests"), ".rs"));
    let tests: Vec<String> =
        sources.iter().flat_map(|file| names_of_tests(&fs::read_to_string(file).unwrap())).collect();
    let routes = ::bursar::routes::table();
    let ids = routes.iter().map(|route| route.documented.operation_id);
    ids.filter(|id| !tests.iter().any(|name| name.contains(id))).collect()
}

/// Returns the functions right below `#[test]` and `#[tokio::test]`.
fn names_of_tests(text: &str) -> Vec<String> {
    let mut lines = text.lines().map(str::trim_start);
    let mut names = Vec::new();
    while let Some(line) = lines.next() {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            let function = lines.find(|line| line.contains("fn ")).unwrap_or_default();
            names.extend(function.split("fn ").nth(1).map(word));
        }
    }
    names
}

#[test]
fn every_route_has_a_test_of_its_name() {
    let untested = untested();
    assert!(untested.is_empty(), "these routes have no test of their name: {}", untested.join(", "));
}

#[test]
fn the_rules_find_what_they_search_for() {
    assert_eq!(code_of_line("let a = \"crate::x // no\"; // crate::y"), "let a = ; ");
    assert_eq!(code_of_line(r#"say("\"crate::x\""); use crate::z;"#), "say(); use crate::z;");
    assert_eq!(code_of_line("split('\"', 1 / 2)"), "split('', 1  2)");
    let names: Vec<String> =
        used("use crate::{ids::{A, B}, clock};\nlet x = crate::money::Cents;").into_iter().collect();
    assert_eq!(names, ["clock", "ids", "money"]);
    assert!(code("use a;\n#[cfg(test)]\nmod tests {\n use crate::b;\n}").lines().eq(["use a;"]));
    assert!(is_pure(&root().join("src/payout_links/create.rs")) && !is_pure(&root().join("src/payout_links/http.rs")));
    let text = "fn create_user() {}\n#[tokio::test]\nasync fn create_user_works() {\n}\n";
    assert_eq!(names_of_tests(text), ["create_user_works"]);
}

/// The fuzz targets are a crate of their own, which no other test compiles.
#[test]
fn the_fuzz_targets_follow_the_program() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let lock = read("fuzz/Cargo.lock");
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|folder| folder.unwrap().path());
    let mut missing = Vec::new();
    for folder in crates.chain([root().to_owned()]) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
        let names = dependencies
            .lines()
            .filter_map(|line| line.split([' ', '.']).next())
            .filter(|name| !name.is_empty() && *name != "#");
        missing.extend(names.filter(|name| !lock.contains(&format!("name = \"{name}\"\n"))).map(str::to_owned));
    }
    assert!(missing.is_empty(), "run `cargo update -w --manifest-path fuzz/Cargo.toml`: {missing:?}");
    let modules = order();
    for target in files(&root().join("fuzz/targets"), ".rs") {
        let text = fs::read_to_string(&target).unwrap();
        for module in text.split("bursar::").skip(1).map(word) {
            assert!(modules.contains(&module), "{}: bursar::{module} does not exist", target.display());
        }
    }
}
