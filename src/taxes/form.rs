//! The tax forms: W-9 for US persons, W-8BEN for foreign persons (docs/decisions.md 6).
//!
//! Each has the fields and rules of the official form. The number is stored sealed and as a keyed hash; people see its
//! last four digits. Only the tax office can match name and number; the sandbox always reports a match.

use std::sync::Arc;

use jiff::civil::Date;
use serde::Serialize;

use crate::engine::Command;
use crate::events::EventName;
use crate::ids::{Entropy, OrgId, UserId};
use crate::input::types::{Line, word_input};
use crate::input::{Input, Problems, gather, input, optional, problem, wrong};
use crate::program::Environment;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::screening::LookedUp;
use crate::strict_json::Json;
use crate::users::{
    Address, BirthDate, By, CountryCode, EntityType, SealedAddress, TaxIdVerification, UsState, UsZip, User, UserJson,
    W9, change, find, json, may_write_identity, must_be_active, read_with_days, screen, seal_birth_date, seal_context,
};
use crate::vault::{Purpose, Vault};
use crate::world::record::words;
use crate::world::{Halt, World};

words! {
    /// The kind of number on a W-9.
    pub enum TaxIdType {
        Ssn = "ssn",
        Ein = "ein",
    }
}
word_input!(TaxIdType);

input! {
    /// A tax form: exactly one of the two.
    pub struct TaxFormInput {
        /// For US persons and businesses.
        pub w9: Option<W9Input>,
        /// For foreign persons.
        pub w8ben: Option<W8BenInput>,
    }
}

/// The signature under penalties of perjury. Only a signed form is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certified;

impl Input for Certified {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if bool::read(json, at)? { Ok(Self) } else { Err(wrong(at, "must be true")) }
    }
    fn schema() -> serde_json::Value {
        serde_json::json!({"type": "boolean", "const": true})
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignCountry(pub String);

impl Input for ForeignCountry {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let country = CountryCode::read(json, at)?.0;
        if country == "US" {
            return Err(wrong(at, "must not be US; a resident of the United States submits a W-9"));
        }
        Ok(Self(country))
    }
    fn schema() -> serde_json::Value {
        CountryCode::schema()
    }
}

input! {
    /// Form W-9.
    pub struct W9Fields {
        /// The kind of taxpayer.
        pub entity_type: EntityType,
        /// The name on the tax return.
        pub name: Line<100>,
        /// The business's name; required for a business.
        pub business_name: Option<Line<100>>,
        /// The kind of number in tax_id.
        pub tax_id_type: TaxIdType,
        /// Nine digits, dashes allowed.
        pub tax_id: Line<11>,
        /// Street and number.
        pub line_1: Line<100>,
        /// Second line.
        pub line_2: Option<Line<100>>,
        /// City.
        pub city: Line<100>,
        /// The two letters of the state.
        pub state: UsState,
        /// ZIP code.
        pub postcode: UsZip,
        /// The signature under penalties of perjury; must be true.
        pub certified: Certified,
    }
}

/// A W-9 whose number has the stated kind, and which names the business if there is one. Rules between fields are
/// checked together with each field, so that all problems are reported at once.
#[derive(Clone)]
pub struct W9Input {
    fields: W9Fields,
    tax_id: String,
}

impl std::fmt::Debug for W9Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("W9Input(…)")
    }
}

impl Input for W9Input {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let fields = gather(W9Fields::read(json, at), &mut problems);
        let entity_type = optional::<EntityType>(json, at, "entity_type").ok().flatten();
        let tax_id = gather(fitting_tax_id(json, at), &mut problems).flatten();
        let has_business_name = !matches!(json.get("business_name"), None | Some(Json::Null));
        if entity_type == Some(EntityType::Business) && !has_business_name {
            problems.extend(wrong(&format!("{at}/business_name"), "is required for a business"));
        }
        match (fields, tax_id) {
            (Some(fields), Some(tax_id)) if problems.is_empty() => Ok(Self { fields, tax_id }),
            _ => Err(problems),
        }
    }
    fn schema() -> serde_json::Value {
        W9Fields::schema()
    }
}

