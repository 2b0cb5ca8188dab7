//! The phones to which an app may send messages: those of the countries in its settings.

use super::model::App;
use super::settings::DEFAULT_COUNTRIES;
use crate::country;
use crate::phone;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// Refuses a phone number, E.164, of a country that the app does not allow, a premium number, or one under embargo,
/// which no setting allows.
///
/// # Errors
///
/// `invalid-phone-number`, naming `field`.
pub fn may_write_to(world: &mut World, scope: Scope, e164: &str, field: &str) -> Result<(), Halt> {
    match refused(world, scope, e164)? {
        Some((reason, message)) => Err(Refusal::field(Code::InvalidPhoneNumber, field, message).because(reason).into()),
        None => Ok(()),
    }
}

/// Refuses a stored phone number, because the allowed countries may have changed since.
///
/// # Errors
///
/// `invalid-state`.
pub fn still_writes_to(world: &mut World, scope: Scope, e164: &str) -> Result<(), Halt> {
    match refused(world, scope, e164)? {
        Some((reason, message)) => {
            Err(Refusal::new(Code::InvalidState, format!("The phone number {message}.")).because(reason).into())
        }
        None => Ok(()),
    }
}

/// Returns the reason why the app may not send messages to a number.
fn refused(world: &mut World, scope: Scope, e164: &str) -> Result<Option<(Reason, String)>, Halt> {
    // A deleted app sends no messages; other code checks that it exists.
    let app = world.get::<App>(key![scope.org, scope.app])?;
    let writes_to = |country: &str| {
        app.as_ref().map_or_else(|| DEFAULT_COUNTRIES.contains(&country), |app| app.settings.0.writes_to(country))
    };
    let country = match phone::country_of(e164) {
        Ok(country) => country,
        Err(refused) => return Ok(Some((refused.reason(), refused.to_string()))),
    };
    if country.as_deref().is_some_and(writes_to) {
        return Ok(None);
    }
    let name =
        country.as_deref().and_then(country::country_name).unwrap_or("an international network without a country");
    let message = format!(
        "is a number of {name}, and the app does not send messages there; add the country to the app setting \
         phone_countries with an organization key"
    );
    Ok(Some((Reason::CountryNotAllowed, message)))
}
