//! One struct per page, filled by the handlers and drawn by the template of the same name.
//!
//! Views hold text as the payee reads it, such as "$125.00" and "Monday, March 2", and use no other module of the
//! crate except `language`, which has the templates' own texts. Templates escape all text except the body of the guide,
//! which is made from the program's own documents.

mod claim;
mod closed;
mod guide;
mod inbox;
mod landing;
mod notice;
mod reference;
mod requests;
mod sandbox;
mod sender;
mod setup;

#[cfg(test)]
mod gallery;

pub use claim::{
    BankForm, BankSpeed, Claim, CodePage, CompliancePage, ContactChangePage, ContactCodesPage, ContactPage, ContactWay,
    DonePage, Ended, MethodDetailsPage, MethodField, MethodPage, NamedContact, NamedContactPage, OtherForm,
    PayoutOutcome, PayoutPage, ProfilePage, ReceiptPage, SavedMethod, Step, StepState, TaxForm, WayChoice, WayGroup,
};
pub use closed::{Closed, ClosedPage, NewLink};
pub use guide::{GuideGroup, GuideLink, GuidePage};
pub use inbox::{InboxMessage, InboxPage, MessageChannel, TextPart};
pub use landing::LandingPage;
pub use notice::{NoticePage, NoticeState};
pub use reference::{
    Operation, OperationGroup, ReferenceChapter, ReferenceGroupPage, ReferenceGroupText, ReferencePage, ReferenceRow,
    ResponseDoc, Sample,
};
pub use requests::{RequestsPage, ShownRequest};
pub use sandbox::{Glance, GlanceEvent, GlanceMessage, GlanceTransfer, Movement, SandboxRefusedPage, TestPayoutPage};
pub use sender::{Sender, Website, WhyPage, WhyPayment};
pub use setup::{SetupPage, SetupState};

use crate::language::{Language, Said, Text};

/// A view in the language of its reader.
pub(super) trait Spoken {
    fn language(&self) -> Language;

    /// Returns a text without placeholders.
    fn text(&self, text: Text) -> &'static str {
        self.language().text(text)
    }

    /// Returns a text whose placeholders the template fills.
    fn say(&self, text: Text) -> Said {
        self.language().say(text)
    }
}

/// Implements [`Spoken`] for views by the path of their language.
macro_rules! spoken {
    ($($view:ident $($field:ident).+;)+) => {
        $(impl super::Spoken for $view {
            fn language(&self) -> Language {
                self.$($field).+
            }
        })+
    };
}
use spoken;

/// A posted form: the typed values and their errors. `Form::default()` is a form that is shown for the first time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// Field name and value as posted. Fields that are shown again take their value from here.
    pub values: Vec<(String, String)>,
    /// All errors, in the order of the fields.
    pub errors: Vec<FieldError>,
    /// Fields whose value was typed and is not shown again: codes, account numbers, tax numbers.
    pub withheld: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The name of the field, or empty for an error of the whole form.
    pub field: String,
    /// A sentence that says what to do: "Enter the six digits we sent you."
    pub message: String,
}

impl Form {
    /// Returns the text typed into the field, or an empty text.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        let typed = self.values.iter().find(|(field, _)| field == name);
        typed.map_or("", |(_, value)| value.as_str())
    }

    /// Returns whether the form was posted with this field.
    #[must_use]
    pub fn has_field(&self, name: &str) -> bool {
        self.values.iter().any(|(field, _)| field == name) || self.is_withheld(name)
    }

    fn is_withheld(&self, name: &str) -> bool {
        self.withheld.iter().any(|field| field == name)
    }

    /// Returns the hint of a field: `again` if its value must be typed once more.
    #[must_use]
    pub fn hint<'a>(&self, name: &str, hint: &'a str, again: &'a str) -> &'a str {
        if self.is_withheld(name) && self.error(name).is_none() { again } else { hint }
    }

    /// Returns whether this value of a list, of radio buttons or of a checkbox was chosen.
    #[must_use]
    pub fn chose(&self, name: &str, value: &str) -> bool {
        self.value(name) == value
    }

    #[must_use]
    pub fn error(&self, name: &str) -> Option<&str> {
        let wrong = self.errors.iter().find(|error| error.field == name);
        wrong.map(|error| error.message.as_str())
    }

    #[must_use]
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns whether the field has the only error. It then takes the focus, and the page needs no list of errors.
    #[must_use]
    pub fn has_only(&self, name: &str) -> bool {
        matches!(self.errors.as_slice(), [error] if error.field == name)
    }

    /// Returns whether there is one error, and it has a field.
    fn has_one_in_a_field(&self) -> bool {
        matches!(self.errors.as_slice(), [error] if !error.field.is_empty())
    }
}

/// A moment, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// With its zone: "December 21, 2026, 09:30 UTC". A page's script shows the reader's zone instead.
    pub shown: String,
    /// RFC 3339.
    pub datetime: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    pub label: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_remembers_what_was_typed_and_what_was_wrong() {
        let form = Form {
            values: vec![("email".into(), "ada@".into())],
            errors: vec![FieldError { field: "email".into(), message: "Enter a whole address.".into() }],
            withheld: vec!["iban".into()],
        };
        assert!(form.has_field("iban") && form.has_field("email") && !form.has_field("bic"));
        assert_eq!(["iban", "email"].map(|name| form.hint(name, "A hint.", "Again.")), ["Again.", "A hint."]);
        assert_eq!(form.value("email"), "ada@");
        assert_eq!(form.value("phone_number"), "");
        assert!(form.chose("email", "ada@"));
        assert_eq!(form.error("email"), Some("Enter a whole address."));
        assert_eq!(form.error("phone_number"), None);
        assert!(form.has_errors() && form.has_only("email") && form.has_one_in_a_field());
        let whole = Form { errors: vec![FieldError { field: String::new(), message: "No.".into() }], ..form };
        assert!(!whole.has_only("email") && !whole.has_one_in_a_field());
    }
}
