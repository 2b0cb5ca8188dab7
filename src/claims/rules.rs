//! The rights of a claim session: a pure rule (docs/decisions.md 17).

use super::model::ClaimSession;
use crate::clock::{DAY_SECONDS, Time};

/// How long a session may be idle before it can change nothing.
pub const IDLE_SECONDS: i64 = 3_600;
/// How long a session may replace a method that failed: a bank may return money days later.
pub const SESSION_SECONDS: i64 = 14 * DAY_SECONDS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Take every step.
    All,
    /// The link is paid: replace a method of this link that failed, and nothing else.
    ReplaceFailed,
    /// Nothing: the payee proves a code again.
    None,
}

/// Returns the rights of a session now. `paid_out`: whether nothing of the link remains.
pub fn rights(session: &ClaimSession, paid_out: bool, now: Time) -> Rights {
    if session.ended_at.is_some() || now >= session.expires_at {
        Rights::None
    } else if session.paid_at.is_some() {
        Rights::ReplaceFailed
    } else if now >= session.changes_until {
        Rights::None
    } else if paid_out {
        Rights::ReplaceFailed
    } else {
        Rights::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{AppId, ClaimSessionId, OrgId, PayoutLinkId, UserId};
    use uuid::Uuid;

    fn opened(at: Time) -> ClaimSession {
        ClaimSession {
            org: OrgId(Uuid::nil()),
            id: ClaimSessionId(Uuid::nil()),
            app: AppId(Uuid::nil()),
            link: PayoutLinkId(Uuid::nil()),
            secret_hash: Vec::new(),
            user_id: UserId(Uuid::nil()),
            asks_profile: false,
            asks_compliance: false,
            payout_method: None,
            created_at: at,
            expires_at: at.plus_seconds(SESSION_SECONDS),
            changes_until: at.plus_seconds(IDLE_SECONDS),
            paid_at: None,
            ended_at: None,
            is_guest: false,
            change_from: None,
            change_to: None,
        }
    }

    #[test]
    fn a_session_ends_idle_paid_or_ended() {
        let start = Time::parse("2026-06-01T10:00:00Z").unwrap();
        let (soon, later) = (start.plus_seconds(IDLE_SECONDS - 1), start.plus_seconds(IDLE_SECONDS));
        let open = opened(start);
        assert_eq!(rights(&open, false, soon), Rights::All);
        assert_eq!(rights(&open, false, later), Rights::None);
        assert_eq!(rights(&open, true, soon), Rights::ReplaceFailed);
        let paid = ClaimSession { paid_at: Some(start), ..opened(start) };
        assert_eq!(rights(&paid, false, later), Rights::ReplaceFailed, "the payout failed later");
        assert_eq!(rights(&paid, false, start.plus_seconds(SESSION_SECONDS)), Rights::None);
        for ended in [ClaimSession { ended_at: Some(start), ..paid }, ClaimSession { ended_at: Some(start), ..open }] {
            assert_eq!(rights(&ended, false, soon), Rights::None);
        }
    }
}
