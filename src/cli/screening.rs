//! `bursar screening`

use std::path::PathBuf;
use std::time::Instant;

use clap::Subcommand;
use comfy_table::{ContentArrangement, Table};
use serde_json::json;

use super::terminal::{Configured, Failed, say};
use crate::instance;
use crate::sanctions::{self, NoList};
use crate::screening::{Hit, ListVersion, SCORE_MIN, common_name, listed_name, made_list, made_name};

/// What to do with the sanctions list.
#[derive(Subcommand)]
pub(super) enum Options {
    /// Check the files of a list and install them; a running server uses them within a minute
    Load {
        /// SDN.CSV, ALT.CSV, ADD.CSV, SDN_COMMENTS.CSV as OFAC publishes them, or a folder with them
        #[arg(required = true, value_name = "FILE_OR_FOLDER")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        configured: Box<Configured>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Screen a name against the list in use, and explain each match
    Check {
        /// First and last name
        name: String,
        #[command(flatten)]
        configured: Box<Configured>,
        /// Screen against the invented names of the sandbox
        #[arg(long)]
        invented: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Measure how long one screening takes on this machine, with a list of invented names
    Measure {
        /// Names on the list; the published one has about 40,000
        #[arg(long, default_value_t = 40_000)]
        names: u64,
    },
}

impl From<NoList> for Failed {
    fn from(no_list: NoList) -> Self {
        Self::Work(format!("{no_list}. The list in use stays as it is."))
    }
}

/// Loads a list, or asks it.
pub(super) fn run(asked: Options) -> Result<(), Failed> {
    match asked {
        Options::Load { paths, configured, json } => {
            let config = configured.load()?;
            // Made here, it would be open to others, and the server would refuse it.
            if config.sanctions_dir.starts_with(&config.data_dir) {
                instance::make_folder(&config.data_dir)?;
            }
            let list = sanctions::install(&paths, &config.sanctions_dir, config.screening_score_min)?;
            let version = list.version();
            if json {
                return say(&serde_json::to_string(version).expect("a version is plain data, which always serializes"));
            }
            say(&format!(
                "Loaded {} entries with {} names into {}.\nList {} of {}.\nA running server uses it within a minute.",
                version.entries,
                version.names,
                config.sanctions_dir.display(),
                version.hash,
                version.published,
            ))
        }
        Options::Check { name, configured, invented, json } => {
            let config = configured.load()?;
            let list = sanctions::in_use(&config, invented)?;
            let source = if invented {
                "invented names of the sandbox".to_owned()
            } else {
                config.sanctions_dir.display().to_string()
            };
            let hits = list.screen(&name);
            let version = list.version();
            say(&if json { shown(&hits, version, &source) } else { table(&hits, version, &source) })
        }
        Options::Measure { names } => measure(names),
    }
}

/// Names that are looked up of each sort.
const LOOKED_UP: u64 = 1_000;

fn measure(names: u64) -> Result<(), Failed> {
    let began = Instant::now();
    let list = made_list(names, SCORE_MIN).map_err(NoList::from)?;
    say(&format!("{names} names read and indexed in {} ms", began.elapsed().as_millis()))?;
    let not_listed = names + 1..=names + LOOKED_UP;
    for (sort, asked) in [
        ("not on the list", not_listed.clone().map(made_name).collect::<Vec<_>>()),
        ("on the list", (1..=names.min(LOOKED_UP)).map(listed_name).collect()),
        ("of common words", not_listed.map(common_name).collect()),
    ] {
        let mut took: Vec<(u128, bool)> = Vec::new();
        for name in &asked {
            let began = Instant::now();
            let is_hit = !list.screen(name).is_empty();
            took.push((began.elapsed().as_micros(), is_hit));
        }
        took.sort_unstable();
        let at = |percent: usize| took.get(took.len() * percent / 100).map_or(0, |(micros, _)| *micros);
        let hits = took.iter().filter(|(_, is_hit)| *is_hit).count();
        say(&format!("{sort}: p50 {} us, p99 {} us, {hits} of {} found", at(50), at(99), took.len()))?;
    }
    Ok(())
}

fn shown(hits: &[Hit], version: &ListVersion, source: &str) -> String {
    let hit = |hit: &Hit| {
        json!({
            "score": hit.score,
            "entry": hit.entry.number,
            "listed_name": hit.listed_name,
            "name_kind": hit.name_kind,
            "program": hit.entry.program,
            "remarks": hit.entry.remarks,
            "comparison": hit.comparison,
        })
    };
    let hits: Vec<_> = hits.iter().map(hit).collect();
    json!({"list": version, "source": source, "hits": hits}).to_string()
}

fn table(hits: &[Hit], version: &ListVersion, source: &str) -> String {
    let ListVersion { hash, published, entries, names, score_min } = version;
    let compared = format!(
        "Compared with {entries} entries and their {names} names, of {published}, from {source}.\n\
         List {hash}. A score of {score_min} or more is a match."
    );
    if hits.is_empty() {
        return format!("No name on this list matches.\n{compared}");
    }
    let mut table = Table::new();
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["score", "entry", "name", "program", "remarks"]);
    for hit in hits {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (score, entry) = (hit.score.to_string(), hit.entry.number.to_string());
        table.add_row([score, entry, hit.listed_name.clone(), text(&hit.entry.program), text(&hit.entry.remarks)]);
    }
    format!("{table}\n{compared}")
}
