//! Inputs of requests about originators.

use serde_json::{Value as Schema, json};

use super::model::EntryClass;
use crate::banking::setup::SetupStatus;
use crate::banking::texts::{BankText, CompanyId};
use crate::http::lists::list_query;
use crate::ids::{AppId, BankConnectionId, MemberId};
use crate::input::types::word_input;
use crate::input::{Input, Problems, input, wrong};
use crate::strict_json::Json;

word_input!(EntryClass);

/// Standard entry classes: at least one, each once.
#[derive(Clone, Debug)]
pub struct EntryClasses(pub Vec<EntryClass>);

impl Input for EntryClasses {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let classes = Vec::<EntryClass>::read(json, at)?;
        let distinct: std::collections::BTreeSet<EntryClass> = classes.iter().copied().collect();
        if classes.is_empty() || distinct.len() != classes.len() {
            return Err(wrong(at, "must name at least one class, and each class once"));
        }
        Ok(Self(classes))
    }
    fn schema() -> Schema {
        let most = EntryClass::ALL.len();
        json!({"type": "array", "items": EntryClass::schema(), "minItems": 1, "maxItems": most, "uniqueItems": true})
    }
}

input! {
    /// A new originator.
    pub struct NewOriginator {
        /// The member who adds it (admin).
        pub acting_user_id: MemberId,
        /// The connection.
        pub bank_connection_id: BankConnectionId,
        /// The only app that may use it; all apps of the organization if not given.
        pub app_id: Option<AppId>,
        /// The name on the payee's statement.
        pub company_name: BankText<16>,
        /// The company id that the bank assigned.
        pub company_id: CompanyId,
        /// The company entry description, for example PAYROLL.
        pub description: BankText<10>,
        /// The company discretionary data, if the bank wants any.
        pub discretionary: Option<BankText<20>>,
        /// The standard entry classes that it may use: PPD, CCD, WEB, TEL.
        pub entry_classes: EntryClasses,
        /// Whether the first payment or debit of an account that is not validated waits for a prenote; false if not given.
        pub prenotes: Option<bool>,
    }
}

input! {
    /// The member who acts.
    pub struct OriginatorAct {
        /// The member.
        pub acting_user_id: MemberId,
    }
}

list_query! {
    /// The filters of the list of originators.
    pub struct OriginatorsQuery {
        /// Return only originators of this connection.
        pub bank_connection_id: Option<BankConnectionId>,
        /// Return only originators in this state.
        pub status: Option<SetupStatus>,
    }
}
