//! Checks a sender's message to a payee: it may contain no address to open and no number to call (docs/decisions.md
//! 17).
//!
//! Invariant: a word that may be an address or a phone number is refused; the exceptions are narrow, and listed here.

use super::{REFUSED, UNSEEN, is_in};

/// Characters of a sender's message to a payee, at most.
pub const MESSAGE_MAX: usize = 160;

/// Why a sender's message is refused. It becomes part of a text from this service, so it must not lead elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum MessageProblem {
    /// A URL, a domain, or an e-mail address.
    #[error(
        "must not contain a web address, a domain or an e-mail address; the message already contains the payout link"
    )]
    Address,
    /// Digits that a phone offers to call.
    #[error(
        "must not contain a phone number; 7 or more digits are allowed only in a date such as 2026-01-31 or a number \
         such as Invoice 1234567"
    )]
    PhoneNumber,
}

/// Checks a sender's message for text that a phone shows as a link.
pub fn check_message(message: &str) -> Result<(), MessageProblem> {
    // Browsers and mail programs fold full-width forms.
    let plain: String = message
        .chars()
        .filter(|c| !is_in(&REFUSED, *c) && !is_in(&UNSEEN, *c))
        .map(|c| match c {
            '．' | '․' => '.',
            '｡' => '。',
            '：' => ':',
            '／' => '/',
            '＠' => '@',
            '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c),
            c => c,
        })
        .collect();
    if plain.split_whitespace().any(|word| !is_name(word) && leads_somewhere(&word.to_lowercase())) {
        return Err(MessageProblem::Address);
    }
    if has_phone_number(&plain.to_lowercase()) {
        return Err(MessageProblem::PhoneNumber);
    }
    Ok(())
}

/// Common top-level domains of three letters or more, as of 2026-01-01. Only [`is_name`] reads them: other checks treat
/// every such label as an existing domain.
const LONG_TOPS: &str = "academy agency app art asia associates auction baby band bank bar beauty best bet bid bio black blog \
    blue boo boutique build builders business buzz cab cafe cam camp capital cards care careers casa cash casino cat center \
    chat cheap church city claims cleaning click clinic clothing cloud club coach codes coffee com community company contact \
    cool coop country credit dad date dating day deals delivery dental design dev digital direct dog domains download earth \
    edu education email energy engineer estate events exchange expert express fail faith family fan farm fashion fast film \
    finance financial fish fit fitness flights food football forex forum foundation free fun fund futbol fyi gallery game \
    games garden gay gift gifts gives gold golf gov graphics green group guide guru hair haus health help homes horse \
    hospital host hosting hot house how icu inc info ing ink institute insurance insure int international jobs kids kim land \
    law lawyer lease legal life lifestyle limited link live llc loan loans lol london lotto love ltd makeup management market \
    marketing mba media meme men miami mil mobi moe mom money mortgage mov museum music name net network new news ngo ninja \
    now nyc one ong onl online org organic page paris partners party pay pet phd phone photo photos pics pictures pink pizza \
    place plus poker post press pro productions prof promo properties pub quest racing radio realty red rent repair report \
    rest restaurant review reviews rich rip rocks rodeo run safe sale salon save school science security select services \
    sexy shoes shop shopping show singles site ski skin soccer social software solar solutions space spot store stream studio \
    style support surf surgery systems talk tattoo tax taxi team tech tel tennis theater tickets tips tires today tokyo tools \
    top tours town toys trade trading training travel tube university uno vacations vegas ventures vet video villas vin vip \
    vision vote voyage wang watch webcam website wed wedding whoswho wiki win wine work works world wtf xxx xyz yachts yoga \
    you zip zone";

