//! The records of a NACHA file as tables: name, positions and kind of each field.
//!
//! Reader, checker and writer use the same tables. Positions begin with 1 and include both ends, as in the rules of the
//! network. A test holds that the fields of a record cover its 94 characters without gaps.

/// Characters in a record.
pub const WIDTH: usize = 94;

/// What a field contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exactly this text.
    Constant(&'static str),
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// Digits, right-justified with zeros.
    Digits,
    /// Digits or blanks.
    DigitsOrBlank,
    /// Any text, left-justified with blanks.
    Text,
    /// Text that is not blank.
    Required,
    /// YYMMDD.
    Date,
    /// YYMMDD or blank.
    DateOrBlank,
    /// HHMM or blank.
    TimeOrBlank,
    /// A day of the year, 001 to 366, or blank.
    DayOrBlank,
    /// A letter A to Z or a digit.
    Modifier,
    /// Blank and a routing number with its check digit.
    Destination,
    /// Reserved: blanks.
    Blank,
}

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
    /// A wrong value refuses a file from a bank too, because its meaning is lost.
    pub essential: bool,
}

impl Field {
    /// The number of characters.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.to - self.from + 1
    }
}

/// A kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub name: &'static str,
    pub fields: &'static [Field],
}

/// Declares the layouts: for each a module with a constant for each field, and `LAYOUT`. `!` marks an essential field.
macro_rules! layouts {
    ($($module:ident = $title:literal { $($field:ident = $name:literal, $from:literal - $to:literal, $kind:expr $(, $mark:ident)?;)+ })+) => {
        $(pub mod $module {
            use super::{Field, Kind::*, Layout};
            $(pub const $field: Field = Field { name: $name, from: $from, to: $to, kind: $kind, essential: layouts!(@ $($mark)?) };)+
            pub const LAYOUT: Layout = Layout { name: $title, fields: &[$($field),+] };
        })+
        /// Every layout, for tests and documents.
        pub const ALL: &[Layout] = &[$($module::LAYOUT),+];
    };
    (@ essential) => { true };
    (@) => { false };
}

