//! All records with seals or keyed hashes: how each is rewritten and checked.

use serde_json::Value;

use crate::app_compliance::{self, AppCompliance};
use crate::apps::{Key, keys};
use crate::bank_accounts::{self, BankAccount};
use crate::bank_intake::{self, InboundPart};
use crate::banking::providers::{self, RailProvider};
use crate::banking::settlement_accounts::{self, SettlementAccount};
use crate::idempotency::StoredAnswer;
use crate::members::sign_in::{MemberFactor, confirmed_place, pending_seal_context};
use crate::messages::{Message, Template};
use crate::payout_links::{self, PayoutLink};
use crate::payout_methods::{self, Details, PayoutMethod};
use crate::rail_payments::{self, RailPayment};
use crate::scope::Scope;
use crate::taxes;
use crate::users::{self, User};
use crate::vault::{SealContext, Tampered, Vault, key_of};
use crate::verification;
use crate::webhooks::{self, WebhookEndpoint};
use crate::world::{Query, Record};

pub struct Seal {
    pub context: SealContext,
    pub bytes: Vec<u8>,
}

impl Seal {
    fn new(context: SealContext, bytes: &[u8]) -> Self {
        Self { context, bytes: bytes.to_vec() }
    }
}

/// Reseals a record's secrets under the active key.
pub struct Again<'a> {
    pub vault: &'a Vault,
    /// Random, and used for this record only.
    pub nonce: [u8; 24],
}

impl Again<'_> {
    /// Reseals a secret in the same context.
    fn seal(&self, seal: &Seal) -> Result<Vec<u8>, Tampered> {
        Ok(self.vault.seal(&seal.context, &self.vault.open(&seal.context, &seal.bytes)?, self.nonce))
    }
}

/// A record with seals or keyed hashes that are rewritten.
pub trait Sealed: Record {
    /// The column that orders it within an organization.
    const ORDER: &'static str;

    /// Returns its seals, in the order of their columns. An erased record has none.
    fn seals(&self) -> Vec<Seal>;

    /// Returns the record with new seals.
    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered>;

    /// Returns whether all seals are in the present layout, under the active key.
    fn is_current(&self, vault: &Vault) -> bool {
        let active = Some(vault.ring().active());
        self.seals().iter().all(|seal| key_of(&seal.bytes) == active)
    }

    /// Opens the seals, and returns how they contradict visible columns.
    fn contradiction(&self, vault: &Vault) -> Result<Option<&'static str>, Tampered> {
        self.seals().iter().try_for_each(|seal| vault.open(&seal.context, &seal.bytes).map(drop))?;
        Ok(None)
    }

    /// Narrows a query to records that may have seals.
    fn narrowed(query: Query) -> Query {
        query
    }
}

impl Sealed for PayoutMethod {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        let seal = || Seal::new(payout_methods::seal_context(self), &self.sealed_details);
        if self.sealed_details.is_empty() { Vec::new() } else { vec![seal()] }
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut method = self.clone();
        for seal in self.seals() {
            let details = Details::open(self, again.vault)?.sealed(again.vault, again.nonce);
            method.sealed_details = again.seal(&seal)?;
            method.fingerprint = details.fingerprint;
        }
        Ok(method)
    }

    fn contradiction(&self, vault: &Vault) -> Result<Option<&'static str>, Tampered> {
        if self.sealed_details.is_empty() {
            return Ok(None);
        }
        let details = Details::open(self, vault)?.sealed(vault, [0; 24]);
        let shown = (&self.mask, &self.routing_number, &self.email, &self.phone_number, &self.cash_tag, &self.handle);
        let expected = (
            &details.mask,
            &details.routing_number,
            &details.email,
            &details.phone_number,
            &details.cash_tag,
            &details.handle,
        );
        Ok((shown != expected).then_some("shows details that differ from the sealed ones"))
    }
}

impl Sealed for BankAccount {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        let seal = || Seal::new(bank_accounts::seal_context(self), &self.sealed_number);
        if self.sealed_number.is_empty() { Vec::new() } else { vec![seal()] }
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut account = self.clone();
        for seal in self.seals() {
            let number = again.vault.open(&seal.context, &seal.bytes)?;
            account.sealed_number = again.seal(&seal)?;
            account.fingerprint =
                bank_accounts::fingerprint(&self.routing_number, &number, self.account_type, again.vault);
        }
        Ok(account)
    }

    fn contradiction(&self, vault: &Vault) -> Result<Option<&'static str>, Tampered> {
        if self.sealed_number.is_empty() {
            return Ok(None);
        }
        let number = bank_accounts::open(self, vault)?;
        Ok((!number.ends_with(&self.last4)).then_some("shows digits that differ from the sealed ones"))
    }
}

