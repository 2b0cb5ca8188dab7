use serde_json::json;

use super::model::PaymentCustomer;
use super::rows::find;
use super::{AddAccount, CreateCustomer, DeleteCustomer, PaymentCustomerJson, RemoveAccount, UpdateCustomer};
use crate::bank_accounts::{BankAccount, BankAccountJson, HolderName, OwnAccountInput};
use crate::email::Email;
use crate::http::lists::{ListEnvelope, list_query, of_app, page};
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::PaymentCustomerId;
use crate::input::types::{Metadata, Phone};
use crate::input::{Change, input};
use crate::patch::Patch;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::Query;
use crate::world::record::Cell;

input! {
    /// A new payment customer.
    pub struct NewPaymentCustomer {
        /// The name of the person or company.
        pub name: HolderName,
        /// The customer's e-mail address.
        pub email: Option<Email>,
        /// The customer's phone number.
        pub phone_number: Option<Phone>,
        /// Your own data.
        pub metadata: Option<Metadata>,
    }
}

input! {
    /// The changes of a payment customer. Fields that are not sent are unchanged; null removes a value.
    pub struct PaymentCustomerChanges {
        /// The new name.
        pub name: Change<HolderName>,
        /// The new e-mail address.
        pub email: Patch<Email>,
        /// The new phone number.
        pub phone_number: Patch<Phone>,
        /// Your own data.
        pub metadata: Patch<Metadata>,
    }
}

fn customer_in_path(call: &Call) -> Result<(Scope, PaymentCustomerId), Refusal> {
    Ok((call.scope()?, call.id("customer_id", "payment customer")?))
}

/// POST /v2/payment-customers
pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = call.body::<NewPaymentCustomer>().map(|new| CreateCustomer {
        scope,
        name: new.name.0.trim().to_owned(),
        email: new.email.map(|email| email.as_str().to_owned()),
        phone: new.phone_number.map(|phone| phone.0),
        metadata: new.metadata.map(|metadata| metadata.0),
    });
    call.once(command, Answer::created).await
}

list_query! {
    /// The filters of the list of payment customers.
    pub struct PaymentCustomersQuery {
        /// Return only customers with this e-mail address.
        pub email: Option<Email>,
    }
}

/// GET /v2/payment-customers
pub async fn list(call: Call) -> Outcome {
    let scope = call.scope()?;
    let asked: PaymentCustomersQuery = call.query()?;
    let found = call
        .read(move |world| {
            page::<PaymentCustomer>(world, of_app::<PaymentCustomer>(scope, "id"), &asked.asked(), |query| {
                query
                    .equal("in_use", true)
                    .matching("email", asked.email.as_ref().map(|email| email.as_str().to_owned()))
            })
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|customer| PaymentCustomerJson::from(customer))))
}

/// GET /v2/payment-customers/{customer_id}
pub async fn show(call: Call) -> Outcome {
    let (scope, id) = customer_in_path(&call)?;
    let customer = call.read(move |world| find(world, scope, id)).await?;
    Ok(Answer::ok(&PaymentCustomerJson::from(&*customer)))
}

/// PATCH /v2/payment-customers/{customer_id}
pub async fn update(call: Call) -> Outcome {
    let (scope, customer) = customer_in_path(&call)?;
    let changes: PaymentCustomerChanges = call.body()?;
    let command = UpdateCustomer {
        scope,
        customer,
        name: changes.name.0.map(|name| name.0.trim().to_owned()),
        email: changes.email.map(|email| email.as_str().to_owned()),
        phone: changes.phone_number.map(|phone| phone.0),
        metadata: changes.metadata.map(|metadata| metadata.0),
    };
    Ok(Answer::ok(&call.run(command).await?))
}

/// DELETE /v2/payment-customers/{customer_id}
pub async fn delete(call: Call) -> Outcome {
    let (scope, customer) = customer_in_path(&call)?;
    call.once(Ok(DeleteCustomer { scope, customer }), Answer::ok).await
}

/// POST /v2/payment-customers/{customer_id}/bank-accounts
pub async fn add_account(call: Call) -> Outcome {
    let command = call.body::<OwnAccountInput>().and_then(|input| {
        let (scope, customer) = customer_in_path(&call)?;
        let account = input.sealed(&call.bursar.vault, call.bursar.entropy().bytes());
        Ok(AddAccount { scope, customer, account })
    });
    call.once(command, Answer::created).await
}

list_query! {
    /// The parameters of the list of bank accounts.
    pub struct BankAccountsQuery {}
}

