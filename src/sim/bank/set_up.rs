//! The bank of one organization: a connection with its originator, its settlement account and a route of ach.

use std::sync::Arc;

use crate::banking::connections::{ApproveConnection, BankConnection, CreateConnection, TestConnection};
use crate::banking::originators::{AddOriginator, ApproveOriginator, EntryClass};
use crate::banking::routes::{AddRoute, ApproveRoute, BankParts, Carries};
use crate::banking::settlement_accounts::{
    AddSettlementAccount, ApproveSettlementAccount, BookingGrain, SealedNumber, StatementKind, fingerprint,
};
use crate::banking::{
    AcknowledgementKind, Acknowledgements, AmountForm, Identity, LineEnding, NachaIdentity, Person, Settings,
    SideLimits, Sides, USUAL_PATTERN, UncoveredFiles,
};
use crate::calendars::{Calendar, DayOfWeek, Window, Zone};
use crate::caller::{Admission, Caller, CredentialKind};
use crate::engine::Command;
use crate::fees::BOOK_CURRENCY;
use crate::ids::{MemberId, OrgId, SettlementAccountId};
use crate::money::Cents;
use crate::payout_methods::AccountType;
use crate::platform::Platform;
use crate::program::Environment;
use crate::sim::chance::Chance;
use crate::vault::{Unsealed, Vault};
use crate::world::{Halt, World};

/// The customer's number at the bank.
pub(super) const NUMBER: &str = "000123456789";
const ROUTING: &str = "011000015";
const COMPANY_ID: &str = "1234567890";

/// What the members of the organization and its bank know of each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Place {
    pub org: OrgId,
    pub account: SettlementAccountId,
    pub members: Members,
}

/// Two members: the admin makes the set-up.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Members {
    pub admin: MemberId,
    pub payer: MemberId,
}

/// Returns a member of an organization as the person who acts, as its key names them in the sandbox.
pub(in crate::sim) fn person(org: OrgId, member: MemberId) -> Person {
    let admission = Admission { needs: |_| Vec::new(), refuse_gone: |_, _| Ok(()) };
    let (app, signed_in, client_id) = (None, None, String::new());
    let caller = Caller { org, app, kind: CredentialKind::Organization, member: signed_in, client_id, admission };
    Person::by(&caller, Environment::Sandbox, member)
}

/// Sets up the bank in one commit.
#[derive(Clone, Debug)]
pub(in crate::sim) struct SetUpBank {
    org: OrgId,
    members: Members,
    number: SealedNumber,
    statement_kind: StatementKind,
    booking_grain: BookingGrain,
    line_ending: LineEnding,
    balanced: bool,
}

impl SetUpBank {
    pub fn draw(org: OrgId, members: Members, vault: &Vault, chance: &mut Chance) -> Self {
        let digits = NUMBER.as_bytes();
        let number = SealedNumber {
            last4: "6789".to_owned(),
            number: Unsealed::new(vault, digits, chance.entropy().bytes()),
            fingerprint: fingerprint(ROUTING, digits, vault),
        };
        Self {
            org,
            members,
            number,
            statement_kind: if chance.one_in(2) { StatementKind::Bai2 } else { StatementKind::Camt053 },
            booking_grain: if chance.one_in(2) { BookingGrain::Entry } else { BookingGrain::File },
            line_ending: if chance.one_in(2) { LineEnding::Lf } else { LineEnding::Crlf },
            balanced: chance.one_in(2),
        }
    }

    pub fn statements(&self) -> (StatementKind, BookingGrain) {
        (self.statement_kind, self.booking_grain)
    }

    /// Returns whether the bank acknowledges files.
    pub fn acknowledges(&self) -> bool {
        self.balanced
    }

    fn acknowledgements(&self) -> Acknowledgements {
        if !self.acknowledges() {
            return Acknowledgements::default();
        }
        Acknowledgements {
            kind: AcknowledgementKind::Text,
            within_minutes: Some(120),
            pattern: Some(USUAL_PATTERN.to_owned()),
            accepted: vec!["ACCEPTED".to_owned()],
            rejected: vec!["REJECTED".to_owned()],
            amounts: Some(AmountForm::Dollars),
        }
    }