impl Sealed for SettlementAccount {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        vec![Seal::new(settlement_accounts::seal_context(self), &self.sealed_number)]
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut account = self.clone();
        for seal in self.seals() {
            let number = again.vault.open(&seal.context, &seal.bytes)?;
            account.sealed_number = again.seal(&seal)?;
            account.fingerprint = settlement_accounts::fingerprint(&self.routing_number, &number, again.vault);
        }
        Ok(account)
    }

    fn contradiction(&self, vault: &Vault) -> Result<Option<&'static str>, Tampered> {
        let number = settlement_accounts::open(self, vault)?;
        Ok((!number.ends_with(&self.last4)).then_some("shows digits that differ from the sealed ones"))
    }
}

impl Sealed for RailProvider {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        let nudge = self.sealed_nudge_secret.iter();
        let nudge = nudge.map(|sealed| Seal::new(providers::seal_context(self, providers::NUDGE), sealed));
        let secret = Seal::new(providers::seal_context(self, providers::SECRET), &self.sealed_secret);
        std::iter::once(secret).chain(nudge).collect()
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut provider = self.clone();
        let mut seals = self.seals().into_iter().map(|seal| again.seal(&seal));
        provider.sealed_secret = seals.next().ok_or(Tampered)??;
        provider.sealed_nudge_secret = seals.next().transpose()?;
        Ok(provider)
    }
}

impl Sealed for RailPayment {
    const ORDER: &'static str = "transfer";

    fn seals(&self) -> Vec<Seal> {
        let order = self.sealed_order.iter();
        order.map(|sealed| Seal::new(rail_payments::seal_context(self), sealed)).collect()
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut payment = self.clone();
        for seal in self.seals() {
            payment.sealed_order = Some(again.seal(&seal)?);
        }
        Ok(payment)
    }
}

impl Sealed for InboundPart {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        vec![Seal::new(bank_intake::seal_context(self), &self.sealed_bytes)]
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut part = self.clone();
        for seal in self.seals() {
            part.sealed_bytes = again.seal(&seal)?;
        }
        Ok(part)
    }
}

impl Sealed for User {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        let columns = [
            ("sealed_date_of_birth", &self.sealed_date_of_birth),
            ("sealed_address", &self.sealed_address),
            ("sealed_tax_form", &self.sealed_tax_form),
        ];
        let seal = |(column, bytes): (_, &Option<Vec<u8>>)| {
            bytes.as_ref().map(|bytes| Seal::new(users::seal_context(self.org, self.id, column), bytes))
        };
        columns.into_iter().filter_map(seal).collect()
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut user = self.clone();
        let context = |column| users::seal_context(self.org, self.id, column);
        let columns = [
            ("sealed_date_of_birth", &mut user.sealed_date_of_birth),
            ("sealed_address", &mut user.sealed_address),
            ("sealed_tax_form", &mut user.sealed_tax_form),
        ];
        for (column, bytes) in columns {
            if let Some(sealed) = bytes {
                *sealed = again.seal(&Seal::new(context(column), sealed))?;
            }
        }
        if let Some(number) = tax_id(self, again.vault)? {
            user.tax_id_hash = Some(taxes::tax_id_hash(again.vault, &number));
        }
        Ok(user)
    }

    fn contradiction(&self, vault: &Vault) -> Result<Option<&'static str>, Tampered> {
        self.seals().iter().try_for_each(|seal| vault.open(&seal.context, &seal.bytes).map(drop))?;
        let shown = self.compliance.0.w9.as_ref().map(|w9| w9.tax_id_last4.clone());
        let agrees = match (shown, tax_id(self, vault)?) {
            (Some(shown), Some(number)) => number.ends_with(&shown),
            (_, _) => true,
        };
        Ok((!agrees).then_some("shows a tax id that differs from the sealed one"))
    }
}

/// Returns the tax id on a user's form.
fn tax_id(user: &User, vault: &Vault) -> Result<Option<String>, Tampered> {
    let Some(sealed) = &user.sealed_tax_form else { return Ok(None) };
    let plain = vault.open(&users::seal_context(user.org, user.id, "sealed_tax_form"), sealed)?;
    let form: Value = serde_json::from_slice(&plain).map_err(|_| Tampered)?;
    let number = form["tax_id"].as_str().or_else(|| form["foreign_tax_id"].as_str());
    Ok(number.map(str::to_owned))
}

impl Sealed for MemberFactor {
    const ORDER: &'static str = "member";

    fn seals(&self) -> Vec<Seal> {
        let (org, member) = (self.org, self.member);
        let columns = [
            (confirmed_place(org, member), &self.sealed_totp),
            (pending_seal_context(org, member), &self.sealed_pending),
        ];
        let seal = |(context, bytes): (_, &Option<Vec<u8>>)| bytes.as_ref().map(|bytes| Seal::new(context, bytes));
        columns.into_iter().filter_map(seal).collect()
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut factor = self.clone();
        let (org, member) = (self.org, self.member);
        let columns = [
            (confirmed_place(org, member), &mut factor.sealed_totp),
            (pending_seal_context(org, member), &mut factor.sealed_pending),
        ];
        for (context, bytes) in columns {
            if let Some(sealed) = bytes {
                *sealed = again.seal(&Seal::new(context, sealed))?;
            }
        }
        Ok(factor)
    }
}

