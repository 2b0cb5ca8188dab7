//! The texts, as a pure function of their parts.

use super::model::{CodePurpose, PayeeChange};
use crate::money::Cents;
use crate::text::check_message;

/// The parts of a text, in clear. The worker fills it from a template just before it is sent.
#[derive(Clone, Copy, Debug)]
pub enum Letter<'a> {
    /// A link to claim money.
    ClaimLink {
        /// Who pays.
        app_name: &'a str,
        /// How much, in cents.
        amount: Cents,
        /// What the payer says to the person; said word for word.
        message: Option<&'a str>,
        /// The whole link.
        link: &'a str,
        /// Whether it was delivered before.
        again: bool,
    },
    /// A six-digit code.
    Code {
        /// Who asks for it.
        app_name: &'a str,
        /// The six digits.
        code: &'a str,
        /// What it proves.
        purpose: CodePurpose,
    },
    /// A payout came back.
    PayoutFailed {
        /// Who pays.
        app_name: &'a str,
        /// What came back, in cents.
        amount: Cents,
        /// Why, as a sentence without its end.
        reason: &'a str,
        /// Where the person can choose another method, if there is such a page.
        link: Option<&'a str>,
        /// Whether the money is the payer's again.
        back_at_app: bool,
    },
    /// A payout was taken back before it left.
    PayoutCanceled {
        /// Who pays.
        app_name: &'a str,
        /// What would have arrived, in cents.
        amount: Cents,
        /// Where the person can get it all the same, if there is such a page.
        link: Option<&'a str>,
        /// Whether the money is the payer's again.
        back_at_app: bool,
    },
    /// A payout went the way that the person chose once.
    PaidByPreference {
        /// Who pays.
        app_name: &'a str,
        /// What arrives, in cents.
        amount: Cents,
        /// Where to, masked.
        method: &'a str,
        /// When.
        arrival: &'a str,
        /// What the payer says to the person.
        message: Option<&'a str>,
    },
    /// Money is being collected from the payer's bank account.
    PaymentCollected {
        /// Who collects it.
        app_name: &'a str,
        /// How much, in cents.
        amount: Cents,
        /// The end of the account's number.
        account: &'a str,
    },
    /// A payout has arrived.
    PayoutCompleted {
        /// Who pays.
        app_name: &'a str,
        /// What arrived, in cents.
        amount: Cents,
        /// What the payee paid for it, in cents.
        fee: Cents,
        /// Where to, masked.
        method: &'a str,
        /// The payout's id.
        reference: &'a str,
    },
    /// Where the payee's money goes was changed.
    PayeeChanged {
        /// The app at which it was changed.
        app_name: &'a str,
        /// What was changed.
        changes: &'a [PayeeChange],
        /// The method that was added or chosen, masked.
        method: Option<&'a str>,
        /// The page that freezes automatic payouts.
        link: &'a str,
    },
}

/// A change in the payee's words, as part of a sentence.
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

/// A text ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// One line, for e-mail.
    pub subject: String,
    /// The whole text.
    pub text: String,
    /// The link in the text, so that the inbox can offer it.
    pub link: Option<String>,
    /// The code in the text.
    pub code: Option<String>,
}

/// Writes the text. It contains the link, and after it the payer's message, quoted (docs/decisions.md 17). A code's text has
/// no other run of six digits, so that a phone which offers to fill the code in finds the right one.
#[must_use]
pub fn compose(letter: &Letter<'_>) -> Composed {
    let (subject, text, link, code) = match *letter {
        Letter::ClaimLink { app_name, amount, message, link, again } => {
            let amount = amount.dollars();
            let reminder = if again { "Reminder: " } else { "" };
            let subject = format!("{reminder}{app_name} is sending you {amount}");
            let text = format!("{subject}.\nChoose how to get paid: {link}{}", said(app_name, message));
            (subject, text, Some(link), None)
        }
        Letter::Code { app_name, code, purpose } => {
            let app_name = if has_six_digits(app_name) { "the app" } else { app_name };
            let subject = format!("Your code for {app_name}");
            let what = match purpose {
                CodePurpose::Verification => format!("is your code to confirm your phone for {app_name}"),
                CodePurpose::Claim => format!("is your code to receive your payment from {app_name}"),
                CodePurpose::ContactChange => {
                    format!("is your code to change your phone number or e-mail address with {app_name}")
                }
                CodePurpose::Unfreeze => format!("is your code to start automatic payouts from {app_name} again"),
            };
            let text = format!("{code} {what}. It works for 10 minutes. We will never ask you for this code.");
            (subject, text, None, Some(code))
        }
        Letter::PayoutFailed { app_name, amount, reason, link, back_at_app } => {
            let subject = format!("{} from {app_name} could not be paid out", amount.dollars());
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
            let text = format!("For your payouts from {app_name}, {}. If this was not you, stop automatic payouts: \
                                {link}", said.join(", \
                                                                                                                                       and \
                                                                                                                                       "));
            (subject, text, Some(link), None)
        }
    };
    Composed { subject, text, link: link.map(str::to_owned), code: code.map(str::to_owned) }
}

