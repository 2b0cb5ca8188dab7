//! What is kept of a claim in progress.

use crate::clock::Time;
use crate::ids::{AppId, ClaimSessionId, OrgId, PayoutLinkId, PayoutMethodId, UserId};
use crate::messages::Channel;
use crate::world::record::{Document, record};

record! {
    /// The phone or address that a link's code was last sent to.
    pub struct ClaimContact in "claim_contacts" {
        key (org, link);
        /// The organization.
        pub org: OrgId,
        /// The link.
        pub link: PayoutLinkId,
        /// By which way.
        pub channel: Channel,
        /// E.164 or an address.
        pub recipient: String,
        /// When it was given.
        pub created_at: Time,
        /// When codes of the link were sent within the last hour, wherever they went, in microseconds since 1970,
        /// oldest first.
        pub sent_at_micros: Document<Vec<i64>>,
    }
}

record! {
    /// One sitting of a payee: opened by the right code, needed for every later step.
    pub struct ClaimSession in "claim_sessions" {
        key (org, id)
        unique BY_SECRET (org, secret_hash)
        many OF_LINK (org, link);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: ClaimSessionId,
        /// The app.
        pub app: AppId,
        /// The link.
        pub link: PayoutLinkId,
        /// Keyed hash of the secret that the payee's browser holds.
        pub secret_hash: Vec<u8>,
        /// Who proved to be there.
        pub user_id: UserId,
        /// Whether the name was asked for in this sitting.
        pub asks_profile: bool,
        /// Whether a tax form was asked for in this sitting.
        pub asks_compliance: bool,
        /// The method that was chosen.
        pub payout_method: Option<PayoutMethodId>,
        /// When it was opened.
        pub created_at: Time,
        /// When it is over, paid or not.
        pub expires_at: Time,
        /// Until when it may change something; each change prolongs it (`rules.rs`).
        pub changes_until: Time,
        /// When it paid the rest of the link out.
        pub paid_at: Option<Time>,
        /// When the payee, or a newer session, ended it.
        pub ended_at: Option<Time>,
        /// Whether a payee who was known before opened a link that names no payee: then it sends this link's money and
        /// changes nothing else of the payee.
        pub is_guest: bool,
        /// Of a change of the payee's contact that waits for its codes: to where the code of the present contact went.
        pub change_from: Option<String>,
        /// The new contact: E.164 or an address.
        pub change_to: Option<String>,
    }
}
