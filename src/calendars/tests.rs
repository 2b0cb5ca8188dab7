//! Windows on real days, on days of the clock change, and for any windows.

use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::{Calendar, Cutoff, DayOfWeek, Schedule, Window, WindowError, Zone};
use crate::clock::Time;

const WORKDAYS: [DayOfWeek; 5] =
    [DayOfWeek::Monday, DayOfWeek::Tuesday, DayOfWeek::Wednesday, DayOfWeek::Thursday, DayOfWeek::Friday];

fn window(name: &str, submit_by: &str, lead_minutes: i64, same_day: bool) -> Window {
    let (name, days) = (name.to_owned(), WORKDAYS.to_vec());
    Window { name, days, submit_by: submit_by.parse().unwrap(), lead_minutes, same_day }
}

/// The windows of a bank in New York: two for the same day, one for the next.
fn windows() -> Vec<Window> {
    vec![
        window("morning", "10:00", 15, true),
        window("afternoon", "14:15", 15, true),
        window("evening", "18:00", 30, false),
    ]
}

fn time(text: &str) -> Time {
    Time::parse(text).unwrap()
}

fn line(cutoff: &Cutoff) -> String {
    let short = |time: Time| time.to_string().replace(":00.000000Z", "Z");
    let Cutoff { window, cutoff_at, submit_by, effective_on, settles_at, .. } = cutoff;
    let (cut, by, settled) = (short(*cutoff_at), short(*submit_by), short(*settles_at));
    format!("{} cut {cut} by {by} effective {effective_on} settled {settled}", window.name)
}

fn next(calendar: Calendar, windows: &[Window], now: &str) -> String {
    let zone = Zone::eastern();
    let schedule = Schedule { calendar, zone: &zone, windows };
    schedule.next(time(now), |_| true).map_or_else(|| "none".to_owned(), |cutoff| line(&cutoff))
}

#[test]
fn the_next_cut_off_of_real_days() {
    let table = [
        // Monday, 23 November 2026, 09:00 in New York.
        (
            "2026-11-23T14:00:00Z",
            "morning cut 2026-11-23T14:45Z by 2026-11-23T15:00Z effective 2026-11-23 settled 2026-11-23T18:00Z",
        ),
        // At the cut-off itself an entry is too late.
        (
            "2026-11-23T14:45:00Z",
            "afternoon cut 2026-11-23T19:00Z by 2026-11-23T19:15Z effective 2026-11-23 settled 2026-11-23T22:00Z",
        ),
        (
            "2026-11-23T19:00:00Z",
            "evening cut 2026-11-23T22:30Z by 2026-11-23T23:00Z effective 2026-11-24 settled 2026-11-24T13:30Z",
        ),
        // The evening before Thanksgiving: effective on the Friday.
        (
            "2026-11-25T20:00:00Z",
            "evening cut 2026-11-25T22:30Z by 2026-11-25T23:00Z effective 2026-11-27 settled 2026-11-27T13:30Z",
        ),
        // Thanksgiving has no window.
        (
            "2026-11-26T14:00:00Z",
            "morning cut 2026-11-27T14:45Z by 2026-11-27T15:00Z effective 2026-11-27 settled 2026-11-27T18:00Z",
        ),
        // 3 July 2026 is open, although offices of the government observe the holiday of the Saturday.
        (
            "2026-07-02T23:00:00Z",
            "morning cut 2026-07-03T13:45Z by 2026-07-03T14:00Z effective 2026-07-03 settled 2026-07-03T17:00Z",
        ),
        (
            "2026-07-03T20:00:00Z",
            "evening cut 2026-07-03T21:30Z by 2026-07-03T22:00Z effective 2026-07-06 settled 2026-07-06T12:30Z",
        ),
        // The evening before the change to summer time: settled by the new time.
        (
            "2026-03-06T20:00:00Z",
            "evening cut 2026-03-06T22:30Z by 2026-03-06T23:00Z effective 2026-03-09 settled 2026-03-09T12:30Z",
        ),
        // The evening before the change to winter time.
        (
            "2026-10-30T20:00:00Z",
            "evening cut 2026-10-30T21:30Z by 2026-10-30T22:00Z effective 2026-11-02 settled 2026-11-02T13:30Z",
        ),
    ];
    for (now, expected) in table {
        assert_eq!(next(Calendar::Fed, &windows(), now), expected, "{now}");
    }
}

#[test]
fn a_window_on_a_day_of_the_clock_change() {
    let sunday = |submit_by: &str| Window { days: vec![DayOfWeek::Sunday], ..window("night", submit_by, 0, false) };
    // The clock skips 02:30 on 8 March 2026, and shows 01:30 twice on 1 November.
    let skipped = next(Calendar::EveryDay, &[sunday("02:30")], "2026-03-08T05:00:00Z");
    assert!(skipped.starts_with("night cut 2026-03-08T07:30Z "), "{skipped}");
    let twice = next(Calendar::EveryDay, &[sunday("01:30")], "2026-11-01T04:00:00Z");
    assert!(twice.starts_with("night cut 2026-11-01T05:30Z "), "{twice}");
}

#[test]
fn a_long_lead_has_its_cut_off_on_the_day_before() {
    let early = [window("evening", "18:00", 30, false), window("dawn", "05:00", 10 * 60, false)];
    // On Monday at 20:00 UTC the evening's cut-off is at 22:30, that of Tuesday's dawn at 00:00.
    assert!(next(Calendar::Fed, &early, "2026-11-23T20:00:00Z").starts_with("evening cut 2026-11-23T22:30Z"));
    assert!(next(Calendar::Fed, &early, "2026-11-23T23:00:00Z").starts_with("dawn cut 2026-11-24T00:00Z"));
    let long = [window("evening", "23:00", 0, false), window("dawn", "05:00", 10 * 60, false)];
    assert!(next(Calendar::Fed, &long, "2026-11-23T20:00:00Z").starts_with("dawn cut 2026-11-24T00:00Z"));
}

