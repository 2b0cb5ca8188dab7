//! The user as docs/specification.md defines it: every field is always present.

use serde::Serialize;

use super::model::{
    Adjustment1099, BackgroundCheckStatus, EntityType, Flags, OfacStatus, TaxIdVerification, User, UserStatus,
};
use super::rows;
use crate::clock::Time;
use crate::ids::{PayoutMethodId, UserId};
use crate::ledger::{self, Account};
use crate::payout_methods::{PayoutMethod, Validation};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// A person who may be paid.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = User)]
pub struct UserJson {
    /// The user's id.
    pub id: UserId,
    /// First name.
    #[schema(required)]
    pub first_name: Option<String>,
    /// Last name.
    #[schema(required)]
    pub last_name: Option<String>,
    /// E-mail address.
    #[schema(required)]
    pub email: Option<String>,
    /// The phone number; null once the user is deleted.
    #[schema(required)]
    pub phone_number: Option<PhoneJson>,
    /// Whether the person has verified the phone number or the e-mail address.
    pub verified: bool,
    /// ISO 3166-1 alpha-2.
    #[schema(required)]
    pub country: Option<String>,
    /// Whether payouts go to the default method at once.
    pub auto_payout_enabled: bool,
    /// The rail of the default payout method.
    #[schema(required)]
    pub default_payout_method: Option<Platform>,
    /// The default payout method.
    #[schema(required)]
    pub default_payout_method_details: Option<MethodDetailsJson>,
    /// The user's wallet with this app, in cents.
    pub wallet: WalletJson,
    /// The user's status.
    pub status: UserStatus,
    /// Collected tax data, checks and warnings.
    pub compliance: ComplianceJson,
    /// The app's own note.
    #[schema(required)]
    pub metadata: Option<String>,
    /// Rails that are not offered to this user.
    pub payout_options_exclude_list: Vec<Platform>,
    /// An amount paid elsewhere that counts towards a year's tax form.
    #[serde(rename = "1099_adjustment")]
    #[schema(required)]
    pub adjustment_1099: Option<Adjustment1099>,
}

/// A phone number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = PhoneNumber)]
pub struct PhoneJson {
    /// The digits of the country code.
    #[schema(example = "1")]
    pub country_code: String,
    /// The digits after the country code.
    #[schema(example = "2127361234")]
    pub phone_number: String,
}

/// The user's wallet with an app, in cents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = UserWallet)]
pub struct WalletJson {
    /// The balance.
    pub amount: i64,
    /// The amount that can be paid out now.
    pub withdrawable_amount: i64,
    /// The amount advanced; always 0, because the service gives no credit.
    pub credit_balance: i64,
}

/// A payout method with sensitive details masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = PayoutMethodDetails)]
pub struct MethodDetailsJson {
    /// The payout method's id.
    pub id: PayoutMethodId,
    /// The payout rail.
    pub platform: Platform,
    /// The display text.
    pub description: String,
    /// The last characters of the account number.
    #[schema(required)]
    pub mask: Option<String>,
    /// The e-mail address of the user's digital wallet.
    #[schema(required)]
    pub email: Option<String>,
    /// The phone number of the user's digital wallet, E.164.
    #[schema(required)]
    pub phone_number: Option<String>,
    /// The tag at wallet_c.
    #[schema(required)]
    pub cash_tag: Option<String>,
    /// The country in which the money arrives.
    #[schema(required)]
    pub country: Option<String>,
    /// The currency in which the money arrives.
    pub currency: String,
    /// Whether the account takes instant payments.
    pub rtp_enabled: bool,
    /// When the account was validated for entries in files of a bank; null if nothing validated it.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub validated_at: Option<Time>,
    /// What validated it.
    #[schema(required)]
    pub validation: Option<Validation>,
    /// The app's own note about the method.
    #[schema(required)]
    pub meta: Option<String>,
}

/// Compliance of a user: tax form, screening and phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = UserCompliance)]
#[allow(clippy::struct_excessive_bools, reason = "the shape is docs/specification.md's")]
pub struct ComplianceJson {
    /// Whether an SSN, EIN or foreign tax number was given.
    pub tax_id_collected: bool,
    /// Whether an address was given.
    pub address_collected: bool,
    /// Whether a date of birth was given.
    pub date_of_birth_collected: bool,
    /// Whether the app's payments to the user this year require a 1099, or would with a payout that waits for the form.
    pub must_collect_1099: bool,
    /// Whether everything required for a 1099 was given.
    #[serde(rename = "1099_collected")]
    pub collected_1099: bool,
    /// Whether a W-8BEN was given.
    pub w8_ben_collected: bool,
    /// Whether any warning is raised.
    pub flagged: bool,
    /// Whether an identity document was checked.
    pub id_verified: bool,
    /// Whether a background check found a criminal record.
    pub has_criminal_activity: bool,
    /// The check of the name and the tax number against each other.
    pub tax_id_verification: TaxIdVerification,
    /// The background check.
    pub background_check: BackgroundCheckJson,
    /// The W-9.
    pub w9: W9Json,
    /// Warnings.
    pub flags: FlagsJson,
}

