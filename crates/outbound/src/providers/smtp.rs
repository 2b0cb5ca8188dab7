//! Sends e-mail through a mail server.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use lettre::address::Address;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Response;
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;

use super::mail::{Frame, Mail, html, plain};
use super::{SendOutcome, in_short, is_this_machine};

/// The time limit for closing the connection, after the message is handed over.
const GOODBYE: Duration = Duration::from_secs(1);

/// How the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    /// TLS from the first byte.
    FromTheStart,
    /// TLS before the first command; a server without it is not used.
    StartTls,
    /// TLS if the server offers it. Only on this machine, so any certificate is accepted.
    Offered,
}

/// The validated settings of the mail server, without the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtpSettings {
    host: String,
    port: u16,
    security: Security,
    from: Mailbox,
    /// The user name for the login, if the server requires one.
    pub user: Option<String>,
}

impl SmtpSettings {
    /// Parses the settings. `url` is `smtps://host[:465]`, or `smtp://host[:587]`, which requires STARTTLS except on
    /// this machine, where TLS is used if offered. The sender is `pay@example.com` or `Example Pay <pay@example.com>`.
    /// An error names the setting and the expected value.
    pub fn parse(url: &str, from: &str, user: Option<String>) -> Result<Self, String> {
        let wrong = || "smtp-url must be smtps://host:465, or smtp://host:587 for STARTTLS".to_owned();
        let url = Url::parse(url).map_err(|_| wrong())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "smtp-url must not contain a user or a password; set smtp-user and smtp-password-file".to_owned()
            );
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        let (security, usual_port) = match url.scheme() {
            "smtps" => (Security::FromTheStart, 465),
            "smtp" if is_this_machine(host) => (Security::Offered, 25),
            "smtp" => (Security::StartTls, 587),
            _ => return Err(wrong()),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong());
        }
        let from = from.parse().map_err(|_| {
            "smtp-from must be an address such as pay@example.com, or Example Pay <pay@example.com>".to_owned()
        })?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port: url.port().unwrap_or(usual_port), security, from, user })
    }

    /// Returns the host and port of the server.
    #[must_use]
    pub fn address(&self) -> (String, u16) {
        (self.host.clone(), self.port)
    }
}

pub struct Smtp {
    settings: SmtpSettings,
    credentials: Option<Credentials>,
    tls: TlsParameters,
    /// Applies to each half: until the server agrees to accept a mail, and the mail itself.
    deadline: Duration,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Smtp({}:{})", self.settings.host, self.settings.port)
    }
}

/// An attempt that ended before the message was handed over. Nothing was sent.
enum NotOffered {
    /// The server permanently rejected this recipient or message.
    Refused(String),
    /// Anything else: the connection, the login, or a temporary error.
    NotNow(String),
}

type Failure = lettre::transport::smtp::Error;

