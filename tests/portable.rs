//! The rules that keep the schema fit for databases that distribute their rows over nodes: Citus, CockroachDB,
//! YugabyteDB. They read the text of the migrations; each has its reason, and a sample that it must find.
//!
//! `schemas.rs` checks that a table's records match it, and `citus.rs` that statements use one node.

use std::fs;
use std::path::Path;

/// Indexes over all organizations: for system reads that no payment waits for and that may query every node.
const OF_THE_SYSTEM: [(&str, &str); 4] = [
    ("jobs_due", "workers look for what is due, whoever's it is"),
    ("jobs_due_in_lane", "the same, of one kind of work"),
    ("stored_answers_kept", "whoever clears away old answers looks for the oldest"),
    ("webhook_deliveries_kept", "the same for deliveries"),
];

/// Tables without an organization. Every node has a copy, and a write is a commit on all nodes: `moves` is written only
/// while no server runs.
const WITHOUT_TENANT: [&str; 1] = ["moves"];

/// The types with one name, comparison and order in all of these databases.
const TYPES: [&str; 5] = ["uuid", "bigint", "boolean", "text", "bytea"];

/// The permitted statements of a migration. Views, types, sequences, triggers and functions are not available
/// everywhere, or run where they were not tested; and moving rows is one transaction over all nodes.
const STATEMENTS: [&[&str]; 6] = [
    &["CREATE", "TABLE"],
    &["CREATE", "INDEX"],
    &["CREATE", "UNIQUE", "INDEX"],
    &["ALTER", "TABLE"],
    &["DROP", "INDEX"],
    &["DROP", "TABLE"],
];

/// Forbidden words with their reasons.
const FORBIDDEN: [(&[&str], &str); 8] = [
    (&["SERIAL", "BIGSERIAL", "SMALLSERIAL", "NEXTVAL", "IDENTITY"], "a sequence is one hot row for all nodes"),
    (
        &["REFERENCES", "FOREIGN"],
        "what belongs together is tied by commands; across nodes the database cannot check it",
    ),
    (&["EXCLUDE", "USING"], "indexes other than b-trees are not to be had everywhere"),
    (&["INHERITS", "PARTITION", "TABLESPACE", "UNLOGGED", "TEMP", "TEMPORARY"], "the engine places rows by itself"),
    (&["GENERATED", "DEFERRABLE", "DEFERRED"], "a row is what was written, and is checked when it is written"),
    (&["CONCURRENTLY"], "a migration is one transaction"),
    (&["NULLS", "INCLUDE"], "not every engine takes it, or takes it to mean the same"),
    (
        &["NOW", "CURRENT_TIMESTAMP", "RANDOM", "GEN_RANDOM_UUID"],
        "nodes would not agree; moments and ids are handed in",
    ),
];

/// Splits each statement into words: names, keywords, and every other character. Comments and the quotes around names
/// are left out.
fn statements(sql: &str) -> Vec<Vec<String>> {
    let bare: String = sql.lines().map(|line| line.split("--").next().unwrap_or_default().to_owned() + "\n").collect();
    let words = |statement: &str| {
        let mut words: Vec<String> = Vec::new();
        let mut inside = false;
        for sign in statement.chars() {
            let is_word = sign.is_alphanumeric() || sign == '_';
            match words.last_mut() {
                Some(word) if is_word && inside => word.push(sign),
                Some(_) | None if !sign.is_whitespace() && sign != '"' => words.push(sign.to_string()),
                Some(_) | None => {}
            }
            inside = is_word;
        }
        words
    };
    bare.split(';').map(words).filter(|words| !words.is_empty()).collect()
}

fn is(word: &str, keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword)
}

fn begins(words: &[String], with: &[&str]) -> bool {
    words.len() >= with.len() && words.iter().zip(with).all(|(word, keyword)| is(word, keyword))
}

/// Returns the text in the brackets that open at the first of these words, split at its commas.
fn listed(words: &[String]) -> Vec<Vec<String>> {
    let (mut depth, mut parts) = (0, vec![Vec::new()]);
    for word in words {
        match word.as_str() {
            "(" => depth += 1,
            ")" if depth == 1 => break,
            ")" => depth -= 1,
            _ => {}
        }
        match (depth, word.as_str()) {
            (1, "(") => {}
            (1, ",") => parts.push(Vec::new()),
            _ => parts.last_mut().expect("there is always a last part").push(word.clone()),
        }
    }
    parts
}

fn first_of(words: &[String]) -> String {
    listed(words).first().and_then(|part| part.first()).cloned().unwrap_or_default()
}

