//! A payment customer as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::PaymentCustomer;
use crate::clock::Time;
use crate::ids::PaymentCustomerId;
use crate::users::PhoneJson;

/// Who pays an app without being a user of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentCustomer)]
pub struct PaymentCustomerJson {
    /// Its id: the customer_id of payments.
    pub id: PaymentCustomerId,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The name of the person or the company; null once deleted.
    #[schema(required)]
    pub name: Option<String>,
    /// Their address.
    #[schema(required)]
    pub email: Option<String>,
    /// Their phone.
    #[schema(required)]
    pub phone_number: Option<PhoneJson>,
    /// Whatever the app keeps with it.
    #[schema(required)]
    pub metadata: Option<String>,
}

impl From<&PaymentCustomer> for PaymentCustomerJson {
    fn from(customer: &PaymentCustomer) -> Self {
        let phone = customer.phone_country_code.clone().zip(customer.phone_national.clone());
        Self {
            id: customer.id,
            created: customer.created_at,
            name: customer.name.clone(),
            email: customer.email.clone(),
            phone_number: phone.map(|(country_code, phone_number)| PhoneJson { country_code, phone_number }),
            metadata: customer.metadata.clone(),
        }
    }
}
