//! What is there before the first step: organizations, their apps and their money, and the people to be paid.

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
use crate::http::input::Input;
use crate::ids::{AppId, OrgId, TransferId};
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

/// How many tenants there are.
const ORGANIZATIONS: usize = 3;
/// Apps of each.
const APPS: usize = 2;
/// People who may be paid. Every organization knows the same phones, as in life; nothing may cross by that.
const PEOPLE: usize = 120;
/// To so many of them half of the money goes, so that sums add up: limits of days and of years are reached.
const REGULARS: usize = 16;
/// What an app's wallet is filled with.
const DEPOSIT: Cents = Cents::new(5_000_000_000);
/// Which apps have next to nothing, counted from one, and how much that is.
const POOR: [usize; 2] = [3, 5];
const LITTLE: Cents = Cents::new(200_000);

/// Settings that come into play: the wallet begins below its floor.
const LIMITS: &str = r#"{
    "auto_refill": {"amount": 100000000, "threshold": 5100000000},
    "payout_limits": {"per_payout": 1000000, "per_day": 4000000},
    "payout_approval_limit": 150000,
    "payable_limits": {"per_payable": 350000, "per_day": 900000},
    "payable_approval_limit": 150000,
    "transfer_limits": {"per_transfer": 15000, "per_day": 60000},
    "payment_limits": {"per_payment": 250000, "per_payer_per_day": 400000, "per_day": 900000},
    "payment_hold_days": 2,
    "method_rest_hours": 24,
    "delivery_limits": {"per_recipient_per_day": 3},
    "member_proof": "required"
}"#;

/// The placeholder for the hash of every member's password.
pub(super) const PASSWORD_HASH: &str = "hash";

/// Somebody with a phone.
#[derive(Clone, Debug)]
pub(super) struct Individual {
    /// Who they are.
    pub phone: PhoneNumber,
    /// Their address.
    pub email: Email,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Where they are paid, if they say.
    pub details: Vec<Details>,
}

/// See the module's comment.
pub(super) struct Stage {
    /// Every app, with its organization.
    pub apps: Vec<Scope>,
    /// Everybody.
    pub people: Vec<Individual>,
    phones: HashMap<String, usize>,
    addresses: HashMap<String, usize>,
}

/// Makes an organization: its row, and money in the wallets of its apps.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its id.
    pub org: OrgId,
}

impl Command for Found {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let created_at = world.now();
        world.add(Organization { org: self.org, name: "Simulated organization".to_owned(), created_at });
        Ok(())
    }
}

/// Signs every member of an organization in for good: real sessions are short, and time passes quickly here.
#[derive(Clone, Debug)]
pub(super) struct SignAllIn {
    /// Their organization.
    pub org: OrgId,
}

impl Command for SignAllIn {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.org
    }

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

/// Fills an app's wallet.
#[derive(Clone, Debug)]
pub(super) struct Fund {
    /// The app.
    pub scope: Scope,
    /// Cents.
    pub amount: Cents,
}

impl Command for Fund {
    type Reply = ();

    fn organization(&self) -> OrgId {
        self.scope.org
    }

    fn decide(&self, world: &mut World) -> Result<(), Halt> {
        let transfer: TransferId = world.id();
        ledger::post(world, &postings::deposit(self.scope, transfer, self.amount))
    }
}

impl Stage {
    /// An empty stage with its people.
    pub fn new() -> Self {
        let people: Vec<Individual> = (0..PEOPLE).filter_map(individual).collect();
        let phones = people.iter().enumerate().map(|(place, individual)| (individual.phone.e164(), place)).collect();
        let address = |(place, individual): (usize, &Individual)| (individual.email.as_str().to_owned(), place);
        let addresses = people.iter().enumerate().map(address).collect();
        Self { apps: Vec::new(), people, phones, addresses }
    }

    /// Somebody to be paid, every other time one of the regulars.
    pub fn payee(&self, chance: &mut Chance) -> Option<&Individual> {
        let among = if chance.one_in(2) { self.people.get(..REGULARS).unwrap_or(&self.people) } else { &self.people };
        chance.pick(among)
    }

    /// Whose phone this is, in E.164.
    pub fn by_phone(&self, phone: &str) -> Option<&Individual> {
        self.phones.get(phone).and_then(|place| self.people.get(*place))
    }

    /// Whose address this is.
    pub fn by_email(&self, email: &str) -> Option<&Individual> {
        self.addresses.get(email).and_then(|place| self.people.get(*place))
    }

    /// Ids of the organizations to found.
    pub fn organizations(chance: &mut Chance, now: Time) -> Vec<OrgId> {
        (0..ORGANIZATIONS).map(|_| chance.entropy().id(now)).collect()
    }

    /// The apps to make for an organization.
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

    /// The members of an organization: one of each role, and a second approver.
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

    /// The bank account of an app that was made, and the settings of an odd one: a floor for its wallet, and limits.
    pub fn set_up(scope: Scope, number: usize, vault: &Vault, chance: &mut Chance) -> (SetAchAccount, UpdateSettings) {
        let account = own_account("4455660001").expect("a good account").sealed(vault, chance.entropy().bytes());
        let changes = if number.is_multiple_of(2) { "{}" } else { LIMITS };
        let changes = read(changes).expect("good settings");
        (SetAchAccount { scope, account, by_app: false }, UpdateSettings { scope, changes })
    }

    /// Takes in an app that was made, and gives the command that fills its wallet.
    pub fn enter(&mut self, org: OrgId, app: AppId) -> Fund {
        let scope = Scope { org, app };
        self.apps.push(scope);
        // What a bank takes back where there is little is not always covered.
        let amount = if POOR.contains(&self.apps.len()) { LITTLE } else { DEPOSIT };
        Fund { scope, amount }
    }
}

/// A bank account as an app names it.
pub(super) fn own_account(number: &str) -> Option<OwnAccountInput> {
    read(&format!(r#"{{"account_number": "{number}", "routing_number": "110000000"}}"#))
}

/// An input as its handler would read it.
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

/// Where a person may be paid: good accounts, and those that fail or come back on purpose (docs/decisions.md 13).
fn details(number: usize) -> Vec<Details> {
    let bank = |account_number: String, routing_number: &str| Target::UsBank {
        bank: UsBank { account_number, routing_number: routing_number.to_owned(), account_type: AccountType::Checking },
        address: None,
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
    if number.is_multiple_of(4) {
        all.push(on(Platform::Ach, bank(format!("200000{magic:02}"), "110000000")));
    }
    all
}
