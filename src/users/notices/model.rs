//! What is kept of a notice.

use crate::clock::Time;
use crate::ids::{AppId, NoticeId, OrgId, UserId};
use crate::messages::{Channel, PayeeChange};
use crate::world::record::{Document, record};

record! {
    /// A notice to a payee about changes to where their money goes, and the link in it.
    pub struct ChangeNotice in "change_notices" {
        key (org, id)
        many OF_USER (org, user_id);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: NoticeId,
        /// The app at which the change was made.
        pub app: AppId,
        /// The payee.
        pub user_id: UserId,
        /// By which way it was sent.
        pub channel: Channel,
        /// The contact from before the change: E.164 or an address.
        pub recipient: String,
        /// What was changed.
        pub changes: Document<Vec<PayeeChange>>,
        /// The method that was added or chosen, masked.
        pub method: Option<String>,
        /// When.
        pub created_at: Time,
    }
}
