//! Identifiers. Every kind of object has its own id type, so that a user's id
//! can never be passed where an app's is meant.
//!
//! Invariant: an id made by [`Entropy::id`] is a UUIDv7 whose leading bits are
//! the moment of its making in microseconds, so ordering by id is ordering by
//! creation. Deliberately absent: ids that the store hands out.

use std::fmt;

use rand::{Rng, SeedableRng, rngs::StdRng};
use uuid::Uuid;

use crate::clock::Time;

/// Declares one id type for each kind of object.
macro_rules! id_types {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }
    )+};
}

id_types! {
    /// An organization: the tenant that owns apps, users, money and keys.
    OrgId;
    /// An app of an organization.
    AppId;
    /// A person who may be paid.
    UserId;
    /// A team member who acts in accounts payable and the dashboard.
    MemberId;
    /// One movement of money, as the API tells it.
    TransferId;
    /// A claimable link.
    PayoutLinkId;
    /// A person's request to be paid.
    PayoutRequestId;
    /// Many payout links that were submitted together.
    PayoutLinkBatchId;
    /// A way to be paid that a user has set up.
    PayoutMethodId;
    /// A bank account that is no user's payout method: an app's, a payment customer's, a vendor's.
    BankAccountId;
    /// Somebody who pays an app without being its user.
    PaymentCustomerId;
    /// Who sends bills, and is paid for them.
    VendorId;
    /// A bank account by which a vendor is paid.
    VendorPaymentMethodId;
    /// A rule that says whose approval a bill needs.
    ApprovalPolicyId;
    /// A bill that is approved and paid.
    PayableId;
    /// An account of the ledger.
    LedgerAccountId;
    /// Balanced movements that were posted together.
    PostingId;
    /// A piece of work for the worker.
    JobId;
    /// A message to a person.
    MessageId;
    /// One committed change, told to subscribers.
    EventId;
    /// One sitting of a payee on the claim page.
    ClaimSessionId;
    /// A code that proves that a person holds a phone or an address.
    VerificationId;
    /// A team member's authenticated time, from signing in to its end.
    MemberSessionId;
    /// A notice to a payee about a change to where their money goes.
    NoticeId;
    /// A name on a sanctions list that a user's name was like.
    ScreeningHitId;
    /// What a member said of a user's compliance.
    ComplianceDecisionId;
    /// One screening of all users of an organization.
    ScreeningRunId;
    /// A URL that is told of an app's events.
    WebhookEndpointId;
    /// One event on its way to one endpoint.
    WebhookDeliveryId;
}

/// Random bytes and ids of one command or one request.
///
/// It is made from a seed, so that a command that is run again, because a row
/// had to be loaded first, draws the same ids again.
pub struct Entropy {
    rng: StdRng,
    drawn: u16,
}

impl Entropy {
    /// The same seed gives the same draws.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self { rng: StdRng::from_seed(seed), drawn: 0 }
    }

    /// `N` random bytes: a token, a nonce, a secret.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }

    /// Six digits, each code as likely as any other.
    pub fn six_digits(&mut self) -> String {
        // Below this bound every remainder is equally likely; above it we draw again.
        const UNBIASED: u32 = u32::MAX - u32::MAX % 1_000_000;
        loop {
            let draw = self.rng.next_u32();
            if draw < UNBIASED {
                return format!("{:06}", draw % 1_000_000);
            }
        }
    }

    /// A new id: 48 bits of milliseconds, 12 bits of the fraction in units of
    /// a quarter of a microsecond, then the count within this command, then chance.
    pub fn id<I: From<Uuid>>(&mut self, now: Time) -> I {
        let micros = now.micros().unsigned_abs();
        let (millis, fraction) = (micros / 1_000, (micros % 1_000) * 4);
        let mut bytes: [u8; 16] = self.bytes();
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        let fraction = fraction.to_be_bytes();
        bytes[6] = 0x70 | (fraction[6] & 0x0f);
        bytes[7] = fraction[7];
        // The count stands right after the moment: ids of one command keep their order.
        let count = self.drawn.to_be_bytes();
        bytes[8] = 0x80 | (count[0] & 0x3f);
        bytes[9] = count[1];
        self.drawn = self.drawn.wrapping_add(1) & 0x3fff;
        I::from(Uuid::from_bytes(bytes))
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy(…)")
    }
}

/// Where seeds come from: the operating system, or a seed of a test.
pub enum Seeds {
    /// Production and the sandbox: unpredictable.
    System,
    /// Tests and the simulator: repeatable.
    Counted(Box<StdRng>),
}

impl Seeds {
    /// A repeatable source.
    pub fn counted(seed: u64) -> Self {
        Self::Counted(Box::new(StdRng::seed_from_u64(seed)))
    }

    /// The next seed.
    pub fn next_seed(&mut self) -> [u8; 32] {
        match self {
            Self::System => rand::random(),
            Self::Counted(rng) => {
                let mut seed = [0; 32];
                rng.fill_bytes(&mut seed);
                seed
            }
        }
    }

    /// Another source of the same kind, made of this one's next seed.
    #[must_use]
    pub fn split(&mut self) -> Self {
        let seed = self.next_seed();
        match self {
            Self::System => Self::System,
            Self::Counted(_) => Self::Counted(Box::new(StdRng::from_seed(seed))),
        }
    }

    /// Entropy for one command or request.
    pub fn next_entropy(&mut self) -> Entropy {
        Entropy::from_seed(self.next_seed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_moment_of_their_making() {
        let mut seeds = Seeds::counted(1);
        let mut made: Vec<Uuid> = Vec::new();
        for micros in [1_700_000_000_000_000, 1_700_000_000_000_001, 1_700_000_000_001_000] {
            let mut entropy = seeds.next_entropy();
            for _ in 0..300 {
                made.push(entropy.id(Time::from_micros(micros)));
            }
        }
        assert!(made.is_sorted());
        assert!(made.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn one_seed_draws_the_same_twice() {
        let draw = |seed| {
            let mut entropy = Entropy::from_seed([seed; 32]);
            (entropy.id::<Uuid>(Time::from_micros(5)), entropy.six_digits(), entropy.bytes::<24>())
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
