//! `bursar verify` and `bursar anchor`

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{ContentArrangement, Table};

use super::logging;
use super::terminal::{Configured, Failed, counted, say, until_interrupted};
use crate::bank_files::proof;
use crate::chain::{Anchor, HistoryKeys, read_anchors};
use crate::config::BadConfig;
use crate::history;
use crate::instance;
use crate::ledger::verify::Finding;
use crate::outbound::{DEADLINE, Outbound, Post, Reach, Target};
use crate::seals::check::{Extent, check};
use crate::security_log::{self, Origin, SecurityEvent};
use crate::store::Reads;
use crate::verify::{Contents, Report, verify, verify_history};

/// Options of `bursar verify`.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    configured: Configured,
    /// Accept a store without an organization
    #[arg(long)]
    empty_ok: bool,
    /// Open every sealed value, not only a sample; needs the key file
    #[arg(long)]
    all_seals: bool,
    /// Report a history that does not contain every anchor of this file
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Checks the store; fails if there is a finding.
pub(super) fn run(asked: Options) -> Result<(), Failed> {
    let Options { configured, empty_ok, all_seals, anchor, json: as_json } = asked;
    let config = configured.load()?;
    let reads = instance::read_only(&config)?;
    let failed = |error: crate::store::StoreError| Failed::Work(error.to_string());
    let contents = Contents::of(&reads).map_err(failed)?;
    if let Some(reason) = contents.refusal(empty_ok) {
        return Err(Failed::Work(format!("the store cannot be checked: {reason}")));
    }
    let is_at_hand = all_seals || config.key.file.exists();
    let vault = is_at_hand.then(|| instance::vault(&config)).transpose()?;
    let keys = vault.as_ref().map(history::keys);
    let mut report = match (&keys, anchor.as_deref()) {
        (None, None) => verify(&reads).map_err(failed)?,
        (None, Some(_)) => {
            let reason = format!("key-file {}: is not there; anchors are checked with it", config.key.file.display());
            return Err(BadConfig::one(reason).into());
        }
        (Some(keys), path) => {
            let anchors = path.map(anchors_in).transpose()?.unwrap_or_default();
            let mut report = verify_history(&reads, &keys.chain, &anchors).map_err(failed)?;
            report.findings.extend(forged(keys, &anchors));
            report.findings.extend(not_begun(&reads, keys)?);
            report
        }
    };
    if let Some(vault) = &vault {
        let extent = if all_seals { Extent::All } else { Extent::Sample };
        let opened = check(&reads, vault, extent).map_err(failed)?;
        report.seals = Some(opened.seals);
        report.findings.extend(opened.findings);
        report.findings.extend(proof::bytes(&reads, vault).map_err(failed)?);
    }
    let reported = if as_json {
        serde_json::to_string(&report).expect("a report is plain data, which always serializes")
    } else {
        format!("{}\nIn the store: {contents}.", table(&report, &config.key.file))
    };
    say(&reported)?;
    match report.findings.len() {
        0 => Ok(()),
        1 => Err(Failed::Work("there is 1 finding".to_owned())),
        many => Err(Failed::Work(format!("there are {many} findings"))),
    }
}

/// A store says that its whole history is chained, and under this key.
fn not_begun(reads: &Reads, keys: &HistoryKeys) -> Result<Option<Finding>, Failed> {
    let what = match history::is_begun(reads, &keys.chain) {
        Ok(true) => return Ok(None),
        Ok(false) => "is not begun: start this version once, which chains the history of an older one".to_owned(),
        Err(error @ history::HistoryError::ForeignKey) => error.to_string(),
        Err(error) => return Err(Failed::Work(error.to_string())),
    };
    Ok(Some(Finding { invariant: 15, what, place: "the history".to_owned() }))
}

fn anchors_in(path: &Path) -> Result<Vec<Anchor>, Failed> {
    let text = std::fs::read_to_string(path).map_err(|error| Failed::Work(format!("{}: {error}", path.display())))?;
    let anchors = read_anchors(&text)
        .map_err(|line| Failed::Work(format!("{}: line {line} is no anchor of `bursar anchor`", path.display())))?;
    if anchors.is_empty() {
        return Err(Failed::Work(format!("{}: holds no anchor", path.display())));
    }
    Ok(anchors)
}

