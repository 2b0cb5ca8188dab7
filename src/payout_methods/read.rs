//! Parses the details of a payout method from a body or a form, and reports all problems at once.

use bursar_formats::text::iso_text;

use super::details::{AccountType, Details, Residence, Target, UsBank};
use super::fields::fields_of;
use crate::bank::{AccountNumber, Bic, CryptoAddress, Iban, Network, RoutingNumber, looks_like_card_number};
use crate::country::is_country;
use crate::email::Email;
use crate::embargo;
use crate::fees;
use crate::input::types::NAME_MAX;
use crate::input::{Problems, add_unknown, problem, wrong};
use crate::phone::PhoneNumber;
use crate::platform::Platform;
use crate::refusal::Code;
use crate::strict_json::Json;

/// Characters of a handle, tag or token.
const HANDLE_MAX: usize = 200;
/// Characters of an address, and of a town in a message to a bank.
const ADDRESS_MAX: usize = 200;
const TOWN_MAX: usize = 35;

/// Parses the fields of the rail. A blank field counts as missing, because forms send all their fields. `also_known` lists
/// other allowed fields of the body.
///
/// # Errors
/// All problems, including unknown fields.
pub fn read_details(platform: Platform, json: &Json, at: &str, also_known: &[&str]) -> Result<Details, Problems> {
    let Json::Object(fields) = json else {
        return Err(wrong(at, format!("must be an object, not {}", json.kind())));
    };
    let mut reader = Reader { json, at, problems: Problems::new() };
    let known: Vec<&str> = fields_of(platform).iter().map(|field| field.name).collect();
    for (name, value) in fields {
        // Null counts as missing, also for a field of another rail.
        let is_nothing = *value == Json::Null
            && Platform::ALL.iter().any(|platform| fields_of(*platform).iter().any(|field| field.name == name));
        if !known.contains(&name.as_str()) && !also_known.contains(&name.as_str()) && !is_nothing {
            add_unknown_field(&mut reader.problems, at, name, &known);
        }
    }
    let target = reader.target(platform);
    let currency = reader.optional("currency", currency);
    match target {
        Some(target) if reader.problems.is_empty() => {
            let currency = currency.unwrap_or_else(|| usual_currency(&target).to_owned());
            Ok(Details { platform, target, currency })
        }
        Some(_) | None => Err(reader.problems),
    }
}

fn add_unknown_field(problems: &mut Problems, at: &str, name: &str, known: &[&str]) {
    if matches!(name, "card_number" | "pan" | "cvv" | "cvc") {
        problems.extend(wrong(&format!("{at}/{name}"), CARD_NUMBER));
    } else {
        add_unknown(problems, &format!("{at}/"), name, known);
    }
}

const CARD_NUMBER: &str =
    "card numbers are never accepted; send card_token, the token from the company that stores the card number";

type Reason = (Code, String);

fn invalid(reason: impl ToString) -> Reason {
    (Code::InvalidInput, reason.to_string())
}

