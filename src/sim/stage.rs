//! The state before the first step: organizations, their apps and their money, and the payees.

use std::collections::HashMap;

use super::chance::Chance;
use crate::apps::keys::{Drawn, Opens};
use crate::apps::{CreateApp, Organization, UpdateSettings};
use crate::bank::Network;
use crate::bank_accounts::OwnAccountInput;
use crate::clock::{DAY_SECONDS, Time};
use crate::email::Email;
use crate::engine::Command;
use crate::funding::SetAchAccount;
use crate::ids::{AppId, OrgId, TransferId};
use crate::input::Input;
use crate::ledger;
use crate::ledger::postings;
use crate::members::sign_in::MemberSession;
use crate::members::{CreateMember, Member, Role};
use crate::money::Cents;
use crate::payout_methods::{AccountType, Details, Target, UsBank};
use crate::phone::PhoneNumber;
use crate::platform::Platform;
use crate::program::Environment;
use crate::scope::Scope;
use crate::strict_json::Json;
use crate::vault::Vault;
use crate::world::record::key;
use crate::world::{Halt, World};

const ORGANIZATIONS: usize = 3;
const APPS: usize = 2;
/// Payees. Every organization has the same phones, and no data may cross organizations because of that.
const PEOPLE: usize = 120;
/// So many of them receive half of the money, so that sums reach the limits of days and years.
const REGULARS: usize = 16;
const DEPOSIT: Cents = Cents::new(5_000_000_000);
/// The apps that have little money, counted from one, and its amount.
const POOR: [usize; 2] = [3, 5];
const LITTLE: Cents = Cents::new(200_000);

/// The settings of every second app. Its wallet begins below the refill threshold.
const LIMITS: &str = r#"{
    "auto_refill": {"amount": 100000000, "threshold": 5100000000},
    "payout_limits": {"per_payout": 1000000, "per_day": 4000000},
    "payout_approval_limit": 150000,
    "payable_limits": {"per_payable": 350000, "per_day": 900000},
    "payable_approval_limit": 150000,
    "transfer_limits": {"per_transfer": 15000, "per_day": 60000},
    "payment_limits": {"per_payment": 250000, "per_payer_per_day": 400000, "per_day": 900000},
    "payment_hold_days": 2,
    "debit_retries": 2,
    "method_rest_hours": 24,
    "delivery_limits": {"per_recipient_per_day": 3},
    "member_proof": "required"
}"#;

/// The placeholder for the hash of every member's password.
pub(super) const PASSWORD_HASH: &str = "hash";

#[derive(Clone, Debug)]
pub(super) struct Individual {
    pub phone: PhoneNumber,
    pub email: Email,
    pub first_name: String,
    pub last_name: String,
    pub details: Vec<Details>,
}

pub(super) struct Stage {
    pub apps: Vec<Scope>,
    pub people: Vec<Individual>,
    phones: HashMap<String, usize>,
    addresses: HashMap<String, usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Found {
    pub org: OrgId,
}

impl Command for Found {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let created_at = world.now();
        world.add(Organization { org: self.org, name: "Simulated organization".to_owned(), created_at });
        Ok(())
    }
}

/// Signs in every member of an organization for 1,000 days. Real sessions would end too soon in simulated time.
#[derive(Clone, Debug)]
pub(super) struct SignAllIn {
    pub org: OrgId,
}

impl Command for SignAllIn {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let now = world.now();
        let late = now.plus_seconds(1_000 * DAY_SECONDS);
        for member in world.all::<Member>(Member::OF_ORG, key![self.org])? {
            if !world.all::<MemberSession>(MemberSession::OF_MEMBER, key![self.org, member.id])?.is_empty() {
                continue;
            }
            let (id, secret_hash) = (world.id(), world.random::<32>().to_vec());
            world.add(MemberSession {
                org: self.org,
                id,
                member: member.id,
                secret_hash,
                address: None,
                second_factor: false,
                created_at: now,
                last_used_at: late,
                expires_at: late,
                ended_at: None,
            });
        }
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub(super) struct Fund {
    pub scope: Scope,
    pub amount: Cents,
}

impl Command for Fund {
    type Reply = ();

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let transfer: TransferId = world.id();
        ledger::post(world, &postings::deposit(self.scope, transfer, self.amount))
    }
}

impl Stage {
    pub fn new() -> Self {
        let people: Vec<Individual> = (0..PEOPLE).filter_map(individual).collect();
        let phones = people.iter().enumerate().map(|(place, individual)| (individual.phone.e164(), place)).collect();
        let address = |(place, individual): (usize, &Individual)| (individual.email.as_str().to_owned(), place);
        let addresses = people.iter().enumerate().map(address).collect();
        Self { apps: Vec::new(), people, phones, addresses }
    }

    /// Returns a payee, in half of the draws one of the regulars.
    pub fn payee(&self, chance: &mut Chance) -> Option<&Individual> {
        let among = if chance.one_in(2) { self.people.get(..REGULARS).unwrap_or(&self.people) } else { &self.people };
        chance.pick(among)
    }

    /// Returns the person with this phone in E.164.
    pub fn by_phone(&self, phone: &str) -> Option<&Individual> {
        self.phones.get(phone).and_then(|place| self.people.get(*place))
    }

