//! Amounts, days and moments, as the speakers of a language write them.

use jiff::civil::Date;

use super::catalogue;
use super::codes::Language;
use super::formats::Formats;
use super::texts::Text;
use crate::clock::Time;
use crate::money::Cents;

impl Language {
    fn formats(self) -> &'static Formats {
        &catalogue::of(self).formats
    }

    fn date(self, pattern: &str, day: Date) -> String {
        let formats = self.formats();
        let index = |one_based: i8| usize::try_from(one_based - 1).unwrap_or_default();
        pattern
            .replace("{weekday}", &formats.weekdays[index(day.weekday().to_monday_one_offset())])
            .replace("{month}", &formats.months[index(day.month())])
            .replace("{day}", &day.day().to_string())
            .replace("{year}", &day.year().to_string())
    }

    /// `Tuesday, March 3`
    #[must_use]
    pub fn weekday_day(self, day: Date) -> String {
        self.date(&self.formats().weekday_day, day)
    }

    /// `March 3`
    #[must_use]
    pub fn month_day(self, day: Date) -> String {
        self.date(&self.formats().month_day, day)
    }

    /// `March 3, 2026`
    #[must_use]
    pub fn day_of_year(self, day: Date) -> String {
        self.date(&self.formats().day_of_year, day)
    }

    /// `March 3, 2026, 09:30 UTC`
    #[must_use]
    pub fn moment(self, at: Time) -> String {
        let said = self.say(Text::Moment).exact("day", self.day_of_year(at.date()));
        said.exact("time", at.strftime("%H:%M")).plain()
    }

    /// `$1,234.56`
    #[must_use]
    pub fn money(self, amount: Cents) -> String {
        let formats = self.formats();
        let (whole, part) = digits(amount);
        let mut grouped = String::new();
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && whole.len() >= formats.group_from && (whole.len() - index).is_multiple_of(3) {
                grouped.push_str(&formats.group);
            }
            grouped.push(digit);
        }
        let sign = if amount.is_negative() { "-" } else { "" };
        let number = format!("{grouped}{}{part}", formats.decimal);
        format!("{sign}{}", formats.money.replace("{amount}", &number))
    }

    /// Returns an amount for an input field: `1234.56`.
    #[must_use]
    pub fn plain_amount(self, amount: Cents) -> String {
        let (whole, part) = digits(amount);
        format!("{whole}{}{part}", self.decimal())
    }

    /// Returns the decimal separator.
    #[must_use]
    pub fn decimal(self) -> char {
        self.formats().decimal
    }
}

/// Returns the dollars and the cents of an amount, without its sign.
fn digits(amount: Cents) -> (String, String) {
    let cents = amount.get().unsigned_abs();
    ((cents / 100).to_string(), format!("{:02}", cents % 100))
}
