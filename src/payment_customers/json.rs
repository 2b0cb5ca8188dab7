use serde::Serialize;
use utoipa::ToSchema;

use super::model::PaymentCustomer;
use crate::clock::Time;
use crate::ids::PaymentCustomerId;
use crate::users::PhoneJson;

/// A person or company that pays an app and is not a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PaymentCustomer)]
pub struct PaymentCustomerJson {
    /// The customer's id; the customer_id of payments.
    pub id: PaymentCustomerId,
    /// When the customer was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Time,
    /// The name of the person or company; null once deleted.
    #[schema(required)]
    pub name: Option<String>,
    /// The customer's e-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// The customer's phone number.
    #[schema(required)]
    pub phone_number: Option<PhoneJson>,
    /// The app's own data.
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
