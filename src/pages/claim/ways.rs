//! The order in which a payee sees the ways to get paid: filtered by country and amount, grouped, with the fastest and
//! the free ones marked. Pure; which ways are open is decided in `claims`.

use crate::claims::MethodOption;
use crate::language::Text;
use crate::money::Cents;
use crate::payout_methods::rail_name;
use crate::platform::Platform;

/// A way whose fee takes more than one part in this many of the money is not offered as a faster one.
const FEE_PARTS: i64 = 4;
/// The smallest amount of a card that holds whole dollars.
const ONE_DOLLAR: Cents = Cents::new(100);

/// Where a way is on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The form of a bank account in the United States.
    BankForm,
    /// A bank or a counter elsewhere.
    Abroad,
    WalletOrCard,
    GiftCard,
    /// The page has no form for it: no provider gives us one for card numbers, and instant payment is a speed of the
    /// bank form.
    Nowhere,
}

pub(super) const fn place(platform: Platform) -> Place {
    match platform {
        Platform::Ach | Platform::BankTransfer | Platform::Wire => Place::BankForm,
        Platform::IntlBank | Platform::IntlTransfer => Place::Abroad,
        Platform::WalletA
        | Platform::WalletB
        | Platform::WalletC
        | Platform::WalletD
        | Platform::WalletE
        | Platform::Crypto
        | Platform::PrepaidCardA => Place::WalletOrCard,
        Platform::GiftCardA => Place::GiftCard,
        Platform::PushToCard | Platform::Rtp => Place::Nowhere,
    }
}

/// Returns what the payee needs for a way, in one line.
pub(super) const fn about(platform: Platform) -> Text {
    match platform {
        Platform::Ach | Platform::BankTransfer | Platform::Wire | Platform::Rtp => Text::AboutBank,
        Platform::IntlBank => Text::AboutBankAbroad,
        Platform::IntlTransfer => Text::AboutPickup,
        Platform::WalletA => Text::AboutEmail,
        Platform::WalletB => Text::AboutPhoneOrHandle,
        Platform::WalletC => Text::AboutCashTag,
        Platform::WalletD | Platform::WalletE => Text::AboutEmailOrHandle,
        Platform::Crypto => Text::AboutWalletAddress,
        Platform::PrepaidCardA => Text::AboutPrepaid,
        Platform::GiftCardA => Text::AboutGift,
        Platform::PushToCard => Text::AboutCard,
    }
}

/// Returns the name for payees.
pub(super) const fn name(platform: Platform) -> Text {
    match platform {
        Platform::IntlBank => Text::WayBankAbroad,
        Platform::IntlTransfer => Text::WayPickup,
        Platform::Ach
        | Platform::BankTransfer
        | Platform::Wire
        | Platform::Rtp
        | Platform::WalletA
        | Platform::WalletB
        | Platform::WalletC
        | Platform::WalletD
        | Platform::WalletE
        | Platform::Crypto
        | Platform::PrepaidCardA
        | Platform::GiftCardA
        | Platform::PushToCard => rail_name(platform),
    }
}

/// A new method that the payee may choose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'a> {
    pub option: &'a MethodOption,
    pub platform: Platform,
    /// The latest arrival, in seconds from now.
    pub seconds: i64,
    pub is_fastest: bool,
    /// Free, while another way costs something.
    pub is_free: bool,
}

/// The ways of a page, in its order.
#[derive(Debug, Default)]
pub(super) struct Ways<'a> {
    /// Speeds of the bank form: the cheapest first, each faster one costs more.
    pub speeds: Vec<Way<'a>>,
    pub abroad: Vec<Way<'a>>,
    pub wallets: Vec<Way<'a>>,
    pub gifts: Vec<Way<'a>>,
    /// Whether the payee's accounts are usually in the United States.
    pub is_domestic: bool,
}

/// Whether accounts of this country are accounts in the United States. An unknown country counts as such, because all
/// money is in dollars.
pub(super) fn is_domestic(country: Option<&str>) -> bool {
    country.is_none_or(|country| matches!(country, "US" | "PR" | "VI" | "GU" | "AS" | "MP"))
}