impl Sealed for AppCompliance {
    const ORDER: &'static str = "app";

    fn seals(&self) -> Vec<Seal> {
        let context = app_compliance::seal_context(Scope { org: self.org, app: self.app });
        vec![Seal::new(context, &self.sealed)]
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut row = self.clone();
        for seal in self.seals() {
            row.sealed = again.seal(&seal)?;
        }
        Ok(row)
    }
}

impl Sealed for WebhookEndpoint {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        let context = |column| webhooks::seal_context(Scope { org: self.org, app: self.app }, self.id, column);
        let before = self.previous_secret.iter().map(|sealed| Seal::new(context("previous_secret"), sealed));
        std::iter::once(Seal::new(context("secret"), &self.secret)).chain(before).collect()
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut endpoint = self.clone();
        let mut seals = self.seals().into_iter().map(|seal| again.seal(&seal));
        endpoint.secret = seals.next().ok_or(Tampered)??;
        endpoint.previous_secret = seals.next().transpose()?;
        Ok(endpoint)
    }
}

impl Sealed for PayoutLink {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        vec![Seal::new(payout_links::token_seal_context(self), &self.sealed_token)]
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut link = self.clone();
        for seal in self.seals() {
            link.sealed_token = again.seal(&seal)?;
        }
        Ok(link)
    }

    fn contradiction(&self, vault: &Vault) -> Result<Option<&'static str>, Tampered> {
        if payout_links::opens_with(vault, self) { Ok(None) } else { Err(Tampered) }
    }
}

impl Sealed for Message {
    const ORDER: &'static str = "id";

    fn seals(&self) -> Vec<Seal> {
        let Template::Code { sealed_code, .. } = &self.template.0 else { return Vec::new() };
        if sealed_code.is_empty() || self.is_erased() {
            return Vec::new();
        }
        vec![Seal::new(verification::seal_context(self.org, self.id, &self.recipient), sealed_code)]
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut message = self.clone();
        for seal in self.seals() {
            if let Template::Code { sealed_code, .. } = &mut message.template.0 {
                *sealed_code = again.seal(&seal)?;
            }
        }
        Ok(message)
    }
}

impl Sealed for StoredAnswer {
    const ORDER: &'static str = "idempotency_key";

    fn seals(&self) -> Vec<Seal> {
        self.seal().map(|(context, bytes)| Seal { context, bytes }).into_iter().collect()
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let mut answer = self.clone();
        for seal in self.seals() {
            answer.replace_seal(&again.seal(&seal)?);
        }
        Ok(answer)
    }

    fn narrowed(query: Query) -> Query {
        Self::that_are_sealed(query)
    }
}

/// A key's hash cannot be opened, but it can be bound to its owner.
impl Sealed for Key {
    const ORDER: &'static str = "client_id";

    fn seals(&self) -> Vec<Seal> {
        Vec::new()
    }

    fn is_current(&self, _: &Vault) -> bool {
        !keys::is_layout_1(&self.secret_hash)
    }

    fn sealed_again(&self, again: &Again<'_>) -> Result<Self, Tampered> {
        let secret_hash = keys::bound(again.vault, self).ok_or(Tampered)?;
        Ok(Self { secret_hash, ..self.clone() })
    }

    fn contradiction(&self, _: &Vault) -> Result<Option<&'static str>, Tampered> {
        let what = "opens another resource than its prefix says";
        Ok((!keys::agrees(&self.client_id, self.app)).then_some(what))
    }
}

/// Expands a piece of code for each record with seals, with `$record` as its type.
macro_rules! for_each_sealed {
    ($record:ident => $do:expr) => {{
        {
            type $record = crate::apps::Key;
            $do
        }
        {
            type $record = crate::app_compliance::AppCompliance;
            $do
        }
        {
            type $record = crate::bank_accounts::BankAccount;
            $do
        }
        {
            type $record = crate::bank_intake::InboundPart;
            $do
        }
        {
            type $record = crate::banking::providers::RailProvider;
            $do
        }
        {
            type $record = crate::banking::settlement_accounts::SettlementAccount;
            $do
        }
        {
            type $record = crate::members::sign_in::MemberFactor;
            $do
        }
        {
            type $record = crate::messages::Message;
            $do
        }
        {
            type $record = crate::payout_links::PayoutLink;
            $do
        }
        {
            type $record = crate::payout_methods::PayoutMethod;
            $do
        }
        {
            type $record = crate::rail_payments::RailPayment;
            $do
        }
        {
            type $record = crate::idempotency::StoredAnswer;
            $do
        }
        {
            type $record = crate::users::User;
            $do
        }
        {
            type $record = crate::webhooks::WebhookEndpoint;
            $do
        }
    }};
}
pub(super) use for_each_sealed;
