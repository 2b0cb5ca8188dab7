use crate::clock::Time;
use crate::ids::{AppId, OrgId, PayoutMethodId, UserId};
use crate::language::{Language, Text};
use crate::platform::Platform;
use crate::world::record::{record, words};

words! {
    /// The origin of a payout method.
    #[derive(Default)]
    pub enum MethodOrigin {
        /// The app, through the API.
        #[default]
        App = "app",
        /// The payee, in a claim session of the app.
        Payee = "payee",
        /// The holder of a link without a named payee, for that link only: never listed, debited or used as a default
        /// or by an app.
        Guest = "guest",
        /// The app, the payee or another app: stored before origins were recorded, while several apps were connected.
        /// Used only where a payout names it.
        Unknown = "unknown",
    }
}

words! {
    /// What shows that an account exists and takes entries.
    pub enum Validation {
        /// Its bank did not return a prenote within three banking days.
        Prenote = "prenote",
        /// A payment or a debit settled.
        Entry = "entry",
        /// Its bank reported its numbers.
        Correction = "correction",
    }
}

/// The `disabled_reason` of a method whose bank reported other numbers.
pub const CORRECTED: &str = "corrected_by_bank";

record! {
    /// A user's destination on one rail. The details are sealed; the other fields are the visible part.
    pub struct PayoutMethod in "payout_methods" {
        key (org, id)
        many OF_USER (org, user_id)
        many BY_FINGERPRINT (org, fingerprint);
        pub org: OrgId,
        pub id: PayoutMethodId,
        pub user_id: UserId,
        /// An account that a payee uses with two apps has two rows.
        pub app: AppId,
        pub origin: MethodOrigin,
        pub platform: Platform,
        /// Shown to people: `Checking account`.
        pub description: String,
        /// The end of the number: `6789`; `None` without a number.
        pub mask: Option<String>,
        /// See [`Details::open`](super::Details::open).
        pub sealed_details: Vec<u8>,
        /// A keyed hash of rail and details, to recognize equal accounts.
        pub fingerprint: Vec<u8>,
        pub bank_name: Option<String>,
        /// Names a bank, not a person, so it is not sealed.
        pub routing_number: Option<String>,
        pub email: Option<String>,
        /// E.164.
        pub phone_number: Option<String>,
        /// The tag at wallet_c.
        pub cash_tag: Option<String>,
        pub handle: Option<String>,
        /// The account holder, if the details have one; compared with the user's name.
        pub holder_name: Option<String>,
        /// The country in which the money arrives, ISO 3166-1 alpha-2.
        pub country: Option<String>,
        pub currency: String,
        /// Whether the account takes instant payments (docs/decisions.md 7).
        pub rtp_enabled: bool,
        /// Whether the details have what a bank needs in a message ([`SealedDetails::gaps`](super::SealedDetails::gaps)).
        pub addressed: bool,
        /// The app's own text.
        pub metadata: Option<String>,
        /// Whether it can be paid; false from `disabled_at`. Lists filter by it.
        pub in_use: bool,
        pub created_at: Time,
        pub disabled_at: Option<Time>,
        /// `removed`, [`CORRECTED`], or the code of a permanent payout failure.
        pub disabled_reason: Option<String>,
        /// When the account was first validated.
        pub validated_at: Option<Time>,
        pub validation: Option<Validation>,
        /// Counts the changes, from 1.
        pub version: i64,
    }
}

impl PayoutMethod {
    /// Returns the text by which the owner recognizes the method: `Checking account ••6789`, `Wallet A
    /// jane@example.com`. For the owner only, because it contains addresses and handles in full.
    #[must_use]
    pub fn distinguished(&self, language: Language) -> String {
        let end = self.mask.as_ref().map(|mask| format!("••{mask}"));
        let name = self.email.as_ref().or(self.cash_tag.as_ref()).or(self.handle.as_ref()).cloned();
        match end.or(name) {
            Some(which) => self.distinguished_by(&which, language),
            None => described(self.platform, &self.description, language),
        }
    }

    /// Returns the text with another mark, such as the address to which a card is delivered.
    #[must_use]
    pub fn distinguished_by(&self, mark: &str, language: Language) -> String {
        let kind = described(self.platform, &self.description, language);
        language.say(Text::MethodAndEnd).exact("method", kind).with("end", mark.to_owned()).plain()
    }
}

/// Returns the name of a rail for payees.
pub const fn rail_name(platform: Platform) -> Text {
    match platform {
        Platform::Ach => Text::MethodAch,
        Platform::WalletA => Text::MethodWalletA,
        Platform::WalletB => Text::MethodWalletB,
        Platform::PrepaidCardA => Text::MethodPrepaid,
        Platform::GiftCardA => Text::MethodGift,
        Platform::WalletC => Text::MethodWalletC,
        Platform::IntlBank => Text::MethodBankAbroad,
        Platform::IntlTransfer => Text::MethodTransfer,
        Platform::BankTransfer => Text::MethodBankTransfer,
        Platform::Wire => Text::MethodWire,
        Platform::WalletD => Text::MethodWalletD,
        Platform::WalletE => Text::MethodWalletE,
        Platform::Crypto => Text::MethodCrypto,
        Platform::PushToCard => Text::MethodCard,
        Platform::Rtp => Text::MethodRtp,
    }
}

/// Returns who returns a payout of a rail, in a sentence.
pub const fn returner(platform: Platform) -> Text {
    match platform {
        Platform::Ach
        | Platform::Rtp
        | Platform::Wire
        | Platform::BankTransfer
        | Platform::IntlBank
        | Platform::IntlTransfer => Text::ReturnerBank,
        Platform::PushToCard => Text::ReturnerCardBank,
        Platform::PrepaidCardA | Platform::GiftCardA => Text::ReturnerIssuer,
        Platform::WalletA
        | Platform::WalletB
        | Platform::WalletC
        | Platform::WalletD
        | Platform::WalletE
        | Platform::Crypto => Text::ReturnerWallet,
    }
}

/// Returns a stored description, which is English, in another language. The kinds are those of `Details::description`.
fn described(platform: Platform, description: &str, language: Language) -> String {
    let known = [Text::MethodChecking, Text::MethodSavings, rail_name(platform)];
    if let Some(known) = known.into_iter().find(|known| Language::En.text(*known) == description) {
        return language.text(known).to_owned();
    }
    if let Some(network) = description.strip_prefix("Crypto wallet (").and_then(|rest| rest.strip_suffix(')')) {
        return language.say(Text::MethodCryptoOn).with("network", network).plain();
    }
    match description.strip_prefix("Transfer to ") {
        Some(name) => language.say(Text::MethodTransferTo).with("name", name).plain(),
        None => description.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_in_the_language_of_the_payee() {
        for platform in Platform::ALL.into_iter().chain([Platform::Rtp]) {
            assert_eq!(Language::En.text(rail_name(platform)), platform.display_name());
        }
        for (platform, description, spanish) in [
            (Platform::Ach, "Checking account", "Cuenta corriente"),
            (Platform::Ach, "Savings account", "Cuenta de ahorros"),
            (Platform::WalletA, "Wallet A", "Monedero A"),
            (Platform::Crypto, "Crypto wallet (base)", "Monedero de criptomonedas (base)"),
            (Platform::IntlTransfer, "Transfer to Jane Doe", "Transferencia a Jane Doe"),
            (Platform::Ach, "An older text", "An older text"),
        ] {
            assert_eq!(described(platform, description, Language::Es), spanish);
            assert_eq!(described(platform, description, Language::En), description);
        }
    }
}