/// Sorts the open ways. `seconds` returns the latest arrival of a rail.
pub(super) fn sorted<'a>(
    options: &'a [MethodOption],
    country: Option<&str>,
    seconds: impl Fn(Platform) -> i64,
) -> Ways<'a> {
    let is_domestic = is_domestic(country);
    let new = options.iter().filter(|option| option.payout_method_id.is_none());
    let known = new.filter_map(|option| Some((option, option.platform.parse::<Platform>().ok()?)));
    let mut all: Vec<Way> = known
        .filter(|(option, platform)| serves(*platform, option, is_domestic))
        .map(|(option, platform)| Way {
            option,
            platform,
            seconds: seconds(platform),
            is_fastest: false,
            is_free: option.fee_amount.is_zero(),
        })
        .collect();
    all.sort_by_key(|way| (way.seconds, way.option.fee_amount));
    let speeds = speeds(&all);
    all.retain(|way| place(way.platform) != Place::BankForm || speeds.contains(&way.platform));
    mark(&mut all, is_domestic);

    let at = |wanted: Place| all.iter().copied().filter(move |way| place(way.platform) == wanted);
    let mut speeds: Vec<Way> = at(Place::BankForm).collect();
    speeds.sort_by_key(|way| (way.option.fee_amount, way.seconds));
    Ways {
        speeds,
        abroad: at(Place::Abroad).collect(),
        wallets: at(Place::WalletOrCard).collect(),
        gifts: at(Place::GiftCard).collect(),
        is_domestic,
    }
}

/// Whether the way fits the country and the amount.
fn serves(platform: Platform, option: &MethodOption, is_domestic: bool) -> bool {
    let fits_amount =
        !option.payout_amount.is_zero() && (!platform.pays_whole_dollars() || option.payout_amount >= ONE_DOLLAR);
    // A cash tag belongs to a bank account in the United States.
    let fits_country = is_domestic || platform != Platform::WalletC;
    // The form of a bank account has no fields for the address that a bank needs for a wire.
    let asks_address = platform == Platform::Wire && option.fields.iter().any(|field| field.name == "town");
    fits_amount && fits_country && !asks_address && place(platform) != Place::Nowhere
}

/// Returns the rails of the bank form that are worth a choice: the cheapest, and each faster one whose fee is in
/// proportion. `all` is sorted by speed, then fee.
fn speeds(all: &[Way]) -> Vec<Platform> {
    let bank = || all.iter().filter(|way| place(way.platform) == Place::BankForm);
    let Some(cheapest) = bank().min_by_key(|way| (way.option.fee_amount, way.seconds)) else { return Vec::new() };
    let in_proportion = |way: &&Way| {
        let whole = way.option.fee_amount.checked_add(way.option.payout_amount).unwrap_or(way.option.payout_amount);
        way.option.fee_amount.get() <= whole.get() / FEE_PARTS
    };
    // Of those that are equally fast, only the first is not dearer than another.
    let mut chosen: Vec<&Way> = Vec::new();
    for way in bank().filter(|way| way.seconds < cheapest.seconds).filter(in_proportion) {
        let is_dominated = chosen.iter().any(|faster| faster.option.fee_amount <= way.option.fee_amount);
        if !is_dominated {
            chosen.push(way);
        }
    }
    chosen.into_iter().chain([cheapest]).map(|way| way.platform).collect()
}

