//! The payment details of each rail, and their sealed form.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::bank::{Bic, Network};
use crate::platform::Platform;
use crate::vault::{Purpose, SealContext, Tampered, Unsealed, Vault};
use crate::world::record::words;

words! {
    /// The type of a bank account.
    pub enum AccountType {
        /// A checking account.
        Checking = "checking",
        /// A savings account.
        Savings = "savings",
    }
}

/// An account at a US bank, with validated numbers.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsBank {
    /// Four to seventeen digits.
    pub account_number: String,
    /// Nine digits.
    pub routing_number: String,
    pub account_type: AccountType,
}

/// Where the payee lives, which banks need for wires and for payments abroad.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residence {
    /// Street and number; a wire has them in its `address`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    pub town: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
}

/// The destination of the money. Rails with the same fields share a variant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// ach, bank_transfer, wire, and wallet_c by bank account.
    UsBank {
        bank: UsBank,
        /// The holder's address, for wires that require it.
        address: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        residence: Option<Residence>,
    },
    /// wallet_c by tag.
    CashTag {
        /// With the dollar sign.
        cash_tag: String,
        /// The account behind the tag, if given.
        bank: Option<UsBank>,
    },
    /// wallet_a, wallet_d, wallet_e, and the delivery of a card.
    Email { email: String },
    /// wallet_b, wallet_d, wallet_e.
    Handle { handle: String },
    /// wallet_b.
    Phone {
        /// E.164.
        phone_number: String,
    },
    /// intl_bank in countries with IBANs.
    Iban {
        /// Without spaces.
        iban: String,
        bic: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account_holder_name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        residence: Option<Residence>,
    },
    /// intl_bank in other countries.
    LocalAccount {
        /// ISO 3166-1 alpha-2.
        country: String,
        /// In the country's format.
        account_number: String,
        /// The local code of the bank and branch.
        bank_code: String,
        /// Required by some banks.
        account_holder_name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        residence: Option<Residence>,
    },
    /// intl_transfer, which a person collects.
    Recipient {
        /// As on the person's identity document.
        name: String,
        /// ISO 3166-1 alpha-2.
        country: String,
        /// E.164.
        phone_number: String,
    },
    /// push_to_card.
    Card {
        /// A token from the service that stores the card number; never the number.
        card_token: String,
    },
    /// crypto.
    Chain { network: Network, address: String },
    /// A card that is shown to the payee instead of sent; it needs no details.
    Nothing,
}

/// Validated details in clear text, from `read_details` or [`Details::open`].
#[derive(Clone, PartialEq, Eq)]
pub struct Details {
    pub platform: Platform,
    pub target: Target,
    pub currency: String,
}

/// Shows only the rail, so that no log contains an account.
impl fmt::Debug for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Details({})", self.platform)
    }
}

/// Details for a command: the unsealed secret and the visible parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedDetails {
    pub platform: Platform,
    /// Sealed by the command.
    pub secret: Unsealed,
    /// A keyed hash of rail and details.
    pub fingerprint: Vec<u8>,
    /// Shown to people.
    pub description: String,
    pub mask: Option<String>,
    pub bank_name: Option<String>,
    pub routing_number: Option<String>,
    pub email: Option<String>,
    pub phone_number: Option<String>,
    pub cash_tag: Option<String>,
    pub handle: Option<String>,
    pub holder_name: Option<String>,
    /// The country in which the money arrives.
    pub country: Option<String>,
    pub currency: String,
    /// Whether the account takes instant payments.
    pub rtp_enabled: bool,
    /// The fields that a bank needs in a message and that are missing.
    pub gaps: Vec<&'static str>,
}

impl SealedDetails {
    /// Returns whether the details name a destination of the user. A card that is shown instead of sent does not.
    #[must_use]
    pub fn has_location(&self) -> bool {
        !self.platform.pays_whole_dollars() || self.email.is_some()
    }
}

/// The banks of the sandbox: routing number, name, instant payments (docs/decisions.md 7, 16).
const BANKS: [(&str, &str, bool); 2] =
    [("011000015", "Sandbox Instant Bank", true), ("110000000", "Sandbox Bank", false)];

/// Returns the names of the known banks by routing number.
pub fn known_banks() -> impl Iterator<Item = (&'static str, &'static str)> {
    BANKS.iter().map(|(routing, name, _)| (*routing, *name))
}

#[must_use]
pub fn known_bank(routing_number: &str) -> Option<(&'static str, bool)> {
    BANKS.iter().find(|(routing, ..)| *routing == routing_number).map(|(_, name, instant)| (*name, *instant))
}