struct Reader<'a> {
    json: &'a Json,
    at: &'a str,
    problems: Problems,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, name: &str, (code, message): Reason) {
        self.problems.extend(problem(code, &format!("{}/{name}", self.at), message));
    }

    /// Returns the field's text; `None` if it is missing, null or blank.
    fn text(&mut self, name: &str) -> Option<&'a str> {
        match self.json.get(name)? {
            Json::Null => None,
            Json::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            other @ (Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) | Json::Object(_)) => {
                self.refuse(name, invalid(format!("must be a string, not {}", other.kind())));
                None
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.json.get(name).is_some_and(|value| match value {
            Json::Null => false,
            Json::Text(text) => !text.trim().is_empty(),
            Json::Bool(_) | Json::Int(_) | Json::Decimal(_) | Json::List(_) | Json::Object(_) => true,
        })
    }

    fn optional<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, Reason>) -> Option<T> {
        let text = self.text(name)?;
        parse(text).map_err(|reason| self.refuse(name, reason)).ok()
    }

    fn required<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, Reason>) -> Option<T> {
        if !self.has(name) {
            self.refuse(name, invalid("is required"));
            return None;
        }
        self.optional(name, parse)
    }

    fn target(&mut self, platform: Platform) -> Option<Target> {
        match platform {
            Platform::Ach | Platform::Rtp | Platform::BankTransfer => {
                Some(Target::UsBank { bank: self.us_bank()?, address: None, residence: None })
            }
            Platform::Wire => {
                let address = self.optional("address", |text| checked(text, ADDRESS_MAX));
                let residence = self.residence(None);
                Some(Target::UsBank { bank: self.us_bank()?, address, residence })
            }
            Platform::WalletA => self.email(),
            Platform::WalletB => {
                if self.has("phone_number") {
                    return Some(Target::Phone { phone_number: self.phone()? });
                }
                self.one_of("handle", "is required unless phone_number is sent")?;
                self.handle()
            }
            Platform::WalletC => self.wallet_c(),
            Platform::WalletD | Platform::WalletE => {
                if self.has("email") {
                    return self.email();
                }
                self.one_of("handle", "is required unless email is sent")?;
                self.handle()
            }
            Platform::PrepaidCardA | Platform::GiftCardA => {
                if self.has("email") {
                    self.email()
                } else {
                    Some(Target::Nothing)
                }
            }
            Platform::IntlBank => self.intl_bank(),
            Platform::IntlTransfer => {
                let name = self.required("name", |text| checked(text, NAME_MAX * 2));
                let country = self.required("country", country);
                let phone_number = self.phone();
                Some(Target::Recipient { name: name?, country: country?, phone_number: phone_number? })
            }
            Platform::Crypto => {
                let network = self.required("network", |text| text.parse::<Network>().map_err(invalid))?;
                let parse = |text: &str| CryptoAddress::parse(network, text).map_err(invalid);
                let address = self.required("address", parse)?.address().to_owned();
                Some(Target::Chain { network, address })
            }
            Platform::PushToCard => Some(Target::Card { card_token: self.required("card_token", card_token)? }),
        }
    }

    /// Reports the problem at this field if it is missing too, where one of several fields is enough.
    fn one_of(&mut self, name: &str, message: &str) -> Option<()> {
        if self.has(name) {
            return Some(());
        }
        self.refuse(name, invalid(message));
        None
    }

    fn us_bank(&mut self) -> Option<UsBank> {
        let routing_number = self.required("routing_number", |text| text.parse::<RoutingNumber>().map_err(invalid));
        let account_number = self.required("account_number", |text| text.parse::<AccountNumber>().map_err(invalid));
        let account_type = self.optional("account_type", |word| {
            AccountType::from_word(word).ok_or_else(|| invalid("must be one of: checking, savings"))
        });
        Some(UsBank {
            routing_number: routing_number?.as_str().to_owned(),
            account_number: account_number?.expose().to_owned(),
            account_type: account_type.unwrap_or(AccountType::Checking),
        })
    }

    fn wallet_c(&mut self) -> Option<Target> {
        let with_bank = self.has("account_number") || self.has("routing_number");
        let bank = if with_bank { Some(self.us_bank()?) } else { None };
        if self.has("cash_tag") {
            return Some(Target::CashTag { cash_tag: self.required("cash_tag", cash_tag)?, bank });
        }
        if bank.is_none() {
            self.refuse("cash_tag", invalid("is required unless account_number and routing_number are sent"));
        }
        Some(Target::UsBank { bank: bank?, address: None, residence: None })
    }

    /// Reads town and country of the payee's address: both or neither.
    fn residence(&mut self, street: Option<String>) -> Option<Residence> {
        if !self.has("town") && !self.has("address_country") {
            if street.is_some() {
                self.refuse("town", invalid("is required if address is sent"));
            }
            return None;
        }
        let town = self.required("town", town);
        let country = self.required("address_country", country);
        Some(Residence { street, town: town?, country: country? })
    }

    fn intl_bank(&mut self) -> Option<Target> {
        let street = self.optional("address", |text| checked(text, ADDRESS_MAX));
        let residence = self.residence(street);
        if self.has("iban") {
            for name in ["account_number", "bank_code"].into_iter().filter(|name| self.json.get(name).is_some()) {
                if self.has(name) {
                    self.refuse(name, invalid("must be omitted if iban is sent"));
                }
            }
            let iban = self.required("iban", iban);
            let bic = self.optional("bic", bic);
            self.optional("country", country);
            let account_holder_name = self.account_holder_name();
            let bic = bic.map(|bic| bic.as_str().to_owned());
            return Some(Target::Iban { iban: iban?.expose().to_owned(), bic, account_holder_name, residence });
        }
        if !self.has("account_number") && !self.has("country") {
            self.refuse("iban", invalid("is required unless country, bank_code and account_number are sent"));
            return None;
        }
        let country = self.required("country", country);
        let account_number = self.required("account_number", account_number);
        // A BIC identifies the bank as well as a local code.
        let bank_code = if self.has("bic") {
            self.required("bic", |text| bic(text).map(|bic| bic.as_str().to_owned()))
        } else {
            self.required("bank_code", bank_code)
        };
        let account_holder_name = self.account_holder_name();
        Some(Target::LocalAccount {
            country: country?,
            account_number: account_number?,
            bank_code: bank_code?,
            account_holder_name,
            residence,
        })
    }

    fn account_holder_name(&mut self) -> Option<String> {
        self.optional("account_holder_name", |text| checked(text, NAME_MAX * 2))
    }

    fn email(&mut self) -> Option<Target> {
        let parse = |text: &str| Email::parse(text).map_err(|reason| (Code::InvalidEmail, reason.to_string()));
        let email = self.required("email", parse)?.as_str().to_owned();
        Some(Target::Email { email })
    }

    fn handle(&mut self) -> Option<Target> {
        Some(Target::Handle { handle: self.required("handle", handle)? })
    }

    /// Parses E.164, or country code and number from two fields.
    fn phone(&mut self) -> Option<String> {
        let country_code = self.optional("country_code", |text| Ok(text.to_owned()));
        let phone = self.required("phone_number", |text| {
            let parsed = match &country_code {
                Some(code) => PhoneNumber::parse(code, text),
                None => PhoneNumber::parse_e164(text).and_then(PhoneNumber::accepted),
            };
            parsed.map_err(|reason| (Code::InvalidPhoneNumber, reason.to_string()))
        });
        phone.map(|phone| phone.e164())
    }
}