/// Returns the errors in a table's definition.
fn wrong_in_table(words: &[String]) -> Vec<String> {
    let table = words[2].clone();
    let (mut wrong, mut has_key) = (Vec::new(), false);
    for part in listed(&words[3..]) {
        let columns = part.iter().position(|word| word == "(").map_or(&part[..0], |at| &part[at..]);
        if begins(&part, &["PRIMARY", "KEY"]) {
            has_key = true;
            if first_of(columns) != "org" && !WITHOUT_TENANT.contains(&table.as_str()) {
                wrong.push(format!(
                    "{table}: its primary key does not begin with org; if it is nobody's, name it in OF_NOBODY"
                ));
            }
        } else if begins(&part, &["UNIQUE"]) && first_of(columns) != "org" {
            wrong.push(format!("{table}: it is unique across organizations"));
        } else if !["CHECK", "UNIQUE", "CONSTRAINT"].iter().any(|keyword| is(&part[0], keyword)) {
            wrong.extend(wrong_in_column(&table, &part));
        } else if is(&part[0], "CONSTRAINT") {
            wrong.push(format!("{table}: a named constraint hides what it is"));
        }
    }
    // The fill factor of a page, which the others ignore, and nothing else.
    let set = words.iter().rposition(|word| is(word, "WITH")).map_or(&words[..0], |at| &words[at..]);
    if set.len() > 1 && !is(&set[2], "fillfactor") {
        wrong.push(format!("{table}: it has settings that only PostgreSQL knows"));
    }
    if !has_key {
        wrong.push(format!("{table}: it has no primary key of its own line"));
    }
    wrong
}

fn wrong_in_column(table: &str, column: &[String]) -> Vec<String> {
    let [name, kind, rest @ ..] = column else { return vec![format!("{table}: a column without a type")] };
    let mut wrong = Vec::new();
    if !TYPES.contains(&kind.as_str()) || rest.first().is_some_and(|next| next == "(" || next == "[") {
        wrong.push(format!("{table}.{name}: {kind} is no type that all engines have"));
    }
    let ordered_by_bytes = rest.windows(2).any(|two| is(&two[0], "COLLATE") && two[1] == "C");
    if kind == "text" && !ordered_by_bytes {
        wrong.push(format!("{table}.{name}: text without COLLATE \"C\" is ordered as each node's system has it"));
    }
    for constraint in ["UNIQUE", "PRIMARY"] {
        if rest.iter().any(|word| is(word, constraint)) {
            wrong.push(format!("{table}.{name}: {constraint} on one column is no key that begins with org"));
        }
    }
    wrong
}

/// Returns the errors in an index's definition.
fn wrong_in_index(words: &[String]) -> Vec<String> {
    let unique = is(&words[1], "UNIQUE");
    let name = &words[if unique { 3 } else { 2 }];
    let columns = words.iter().position(|word| word == "(").map_or(&words[..0], |at| &words[at..]);
    let of_the_system = OF_THE_SYSTEM.iter().any(|(known, _)| known == name);
    let mut wrong = Vec::new();
    if first_of(columns) != "org" && (unique || !of_the_system) {
        let of = if unique { "is unique across organizations" } else { "serves look-ups across organizations" };
        wrong.push(format!("{name}: it {of}; an index begins with org"));
    }
    if listed(columns).iter().any(|column| column.len() != 1) {
        wrong.push(format!("{name}: it is on more than plain columns"));
    }
    wrong
}

/// Returns the errors in a change of a table.
fn wrong_in_change(words: &[String]) -> Vec<String> {
    let table = &words[2];
    if begins(&words[3..], &["ADD", "COLUMN"]) {
        return wrong_in_column(table, &words[5..]);
    }
    let alters = begins(&words[3..], &["ALTER", "COLUMN"]) && !words.iter().any(|word| is(word, "TYPE"));
    if alters || begins(&words[3..], &["DROP", "COLUMN"]) {
        return Vec::new();
    }
    vec![format!("{table}: {} is a change that not every engine makes in a transaction", words[3..].join(" "))]
}

/// Returns all errors in the statements of a migration.
fn wrong_in(sql: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for words in statements(sql) {
        if !STATEMENTS.iter().any(|kind| begins(&words, kind)) {
            wrong.push(format!(
                "{}: migrations make, change and drop tables and indexes, and nothing else",
                words.join(" ")
            ));
            continue;
        }
        for (forbidden, reason) in FORBIDDEN {
            let found = words.iter().find(|word| forbidden.iter().any(|keyword| is(word, keyword)));
            wrong.extend(found.map(|word| format!("{word}: {reason}")));
        }
        if begins(&words, &["CREATE", "TABLE"]) {
            wrong.extend(wrong_in_table(&words));
        } else if is(&words[0], "CREATE") {
            wrong.extend(wrong_in_index(&words));
        } else if is(&words[0], "ALTER") {
            wrong.extend(wrong_in_change(&words));
        }
    }
    wrong
}

