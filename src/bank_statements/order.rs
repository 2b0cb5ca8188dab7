//! Whether a statement follows the last applied one. Pure.

use jiff::civil::Date;

use super::model::{BankBalance, BankStatement, StatementReason};
use crate::calendars::Calendar;

/// The longest time that the bank's numbers bridge, in days: a wrong date must not end an account's order.
const BRIDGED_DAYS: i32 = 10;

/// Returns why a statement is not the next one; `None` if it is.
///
/// A day without a banking day between two statements is no gap. Neither are some more, if the bank counts its statements
/// and this one has the next number; nor any time, if a member has confirmed it. The balances must agree in any case: if
/// they do not, and a day lies between, the bank may have a statement of that day.
pub(super) fn obstacle(
    last: Option<&BankBalance>,
    statement: &BankStatement,
    calendar: Calendar,
) -> Option<StatementReason> {
    let last = last?;
    let follows = match (last.sequence, statement.sequence) {
        _ if statement.confirmed_by.is_some() => true,
        (Some(number), Some(this)) if number.checked_add(1) == Some(this) => {
            days_between(&last.booked_on, &statement.booked_on) <= BRIDGED_DAYS
        }
        _ => statement.booked_on <= next_day(&last.booked_on, calendar),
    };
    if !follows {
        return Some(StatementReason::MissingBefore);
    }
    if statement.opening == last.closing {
        return None;
    }
    let may_miss = statement.confirmed_by.is_none() && days_between(&last.booked_on, &statement.booked_on) > 1;
    Some(if may_miss { StatementReason::MissingBefore } else { StatementReason::OtherOpening })
}

/// Returns how many days one day is after another.
fn days_between(from: &str, to: &str) -> i32 {
    let (Ok(from), Ok(to)) = (from.parse::<Date>(), to.parse::<Date>()) else { return i32::MAX };
    (to - from).get_days()
}

/// Returns the next banking day.
pub(super) fn next_day(day: &str, calendar: Calendar) -> String {
    day.parse::<Date>().map_or_else(|_| day.to_owned(), |day| calendar.add_banking_days(day, 1).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bank_statements::model::StatementStatus;
    use crate::clock::Time;
    use crate::ids::{BankConnectionId, BankStatementId, InboundFileId, OrgId, SettlementAccountId};
    use crate::money::Cents;
    use uuid::Uuid;

    fn statement(day: &str, sequence: Option<i64>, opening: i64) -> BankStatement {
        BankStatement {
            org: OrgId(Uuid::nil()),
            id: BankStatementId(Uuid::nil()),
            connection: BankConnectionId(Uuid::nil()),
            settlement_account: SettlementAccountId(Uuid::nil()),
            inbound_file: InboundFileId(Uuid::nil()),
            booked_on: day.to_owned(),
            reference: String::new(),
            sequence,
            opening: Cents::new(opening),
            closing: Cents::ZERO,
            lines: 0,
            credits: 0,
            credit: Cents::ZERO,
            debits: 0,
            debit: Cents::ZERO,
            status: StatementStatus::Waiting,
            reason: None,
            position: None,
            applied_at: None,
            confirmed_by: None,
            closed_by: None,
            evidence: None,
            version: 1,
            created_at: Time::from_micros(0),
            updated_at: Time::from_micros(0),
        }
    }

    #[test]
    fn a_statement_follows_the_banking_day_before_it() {
        // A Friday; Monday is open.
        let last = BankBalance {
            org: OrgId(Uuid::nil()),
            settlement_account: SettlementAccountId(Uuid::nil()),
            statement: BankStatementId(Uuid::nil()),
            booked_on: "2026-03-06".to_owned(),
            sequence: Some(7),
            closing: Cents::new(500),
            statements: 1,
        };
        let obstacle =
            |day, sequence, opening| super::obstacle(Some(&last), &statement(day, sequence, opening), Calendar::Fed);
        assert_eq!(obstacle("2026-03-09", None, 500), None);
        assert_eq!(obstacle("2026-03-07", None, 500), None);
        assert_eq!(obstacle("2026-03-07", None, 501), Some(StatementReason::OtherOpening));
        assert_eq!(
            obstacle("2026-03-09", None, 501),
            Some(StatementReason::MissingBefore),
            "a bank may book on Saturday"
        );
        assert_eq!(obstacle("2026-03-10", None, 500), Some(StatementReason::MissingBefore));
        assert_eq!(obstacle("2026-03-10", Some(9), 500), Some(StatementReason::MissingBefore));
        assert_eq!(obstacle("2026-03-12", Some(8), 500), None);
        assert_eq!(obstacle("2026-03-16", Some(8), 500), None);
        assert_eq!(obstacle("2026-03-17", Some(8), 500), Some(StatementReason::MissingBefore));
        let confirmed = |opening| {
            let confirmed_by = Some(crate::ids::MemberId(Uuid::nil()));
            let statement = BankStatement { confirmed_by, ..statement("2026-03-12", None, opening) };
            super::obstacle(Some(&last), &statement, Calendar::Fed)
        };
        assert_eq!((confirmed(500), confirmed(501)), (None, Some(StatementReason::OtherOpening)));
        assert_eq!(super::obstacle(None, &statement("2026-03-12", None, 9), Calendar::Fed), None);
    }
}
