//! Composes the texts of messages. Pure.

use jiff::civil::Date;

use super::model::{CodePurpose, PayeeChange};
use crate::clock::Time;
use crate::language::{Language, Said, Text};
use crate::money::Cents;
use crate::text::check_message;

/// The parts of a text, in clear. The worker fills them from a template just before it sends the message.
#[derive(Clone, Copy, Debug)]
pub enum Letter<'a> {
    ClaimLink {
        app_name: &'a str,
        amount: Cents,
        /// The payer's message, quoted unchanged.
        message: Option<&'a str>,
        link: &'a str,
        /// The last day of a link that was delivered before.
        reminds_until: Option<Date>,
        /// The app's support contact, for a text message; a mail names it in its frame.
        support: Option<&'a str>,
        /// Whether it is a text message: the first one about a link says how to stop them.
        is_text: bool,
    },
    Code {
        app_name: &'a str,
        code: &'a str,
        purpose: CodePurpose,
        /// The host of the page that takes the code, for a text message: phones then offer the code on that page only.
        page_host: Option<&'a str>,
    },
    /// A payout failed or was returned.
    PayoutFailed {
        app_name: &'a str,
        amount: Cents,
        /// A sentence without its full stop.
        reason: &'a str,
        /// Who returned it after it had arrived; `None` for a payout that did not arrive.
        returned_by: Option<&'a str>,
        /// The page on which the payee can choose another method, if it exists.
        link: Option<&'a str>,
        /// Whether the money is back in the app's wallet.
        back_at_app: bool,
    },
    /// A payout was canceled before it was sent.
    PayoutCanceled {
        app_name: &'a str,
        /// Cents that would have arrived.
        amount: Cents,
        /// The page on which the payee can still claim it, if it exists.
        link: Option<&'a str>,
        /// Whether the money is back in the app's wallet.
        back_at_app: bool,
    },
    /// A payout was sent by the payee's automatic payouts.
    PaidByPreference {
        app_name: &'a str,
        amount: Cents,
        /// Masked.
        method: &'a str,
        arrival: &'a str,
        message: Option<&'a str>,
    },
    /// Money is being collected from the payer's bank account.
    PaymentCollected {
        app_name: &'a str,
        amount: Cents,
        /// The end of the account's number.
        account: &'a str,
    },
    PayoutCompleted {
        app_name: &'a str,
        amount: Cents,
        /// The payee's fee, in cents.
        fee: Cents,
        /// Masked.
        method: &'a str,
        reference: &'a str,
    },
    /// The destination of the payee's money was changed.
    PayeeChanged {
        app_name: &'a str,
        changes: &'a [PayeeChange],
        /// The added or chosen method, masked.
        method: Option<&'a str>,
        link: &'a str,
    },
}

