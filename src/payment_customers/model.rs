//! What is kept of a payment customer.

use crate::clock::Time;
use crate::ids::{AppId, OrgId, PaymentCustomerId};
use crate::world::record::record;

record! {
    /// Who pays an app without being a user of it. Bank accounts name the customer as their holder.
    pub struct PaymentCustomer in "payment_customers" {
        key (org, id);
        /// The organization.
        pub org: OrgId,
        /// Its id.
        pub id: PaymentCustomerId,
        /// The app that is paid.
        pub app: AppId,
        /// The name of the person or the company; none once deleted.
        pub name: Option<String>,
        /// Their address.
        pub email: Option<String>,
        /// Country calling code of their phone, digits.
        pub phone_country_code: Option<String>,
        /// The phone within its country.
        pub phone_national: Option<String>,
        /// Whatever the app keeps with it.
        pub metadata: Option<String>,
        /// Counts its changes, from 1.
        pub version: i64,
        /// When it was made.
        pub created_at: Time,
        /// When it last changed.
        pub updated_at: Time,
        /// When it was deleted.
        pub deleted_at: Option<Time>,
        /// Whether it was not. Lists filter by it.
        pub in_use: bool,
    }
}
