//! The answers of the adapter protocol (docs/guide/rails.md). Pure.

use serde::Deserialize;

use super::port::{Reply, Report, ReportedState, failure};
use crate::clock::Time;
use crate::money::Cents;
use crate::outbound::{Answered, Unanswered};
use crate::text::check_line;

/// Characters of a provider's reference; a longer one is not kept.
const REFERENCE_MAX: usize = 128;

#[derive(Deserialize)]
struct Stated {
    state: String,
    settles_at: Option<String>,
    code: Option<String>,
    provider_ref: Option<String>,
    fee: Option<i64>,
}

#[derive(Deserialize)]
struct Coded {
    code: String,
}

/// Returns the meaning of an answer to PUT. Only 422 with a code is a refusal.
pub fn put_reply(answered: Result<Answered, Unanswered>) -> Reply {
    match answered {
        Ok(Answered { status: 200 | 201, body, .. }) => stated(&body),
        Ok(Answered { status: 409, body, .. }) if code(&body).as_deref() == Some("different") => Reply::Different,
        Ok(Answered { status: 422, body, .. }) => match code(&body).as_deref() {
            Some("insufficient_funds") => Reply::ShortOfFunds,
            Some(code) => Reply::Refused(failure(code)),
            None => Reply::Unclear("it answered 422 without a code".to_owned()),
        },
        other => unclear(other),
    }
}

/// Returns the meaning of an answer to GET. Only 404 with its code means that the payment was never received.
pub fn get_reply(answered: Result<Answered, Unanswered>) -> Reply {
    match answered {
        Ok(Answered { status: 200, body, .. }) => stated(&body),
        Ok(Answered { status: 404, body, .. }) if code(&body).as_deref() == Some("unknown-transfer") => Reply::HasNot,
        other => unclear(other),
    }
}

fn unclear(answered: Result<Answered, Unanswered>) -> Reply {
    Reply::Unclear(match answered {
        Ok(answered) => format!("it answered {}", answered.status),
        Err(unanswered) => unanswered.to_string(),
    })
}

fn code(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Coded>(body).ok().map(|coded| coded.code)
}

fn stated(body: &[u8]) -> Reply {
    let Ok(stated) = serde_json::from_slice::<Stated>(body) else {
        return Reply::Unclear("its answer has no state".to_owned());
    };
    let code = failure(stated.code.as_deref().unwrap_or_default());
    let state = match stated.state.as_str() {
        "completed" => ReportedState::Completed,
        "failed" | "canceled" => ReportedState::Failed(code),
        "returned" => ReportedState::Returned(code),
        // accepted, and any later addition: not final.
        _ => ReportedState::Accepted,
    };
    Reply::Has(Report {
        state,
        settles_at: stated.settles_at.as_deref().and_then(Time::parse),
        reference: stated.provider_ref.filter(|reference| check_line(reference, REFERENCE_MAX).is_ok()),
        fee: stated.fee.filter(|fee| *fee >= 0).map(Cents::new),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rails::failures::FailureCode;

    fn answered(status: u16, body: &str) -> Result<Answered, Unanswered> {
        Ok(Answered { status, retry_after_seconds: None, body: body.as_bytes().to_vec() })
    }

    #[test]
    fn only_422_with_a_code_refuses() {
        let refused = Reply::Refused(FailureCode::AccountClosed);
        assert_eq!(put_reply(answered(422, r#"{"code": "account_closed", "message": "x"}"#)), refused);
        assert_eq!(put_reply(answered(422, r#"{"code": "insufficient_funds"}"#)), Reply::ShortOfFunds);
        assert_eq!(put_reply(answered(409, r#"{"code": "different"}"#)), Reply::Different);
        let body = r#"{"code": "account_closed", "state": "failed"}"#;
        for status in [100, 204, 301, 400, 401, 403, 404, 408, 409, 410, 429, 500, 502, 503, 504, 999] {
            assert!(matches!(put_reply(answered(status, body)), Reply::Unclear(_)), "{status}");
        }
        for body in ["", "no", "[]", "{}", r#"{"code": 7}"#] {
            assert!(matches!(put_reply(answered(422, body)), Reply::Unclear(_)), "{body}");
        }
        for unanswered in [Unanswered::NotConnected, Unanswered::TimedOut, Unanswered::Broken] {
            assert!(matches!(put_reply(Err(unanswered)), Reply::Unclear(_)), "{unanswered}");
        }
    }

    #[test]
    fn only_404_with_its_code_means_never_received() {
        assert_eq!(get_reply(answered(404, r#"{"code": "unknown-transfer"}"#)), Reply::HasNot);
        for (status, body) in [(404, ""), (404, r#"{"code": "not-found"}"#), (410, r#"{"code": "unknown-transfer"}"#)] {
            assert!(matches!(get_reply(answered(status, body)), Reply::Unclear(_)), "{status} {body}");
        }
    }

    #[test]
    fn a_reference_that_is_no_short_line_and_a_negative_fee_are_not_kept() {
        let kept = |reference: &str, fee: i64| {
            let body = json!({"state": "accepted", "provider_ref": reference, "fee": fee}).to_string();
            let Reply::Has(report) = get_reply(answered(200, &body)) else { panic!("{body}") };
            (report.reference, report.fee)
        };
        assert_eq!(kept("R-1", 25), (Some("R-1".to_owned()), Some(Cents::new(25))));
        for reference in ["a\0b", "a\nb", &"x".repeat(REFERENCE_MAX + 1)] {
            assert_eq!(kept(reference, i64::MIN), (None, None), "{reference}");
        }
    }

    #[test]
    fn an_unknown_state_is_in_progress() {
        let state = |body: &str| {
            let Reply::Has(report) = get_reply(answered(200, body)) else { return None };
            Some(report.state)
        };
        assert_eq!(state(r#"{"state": "completed"}"#), Some(ReportedState::Completed));
        assert_eq!(
            state(r#"{"state": "returned", "code": "R02"}"#),
            Some(ReportedState::Returned(FailureCode::AccountClosed))
        );
        assert_eq!(state(r#"{"state": "canceled"}"#), Some(ReportedState::Failed(FailureCode::RejectedByRail)));
        for word in ["accepted", "", "FAILED", "on_the_moon"] {
            assert_eq!(state(&format!(r#"{{"state": "{word}"}}"#)), Some(ReportedState::Accepted), "{word}");
        }
        for body in ["", "{}", r#"{"state": null}"#, "<html>"] {
            assert_eq!(state(body), None, "{body}");
        }
    }
}
