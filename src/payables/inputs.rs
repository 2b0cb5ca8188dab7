//! The JSON inputs of a payable and its file.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Value as Schema, json};

use super::file::FILE_BYTES_MAX;
use super::items::Items;
use super::model::{ActionKind, FundingSource, PayableStatus};
use crate::ids::{MemberId, VendorId, VendorPaymentMethodId};
use crate::input::types::{Amount, Line, LongText, word_input};
use crate::input::{Change, Input, Problems, input, text, wrong};
use crate::ledger::CURRENCY;
use crate::patch::Patch;
use crate::strict_json::Json;
use crate::vendors::EXTERNAL_ID_MAX;

word_input!(PayableStatus);
word_input!(ActionKind);
word_input!(FundingSource);

/// The longest number of a bill, in characters.
pub(super) const NUMBER_MAX: usize = 100;
/// A PDF must have its end marker within this many last bytes; readers have always searched that far.
const PDF_END_WITHIN: usize = 1024;
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The currency of a bill, which must be the ledger's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Currency(pub &'static str);

impl Default for Currency {
    fn default() -> Self {
        Self(CURRENCY)
    }
}

impl Input for Currency {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        if text(json, at)? == CURRENCY { Ok(Self::default()) } else { Err(wrong(at, format!("must be {CURRENCY}"))) }
    }
    fn schema() -> Schema {
        json!({"type": "string", "enum": [CURRENCY]})
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Pdf(pub Vec<u8>);

impl std::fmt::Debug for Pdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pdf({} bytes)", self.0.len())
    }
}

impl Input for Pdf {
    fn read(json: &Json, at: &str) -> Result<Self, Problems> {
        let bytes = BASE64.decode(text(json, at)?).map_err(|reason| wrong(at, format!("must be Base64: {reason}")))?;
        if bytes.len() > FILE_BYTES_MAX {
            return Err(wrong(at, format!("must be at most {FILE_BYTES_MAX} bytes before Base64 encoding")));
        }
        let end = &bytes[bytes.len().saturating_sub(PDF_END_WITHIN)..];
        let ends = end.windows(5).any(|window| window == b"%%EOF");
        if !bytes.starts_with(b"%PDF-") || !ends {
            return Err(wrong(at, "must be a complete PDF that begins with %PDF- and ends with %%EOF"));
        }
        Ok(Self(bytes))
    }
    fn schema() -> Schema {
        json!({
            "type": "string", "format": "byte", "contentMediaType": "application/pdf",
            "maxLength": FILE_BYTES_MAX.div_ceil(3) * 4
        })
    }
}

input! {
    /// A bill.
    pub struct NewPayable {
        /// The member who creates it: admin or ap_creator.
        pub acting_user_id: MemberId,
        /// The number of the bill.
        pub number: Line<NUMBER_MAX>,
        /// The purpose of the bill.
        pub description: Option<LongText>,
        /// Your own id for the payable.
        pub external_id: Option<Line<EXTERNAL_ID_MAX>>,
        /// The vendor to pay. Required before the payable is submitted.
        pub ap_vendor_id: Option<VendorId>,
        /// The vendor's payment method. If it is missing at submission, the vendor's only one is used.
        pub ap_payment_method_id: Option<VendorPaymentMethodId>,
        /// Cents. Must be the sum of the items, if there are items.
        pub amount: Option<Amount>,
        /// USD.
        pub currency: Option<Currency>,
        /// The source of the money.
        pub funding_source: Option<FundingSource>,
        /// The lines of the bill.
        pub items: Option<Items>,
        /// The bill as a PDF in Base64, at most 700 KiB before encoding.
        pub file: Option<Pdf>,
    }
}

input! {
    /// The changes to a bill. Fields that are not sent stay as they are; null empties a field.
    pub struct PayableChanges {
        /// The member who changes it: admin or ap_creator.
        pub acting_user_id: MemberId,
        /// The number of the bill.
        pub number: Change<Line<NUMBER_MAX>>,
        /// The purpose of the bill.
        pub description: Patch<LongText>,
        /// Your own id for the payable.
        pub external_id: Patch<Line<EXTERNAL_ID_MAX>>,
        /// The vendor to pay. Another vendor empties ap_payment_method_id.
        pub ap_vendor_id: Patch<VendorId>,
        /// The vendor's payment method.
        pub ap_payment_method_id: Patch<VendorPaymentMethodId>,
        /// Cents. Must be the sum of the items, if there are items.
        pub amount: Change<Amount>,
        /// The lines of the bill; null or an empty list removes them.
        pub items: Patch<Items>,
        /// The source of the money.
        pub funding_source: Change<FundingSource>,
    }
}

input! {
    /// The member who acts.
    pub struct Acting {
        /// The member's id.
        pub acting_user_id: MemberId,
    }
}

input! {
    /// An approver's decision.
    pub struct Judgement {
        /// The member: admin or ap_approver.
        pub acting_user_id: MemberId,
        /// The member's comment.
        pub comment: Option<LongText>,
    }
}

input! {
    /// The file of a bill.
    pub struct NewFile {
        /// The member (admin or ap_creator); the app itself if missing.
        pub acting_user_id: Option<MemberId>,
        /// The bill as a PDF in Base64, at most 700 KiB before encoding.
        pub file: Pdf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::BASE64_STANDARD;

    fn read(bytes: &[u8]) -> Result<Pdf, String> {
        let json = Json::Text(BASE64_STANDARD.encode(bytes));
        Pdf::read(&json, "/file").map_err(|problems| problems[0].message.clone())
    }

    #[test]
    fn what_is_no_whole_pdf_is_refused() {
        assert_eq!(read(b"%PDF-1.7\n...\n%%EOF\n").unwrap().0.len(), 19);
        for bytes in [b"".as_slice(), b"%PDF-1.7\n", b"<html>%%EOF", b" %PDF-1.7\n%%EOF"] {
            assert!(read(bytes).unwrap_err().contains("complete PDF"), "{bytes:?}");
        }
        let far = [b"%PDF-1.7\n%%EOF".as_slice(), &[b' '; PDF_END_WITHIN]].concat();
        assert!(read(&far).unwrap_err().contains("complete PDF"), "the end is marked near the end");
        for text in ["%PDF-", "JVBE*"] {
            assert!(Pdf::read(&Json::Text(text.into()), "/file").unwrap_err()[0].message.contains("Base64"));
        }
    }

    #[test]
    fn the_largest_file_fits_into_a_body_with_room_for_the_rest() {
        let of = |bytes: usize| [b"%PDF-1.7".to_vec(), vec![b'x'; bytes - 13], b"%%EOF".to_vec()].concat();
        assert!(read(&of(FILE_BYTES_MAX)).is_ok());
        assert!(read(&of(FILE_BYTES_MAX + 1)).unwrap_err().contains("at most"));
        let encoded = BASE64_STANDARD.encode(of(FILE_BYTES_MAX)).len();
        assert!(1024 * 1024 - encoded > 64 * 1024, "a body is at most 1 MiB");
    }
}
