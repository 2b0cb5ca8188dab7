//! One struct per page, filled by the handlers and drawn by the template of the same name.
//!
//! Views hold text as the payee reads it, such as "$125.00" and "Monday, March 2", and use no other module of the
//! crate except `language`, which has the templates' own texts. Templates escape all text except the body of the guide,
//! which is made from the program's own documents.

mod claim;
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
    BankForm, BankSpeed, Claim, Closed, ClosedPage, CodePage, CompliancePage, ContactChangePage, ContactCodesPage,
    ContactPage, ContactWay, DonePage, MethodDetailsPage, MethodField, MethodPage, NamedContact, NamedContactPage,
    NewLink, OtherForm, PayoutOutcome, PayoutPage, ProfilePage, ReceiptPage, SavedMethod, Step, StepState, TaxForm,
    WayChoice, WayGroup,
};
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
        };
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