/// Returns whether a word is a person or place after initials or a title, written without a blank: `J.Smith`,
/// `St.Louis`.
fn is_name(word: &str) -> bool {
    const TITLES: [&str; 7] = ["Dr", "Ft", "Mr", "Mrs", "Ms", "Mt", "St"];
    let word = word.trim_matches(|c: char| matches!(c, '(' | ')' | '"' | ',' | '.' | ';' | '!' | '?'));
    let mut labels: Vec<&str> = word.split('.').collect();
    let last = labels.pop().unwrap_or_default();
    let is_capitalized = |label: &str| {
        label.starts_with(|c: char| c.is_ascii_uppercase()) && label.chars().skip(1).all(|c| c.is_ascii_lowercase())
    };
    let is_abbreviated = |label: &&str| label.len() == 1 && is_capitalized(label) || TITLES.contains(label);
    let is_top = || LONG_TOPS.split(' ').any(|top| top.eq_ignore_ascii_case(last));
    !labels.is_empty() && labels.iter().all(is_abbreviated) && last.len() > 2 && is_capitalized(last) && !is_top()
}

/// Returns whether two Latin letters are no country, and so no top-level domain: all of that length are countries.
fn is_no_country(top: &str) -> bool {
    const OTHERS: [&str; 4] = ["ac", "eu", "su", "uk"];
    let is_latin = top.len() == 2 && top.bytes().all(|letter| letter.is_ascii_lowercase());
    is_latin && !crate::country::is_country(&top.to_ascii_uppercase()) && !OTHERS.contains(&top)
}

/// Returns whether a word without blanks is a URL or contains a domain: two labels with a dot between, the second of
/// letters.
fn leads_somewhere(word: &str) -> bool {
    const SCHEMES: [&str; 8] = ["http:", "https:", "mailto:", "tel:", "sms:", "javascript:", "data:", "intent:"];
    if word.contains("://") || word.contains("www.") || SCHEMES.iter().any(|scheme| word.contains(scheme)) {
        return true;
    }
    let is_of_a_label = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    word.split(|c: char| !is_of_a_label(c) && !is_dot(c)).any(|run| {
        let run = run.trim_matches(is_dot);
        let labels: Vec<&str> = run.split(is_dot).collect();
        let is_number = |label: &&str| !label.is_empty() && label.bytes().all(|digit| digit.is_ascii_digit());
        let is_ip = labels.len() == 4 && labels.iter().all(is_number);
        let dots = run.chars().filter(|c| is_dot(*c));
        is_ip || labels.windows(2).zip(dots).any(|(two, dot)| is_domain(two[0], dot, two[1]))
    })
}

/// The dot between labels, and the full stop of Chinese and Japanese, which browsers accept as one.
const fn is_dot(c: char) -> bool {
    matches!(c, '.' | '。')
}

/// Top-level domains in the scripts that end a sentence with '。'. The last two are reserved for examples.
const EAST_ASIAN_TOPS: &str = "中国 中國 台湾 台灣 香港 澳門 新加坡 한국 닷컴 닷넷 삼성 コム みんな ストア セール ポイント \
    クラウド グーグル アマゾン ファッション 公司 公益 政府 政务 机构 组织机构 网络 網絡 网址 网站 网店 中文网 在线 中信 信息 \
    新闻 移动 手机 联通 商城 商店 商标 集团 企业 娱乐 游戏 餐厅 食品 时尚 购物 通販 家電 珠宝 招聘 书籍 慈善 健康 世界 八卦 \
    我爱你 广东 佛山 微博 谷歌 亚马逊 大拿 テスト 测试";

const fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether two labels with this dot are part of a domain. After '。' the next sentence may begin without a
/// blank, so the second label makes a domain only if it is a top-level domain, if it has no East Asian character, or if
/// neither character next to the dot is East Asian.
fn is_domain(label: &str, dot: char, top: &str) -> bool {
    if label.is_empty() || top.chars().filter(|c| c.is_alphabetic()).count() < 2 || is_no_country(top) {
        return false;
    }
    // Only top-level domains that encode another script have digits: `5.30pm` is a time.
    if top.bytes().any(|letter| letter.is_ascii_digit()) && !top.starts_with("xn--") {
        return false;
    }
    let is_sentence = top.contains(is_east_asian) && !EAST_ASIAN_TOPS.split(' ').any(|known| known == top);
    let is_latin_on_both_sides = !label.ends_with(is_east_asian) && !top.starts_with(is_east_asian);
    dot == '.' || !is_sentence || is_latin_on_both_sides
}