/// Returns the number if it has the stated kind; `None` if one of the two fields is invalid, which is reported for that
/// field.
fn fitting_tax_id(json: &Json, at: &str) -> Result<Option<String>, Problems> {
    let (kind, text) = (optional::<TaxIdType>(json, at, "tax_id_type"), optional::<Line<11>>(json, at, "tax_id"));
    let (Ok(Some(kind)), Ok(Some(text))) = (kind, text) else { return Ok(None) };
    tax_id(&text.0, kind, &format!("{at}/tax_id")).map(Some)
}

input! {
    /// Form W-8BEN.
    pub struct W8BenInput {
        /// Name of the beneficial owner.
        pub name: Line<100>,
        /// Country of citizenship.
        pub citizenship: CountryCode,
        /// Date of birth.
        pub date_of_birth: BirthDate,
        /// The tax number issued by the country of residence.
        pub foreign_tax_id: Option<Line<50>>,
        /// Street and number, permanent residence.
        pub line_1: Line<100>,
        /// Second line.
        pub line_2: Option<Line<100>>,
        /// City.
        pub city: Line<100>,
        /// State or region, if the country has them.
        pub state: Option<Line<50>>,
        /// Postal code, if the country has them.
        pub postcode: Option<Line<20>>,
        /// Country of residence; not US.
        pub country: ForeignCountry,
        /// The signature under penalties of perjury; must be true.
        pub certified: Certified,
    }
}

#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum TaxForm {
    W9 {
        entity_type: EntityType,
        tax_id_type: TaxIdType,
        name: String,
        business_name: Option<String>,
        tax_id: String,
        address: Address,
    },
    W8ben {
        name: String,
        citizenship: String,
        #[serde(serialize_with = "as_text")]
        date_of_birth: Date,
        foreign_tax_id: Option<String>,
        address: Address,
    },
}

fn as_text<S: serde::Serializer>(day: &Date, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

/// Shows only the kind of form: a log must never contain a tax number.
impl std::fmt::Debug for TaxForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::W9 { .. } => "W9(…)",
            Self::W8ben { .. } => "W8ben(…)",
        })
    }
}

#[derive(Clone, Debug)]
pub struct SealedTaxForm {
    /// Screened, and not stored in plain text.
    pub names: Vec<String>,
    pub sealed: Vec<u8>,
    pub tax_id_hash: Option<Vec<u8>>,
    /// The visible part of a W-9; `None` for a W-8BEN.
    pub w9: Option<W9>,
    pub address: SealedAddress,
    pub sealed_date_of_birth: Option<Vec<u8>>,
}

impl TaxFormInput {
    /// Reads a body, with the errors of all of its fields.
    pub fn of_body(body: &Json, today: Date) -> Result<Self, Refusal> {
        read_with_days(body, today, &["/w8ben/date_of_birth"])
    }

    /// Returns the one form that was sent, or all of its problems. `today` is for the date of birth.
    pub fn checked(self, today: Date, at: &str) -> Result<TaxForm, Problems> {
        match (self.w9, self.w8ben) {
            (Some(form), None) => Ok(form.into_form()),
            (None, Some(form)) => form.checked(today, &format!("{at}/w8ben")),
            (Some(_), Some(_)) => {
                Err(wrong(&format!("{at}/w8ben"), "cannot be combined with w9; send only one of them"))
            }
            (None, None) => Err(wrong(&format!("{at}/w9"), "is required unless w8ben is sent")),
        }
    }
}

impl W9Input {
    fn into_form(self) -> TaxForm {
        let Self { fields, tax_id } = self;
        TaxForm::W9 {
            entity_type: fields.entity_type,
            tax_id_type: fields.tax_id_type,
            name: fields.name.0,
            business_name: fields.business_name.map(|name| name.0),
            tax_id,
            address: Address {
                postcode: fields.postcode.0,
                city: fields.city.0,
                state: fields.state.0,
                country: "US".to_owned(),
                line_1: fields.line_1.0,
                line_2: fields.line_2.map(|line| line.0),
                line_3: None,
            },
        }
    }
}