/// The state of a background check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = BackgroundCheck)]
pub struct BackgroundCheckJson {
    /// The state.
    pub status: BackgroundCheckStatus,
    /// The time of the last change.
    #[schema(value_type = String, format = DateTime)]
    pub updated: Time,
}

/// The data of a W-9 that may be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = W9)]
pub struct W9Json {
    /// The kind of taxpayer; null until a W-9 was given.
    #[schema(required)]
    pub entity_type: Option<EntityType>,
    /// The business's name.
    #[schema(required)]
    pub business_name: Option<String>,
    /// Whether the tax number was given.
    pub tax_id_collected: bool,
    /// Whether the address was given.
    pub address_collected: bool,
}

/// Warnings about a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = UserFlags)]
pub struct FlagsJson {
    /// The name matches an entry of a sanctions list.
    pub ofac: bool,
    /// The result of the screening.
    pub ofac_status: OfacStatus,
    /// A payout method is shared with other users.
    pub payout_method: bool,
    /// Payout methods change suspiciously often.
    pub payout_method_cycle: bool,
    /// An account has another holder's name.
    pub name_mismatch: bool,
}

/// Returns the user as the app sees it, with this app's profile and wallet.
pub fn json(world: &mut World, scope: Scope, user: &User) -> Result<UserJson, Halt> {
    let default = rows::default_payout_method(world, scope, user.id)?;
    let profile = rows::profile_if_connected(world, scope, user.id)?;
    Ok(UserJson {
        id: user.id,
        first_name: user.first_name.clone(),
        last_name: user.last_name.clone(),
        email: user.email.clone(),
        phone_number: phone(user),
        verified: user.is_verified(),
        country: user.country.clone(),
        auto_payout_enabled: profile.as_ref().is_some_and(|profile| profile.auto_payout_enabled),
        default_payout_method: default.as_ref().map(|method| method.platform),
        default_payout_method_details: default.as_ref().map(|method| method_details(method)),
        wallet: wallet(world, scope, user)?,
        status: user.status,
        compliance: compliance(user, super::tax_year::must_collect_1099(world, scope, user)?),
        metadata: profile.as_ref().and_then(|profile| profile.metadata.clone()),
        payout_options_exclude_list: profile.map_or_else(Vec::new, |it| it.payout_options_exclude_list.0.clone()),
        adjustment_1099: user.adjustment_1099.as_ref().map(|adjustment| adjustment.0.clone()),
    })
}

pub fn method_details(method: &PayoutMethod) -> MethodDetailsJson {
    MethodDetailsJson {
        id: method.id,
        platform: method.platform,
        description: method.description.clone(),
        mask: method.mask.clone(),
        email: method.email.clone(),
        phone_number: method.phone_number.clone(),
        cash_tag: method.cash_tag.clone(),
        country: method.country.clone(),
        currency: method.currency.clone(),
        rtp_enabled: method.rtp_enabled,
        validated_at: method.validated_at,
        validation: method.validation,
        meta: method.metadata.clone(),
    }
}

fn phone(user: &User) -> Option<PhoneJson> {
    let (country_code, phone_number) = (user.phone_country_code.clone()?, user.phone_national.clone()?);
    Some(PhoneJson { country_code, phone_number })
}

fn wallet(world: &World, scope: Scope, user: &User) -> Result<WalletJson, Halt> {
    let amount = ledger::balance(world, scope.org, Account::UserWallet(scope.app, user.id))?.get();
    // Payouts deduct their whole amount on creation, so the rest of the balance can be paid out.
    Ok(WalletJson { amount, withdrawable_amount: amount, credit_balance: 0 })
}

fn compliance(user: &User, must_collect_1099: bool) -> ComplianceJson {
    let known = &user.compliance.0;
    let tax_id_collected = user.tax_id_hash.is_some();
    let address_collected = user.sealed_address.is_some();
    let Flags { ofac, ofac_status, payout_method, payout_method_cycle, name_mismatch } = known.flags;
    let updated = known.background_check_updated_micros.map_or(user.created_at, Time::from_micros);
    ComplianceJson {
        tax_id_collected,
        address_collected,
        date_of_birth_collected: user.sealed_date_of_birth.is_some(),
        must_collect_1099,
        collected_1099: known.w9.is_some() && tax_id_collected && address_collected,
        w8_ben_collected: known.w8_ben_collected,
        flagged: ofac || payout_method || payout_method_cycle || name_mismatch,
        id_verified: known.id_verified,
        has_criminal_activity: known.has_criminal_activity,
        tax_id_verification: if must_collect_1099 && user.sealed_tax_form.is_none() {
            TaxIdVerification::Unsubmitted
        } else {
            known.tax_id_verification
        },
        background_check: BackgroundCheckJson { status: known.background_check, updated },
        w9: W9Json {
            entity_type: known.w9.as_ref().map(|w9| w9.entity_type),
            business_name: known.w9.as_ref().and_then(|w9| w9.business_name.clone()),
            tax_id_collected: known.w9.is_some() && tax_id_collected,
            address_collected: known.w9.is_some() && address_collected,
        },
        flags: FlagsJson { ofac, ofac_status, payout_method, payout_method_cycle, name_mismatch },
    }
}
