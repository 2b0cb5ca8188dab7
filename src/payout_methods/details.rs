//! What is needed to pay, rail by rail, and how it is kept.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::bank::Network;
use crate::platform::Platform;
use crate::vault::{Purpose, SealContext, Tampered, Unsealed, Vault};
use crate::world::record::words;

words! {
    /// Which kind of account a bank keeps for a person.
    pub enum AccountType {
        /// For daily use.
        Checking = "checking",
        /// For savings.
        Savings = "savings",
    }
}

/// An account at a US bank. The numbers were checked when they were read.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsBank {
    /// Four to seventeen digits.
    pub account_number: String,
    /// Nine digits.
    pub routing_number: String,
    /// Which kind.
    pub account_type: AccountType,
}

/// Where the money goes. Rails that ask for the same share a variant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// ach, bank_transfer, wire, and wallet_c by its account.
    UsBank {
        /// The account.
        bank: UsBank,
        /// The holder's address, where a wire asks for it.
        address: Option<String>,
    },
    /// wallet_c by its tag; perhaps with the account behind it.
    CashTag {
        /// With its dollar sign.
        cash_tag: String,
        /// The account behind it.
        bank: Option<UsBank>,
    },
    /// wallet_a, wallet_d, wallet_e, and where a card is sent.
    Email {
        /// The address.
        email: String,
    },
    /// wallet_b, wallet_d, wallet_e.
    Handle {
        /// The name that people pay by.
        handle: String,
    },
    /// wallet_b.
    Phone {
        /// E.164.
        phone_number: String,
    },
    /// intl_bank where there are IBANs.
    Iban {
        /// Without spaces.
        iban: String,
        /// The bank, where it is given.
        bic: Option<String>,
        /// The holder, where it is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account_holder_name: Option<String>,
    },
    /// intl_bank elsewhere.
    LocalAccount {
        /// ISO 3166-1 alpha-2.
        country: String,
        /// As the country writes it.
        account_number: String,
        /// The bank's and branch's code there.
        bank_code: String,
        /// The holder, where the bank asks for it.
        account_holder_name: Option<String>,
    },
    /// intl_transfer: somebody collects it.
    Recipient {
        /// As on the document that is shown.
        name: String,
        /// ISO 3166-1 alpha-2.
        country: String,
        /// E.164.
        phone_number: String,
    },
    /// push_to_card.
    Card {
        /// What stands for the card at whoever holds its number. Never the number.
        card_token: String,
    },
    /// crypto.
    Chain {
        /// Which chain.
        network: Network,
        /// The address on it.
        address: String,
    },
    /// A card that is shown rather than sent: nothing is needed.
    Nothing,
}

/// Checked details of a payout method, in clear. Made by `read_details`, or by opening what was sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct Details {
    /// The rail.
    pub platform: Platform,
    /// Where the money goes.
    pub target: Target,
    /// In which currency it arrives.
    pub currency: String,
}

/// Shows the rail alone: a log never holds an account.
impl fmt::Debug for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Details({})", self.platform)
    }
}

/// Details as they are kept: sealed, with what may be seen beside them. What a command takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedDetails {
    /// The rail.
    pub platform: Platform,
    /// The details, which the command seals.
    pub secret: Unsealed,
    /// A keyed hash of platform and details.
    pub fingerprint: Vec<u8>,
    /// For people.
    pub description: String,
    /// The end of the number.
    pub mask: Option<String>,
    /// The bank, where it is known.
    pub bank_name: Option<String>,
    /// The bank's routing number.
    pub routing_number: Option<String>,
    /// The address at a wallet.
    pub email: Option<String>,
    /// The phone at a wallet.
    pub phone_number: Option<String>,
    /// The tag.
    pub cash_tag: Option<String>,
    /// The handle.
    pub handle: Option<String>,
    /// Whose account it is, where the details say so.
    pub holder_name: Option<String>,
    /// Where the money arrives.
    pub country: Option<String>,
    /// In which currency.
    pub currency: String,
    /// Whether the account takes instant payments.
    pub rtp_enabled: bool,
}

impl SealedDetails {
    /// Whether they name a place of the user's own. A card that is shown rather than sent does not.
    #[must_use]
    pub fn has_location(&self) -> bool {
        !self.platform.pays_whole_dollars() || self.email.is_some()
    }
}

/// Banks of the sandbox's table: routing number, name, whether they take instant payments (docs/decisions.md 7, 16).
const BANKS: [(&str, &str, bool); 2] =
    [("011000015", "Sandbox Instant Bank", true), ("110000000", "Sandbox Bank", false)];

/// The bank behind a routing number and whether it takes instant payments, where we know it.
#[must_use]
pub fn known_bank(routing_number: &str) -> Option<(&'static str, bool)> {
    BANKS.iter().find(|(routing, ..)| *routing == routing_number).map(|(_, name, instant)| (*name, *instant))
}

/// Where the details of a method are sealed: bound to the payee, the app and the rail as well.
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
    /// The details for a command, which seals them into the row of the method. `nonce` must never be used twice.
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
        }
    }

    /// Opens the sealed details of a row, for the rail.
    ///
    /// # Errors
    /// [`Tampered`] when the row was changed by anything but this program.
    pub fn open(method: &super::PayoutMethod, vault: &Vault) -> Result<Self, Tampered> {
        let plain = vault.open(&seal_context(method), &method.sealed_details)?;
        let target = serde_json::from_slice(&plain).map_err(|_| Tampered)?;
        Ok(Self { platform: method.platform, target, currency: method.currency.clone() })
    }

    /// The US bank account, where there is one.
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

    /// The number of the account at a bank, whole: for the rail only.
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

    /// What names the person at a wallet: address, handle, tag, phone, card token or chain address. For the
    /// rail only; the sandbox reads its magic values here (docs/decisions.md 13).
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

    /// Whose account it is, where the details say so.
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

    /// For people: what it is, without what names it.
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

    /// The last four characters of a number or an address; of a tag, an address or a handle all is shown already.
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
