//! The table of ARCHITECTURE.md that shows where ten endpoints have their route, input, rule, posting and test.
//!
//! Routes, inputs and tests are found in the source; rule and posting are named here and must exist.

use std::fs;
use std::path::Path;

use regex::Regex;

/// Operation id, the file of its rule below `src/`, the function in `src/ledger/postings.rs`.
const ENDPOINTS: [(&str, &str, &str); 10] = [
    ("send_payout", "payouts/send.rs", "open_hold"),
    ("create_payout", "payouts/create.rs", "pay_out"),
    ("create_payout_link", "payout_links/create.rs", "open_hold"),
    ("cancel_payout_link", "payout_links/rules.rs", ""),
    ("create_payment", "payments/create.rs", "payment_settled_and_held"),
    ("create_transfer", "transfers/move_balance.rs", "app_to_user"),
    ("withdraw_from_app", "funding/withdraw.rs", "withdraw"),
    ("approve_payable", "payables/rules.rs", ""),
    ("approve_payout_request", "payout_requests/rules.rs", "open_hold"),
    ("pay_claim_out", "claims/payout.rs", "pay_out"),
];
const BEGIN: &str = "<!-- ten endpoints, written by tests/where_is.rs: begin -->\n";
const END: &str = "<!-- ten endpoints: end -->";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder, with its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with(".venv") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push((short(&path), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

/// The file of a route, and the input that its row names.
fn route<'a>(sources: &'a [(String, String)], operation: &str) -> (&'a str, Option<String>) {
    let row = Regex::new(&format!(r#"(?s)route!\([^)]*"{operation}"[^)]*\)(.*?)(?:route!\(|\z)"#)).unwrap();
    let takes = Regex::new(r"\.takes(?:_\w+)?::<(?:\w+::)*(\w+)").unwrap();
    let of = |(file, text): &'a (String, String)| {
        let row = row.captures(text)?;
        Some((file.as_str(), takes.captures(row.get(1).unwrap().as_str()).map(|input| input[1].to_owned())))
    };
    sources.iter().find_map(of).unwrap_or_else(|| panic!("no route has the operation {operation}"))
}

fn place<'a>(sources: &'a [(String, String)], pattern: &str) -> Option<&'a str> {
    let pattern = Regex::new(pattern).unwrap();
    sources.iter().find(|(_, text)| pattern.is_match(text)).map(|(file, _)| file.as_str())
}

fn table() -> String {
    let (mut code, tests) = (sources("src"), sources("tests"));
    code.extend(sources("crates/base/src"));
    let mut rows =
        vec!["| endpoint | route | input | rule | posting | test |".to_owned(), "|---|---|---|---|---|---|".to_owned()];
    for (operation, rule, posting) in ENDPOINTS {
        let (file, input) = route(&code, operation);
        let input = input.map_or("–".to_owned(), |input| {
            let at = place(&code, &format!(r"pub struct {input}\b")).unwrap_or_else(|| panic!("no input {input}"));
            format!("`{input}`, `{at}`")
        });
        assert!(root().join("src").join(rule).is_file(), "{operation}: there is no src/{rule}");
        let posting = match posting {
            "" => "–".to_owned(),
            name => {
                let at =
                    place(&code, &format!(r"pub fn {name}\(\s*scope")).unwrap_or_else(|| panic!("no posting {name}"));
                assert_eq!(at, "src/ledger/postings.rs");
                format!("`{name}`")
            }
        };
        let test = place(&tests, &format!(r"fn {operation}(?:_\w+)?\("));
        let test = test.unwrap_or_else(|| panic!("no test is named after {operation}"));
        rows.push(format!("| `{operation}` | `{file}` | {input} | `src/{rule}` | {posting} | `{test}` |"));
    }
    rows.join("\n") + "\n"
}

#[test]
fn the_places_of_ten_endpoints_are_committed() {
    let page = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the mark of the table");
    let (written, after) = rest.split_once(END).expect("the mark of the table's end");
    let expected = table();
    if std::env::var_os("BURSAR_BLESS").is_some() {
        fs::write(&page, format!("{before}{BEGIN}{expected}{END}{after}")).unwrap();
        return;
    }
    assert!(written == expected, "ARCHITECTURE.md is not what the code says; run `make bless`:\n{expected}");
}
