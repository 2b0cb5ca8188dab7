use std::sync::Arc;

use super::way::{Debited, way};
use crate::apps::{self, AuthorizationNeeded};
use crate::apps::{Movement, limit_days};
use crate::bank_accounts::{self, BankAccount, SealedAccount};
use crate::bank_files;
use crate::engine::Command;
use crate::ids::{BankAccountId, PaymentCustomerId, PayoutMethodId, UserId};
use crate::ledger::wallet_funding;
use crate::messages::{self, Channel, Template};
use crate::money::Cents;
use crate::payment_customers::{self, AddAccount, PaymentCustomer};
use crate::payout_methods::{self, PayoutMethod};
use crate::platform::Platform;
use crate::program::Environment;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::transfers::{self, ATTESTED, Authorization, AuthorizationKind, Debit, Transfer, TransferJson, TransferKind};
use crate::users::{self, User, UserStatus};
use crate::world::record::Document;
use crate::world::{Halt, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payer {
    User(UserId),
    Customer(PaymentCustomerId),
}

impl Payer {
    /// Returns the id of the user or the payment customer.
    pub const fn id(self) -> uuid::Uuid {
        match self {
            Self::User(UserId(id)) | Self::Customer(PaymentCustomerId(id)) => id,
        }
    }
}

/// The payer's account to debit.
#[derive(Clone, Debug)]
pub enum Source {
    /// The newest account in use.
    Newest,
    /// A user's payout method, or a customer's bank account.
    Account(uuid::Uuid),
    /// A new account in the request; without a name it gets the payer's name.
    Brought(SealedAccount),
}

#[derive(Clone, Debug)]
pub struct CreatePayment {
    pub scope: Scope,
    pub payer: Payer,
    pub from: Source,
    pub amount: Cents,
    pub metadata: Option<String>,
    /// The payer's authorization, if the request has one.
    pub authorization: Option<Authorization>,
    /// Selects the defaults of the app's settings.
    pub environment: Environment,
}

impl Command for CreatePayment {
    type Reply = TransferJson;

    fn decide(&self, world: &mut World) -> Result<TransferJson, Halt> {
        let scope = self.scope;
        let blank = Transfer::new(scope.org, scope.app, world.id(), TransferKind::Payment, self.amount, world.now());
        let blank = Transfer { platform: Some(Platform::Ach), metadata: self.metadata.clone(), ..blank };
        let authorization = self.authorization(world)?;
        let (transfer, debited, name, contact) = match self.payer {
            Payer::User(user) => {
                let user = users::find(world, scope, user)?;
                may_be_debited(&user)?;
                let debited = self.user_pays(world, &user)?;
                let name = match &debited {
                    Debited::Method(_) => user.full_name(),
                    Debited::Account(account) => account.name.clone(),
                };
                (Transfer { user_id: Some(user.id), ..blank }, debited, name, contact_of_user(&user))
            }
            Payer::Customer(customer) => {
                let customer = payment_customers::find(world, scope, customer)?;
                let account = self.customer_pays(world, &customer)?;
                let (name, transfer) = (account.name.clone(), Transfer { customer: Some(customer.id), ..blank });
                (transfer, Debited::Account(account), name, contact_of_customer(&customer))
            }
        };
        let way = way(world, scope, &debited, &authorization, self.amount)?;
        let transfer = match &debited {
            Debited::Method(method) => Transfer { payout_method: Some(method.id), ..transfer },
            Debited::Account(account) => Transfer { bank_account: Some(account.id), ..transfer },
        };

        self.must_be_reachable(world, contact.as_ref())?;
        limit_days::count(world, scope, Movement::Payment(self.payer.id()), self.amount)?;

        // From here it must succeed.
        let hold_days = apps::find(world, scope)?.settings.0.hold_days(self.environment);
        world.add(Debit {
            org: scope.org,
            id: transfer.id,
            app: scope.app,
            mandate: Document(authorization),
            hold_days,
            held: false,
            available_at: None,
        });
        let transfer = transfers::open(world, transfer)?;
        notify(world, &transfer, contact)?;
        wallet_funding::change(world, scope, |watch| watch.pulls += 1)?;
        let transfer = bank_files::hand_over(world, &way, transfer, &name)?;
        transfers::json(world, &transfer)
    }
}

impl CreatePayment {
    /// Returns the payer's authorization, or the app's general statement.
    fn authorization(&self, world: &mut World) -> Result<Authorization, Halt> {
        let now = world.now();
        match (&self.authorization, self.needed(world)?) {
            (Some(given), _) if given.accepted_at > now => {
                let message = "must not be in the future";
                Err(Refusal::field(Code::InvalidInput, "/authorization/accepted_at", message).into())
            }
            (Some(given), _) => Ok(given.clone()),
            (None, AuthorizationNeeded::Attested) => Ok(Authorization {
                kind: AuthorizationKind::Attested,
                accepted_at: now,
                text: ATTESTED.to_owned(),
                reference: None,
                channel: None,
                account_validation: None,
            }),
            (None, AuthorizationNeeded::PerPayment) => {
                let message = "is required: send accepted_at and text of the payer's consent, or set the app setting \
                               payment_authorization to attested with an organization key";
                Err(Refusal::field(Code::InvalidInput, "/authorization", message).into())
            }
        }
    }

    fn needed(&self, world: &mut World) -> Result<AuthorizationNeeded, Halt> {
        Ok(apps::find(world, self.scope)?.settings.0.authorization_needed(self.environment))
    }

    /// Refuses a payer who cannot receive the notice, unless the app attests its relation to the payer.
    fn must_be_reachable(&self, world: &mut World, contact: Option<&Contact>) -> Result<(), Halt> {
        if contact.is_some() || self.needed(world)? == AuthorizationNeeded::Attested {
            return Ok(());
        }
        let message = "The payer has no phone number or e-mail address for the notice of this payment. Add one first.";
        Err(Refusal::new(Code::UserInfoMissing, message).because(Reason::ContactMissing).into())
    }

    /// Returns the user's account.
    fn user_pays(&self, world: &mut World, user: &User) -> Result<Debited, Halt> {
        let method = match &self.from {
            Source::Brought(account) => {
                let account = account.named(&user.full_name());
                let account = bank_accounts::bring(world, self.scope, user.id.0, &account)?;
                return Ok(Debited::Account(account));
            }
            Source::Account(id) => usable(payout_methods::find(world, self.scope, user.id, PayoutMethodId(*id))?)?,
            Source::Newest => {
                let methods = payout_methods::of_app(world, self.scope, user.id)?;
                let newest = methods.into_iter().rev().find(|method| method.platform == Platform::Ach);
                newest.ok_or_else(|| no_account("user"))?
            }
        };
        Ok(Debited::Method(method))
    }

    /// Returns the customer's account.
    fn customer_pays(&self, world: &mut World, customer: &PaymentCustomer) -> Result<Arc<BankAccount>, Halt> {
        let scope = self.scope;
        match &self.from {
            Source::Brought(account) => {
                let account = AddAccount { scope, customer: customer.id, account: account.clone() };
                let id = account.decide(world)?.id;
                bank_accounts::find(world, scope.org, customer.id.0, id)
            }
            Source::Account(id) => {
                let account = bank_accounts::find(world, scope.org, customer.id.0, BankAccountId(*id))?;
                in_use(&account)?;
                Ok(account)
            }
            Source::Newest => {
                let newest = bank_accounts::of_holder(world, scope.org, customer.id.0)?.pop();
                Ok(newest.ok_or_else(|| no_account("payment customer"))?)
            }
        }
    }
}

/// The address of the payer's notice.
type Contact = (Channel, String);

fn contact_of_user(user: &User) -> Option<Contact> {
    let phone = user.phone_e164.clone().map(|phone| (Channel::Sms, phone));
    phone.or_else(|| user.email.clone().map(|email| (Channel::Email, email)))
}

fn contact_of_customer(customer: &PaymentCustomer) -> Option<Contact> {
    let phone = customer.phone_country_code.as_ref().zip(customer.phone_national.as_ref());
    let phone = phone.map(|(country, national)| (Channel::Sms, format!("+{country}{national}")));
    phone.or_else(|| customer.email.clone().map(|email| (Channel::Email, email)))
}

/// Sends the payer the notice: the amount, the app, the account, and how to object.
fn notify(world: &mut World, transfer: &Transfer, contact: Option<Contact>) -> Result<(), Halt> {
    let Some((channel, recipient)) = contact else { return Ok(()) };
    let account = transfers::account_end(world, transfer)?.unwrap_or_default();
    let template = Template::PaymentCollected { transfer: transfer.id, amount_cents: transfer.amount, account };
    messages::queue(world, transfer.scope(), (channel, &recipient), None, template);
    Ok(())
}

/// Refuses to debit a user who is not verified or is in review.
fn may_be_debited(user: &User) -> Result<(), Refusal> {
    users::must_be_verified(user)?;
    match user.status {
        UserStatus::Verified | UserStatus::Unverified | UserStatus::Disabled => Ok(()),
        UserStatus::InReview => {
            let message = "This user is under review. Payments cannot be collected until the review ends.";
            Err(Refusal::in_status(message, user.status.as_str(), vec![UserStatus::Verified.as_str()]))
        }
    }
}

fn usable(method: Arc<PayoutMethod>) -> Result<Arc<PayoutMethod>, Refusal> {
    if method.platform != Platform::Ach {
        let message = "is not a bank account that can be debited; send the id of a payout method of platform ach";
        return Err(Refusal::field(Code::InvalidInput, "/account_id", message));
    }
    if !method.in_use {
        return Err(Refusal::new(Code::UserInfoMissing, "This account is no longer in use. Choose another one.")
            .because(Reason::AccountDisabled));
    }
    Ok(method)
}

fn in_use(account: &BankAccount) -> Result<(), Refusal> {
    if account.in_use {
        return Ok(());
    }
    Err(Refusal::new(Code::UserInfoMissing, "This account is no longer in use. Choose another one.")
        .because(Reason::AccountDisabled))
}

fn no_account(payer: &str) -> Refusal {
    let message =
        format!("The {payer} has no bank account that can be debited. Send ach_info, or add an account first.");
    Refusal::new(Code::UserInfoMissing, message).because(Reason::AccountMissing)
}