impl Smtp {
    /// Creates a client without connecting. A mail takes twice `deadline` at most. Fails if this machine has no trusted
    /// certificates or a user has no password.
    pub fn new(settings: SmtpSettings, password: Option<&SecretString>, deadline: Duration) -> Result<Self, String> {
        crate::outbound::install_tls();
        let tls = match settings.security {
            Security::Offered => {
                // A certificate protects nothing on a connection within this machine.
                let any = TlsParameters::builder(settings.host.clone()).dangerous_accept_invalid_certs(true);
                any.dangerous_accept_invalid_hostnames(true).build_rustls()
            }
            Security::FromTheStart | Security::StartTls => TlsParameters::new_rustls(settings.host.clone()),
        };
        let tls = tls.map_err(|error| format!("smtp-url: no TLS with {}: {error}", settings.host))?;
        let credentials = match (&settings.user, password) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password.expose_secret().to_owned())),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                return Err("smtp-user and smtp-password-file must be set together".to_owned());
            }
        };
        Ok(Self { settings, credentials, tls, deadline })
    }

    pub async fn send(&self, mail: Mail<'_>) -> SendOutcome {
        let (recipient, bytes) = match self.write(&mail) {
            Ok(written) => written,
            Err(reason) => return SendOutcome::Refused { reason },
        };
        let mut connection = match timeout(self.deadline, self.offer(recipient)).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(NotOffered::Refused(reason))) => return SendOutcome::Refused { reason },
            Ok(Err(NotOffered::NotNow(reason))) => return SendOutcome::NotNow { reason },
            Err(_) => return SendOutcome::NotNow { reason: "The mail server did not respond in time.".to_owned() },
        };
        let reported = match timeout(self.deadline, connection.message(&bytes)).await {
            Ok(answered) => after_hand_over(answered),
            Err(_) => SendOutcome::InDoubt { reason: "The mail server did not confirm the mail in time.".to_owned() },
        };
        if !matches!(reported, SendOutcome::InDoubt { .. }) {
            // The server has the mail already, so the result does not matter.
            drop(timeout(GOODBYE, connection.abort()).await);
        }
        reported
    }

    /// Runs all steps up to the point from which the server may have accepted the mail.
    async fn offer(&self, recipient: Address) -> Result<AsyncSmtpConnection, NotOffered> {
        let not_now = |error: Failure| NotOffered::NotNow(said(&error));
        let SmtpSettings { host, port, security, from, .. } = &self.settings;
        let name = ClientId::default();
        let from_the_start = (*security == Security::FromTheStart).then(|| self.tls.clone());
        let mut connection = AsyncSmtpConnection::connect_tokio1(
            (host.as_str(), *port),
            Some(self.deadline),
            &name,
            from_the_start,
            None,
        )
        .await
        .map_err(not_now)?;
        let upgrade = match security {
            Security::FromTheStart => false,
            Security::StartTls => true,
            Security::Offered => connection.can_starttls(),
        };
        if upgrade {
            connection.starttls(self.tls.clone(), &name).await.map_err(not_now)?;
        }
        if let Some(credentials) = &self.credentials {
            if !connection.is_encrypted() {
                let reason = "The mail server does not support STARTTLS, and a password is never sent without TLS. \
                              Use smtps://, or remove smtp-user.";
                tracing::error!(host, "{reason}");
                return Err(NotOffered::NotNow(reason.to_owned()));
            }
            let logged_in = connection.auth(DEFAULT_MECHANISMS, credentials).await;
            logged_in
                .inspect_err(|error| {
                    tracing::error!(host, reason = said(error), "the mail server refused the login");
                })
                .map_err(not_now)?;
        }
        // A rejection of our own sender address can be fixed, or it passes.
        connection.command(MailFrom::new(Some(from.email.clone()), Vec::new())).await.map_err(not_now)?;
        connection.command(Rcpt::new(recipient, Vec::new())).await.map_err(of_this_mail)?;
        connection.command(Data).await.map_err(of_this_mail)?;
        Ok(connection)
    }

    /// Returns the configured sender with the app's name before its own: `Acme via Example Pay`.
    fn from(&self, mail: &Mail<'_>) -> Mailbox {
        let Mailbox { name, email } = self.settings.from.clone();
        let sender = one_line(&mail.frame.sender);
        let name = match name {
            Some(name) => format!("{sender} via {name}"),
            None => sender,
        };
        Mailbox::new(Some(name), email)
    }

    /// Returns the mail in transfer form. It is ASCII: subjects are encoded by RFC 2047, bodies too.
    fn write(&self, mail: &Mail<'_>) -> Result<(Address, Vec<u8>), String> {
        let wrong = |error: &dyn fmt::Display| format!("The mail cannot be composed: {error}");
        let recipient: Address = mail.to.parse().map_err(|error| wrong(&error))?;
        let from = &self.settings.from;
        let subject = one_line(mail.subject);
        let written = UNIX_EPOCH + Duration::from_micros(u64::try_from(mail.written.micros()).unwrap_or(0));
        let automatic = HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
        let html = html(mail).map_err(|error| wrong(&error))?;
        let plain = plain(mail);
        let message = Message::builder().from(self.from(mail));
        // Without a support address, replies go to the sender's own address.
        let reply_to = mail.frame.support_email.as_deref().and_then(|address| address.parse::<Address>().ok());
        let message = match reply_to {
            Some(address) => message.reply_to(Mailbox::new(None, address)),
            None => message,
        };
        let message = match unsubscribe(mail.frame) {
            Some(address) => {
                let name = HeaderName::new_from_ascii_str("List-Unsubscribe");
                message.raw_header(HeaderValue::new(name, address))
            }
            None => message,
        };
        let message = message
            .to(Mailbox::new(None, recipient.clone()))
            .subject(subject)
            .message_id(Some(format!("<{}@{}>", mail.id, from.email.domain())))
            .date(written)
            .raw_header(automatic)
            .multipart(MultiPart::alternative_plain_html(plain, html))
            .map_err(|error| wrong(&error))?;
        Ok((recipient, message.formatted()))
    }
}

/// Returns the value of the header by which mail programs offer to stop reminders: a mail to the sender's support
/// (RFC 2369). Only the sender can stop them, because they end with the link.
fn unsubscribe(frame: &Frame) -> Option<String> {
    let address: Address = frame.support_email.as_deref().filter(|_| frame.is_reminder)?.parse().ok()?;
    Some(format!("<mailto:{}?subject=unsubscribe>", in_url(address.as_ref())))
}

