//! Which phones an app may write to: those of the countries that its settings name.

use super::model::App;
use crate::country;
use crate::phone::{InvalidPhoneNumber, PhoneNumber};
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::world::record::key;
use crate::world::{Halt, World};

/// The countries of an app that named none.
pub const DEFAULT_COUNTRIES: [&str; 2] = ["CA", "US"];

/// Refuses a phone number, E.164, that the app does not write to: one of another country, one that costs, or one under
/// embargo, which no setting switches on.
///
/// # Errors
/// `invalid-phone-number`, naming `field`.
pub fn may_write_to(world: &mut World, scope: Scope, e164: &str, field: &str) -> Result<(), Halt> {
    match refused(world, scope, e164)? {
        Some(reason) => Err(Refusal::field(Code::InvalidPhoneNumber, field, reason).into()),
        None => Ok(()),
    }
}

/// The same for a phone number that the request does not hold: the countries may have changed since it was written.
///
/// # Errors
/// `invalid-state`.
pub fn still_writes_to(world: &mut World, scope: Scope, e164: &str) -> Result<(), Halt> {
    match refused(world, scope, e164)? {
        Some(reason) => Err(Refusal::new(Code::InvalidState, format!("The phone number {reason}.")).into()),
        None => Ok(()),
    }
}

/// Why the app does not write to a number.
fn refused(world: &mut World, scope: Scope, e164: &str) -> Result<Option<String>, Halt> {
    // A deleted app sends no messages; its existence is checked elsewhere.
    let app = world.get::<App>(key![scope.org, scope.app])?;
    let writes_to = |country: &str| {
        app.as_ref().map_or_else(|| DEFAULT_COUNTRIES.contains(&country), |app| app.settings.0.writes_to(country))
    };
    let country = match country_of(e164) {
        Ok(country) => country,
        Err(reason) => return Ok(Some(reason.to_string())),
    };
    if country.as_deref().is_some_and(writes_to) {
        return Ok(None);
    }
    let name =
        country.as_deref().and_then(country::country_name).unwrap_or("an international network without a country");
    Ok(Some(format!(
        "is a number of {name}, and the app does not send messages there; add the country to the app setting \
         phone_countries with an organization key"
    )))
}

/// The country of a number that may be written to at all.
fn country_of(e164: &str) -> Result<Option<String>, InvalidPhoneNumber> {
    PhoneNumber::parse_e164(e164)?.accepted().map(|phone| phone.country())
}