/// Marks the fastest way that the page shows first, the cheapest of equals, and the free ones.
fn mark(all: &mut [Way], is_domestic: bool) {
    let is_first = |way: &Way| match place(way.platform) {
        Place::BankForm => is_domestic,
        Place::Abroad => !is_domestic,
        Place::WalletOrCard => true,
        Place::GiftCard | Place::Nowhere => false,
    };
    let shown = || all.iter().filter(|way| is_first(way));
    let fastest = shown().min_by_key(|way| (way.seconds, way.option.fee_amount)).map(|way| way.platform);
    let has_slower = shown().any(|way| shown().any(|other| other.seconds < way.seconds));
    let has_paid = all.iter().any(|way| !way.option.fee_amount.is_zero());
    for way in all {
        way.is_fastest = has_slower && fastest == Some(way.platform);
        way.is_free = way.is_free && has_paid;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(platform: Platform, fee: i64, whole: i64) -> MethodOption {
        MethodOption {
            platform: platform.as_str(),
            name: platform.display_name(),
            payout_method_id: None,
            description: None,
            fee_amount: Cents::new(fee),
            payout_amount: Cents::new(whole - fee),
            arrival: "",
            arrives_at: crate::clock::Time::from_micros(0),
            fields: Vec::new(),
        }
    }

    fn seconds(platform: Platform) -> i64 {
        match platform {
            Platform::Ach | Platform::WalletC => 86_400,
            Platform::BankTransfer => 172_800,
            Platform::Wire => 14_400,
            Platform::IntlBank | Platform::IntlTransfer => 259_200,
            Platform::WalletA
            | Platform::WalletB
            | Platform::WalletD
            | Platform::WalletE
            | Platform::Crypto
            | Platform::PrepaidCardA
            | Platform::GiftCardA
            | Platform::PushToCard
            | Platform::Rtp => 300,
        }
    }

    fn names(ways: &[Way]) -> Vec<String> {
        let mark = |way: &Way| match (way.is_fastest, way.is_free) {
            (true, true) => " fastest free",
            (true, false) => " fastest",
            (false, true) => " free",
            (false, false) => "",
        };
        ways.iter().map(|way| format!("{}{}", way.platform, mark(way))).collect()
    }

    fn options(whole: i64) -> Vec<MethodOption> {
        let fees = [
            (Platform::Ach, 25),
            (Platform::WalletA, whole / 50),
            (Platform::WalletB, 50),
            (Platform::WalletC, 25),
            (Platform::PrepaidCardA, 0),
            (Platform::GiftCardA, 0),
            (Platform::IntlBank, 200),
            (Platform::IntlTransfer, 500),
            (Platform::BankTransfer, 150),
            (Platform::Wire, 1_500),
            (Platform::PushToCard, 50),
        ];
        fees.into_iter().filter(|(_, fee)| *fee < whole).map(|(rail, fee)| option(rail, fee, whole)).collect()
    }

    #[test]
    fn a_payee_in_the_united_states_sees_one_bank_form() {
        let options = options(20_000);
        let ways = sorted(&options, Some("US"), seconds);
        assert_eq!(names(&ways.speeds), ["ach", "wire"], "bank_transfer is slower and dearer than ach");
        assert_eq!(names(&ways.wallets), ["prepaid_card_a fastest free", "wallet_b", "wallet_a", "wallet_c"]);
        assert_eq!(names(&ways.gifts), ["gift_card_a free"]);
        assert_eq!(names(&ways.abroad), ["intl_bank", "intl_transfer"]);
        assert!(ways.is_domestic);
    }

    #[test]
    fn a_fee_out_of_proportion_is_not_offered() {
        let options = options(2_500);
        assert_eq!(names(&sorted(&options, None, seconds).speeds), ["ach"], "a wire takes $15.00 of $25.00");
        // If nothing else is open, it is.
        let wire = [option(Platform::Wire, 1_500, 2_500)];
        assert_eq!(names(&sorted(&wire, None, seconds).speeds), ["wire"]);
    }

    #[test]
    fn the_country_and_the_amount_decide() {
        let options = options(90);
        let ways = sorted(&options, Some("DE"), seconds);
        assert!(!ways.is_domestic);
        assert_eq!(names(&ways.gifts), Vec::<String>::new(), "a card holds whole dollars");
        assert_eq!(names(&ways.wallets), ["wallet_a", "wallet_b"], "no cash tag in Germany");
        assert!(is_domestic(Some("PR")) && !is_domestic(Some("CA")));
    }

    #[test]
    fn what_the_sender_pays_is_not_marked_as_free() {
        let options: Vec<MethodOption> =
            [Platform::Ach, Platform::WalletA].into_iter().map(|rail| option(rail, 0, 500)).collect();
        let ways = sorted(&options, None, seconds);
        assert_eq!(names(&ways.speeds), ["ach"]);
        assert_eq!(names(&ways.wallets), ["wallet_a fastest"]);
    }

    #[test]
    fn no_way_asks_for_what_the_page_cannot_take() {
        let card = [option(Platform::PushToCard, 50, 2_500)];
        let ways = sorted(&card, None, seconds);
        assert!(ways.speeds.is_empty() && ways.wallets.is_empty() && ways.gifts.is_empty() && ways.abroad.is_empty());
    }
}