/// Returns the code of a country's clearing system (ISO 20022, external code list), whose members have the bank codes of
/// local accounts. A bank of the United States has a routing number, and its accounts are those of other rails.
#[must_use]
pub fn clearing_system(country: &str) -> Option<&'static str> {
    const SYSTEMS: [(&str, &str); 11] = [
        ("AU", "AUBSB"),
        ("CA", "CACPA"),
        ("CN", "CNAPS"),
        ("GB", "GBDSC"),
        ("HK", "HKNCC"),
        ("IN", "INFSC"),
        ("JP", "JPZGN"),
        ("NZ", "NZNCC"),
        ("SG", "SGIBG"),
        ("TH", "THCBC"),
        ("ZA", "ZANCC"),
    ];
    SYSTEMS.iter().find(|(code, _)| *code == country).map(|(_, system)| *system)
}

/// Returns the seal context, which also binds the details to the payee, the app and the rail.
#[must_use]
pub fn seal_context(method: &super::PayoutMethod) -> SealContext {
    SealContext::new(Purpose::BankAccount, method.org, "payout_methods", method.id.0, "sealed_details")
        .bound_to(method.user_id.0)
        .bound_to(method.app.0)
        .bound_to(method.platform.as_str())
        .formerly(&method.fingerprint)
}

fn fingerprint(platform: Platform, plain: &[u8], vault: &Vault) -> Vec<u8> {
    vault.guessable_hash(Purpose::Fingerprint, &[platform.as_str().as_bytes(), plain]).to_vec()
}

impl Details {
    /// Prepares the details for a command, which seals them into the method's row. `nonce` must be unique.
    #[must_use]
    pub fn sealed(&self, vault: &Vault, nonce: [u8; 24]) -> SealedDetails {
        let plain = serde_json::to_vec(&self.target).expect("targets are plain data, which always serialize");
        let fingerprint = fingerprint(self.platform, &plain, vault);
        let bank = self.bank();
        let known = bank.and_then(|bank| known_bank(&bank.routing_number));
        SealedDetails {
            platform: self.platform,
            secret: Unsealed::new(vault, plain, nonce),
            fingerprint,
            description: self.description(),
            mask: self.mask(),
            bank_name: known.map(|(name, _)| name.to_owned()),
            routing_number: bank.map(|bank| bank.routing_number.clone()),
            email: self.email().map(str::to_owned),
            phone_number: self.phone_number().map(str::to_owned),
            cash_tag: self.cash_tag().map(str::to_owned),
            handle: if let Target::Handle { handle } = &self.target { Some(handle.clone()) } else { None },
            holder_name: self.holder_name().map(str::to_owned),
            country: self.country(),
            currency: self.currency.clone(),
            rtp_enabled: self.platform == Platform::Ach && known.is_some_and(|(_, instant)| instant),
            gaps: self.gaps(),
        }
    }

