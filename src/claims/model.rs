use crate::clock::Time;
use crate::ids::{AppId, ClaimSessionId, OrgId, PayoutLinkId, PayoutMethodId, UserId};
use crate::messages::Channel;
use crate::world::record::{Document, record};

record! {
    /// The phone or address that a link's code was last sent to.
    pub struct ClaimContact in "claim_contacts" {
        key (org, link);
        pub org: OrgId,
        pub link: PayoutLinkId,
        pub channel: Channel,
        /// E.164 or an e-mail address.
        pub recipient: String,
        pub created_at: Time,
        /// The times of the link's codes within the last hour, to any contact, in microseconds since 1970, oldest
        /// first.
        pub sent_at_micros: Document<Vec<i64>>,
    }
}

record! {
    /// A claim session of a payee: opened by the right code, needed for every later step.
    pub struct ClaimSession in "claim_sessions" {
        key (org, id)
        unique BY_SECRET (org, secret_hash)
        many OF_LINK (org, link);
        pub org: OrgId,
        pub id: ClaimSessionId,
        pub app: AppId,
        pub link: PayoutLinkId,
        /// Keyed hash of the secret that the payee's browser holds.
        pub secret_hash: Vec<u8>,
        /// The payee whose contact was proven.
        pub user_id: UserId,
        /// Whether the session asks for the name.
        pub asks_profile: bool,
        /// Whether the session asks for a tax form.
        pub asks_compliance: bool,
        pub payout_method: Option<PayoutMethodId>,
        pub created_at: Time,
        /// The end of the session, paid or not.
        pub expires_at: Time,
        /// The end of its right to change data; each change prolongs it (`rules.rs`).
        pub changes_until: Time,
        /// When it paid the rest of the link out.
        pub paid_at: Option<Time>,
        /// When the payee, or a newer session, ended it.
        pub ended_at: Option<Time>,
        /// Whether a known payee opened a link that names no payee: then it sends this link's money and changes no
        /// other data of the payee.
        pub is_guest: bool,
        /// The present contact, to which a code was sent, while a change of contact waits for its codes.
        pub change_from: Option<String>,
        /// The new contact: E.164 or an e-mail address.
        pub change_to: Option<String>,
    }
}