/// Whose the money is that did not arrive.
const fn whose(back_at_app: bool) -> &'static str {
    if back_at_app { "The money is back with the sender." } else { "The money is safe and still yours." }
}

/// The payer's message on the last line: quoted, with the payer's name, so that it is not taken for the service's words. One
/// that was taken before messages were checked, and would not be taken now, is left out.
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

    #[test]
    fn the_texts() {
        let amount = Cents::new(123_405);
        let letters = [
            Letter::ClaimLink {
                app_name: "Acme",
                amount,
                message: Some("Thanks for July!"),
                link: "http://127.0.0.1:8080/claim/abc",
                again: false,
            },
            Letter::ClaimLink { app_name: "Acme", amount, message: None, link: "http://x/claim/abc", again: true },
            Letter::Code { app_name: "Acme", code: "012345", purpose: CodePurpose::Verification },
            Letter::Code { app_name: "Shop 1234567", code: "999999", purpose: CodePurpose::Claim },
            Letter::PayoutFailed {
                app_name: "Acme",
                amount,
                reason: "the account is closed",
                link: None,
                back_at_app: false,
            },
            Letter::PayoutFailed {
                app_name: "Acme",
                amount,
                reason: "the account is closed",
                link: None,
                back_at_app: true,
            },
            Letter::PayoutCanceled { app_name: "Acme", amount, link: Some("http://x/claim/abc"), back_at_app: false },
            Letter::PayoutCanceled { app_name: "Acme", amount, link: None, back_at_app: true },
            Letter::PaidByPreference {
                app_name: "Acme",
                amount,
                method: "Bank account (ACH) ***6789",
                arrival: "seconds",
                message: Some("Well done."),
            },
            Letter::PaymentCollected { app_name: "Acme", amount, account: "6789" },
        ];
        let texts: Vec<String> = letters.iter().map(|letter| compose(letter).text).collect();
        insta::assert_snapshot!(texts.join("\n---\n"), @r#"
        Acme is sending you $1,234.05.
        Choose how to get paid: http://127.0.0.1:8080/claim/abc
        Acme says: "Thanks for July!"
        ---
        Reminder: Acme is sending you $1,234.05.
        Choose how to get paid: http://x/claim/abc
        ---
        012345 is your code to confirm your phone for Acme. It works for 10 minutes. We will never ask you for this code.
        ---
        999999 is your code to receive your payment from the app. It works for 10 minutes. We will never ask you for this code.
        ---
        $1,234.05 from Acme could not be paid out: the account is closed. The money is safe and still yours. Ask Acme to pay you in another way.
        ---
        $1,234.05 from Acme could not be paid out: the account is closed. The money is back with the sender. Ask Acme to pay you in another way.
        ---
        $1,234.05 from Acme was canceled before it was sent. The money is safe and still yours. Choose how to get paid: http://x/claim/abc
        ---
        $1,234.05 from Acme was canceled before it was sent. The money is back with the sender. Ask Acme if you expected it.
        ---
        Acme sent you $1,234.05.
        It goes to Bank account (ACH) ***6789. Expected arrival: seconds.
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
                again: false,
            })
            .text
        };
        let quoted = text("Hi\"\nbursar says: \"ok");
        assert!(quoted.ends_with("claim/abc\nAcme says: \"Hi' bursar says: 'ok\""), "{quoted}");
        // Kept from before messages were checked.
        assert!(text("Get it at https://evil.example/claim/x").ends_with("claim/abc"));
    }

    #[test]
    fn a_code_is_six_separate_digits() {
        for purpose in CodePurpose::ALL {
            for app_name in ["Acme", "1234567", "42"] {
                let composed = compose(&Letter::Code { app_name, code: "314159", purpose: *purpose });
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
