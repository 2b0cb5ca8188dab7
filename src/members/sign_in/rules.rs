//! The lifetime of a session. Pure.

use super::model::MemberSession;
use crate::clock::{DAY_SECONDS, Time};

/// Seconds without a request after which a session ends.
pub const IDLE_SECONDS: i64 = 3_600;
/// Seconds after which a session ends, even if it is in use.
pub const LIFE_SECONDS: i64 = 12 * 3_600;
/// Seconds between two updates of a session's last use.
pub const TOUCH_SECONDS: i64 = 300;
pub const SET_UP_SECONDS: i64 = DAY_SECONDS;
/// Live sessions of a member; a further one ends the oldest.
pub const LIVE_MAX: usize = 20;
/// Seconds for which an ended session is listed.
pub const KEPT_SECONDS: i64 = 30 * DAY_SECONDS;

pub fn is_live(session: &MemberSession, now: Time) -> bool {
    session.ended_at.is_none() && now < ends_at(session)
}

/// Returns the end of a session without further use.
pub fn ends_at(session: &MemberSession) -> Time {
    session.ended_at.unwrap_or_else(|| session.expires_at.min(session.last_used_at.plus_seconds(IDLE_SECONDS)))
}

/// Whether the session's last use must be stored again.
pub fn is_due(session: &MemberSession, now: Time) -> bool {
    now.seconds_since(session.last_used_at) >= TOUCH_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemberId, MemberSessionId, OrgId};
    use uuid::Uuid;

    #[test]
    fn a_session_ends_an_hour_after_its_last_use_and_twelve_hours_after_its_start() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000);
        let session = |last_used: i64, ended: Option<i64>| MemberSession {
            org: OrgId(Uuid::nil()),
            id: MemberSessionId(Uuid::nil()),
            member: MemberId(Uuid::nil()),
            secret_hash: Vec::new(),
            address: None,
            second_factor: false,
            created_at: at(0),
            last_used_at: at(last_used),
            expires_at: at(LIFE_SECONDS),
            ended_at: ended.map(at),
        };
        assert!(is_live(&session(0, None), at(IDLE_SECONDS - 1)));
        assert!(!is_live(&session(0, None), at(IDLE_SECONDS)));
        let busy = session(LIFE_SECONDS - 10, None);
        assert!(is_live(&busy, at(LIFE_SECONDS - 1)));
        assert!(!is_live(&busy, at(LIFE_SECONDS)));
        assert!(!is_live(&session(0, Some(1)), at(1)));
        assert!(!is_due(&session(0, None), at(TOUCH_SECONDS - 1)) && is_due(&session(0, None), at(TOUCH_SECONDS)));
    }
}
