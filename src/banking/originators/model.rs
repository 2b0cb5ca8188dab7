use crate::banking::setup::SetupStatus;
use crate::clock::Time;
use crate::ids::{AppId, BankConnectionId, MemberId, OrgId, OriginatorId};
use crate::world::record::{Document, record, words};

words! {
    /// A standard entry class (SEC) that an originator may use.
    pub enum EntryClass {
        /// Payments to people; debits with a written authorization.
        Ppd = "PPD",
        /// Payments and debits of companies.
        Ccd = "CCD",
        /// Debits that a person authorized on a page.
        Web = "WEB",
        /// Debits that a person authorized by phone.
        Tel = "TEL",
    }
}

impl EntryClass {
    /// Returns whether entries of this class are debits only.
    #[must_use]
    pub const fn is_debit(self) -> bool {
        match self {
            Self::Ppd | Self::Ccd => false,
            Self::Web | Self::Tel => true,
        }
    }
}

impl Originator {
    /// Returns whether payments of an app may be sent under its name.
    #[must_use]
    pub fn serves(&self, app: AppId) -> bool {
        self.app.is_none_or(|only| only == app)
    }
}

record! {
    pub struct Originator in "originators" {
        key (org, id)
        many OF_CONNECTION (org, connection);
        pub org: OrgId,
        pub id: OriginatorId,
        pub connection: BankConnectionId,
        /// The only app that may use it; `None` for all apps.
        pub app: Option<AppId>,
        pub company_name: String,
        pub company_id: String,
        /// The company entry description.
        pub description: String,
        /// The company discretionary data.
        pub discretionary: Option<String>,
        pub entry_classes: Document<Vec<EntryClass>>,
        /// Whether the first payment or debit of an account that is not validated waits for a prenote.
        pub prenotes: bool,
        pub status: SetupStatus,
        pub made_by: MemberId,
        pub approved_by: Option<MemberId>,
        pub approved_at: Option<Time>,
        pub ended_by: Option<MemberId>,
        pub ended_at: Option<Time>,
        pub version: i64,
        pub created_at: Time,
    }
}