#[test]
fn without_a_window_there_is_no_cut_off() {
    assert_eq!(next(Calendar::Fed, &[], "2026-11-23T14:00:00Z"), "none");
    let sunday = Window { days: vec![DayOfWeek::Sunday], ..window("night", "02:30", 0, false) };
    assert_eq!(next(Calendar::Fed, &[sunday], "2026-11-23T14:00:00Z"), "none");
    let (zone, windows) = (Zone::eastern(), windows());
    let schedule = Schedule { calendar: Calendar::Fed, zone: &zone, windows: &windows };
    let later = schedule.next(time("2026-11-23T14:00:00Z"), |window| !window.same_day).unwrap();
    assert_eq!(later.window.name, "evening", "an entry that is too large for the same day");
}

#[test]
fn windows_that_no_file_could_use_are_named() {
    let problem = |calendar, zone: &str, window: &Window| {
        let zone: Zone = zone.parse().unwrap();
        Schedule { calendar, zone: &zone, windows: &[] }.problem(window)
    };
    let (new_york, los_angeles) = ("America/New_York", "America/Los_Angeles");
    assert_eq!(problem(Calendar::Fed, new_york, &window("a", "16:45", 0, true)), None);
    assert_eq!(problem(Calendar::Fed, los_angeles, &window("a", "13:45", 0, true)), None);
    let late = Some(WindowError::TooLateForSameDay);
    assert_eq!(problem(Calendar::Fed, new_york, &window("a", "16:46", 0, true)), late);
    assert_eq!(problem(Calendar::Fed, los_angeles, &window("a", "13:46", 0, true)), late);
    // Between 8 and 29 March, Berlin is five hours ahead of New York, else six.
    assert_eq!(problem(Calendar::Fed, "Europe/Berlin", &window("a", "21:45", 0, true)), None);
    assert_eq!(problem(Calendar::Fed, "Europe/Berlin", &window("a", "22:45", 0, true)), late);
    assert_eq!(
        problem(Calendar::Uk, new_york, &window("a", "10:00", 0, true)),
        Some(WindowError::NoSameDay(Calendar::Uk))
    );
    let saturday = Window { days: vec![DayOfWeek::Friday, DayOfWeek::Saturday], ..window("a", "10:00", 0, false) };
    let closed = Some(WindowError::ClosedDay(Calendar::Fed, DayOfWeek::Saturday));
    assert_eq!(problem(Calendar::Fed, new_york, &saturday), closed);
    assert_eq!(problem(Calendar::EveryDay, new_york, &saturday), None);
}

const ZONES: [&str; 6] =
    ["America/New_York", "America/Los_Angeles", "Europe/Berlin", "Europe/London", "Asia/Tokyo", "UTC"];

fn zones() -> impl Strategy<Value = Zone> {
    prop::sample::select(ZONES.as_slice()).prop_map(|name| name.parse().unwrap())
}

fn any_windows() -> impl Strategy<Value = Vec<Window>> {
    let one = (0..24u8, 0..60u8, 0..720i64, prop::sample::subsequence(DayOfWeek::ALL.to_vec(), 1..=7));
    let one = one.prop_map(|(hour, minute, lead_minutes, days)| {
        let submit_by = format!("{hour:02}:{minute:02}").parse().unwrap();
        Window { name: format!("{hour}:{minute}"), days, submit_by, lead_minutes, same_day: false }
    });
    prop::collection::vec(one, 1..5)
}

proptest! {
    #[test]
    fn a_cut_off_is_the_next_one(
        calendar in prop::sample::select(Calendar::ALL),
        zone in zones(),
        windows in any_windows(),
        minutes in 0..(20 * 365 * 24 * 60i64),
    ) {
        let schedule = Schedule { calendar, zone: &zone, windows: &windows };
        let now = time("2020-01-01T00:00:00Z").plus_seconds(minutes * 60);
        let found = schedule.next(now, |_| true);
        // By hand: every window of the next 20 days.
        let days = std::iter::successors(Some(zone.day_of(now)), |day: &Date| day.tomorrow().ok()).take(20);
        let all: Vec<Cutoff> = days.flat_map(|day| schedule.of_day(day)).filter(|it| it.cutoff_at > now).collect();
        let earliest = all.iter().map(|it| it.cutoff_at).min();
        prop_assert_eq!(found.as_ref().map(|it| it.cutoff_at), earliest);
        if let Some(Cutoff { day, cutoff_at, submit_by, effective_on, settles_at, .. }) = found {
            prop_assert!(now < cutoff_at && cutoff_at <= submit_by && submit_by < settles_at);
            prop_assert!(calendar.is_open(day) && calendar.is_open(effective_on) && effective_on > day);
            prop_assert_eq!(effective_on, calendar.add_banking_days(day, 1));
        }
    }
}

#[test]
fn windows_read_back_as_they_were_written() {
    for window in windows() {
        let text = serde_json::to_string(&window).unwrap();
        assert_eq!(serde_json::from_str::<Window>(&text).unwrap(), window, "{text}");
    }
    for text in ["24:00", "9:30", "09:60", "0930", "+9:30", "09:3 ", ""] {
        assert!(text.parse::<super::LocalTime>().is_err(), "{text}");
    }
    assert_eq!(date(2026, 11, 23).weekday(), DayOfWeek::Monday.weekday());
}
