//! `bursar screening`

use std::path::PathBuf;

use clap::Subcommand;
use comfy_table::{ContentArrangement, Table};
use serde_json::json;

use super::{Configured, Failed, say};
use crate::sanctions::{self, NoList};
use crate::screening::Hit;

/// What to do with the sanctions list.
#[derive(Subcommand)]
pub(super) enum Asked {
    /// Check the files of a list and put them where the server finds them, within a minute
    Load {
        /// SDN.CSV, ALT.CSV, ADD.CSV, SDN_COMMENTS.CSV as OFAC publishes them, or a folder with them
        #[arg(required = true, value_name = "FILE_OR_FOLDER")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        configured: Box<Configured>,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Compare a name with the list in use, and show why it is like one there
    Check {
        /// First and last name
        name: String,
        #[command(flatten)]
        configured: Box<Configured>,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
}

impl From<NoList> for Failed {
    fn from(no_list: NoList) -> Self {
        Self::Work(format!("{no_list}. The list in use stays as it is."))
    }
}

/// Loads a list, or asks it.
pub(super) fn run(asked: Asked) -> Result<(), Failed> {
    match asked {
        Asked::Load { paths, configured, json } => {
            let config = configured.load()?;
            let list = sanctions::install(&paths, &config.sanctions_dir, config.screening_score_min)?;
            let version = list.version();
            if json {
                return say(&serde_json::to_string(version).expect("a version is plain data, which always serializes"));
            }
            say(&format!(
                "Loaded {} entries with {} names into {}.\nList {} of {}.\nA server that runs there takes it up within a minute.",
                version.entries,
                version.names,
                config.sanctions_dir.display(),
                version.hash,
                version.published,
            ))
        }
        Asked::Check { name, configured, json } => {
            let hits = sanctions::first(&configured.load()?)?.screen(&name);
            say(&if json { shown(&hits) } else { table(&hits) })
        }
    }
}

fn shown(hits: &[Hit]) -> String {
    let shown = |hit: &Hit| {
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
    json!(hits.iter().map(shown).collect::<Vec<_>>()).to_string()
}

fn table(hits: &[Hit]) -> String {
    if hits.is_empty() {
        return "Nobody on the list has a name like this.".to_owned();
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
    table.to_string()
}
