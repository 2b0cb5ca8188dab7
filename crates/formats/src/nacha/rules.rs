//! The rules of the NACHA checker: code, severity in a file of ours, severity in a file from a bank, what to do.

use crate::finding::rules;

rules! {
    // The lines of the file.
    EMPTY = "nacha.empty", Error, Error, "Check that the transfer of the file was complete.";
    TOO_LARGE = "nacha.too-large", Error, Error, "Split the file.";
    NOT_ASCII = "nacha.not-ascii", Error, Note, "Replace the character by one of the printable ASCII characters.";
    CONTROL_CHARACTER = "nacha.control-character", Error, Error, "Remove the control character; the file may be damaged.";
    LINE_ENDS = "nacha.line-ends", Error, Note, "End every line with LF, or every line with CRLF.";
    NO_LINE_ENDS = "nacha.no-line-ends", Warning, Note, "End each record with a line end unless the bank asks for a file without.";
    BLANK_LINE = "nacha.blank-line", Error, Note, "Remove the blank line.";
    LINE_LENGTH = "nacha.line-length", Error, Error, "Write exactly 94 characters in each line.";
    SHORT_LINE = "nacha.short-line", Error, Note, "Fill each line with blanks to exactly 94 characters.";
    TRAILING_BLANKS = "nacha.trailing-blanks", Error, Note, "Remove the blanks after the 94th character.";
    PADDING = "nacha.padding", Error, Note, "After the file control, add lines of 94 nines until the number of lines is a multiple of 10.";

    // The order of the records.
    RECORD_TYPE = "nacha.record-type", Error, Error, "A record begins with 1, 5, 6, 7, 8 or 9.";
    RECORD_ORDER = "nacha.record-order", Error, Error, "Put the record where it belongs: 1, then for each batch 5, its entries 6 with addenda 7, and 8, then 9.";
    FILE_HEADER_MISSING = "nacha.file-header-missing", Error, Note, "Begin the file with a file header (record 1).";
    FILE_CONTROL_MISSING = "nacha.file-control-missing", Error, Error, "End the file with a file control (record 9); ask the bank for a complete file if it was cut off.";
    PARTIAL = "nacha.partial", Error, Note, "Ask the bank for files with file header and file control.";
    BATCH_CONTROL_MISSING = "nacha.batch-control-missing", Error, Error, "End each batch with a batch control (record 8).";
    AFTER_END = "nacha.after-end", Error, Error, "Send each file alone: nothing but lines of nines may follow the file control.";
    NO_BATCH = "nacha.no-batch", Error, Note, "Do not send a file without batches.";
    NO_ENTRY = "nacha.no-entry", Error, Note, "Do not send a batch without entries.";

    // Fields.
    CONSTANT = "nacha.constant", Error, Error, "Write the value that the format requires.";
    NUMBER = "nacha.number", Error, Error, "Write digits only, with zeros on the left.";
    REQUIRED = "nacha.required", Error, Error, "Fill in the field.";
    DATE = "nacha.date", Error, Error, "Write an existing date as YYMMDD.";
    TIME = "nacha.time", Error, Error, "Write a time as HHMM, or blanks.";
    DAY = "nacha.day", Error, Error, "Write a day of the year from 001 to 366, or blanks.";
    MODIFIER = "nacha.modifier", Error, Note, "Write an upper-case letter or a digit.";
    DESTINATION = "nacha.destination", Error, Note, "Write a blank and the nine digits of the bank's routing number.";
    RESERVED = "nacha.reserved", Error, Note, "Leave the field blank.";

    // Batches.
    SEC_UNKNOWN = "nacha.sec-unknown", Error, Note, "Use a standard entry class code such as PPD, CCD or WEB.";
    SEC_NOT_SENT = "nacha.sec-not-sent", Error, Note, "Send international payments by another rail.";
    SEC_NOT_READ = "nacha.sec-not-read", Error, Error, "Accounting advices (ADV) are for banks; ask the bank not to send them.";
    SERVICE_CLASS = "nacha.service-class", Error, Error, "Use 220 for credits, 225 for debits, and 200 for both.";
    SERVICE_CLASS_CONTENT = "nacha.service-class-content", Error, Note, "Use 220 for a batch of credits, 225 for a batch of debits and 200 for both.";
    MIXED_ONE_SIDE = "nacha.mixed-one-side", Warning, Note, "Use 220 for a batch of credits only and 225 for a batch of debits only.";
    BATCH_NUMBER = "nacha.batch-number", Error, Note, "Number the batches in ascending order.";
    BATCH_MISMATCH = "nacha.batch-mismatch", Error, Error, "Write the same value in batch header and batch control.";
    OPERATOR_REJECT = "nacha.operator-reject", Error, Note, "The ACH operator rejected this batch; look up the code with the bank.";

    // Entries.
    TRANSACTION_CODE = "nacha.transaction-code", Error, Error, "Use a transaction code of the network, for example 22 for a credit to a checking account.";
    CHECK_DIGIT = "nacha.check-digit", Error, Error, "Correct the routing number.";
    ZERO_AMOUNT = "nacha.zero-amount", Error, Note, "Only prenotes, changes and zero-dollar entries have the amount zero.";
    AMOUNT_NOT_ZERO = "nacha.amount-not-zero", Error, Error, "Prenotes, changes and zero-dollar entries have the amount zero.";
    PAYMENT_TYPE = "nacha.payment-type", Error, Note, "Write S for a single or R for a recurring debit in positions 77 and 78.";
    TRACE_ODFI = "nacha.trace-odfi", Error, Note, "Begin each trace number with the ODFI of its batch.";
    TRACE_ORDER = "nacha.trace-order", Error, Note, "Sort the entries of a batch by trace number; each number occurs once.";
    TRACE_DUPLICATE = "nacha.trace-duplicate", Error, Note, "Use each trace number once in a file.";

    // Addenda.
    ADDENDA_MISSING = "nacha.addenda-missing", Error, Error, "Add the addenda record, or set the addenda indicator to 0.";
    ADDENDA_NOT_INDICATED = "nacha.addenda-not-indicated", Error, Note, "Set the addenda indicator of the entry to 1.";
    ADDENDA_TYPE = "nacha.addenda-type", Error, Note, "Use addenda 05 for payments, 98 for changes and 99 for returns.";
    ADDENDA_COUNT = "nacha.addenda-count", Error, Note, "Write at most one addenda for this kind of entry.";
    ADDENDA_SEQUENCE = "nacha.addenda-sequence", Error, Note, "Number the addenda of an entry from 1.";
    ADDENDA_ENTRY = "nacha.addenda-entry", Error, Note, "Repeat the trace number of the entry at the end of its addenda.";
    RETURN_REASON = "nacha.return-reason", Error, Note, "Use a return code of the network, for example R01.";
    CHANGE_CODE = "nacha.change-code", Error, Note, "Use a change code of the network, for example C01.";

    // Sums and counts.
    BATCH_COUNT = "nacha.batch-entry-count", Error, Error, "Count the entries and addenda of the batch.";
    BATCH_HASH = "nacha.batch-hash", Error, Error, "Add the first 8 digits of the routing numbers of the batch and keep the last 10 digits.";
    BATCH_DEBITS = "nacha.batch-debits", Error, Error, "Add the debits of the batch.";
    BATCH_CREDITS = "nacha.batch-credits", Error, Error, "Add the credits of the batch.";
    FILE_BATCHES = "nacha.file-batch-count", Error, Error, "Count the batches of the file.";
    FILE_BLOCKS = "nacha.file-block-count", Error, Error, "Divide the number of lines, with padding, by 10.";
    FILE_COUNT = "nacha.file-entry-count", Error, Error, "Count the entries and addenda of the file.";
    FILE_HASH = "nacha.file-hash", Error, Error, "Add the entry hashes of the batches and keep the last 10 digits.";
    FILE_DEBITS = "nacha.file-debits", Error, Error, "Add the debits of the batches.";
    FILE_CREDITS = "nacha.file-credits", Error, Error, "Add the credits of the batches.";
}
