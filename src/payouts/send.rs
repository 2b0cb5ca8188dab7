//! Sends a payout to a person: by automatic payouts if possible, else by a link.

use std::sync::Arc;

use super::arrival::{Arrival, arrives_at};
use super::pay::{Order, pay};
use super::quote::FeeRequest;
use crate::apps;
use crate::engine::Command;
use crate::language::Text;
use crate::messages::{self, Channel, Template};
use crate::payout_links::{self, LinkStatus, NewLink, NewToken, PayoutLink};
use crate::payout_methods::PayoutMethod;
use crate::program::Environment;
use crate::scope::Scope;
use crate::screening::LookedUp;
use crate::taxes;
use crate::transfers::{Transfer, TransferStatus};
use crate::users::{self, User};
use crate::world::record::key;
use crate::world::{Halt, Want, World};

/// A payee with automatic payouts, and their method.
type Preference = (Arc<User>, Arc<PayoutMethod>);

/// POST /v2/payouts/send-payout
#[derive(Clone, Debug)]
pub struct SendPayout {
    pub scope: Scope,
    /// Determines the default rest period of new methods.
    pub environment: Environment,
    /// Names a user or a phone.
    pub new: NewLink,
    pub token: NewToken,
    pub names: LookedUp,
}

/// Returns the name that the sender gives to a payee with automatic payouts, to be screened first. `None` if the payee
/// receives a link, whose claim screens the name.
pub fn name_to_look_up(world: &mut World, scope: Scope, new: &NewLink) -> Result<Option<String>, Halt> {
    let Some(name) = new.payee.full_name() else { return Ok(None) };
    let user = payee_of(world, scope, new)?;
    let Some(user) = user.filter(|user| user.full_name() != name) else { return Ok(None) };
    Ok(users::is_paid_automatically(world, scope, user.id)?.then_some(name))
}

impl Command for SendPayout {
    type Reply = Arc<PayoutLink>;

    fn needs(&self) -> Vec<Want> {
        let phone = self.new.payee.e164().filter(|_| self.new.user.is_none());
        let user = phone.map(|phone| users::want_by_phone(self.scope.org, &phone));
        payout_links::wants(self.scope, &self.new).into_iter().chain(user).collect()
    }

    fn decide(&self, world: &mut World) -> Result<Arc<PayoutLink>, Halt> {
        let payee = self.payee(world)?;
        let link = payout_links::create(world, self.scope, &self.new, &self.token)?;
        if let (LinkStatus::Created, Some((user, method))) = (link.status, payee) {
            // The findings are kept, although the payee is not paid then.
            let user = self.screened(world, user)?;
            if let Ok(link) = world.attempt(|world| self.pay_by_preference(world, &link, &user, &method))? {
                return Ok(link);
            }
            if !link.tax_exempt {
                taxes::await_tax_form(world, self.scope, user.id, link.amount)?;
            }
        }
        // No payout without its money: the link is delivered when the money arrives, and the payee claims it.
        if link.status == LinkStatus::FundsPending {
            return Ok(link);
        }
        // No known user, no automatic payouts, or the automatic payout is refused: the payee chooses a method.
        payout_links::deliver_first(world, &link)
    }
}

impl SendPayout {
    /// Returns the user of this app with this phone or id, and their method for automatic payouts.
    fn payee(&self, world: &mut World) -> Result<Option<Preference>, Halt> {
        let user = payee_of(world, self.scope, &self.new)?;
        let Some(user) = user else { return Ok(None) };
        // The claim of a link is the only way to ask the payee for the tax form.
        if self.new.collect_compliance && !user.has_tax_form() {
            return Ok(None);
        }
        let method = users::automatic_method(world, self.scope, &user, self.environment)?;
        Ok(method.map(|method| (user, method)))
    }

    /// Returns the payee after screening the sender's name for them, if it differs from the user's own.
    fn screened(&self, world: &mut World, user: Arc<User>) -> Result<Arc<User>, Halt> {
        match self.new.payee.full_name().filter(|name| user.full_name() != *name) {
            Some(name) if users::must_be_active(&user).is_ok() => {
                users::screen_another_name(world, &user, &name, &self.names)
            }
            Some(_) | None => Ok(user),
        }
    }

    fn pay_by_preference(
        &self,
        world: &mut World,
        link: &Arc<PayoutLink>,
        user: &Arc<User>,
        method: &Arc<PayoutMethod>,
    ) -> Result<Arc<PayoutLink>, Halt> {
        let link = payout_links::claim(world, link, user)?;
        let order = Order {
            scope: self.scope,
            user: user.clone(),
            method: method.clone(),
            amount: link.amount,
            fees: FeeRequest { party: link.fee_party, override_: None },
            fund: false,
            link: Some(link.id),
            tax_exempt: link.tax_exempt,
            metadata: link.metadata.clone(),
        };
        let transfer = pay(world, &order)?;
        self.emit(world, user, method, &transfer)?;
        Ok(link)
    }

    fn emit(&self, world: &mut World, user: &User, method: &PayoutMethod, transfer: &Transfer) -> Result<(), Halt> {
        let Some(phone) = users::reached(world, self.scope, user)?.phone_e164 else { return Ok(()) };
        let platform = transfer.platform.unwrap_or(method.platform);
        let app = apps::find(world, self.scope)?;
        let language = user.language.or(app.settings.0.brand.language).unwrap_or_default();
        let arrival = match transfer.status {
            // Above the app's approval limit: it is sent when a member has approved it.
            TransferStatus::Flagged => language.say(Text::ArrivalApproved).with("sender", &app.name).plain(),
            TransferStatus::Created
            | TransferStatus::Pending
            | TransferStatus::Completed
            | TransferStatus::Failed
            | TransferStatus::Reversed
            | TransferStatus::Canceled => {
                let at = match transfer.settles_at.or(transfer.held_until) {
                    Some(settles_at) => settles_at,
                    None => arrives_at(world, self.scope, platform, transfer.arrives)?,
                };
                Arrival::of(platform, world.now(), at).after_a_label(language)
            }
        };
        let template = Template::PaidByPreference {
            transfer: transfer.id,
            amount_cents: transfer.arrives,
            app_name: app.name.clone(),
            method: method.distinguished(language),
            arrival,
            message: self.new.delivery.message.clone(),
        };
        messages::queue(world, self.scope, (Channel::Sms, &phone), Some(language), template);
        Ok(())
    }
}

/// Returns the user of this app with this phone or id.
fn payee_of(world: &mut World, scope: Scope, new: &NewLink) -> Result<Option<Arc<User>>, Halt> {
    if let Some(user) = new.user {
        return Ok(Some(users::find(world, scope, user)?));
    }
    let Some(phone) = new.payee.e164() else { return Ok(None) };
    let Some(user) = users::by_phone(world, scope.org, &phone)? else { return Ok(None) };
    // A user of another app of the organization claims by a link, which connects them.
    let connected = users::is_connected(world, scope, user.id)?;
    Ok(connected.then_some(user))
}

/// Returns whether all money of a link has arrived: nothing is left, and nothing is in flight.
pub(super) fn is_paid_out(world: &mut World, link: &PayoutLink) -> Result<bool, Halt> {
    let Some(user) = link.claimed_user else { return Ok(false) };
    if !link.remaining().is_zero() {
        return Ok(false);
    }
    let under_way = world.all::<Transfer>(Transfer::UNDER_WAY, key![link.org, Some(user.0)])?;
    Ok(!under_way.iter().any(|transfer| transfer.payout_link == Some(link.id)))
}
