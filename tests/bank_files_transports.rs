//! Files reach a folder and an SFTP server once, through restarts and doubts.

use std::path::Path;

use bursar::bank_files::BankFile;
use bursar::world::Record as _;
use bursar::world::Table;
use serde_json::{Value, json};

use crate::bank_files_sent::Bank;
use crate::harness::Server;
use crate::samples::new_connection;

const HOUR: i64 = 3_600;
const NAME: &str = "ACME_20260303_A.ach";

/// Starts a server whose bank collects files from a folder.
async fn with_folder(folder: &Path, more: &str) -> Bank {
    with_folder_of(Server::memory().await, folder, more).await
}

/// As [`with_folder`], over the store of a server.
pub async fn with_folder_of(mut server: Server, folder: &Path, more: &str) -> Bank {
    let org = server.credentials()["organization"]["id"].as_str().unwrap().to_owned();
    let table = format!("[first-bank]\norganization = '{org}'\nfolder = '{}'\n{more}", folder.display());
    server.restart_with_transports(&table).await;
    let mut connection = new_connection("");
    connection["transport"] = json!("first-bank");
    Bank::with(server, connection).await
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Changes the stored file, as a crash leaves it.
fn set(bank: &Bank, edit: impl Fn(&mut BankFile)) {
    let mut file = None;
    let reads = &bank.server.bursar().reads;
    let keep = |found: &BankFile| {
        file = Some(found.clone());
        Ok(())
    };
    reads.snapshot(|snapshot| snapshot.each::<BankFile>(keep)).unwrap();
    let mut file = file.unwrap();
    edit(&mut file);
    let row = file.values();
    bank.server.tamper(BankFile::TABLE, Table::index_values(BankFile::TABLE.key(), &row), Some(row));
}

/// Adds a job that sends the file, as one whose worker ended has.
async fn send_again(bank: &Bank) {
    let file: Value = bank.file().await;
    let org = bursar::ids::OrgId(bank.server.credentials()["organization"]["id"].as_str().unwrap().parse().unwrap());
    let work = bursar::jobs::Work::SendBankFile { file: file["id"].as_str().unwrap().parse().unwrap() };
    bank.server.bursar().engine.run(org, Enqueue(org, work)).await.unwrap();
    bank.server.work_off().await;
}

#[derive(Debug)]
struct Enqueue(bursar::ids::OrgId, bursar::jobs::Work);

impl bursar::engine::Command for Enqueue {
    type Reply = ();

    fn decide(&self, world: &mut bursar::world::World) -> Result<(), bursar::world::Halt> {
        bursar::jobs::enqueue(world, self.0, self.1.clone());
        Ok(())
    }
}

#[tokio::test]
async fn a_file_is_delivered_to_the_folder_and_settles() {
    let folder = tempfile::tempdir().unwrap();
    let mut bank = with_folder(folder.path(), "read-back = true").await;
    let paid = bank.pay(1234, 1_000).await;
    bank.server.pass(7 * HOUR).await;
    assert!(names(folder.path()).is_empty(), "before the cut-off");
    bank.server.pass(1_800).await;
    let sent = bank.file().await;
    assert_eq!((&sent["status"], names(folder.path())), (&json!("sent"), vec![NAME.to_owned()]));
    let bytes = std::fs::read(folder.path().join(NAME)).unwrap();
    assert_eq!(sent["size"], json!(bytes.len()));
    assert!(bursar_formats::nacha::check(&bytes, bursar_formats::Profile::Strict).findings.first_error().is_none());
    let server = &mut bank.server;
    server.pass(24 * HOUR).await;
    assert_eq!(bank.transfer(&paid).await["status"], "completed");
    bank.verify();
}

#[tokio::test]
async fn a_transport_belongs_to_the_configuration() {
    let server = Server::memory().await;
    let bank = Bank { server, connection: String::new(), settlement_account: String::new() };
    let mut connection = new_connection("");
    connection["transport"] = json!("first-bank");
    let refused = bank.post("/v2/bank/connections", "admin", connection).await;
    assert_eq!(refused.refused(400, "invalid-input").fields(), ["/transport"]);
}

#[tokio::test]
async fn a_crash_at_any_step_publishes_the_file_once() {
    let folder = tempfile::tempdir().unwrap();
    let bank = with_folder(folder.path(), "").await;
    bank.pay(1234, 1_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    let (sent, bytes) = (bank.file().await, std::fs::read(folder.path().join(NAME)).unwrap());
    let temp = |lease: u32| format!("{}-{lease}.part", sent["id"].as_str().unwrap());
    let renaming = |file: &mut BankFile| {
        file.status = bursar::bank_files::FileStatus::Renaming;
        (file.way, file.temp_name) = (Some("atomic".to_owned()), Some(format!("{}-1.part", file.id)));
        file.sent_at = None;
    };
    // After the rename, before its record: the final name shows it.
    set(&bank, renaming);
    send_again(&bank).await;
    assert_eq!((bank.file().await["status"].clone(), names(folder.path())), (json!("sent"), vec![NAME.to_owned()]));
    // Before the rename: the temporary file is renamed.
    std::fs::rename(folder.path().join(NAME), folder.path().join(temp(1))).unwrap();
    set(&bank, renaming);
    send_again(&bank).await;
    assert_eq!((bank.file().await["status"].clone(), names(folder.path())), (json!("sent"), vec![NAME.to_owned()]));
    // While the temporary file is written: the next delivery has one of its own.
    std::fs::remove_file(folder.path().join(NAME)).unwrap();
    std::fs::write(folder.path().join(temp(1)), &bytes[..100]).unwrap();
    set(&bank, |file| (file.status, file.sent_at) = (bursar::bank_files::FileStatus::Sending, None));
    send_again(&bank).await;
    assert_eq!(bank.file().await["status"], "sent");
    assert_eq!(std::fs::read(folder.path().join(NAME)).unwrap(), bytes);
}

#[tokio::test]
async fn mark_bank_file_unsent_sends_the_same_bytes_after_its_temporary_files_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let bank = with_folder(folder.path(), "").await;
    bank.pay(1234, 1_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    let bytes = std::fs::read(folder.path().join(NAME)).unwrap();
    // The bank has collected the file, or it was removed: the server cannot know.
    std::fs::remove_file(folder.path().join(NAME)).unwrap();
    set(&bank, |file| {
        file.status = bursar::bank_files::FileStatus::Renaming;
        (file.way, file.temp_name) = (Some("atomic".to_owned()), Some(format!("{}-1.part", file.id)));
        file.sent_at = None;
    });
    send_again(&bank).await;
    let doubted = bank.file().await;
    assert_eq!((&doubted["status"], &doubted["doubt"]), (&json!("in_doubt"), &json!("neither-name")));
    send_again(&bank).await;
    assert!(names(folder.path()).is_empty(), "a file in doubt is never sent again without a member");
    bank.act(&doubted, "redate", json!({})).await.refused(409, "invalid-state");
    bank.act(&doubted, "cancel", json!({"reason": "No."})).await.refused(409, "invalid-state");
    // An old sender could still rename this one.
    let stray = folder.path().join(format!("{}-1.part", doubted["id"].as_str().unwrap()));
    std::fs::write(&stray, &bytes).unwrap();
    // One member alone does not decide that the bank has no such file: it might be paid twice.
    let known = json!({"evidence": "J. Doe sees no file."});
    let proposed = bank.act(&doubted, "mark-unsent", known.clone()).await.expect(200).body;
    let decision = ["outcome", "confirmed_by"].map(|name| proposed["decision"][name].clone());
    assert_eq!((&proposed["status"], decision), (&json!("in_doubt"), [json!("not_received"), Value::Null]));
    bank.act(&doubted, "mark-unsent", known.clone()).await.refused(403, "self-approval");
    let path = format!("/v2/bank/files/{}/mark-unsent", doubted["id"].as_str().unwrap());
    let marked = bank.post(&path, "admin", known).await.expect(200).body;
    assert_eq!(marked["status"], "sealed");
    bank.act(&marked, "cancel", json!({"reason": "No."})).await.refused(409, "invalid-state");
    bank.server.work_off().await;
    assert_eq!((bank.file().await["status"].clone(), names(folder.path())), (json!("sent"), vec![NAME.to_owned()]));
    assert_eq!(std::fs::read(folder.path().join(NAME)).unwrap(), bytes);
    bank.verify();
}

#[tokio::test]
async fn a_file_and_its_alarm_say_why_the_last_delivery_failed() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("bank");
    std::fs::create_dir(&folder).unwrap();
    let bank = with_folder(&folder, "").await;
    bank.pay(1234, 1_000).await;
    assert_eq!(bank.file().await["delivery_error"], Value::Null);
    std::fs::remove_dir(&folder).unwrap();
    bank.server.pass(7 * HOUR + 1_800).await;
    let unsent = bank.file().await;
    let failure = unsent["delivery_error"].as_str().expect("a reason").to_owned();
    assert!(failure.contains("No such file"), "{failure}");
    bank.server.pass(1_320).await;
    let failure = bank.file().await["delivery_error"].as_str().expect("a reason").to_owned();
    let alarms = bank.get("/v2/bank/alarms").await;
    let alarm = alarms.as_array().unwrap().iter().find(|one| one["kind"] == "unsent").unwrap();
    let message = alarm["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("The last delivery failed: {failure}. ")), "{message}");
    std::fs::create_dir(&folder).unwrap();
    bank.server.pass(60).await;
    let sent = bank.file().await;
    assert_eq!((&sent["status"], &sent["delivery_error"]), (&json!("sent"), &Value::Null));
    bank.verify();
}

/// A delivery that has not ended at the deadline ends there: the file is at the bank, or members ask it. It is not sent later.
#[tokio::test]
async fn a_rename_that_did_not_end_at_the_deadline_is_in_doubt_unless_the_bank_has_the_file() {
    for (is_there, is_paused, expected) in
        [(true, false, "sent"), (false, false, "in_doubt"), (false, true, "in_doubt")]
    {
        let folder = tempfile::tempdir().unwrap();
        let away = folder.path().join("away");
        let bank = with_folder(&away, "").await;
        bank.pay(1234, 1_000).await;
        bank.server.pass(8 * HOUR - 1_800).await;
        set(&bank, |file| {
            file.status = bursar::bank_files::FileStatus::Renaming;
            (file.way, file.temp_name) = (Some("atomic".to_owned()), Some(format!("{}-1.part", file.id)));
        });
        let file = bank.file().await;
        let bytes = vec![b'x'; usize::try_from(file["size"].as_u64().unwrap()).unwrap()];
        if is_paused {
            let stop = json!({"reason": "SFTP is down."});
            bank.post(&format!("/v2/bank/connections/{}/pause", bank.connection), "payer", stop).await.expect(200);
        }
        bank.server.pass(1_500).await;
        let alarm = bank.get("/v2/bank/alarms").await[0].clone();
        assert!(alarm["message"].as_str().unwrap().starts_with("The file may be at the bank"), "{alarm}");
        // The folder is back after the deadline, with the temporary file.
        bank.server.advance(300);
        std::fs::create_dir(&away).unwrap();
        let (temp, name) = (format!("{}-1.part", file["id"].as_str().unwrap()), file["name"].as_str().unwrap());
        std::fs::write(away.join(if is_there { name } else { &temp }), &bytes).unwrap();
        bank.server.work_off().await;
        let ended = bank.file().await;
        assert_eq!(ended["status"], expected);
        assert_eq!(ended["doubt"], if is_there { Value::Null } else { json!("deadline") });
        assert_eq!(names(&away), [if is_there { name } else { &temp }], "nothing is published after the deadline");
        bank.server.pass(HOUR).await;
        assert_eq!(bank.file().await["status"], expected);
    }
}

/// A folder with another file of the name: each retry removes the copy of the one before.
#[tokio::test]
async fn retries_leave_no_copies_of_a_file_in_the_folder_of_the_bank() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(NAME), "another file").unwrap();
    let bank = with_folder(folder.path(), "").await;
    bank.pay(1234, 1_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    for _ in 0..3 {
        bank.server.pass(60).await;
        assert_eq!(bank.file().await["status"], "sending");
        assert_eq!(names(folder.path()), [NAME]);
    }
    std::fs::remove_file(folder.path().join(NAME)).unwrap();
    bank.server.pass(60).await;
    assert_eq!((bank.file().await["status"].clone(), names(folder.path())), (json!("sent"), vec![NAME.to_owned()]));
    bank.verify();
}

#[tokio::test]
async fn a_file_that_misses_the_deadline_waits_for_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let away = folder.path().join("away");
    let bank = with_folder(&away, "").await;
    bank.pay(1234, 1_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    let sealed = bank.file().await;
    assert_eq!(sealed["status"], "sending", "the folder is not there");
    let content = format!("/v2/bank/files/{}/content", sealed["id"].as_str().unwrap());
    bank.server.get(&content).as_org().send().await.refused(409, "invalid-state");
    bank.server.pass(1_800).await;
    std::fs::create_dir(&away).unwrap();
    bank.server.pass(HOUR).await;
    assert!(names(&away).is_empty(), "it would settle on another day than it names");
    let stop = json!({"reason": "SFTP is down."});
    bank.post(&format!("/v2/bank/connections/{}/pause", bank.connection), "payer", stop).await.expect(200);
    bank.server.get(&content).as_org().send().await.expect(200);
    bank.act(&sealed, "mark-sent", json!({"evidence": "In the portal at 17:50."})).await.expect(200);
    bank.server.pass(HOUR).await;
    assert!(names(&away).is_empty());
    bank.verify();
}

#[tokio::test]
async fn a_paused_connection_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let away = folder.path().join("away");
    let bank = with_folder(&away, "").await;
    bank.pay(1234, 1_000).await;
    bank.server.pass(8 * HOUR - 1_800).await;
    let path = format!("/v2/bank/connections/{}", bank.connection);
    bank.post(&format!("{path}/pause"), "payer", json!({"reason": "The bank called."})).await.expect(200);
    std::fs::create_dir(&away).unwrap();
    bank.server.pass(300).await;
    assert!(names(&away).is_empty());
    bank.post(&format!("{path}/resume"), "admin", json!({})).await.expect(200);
    bank.server.pass(120).await;
    assert_eq!(names(&away), [NAME]);
    bank.verify();
}