    fn settings(&self) -> Settings {
        use DayOfWeek::{Friday, Monday, Thursday, Tuesday, Wednesday};
        // Time passes in steps of minutes, hours and days: a window is open for ten hours before the bank's deadline.
        let window = |hour: u32| Window {
            name: format!("until {hour}"),
            days: vec![Monday, Tuesday, Wednesday, Thursday, Friday],
            submit_by: format!("{hour:02}:00").parse().expect("a time of day"),
            lead_minutes: 600,
            same_day: false,
        };
        // Above the limit of a file, a member releases it.
        let limits = SideLimits {
            per_entry: Cents::new(10_000_000),
            per_file: Cents::new(10_000_000),
            per_day: Cents::new(100_000_000),
        };
        Settings {
            identity: Identity::Nacha(NachaIdentity {
                odfi_routing_number: ROUTING.to_owned(),
                destination: ROUTING.to_owned(),
                destination_name: "SIMULATED BANK".to_owned(),
                origin: COMPANY_ID.to_owned(),
                origin_name: "SIMULATED INC".to_owned(),
                line_ending: self.line_ending,
                balanced: self.balanced,
            }),
            calendar: Calendar::Fed,
            time_zone: Zone::eastern(),
            windows: (11..=23).step_by(2).map(window).collect(),
            limits: Sides { credit: Some(limits), debit: Some(limits) },
            file_name: "SIM_{date}_{modifier}.ach".to_owned(),
            acknowledgements: self.acknowledgements(),
            uncovered_files: if self.line_ending == LineEnding::Lf {
                UncoveredFiles::Hold
            } else {
                UncoveredFiles::Alarm
            },
        }
    }
}

impl Command for SetUpBank {
    type Reply = Arc<BankConnection>;

    fn decide(&self, world: &mut World) -> Result<Arc<BankConnection>, Halt> {
        let org = self.org;
        let (admin, payer) = (person(org, self.members.admin), person(org, self.members.payer));
        let settings = self.settings();
        let (zone, now) = (settings.time_zone.clone(), world.now());
        let (name, transport) = ("Bank".to_owned(), "first-bank".to_owned());
        let connection = CreateConnection { org, person: admin, name, transport, settings }.decide(world)?.id;
        let evidence = "Accepted.".to_owned();
        TestConnection { org, person: admin, connection, evidence }.decide(world)?;
        let approved = ApproveConnection { org, person: payer, connection }.decide(world)?;
        let originator = AddOriginator {
            org,
            person: admin,
            connection,
            app: None,
            company_name: "SIMULATED INC".to_owned(),
            company_id: COMPANY_ID.to_owned(),
            description: "PAYOUT".to_owned(),
            discretionary: None,
            entry_classes: EntryClass::ALL.to_vec(),
            // Balanced files and prenotes are drawn together.
            prenotes: self.balanced,
        };
        let originator = originator.decide(world)?.id;
        ApproveOriginator { org, person: payer, originator }.decide(world)?;
        let account = AddSettlementAccount {
            org,
            person: admin,
            connection,
            name: "Operating".to_owned(),
            currency: BOOK_CURRENCY.to_owned(),
            account_type: AccountType::Checking,
            routing_number: ROUTING.to_owned(),
            number: self.number.clone(),
            statement_kind: self.statement_kind,
            booking_grain: self.booking_grain,
        };
        let account = account.decide(world)?.id;
        ApproveSettlementAccount { org, person: payer, account }.decide(world)?;
        let tomorrow = zone.day_of(now.plus_seconds(crate::clock::DAY_SECONDS)).to_string();
        let route = AddRoute {
            org,
            person: admin,
            platform: Platform::Ach,
            currency: BOOK_CURRENCY.to_owned(),
            from_on: tomorrow,
            carries: Carries::Bank(BankParts { connection, originator, settlement_account: account }),
        };
        let route = route.decide(world)?.id;
        ApproveRoute { org, person: payer, route }.decide(world)?;
        Ok(approved)
    }
}
