//! Composes the texts of messages. Pure.

use super::model::{CodePurpose, PayeeChange};
use crate::clock::Time;
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
        /// The last day of a link that was delivered before: `December 21`.
        reminds_until: Option<&'a str>,
        /// The app's support contact, for a text message; a mail names it in its frame.
        support: Option<&'a str>,
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
pub fn in_words(change: PayeeChange, method: Option<&str>) -> String {
    let method = method.map(|method| format!(" ({method})")).unwrap_or_default();
    match change {
        PayeeChange::NewMethod => format!("a new way to get paid was added{method}"),
        PayeeChange::NewDefault => format!("your usual way to get paid was changed{method}"),
        PayeeChange::AutoPayout => "automatic payouts were switched on".to_owned(),
        PayeeChange::Email => "your email address was changed".to_owned(),
        PayeeChange::Phone => "your phone number was changed".to_owned(),
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
pub fn compose(letter: &Letter<'_>) -> Composed {
    let (subject, text, link, code) = match *letter {
        Letter::ClaimLink { app_name, amount, message, link, reminds_until, support } => {
            let amount = amount.dollars();
            let (reminder, until) = match reminds_until {
                Some(day) => ("Reminder: ", format!(" by {day}")),
                None => ("", String::new()),
            };
            let subject = format!("{reminder}{app_name} is sending you {amount}");
            let said = said(app_name, message);
            let support = support.map(|contact| format!("\nQuestions? {contact}")).unwrap_or_default();
            let text = format!("{subject}.\nChoose how to get paid{until}: {link}{said}{support}");
            (subject, text, Some(link), None)
        }
        Letter::Code { app_name, code, purpose, page_host } => {
            let app_name = if has_six_digits(app_name) { "the app" } else { app_name };
            let subject = format!("Your code for {app_name}");
            let bound = page_host.filter(|host| !has_six_digits(host)).map(|host| format!("\n\n@{host} #{code}"));
            let text = format!("{}{}", code_text(app_name, code, purpose), bound.unwrap_or_default());
            (subject, text, None, Some(code))
        }
        Letter::PayoutFailed { app_name, amount, reason, returned_by, link, back_at_app } => {
            let what = returned_by.map_or("could not be paid out".to_owned(), |by| format!("was returned by {by}"));
            let subject = format!("{} from {app_name} {what}", amount.dollars());
            let next = match link {
                Some(link) => format!("Choose another way to get paid: {link}"),
                None => format!("Ask {app_name} to pay you in another way."),
            };
            let text = format!("{subject}: {reason}. {} {next}", whose(back_at_app));
            (subject, text, link, None)
        }
        Letter::PayoutCanceled { app_name, amount, link, back_at_app } => {
            let subject = format!("{} from {app_name} was canceled before it was sent", amount.dollars());
            let next = match link {
                Some(link) => format!("Choose how to get paid: {link}"),
                None => format!("Ask {app_name} if you expected it."),
            };
            let text = format!("{subject}. {} {next}", whose(back_at_app));
            (subject, text, link, None)
        }
        Letter::PaidByPreference { app_name, amount, method, arrival, message } => {
            let subject = format!("{app_name} sent you {}", amount.dollars());
            let said = said(app_name, message);
            let text = format!("{subject}.\nIt goes to {method}. Expected arrival: {arrival}.{said}");
            (subject, text, None, None)
        }
        Letter::PaymentCollected { app_name, amount, account } => {
            let subject = format!("{app_name} is collecting {} from your bank account", amount.dollars());
            let text = format!(
                "{subject} ending in {account}. If you did not agree to this, ask {app_name} to cancel it, and ask \
                 your bank within 60 days to return it."
            );
            (subject, text, None, None)
        }
        Letter::PayoutCompleted { app_name, amount, fee, method, reference } => {
            let subject = format!("{} from {app_name} has arrived", amount.dollars());
            let fee = if fee.is_zero() { "no fee".to_owned() } else { format!("your fee was {}", fee.dollars()) };
            let text = format!("{subject}: {method}, {fee}. Receipt {reference}.");
            (subject, text, None, None)
        }
        Letter::PayeeChanged { app_name, changes, method, link } => {
            let subject = format!("Your payouts from {app_name} were changed");
            let said: Vec<String> = changes.iter().map(|change| in_words(*change, method)).collect();
            let said = said.join(", and ");
            let text = format!("For your payouts from {app_name}, {said}. Not you? Stop automatic payouts: {link}");
            (subject, text, Some(link), None)
        }
    };
    Composed { subject, text, link: link.map(str::to_owned), code: code.map(str::to_owned) }
}

fn code_text(app_name: &str, code: &str, purpose: CodePurpose) -> String {
    let what = match purpose {
        CodePurpose::Verification => format!("is your code to confirm your phone for {app_name}"),
        CodePurpose::Claim => format!("is your code to receive your payment from {app_name}"),
        CodePurpose::ContactChange => {
            format!("is your code to change your phone number or e-mail address with {app_name}")
        }
        CodePurpose::Unfreeze => format!("is your code to start automatic payouts from {app_name} again"),
    };
    // Payees enter the other codes in the app's own product, or on the page of a notice.
    let page = match purpose {
        CodePurpose::Claim | CodePurpose::ContactChange => "the payment page",
        CodePurpose::Verification | CodePurpose::Unfreeze => "the page where you requested it",
    };
    format!("{code} {what}. It is valid for 10 minutes. Enter it only on {page}. We will never call you for it.")
}

const fn whose(back_at_app: bool) -> &'static str {
    if back_at_app { "The money is back with the sender." } else { "The money is safe and still yours." }
}

/// Returns the last day of a link, for its reminders: all deliveries but the first.
pub fn last_day(delivery: u32, expires_at: Time) -> Option<String> {
    (delivery > 1).then(|| expires_at.date().strftime("%B %-d").to_string())
}

/// Returns the payer's message as the last line, quoted and with the payer's name, so that it cannot pass for bursar's
/// words. A message stored before messages were checked is omitted if it fails the check.
fn said(app_name: &str, message: Option<&str>) -> String {
    let Some(message) = message.filter(|message| check_message(message).is_ok()) else { return String::new() };
    let one_line = message.split_whitespace().collect::<Vec<_>>().join(" ").replace(['"', '“', '”'], "'");
    format!("\n{app_name} says: \"{one_line}\"")
}

fn has_six_digits(text: &str) -> bool {
    text.split(|character: char| !character.is_ascii_digit()).any(|run| run.len() >= 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(letters: &[Letter<'_>]) -> String {
        letters.iter().map(|letter| compose(letter).text).collect::<Vec<_>>().join("\n---\n")
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
            },
            Letter::ClaimLink {
                app_name: "Acme",
                amount,
                message: None,
                link: "http://x/claim/abc",
                reminds_until: Some("December 21"),
                support: None,
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
                arrival: "seconds",
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
        $1,234.05 from Acme was canceled before it was sent. The money is back with the sender. Ask Acme if you expected it.
        ---
        Acme sent you $1,234.05.
        It goes to Checking account ••6789. Expected arrival: seconds.
        Acme says: "Well done."
        ---
        Acme is collecting $1,234.05 from your bank account ending in 6789. If you did not agree to this, ask Acme to cancel it, and ask your bank within 60 days to return it.
        "#);
    }

    #[test]
    fn a_message_comes_after_the_link_and_cannot_end_its_quotes() {
        let text = |message| {
            let link = "http://x/claim/abc";
            compose(&Letter::ClaimLink {
                app_name: "Acme",
                amount: Cents::new(1),
                message: Some(message),
                link,
                reminds_until: None,
                support: None,
            })
            .text
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
                let composed = compose(&letter);
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
}
