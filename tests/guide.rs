//! The code blocks of the user guide, run as CONTRIBUTING.md says: each chapter in one Bash, in the folder of a fresh
//! sandbox of the real program, and each output compared with the block that shows it.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;

use crate::harness::{Process, bursar};

/// Blocks that are neither run nor compared: diagrams, configuration, texts of a bank, and commands that need a server of
/// their own.
/// Lower it when a block becomes one that is run.
const SHOWN_ONLY: usize = 32;
/// Seconds that the blocks of one chapter may take.
const SECONDS_MAX: &str = "240";

const SANDBOX: &str = "127.0.0.1:8080";
const RECEIVER: &str = "127.0.0.1:3000";

/// A fenced block.
#[derive(Clone, Debug)]
struct Block {
    line: usize,
    language: String,
    /// Its lines may come in any order.
    any_order: bool,
    /// Only blank lines are between it and the block before.
    directly_follows: bool,
    text: String,
}

/// Commands, with the output that the chapter shows for them.
#[derive(Debug)]
struct Step {
    commands: Block,
    output: Option<Block>,
}

pub struct Chapter {
    name: String,
    /// Written before the first step: name and content.
    pub files: Vec<(String, String)>,
    steps: Vec<Step>,
    shown_only: usize,
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide"))
}