#[test]
fn every_migration_is_fit_for_a_database_of_many_nodes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/postgres");
    let (mut seen, mut indexes) = (0, String::new());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let sql = fs::read_to_string(&path).unwrap();
        let wrong = wrong_in(&sql);
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), wrong.join("\n"));
        seen += statements(&sql).len();
        indexes += &sql;
    }
    assert!(seen > 100, "only {seen} statements were read");
    for (index, _) in OF_THE_SYSTEM {
        assert!(indexes.contains(&format!("CREATE INDEX {index} ON")), "{index} is not there any more");
    }
}

#[test]
fn each_rule_finds_what_breaks_it() {
    for (sql, found) in [
        ("CREATE TABLE t (id uuid NOT NULL, PRIMARY KEY (id))", "does not begin with org"),
        ("CREATE TABLE t (org uuid NOT NULL, id uuid, PRIMARY KEY (id, org))", "does not begin with org"),
        ("CREATE TABLE t (org uuid NOT NULL, id uuid NOT NULL)", "no primary key"),
        ("CREATE TABLE t (org uuid PRIMARY KEY)", "on one column"),
        ("CREATE TABLE t (org uuid, id uuid UNIQUE, PRIMARY KEY (org))", "on one column"),
        ("CREATE TABLE t (org uuid, id uuid, PRIMARY KEY (org), UNIQUE (id))", "unique across organizations"),
        ("CREATE TABLE t (org uuid, PRIMARY KEY (org), CONSTRAINT one UNIQUE (id))", "hides what it is"),
        ("CREATE TABLE t (org uuid, n bigserial, PRIMARY KEY (org))", "a sequence"),
        ("CREATE TABLE t (org uuid, n bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (org))", "a sequence"),
        ("CREATE SEQUENCE numbers", "nothing else"),
        ("CREATE TABLE t (org uuid, n bigint DEFAULT nextval('s'), PRIMARY KEY (org))", "a sequence"),
        ("CREATE TABLE t (org uuid, app uuid REFERENCES apps (id), PRIMARY KEY (org))", "tied by commands"),
        ("CREATE TABLE t (org uuid, at timestamptz, PRIMARY KEY (org))", "timestamptz is no type"),
        ("CREATE TABLE t (org uuid, a numeric(10, 2), PRIMARY KEY (org))", "numeric is no type"),
        ("CREATE TABLE t (org uuid, a text[] COLLATE \"C\", PRIMARY KEY (org))", "text is no type"),
        ("CREATE TABLE t (org uuid, a text NOT NULL, PRIMARY KEY (org))", "without COLLATE"),
        ("CREATE TABLE t (org uuid, a text COLLATE \"de_DE\", PRIMARY KEY (org))", "without COLLATE"),
        ("CREATE TABLE t (org uuid, PRIMARY KEY (org)) WITH (autovacuum_enabled = off)", "only PostgreSQL knows"),
        ("CREATE TABLE t (org uuid, PRIMARY KEY (org)) PARTITION BY HASH (org)", "places rows"),
        ("CREATE UNIQUE INDEX i ON t (token)", "unique across"),
        ("CREATE UNIQUE INDEX jobs_due ON t (due_at)", "unique across"),
        ("CREATE INDEX i ON t (due_at)", "across organizations"),
        ("CREATE INDEX i ON t (org, lower(name))", "plain columns"),
        ("CREATE INDEX i ON t USING gin (org)", "b-trees"),
        ("CREATE INDEX CONCURRENTLY i ON t (org)", "one transaction"),
        ("CREATE TRIGGER t BEFORE UPDATE ON a EXECUTE FUNCTION f()", "nothing else"),
        ("CREATE VIEW v AS SELECT 1", "nothing else"),
        ("ALTER TABLE t ADD COLUMN at timestamptz", "timestamptz is no type"),
        ("ALTER TABLE t ADD CHECK (a > 0)", "a change that not every engine"),
        ("ALTER TABLE t ALTER COLUMN a TYPE text", "not every engine"),
        ("UPDATE t SET a = 1", "nothing else"),
        ("SELECT pg_advisory_lock(1)", "nothing else"),
        ("CREATE UNLOGGED TABLE t (org uuid, PRIMARY KEY (org))", "nothing else"),
    ] {
        let wrong = wrong_in(sql);
        assert!(wrong.iter().any(|wrong| wrong.contains(found)), "{sql}: {wrong:?}");
    }
    let right = "-- Notes; with UPDATE.\nCREATE TABLE t (\n  org uuid NOT NULL,\n  n bigint NOT NULL CHECK (n BETWEEN 1 AND 5),\n  \
        a text COLLATE \"C\",\n  PRIMARY KEY (org, n),\n  CHECK ((a = 'x') = (n > 1))\n) WITH (fillfactor = 60);\n\
        CREATE UNIQUE INDEX u ON t (org, a) WHERE a IS NOT NULL;\nALTER TABLE t ADD COLUMN b boolean NOT NULL DEFAULT false;\nDROP INDEX u;";
    assert_eq!(wrong_in(right), Vec::<String>::new());
}
