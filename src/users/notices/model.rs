use crate::clock::Time;
use crate::ids::{AppId, NoticeId, OrgId, UserId};
use crate::messages::{Channel, PayeeChange};
use crate::world::record::{Document, record};

record! {
    /// A notice to a payee about changes to where their money goes.
    pub struct ChangeNotice in "change_notices" {
        key (org, id)
        many OF_USER (org, user_id);
        pub org: OrgId,
        pub id: NoticeId,
        pub app: AppId,
        pub user_id: UserId,
        pub channel: Channel,
        /// The contact from before the change: E.164 or an e-mail address.
        pub recipient: String,
        pub changes: Document<Vec<PayeeChange>>,
        /// Masked.
        pub method: Option<String>,
        pub created_at: Time,
    }
}