/// An anchor that this store's key did not sign: it is another store's, or the store has got another key.
fn forged(keys: &HistoryKeys, anchors: &[Anchor]) -> Vec<Finding> {
    let finding = |(_, line): (&Anchor, usize)| Finding {
        invariant: 15,
        what: format!("is not signed with this store's key, whose public half is {}", keys.public_key()),
        place: format!("anchor {line}"),
    };
    anchors.iter().zip(1..).filter(|(anchor, _)| !keys.signed(anchor)).map(finding).collect()
}

fn table(report: &Report, key_file: &Path) -> String {
    let Report { accounts, transactions, entries, holds, events, payout_requests, batch_rows, payables, seals, .. } =
        report;
    let seals = match seals {
        Some(1) => "1 sealed value was opened.".to_owned(),
        Some(seals) => format!("{seals} sealed values were opened."),
        None => "No sealed value was opened: there is no key file.".to_owned(),
    };
    let Report { unkeyed_events, erased_events, history_checked, anchors, findings, .. } = report;
    let mut seen = format!(
        "Checked {}, {}, {}, {}, {}, {}, {}, {}.\n{seals}",
        counted(*accounts, "ledger account"),
        counted(*transactions, "transaction"),
        if *entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") },
        counted(*holds, "hold"),
        counted(*events, "event"),
        counted(*payout_requests, "payout request"),
        counted(*batch_rows, "batch row"),
        counted(*payables, "payable"),
    );
    seen.push('\n');
    seen.push_str(&if *history_checked {
        format!(
            "History: the keyed chains of all ledgers and event logs were computed again; {unkeyed_events} events are \
             from a version without a key, {erased_events} had a payee's data erased, {anchors} anchors are contained."
        )
    } else {
        format!("History: its links were NOT checked, because there is no key file at {}.", key_file.display())
    });
    if findings.is_empty() {
        return format!("{seen}\nAll checks passed.");
    }
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_header(["invariant", "where", "what"]);
    for finding in findings {
        table.add_row([&finding.invariant.to_string(), &finding.place, &finding.what]);
    }
    format!("{seen}\n{table}")
}

/// Where anchors go.
#[derive(Clone, Debug)]
pub(super) enum To {
    /// Appended to a file.
    File(PathBuf),
    /// Posted to a URL.
    Url(Target),
}

/// Reads `--to`.
pub(super) fn to(text: &str) -> Result<To, String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        return Target::parse(text, Reach::Anywhere).map(To::Url).map_err(|reason| reason.to_string());
    }
    Ok(To::File(PathBuf::from(text)))
}

/// Signs the heads of all logs and ledgers, one line each.
pub(super) fn anchor(configured: Configured, to: Option<To>) -> Result<(), Failed> {
    logging::start_for_command(configured.settings.log)?;
    let config = configured.load()?;
    let reads = instance::read_only(&config)?;
    let keys = instance::history_of(&config)?.ok_or_else(|| {
        BadConfig::one(format!("key-file {}: is not there; anchors are signed with it", config.key.file.display()))
    })?;
    let heads = history::heads(&reads).map_err(|error| Failed::Work(error.to_string()))?;
    let lines: String = heads.iter().map(|head| keys.anchor(head) + "\n").collect();
    let how = match &to {
        None => "printed",
        Some(To::File(_)) => "appended",
        Some(To::Url(_)) => "posted",
    };
    deliver(to, lines, heads.len())?;
    security_log::record(SecurityEvent::HistoryAnchored, how, Origin::default());
    Ok(())
}

/// Brings so many anchors to where they are kept.
fn deliver(to: Option<To>, lines: String, count: usize) -> Result<(), Failed> {
    match to {
        None => say(lines.trim_end()),
        Some(To::File(path)) => {
            let write = || {
                let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
                file.write_all(lines.as_bytes())?;
                file.sync_all()
            };
            write().map_err(|error| Failed::Work(format!("{}: {error}", path.display())))?;
            say(&format!("{} appended to {}", counted(count, "anchor"), path.display()))
        }
        Some(To::Url(target)) => until_interrupted(async {
            let outbound = Outbound::new(Reach::Anywhere, DEADLINE);
            let headers = [("content-type", "text/plain; charset=utf-8".to_owned())];
            let post = Post { target: &target, headers: &headers, body: lines.into_bytes() };
            match outbound.post(post).await {
                Ok(answered) if (200..300).contains(&answered.status) => {
                    say(&format!("{} posted; the server returned {}", counted(count, "anchor"), answered.status))
                }
                Ok(answered) => Err(Failed::Work(format!("the server returned {}", answered.status))),
                Err(unanswered) => Err(Failed::Work(unanswered.to_string())),
            }
        }),
    }
}
