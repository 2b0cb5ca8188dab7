use super::*;
use crate::clock::{Clock, Time};
use crate::engine::{Command, Executor};
use crate::ids::{AppId, OrgId, Seeds};
use crate::messages::Channel;
use crate::refusal::{Code, Refusal};
use crate::scope::Scope;
use crate::store::{Memory, Store};
use crate::vault::Vault;
use crate::world::{Halt, World};
use uuid::Uuid;

const PHONE: &str = "+12025550123";

enum Do {
    Send(&'static str),
    Check(&'static str),
}

struct Step(Scope, &'static str, Do);

impl Command for Step {
    type Reply = Option<Checked>;

    fn decide(&self, world: &mut World) -> Result<Option<Checked>, Halt> {
        let vault = Vault::new([1; 32]);
        match self.2 {
            Do::Send(code) => {
                let to = Recipient {
                    channel: Channel::Sms,
                    recipient: self.1,
                    code_context: CodeContext::verification(self.0.app),
                };
                start(world, self.0, &to, &NewCode::of(&vault, self.0.org, code, [0; 24]))?;
                Ok(None)
            }
            Do::Check(code) => check(
                world,
                self.0,
                self.1,
                CodeContext::verification(self.0.app),
                &hash_code(&vault, self.0.org, code),
            )
            .map(Some),
        }
    }
}

struct Bench(Executor, Clock, Scope);

impl Bench {
    fn new() -> Self {
        let clock = Clock::manual(Time::parse("2026-06-01T10:00:00Z").unwrap());
        let executor = Executor::new(Store::Memory(Memory::new()), clock.clone(), Seeds::counted(1));
        Self(executor, clock, Scope { org: OrgId(Uuid::from_u128(1)), app: AppId(Uuid::from_u128(2)) })
    }

    fn send(&mut self, code: &'static str) -> Result<(), Refusal> {
        self.0.run_one(self.2.org, Step(self.2, PHONE, Do::Send(code))).map(drop)
    }

    fn check(&mut self, code: &'static str) -> Checked {
        self.0.run_one(self.2.org, Step(self.2, PHONE, Do::Check(code))).unwrap().unwrap()
    }
}

fn tries_left(checked: Checked) -> Option<i64> {
    if let Checked::Wrong { tries_left, .. } = checked { Some(tries_left) } else { None }
}

#[test]
fn a_code_works_once() {
    let mut bench = Bench::new();
    assert_eq!(bench.check("111111"), Checked::NoCode);
    bench.send("111111").unwrap();
    assert_eq!(tries_left(bench.check("222222")), Some(4));
    assert_eq!(bench.check(" 111111 "), Checked::Right);
    assert_eq!(bench.check("111111"), Checked::NoCode);
}

#[test]
fn a_code_is_good_for_ten_minutes() {
    let mut bench = Bench::new();
    bench.send("111111").unwrap();
    bench.1.advance(CODE_SECONDS);
    assert_eq!(bench.check("111111"), Checked::Expired);
}

#[test]
fn five_wrong_tries_kill_a_code_and_a_new_one_helps() {
    let mut bench = Bench::new();
    bench.send("111111").unwrap();
    for left in [4, 3, 2, 1, 0] {
        assert_eq!(tries_left(bench.check("222222")), Some(left));
    }
    assert_eq!(bench.check("111111"), Checked::Dead);
    bench.send("333333").unwrap();
    assert_eq!(bench.check("333333"), Checked::Right);
}

#[test]
fn sending_again_gives_no_new_tries_and_the_older_code_is_void() {
    let mut bench = Bench::new();
    bench.send("111111").unwrap();
    for _ in 0..3 {
        bench.check("222222");
    }
    bench.send("333333").unwrap();
    assert_eq!(tries_left(bench.check("111111")), Some(1));
    assert_eq!(tries_left(bench.check("222222")), Some(0));
    assert_eq!(bench.check("333333"), Checked::Dead);
}

#[test]
fn the_sixth_send_of_an_hour_waits_for_the_first_to_be_an_hour_old() {
    let mut bench = Bench::new();
    for _ in 0..SENDS_PER_HOUR_MAX {
        bench.send("111111").unwrap();
        bench.1.advance(60);
    }
    let refusal = bench.send("111111").unwrap_err();
    assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(3_300)));
    bench.1.advance(3_300);
    bench.send("111111").unwrap();
    assert!(bench.send("111111").is_err(), "the second is not an hour old yet");
}

#[test]
fn an_app_has_a_daily_cap() {
    let mut bench = Bench::new();
    for number in 0..SENDS_PER_DAY_MAX {
        let phone: &'static str = Box::leak(format!("+1202555{number:04}").into_boxed_str());
        bench.0.run_one(bench.2.org, Step(bench.2, phone, Do::Send("111111"))).unwrap();
    }
    let refusal = bench.send("111111").unwrap_err();
    assert_eq!((refusal.code, refusal.retry_after_seconds), (Code::RateLimited, Some(14 * 3_600)));
    bench.1.advance(14 * 3_600);
    bench.send("111111").unwrap();
}

#[test]
fn another_app_of_the_organization_neither_ends_nor_resets_a_code() {
    let mut bench = Bench::new();
    let (own, other) = (bench.2.app, AppId(Uuid::from_u128(3)));
    bench.send("111111").unwrap();
    for left in [4, 3, 2, 1] {
        assert_eq!(tries_left(bench.check("222222")), Some(left));
    }
    bench.2.app = other;
    assert_eq!(bench.check("111111"), Checked::NoCode);
    bench.send("333333").unwrap();
    bench.2.app = own;
    assert_eq!(tries_left(bench.check("333333")), Some(0), "the other app's send gives no new tries");
    bench.send("444444").unwrap();
    bench.2.app = other;
    assert_eq!(bench.check("333333"), Checked::Right, "nor does this app's send end the other's code");
}