/// GET /v2/payment-customers/{customer_id}/bank-accounts
pub async fn list_accounts(call: Call) -> Outcome {
    let (scope, id) = customer_in_path(&call)?;
    let asked: BankAccountsQuery = call.query()?;
    let found = call
        .read(move |world| {
            let customer = find(world, scope, id)?;
            let own = Query::of::<BankAccount>(scope.org.to_value(), "id", 1).equal("holder", customer.id);
            page::<BankAccount>(world, own, &asked.asked(), |accounts| accounts.equal("in_use", true))
        })
        .await?;
    Ok(Answer::ok(&found.envelope(|account| BankAccountJson::from(account))))
}

/// DELETE /v2/payment-customers/{customer_id}/bank-accounts/{account_id}
pub async fn remove_account(call: Call) -> Outcome {
    let (scope, customer) = customer_in_path(&call)?;
    let account = call.id("account_id", "bank account")?;
    call.once(Ok(RemoveAccount { scope, customer, account }), Answer::ok).await
}

pub fn routes() -> Vec<Route> {
    [customer_routes(), account_routes()].concat()
}

fn customer_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/payment-customers" App "create_payment_customer" create)
            .about("Payment customers", "Create a payment customer")
            .describe("Creates a person or company that pays the app and is not a user. Add a bank account, then collect payments from it.")
            .takes::<NewPaymentCustomer>()
            .example(json!({"name": "Acme Ltd", "email": "billing@acme.example"}))
            .gives::<PaymentCustomerJson>(201, "The payment customer.")
            .refuses(&[Code::InvalidEmail, Code::InvalidPhoneNumber]),
        route!(Get "/v2/payment-customers" App "list_payment_customers" list)
            .about("Payment customers", "List payment customers")
            .describe("Lists the customers that pay the app, newest first.")
            .asks::<PaymentCustomersQuery>()
            .gives::<ListEnvelope<PaymentCustomerJson>>(200, "One page of the list."),
        route!(Get "/v2/payment-customers/{customer_id}" App "get_payment_customer" show)
            .about("Payment customers", "Get a payment customer")
            .describe("Returns one payment customer.")
            .gives::<PaymentCustomerJson>(200, "The payment customer.")
            .refuses(&[Code::NotFound]),
        route!(Patch "/v2/payment-customers/{customer_id}" App "update_payment_customer" update)
            .about("Payment customers", "Update a payment customer")
            .describe("Changes only the fields that are sent. Null removes the e-mail address, the phone number or the metadata.")
            .takes::<PaymentCustomerChanges>()
            .gives::<PaymentCustomerJson>(200, "The payment customer.")
            .refuses(&[Code::NotFound, Code::InvalidEmail, Code::InvalidPhoneNumber]),
        route!(Delete "/v2/payment-customers/{customer_id}" App "delete_payment_customer" delete)
            .about("Payment customers", "Delete a payment customer")
            .describe("Erases the name, contact and bank accounts; payments remain. Refused while a payment is in progress.")
            .gives::<PaymentCustomerJson>(200, "The deleted payment customer.")
            .refuses(&[Code::NotFound, Code::InvalidState]),
    ]
}

fn account_routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/payment-customers/{customer_id}/bank-accounts" App "add_customer_bank_account" add_account)
            .about("Payment customers", "Add a bank account to a payment customer")
            .describe("Adding the same account again returns the existing account. The number is stored encrypted; responses show its last four digits.")
            .takes::<OwnAccountInput>()
            .example(json!({"account_number": "123456789", "routing_number": "110000000"}))
            .gives::<BankAccountJson>(201, "The bank account.")
            .refuses(&[Code::NotFound, Code::LimitExceeded]),
        route!(Get "/v2/payment-customers/{customer_id}/bank-accounts" App "list_customer_bank_accounts" list_accounts)
            .about("Payment customers", "List a payment customer's bank accounts")
            .describe("Lists the bank accounts from which the customer's payments are collected, newest first, with masked numbers.")
            .asks::<BankAccountsQuery>()
            .gives::<ListEnvelope<BankAccountJson>>(200, "The bank accounts that are in use.")
            .refuses(&[Code::NotFound]),
        route!(Delete "/v2/payment-customers/{customer_id}/bank-accounts/{account_id}" App "remove_customer_bank_account" remove_account)
            .about("Payment customers", "Remove a payment customer's bank account")
            .describe("Payments in progress are not affected. A repeated call changes nothing.")
            .gives::<BankAccountJson>(200, "The removed bank account.")
            .refuses(&[Code::NotFound]),
    ]
}
