use crate::clock::Time;
use crate::ids::{AppId, OrgId, PaymentCustomerId};
use crate::world::record::record;

record! {
    /// A person or company that pays an app and is not a user. Bank accounts name the customer as their holder.
    pub struct PaymentCustomer in "payment_customers" {
        key (org, id);
        pub org: OrgId,
        pub id: PaymentCustomerId,
        pub app: AppId,
        /// The name of the person or company; `None` once deleted.
        pub name: Option<String>,
        pub email: Option<String>,
        /// Country calling code, digits.
        pub phone_country_code: Option<String>,
        pub phone_national: Option<String>,
        pub metadata: Option<String>,
        /// Counts the changes, from 1.
        pub version: i64,
        pub created_at: Time,
        pub updated_at: Time,
        pub deleted_at: Option<Time>,
        /// False once deleted. Lists filter by it.
        pub in_use: bool,
    }
}