impl W8BenInput {
    fn checked(self, today: Date, at: &str) -> Result<TaxForm, Problems> {
        let text = |text: Option<String>| text.unwrap_or_default();
        let address = Address {
            postcode: text(self.postcode.map(|code| code.0)),
            city: self.city.0,
            state: text(self.state.map(|state| state.0)),
            country: self.country.0,
            line_1: self.line_1.0,
            line_2: self.line_2.map(|line| line.0),
            line_3: None,
        };
        let mut problems = Problems::new();
        let born = gather(self.date_of_birth.checked(today, &format!("{at}/date_of_birth")), &mut problems);
        let address = gather(address.permitted(at), &mut problems);
        let (Some(born), Some(address)) = (born, address) else { return Err(problems) };
        Ok(TaxForm::W8ben {
            name: self.name.0,
            citizenship: self.citizenship.0,
            date_of_birth: born.0,
            foreign_tax_id: self.foreign_tax_id.map(|number| number.0),
            address,
        })
    }
}

/// Rejects area 000, 666 and 900 or above, group 00, and serial 0000.
fn is_ssn(nine: &str) -> bool {
    !["000", "666"].contains(&&nine[..3]) && !nine.starts_with('9') && &nine[3..5] != "00" && &nine[5..] != "0000"
}

/// Returns whether the number is an ITIN, which replaces a missing social security number on a W-9: 9, and a group of
/// 50 to 65, 70 to 88, 90 to 92 or 94 to 99.
fn is_itin(nine: &str) -> bool {
    let group = &nine[3..5];
    let given_out = [("50", "65"), ("70", "88"), ("90", "92"), ("94", "99")];
    nine.starts_with('9') && given_out.iter().any(|(first, last)| (*first..=*last).contains(&group))
}

/// Returns the nine digits of a number that the office can have issued. The error message never repeats the number.
pub fn tax_id(text: &str, kind: TaxIdType, at: &str) -> Result<String, Problems> {
    let digits: String = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    let nine = digits.len() == 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (code, given_out, message) = match kind {
        TaxIdType::Ssn => (
            Code::InvalidSsn,
            nine && (is_ssn(&digits) || is_itin(&digits)),
            "must be a valid social security number or ITIN: nine digits, dashes are allowed",
        ),
        TaxIdType::Ein => (
            Code::InvalidInput,
            nine && !digits.starts_with("00"),
            "must be an employer identification number: nine digits, dashes are allowed",
        ),
    };
    if given_out { Ok(digits) } else { Err(problem(code, at, message)) }
}

impl TaxForm {
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::W9 { name, business_name, .. } => {
                [Some(name), business_name.as_ref()].into_iter().flatten().cloned().collect()
            }
            Self::W8ben { name, .. } => vec![name.clone()],
        }
    }

    #[must_use]
    pub fn sealed(&self, vault: &Vault, org: OrgId, user: UserId, entropy: &mut Entropy) -> SealedTaxForm {
        let plain = serde_json::to_vec(self).expect("forms are plain data, which always serialize");
        let sealed = vault.seal(&seal_context(org, user, "sealed_tax_form"), &plain, entropy.bytes());
        let hash = |number: &str| tax_id_hash(vault, number);
        let names = self.names();
        match self {
            Self::W9 { entity_type, business_name, tax_id, address, .. } => SealedTaxForm {
                names,
                sealed,
                tax_id_hash: Some(hash(tax_id)),
                w9: Some(W9 {
                    entity_type: *entity_type,
                    business_name: business_name.clone(),
                    tax_id_last4: tax_id[5..].to_owned(),
                }),
                address: address.sealed(vault, org, user, entropy.bytes()),
                sealed_date_of_birth: None,
            },
            Self::W8ben { date_of_birth, foreign_tax_id, address, .. } => SealedTaxForm {
                names,
                sealed,
                tax_id_hash: foreign_tax_id.as_deref().map(hash),
                w9: None,
                address: address.sealed(vault, org, user, entropy.bytes()),
                sealed_date_of_birth: Some(seal_birth_date(vault, org, user, *date_of_birth, entropy.bytes())),
            },
        }
    }
}

