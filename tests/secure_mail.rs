//! Mail over TLS: to a real mail server with a separate certificate, and to servers that must not be trusted.

use std::path::Path;
use std::time::{Duration, Instant};

use bursar::clock::Time;
use bursar::providers::{Frame, Mail, SendOutcome, Smtp, SmtpSettings};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::harness::{CALL_DEADLINE, FakeMail, MailMode, Process, START};
use crate::process::as_app;

/// This machine under an address that is not recognized as local: only the name decides whether plain mail is allowed.
const ELSEWHERE: &str = "0.0.0.0";

/// Sends a link by mail from a process that trusts only this authority; returns the link's status.
fn sent_by(url: &str, authority: &Path) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let flags = ["--smtp-url", url, "--smtp-from", "pay@example.com"];
    let process = Process::start_trusting(&data_dir, &flags, authority);
    let body = json!({"amount": 100, "payee": {"email": "ada@example.org"}}).to_string();
    let made = as_app(&process, &data_dir, "POST /v2/payout-links", &body);
    // The response comes when all due work is done.
    as_app(&process, &data_dir, "POST /v2/sandbox/clock/advance", &json!({"seconds": 1}).to_string());
    let path = format!("GET /v2/payout-links/{}", made["id"].as_str().unwrap());
    as_app(&process, &data_dir, &path, "")["status"].clone()
}

#[test]
fn mail_goes_over_tls_and_over_starttls_where_the_certificate_is_trusted() {
    for (kind, scheme, name) in [("tls", "smtps", "127.0.0.1"), ("starttls", "smtp", ELSEWHERE)] {
        let folder = tempfile::tempdir().unwrap();
        let authority = folder.path().join("authority.pem");
        let mut mail = FakeMail::start_with_tls(kind, &authority, name);
        assert_eq!(sent_by(&mail.url_as(scheme, name), &authority), "sent", "{kind}");
        assert_eq!(mail.mails().len(), 1, "{kind}");
    }
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    for (kind, scheme, name) in [("tls", "smtps", "127.0.0.1"), ("starttls", "smtp", ELSEWHERE)] {
        let folder = tempfile::tempdir().unwrap();
        let authority = folder.path().join("authority.pem");
        let mut mail = FakeMail::start_with_tls(kind, &authority, "mail.example.com");
        assert_eq!(sent_by(&mail.url_as(scheme, name), &authority), "delivery_pending", "{kind}");
        assert!(mail.mails().is_empty(), "{kind}");
    }
}

/// Hands a mail to a server at this address; returns the outcome and the duration.
async fn hand_over(url: &str) -> (SendOutcome, Duration) {
    let settings = SmtpSettings::parse(url, "pay@example.com", None).unwrap();
    let smtp = Smtp::new(settings, None, CALL_DEADLINE).unwrap();
    let written = Time::parse(START).unwrap();
    let (to, subject, text) = ("ada@example.org", "A subject", "A text.");
    let begun = Instant::now();
    let frame = Frame::default();
    let reported = smtp.send(Mail { id: Uuid::nil(), written, to, subject, text, link: None, frame: &frame }).await;
    (reported, begun.elapsed())
}

#[track_caller]
fn was_not_taken(reported: &SendOutcome) -> &str {
    match reported {
        SendOutcome::NotNow { reason } => reason,
        SendOutcome::Taken { .. } | SendOutcome::Refused { .. } | SendOutcome::InDoubt { .. } => {
            panic!("it should wait: {reported:?}")
        }
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    for (kind, scheme, name) in [("tls", "smtps", "127.0.0.1"), ("starttls", "smtp", ELSEWHERE)] {
        let folder = tempfile::tempdir().unwrap();
        let mut mail = FakeMail::start_with_tls(kind, &folder.path().join("authority.pem"), name);
        let (reported, _) = hand_over(&mail.url_as(scheme, name)).await;
        let reason = was_not_taken(&reported);
        assert!(reason.to_lowercase().contains("certificate"), "{kind}: {reason}");
        assert!(mail.mails().is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn a_server_that_offers_no_starttls_gets_nothing_unless_it_is_this_machine() {
    let mut mail = FakeMail::start();
    let (reported, _) = hand_over(&mail.url_as("smtp", ELSEWHERE)).await;
    let reason = was_not_taken(&reported);
    assert!(reason.contains("STARTTLS"), "{reason}");
    assert!(mail.mails().is_empty(), "not a word of the mail went over an open line");
    let (reported, _) = hand_over(&mail.url()).await;
    assert_eq!((reported, mail.mails().len()), (SendOutcome::Taken { reference: None }, 1));
}

/// Starts a server that sends this and then nothing, or sends it repeatedly with `again`.
async fn silent(says: &'static str, again: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut ticks = tokio::time::interval(CALL_DEADLINE / 20);
                loop {
                    if stream.write_all(says.as_bytes()).await.is_err() {
                        return;
                    }
                    if !again {
                        return std::future::pending().await;
                    }
                    ticks.tick().await;
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn the_deadline_holds_for_the_greeting_the_handshake_and_every_word_together() {
    for (scheme, name, says, again) in [
        ("smtp", "127.0.0.1", "", false),
        ("smtp", "127.0.0.1", "220 here I am\r\n", false),
        // Each line is in time, but together they never end.
        ("smtp", "127.0.0.1", "220-wait\r\n", true),
        ("smtp", ELSEWHERE, "220 here I am\r\n250-here\r\n250 STARTTLS\r\n", false),
        ("smtps", "127.0.0.1", "", false),
    ] {
        let port = silent(says, again).await;
        let (reported, took) = hand_over(&format!("{scheme}://{name}:{port}")).await;
        assert_eq!(was_not_taken(&reported), "The mail server did not respond in time.", "{scheme} {says:?}");
        assert!(took < CALL_DEADLINE * 4, "{scheme} {says:?} took {took:?}");
    }
}

#[test]
fn a_mail_server_that_refuses_leaves_a_line_in_the_log_without_the_address() {
    let mut mail = FakeMail::start();
    mail.set(MailMode::Refuse);
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let url = mail.url();
    let process =
        Process::start_with(&data_dir, &["--smtp-url", &url, "--smtp-from", "pay@example.com", "--log", "json"]);
    let body = json!({"amount": 100, "payee": {"email": "ada@example.org"}}).to_string();
    as_app(&process, &data_dir, "POST /v2/payout-links", &body);
    as_app(&process, &data_dir, "POST /v2/sandbox/clock/advance", &json!({"seconds": 1}).to_string());
    process.signal("TERM");
    let (_, logged) = process.wait(Duration::from_secs(30));
    let line = logged.lines().find(|line| line.contains("no such mailbox")).unwrap_or_else(|| panic!("{logged}"));
    assert!(line.contains("WARN") && line.contains("\"channel\":\"email\"") && line.contains("\"attempt\":"), "{line}");
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let fields = if line["fields"].is_object() { &line["fields"] } else { &line };
    assert_eq!(fields["message"], "a message to a payee failed", "{line}");
    assert!(fields["message_id"].is_string(), "{line}");
    assert!(!logged.contains("ada@example.org"), "{logged}");
}
