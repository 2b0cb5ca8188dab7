use crate::clock::Time;
use crate::ids::{MemberId, MemberSessionId, OrgId};
use crate::world::record::{Document, record};

record! {
    /// A member's signed-in time.
    pub struct MemberSession in "member_sessions" {
        key (org, id)
        unique BY_SECRET (org, secret_hash)
        many OF_MEMBER (org, member);
        pub org: OrgId,
        pub id: MemberSessionId,
        pub member: MemberId,
        pub secret_hash: Vec<u8>,
        /// The network from which it was opened.
        pub address: Option<String>,
        pub second_factor: bool,
        pub created_at: Time,
        /// To within five minutes.
        pub last_used_at: Time,
        /// The latest end.
        pub expires_at: Time,
        pub ended_at: Option<Time>,
    }
}

record! {
    pub struct MemberFactor in "member_factors" {
        key (org, member);
        pub org: OrgId,
        pub member: MemberId,
        /// The secret of the confirmed TOTP, sealed.
        pub sealed_totp: Option<Vec<u8>>,
        /// The last accepted time step.
        pub totp_step: i64,
        /// A secret that waits for its first code, sealed.
        pub sealed_pending: Option<Vec<u8>>,
        /// Keyed hashes of the unused recovery codes, in hexadecimal.
        pub recovery: Document<Vec<String>>,
        pub updated_at: Time,
    }
}

record! {
    /// A token with which a member sets a password once.
    pub struct MemberSetUp in "member_set_ups" {
        key (org, member)
        unique BY_SECRET (org, secret_hash);
        pub org: OrgId,
        pub member: MemberId,
        pub secret_hash: Vec<u8>,
        pub created_at: Time,
        pub expires_at: Time,
    }
}
