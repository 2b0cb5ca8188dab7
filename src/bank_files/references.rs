//! The ids by which a bank names our payments and files. Pure.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::ids::{BankFileId, TransferId};

/// The length of an id in hexadecimal digits.
const LENGTH: usize = 32;

/// Returns the id of a payment in a message, from one end to the other. In upper case, because some banks write all
/// texts so.
#[must_use]
pub fn end_to_end_id(transfer: TransferId) -> String {
    format!("{:X}", transfer.0.simple())
}

/// Returns the payment that a reference names, if it has the form of our ids.
#[must_use]
pub fn transfer_of(reference: &str) -> Option<TransferId> {
    uuid_of(reference).map(TransferId)
}

/// Returns the id of a file's message. Another identity of the same file has another number.
pub(super) fn message_id(file: BankFileId, cuts: i64) -> String {
    let id = format!("{:X}", file.0.simple());
    if cuts > 1 { format!("{id}R{}", cuts - 1) } else { id }
}

/// Returns the file that a reference names, under any of its identities.
#[must_use]
pub fn file_of(reference: &str) -> Option<BankFileId> {
    let (id, rest) = reference.split_at_checked(LENGTH)?;
    let is_whole = rest.is_empty()
        || rest
            .strip_prefix(['R', 'r'])
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()));
    uuid_of(id).filter(|_| is_whole).map(BankFileId)
}

fn uuid_of(text: &str) -> Option<Uuid> {
    let is_id = text.len() == LENGTH && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_id { Uuid::try_parse(text).ok() } else { None }
}

/// Returns the unique reference of one instruction, which has the form of a UUID of version 4. A payment has another one
/// in another message.
pub(super) fn uetr(transfer: TransferId, message_id: &str) -> String {
    let hash = Sha256::new().chain_update(b"uetr\0").chain_update(transfer.0).chain_update(message_id).finalize();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash.iter()).for_each(|(byte, hashed)| *byte = *hashed);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_their_payment_and_their_file() {
        let id = Uuid::from_u128(0x019a_0000_0000_7000_8000_0000_0000_00ab);
        let reference = end_to_end_id(TransferId(id));
        assert_eq!(reference, "019A00000000700080000000000000AB");
        assert_eq!(transfer_of(&reference.to_lowercase()), Some(TransferId(id)));
        let file = BankFileId(id);
        let (first, third) = (message_id(file, 1), message_id(file, 3));
        assert_eq!((first.as_str(), third.as_str()), (reference.as_str(), "019A00000000700080000000000000ABR2"));
        assert_eq!((file_of(&first), file_of(&third)), (Some(file), Some(file)));
        for text in ["", "019A", "019A00000000700080000000000000ABX", "019A00000000700080000000000000ABR", "ABR1"] {
            assert_eq!(file_of(text), None, "{text}");
        }
    }

    #[test]
    fn an_instruction_in_another_message_has_another_reference() {
        let transfer = TransferId(Uuid::from_u128(7));
        let (one, other) = (uetr(transfer, "A"), uetr(transfer, "B"));
        assert_ne!(one, other);
        assert_eq!(one, uetr(transfer, "A"));
        assert_eq!((one.as_bytes()[14], one.len()), (b'4', 36));
    }
}
