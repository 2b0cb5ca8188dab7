//! The security log: one line and one count for each attack, lock and change of authority.
//!
//! Invariant: a line holds an IP address, the public half of a key, ids and words of this program; never a secret, a
//! name, a phone number, an e-mail address or a text from a caller. A change is logged after its commit, so a line
//! proves it. Lines have the target `security`, counts the name `bursar_security_events_total`.

use std::net::IpAddr;

use crate::ids::OrgId;

/// The target of its lines.
pub const TARGET: &str = "security";
const COUNTER: &str = "bursar_security_events_total";

/// Declares the kinds of events with their words.
macro_rules! events {
    ($($(#[doc = $doc:literal])+ $variant:ident $word:literal,)+) => {
        /// An entry of the security log.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SecurityEvent {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl SecurityEvent {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word in `event` of a line and in the label `kind` of the counter.
            #[must_use]
            pub const fn kind(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

events! {
    /// A request without valid credentials: 401.
    LoginFailed "login_failed",
    /// A valid credential without the authority for what it asked: 403.
    AccessRefused "access_refused",
    /// A claim link that does not exist.
    WrongClaimToken "wrong_claim_token",
    /// A phone number or an e-mail address that is not the payee's, given for a claim link.
    WrongContact "wrong_contact",
    /// A wrong verification code.
    WrongCode "wrong_code",
    /// Wrong codes have locked a phone number or an e-mail address.
    VerificationLocked "verification_locked",
    /// A locked phone number or e-mail address was unlocked.
    VerificationUnlocked "verification_unlocked",
    /// A report without the provider's signature.
    WrongSignature "wrong_signature",
    /// A sandbox was called by a host name that is not its own.
    HostRefused "host_refused",
    /// A connection was closed because too many are open.
    ConnectionRefused "connection_refused",
    /// A member has signed in.
    MemberSessionOpened "member_session_opened",
    /// A member could not sign in.
    MemberSessionRefused "member_session_refused",
    /// A code of a second factor was wrong, or was used before.
    SecondFactorFailed "second_factor_failed",
    /// A member's session was ended.
    MemberSessionEnded "member_session_ended",
    /// A key moved the sandbox's clock, for all apps.
    ClockMoved "clock_moved",
    /// A setup token has made an organization, or set a member's password.
    SetupTokenUsed "setup_token_used",
    /// A setup token that does not exist, was used or has expired.
    SetupTokenRefused "setup_token_refused",
    /// An organization was created.
    OrganizationCreated "organization_created",
    /// A changed key file was loaded, or was rejected.
    MasterKeysChanged "master_keys_changed",
    /// Every seal is now under the active master key.
    SealsRewritten "seals_rewritten",
    /// The heads of the history were signed, to be kept elsewhere.
    HistoryAnchored "history_anchored",
    /// A key was issued.
    KeyIssued "key_issued",
    /// A key was revoked.
    KeyRevoked "key_revoked",
    /// An app was created, changed or deleted.
    AppChanged "app_changed",
    /// A member was added, changed or removed.
    MemberChanged "member_changed",
    /// An app's settings were changed.
    SettingChanged "setting_changed",
    /// An approval policy was created, changed or deleted.
    PolicyChanged "policy_changed",
    /// A connection to a bank, an originator, a settlement account or a route was added, changed, approved or stopped.
    BankSetUpChanged "bank_set_up_changed",
    /// A file with payments was released, marked, moved or canceled.
    BankFileChanged "bank_file_changed",
    /// A file with bank account numbers was downloaded.
    BankFileRead "bank_file_read",
    /// All data of a payee was exported.
    UserExported "user_exported",
}

/// The source and the subject of an event. Unknown fields are `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// The IP address of the caller, past trusted proxies.
    pub ip: Option<IpAddr>,
    /// The public half of the caller's key. Not logged if it does not have that form.
    pub client_id: Option<&'a str>,
    pub organization: Option<&'a str>,
    pub app: Option<&'a str>,
    /// The member of the request's session.
    pub member: Option<&'a str>,
    /// The id of the key, member, policy or user that the event is about.
    pub subject: Option<&'a str>,
    /// The route's path with placeholders.
    pub route: Option<&'static str>,
    pub request_id: Option<&'a str>,
}

/// Writes the line and counts it. `reason` is a word of this program, such as an error code.
pub fn record(event: SecurityEvent, reason: &'static str, origin: Origin<'_>) {
    let Origin { ip, client_id, organization, app, member, subject, route, request_id } = origin;
    let ip = ip.map(|ip| ip.to_string());
    let client_id = client_id.filter(|id| is_client_id(id));
    tracing::info!(
        target: TARGET,
        parent: None,
        event = event.kind(),
        reason,
        ip,
        client_id,
        organization,
        app,
        member,
        subject,
        route,
        request_id,
        "security event"
    );
    count(event);
}

/// Counts an event without a line, because a stranger could cause any number of lines.
pub fn count(event: SecurityEvent) {
    metrics::counter!(COUNTER, "kind" => event.kind()).increment(1);
}

/// Returns whether a text has the form of a key's public half. Callers that confuse the two halves must not put a
/// secret into the log: `sk_…` is the secret half.
fn is_client_id(text: &str) -> bool {
    (text.starts_with("pk_") || text.starts_with("org_pk_"))
        && text.len() <= 100
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The entry that a command adds to the security log after its commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    pub event: SecurityEvent,
    pub reason: &'static str,
    /// Given here for routes whose path is the credential.
    pub organization: OrgId,
    /// The id of the object that the entry is about.
    pub subject: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_half_of_a_key_is_logged() {
        assert!(is_client_id("pk_sandbox_AAAA-bbbb_0") && is_client_id("org_pk_production_AAAA"));
        let long = format!("pk_{}", "x".repeat(100));
        for other in ["sk_sandbox_AAAA", "org_sk_sandbox_AAAA", "", "jane@example.com", "pk_x\ny", "pk_é", &long] {
            assert!(!is_client_id(other), "{other:?}");
        }
    }

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        let mut words: Vec<&str> = SecurityEvent::ALL.iter().map(|event| event.kind()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), SecurityEvent::ALL.len());
    }
}