/// Returns whether the text has seven or more digits in a row, with separators of phone numbers between them, or a
/// number whose end is spelled as a word (1-800-FLOWERS).
fn has_phone_number(text: &str) -> bool {
    let is_digit = |c: char| c.is_numeric();
    let is_date = |run: &str| {
        let parts: Vec<&str> = run.split('-').collect();
        matches!(parts.as_slice(), [y, m, d] if (y.len(), m.len(), d.len()) == (4, 2, 2))
            && parts.iter().all(|part| part.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let without_dates: Vec<&str> =
        text.split_whitespace().filter(|word| !is_date(word.trim_matches(|c: char| !c.is_alphanumeric()))).collect();
    // The word remains without its digits, so that the digits around it do not become one run.
    let without_references: Vec<&str> = (0..without_dates.len())
        .map(|at| if is_reference(&without_dates, at) { "#" } else { without_dates[at] })
        .collect();
    let is_spelled = |word: &&str| {
        let digits = word.chars().take_while(|c| is_digit(*c) || matches!(c, '+' | '-' | '.' | '(' | ')'));
        let digits = digits.filter(|c| is_digit(*c)).count();
        digits >= 3 && word.contains('-') && word.chars().filter(|c| c.is_alphanumeric()).count() >= 10
    };
    if without_references.iter().any(is_spelled) {
        return true;
    }
    let mut digits = 0;
    for c in without_references.join(" ").chars() {
        match c {
            c if is_digit(c) => digits += 1,
            ' ' | '-' | '.' | '(' | ')' | '+' | '\u{2010}'..='\u{2015}' | '\u{a0}' | '\u{202f}' => {}
            _ => digits = 0,
        }
        if digits >= 7 {
            return true;
        }
    }
    false
}

/// Returns whether a word is the number of an invoice, an order or similar: only digits, after `#` or such a noun,
/// without other digits nearby, and not in the form of a phone number with or without the 1 of North America.
fn is_reference(words: &[&str], at: usize) -> bool {
    const NOUNS: [&str; 14] = [
        "account",
        "acct",
        "contract",
        "inv",
        "invoice",
        "no",
        "nr",
        "order",
        "po",
        "receipt",
        "ref",
        "reference",
        "ticket",
        "#",
    ];
    let noun = |word: &str| NOUNS.contains(&word.trim_matches(|c| matches!(c, '.' | ':' | '(')));
    let has_digit = |word: &str| word.contains(char::is_numeric);
    let (before, after) = (|back| at.checked_sub(back).map_or("", |before| words[before]), &words[at + 1..]);
    let word = words[at].trim_matches(|c| matches!(c, '(' | ')' | ',' | '.' | ';' | '!' | '?'));
    let digits = word.trim_start_matches('#');
    let is_named = digits.len() < word.len() || noun(before(1)) || before(1) == "number" && noun(before(2));
    let is_number = digits.len() >= 7 && digits.bytes().all(|digit| digit.is_ascii_digit());
    // Digits nearby may be the rest of one number.
    let next = after.iter().find(|word| word.contains(char::is_alphanumeric));
    let is_part = (1..=3).any(|back| has_digit(before(back)))
        || next.is_some_and(|word| has_digit(word.split(char::is_alphabetic).next().unwrap_or_default()));
    if !is_named || !is_number || is_part {
        return false;
    }
    let is_phone = |prefix: &str| crate::phone::PhoneNumber::parse_e164(&format!("{prefix}{digits}")).is_ok();
    !is_north_american(digits) && !is_phone("+") && !is_phone("+1")
}

/// Returns whether digits have the form of a North American number: neither area nor exchange begins with 0 or 1.
fn is_north_american(digits: &str) -> bool {
    let national = if digits.len() == 11 { digits.strip_prefix('1').unwrap_or_default() } else { digits };
    let begins_well = |at: usize| national.as_bytes().get(at).is_some_and(|digit| (b'2'..=b'9').contains(digit));
    national.len() == 10 && begins_well(0) && begins_well(3)
}

#[cfg(test)]
mod tests {
    use super::MessageProblem::*;
    use super::*;

    #[test]
    fn messages_that_lead_somewhere_are_refused() {
        for message in [
            "Your account is locked. Choose how to get paid: https://evil.example/claim/AaBb",
            "evil.example",
            "go to EVIL.EXAMPLE/claim now",
            "(bit.ly/x)",
            "www.evil",
            "hxxp://evil",
            "write to boss@evil.example",
            "münchen.example",
            "evil。example",
            "evil．ｃｏｍ",
            "evil｡ｃｏｍ",
            "例え。テスト",
            "見て：例え。中国／受取",
            "例え．テスト",
            "例え。com",
            "evil。comです",
            "10。0。0。1",
            "ev\u{200d}il.com",
            "10.0.0.1/claim",
            "tel:911",
            "javascript:alert(1)",
            "see:evil.co",
            "St.Shop",
            "J.Money",
            "X.Com",
            "J.Co",
            "J.Smith.com",
            "J.Smith@evil",
            "J.Smith/claim.io",
            "j.smith",
            "St.LOUIS",
            "Www.Evil",
            "node.uk",
            "evil.xn--p1ai",
            "Node.js.org",
            "St.Louis.Shop",
        ] {
            assert_eq!(check_message(message), Err(Address), "{message}");
        }
    }

    #[test]
    fn messages_with_a_number_to_call_are_refused() {
        for message in [
            "Call 212-736-1234",
            "Call (212) 736 1234 now",
            "+1 212.736.1234",
            "2127361234",
            "２１２７３６１２３４",
            "7361234",
            "Call 1-800-FLOWERS",
            "2026-01-31-2127361234",
            "Invoice 2127361234",
            "Order #2127361234",
            "Ref. 12127361234",
            "Invoice 212-736-1234",
            "Invoice (212) 736 1234",
            "Invoice 212 736 1234",
            "Invoice 2127361 234",
            "Invoice 2127361, (234)",
            "Invoice 2127361 - 234",
            "212 #7361234",
            "Call 212 no. 7361234",
            "Invoice 1234567 7361234",
            "Invoice 1234567 now call 7361234",
            "Order +1002345678",
            "Order no. 447400123456",
            "Account 1234567-89",
            "number 1234567",
            "my number 1234567",
        ] {
            assert_eq!(check_message(message), Err(PhoneNumber), "{message}");
        }
    }

    #[test]
    fn ordinary_messages_are_accepted() {
        for message in [
            "Thank you for your work!",
            "Thanks for July 2026... see you",
            "Hours from 2026-07-01 to 2026-07-31, 38.5 h at $42.10/h.",
            "Invoice 123456, 3rd; 50% e.g. a.m. Ph.D. No. 7",
            "Merci: à bientôt, 07/31/2026",
            "Invoice 1234567",
            "Invoice number 1234567, thanks",
            "Order #1002345678",
            "Thank you, J.Smith",
            "See you at 5.30pm",
            "Thank you, (Dr.Smith) and J.R.Smith!",
            "Node.js workshop",
            "St.Louis trip",
            "ありがとう。また来月。",
            "ありがとう。また来月",
            "ｱﾘｶﾞﾄｳ｡ﾏﾀﾗｲｹﾞﾂ｡",
            "今月分です。ABC社のJaneより。",
            "谢谢。下个月见。",
            "감사합니다。 다음 달에 만나요.",
            "Спасибо за работу. До встречи!",
            "شكرا على عملك. إلى اللقاء",
            "धन्यवाद। फिर मिलेंगे।",
            "ขอบคุณสำหรับงานของคุณ",
        ] {
            assert_eq!(check_message(message), Ok(()), "{message}");
        }
    }
}
