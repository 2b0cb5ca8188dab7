//! The rules of the BAI2 checker.

use crate::finding::rules;

rules! {
    EMPTY = "bai2.empty", Error, Error, "Check that the transfer of the file was complete.";
    TOO_LARGE = "bai2.too-large", Error, Error, "Ask the bank for smaller files.";
    CONTROL_CHARACTER = "bai2.control-character", Error, Error, "Remove the control character; the file may be damaged.";
    NOT_ASCII = "bai2.not-ascii", Warning, Note, "Write printable ASCII characters only.";
    NO_RECORD = "bai2.no-record", Error, Error, "Begin the file with a record 01.";
    WRAPPED = "bai2.wrapped-line", Warning, Note, "Continue a record with a record 88.";
    ORDER = "bai2.record-order", Error, Error, "Nest the records: 01, 02, 03, 16, and the trailers 49, 98, 99; ask the bank for a complete file if it was cut off.";
    AFTER_END = "bai2.after-end", Error, Error, "Send each file alone: nothing may follow the record 99.";
    VERSION = "bai2.version", Error, Error, "Ask the bank for version 2 of the format.";
    REQUIRED = "bai2.required", Error, Error, "Fill in the field.";
    NUMBER = "bai2.number", Error, Error, "Write digits, with a sign if the number is an amount.";
    AMOUNT = "bai2.amount", Error, Error, "Write the amount in the minor unit without a decimal point.";
    DATE = "bai2.date", Error, Error, "Write an existing date as YYMMDD.";
    TIME = "bai2.time", Error, Note, "Write a time as HHMM.";
    STATUS = "bai2.group-status", Error, Note, "Use 1 update, 2 deletion, 3 correction or 4 test.";
    MODIFIER = "bai2.as-of-modifier", Error, Note, "Use 1 to 4, or leave the field empty.";
    CURRENCY = "bai2.currency", Error, Note, "Write three upper-case letters.";
    TYPE = "bai2.type-code", Error, Error, "Write a type code of three digits.";
    FUNDS = "bai2.funds-type", Error, Error, "Use Z, 0, 1, 2, V, S or D with its fields.";
    DISTRIBUTION = "bai2.distribution", Warning, Note, "The parts of an amount must add up to it.";
    ACCOUNT_TOTAL = "bai2.account-total", Error, Error, "Add the amounts of the records 03 and 16.";
    ACCOUNT_RECORDS = "bai2.account-records", Error, Error, "Count the records from 03 to 49, with continuations.";
    GROUP_TOTAL = "bai2.group-total", Error, Error, "Add the totals of the accounts.";
    GROUP_ACCOUNTS = "bai2.group-accounts", Error, Error, "Count the accounts of the group.";
    GROUP_RECORDS = "bai2.group-records", Error, Error, "Count the records from 02 to 98, with continuations.";
    FILE_TOTAL = "bai2.file-total", Error, Error, "Add the totals of the groups.";
    FILE_GROUPS = "bai2.file-groups", Error, Error, "Count the groups of the file.";
    FILE_RECORDS = "bai2.file-records", Error, Error, "Count all records, with continuations.";
    BALANCE = "bai2.balance", Error, Error, "The opening ledger balance and the transactions must give the closing ledger balance; ask the bank for a corrected statement.";
    NO_DETAILS = "bai2.no-details", Warning, Warning, "The balance changed and the account lists no transaction; ask the bank for statements with details.";
    SUM = "bai2.sum", Error, Error, "The totals 100 and 400 must be the sums of the credits and debits.";
}