fn blocks(markdown: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut has_words) = (Vec::new(), None::<Block>, true);
    for (at, line) in markdown.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(""), Some(_)) => {
                blocks.extend(open.take());
                has_words = false;
            }
            (Some(info), None) => {
                let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
                open = Some(Block {
                    line: at + 1,
                    language: language.to_owned(),
                    any_order: rest == "any-order",
                    directly_follows: !has_words,
                    text: String::new(),
                });
            }
            (_, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => has_words |= !line.trim().is_empty(),
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

impl Chapter {
    pub fn read(name: &str) -> Self {
        let text = fs::read_to_string(folder().join(name).with_extension("md")).unwrap();
        Self::parse(name, &text)
    }

    fn parse(name: &str, markdown: &str) -> Self {
        let mut chapter = Self { name: name.to_owned(), files: Vec::new(), steps: Vec::new(), shown_only: 0 };
        let mut follows_commands = false;
        for block in blocks(markdown) {
            let shows_output = follows_commands && block.directly_follows;
            follows_commands = block.language == "sh";
            let first = block.text.lines().next().unwrap_or_default();
            let file = first.strip_prefix("# ").or(first.strip_prefix("// ")).map(str::to_owned);
            match (block.language.as_str(), file) {
                ("sh", _) => chapter.steps.push(Step { commands: block, output: None }),
                ("python" | "typescript" | "go", Some(file)) => chapter.files.push((file, block.text)),
                ("text" | "json", _) if shows_output => {
                    chapter.steps.last_mut().expect("commands came before").output = Some(block);
                }
                _ => chapter.shown_only += 1,
            }
        }
        chapter
    }

    /// Runs the steps; says what is wrong with the first one that fails or prints something else.
    fn run(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let process = Process::start(&folder.join("bursar-data"));
        let receiver = free_address();
        let placed = |text: &str| text.replace(SANDBOX, &process.address).replace(RECEIVER, &receiver);
        for (file, text) in &self.files {
            fs::write(folder.join(file), placed(text)).unwrap();
        }
        let mut script = "set -e\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n".to_owned();
        for (number, step) in self.steps.iter().enumerate() {
            fs::write(folder.join(format!("block-{number}")), placed(&step.commands.text)).unwrap();
            script += &format!("source block-{number} > output-{number} 2> errors-{number}\n");
        }
        fs::write(folder.join("script"), script).unwrap();
        let succeeded = bash(folder, &receiver).success();

        let printed = |file: &str, number: usize| fs::read_to_string(folder.join(format!("{file}-{number}"))).ok();
        for (number, step) in self.steps.iter().enumerate() {
            let Some(output) = printed("output", number) else { break };
            if !succeeded && printed("output", number + 1).is_none() {
                let errors = printed("errors", number).unwrap_or_default();
                let line = step.commands.line;
                return Err(format!("{}.md:{line}: the block failed; it printed:\n{output}{errors}", self.name));
            }
            if let Some(shown) = &step.output
                && !agrees(&placed(&shown.text), &output, shown.any_order)
            {
                let (line, text) = (shown.line, &shown.text);
                return Err(format!("{}.md:{line}: shown:\n{text}printed:\n{output}", self.name));
            }
        }
        if succeeded { Ok(()) } else { Err(format!("{}.md: Bash failed before the first block", self.name)) }
    }
}

pub fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Runs the script with `bursar` on the `PATH`, and nothing of this process's own settings.
fn bash(folder: &Path, receiver: &str) -> std::process::ExitStatus {
    let programs = folder.join("programs");
    fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(bursar(&[]).get_program(), programs.join("bursar")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("timeout");
    command.args([SECONDS_MAX, "bash", "script"]).current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BURSAR_")) {
        command.env_remove(name);
    }
    command.env("PATH", format!("{}:{path}", programs.display()));
    command.env("PORT", receiver.rsplit(':').next().unwrap());
    command.status().expect("there is a Bash")
}

/// Whether an output is the one that the guide shows. A byte order mark is not shown. `…` covers any text, with the rest of the word before it; ids,
/// times, dates and sizes differ from run to run.
fn agrees(shown: &str, printed: &str, any_order: bool) -> bool {
    let sorted = |text: &str| {
        let mut lines: Vec<&str> = text.trim_start_matches('\u{feff}').trim().lines().collect();
        if any_order {
            lines.sort_unstable();
        }
        lines.join("\n")
    };
    Regex::new(&pattern(&sorted(shown))).unwrap().is_match(&sorted(printed))
}

/// Parts of an output that differ from run to run.
const DIFFERENT: [&str; 5] = [
    r"[\w\\-]*…",
    r"[0-9a-f]{8}(?:\\-[0-9a-f]{4}){3}\\-[0-9a-f]{12}",
    r"\d{4}\\-\d\d\\-\d\dT\d\d:\d\d:\d\d\\\.\d{6}Z",
    r"\d{4}\\-\d\d\\-\d\d",
    r"\d+ bytes",
];

fn pattern(shown: &str) -> String {
    let parts = Regex::new(&DIFFERENT.join("|")).unwrap();
    let escaped = regex::escape(shown);
    let replaced = parts.replace_all(&escaped, |found: &regex::Captures| {
        let found = &found[0];
        if found.ends_with('…') {
            ".*?".to_owned()
        } else if found.ends_with("bytes") {
            r"\d+ bytes".to_owned()
        } else {
            found
                .chars()
                .map(|letter| if letter.is_ascii_hexdigit() { "[0-9a-f]".to_owned() } else { letter.into() })
                .collect()
        }
    });
    format!("(?s)^{replaced}$")
}

/// One test for each chapter that has commands.
macro_rules! chapters {
    ($($test:ident $name:literal)*) => {
        $(
            #[test]
            fn $test() {
                if let Err(wrong) = Chapter::read($name).run() {
                    panic!("{wrong}");
                }
            }
        )*
        const RUN: &[&str] = &[$($name),*];
    };
}

chapters! {
    approvals "approvals"
    bank_files "bank-files"
    rails "rails"
    bills "bills"
    collect_payments "collect-payments"
    deployment "deployment"
    going_live "going-live"
    going_to_production "going-to-production"
    money_flows "money-flows"
    pay_500_people "pay-500-people"
    pay_a_known_user "pay-a-known-user"
    pay_one_person "pay-one-person"
    quickstart "quickstart"
    sanctions_review "sanctions-review"
    security "security"
    tax_forms "tax-forms"
    testing "testing"
    upgrade "upgrade"
    webhooks "webhooks"
    white_label "white-label"
}

fn all() -> Vec<Chapter> {
    let names = fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    names.map(|path| Chapter::read(path.file_stem().unwrap().to_str().unwrap())).collect()
}

#[test]
fn every_chapter_with_commands_is_run() {
    let with_commands: BTreeSet<String> =
        all().into_iter().filter(|chapter| !chapter.steps.is_empty()).map(|chapter| chapter.name).collect();
    let run: BTreeSet<String> = RUN.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(run, with_commands);
}

#[test]
fn no_more_blocks_are_left_out() {
    let shown_only: usize = all().iter().map(|chapter| chapter.shown_only).sum();
    assert_eq!(
        shown_only, SHOWN_ONLY,
        "a new block that is neither run nor compared needs a reason; fewer lower the constant"
    );
}

#[test]
fn a_wrong_chapter_is_found() {
    let wrong = |markdown: &str| Chapter::parse("wrong", markdown).run().expect_err("it is wrong");
    let failed = wrong("```sh\nNAME=a\n```\n\nWords.\n\n```sh\ntest $NAME = b\n```\n\n```sh\ntrue\n```\n");
    assert!(failed.starts_with("wrong.md:7: the block failed"), "{failed}");
    let unreachable = wrong("```sh\ncurl -sf http://127.0.0.1:8080/v2/users\n```\n");
    assert!(unreachable.starts_with("wrong.md:1: the block failed"), "{unreachable}");
    let other = wrong("```sh\necho 2\n```\n\n```text\n1\n```\n");
    assert!(other.starts_with("wrong.md:5: shown:\n1\nprinted:\n2"), "{other}");
}

#[test]
fn outputs_agree_up_to_ids_and_times() {
    let shown = "{\"id\":\"01a2070f-cd76-7374-8001-559ba1718a37\",\"at\":\"2026-11-23T06:20:07.654266Z\"}\nof 01a2070f-… and AaIH-8oN…\n806912 bytes, 3 rows\n";
    let printed = "{\"id\":\"11a2070f-cd76-7374-8001-559ba1718a3f\",\"at\":\"2027-01-02T03:04:05.000001Z\"}\nof 77a2070f-1 and x\n9 bytes, 3 rows\n";
    assert!(agrees(shown, printed, false));
    assert!(!agrees(shown, &printed.replace("3 rows", "4 rows"), false));
    assert!(!agrees(shown, &printed.replace("\"at\"", "\"on\""), false));
    assert!(agrees("b 1\na 2\n", "a 2\nb 1\n", true) && !agrees("b 1\na 2\n", "a 2\nb 1\n", false));
    assert!(agrees("a\n…\nb", "a\nx\ny\nb", false) && !agrees("a.b", "axb", false));
}

#[test]
fn only_output_directly_below_commands_is_compared() {
    let chapter = Chapter::parse(
        "a",
        "```sh\nx\n```\n\n```json\n1\n```\n\n```text\n2\n```\n```sh\ny\n```\nWords.\n```text\n3\n```\n```python\n# a.py\n```\n",
    );
    let outputs: Vec<Option<&str>> =
        chapter.steps.iter().map(|step| step.output.as_ref().map(|output| output.text.as_str())).collect();
    assert_eq!(outputs, [Some("1\n"), None]);
    assert_eq!((chapter.shown_only, chapter.files[0].0.as_str()), (2, "a.py"));
}
