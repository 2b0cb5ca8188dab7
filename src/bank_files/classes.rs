//! The class (SEC) of a debit. Pure.

use crate::bank_accounts::HolderType;
use crate::banking::originators::EntryClass;
use crate::refusal::{Code, Refusal};
use crate::transfers::{Authorization, AuthorizationChannel, AuthorizationKind};

/// Returns the class of a debit of an app's own account: a company's account is debited as one, a person's with the written
/// authorization that its owner gave by naming it.
pub(super) const fn class_of_own(holder: HolderType) -> EntryClass {
    match holder {
        HolderType::Company => EntryClass::Ccd,
        HolderType::Individual => EntryClass::Ppd,
    }
}

/// Returns the class of a payment. An app that attests keeps a written authorization.
///
/// # Errors
/// `invalid-input` if the authorization of a person does not say how it was given.
pub fn class_of_payment(holder: HolderType, authorization: &Authorization) -> Result<EntryClass, Refusal> {
    match (holder, authorization.channel, authorization.kind) {
        (HolderType::Company, _, _) => Ok(EntryClass::Ccd),
        (HolderType::Individual, Some(AuthorizationChannel::Web), _) => Ok(EntryClass::Web),
        (HolderType::Individual, Some(AuthorizationChannel::Phone), _) => Ok(EntryClass::Tel),
        (HolderType::Individual, Some(AuthorizationChannel::Written), _)
        | (HolderType::Individual, None, AuthorizationKind::Attested) => Ok(EntryClass::Ppd),
        (HolderType::Individual, None, AuthorizationKind::PerPayment) => {
            let message =
                "is required: a bank's file says how the payer gave the authorization; send web, written or phone";
            Err(Refusal::field(Code::InvalidInput, "/authorization/channel", message))
        }
    }
}
