//! Parties, accounts and banks, as several messages have them.

use super::fields::{Fields, NAME_MAX};
use super::rules;
use super::writer::Writer;
use super::xml::Element;
use crate::finding::quoted;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    pub name: String,
    pub address: Option<Address>,
}

/// An address: structured, or with town, country and at most two lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub street: Option<String>,
    pub building: Option<String>,
    pub post_code: Option<String>,
    pub town: Option<String>,
    pub subdivision: Option<String>,
    pub country: Option<String>,
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountId {
    Iban(String),
    Other(String),
}

impl AccountId {
    #[must_use]
    pub fn number(&self) -> &str {
        match self {
            Self::Iban(number) | Self::Other(number) => number,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agent {
    Bic(String),
    /// A member of a clearing system, for example `USABA` and a routing number.
    Clearing {
        system: String,
        member: String,
    },
}

/// Returns whether the check digits of an IBAN fit.
pub fn is_iban(text: &str) -> bool {
    let fits = (15..=34).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    let Some((head, tail)) = text.split_at_checked(4).filter(|_| fits) else { return false };
    let remainder = tail.bytes().chain(head.bytes()).fold(0u32, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        _ => (remainder * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    remainder == 1
}

/// Returns whether this has the form of a BIC.
pub fn is_bic(text: &str) -> bool {
    let country = text.get(4..6).unwrap_or_default();
    matches!(text.len(), 8 | 11)
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
}

impl Fields<'_> {
    pub fn party(&mut self, of: &Element, name: &'static str) -> Option<Party> {
        let party = of.child(name)?;
        // Newer account messages have a choice of party and bank.
        let party = party.child("Pty").unwrap_or(party);
        let name = self.bank_text(party, "Nm", NAME_MAX).unwrap_or_default();
        let address = party.child("PstlAdr").map(|address| self.address(address));
        Some(Party { name, address })
    }

    fn address(&mut self, of: &Element) -> Address {
        let mut text = |path| self.bank_text(of, path, 70);
        let address = Address {
            street: text("StrtNm"),
            building: text("BldgNb"),
            post_code: text("PstCd"),
            town: text("TwnNm"),
            subdivision: text("CtrySubDvsn"),
            country: text("Ctry"),
            lines: of.all("AdrLine").filter_map(Element::value).map(str::to_owned).collect(),
        };
        if let Some(message) = address.fault() {
            self.add(&rules::ADDRESS, of, "PstlAdr", message.to_owned());
        }
        address
    }

    pub fn account(&mut self, of: &Element, name: &'static str) -> Option<AccountId> {
        let id = of.child(name)?.child("Id")?;
        if let Some(iban) = id.text_at("IBAN") {
            if !is_iban(&iban) {
                self.add(&rules::IBAN, id, "IBAN", "The IBAN is wrong.".to_owned());
            }
            return Some(AccountId::Iban(iban));
        }
        self.optional(id, "Othr/Id", 34).map(AccountId::Other)
    }

    pub fn agent(&mut self, of: &Element, name: &'static str) -> Option<Agent> {
        let institution = of.child(name)?.child("FinInstnId")?;
        if let Some(bic) = institution.text_at("BICFI").or_else(|| institution.text_at("BIC")) {
            if !is_bic(&bic) {
                self.add(&rules::BIC, institution, "BICFI", format!("The BIC is {}.", quoted(&bic)));
            }
            return Some(Agent::Bic(bic));
        }
        let member = self.optional(institution, "ClrSysMmbId/MmbId", 35)?;
        let system = self.optional(institution, "ClrSysMmbId/ClrSysId/Cd", 5).unwrap_or_default();
        if system == "USABA" && !crate::nacha::is_routing_number(&member) {
            let message = format!("{} is no routing number.", quoted(&member));
            self.add(&rules::CODE, institution, "MmbId", message);
        }
        Some(Agent::Clearing { system, member })
    }
}

impl Address {
    /// Returns why banks refuse the address.
    fn fault(&self) -> Option<&'static str> {
        if !self.lines.is_empty() && (self.town.is_none() || self.country.is_none()) {
            return Some("An address of lines alone is refused.");
        }
        if self.lines.len() > 2 || self.lines.iter().any(|line| line.chars().count() > 70) {
            return Some("The address has more than two lines of 70 characters.");
        }
        None
    }
}

impl Writer {
    pub fn party(&mut self, name: &'static str, party: &Party) {
        self.element(name, |writer| writer.party_content(party));
    }

    pub fn party_content(&mut self, party: &Party) {
        self.bank_text("Nm", &party.name, NAME_MAX);
        if let Some(address) = &party.address {
            self.element("PstlAdr", |writer| writer.address(address));
        }
    }

    fn address(&mut self, address: &Address) {
        let parts = [
            ("StrtNm", &address.street, 70),
            ("BldgNb", &address.building, 16),
            ("PstCd", &address.post_code, 16),
            ("TwnNm", &address.town, 35),
            ("CtrySubDvsn", &address.subdivision, 35),
            ("Ctry", &address.country, 2),
        ];
        for (name, value, most) in parts {
            if let Some(value) = value {
                self.bank_text(name, value, most);
            }
        }
        if address.fault().is_some() {
            self.text("AdrLine", "", 70);
        }
        for line in &address.lines {
            self.bank_text("AdrLine", line, 70);
        }
    }

    pub fn account(&mut self, name: &'static str, account: &AccountId, currency: Option<&str>) {
        self.element(name, |writer| {
            writer.element("Id", |writer| match account {
                AccountId::Iban(iban) => writer.text("IBAN", iban, 34),
                AccountId::Other(number) => writer.element("Othr", |writer| writer.text("Id", number, 34)),
            });
            writer.optional("Ccy", currency, 3);
        });
    }

    pub fn agent(&mut self, name: &'static str, agent: &Agent) {
        self.element(name, |writer| {
            writer.element("FinInstnId", |writer| match agent {
                Agent::Bic(bic) => writer.text("BICFI", bic, 11),
                Agent::Clearing { system, member } => writer.element("ClrSysMmbId", |writer| {
                    writer.element("ClrSysId", |writer| writer.text("Cd", system, 5));
                    writer.text("MmbId", member, 28);
                }),
            });
        });
    }
}
