//! Identifiers. Every kind of object has its own id type, so that ids cannot be confused.
//!
//! Invariant: an id made by [`Entropy::id`] is a UUIDv7 whose leading bits are its creation time in microseconds, so
//! ids sort by creation. The store generates no ids.

use std::fmt;

use rand::{Rng, SeedableRng, rngs::StdRng};
use uuid::Uuid;

use crate::clock::Time;

/// Declares an id type for each kind of object.
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
    /// A movement of money, as the API shows it.
    TransferId;
    /// A claimable link.
    PayoutLinkId;
    /// A person's request to be paid.
    PayoutRequestId;
    /// Payout links that were submitted together.
    PayoutLinkBatchId;
    /// A payout destination that a user has set up.
    PayoutMethodId;
    /// A bank account that is not a payout method: an app's, a payment customer's, a vendor's.
    BankAccountId;
    /// A person or company that pays an app and is not a user.
    PaymentCustomerId;
    /// A company that sends bills and is paid for them.
    VendorId;
    /// A bank account of a vendor.
    VendorPaymentMethodId;
    /// A rule that defines which members must approve a bill.
    ApprovalPolicyId;
    /// A vendor's bill.
    PayableId;
    /// An account of the ledger.
    LedgerAccountId;
    /// Balanced transactions that were posted together.
    PostingId;
    /// A piece of work for a worker.
    JobId;
    /// A message to a person.
    MessageId;
    /// A committed change, as sent to subscribers.
    EventId;
    /// A payee's authenticated visit to a claim link.
    ClaimSessionId;
    /// A phone number or an e-mail address to which codes are sent.
    VerificationId;
    /// A team member's authenticated time, from signing in to its end.
    MemberSessionId;
    /// A notice to a payee about a change to where their money goes.
    NoticeId;
    /// A match between a user's name and a listed name.
    ScreeningHitId;
    /// A member's decision about a user's compliance.
    ComplianceDecisionId;
    /// One screening of all users of an organization.
    ScreeningRunId;
    /// A URL to which an app's events are sent.
    WebhookEndpointId;
    /// One event on its way to one endpoint.
    WebhookDeliveryId;
    /// A connection to a bank.
    BankConnectionId;
    /// A name under which entries are sent to a bank.
    OriginatorId;
    /// An organization's own account at its bank.
    SettlementAccountId;
    /// The way of a rail's payments to a bank, from a day on.
    RailRouteId;
    /// A provider of rails behind HTTP.
    RailProviderId;
    /// A file with payments for a bank.
    BankFileId;
    /// An order of members to reverse a payment or a file at a bank.
    BankReversalId;
    /// A file that a bank sent.
    InboundFileId;
    /// A piece of a file that a bank sent.
    InboundPartId;
    /// A return, a change or another report in a file that a bank sent.
    BankItemId;
    /// A statement of a settlement account.
    BankStatementId;
}

/// Random bytes and ids for one command or request.
///
/// Derived from a seed, so that a command that runs again after loading rows draws the same ids.
pub struct Entropy {
    rng: StdRng,
    drawn: u16,
}

impl Entropy {
    /// Returns a source whose draws depend on the seed only.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self { rng: StdRng::from_seed(seed), drawn: 0 }
    }

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }

    pub fn six_digits(&mut self) -> String {
        // Below this bound every remainder is equally likely; larger draws are repeated.
        const UNBIASED: u32 = u32::MAX - u32::MAX % 1_000_000;
        loop {
            let draw = self.rng.next_u32();
            if draw < UNBIASED {
                return format!("{:06}", draw % 1_000_000);
            }
        }
    }

    /// Returns a new id: 48 bits of milliseconds, 12 bits of the fraction in units of a quarter of a microsecond, the
    /// count within this command, then random bits.
    pub fn id<I: From<Uuid>>(&mut self, now: Time) -> I {
        let micros = now.micros().unsigned_abs();
        let (millis, fraction) = (micros / 1_000, (micros % 1_000) * 4);
        let mut bytes: [u8; 16] = self.bytes();
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        let fraction = fraction.to_be_bytes();
        bytes[6] = 0x70 | (fraction[6] & 0x0f);
        bytes[7] = fraction[7];
        // The count follows the time, so that ids of one command keep their order.
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

/// A source of seeds.
pub enum Seeds {
    /// For production and the sandbox: unpredictable.
    System,
    /// For tests and the simulator: repeatable.
    Counted(Box<StdRng>),
}

impl Seeds {
    pub fn counted(seed: u64) -> Self {
        Self::Counted(Box::new(StdRng::seed_from_u64(seed)))
    }

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

    /// Returns a source of the same kind, derived from this one's next seed.
    #[must_use]
    pub fn split(&mut self) -> Self {
        let seed = self.next_seed();
        match self {
            Self::System => Self::System,
            Self::Counted(_) => Self::Counted(Box::new(StdRng::from_seed(seed))),
        }
    }

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
