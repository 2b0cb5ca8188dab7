//! Account numbers, routing numbers, IBANs, BICs and crypto addresses: an accepted value reads back as itself.
#![no_main]

use bursar::bank::{AccountNumber, Bic, CryptoAddress, Iban, Network, RoutingNumber, looks_like_card_number};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(iban) = text.parse::<Iban>() {
        let again = iban.expose().parse::<Iban>().expect("an IBAN reads back");
        assert_eq!(again.expose(), iban.expose());
        assert_eq!(iban.country_code(), &iban.expose()[..2]);
    }
    if let Ok(bic) = text.parse::<Bic>() {
        assert_eq!(bic.as_str().parse::<Bic>().expect("a BIC reads back").as_str(), bic.as_str());
    }
    if let Ok(routing) = text.parse::<RoutingNumber>() {
        assert_eq!(routing.as_str().len(), 9);
    }
    if let Ok(account) = text.parse::<AccountNumber>() {
        assert!(account.expose().ends_with(account.last4()));
    }
    let (network, address) = text.split_once(' ').unwrap_or(("ethereum", text));
    if let Ok(network) = network.parse::<Network>()
        && let Ok(address) = CryptoAddress::parse(network, address)
    {
        assert!(CryptoAddress::parse(network, address.address()).is_ok());
    }
    let _ = looks_like_card_number(text);
});