fn checked(text: &str, max_chars: usize) -> Result<String, Reason> {
    crate::text::check_line(text, max_chars).map_err(invalid)?;
    Ok(text.to_owned())
}

fn town(text: &str) -> Result<String, Reason> {
    let town = checked(text, TOWN_MAX)?;
    let written = iso_text(&town);
    if written.is_empty() || written.chars().count() > TOWN_MAX {
        return Err(invalid("must be the name of a town in letters"));
    }
    Ok(town)
}

fn not_embargoed(country: &str) -> Result<(), Reason> {
    if embargo::is_country(country) { Err(invalid(embargo::REFUSED)) } else { Ok(()) }
}

fn iban(text: &str) -> Result<Iban, Reason> {
    let iban = text.parse::<Iban>().map_err(invalid)?;
    not_embargoed(iban.country_code())?;
    Ok(iban)
}

fn bic(text: &str) -> Result<Bic, Reason> {
    let bic = text.parse::<Bic>().map_err(invalid)?;
    not_embargoed(bic.country_code())?;
    Ok(bic)
}

/// Parses a local account number. The embargo also applies to text in the form of an IBAN of any country.
fn account_number(text: &str) -> Result<String, Reason> {
    let number = code_of(text, 34)?;
    match number.split_at_checked(2) {
        Some((country, rest)) if rest.len() > 10 && rest[..2].bytes().all(|digit| digit.is_ascii_digit()) => {
            not_embargoed(&country.to_ascii_uppercase())?;
        }
        Some(_) | None => {}
    }
    Ok(number)
}