    pub fn by_email(&self, email: &str) -> Option<&Individual> {
        self.addresses.get(email).and_then(|place| self.people.get(*place))
    }

    pub fn organizations(chance: &mut Chance, now: Time) -> Vec<OrgId> {
        (0..ORGANIZATIONS).map(|_| chance.entropy().id(now)).collect()
    }

    pub fn apps_of(org: OrgId, vault: &Vault, chance: &mut Chance) -> Vec<CreateApp> {
        let app = |number: usize| CreateApp {
            org,
            environment: Environment::Sandbox,
            name: format!("Simulated app {number}"),
            metadata: None,
            key: Drawn::draw(&mut chance.entropy(), Environment::Sandbox, org, Opens::App).to_store(vault),
        };
        (0..APPS).map(app).collect()
    }

    /// Returns one member of each role, and a second approver.
    pub fn members_of(org: OrgId) -> Vec<CreateMember> {
        let roles = Role::ALL.iter().chain(&[Role::ApApprover]).enumerate();
        let member = |(number, role): (usize, &Role)| CreateMember {
            org,
            name: format!("Member {number}"),
            email: format!("member{number}@example.com"),
            role: *role,
            password_hash: Some(PASSWORD_HASH.to_owned()),
        };
        roles.map(member).collect()
    }

    /// Returns the bank account of a new app, and its settings: every second app has limits and a refill threshold.
    pub fn set_up(scope: Scope, number: usize, vault: &Vault, chance: &mut Chance) -> (SetAchAccount, UpdateSettings) {
        let account = own_account("4455660001").expect("a good account").sealed(vault, chance.entropy().bytes());
        let changes = if number.is_multiple_of(2) { "{}" } else { LIMITS };
        let changes = read(changes).expect("good settings");
        (SetAchAccount { scope, account, by_app: false }, UpdateSettings { scope, changes })
    }

    /// Records a new app, and returns the command that funds its wallet.
    pub fn enter(&mut self, org: OrgId, app: AppId) -> Fund {
        let scope = Scope { org, app };
        self.apps.push(scope);
        // Little money, so that some returns are not covered.
        let amount = if POOR.contains(&self.apps.len()) { LITTLE } else { DEPOSIT };
        Fund { scope, amount }
    }
}

pub(super) fn own_account(number: &str) -> Option<OwnAccountInput> {
    read(&format!(r#"{{"account_number": "{number}", "routing_number": "110000000"}}"#))
}

/// Reads an input as its handler does.
pub(super) fn read<T: Input>(text: &str) -> Option<T> {
    T::read(&Json::parse(text.as_bytes()).ok()?, "").ok()
}

fn individual(number: usize) -> Option<Individual> {
    let phone = PhoneNumber::parse("1", &format!("212736{:04}", 1_000 + number)).ok()?;
    // One of forty is on the sanctions list of the sandbox, so that reviews happen.
    let (first_name, last_name) = if number % 40 == 7 {
        ("Test".to_owned(), "Sanctioned".to_owned())
    } else {
        (format!("Person {number}"), "Doe".to_owned())
    };
    let email = Email::parse(&format!("person{number}@example.com")).ok()?;
    Some(Individual { phone, email, first_name, last_name, details: details(number) })
}

/// Returns a person's methods: good ones, and ones that fail or return payments on purpose (docs/decisions.md 13).
fn details(number: usize) -> Vec<Details> {
    let bank = |account_number: String, routing_number: &str| Target::UsBank {
        bank: UsBank { account_number, routing_number: routing_number.to_owned(), account_type: AccountType::Checking },
        address: None,
        residence: None,
    };
    let own = format!("3{number:08}");
    let magic = number % 29 + 1;
    let on = |platform, target| Details { platform, target, currency: "USD".to_owned() };
    let mut all = vec![
        on(Platform::Ach, bank(own.clone(), "110000000")),
        on(Platform::Ach, bank(own, "011000015")),
        on(Platform::WalletA, Target::Email { email: format!("payee{number}@example.com") }),
        on(Platform::WalletB, Target::Handle { handle: format!("payee-{number}") }),
        on(Platform::PushToCard, Target::Card { card_token: format!("card_{number}") }),
        on(Platform::Crypto, Target::Chain { network: Network::Ethereum, address: format!("0x{number:040x}") }),
    ];
    if number.is_multiple_of(3) {
        all.push(on(Platform::Ach, bank(format!("100000{magic:02}"), "110000000")));
        all.push(on(Platform::WalletB, Target::Handle { handle: format!("fail-account_closed{number}") }));
    }
    // Corrected numbers, returns that no payment matches, and payments that come back twice: docs/sandbox.md.
    if number % 5 == 1 {
        all.push(on(Platform::Ach, bank(format!("300000{:02}", number % 7 + 1), "110000000")));
        all.push(on(Platform::Ach, bank(format!("4000000{}", number % 3 + 1), "110000000")));
    }
    if number.is_multiple_of(4) {
        all.push(on(Platform::Ach, bank(format!("200000{magic:02}"), "110000000")));
    }
    all
}
