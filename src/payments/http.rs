use serde_json::json;
use uuid::Uuid;

use super::create::{CreatePayment, Payer, Source};
use crate::bank_accounts::OwnAccountInput;
use crate::clock::Time;
use crate::http::route::route;
use crate::http::{Answer, Call, Outcome, Route};
use crate::ids::{PaymentCustomerId, UserId};
use crate::input::input;
use crate::input::types::{Amount, Line, Metadata, Text, word_input};
use crate::platform::Platform;
use crate::refusal::{Code, Refusal};
use crate::transfers::{Authorization, AuthorizationChannel, AuthorizationKind, TransferJson};

word_input!(AuthorizationChannel);

input! {
    /// A payment to the app.
    pub struct NewPayment {
        /// The amount in cents.
        pub amount: Amount,
        /// The rail. Only ach can collect money.
        pub platform: Platform,
        /// The user who pays. Excludes customer_id.
        pub user_id: Option<UserId>,
        /// The payment customer who pays. Excludes user_id.
        pub customer_id: Option<PaymentCustomerId>,
        /// A payout method of the user on platform ach, or a bank account of the customer. Defaults to the newest
        /// account if ach_info is omitted too.
        pub account_id: Option<Uuid>,
        /// A new account of the payer. Excludes account_id.
        pub ach_info: Option<OwnAccountInput>,
        /// The payer's authorization of this payment. Required if the app's setting payment_authorization is
        /// per_payment, the default in production.
        pub authorization: Option<AuthorizationInput>,
        /// Your note, returned unchanged.
        pub metadata: Option<Metadata>,
    }
}

input! {
    /// The payer's authorization.
    pub struct AuthorizationInput {
        /// When the payer accepted. Must not be in the future.
        pub accepted_at: Time,
        /// The text that the payer accepted.
        pub text: Text<2000>,
        /// Your reference to the proof, such as the id of a mandate or a recording.
        pub reference: Option<Line<200>>,
        /// How the payer gave it: web, written or phone. Required if a bank's file carries the payment and a person holds
        /// the account.
        pub channel: Option<AuthorizationChannel>,
        /// How you validated the account, such as the name of a service or micro-deposits. Without it, the first payment
        /// from an account that a bank's file carries with the channel web waits for a prenote.
        pub account_validation: Option<Line<200>>,
    }
}

impl From<AuthorizationInput> for Authorization {
    fn from(given: AuthorizationInput) -> Self {
        let AuthorizationInput { accepted_at, text, reference, channel, account_validation } = given;
        let (kind, line) = (AuthorizationKind::PerPayment, |line: Option<Line<200>>| line.map(|line| line.0));
        let (reference, account_validation) = (line(reference), line(account_validation));
        Self { kind, accepted_at, text: text.0, reference, channel, account_validation }
    }
}

impl NewPayment {
    /// Returns the payer after checking the rules between fields.
    fn payer(&self) -> Result<Payer, Refusal> {
        let refuse = |field: &str, message: &str| Err(Refusal::field(Code::InvalidInput, field, message));
        if self.platform != Platform::Ach {
            let message = "cannot collect payments; send ach";
            return refuse("/platform", message);
        }
        if self.account_id.is_some() && self.ach_info.is_some() {
            return refuse("/ach_info", "cannot be combined with account_id; send only one of them");
        }
        match (self.user_id, self.customer_id) {
            (Some(user), None) => Ok(Payer::User(user)),
            (None, Some(customer)) => Ok(Payer::Customer(customer)),
            (Some(_), Some(_)) => refuse("/customer_id", "cannot be combined with user_id; send only one of them"),
            (None, None) => refuse("/user_id", "is required unless customer_id is sent"),
        }
    }
}

pub async fn create(call: Call) -> Outcome {
    let scope = call.scope()?;
    let command = call.body::<NewPayment>().and_then(|new| {
        let payer = new.payer()?;
        let from = match (new.account_id, &new.ach_info) {
            (Some(account), _) => Source::Account(account),
            (None, Some(info)) => Source::Brought(info.sealed(&call.bursar.vault, call.bursar.entropy().bytes())),
            (None, None) => Source::Newest,
        };
        let metadata = new.metadata.map(|metadata| metadata.0);
        let (authorization, environment) = (new.authorization.map(Authorization::from), call.bursar.environment);
        Ok(CreatePayment { scope, payer, from, amount: new.amount.0, metadata, authorization, environment })
    });
    call.once(command, Answer::created).await
}

pub fn routes() -> Vec<Route> {
    vec![
        route!(Post "/v2/payments" App "create_payment" create)
            .about("Payments", "Collect a payment from a user or a payment customer")
            .describe("Debits the payer's bank account. When the bank has paid, the app has the money and the transfer is completed. A bank can return the payment later; the app then owes the amount. bursar stores the payer's authorization with the payment and notifies the payer. The money cannot leave the app before debit.available_at.")
            .takes::<NewPayment>()
            .example(json!({
                "amount": 1000,
                "platform": "ach",
                "customer_id": "019a0000-0000-7000-8000-000000000000",
                "authorization": {"accepted_at": "2026-01-31T12:00:00Z", "text": "I authorize Acme Ltd to debit my account for $10.00.", "channel": "web", "account_validation": "micro-deposits"},
                "ach_info": {"account_number": "123456789", "routing_number": "110000000", "account_type": "checking", "name": "Acme Ltd"}
            }))
            .gives::<TransferJson>(201, "The transfer, of type payment.")
            .refuses(&[Code::NotFound, Code::UserInactive, Code::InvalidState, Code::UserInfoMissing, Code::LimitExceeded]),
    ]
}