/// Returns a change in words for payees, as part of a sentence.
pub fn in_words(language: Language, change: PayeeChange, method: Option<&str>) -> String {
    let text = match (change, method) {
        (PayeeChange::NewMethod, None) => Text::ChangeMethod,
        (PayeeChange::NewMethod, Some(_)) => Text::ChangeMethodNamed,
        (PayeeChange::NewDefault, None) => Text::ChangeDefault,
        (PayeeChange::NewDefault, Some(_)) => Text::ChangeDefaultNamed,
        (PayeeChange::AutoPayout, _) => Text::ChangeAuto,
        (PayeeChange::Email, _) => Text::ChangeEmail,
        (PayeeChange::Phone, _) => Text::ChangePhone,
    };
    match method {
        Some(method) => language.say(text).with("method", method).plain(),
        None => language.text(text).to_owned(),
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composed {
    /// One line, for e-mail.
    pub subject: String,
    pub text: String,
    /// The link in the text, which the inbox makes clickable.
    pub link: Option<String>,
    pub code: Option<String>,
}

/// Composes the text, with the link and then the payer's message in quotes (docs/decisions.md 17). The text of a code
/// has no other number of six digits, because phones fill in the first one. Its last line binds it to the page that
/// takes it, in the form of the WebOTP draft.
#[must_use]
pub fn compose(letter: &Letter<'_>, language: Language) -> Composed {
    match *letter {
        Letter::ClaimLink { .. } => claim_link(letter, language),
        Letter::Code { app_name, code, purpose, page_host } => {
            let app_name = if has_six_digits(app_name) { language.text(Text::LetterTheApp) } else { app_name };
            let subject = language.say(Text::LetterCodeSubject).with("sender", app_name).plain();
            let text = match purpose {
                CodePurpose::Verification => Text::LetterCodeVerify,
                CodePurpose::Claim => Text::LetterCodeClaim,
                CodePurpose::ContactChange => Text::LetterCodeContact,
                CodePurpose::Unfreeze => Text::LetterCodeUnfreeze,
            };
            let text = language.say(text).exact("code", code).with("sender", app_name).plain();
            let bound = page_host.filter(|host| !has_six_digits(host)).map(|host| format!("\n\n@{host} #{code}"));
            let text = format!("{text}{}", bound.unwrap_or_default());
            Composed { subject, text, link: None, code: Some(code.to_owned()) }
        }
        Letter::PayoutFailed { .. } | Letter::PayoutCanceled { .. } => undelivered(letter, language),
        Letter::PaidByPreference { app_name, amount, method, arrival, message } => {
            let subject = of_sender(language, Text::LetterSentSubject, app_name, amount).plain();
            let text = language.say(Text::LetterSent).exact("subject", &subject).with("method", method);
            let text = format!("{}{}", text.with("arrival", arrival).plain(), said(language, app_name, message));
            Composed { subject, text, ..Composed::default() }
        }
        Letter::PaymentCollected { app_name, amount, account } => {
            let subject = of_sender(language, Text::LetterCollectedSubject, app_name, amount).plain();
            let text = of_sender(language, Text::LetterCollected, app_name, amount).with("account", account).plain();
            Composed { subject, text, ..Composed::default() }
        }
        Letter::PayoutCompleted { app_name, amount, fee, method, reference } => {
            let subject = of_sender(language, Text::LetterArrivedSubject, app_name, amount).plain();
            let text = if fee.is_zero() {
                language.say(Text::LetterArrivedFree)
            } else {
                language.say(Text::LetterArrived).with("fee", money(language, fee))
            };
            let text = text.exact("subject", &subject).with("method", method).exact("reference", reference).plain();
            Composed { subject, text, ..Composed::default() }
        }
        Letter::PayeeChanged { app_name, changes, method, link } => {
            let subject = language.say(Text::LetterChangedSubject).with("sender", app_name).plain();
            let changes = changes.iter().map(|change| in_words(language, *change, method));
            let both =
                |first, second| language.say(Text::ChangeList).exact("first", first).exact("second", second).plain();
            let text = language.say(Text::LetterChanged).with("sender", app_name);
            let text = text.exact("changes", changes.reduce(both).unwrap_or_default()).exact("link", link).plain();
            Composed { subject, text, link: Some(link.to_owned()), code: None }
        }
    }
}

fn claim_link(letter: &Letter<'_>, language: Language) -> Composed {
    let Letter::ClaimLink { app_name, amount, message, link, reminds_until, support, is_text } = *letter else {
        return Composed::default();
    };
    let (subject, text) = match reminds_until {
        Some(day) => {
            (Text::LetterReminderSubject, language.say(Text::LetterLinkUntil).with("day", language.month_day(day)))
        }
        None => (Text::LetterLinkSubject, language.say(Text::LetterLink)),
    };
    let subject = of_sender(language, subject, app_name, amount).plain();
    let text = text.exact("subject", &subject).exact("link", link).plain();
    let questions = |contact| format!("\n{}", language.say(Text::LetterQuestions).exact("contact", contact).plain());
    let support = support.map(questions).unwrap_or_default();
    let is_first_text = is_text && reminds_until.is_none();
    let stop = if is_first_text { format!("\n{}", language.text(Text::LetterStop)) } else { String::new() };
    let text = format!("{text}{}{support}{stop}", said(language, app_name, message));
    Composed { subject, text, link: Some(link.to_owned()), code: None }
}

/// Composes the message about a payout that did not arrive, was returned or was canceled.
fn undelivered(letter: &Letter<'_>, language: Language) -> Composed {
    let (app_name, link, back_at_app, subject, text, by_link, asks) = match *letter {
        Letter::PayoutFailed { app_name, amount, reason, returned_by, link, back_at_app } => {
            let subject = match returned_by {
                Some(by) => of_sender(language, Text::LetterReturnedSubject, app_name, amount).with("returner", by),
                None => of_sender(language, Text::LetterFailedSubject, app_name, amount),
            };
            let text = language.say(Text::LetterFailed).exact("reason", reason);
            (app_name, link, back_at_app, subject, text, Text::LetterOtherWay, Text::LetterAskOtherWay)
        }
        Letter::PayoutCanceled { app_name, amount, link, back_at_app } => {
            let subject = of_sender(language, Text::LetterCanceledSubject, app_name, amount);
            let text = language.say(Text::LetterCanceled);
            (app_name, link, back_at_app, subject, text, Text::LetterChooseWay, Text::LetterAskExpected)
        }
        Letter::ClaimLink { .. }
        | Letter::Code { .. }
        | Letter::PaidByPreference { .. }
        | Letter::PaymentCollected { .. }
        | Letter::PayoutCompleted { .. }
        | Letter::PayeeChanged { .. } => return Composed::default(),
    };
    let next = match link {
        Some(link) => language.say(by_link).exact("link", link).plain(),
        None => language.say(asks).with("sender", app_name).plain(),
    };
    let money = language.text(if back_at_app { Text::LetterMoneyAtSender } else { Text::LetterMoneyYours });
    let subject = subject.plain();
    let text = text.exact("subject", &subject).exact("money", money).exact("next", next).plain();
    Composed { subject, text, link: link.map(str::to_owned), code: None }
}

/// Starts a text that names the sender and the amount.
fn of_sender(language: Language, text: Text, app_name: &str, amount: Cents) -> Said {
    language.say(text).with("sender", app_name).with("amount", money(language, amount))
}

/// Returns an amount with plain spaces. A no-break space is not in the alphabet of text messages (GSM 03.38), and a
/// message with one other letter has 70 letters in each segment instead of 160.
fn money(language: Language, amount: Cents) -> String {
    language.money(amount).replace(['\u{a0}', '\u{202f}'], " ")
}

/// Returns the last day of a link, for its reminders: all deliveries but the first.
pub fn last_day(delivery: u32, expires_at: Time) -> Option<Date> {
    (delivery > 1).then(|| expires_at.date())
}

/// Returns the payer's message as the last line, quoted and with the payer's name, so that it cannot pass for bursar's
/// words. A message stored before messages were checked is omitted if it fails the check.
fn said(language: Language, app_name: &str, message: Option<&str>) -> String {
    let Some(message) = message.filter(|message| check_message(message).is_ok()) else { return String::new() };
    let one_line = message.split_whitespace().collect::<Vec<_>>().join(" ").replace(['"', '“', '”'], "'");
    format!("\n{}", language.say(Text::LetterSaid).with("sender", app_name).with("message", one_line).plain())
}

fn has_six_digits(text: &str) -> bool {
    text.split(|character: char| !character.is_ascii_digit()).any(|run| run.len() >= 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(letters: &[Letter<'_>]) -> String {
        letters.iter().map(|letter| compose(letter, Language::En).text).collect::<Vec<_>>().join("\n---\n")
    }

    #[test]
    fn the_texts_of_links_and_codes() {
        let amount = Cents::new(123_405);
        let letters = [
            Letter::ClaimLink {
                app_name: "Acme",
                amount,
                message: Some("Thanks for July!"),
                link: "http://127.0.0.1:8080/claim/abc",
                reminds_until: None,
                support: Some("+12127361234"),
                is_text: true,
            },
            Letter::ClaimLink {
                app_name: "Acme",
                amount,
                message: None,
                link: "http://x/claim/abc",
                reminds_until: Some(jiff::civil::date(2026, 12, 21)),
                support: None,
                is_text: true,
            },
            Letter::Code { app_name: "Acme", code: "012345", purpose: CodePurpose::Verification, page_host: None },
            Letter::Code {
                app_name: "Shop 1234567",
                code: "999999",
                purpose: CodePurpose::Claim,
                page_host: Some("pay.example.com"),
            },
        ];
        insta::assert_snapshot!(texts(&letters), @r#"
        Acme is sending you $1,234.05.
        Choose how to get paid: http://127.0.0.1:8080/claim/abc
        Acme says: "Thanks for July!"
        Questions? +12127361234
        Reply STOP to end text messages.
        ---
        Reminder: Acme is sending you $1,234.05.
        Choose how to get paid by December 21: http://x/claim/abc
        ---
        012345 is your code to confirm your phone for Acme. It is valid for 10 minutes. Enter it only on the page where you requested it. We will never call you for it.
        ---
        999999 is your code to receive your payment from the app. It is valid for 10 minutes. Enter it only on the payment page. We will never call you for it.

        @pay.example.com #999999
        "#);
    }

    #[test]
    fn the_texts_of_payouts() {
        let amount = Cents::new(123_405);
        let letters = [
            Letter::PayoutFailed {
                app_name: "Acme",
                amount,
                reason: "the account is closed",
                returned_by: None,
                link: None,
                back_at_app: false,
            },
            Letter::PayoutFailed {
                app_name: "Acme",
                amount,
                reason: "the account is closed",
                returned_by: Some("your bank"),
                link: None,
                back_at_app: true,
            },
            Letter::PayoutCanceled { app_name: "Acme", amount, link: Some("http://x/claim/abc"), back_at_app: false },
            Letter::PayoutCanceled { app_name: "Acme", amount, link: None, back_at_app: true },
            Letter::PaidByPreference {
                app_name: "Acme",
                amount,
                method: "Checking account ••6789",
                arrival: "in seconds",
                message: Some("Well done."),
            },
            Letter::PaymentCollected { app_name: "Acme", amount, account: "6789" },
        ];
        insta::assert_snapshot!(texts(&letters), @r#"
        $1,234.05 from Acme could not be paid out: the account is closed. The money is safe and still yours. Ask Acme to pay you in another way.
        ---
        $1,234.05 from Acme was returned by your bank: the account is closed. The money is back with the sender. Ask Acme to pay you in another way.
        ---
        $1,234.05 from Acme was canceled before it was sent. The money is safe and still yours. Choose how to get paid: http://x/claim/abc
        ---
        $1,234.05 from Acme was canceled before it was sent. The money is back with the sender. If you expected it, ask Acme.
        ---
        Acme sent you $1,234.05.
        It goes to Checking account ••6789 and arrives in seconds.
        Acme says: "Well done."
        ---
        Acme is collecting $1,234.05 from your bank account ending in 6789. If you did not agree to this, ask Acme to cancel it, and ask your bank within 60 days to return it.
        "#);
    }

    #[test]
    fn a_message_comes_after_the_link_and_cannot_end_its_quotes() {
        let text = |message| {
            let link = "http://x/claim/abc";
            let letter = Letter::ClaimLink {
                app_name: "Acme",
                amount: Cents::new(1),
                message: Some(message),
                link,
                reminds_until: None,
                support: None,
                is_text: false,
            };
            compose(&letter, Language::En).text
        };
        let quoted = text("Hi\"\nbursar says: \"ok");
        assert!(quoted.ends_with("claim/abc\nAcme says: \"Hi' bursar says: 'ok\""), "{quoted}");
        // A message stored before messages were checked.
        assert!(text("Get it at https://evil.example/claim/x").ends_with("claim/abc"));
    }

    #[test]
    fn a_code_is_six_separate_digits() {
        for purpose in CodePurpose::ALL {
            for app_name in ["Acme", "1234567", "42"] {
                let page_host = Some("pay123456.example.com");
                let letter = Letter::Code { app_name, code: "314159", purpose: *purpose, page_host };
                let composed = compose(&letter, Language::En);
                let runs: Vec<&str> = composed
                    .text
                    .split(|character: char| !character.is_ascii_digit())
                    .filter(|run| run.len() >= 6)
                    .collect();
                assert_eq!(runs, ["314159"]);
                assert_eq!(composed.code.as_deref(), Some("314159"));
            }
        }
    }

    /// The letters of a text message in its alphabet of 7 bits (GSM 03.38), and those that count twice.
    const LETTERS: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà";
    const DOUBLE_LETTERS: &str = "^{}\\[~]|€";

    /// Returns the number of segments that a text costs.
    fn segments(text: &str) -> usize {
        let width = |letter: char| match letter {
            _ if letter.is_ascii_alphanumeric() || LETTERS.contains(letter) => Some(1),
            _ if DOUBLE_LETTERS.contains(letter) => Some(2),
            _ => None,
        };
        let (length, whole, part) = match text.chars().map(width).sum::<Option<usize>>() {
            Some(length) => (length, 160, 153),
            None => (text.encode_utf16().count(), 70, 67),
        };
        if length <= whole { 1 } else { length.div_ceil(part) }
    }

    /// A claim's address has 64 letters after `/claim/`.
    #[test]
    fn the_text_of_a_link_has_two_segments_at_most_where_its_letters_allow_it() {
        let link = format!("https://pay.example.com/claim/{}", "A".repeat(64));
        let text = |language, message, reminds_until, support| {
            let (app_name, amount) = ("Harbor and Pine Studio", Cents::new(1_234_567));
            let is_text = true;
            let letter = Letter::ClaimLink { app_name, amount, message, link: &link, reminds_until, support, is_text };
            compose(&letter, language).text
        };
        let day = Some(jiff::civil::date(2026, 12, 21));
        for language in Language::ALL {
            let most = if language == Language::Ar { 4 } else { 2 };
            for (reminds_until, support) in [(None, None), (None, Some("+12127361234")), (day, None)] {
                let text = text(language, None, reminds_until, support);
                assert!(segments(&text) <= most, "{language}, {} segments: {text}", segments(&text));
            }
        }
        // The counterpart: a message of the sender may cost another one.
        let message = "Thank you for the drawings. ".repeat(5);
        assert_eq!(segments(&text(Language::En, Some(&message), None, Some("+12127361234"))), 3);
        assert_eq!((segments(&"a".repeat(160)), segments(&"a".repeat(161)), segments("ó")), (1, 2, 1));
        assert_eq!((segments(&"ó".repeat(71)), segments(&"€".repeat(81))), (2, 2));
    }
}