/// Encodes the characters of an address that mean something else in a URL (RFC 6068).
fn in_url(address: &str) -> String {
    let mut encoded = String::with_capacity(address.len());
    for byte in address.bytes() {
        if byte.is_ascii_alphanumeric() || b"@.-_+~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// No character of a name or a subject may begin another header.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Once the message was sent, only a response shows whether it was accepted.
fn after_hand_over(answered: Result<Response, Failure>) -> SendOutcome {
    match answered {
        Ok(_) => SendOutcome::Taken { reference: None },
        Err(error) if error.is_permanent() => SendOutcome::Refused { reason: said(&error) },
        Err(error) if error.is_transient() => SendOutcome::NotNow { reason: said(&error) },
        Err(error) => SendOutcome::InDoubt { reason: said(&error) },
    }
}

fn of_this_mail(error: Failure) -> NotOffered {
    if error.is_permanent() { NotOffered::Refused(said(&error)) } else { NotOffered::NotNow(said(&error)) }
}

fn said(error: &Failure) -> String {
    in_short(&format!("The mail server: {error}"))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::clock::Time;

    fn settings(url: &str) -> Result<SmtpSettings, String> {
        SmtpSettings::parse(url, "Example Pay <pay@example.com>", None)
    }

    fn mail(subject: &str, text: &str, link: Option<&str>) -> String {
        let smtp = Smtp::new(settings("smtp://localhost").unwrap(), None, Duration::from_secs(1)).unwrap();
        let written = Time::parse("2026-03-02T15:00:00Z").unwrap();
        let frame = Frame {
            sender: "Zoë's\r\nBcc: thief@example.net".to_owned(),
            support_email: Some("help@example.com".to_owned()),
            ..Frame::default()
        };
        let mail = Mail { id: Uuid::from_u128(7), written, to: "ada@example.org", subject, text, link, frame: &frame };
        String::from_utf8(smtp.write(&mail).unwrap().1).unwrap()
    }

    #[test]
    fn the_url_says_how_the_connection_is_kept_private() {
        for (url, host, port, security) in [
            ("smtps://mail.example.com", "mail.example.com", 465, Security::FromTheStart),
            ("smtps://mail.example.com:4650/", "mail.example.com", 4_650, Security::FromTheStart),
            ("smtp://mail.example.com", "mail.example.com", 587, Security::StartTls),
            ("smtp://10.0.0.7:25", "10.0.0.7", 25, Security::StartTls),
            ("smtp://localhost", "localhost", 25, Security::Offered),
            ("smtp://127.0.0.1:1025", "127.0.0.1", 1_025, Security::Offered),
            ("smtp://[::1]:1025", "::1", 1_025, Security::Offered),
        ] {
            let read = settings(url).unwrap();
            assert_eq!((read.host.as_str(), read.port, read.security), (host, port, security), "{url}");
        }
        for url in ["", "mail.example.com", "http://mail.example.com", "smtp://", "smtps://a/b", "smtp://a?b"] {
            assert!(settings(url).unwrap_err().starts_with("smtp-url must be"), "{url}");
        }
        let reported = settings("smtps://me:hunter2@mail.example.com").unwrap_err();
        assert!(reported.contains("smtp-password-file") && !reported.contains("hunter2"), "{reported}");
        assert!(
            SmtpSettings::parse("smtp://localhost", "no address", None).unwrap_err().starts_with("smtp-from must be")
        );
    }

    #[test]
    fn a_user_has_a_password_and_nothing_shows_it() {
        let of = |user: Option<&str>| {
            SmtpSettings::parse("smtp://localhost", "pay@example.com", user.map(str::to_owned)).unwrap()
        };
        let password = SecretString::from("hunter2");
        let made = |user, password| Smtp::new(of(user), password, Duration::from_secs(1));
        assert!(made(Some("me"), None).is_err() && made(None, Some(&password)).is_err());
        let smtp = made(Some("me"), Some(&password)).unwrap();
        assert_eq!(format!("{smtp:?}"), "Smtp(localhost:25)");
    }

    #[test]
    fn a_name_cannot_begin_a_header_of_its_own() {
        let written = mail("Acme\r\nBcc: thief@example.net\r\n\r\nis sending you $1.00", "text", None);
        let head = written.split("\r\n\r\n").next().unwrap();
        assert!(!head.lines().any(|line| line.to_ascii_lowercase().starts_with("bcc:")), "{head}");
        assert_eq!(head.lines().filter(|line| line.starts_with("To: ")).count(), 1);
    }

    #[test]
    fn the_same_message_has_the_same_id_and_date_each_time() {
        let written = mail("s", "t", None);
        assert!(written.contains("Message-ID: <00000000-0000-0000-0000-000000000007@example.com>\r\n"), "{written}");
        assert!(written.contains("Date: Mon, 02 Mar 2026 15:00:00 +0000\r\n"), "{written}");
        assert!(written.contains("Auto-Submitted: auto-generated\r\n"), "{written}");
        assert!(written.contains("Reply-To: help@example.com\r\n"), "{written}");
        assert!(written.contains("<pay@example.com>"), "{written}");
    }

    #[test]
    fn a_reminder_names_the_address_that_stops_reminders() {
        let frame = |is_reminder, email: Option<&str>| Frame {
            is_reminder,
            support_email: email.map(str::to_owned),
            ..Frame::default()
        };
        let header = |is_reminder, email| unsubscribe(&frame(is_reminder, email));
        let expected = "<mailto:a%26b%3Fc@example.com?subject=unsubscribe>";
        assert_eq!(header(true, Some("a&b?c@example.com")).as_deref(), Some(expected));
        assert_eq!((header(true, None), header(false, Some("help@example.com"))), (None, None));
    }

    #[test]
    fn everything_on_the_wire_is_ascii() {
        let written = mail("Zoë sends you 5 €", "Für dich: 5 €\nZoë", None);
        assert!(written.is_ascii(), "{written}");
        assert!(written.contains("Subject: =?utf-8?b?"), "{written}");
    }
}