/// Parses a local bank code. A BIC in this field is kept in its canonical form, and the embargo applies to it.
fn bank_code(text: &str) -> Result<String, Reason> {
    let code = code_of(text, 20)?;
    let Ok(bic) = code.parse::<Bic>() else { return Ok(code) };
    not_embargoed(bic.country_code())?;
    Ok(bic.as_str().to_owned())
}

fn country(text: &str) -> Result<String, Reason> {
    let code = text.to_ascii_uppercase();
    if !is_country(&code) {
        return Err(invalid("must be a two-letter country code such as DE (ISO 3166-1)"));
    }
    not_embargoed(&code)?;
    Ok(code)
}

fn currency(text: &str) -> Result<String, Reason> {
    let code = text.to_ascii_uppercase();
    if fees::is_payable(&code) {
        return Ok(code);
    }
    Err(invalid(format!("must be one of the supported currencies (ISO 4217): {}", fees::payable())))
}

fn code_of(text: &str, max_chars: usize) -> Result<String, Reason> {
    let code: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    let is_code = !code.is_empty() && code.len() <= max_chars && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_code { Ok(code) } else { Err(invalid(format!("must be 1 to {max_chars} letters and digits"))) }
}

fn handle(text: &str) -> Result<String, Reason> {
    let fits = text.len() <= HANDLE_MAX
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+@$".contains(&byte))
        && text.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if looks_like_card_number(text) {
        return Err(invalid(CARD_NUMBER));
    }
    if fits { Ok(text.to_owned()) } else { Err(invalid("must contain only letters, digits and . _ - + @ $")) }
}

fn cash_tag(text: &str) -> Result<String, Reason> {
    let tag = handle(text.strip_prefix('$').unwrap_or(text))?;
    Ok(format!("${tag}"))
}

fn card_token(text: &str) -> Result<String, Reason> {
    if has_card_number(text) {
        return Err(invalid(CARD_NUMBER));
    }
    let fits = text.len() <= HANDLE_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(text.to_owned()) } else { Err(invalid("must contain only printable characters without spaces")) }
}

/// Returns whether the text, or a run of digits in it, may be a card number.
fn has_card_number(text: &str) -> bool {
    looks_like_card_number(text) || text.split(|c: char| !c.is_ascii_digit()).any(looks_like_card_number)
}