pub fn tax_id_hash(vault: &Vault, number: &str) -> Vec<u8> {
    vault.guessable_hash(Purpose::TaxId, &[number.as_bytes()]).to_vec()
}

/// Returns the initial verification state of a new form. The sandbox has no tax office and reports a match at once.
#[must_use]
pub const fn first_verification(environment: Environment) -> TaxIdVerification {
    match environment {
        Environment::Sandbox => TaxIdVerification::Matched,
        Environment::Production => TaxIdVerification::Pending,
    }
}

/// Stores a user's tax form and screens its names. A newer form replaces an older one. `verification` is `pending`
/// until the tax office answers. Rejects with `user-inactive`.
pub fn collect_tax_form(
    world: &mut World,
    user: &Arc<User>,
    form: &SealedTaxForm,
    verification: TaxIdVerification,
    names: &LookedUp,
) -> Result<Arc<User>, Halt> {
    must_be_active(user)?;
    let mut screened = User::clone(user);
    for name in &form.names {
        screen(world, &mut screened, name, names)?;
    }

    // From here it must succeed.
    change(world, user, EventName::UserUpdated, |user| {
        *user = screened;
        user.sealed_tax_form = Some(form.sealed.clone());
        user.tax_id_hash.clone_from(&form.tax_id_hash);
        user.sealed_address = Some(form.address.sealed.clone());
        user.country = Some(form.address.country.clone());
        if let Some(born) = &form.sealed_date_of_birth {
            user.sealed_date_of_birth = Some(born.clone());
        }
        let compliance = &mut user.compliance.0;
        compliance.w8_ben_collected = form.w9.is_none();
        compliance.tax_id_verification = if form.w9.is_some() { verification } else { TaxIdVerification::NotRequired };
        compliance.w9.clone_from(&form.w9);
    })
}

#[derive(Clone, Debug)]
pub struct SetCompliance {
    pub scope: Scope,
    pub by: By,
    pub user: UserId,
    pub form: SealedTaxForm,
    pub verification: TaxIdVerification,
    pub names: LookedUp,
}

impl Command for SetCompliance {
    type Reply = UserJson;

    fn decide(&self, world: &mut World) -> Result<UserJson, Halt> {
        let user = find(world, self.scope, self.user)?;
        if user.has_tax_form() {
            may_write_identity(world, self.by, &user, if self.form.w9.is_some() { "/w9" } else { "/w8ben" })?;
        }
        let user = collect_tax_form(world, &user, &self.form, self.verification, &self.names)?;
        json(world, self.scope, &user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_given_out_and_numbers_that_are_not() {
        for (text, kind, holds) in [
            ("123-45-6789", TaxIdType::Ssn, true),
            ("123456789", TaxIdType::Ssn, true),
            ("12345678", TaxIdType::Ssn, false),
            ("000-45-6789", TaxIdType::Ssn, false),
            ("666-45-6789", TaxIdType::Ssn, false),
            ("900-45-6789", TaxIdType::Ssn, false),
            ("987-65-4321", TaxIdType::Ssn, true),
            ("900-50-0000", TaxIdType::Ssn, true),
            ("900-49-6789", TaxIdType::Ssn, false),
            ("999-69-6789", TaxIdType::Ssn, false),
            ("999-89-6789", TaxIdType::Ssn, false),
            ("999-93-6789", TaxIdType::Ssn, false),
            ("999-99-9999", TaxIdType::Ssn, true),
            ("123-00-6789", TaxIdType::Ssn, false),
            ("123-45-0000", TaxIdType::Ssn, false),
            ("12-3456789", TaxIdType::Ein, true),
            ("00-3456789", TaxIdType::Ein, false),
            ("ab3456789", TaxIdType::Ein, false),
        ] {
            assert_eq!(tax_id(text, kind, "").is_ok(), holds, "{text}");
        }
    }
}
