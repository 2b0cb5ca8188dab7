//! The records of signing in.

use crate::clock::Time;
use crate::ids::{MemberId, MemberSessionId, OrgId};
use crate::world::record::{Document, record};

record! {
    /// A member's authenticated time.
    pub struct MemberSession in "member_sessions" {
        key (org, id)
        unique BY_SECRET (org, secret_hash)
        many OF_MEMBER (org, member);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: MemberSessionId,
        /// Whose it is.
        pub member: MemberId,
        /// The keyed hash of its secret.
        pub secret_hash: Vec<u8>,
        /// The network that it was opened from.
        pub address: Option<String>,
        /// Whether a second factor was shown.
        pub second_factor: bool,
        /// When the member signed in.
        pub created_at: Time,
        /// The last request, to within five minutes.
        pub last_used_at: Time,
        /// When it ends at the latest.
        pub expires_at: Time,
        /// When it was ended, if it was.
        pub ended_at: Option<Time>,
    }
}

record! {
    /// A member's second factor.
    pub struct MemberFactor in "member_factors" {
        key (org, member);
        /// The organization.
        pub org: OrgId,
        /// Whose it is.
        pub member: MemberId,
        /// The secret of the confirmed TOTP, sealed.
        pub sealed_totp: Option<Vec<u8>>,
        /// The last time step that was accepted.
        pub totp_step: i64,
        /// A secret that waits to be confirmed by a code, sealed.
        pub sealed_pending: Option<Vec<u8>>,
        /// Keyed hashes of the recovery codes that are left, in hexadecimal.
        pub recovery: Document<Vec<String>>,
        /// When it last changed.
        pub updated_at: Time,
    }
}

record! {
    /// A token by which a member sets a password once.
    pub struct MemberSetUp in "member_set_ups" {
        key (org, member)
        unique BY_SECRET (org, secret_hash);
        /// The organization.
        pub org: OrgId,
        /// Who sets a password.
        pub member: MemberId,
        /// The keyed hash of the token.
        pub secret_hash: Vec<u8>,
        /// When it was issued.
        pub created_at: Time,
        /// Until when it is valid.
        pub expires_at: Time,
    }
}