    /// Returns the fields that a bank needs in a message, and that are missing: the payee's town and country for a wire,
    /// and the bank's BIC too for a payment abroad.
    fn gaps(&self) -> Vec<&'static str> {
        const RESIDENCE: [&str; 2] = ["town", "address_country"];
        let (residence, names_bank) = match &self.target {
            Target::UsBank { residence, .. } if self.platform == Platform::Wire => (residence, true),
            Target::Iban { bic, residence, .. } => (residence, bic.is_some()),
            Target::LocalAccount { country, bank_code, residence, .. } => {
                let is_bic = bank_code.parse::<Bic>().is_ok();
                (residence, is_bic || clearing_system(country).is_some())
            }
            Target::UsBank { .. }
            | Target::CashTag { .. }
            | Target::Email { .. }
            | Target::Handle { .. }
            | Target::Phone { .. }
            | Target::Recipient { .. }
            | Target::Card { .. }
            | Target::Chain { .. }
            | Target::Nothing => return Vec::new(),
        };
        let missing = RESIDENCE.into_iter().filter(|_| residence.is_none());
        missing.chain((!names_bank).then_some("bic")).collect()
    }

    /// Opens the sealed details of a row for the rail.
    ///
    /// # Errors
    /// [`Tampered`] if anything but this program changed the row.
    pub fn open(method: &super::PayoutMethod, vault: &Vault) -> Result<Self, Tampered> {
        let plain = vault.open(&seal_context(method), &method.sealed_details)?;
        let target = serde_json::from_slice(&plain).map_err(|_| Tampered)?;
        Ok(Self { platform: method.platform, target, currency: method.currency.clone() })
    }

    #[must_use]
    pub fn bank(&self) -> Option<&UsBank> {
        match &self.target {
            Target::UsBank { bank, .. } => Some(bank),
            Target::CashTag { bank, .. } => bank.as_ref(),
            Target::Email { .. }
            | Target::Handle { .. }
            | Target::Phone { .. }
            | Target::Iban { .. }
            | Target::LocalAccount { .. }
            | Target::Recipient { .. }
            | Target::Card { .. }
            | Target::Chain { .. }
            | Target::Nothing => None,
        }
    }

    /// Returns the full account number at a bank, for the rail only.
    #[must_use]
    pub fn account_number(&self) -> Option<&str> {
        match &self.target {
            Target::UsBank { bank, .. } => Some(&bank.account_number),
            Target::CashTag { bank, .. } => bank.as_ref().map(|bank| bank.account_number.as_str()),
            Target::Iban { iban, .. } => Some(iban),
            Target::LocalAccount { account_number, .. } => Some(account_number),
            Target::Email { .. }
            | Target::Handle { .. }
            | Target::Phone { .. }
            | Target::Recipient { .. }
            | Target::Card { .. }
            | Target::Chain { .. }
            | Target::Nothing => None,
        }
    }

    /// Returns the identifier at a wallet (e-mail, handle, tag, phone, card token or chain address), for the rail only.
    /// The sandbox reads its magic values from it (docs/decisions.md 13).
    #[must_use]
    pub fn handle(&self) -> Option<&str> {
        match &self.target {
            Target::CashTag { cash_tag, .. } => Some(cash_tag),
            Target::Email { email } => Some(email),
            Target::Handle { handle } => Some(handle),
            Target::Phone { phone_number } | Target::Recipient { phone_number, .. } => Some(phone_number),
            Target::Card { card_token } => Some(card_token),
            Target::Chain { address, .. } => Some(address),
            Target::UsBank { .. } | Target::Iban { .. } | Target::LocalAccount { .. } | Target::Nothing => None,
        }
    }

    #[must_use]
    pub fn holder_name(&self) -> Option<&str> {
        match &self.target {
            Target::Recipient { name, .. } => Some(name),
            Target::Iban { account_holder_name, .. } | Target::LocalAccount { account_holder_name, .. } => {
                account_holder_name.as_deref()
            }
            Target::UsBank { .. }
            | Target::CashTag { .. }
            | Target::Email { .. }
            | Target::Handle { .. }
            | Target::Phone { .. }
            | Target::Card { .. }
            | Target::Chain { .. }
            | Target::Nothing => None,
        }
    }

    fn email(&self) -> Option<&str> {
        if let Target::Email { email } = &self.target { Some(email) } else { None }
    }

    fn cash_tag(&self) -> Option<&str> {
        if let Target::CashTag { cash_tag, .. } = &self.target { Some(cash_tag) } else { None }
    }

    fn phone_number(&self) -> Option<&str> {
        if let Target::Phone { phone_number } | Target::Recipient { phone_number, .. } = &self.target {
            Some(phone_number)
        } else {
            None
        }
    }

    /// Returns a text for people without the identifying part.
    fn description(&self) -> String {
        match &self.target {
            Target::UsBank { bank, .. } => match bank.account_type {
                AccountType::Checking => "Checking account".to_owned(),
                AccountType::Savings => "Savings account".to_owned(),
            },
            Target::Chain { network, .. } => format!("Crypto wallet ({})", network.as_str()),
            Target::Recipient { name, .. } => format!("Transfer to {name}"),
            Target::CashTag { .. }
            | Target::Email { .. }
            | Target::Handle { .. }
            | Target::Phone { .. }
            | Target::Iban { .. }
            | Target::LocalAccount { .. }
            | Target::Card { .. }
            | Target::Nothing => self.platform.display_name().to_owned(),
        }
    }

    /// Returns the last four characters of a number or address; `None` if the identifier itself is shown.
    fn mask(&self) -> Option<String> {
        let whole = match &self.target {
            Target::UsBank { bank, .. } => &bank.account_number,
            Target::CashTag { bank, .. } => &bank.as_ref()?.account_number,
            Target::Iban { iban, .. } => iban,
            Target::LocalAccount { account_number, .. } => account_number,
            Target::Card { card_token } => card_token,
            Target::Chain { address, .. } => address,
            Target::Phone { phone_number } | Target::Recipient { phone_number, .. } => phone_number,
            Target::Email { .. } | Target::Handle { .. } | Target::Nothing => return None,
        };
        let count = whole.chars().count();
        Some(whole.chars().skip(count.saturating_sub(4)).collect())
    }

    fn country(&self) -> Option<String> {
        match &self.target {
            Target::UsBank { .. } | Target::CashTag { .. } => Some("US".to_owned()),
            Target::Iban { iban, .. } => iban.get(..2).map(str::to_owned),
            Target::LocalAccount { country, .. } | Target::Recipient { country, .. } => Some(country.clone()),
            Target::Email { .. }
            | Target::Handle { .. }
            | Target::Phone { .. }
            | Target::Card { .. }
            | Target::Chain { .. }
            | Target::Nothing => None,
        }
    }
}
