//! The rules of the ISO 20022 checker.

use crate::finding::rules;

rules! {
    TOO_LARGE = "iso20022.too-large", Error, Error, "Split the file.";
    ENCODING = "iso20022.encoding", Error, Error, "Write the document in UTF-8.";
    NOT_WELL_FORMED = "iso20022.not-well-formed", Error, Error, "Correct the XML; ask the bank for a complete file if it was cut off.";
    DTD = "iso20022.dtd", Error, Error, "Remove the document type declaration.";
    ENTITY = "iso20022.entity", Error, Error, "Use only the entities amp, lt, gt, quot and apos.";
    DEPTH = "iso20022.depth", Error, Error, "No message has elements this deep; check the file.";
    SIZE = "iso20022.elements", Error, Error, "Split the file.";
    ROOT = "iso20022.root", Error, Error, "Begin the document with the element Document.";
    VERSION = "iso20022.version", Error, Error, "Use one of the versions that bursar reads; docs/guide/bank-files.md lists them.";
    MISSING = "iso20022.missing", Error, Error, "Add the element.";
    REPEATED = "iso20022.repeated", Error, Error, "Write the element once.";
    EMPTY = "iso20022.empty", Error, Error, "Fill in the element or remove it.";
    LENGTH = "iso20022.length", Error, Note, "Shorten the text.";
    CHARACTERS = "iso20022.characters", Error, Note, "Use letters, digits, blanks and / - ? : ( ) . , ' + without // and without / at the beginning or end.";
    AMOUNT = "iso20022.amount", Error, Error, "Write a positive amount with a point and no more decimals than the currency has.";
    CURRENCY = "iso20022.currency", Error, Error, "Write a currency code of three upper-case letters.";
    DATE = "iso20022.date", Error, Error, "Write an existing date as YYYY-MM-DD.";
    DATE_TIME = "iso20022.date-time", Error, Note, "Write a date and time as YYYY-MM-DDThh:mm:ss.";
    NUMBER = "iso20022.number", Error, Error, "Write digits only.";
    CODE = "iso20022.code", Error, Note, "Use a code of the message's code list.";
    INDICATOR = "iso20022.indicator", Error, Error, "Write CRDT or DBIT.";
    IBAN = "iso20022.iban", Error, Note, "Correct the IBAN; its check digits do not fit.";
    BIC = "iso20022.bic", Error, Note, "Write a BIC of 8 or 11 characters.";
    UETR = "iso20022.uetr", Error, Note, "Write a UUID of version 4 in lower case.";
    ADDRESS = "iso20022.address", Error, Note, "Give town and country, and at most two address lines.";
    COUNT = "iso20022.count", Error, Error, "Count the transactions.";
    SUM = "iso20022.sum", Error, Error, "Add the amounts of the transactions.";
    DUPLICATE = "iso20022.duplicate-id", Error, Note, "Use each id once in a file.";
    BALANCE = "iso20022.balance", Error, Error, "The opening balance and the booked entries must give the closing balance; ask the bank for a corrected statement.";
    NO_BALANCE = "iso20022.no-balance", Warning, Warning, "Ask the bank for statements with opening and closing balance.";
    DETAILS = "iso20022.details", Warning, Note, "The amounts of the details do not add up to the entry; the entry counts.";
}