/// Returns the usual currency of the destination, if the request names none.
fn usual_currency(target: &Target) -> &'static str {
    match target {
        Target::Iban { iban, .. } => fees::currency_of(iban.get(..2).unwrap_or_default()),
        Target::LocalAccount { country, .. } | Target::Recipient { country, .. } => fees::currency_of(country),
        Target::UsBank { .. }
        | Target::CashTag { .. }
        | Target::Email { .. }
        | Target::Handle { .. }
        | Target::Phone { .. }
        | Target::Card { .. }
        | Target::Chain { .. }
        | Target::Nothing => fees::BOOK_CURRENCY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::Vault;

    fn read(platform: &str, body: &str) -> Result<Details, Problems> {
        read_details(platform.parse().unwrap(), &Json::parse(body.as_bytes()).unwrap(), "", &["platform"])
    }

    fn fields_at_fault(platform: &str, body: &str) -> Vec<String> {
        read(platform, body).unwrap_err().into_iter().map(|problem| problem.field).collect()
    }

    const BANK: &str = r#"{"account_number": "123456789", "routing_number": "110000000"}"#;

    #[test]
    fn every_rail_takes_its_own() {
        let table = [
            ("ach", BANK, "Checking account", Some("6789")),
            (
                "ach",
                r#"{"account_number": "123456789", "routing_number": "011000015", "account_type": "savings"}"#,
                "Savings account",
                Some("6789"),
            ),
            ("bank_transfer", BANK, "Checking account", Some("6789")),
            ("wire", BANK, "Checking account", Some("6789")),
            ("wallet_a", r#"{"email": "fail+account_closed@example.com"}"#, "Wallet A", None),
            ("wallet_b", r#"{"phone_number": "+1 212 736 1234"}"#, "Wallet B", Some("1234")),
            ("wallet_b", r#"{"country_code": "1", "phone_number": "2127361234"}"#, "Wallet B", Some("1234")),
            ("wallet_b", r#"{"handle": "fail-account_closed", "phone_number": ""}"#, "Wallet B", None),
            ("wallet_c", r#"{"cash_tag": "jane"}"#, "Wallet C", None),
            ("wallet_c", BANK, "Checking account", Some("6789")),
            ("wallet_d", r#"{"email": "jane@example.com"}"#, "Wallet D", None),
            ("wallet_e", r#"{"handle": "@jane"}"#, "Wallet E", None),
            ("prepaid_card_a", "{}", "Prepaid card", None),
            ("gift_card_a", r#"{"email": "jane@example.com"}"#, "Gift card", None),
            ("intl_bank", r#"{"iban": "DE89 3704 0044 0532 0130 00"}"#, "International bank account", Some("3000")),
            (
                "intl_bank",
                r#"{"country": "in", "bank_code": "SBIN0000300", "account_number": "30012345678"}"#,
                "International bank account",
                Some("5678"),
            ),
            (
                "intl_bank",
                r#"{"country": "GB", "bank_code": "BARCGB22", "account_number": "12345678"}"#,
                "International bank account",
                Some("5678"),
            ),
            (
                "intl_transfer",
                r#"{"name": "Jane Doe", "country": "MX", "phone_number": "+525512345678"}"#,
                "Transfer to Jane Doe",
                Some("5678"),
            ),
            (
                "crypto",
                r#"{"network": "ethereum", "address": "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"}"#,
                "Crypto wallet (ethereum)",
                Some("7BAe"),
            ),
            ("push_to_card", r#"{"card_token": "tok_1A2b3C4d"}"#, "Debit card", Some("3C4d")),
        ];
        let vault = Vault::new([1; 32]);
        for (platform, body, description, mask) in table {
            let sealed =
                read(platform, body).unwrap_or_else(|wrong| panic!("{platform}: {wrong:?}")).sealed(&vault, [2; 24]);
            assert_eq!((sealed.description.as_str(), sealed.mask.as_deref()), (description, mask), "{platform} {body}");
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named_all_at_once() {
        let table: [(&str, &str, &[&str]); 24] = [
            ("ach", "{}", &["/routing_number", "/account_number"]),
            (
                "ach",
                r#"{"routing_number": "123456789", "account_number": "12", "account_type": "x"}"#,
                &["/routing_number", "/account_number", "/account_type"],
            ),
            ("ach", r#"{"routing_number": 110000000, "account_number": "1234"}"#, &["/routing_number"]),
            ("wallet_a", r#"{"email": "nobody"}"#, &["/email"]),
            ("wallet_b", "{}", &["/handle"]),
            ("wallet_b", r#"{"phone_number": "+15551234567"}"#, &["/phone_number"]),
            ("wallet_c", "{}", &["/cash_tag"]),
            ("wallet_d", r#"{"handle": "two words"}"#, &["/handle"]),
            ("intl_bank", "{}", &["/iban"]),
            ("intl_bank", r#"{"country": "IR", "bank_code": "x", "account_number": "30012345678"}"#, &["/country"]),
            ("intl_bank", r#"{"country": "DE", "bic": "COMMKPPX", "account_number": "30012345678"}"#, &["/bic"]),
            ("intl_bank", r#"{"country": "SY", "bank_code": "x", "account_number": "30012345678"}"#, &["/country"]),
            (
                "intl_bank",
                r#"{"country": "GB", "bank_code": "meli-irthxxx", "account_number": "12345678"}"#,
                &["/bank_code"],
            ),
            (
                "intl_bank",
                r#"{"country": "GB", "bank_code": "x", "account_number": "IR580540105180021273113007"}"#,
                &["/account_number"],
            ),
            (
                "intl_transfer",
                r#"{"name": "Jane Doe", "country": "KP", "phone_number": "+525512345678"}"#,
                &["/country"],
            ),
            (
                "intl_transfer",
                r#"{"name": "Jane Doe", "country": "CU", "phone_number": "+5351234567"}"#,
                &["/country", "/phone_number"],
            ),
            ("intl_bank", r#"{"country": "DE"}"#, &["/account_number", "/bank_code"]),
            ("wire", r#"{"town": "Boston"}"#, &["/address_country", "/routing_number", "/account_number"]),
            ("intl_bank", r#"{"iban": "DE89370400440532013000", "address": "Hauptstr. 1"}"#, &["/town"]),
            (
                "intl_bank",
                r#"{"iban": "DE89370400440532013000", "town": "Teheran", "address_country": "IR"}"#,
                &["/address_country"],
            ),
            ("intl_transfer", r#"{"country": "Mexico"}"#, &["/name", "/country", "/phone_number"]),
            ("crypto", r#"{"network": "bitcoin", "address": "0x00"}"#, &["/address"]),
            ("push_to_card", "{}", &["/card_token"]),
            ("wallet_a", r#"{"email": "a@example.com", "emial": "b@example.com"}"#, &["/emial"]),
        ];
        for (platform, body, fields) in table {
            assert_eq!(fields_at_fault(platform, body), fields, "{platform} {body}");
        }
    }

    #[test]
    fn a_bank_needs_the_town_and_the_country_of_the_payee_and_the_bank_of_an_account_abroad() {
        let vault = Vault::new([1; 32]);
        let gaps = |platform: &str, body: &str| read(platform, body).unwrap().sealed(&vault, [2; 24]).gaps;
        let both = r#""town": "Boston", "address_country": "us""#;
        let bank = r#""routing_number": "110000000", "account_number": "123456789""#;
        assert_eq!(gaps("wire", &format!("{{{bank}}}")), ["town", "address_country"]);
        assert!(gaps("wire", &format!("{{{bank}, {both}}}")).is_empty() && gaps("ach", BANK).is_empty());
        let iban = r#""iban": "DE89370400440532013000""#;
        assert_eq!(gaps("intl_bank", &format!("{{{iban}}}")), ["town", "address_country", "bic"]);
        assert!(gaps("intl_bank", &format!(r#"{{{iban}, "bic": "COBADEFFXXX", {both}}}"#)).is_empty());
        let local = |country: &str| {
            format!(r#"{{"country": "{country}", "bank_code": "123456", "account_number": "1234567", {both}}}"#)
        };
        assert!(gaps("intl_bank", &local("GB")).is_empty(), "a sort code names the bank");
        assert_eq!(gaps("intl_bank", &local("BR")), ["bic"]);
    }

    #[test]
    fn a_card_number_is_refused_in_every_field() {
        for body in [
            r#"{"card_token": "4111111111111111"}"#,
            r#"{"card_token": "4111 1111 1111 1111"}"#,
            r#"{"card_token": "tok_4111111111111111"}"#,
            r#"{"card_token": "tok_x", "card_number": "4111111111111111"}"#,
        ] {
            let problems = read("push_to_card", body).unwrap_err();
            assert_eq!(problems.len(), 1, "{body}");
            assert!(problems[0].message.contains("card numbers are never accepted"), "{body}");
            assert!(!problems[0].message.contains("4111"));
        }
    }

    #[test]
    fn what_is_sealed_opens_and_shows_nothing() {
        let vault = Vault::new([1; 32]);
        let details = read("ach", r#"{"account_number": "123456789", "routing_number": "011000015"}"#).unwrap();
        let sealed = details.sealed(&vault, [2; 24]);
        assert!(sealed.rtp_enabled, "011000015 takes instant payments");
        assert!(!read("ach", BANK).unwrap().sealed(&vault, [2; 24]).rtp_enabled, "110000000 does not");
        assert_eq!(sealed.fingerprint, details.sealed(&vault, [3; 24]).fingerprint);
        assert!(!format!("{details:?} {sealed:?}").contains("123456789"));
        assert_eq!((details.account_number(), details.handle()), (Some("123456789"), None));
    }
}