layouts! {
    file_header = "file header" {
        TYPE = "record type", 1-1, Constant("1"), essential;
        PRIORITY = "priority code", 2-3, Constant("01");
        DESTINATION = "immediate destination", 4-13, Destination;
        ORIGIN = "immediate origin", 14-23, Required;
        CREATED_ON = "creation date", 24-29, Date;
        CREATED_AT = "creation time", 30-33, TimeOrBlank;
        MODIFIER = "file id modifier", 34-34, Modifier;
        RECORD_SIZE = "record size", 35-37, Constant("094");
        BLOCKING = "blocking factor", 38-39, Constant("10");
        FORMAT = "format code", 40-40, Constant("1");
        DESTINATION_NAME = "destination name", 41-63, Text;
        ORIGIN_NAME = "origin name", 64-86, Text;
        REFERENCE = "reference code", 87-94, Text;
    }
    batch_header = "batch header" {
        TYPE = "record type", 1-1, Constant("5"), essential;
        SERVICE_CLASS = "service class", 2-4, OneOf(&["200", "220", "225"]), essential;
        COMPANY_NAME = "company name", 5-20, Required;
        DISCRETIONARY = "company discretionary data", 21-40, Text;
        COMPANY_ID = "company id", 41-50, Required;
        SEC = "SEC code", 51-53, Required;
        DESCRIPTION = "entry description", 54-63, Required;
        DESCRIPTIVE_DATE = "descriptive date", 64-69, Text;
        EFFECTIVE_ON = "effective date", 70-75, Date;
        SETTLEMENT_DAY = "settlement day", 76-78, DayOrBlank;
        STATUS = "originator status", 79-79, OneOf(&["1", "2"]);
        ODFI = "ODFI", 80-87, Digits;
        NUMBER = "batch number", 88-94, Digits, essential;
    }
    iat_batch_header = "IAT batch header" {
        TYPE = "record type", 1-1, Constant("5"), essential;
        SERVICE_CLASS = "service class", 2-4, OneOf(&["200", "220", "225"]), essential;
        INDICATOR = "IAT indicator", 5-20, Text;
        EXCHANGE = "foreign exchange", 21-40, Text;
        COMPANY_ID = "originator id", 41-50, Text;
        SEC = "SEC code", 51-53, Required;
        DESCRIPTION = "entry description", 54-63, Required;
        CURRENCIES = "currencies", 64-69, Required;
        EFFECTIVE_ON = "effective date", 70-75, Date;
        SETTLEMENT_DAY = "settlement day", 76-78, DayOrBlank;
        STATUS = "originator status", 79-79, OneOf(&["1", "2"]);
        ODFI = "gateway", 80-87, Digits;
        NUMBER = "batch number", 88-94, Digits, essential;
    }
    entry = "entry" {
        TYPE = "record type", 1-1, Constant("6"), essential;
        CODE = "transaction code", 2-3, Digits, essential;
        RDFI = "RDFI", 4-11, Digits, essential;
        CHECK_DIGIT = "check digit", 12-12, Digits, essential;
        ACCOUNT = "account number", 13-29, Required;
        AMOUNT = "amount", 30-39, Digits, essential;
        INDIVIDUAL_ID = "individual id", 40-54, Text;
        NAME = "name", 55-76, Required;
        DISCRETIONARY = "discretionary data", 77-78, Text;
        INDICATOR = "addenda indicator", 79-79, OneOf(&["0", "1"]), essential;
        TRACE = "trace number", 80-94, Digits, essential;
    }
    iat_entry = "IAT entry" {
        TYPE = "record type", 1-1, Constant("6"), essential;
        CODE = "transaction code", 2-3, Digits, essential;
        RDFI = "gateway or RDFI", 4-11, Digits, essential;
        CHECK_DIGIT = "check digit", 12-12, Digits, essential;
        ADDENDA = "number of addenda", 13-16, DigitsOrBlank;
        RESERVED = "reserved", 17-29, Text;
        AMOUNT = "amount", 30-39, Digits, essential;
        ACCOUNT = "foreign account number", 40-74, Required;
        RESERVED_2 = "reserved", 75-76, Text;
        SCREENING = "screening indicators", 77-78, Text;
        INDICATOR = "addenda indicator", 79-79, OneOf(&["0", "1"]), essential;
        TRACE = "trace number", 80-94, Digits, essential;
    }
    payment_addenda = "payment addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Constant("05"), essential;
        TEXT = "payment information", 4-83, Text;
        SEQUENCE = "sequence number", 84-87, Digits;
        ENTRY = "entry sequence number", 88-94, Digits;
    }
    return_addenda = "return addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Constant("99"), essential;
        REASON = "return reason", 4-6, Required, essential;
        ORIGINAL_TRACE = "original trace number", 7-21, Digits, essential;
        DIED_ON = "date of death", 22-27, DateOrBlank;
        ORIGINAL_RDFI = "original RDFI", 28-35, Digits;
        TEXT = "addenda information", 36-79, Text;
        TRACE = "trace number", 80-94, Digits;
    }
    dishonored_addenda = "dishonored return addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Constant("99"), essential;
        REASON = "dishonored return reason", 4-6, Required, essential;
        ORIGINAL_TRACE = "original trace number", 7-21, Digits, essential;
        RESERVED = "reserved", 22-27, Blank;
        ORIGINAL_RDFI = "original RDFI", 28-35, Digits;
        RESERVED_2 = "reserved", 36-38, Blank;
        RETURN_TRACE = "return trace number", 39-53, Digits;
        RETURN_DAY = "return settlement day", 54-56, DayOrBlank;
        RETURN_REASON = "return reason", 57-58, DigitsOrBlank;
        TEXT = "addenda information", 59-79, Text;
        TRACE = "trace number", 80-94, Digits;
    }
    contested_addenda = "contested return addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Constant("99"), essential;
        REASON = "contested return reason", 4-6, Required, essential;
        ORIGINAL_TRACE = "original trace number", 7-21, Digits, essential;
        RETURNED_ON = "date original entry returned", 22-27, DateOrBlank;
        ORIGINAL_RDFI = "original RDFI", 28-35, Digits;
        ORIGINAL_DAY = "original settlement day", 36-38, DayOrBlank;
        RETURN_TRACE = "return trace number", 39-53, Digits;
        RETURN_DAY = "return settlement day", 54-56, DayOrBlank;
        RETURN_REASON = "return reason", 57-58, DigitsOrBlank;
        DISHONORED_TRACE = "dishonored return trace number", 59-73, Digits;
        DISHONORED_DAY = "dishonored return settlement day", 74-76, DayOrBlank;
        DISHONORED_REASON = "dishonored return reason", 77-78, DigitsOrBlank;
        RESERVED = "reserved", 79-79, Blank;
        TRACE = "trace number", 80-94, Digits;
    }
    change_addenda = "change addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Constant("98"), essential;
        CODE = "change code", 4-6, Required, essential;
        ORIGINAL_TRACE = "original trace number", 7-21, Digits, essential;
        RESERVED = "reserved", 22-27, Blank;
        ORIGINAL_RDFI = "original RDFI", 28-35, Digits;
        CORRECTED = "corrected data", 36-64, Required, essential;
        RESERVED_2 = "reserved", 65-79, Blank;
        TRACE = "trace number", 80-94, Digits;
    }
    refused_change_addenda = "refused change addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Constant("98"), essential;
        CODE = "refused change code", 4-6, Required, essential;
        ORIGINAL_TRACE = "original trace number", 7-21, Digits, essential;
        RESERVED = "reserved", 22-27, Blank;
        ORIGINAL_RDFI = "original RDFI", 28-35, Digits;
        CORRECTED = "corrected data", 36-64, Text;
        CHANGE = "change code", 65-67, Required;
        CHANGE_SEQUENCE = "trace sequence number", 68-74, Digits;
        RESERVED_2 = "reserved", 75-79, Blank;
        TRACE = "trace number", 80-94, Digits;
    }
    other_addenda = "addenda" {
        TYPE = "record type", 1-1, Constant("7"), essential;
        ADDENDA_TYPE = "addenda type", 2-3, Digits, essential;
        TEXT = "addenda information", 4-94, Text;
    }
    batch_control = "batch control" {
        TYPE = "record type", 1-1, Constant("8"), essential;
        SERVICE_CLASS = "service class", 2-4, Digits, essential;
        COUNT = "entry and addenda count", 5-10, Digits, essential;
        HASH = "entry hash", 11-20, Digits, essential;
        DEBITS = "total debits", 21-32, Digits, essential;
        CREDITS = "total credits", 33-44, Digits, essential;
        COMPANY_ID = "company id", 45-54, Text;
        AUTHENTICATION = "message authentication code", 55-73, Blank;
        RESERVED = "reserved", 74-79, Blank;
        ODFI = "ODFI", 80-87, Digits;
        NUMBER = "batch number", 88-94, Digits, essential;
    }
    file_control = "file control" {
        TYPE = "record type", 1-1, Constant("9"), essential;
        BATCHES = "batch count", 2-7, Digits, essential;
        BLOCKS = "block count", 8-13, Digits, essential;
        COUNT = "entry and addenda count", 14-21, Digits, essential;
        HASH = "entry hash", 22-31, Digits, essential;
        DEBITS = "total debits", 32-43, Digits, essential;
        CREDITS = "total credits", 44-55, Digits, essential;
        RESERVED = "reserved", 56-94, Blank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_each_record_cover_its_94_characters() {
        for layout in ALL {
            let mut next = 1;
            for field in layout.fields {
                assert_eq!(field.from, next, "{}: {}", layout.name, field.name);
                assert!(field.from <= field.to, "{}: {}", layout.name, field.name);
                next = field.to + 1;
            }
            assert_eq!(next, WIDTH + 1, "{}", layout.name);
        }
    }

    #[test]
    fn constants_are_as_wide_as_their_fields() {
        for field in ALL.iter().flat_map(|layout| layout.fields) {
            let widths: Vec<usize> = match field.kind {
                Kind::Constant(text) => vec![text.len()],
                Kind::OneOf(texts) => texts.iter().map(|text| text.len()).collect(),
                Kind::Date | Kind::DateOrBlank => vec![6],
                Kind::TimeOrBlank => vec![4],
                Kind::DayOrBlank => vec![3],
                Kind::Destination => vec![10],
                Kind::Modifier => vec![1],
                Kind::Digits | Kind::DigitsOrBlank | Kind::Text | Kind::Required | Kind::Blank => vec![],
            };
            assert!(widths.iter().all(|width| *width == field.width()), "{}", field.name);
        }
    }
}
