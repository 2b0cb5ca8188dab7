//! Limits requests by app (docs/decisions.md 14). Uses the wall clock, never the sandbox's.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use uuid::Uuid;

use crate::http::{Caller, CredentialKind};
use crate::refusal::{Code, Refusal};

/// A client id alone gets a tenth of the app's quota, because it is public.
const CLIENT_SHARE: u32 = 10;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For each app; `None` for no limit.
    pub requests_per_second: Option<NonZeroU32>,
    /// Includes the arrival of the body.
    pub request_deadline: Duration,
}

impl Default for Limits {
    /// Without a request limit, 30 seconds for each request (docs/decisions.md 14).
    fn default() -> Self {
        Self { requests_per_second: None, request_deadline: Duration::from_secs(30) }
    }
}

type Buckets = RateLimiter<Uuid, DashMapStateStore<Uuid>, DefaultClock, StateInformationMiddleware>;

/// A bucket for each app, and a smaller one for its client id alone.
pub(super) struct Limiter {
    buckets: Option<Both>,
}

struct Both {
    server_side: Bucket,
    client_side: Bucket,
}

struct Bucket {
    buckets: Buckets,
    quota: NonZeroU32,
}

/// The app's quota after this request, for the headers `RateLimit` and `RateLimit-Policy`.
pub(super) struct RateStatus {
    /// Requests per second.
    pub quota: u32,
    /// Requests left now.
    pub left: u32,
}

impl Limiter {
    pub(super) fn new(limits: Limits) -> Self {
        let buckets = limits.requests_per_second.map(|quota| {
            let share = NonZeroU32::new(quota.get() / CLIENT_SHARE).unwrap_or(NonZeroU32::MIN);
            Both { server_side: Bucket::new(quota), client_side: Bucket::new(share) }
        });
        Self { buckets }
    }

    /// Counts a request; returns the quota and whether the request is allowed. Unauthenticated requests are not
    /// counted: public routes have their own limits.
    pub(super) fn check(&self, caller: &Caller) -> (Option<RateStatus>, Result<(), Refusal>) {
        let Some(both) = &self.buckets else { return (None, Ok(())) };
        let whose = caller.app.map_or(caller.org.0, |app| app.0);
        let bucket = match caller.kind {
            CredentialKind::None => return (None, Ok(())),
            CredentialKind::Client => &both.client_side,
            CredentialKind::App | CredentialKind::Organization | CredentialKind::Member => &both.server_side,
        };
        let (left, allowed) = bucket.check(whose);
        (Some(RateStatus { quota: bucket.quota.get(), left }), allowed)
    }
}

impl Bucket {
    fn new(quota: NonZeroU32) -> Self {
        Self { buckets: RateLimiter::keyed(Quota::per_second(quota)).with_middleware(), quota }
    }

    /// Returns the requests left after this one, and whether this one is allowed.
    fn check(&self, whose: Uuid) -> (u32, Result<(), Refusal>) {
        match self.buckets.check_key(&whose) {
            Ok(state) => (state.remaining_burst_capacity(), Ok(())),
            Err(not_until) => {
                let wait = not_until.wait_time_from(DefaultClock::default().now());
                let message = format!("The limit is {} requests per second.", self.quota);
                (0, Err(Refusal::new(Code::RateLimited, message).retry_after(whole_seconds(wait))))
            }
        }
    }
}

/// Rounds up, so that a retry after this time is allowed.
fn whole_seconds(wait: Duration) -> u32 {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Admission;
    use crate::ids::{AppId, OrgId};

    fn caller(app: u128, kind: CredentialKind) -> Caller {
        let app = Some(AppId(Uuid::from_u128(app)));
        let admission = Admission { needs: |_| Vec::new(), refuse_gone: |_, _| Ok(()) };
        Caller { org: OrgId(Uuid::nil()), app, kind, member: None, client_id: String::new(), admission }
    }

    #[test]
    fn each_app_has_its_own_bucket_and_its_client_a_smaller_one() {
        let limiter = Limiter::new(Limits { requests_per_second: NonZeroU32::new(20), ..Limits::default() });
        let allowed = |caller: &Caller| (0..30).filter(|_| limiter.check(caller).1.is_ok()).count();
        // A bucket refills during the test, so slightly more than the quota may pass.
        assert!((20..25).contains(&allowed(&caller(1, CredentialKind::App))));
        assert!((20..25).contains(&allowed(&caller(2, CredentialKind::Organization))));
        assert!((2..5).contains(&allowed(&caller(2, CredentialKind::Client))));
        assert_eq!(allowed(&caller(0, CredentialKind::None)), 30);
    }

    #[test]
    fn a_refusal_says_how_long_to_wait() {
        let limiter = Limiter::new(Limits { requests_per_second: NonZeroU32::new(1), ..Limits::default() });
        let app = caller(1, CredentialKind::App);
        assert!(limiter.check(&app).1.is_ok());
        let (rate_status, refused) = limiter.check(&app);
        let refusal = refused.unwrap_err();
        assert_eq!(rate_status.map(|rate_status| (rate_status.quota, rate_status.left)), Some((1, 0)));
        assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(1)));
    }

    #[test]
    fn without_a_limit_no_caller_is_counted() {
        let limiter = Limiter::new(Limits::default());
        let (rate_status, allowed) = limiter.check(&caller(1, CredentialKind::App));
        assert!(rate_status.is_none() && allowed.is_ok());
    }
}
