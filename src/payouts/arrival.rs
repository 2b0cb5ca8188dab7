//! When the money of a payout arrives, as a time and in words for its payee.

use jiff::civil::Date;

use crate::bank_files;
use crate::clock::{DAY_SECONDS, Time};
use crate::fees;
use crate::language::{Language, Said, Text};
use crate::money::Cents;
use crate::platform::Platform;
use crate::scope::Scope;
use crate::world::{Halt, World};

/// Returns when a payout arrives that is made now: at the settlement of the bank's next window, or else after the time
/// of the rail's fee schedule.
pub fn arrives_at(world: &World, scope: Scope, platform: Platform, amount: Cents) -> Result<Time, Halt> {
    let by_bank = bank_files::settles_at(world, scope, platform, amount)?;
    let now = world.now();
    Ok(by_bank.unwrap_or_else(|| now.plus_seconds(fees::schedule(platform, now.date()).arrival.seconds)))
}

const SAME_DAY: &str = "same day";

/// When money arrives, as payees read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    On(Date),
    /// It may be earlier.
    By(Date),
    SameDay,
    Minutes,
    Seconds,
}

impl Arrival {
    /// Returns the words for a payout that arrives `at`.
    pub fn of(platform: Platform, now: Time, at: Time) -> Self {
        let usual = fees::schedule(platform, now.date()).arrival;
        // The window of today may be over. The time of a faster rail is that of the next question to its provider.
        let is_later = usual.text == SAME_DAY && at.seconds_since(now) > usual.seconds;
        if usual.seconds >= DAY_SECONDS || is_later {
            return if usual.text.contains('–') { Self::By(at.date()) } else { Self::On(at.date()) };
        }
        match usual.text {
            SAME_DAY => Self::SameDay,
            "seconds" => Self::Seconds,
            _ => Self::Minutes,
        }
    }

    /// `on Tuesday, March 3`, `in minutes`.
    pub fn after_a_label(self, language: Language) -> String {
        self.said(
            language,
            [Text::ArrivalOn, Text::ArrivalBy, Text::ArrivalSameDay, Text::ArrivalMinutes, Text::ArrivalSeconds],
        )
        .plain()
    }

    /// `Arrives on Tuesday, March 3`.
    pub fn of_a_way(self, language: Language) -> String {
        self.said(language, [Text::WayOn, Text::WayBy, Text::WaySameDay, Text::WayMinutes, Text::WaySeconds]).plain()
    }

    /// `$1.00 arrives on Tuesday, March 3.`
    pub fn of_amount(self, language: Language, amount: Cents) -> Said {
        self.said(language, [Text::DoneOn, Text::DoneBy, Text::DoneSameDay, Text::DoneMinutes, Text::DoneSeconds])
            .strong("amount", language.money(amount))
    }

    /// Chooses one of five texts.
    fn said(self, language: Language, [on, by, same_day, minutes, seconds]: [Text; 5]) -> Said {
        match self {
            Self::On(day) => language.say(on).with("day", language.weekday_day(day)),
            Self::By(day) => language.say(by).with("day", language.weekday_day(day)),
            Self::SameDay => language.say(same_day),
            Self::Minutes => language.say(minutes),
            Self::Seconds => language.say(seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_named_and_fast_rails_show_their_time() {
        let now = Time::parse("2026-03-02T15:00:00Z").unwrap();
        let usual = |platform| {
            let seconds = fees::schedule(platform, now.date()).arrival.seconds;
            Arrival::of(platform, now, now.plus_seconds(seconds))
        };
        for (platform, english, spanish) in [
            (Platform::Ach, "on Tuesday, March 3", "el martes, 3 de marzo"),
            (Platform::BankTransfer, "by Wednesday, March 4", "a más tardar el miércoles, 4 de marzo"),
            (Platform::Rtp, "in seconds", "en segundos"),
            (Platform::WalletA, "in minutes", "en minutos"),
            (Platform::Wire, "the same day", "el mismo día"),
        ] {
            assert_eq!(usual(platform).after_a_label(Language::En), english);
            assert_eq!(usual(platform).after_a_label(Language::Es), spanish);
        }
        assert_eq!(usual(Platform::Ach).of_a_way(Language::Es), "Llega el martes, 3 de marzo");
        let amount = usual(Platform::Ach).of_amount(Language::En, Cents::new(12_475));
        assert_eq!(amount.to_string(), "<strong>$124.75</strong> arrives on Tuesday, March 3.");
        // The bank's next window is tomorrow.
        let wire = Arrival::of(Platform::Wire, now, now.plus_seconds(DAY_SECONDS));
        assert_eq!(wire.after_a_label(Language::En), "on Tuesday, March 3");
    }

    #[test]
    fn every_rail_has_words_for_its_time() {
        let now = Time::parse("2026-03-02T15:00:00Z").unwrap();
        for platform in Platform::ALL.into_iter().chain([Platform::Rtp]) {
            let usual = fees::schedule(platform, now.date()).arrival;
            let words = Arrival::of(platform, now, now.plus_seconds(usual.seconds));
            let expected = match usual.text {
                "seconds" => Arrival::Seconds,
                "minutes" => Arrival::Minutes,
                "same day" => Arrival::SameDay,
                "1 business day" => Arrival::On(jiff::civil::date(2026, 3, 3)),
                "1–2 business days" => Arrival::By(jiff::civil::date(2026, 3, 4)),
                "1–3 business days" => Arrival::By(jiff::civil::date(2026, 3, 5)),
                other => panic!("{platform}: {other} has no words"),
            };
            assert_eq!(words, expected, "{platform}");
        }
    }
}
