//! Members who sign in, and working requests for that.

use bursar::members::sign_in::totp;
use bursar::members::{CreateMember, Role, password};
use serde_json::{Value, json};

use super::{Sample, Stage};
use crate::harness::Server;

/// The password of every member here.
pub const PASSWORD: &str = "correct horse battery";

#[derive(Clone, Debug)]
pub struct Person {
    pub session: String,
    pub session_id: String,
}

impl Stage {
    /// Adds a member with a password to our organization; returns their address.
    pub async fn hire(&self, role: &str) -> String {
        let bursar = self.server.bursar();
        let email = format!("mary{}@example.com", self.draw());
        let salt = bursar.entropy().bytes();
        let command = CreateMember {
            org: bursar::ids::OrgId(self.organization.id.parse().expect("an id is a UUID")),
            name: "Mary Member".to_owned(),
            email: email.clone(),
            role: Role::from_word(role).expect("a role"),
            // The cheapest hash, because a stage has many members.
            password_hash: Some(password::hash(PASSWORD, salt, password::Strength::Drawn)),
        };
        let member = bursar.engine.run(command.org, command).await.expect("a member can be added");
        self.share(&member.id.to_string());
        email
    }

    /// Adds a member and signs them in.
    pub async fn signed_in(&self, role: &str) -> Person {
        let email = self.hire(role).await;
        let body = sign_in(&self.organization.id, &email);
        let opened = self.server.post("/v2/member-sessions").json(body).send().await.expect(201);
        let session = opened.body["token"].as_str().expect("a session is text").to_owned();
        Person { session, session_id: opened.id() }
    }
}

fn sign_in(organization: &str, email: &str) -> Value {
    json!({"organization_id": organization, "email": email, "password": PASSWORD})
}

/// Begins a second factor for the holder of a session; returns the code that confirms it.
pub async fn totp_code(server: &Server, session: &str) -> String {
    let body = json!({"current_password": PASSWORD});
    let path = "/v2/member-sessions/current/totp";
    let begun = server.post(path).by(session).json(body).send().await.expect(200);
    totp::code_now(&base32(begun.body["secret"].as_str().expect("a secret is text")), server.now())
}

/// Decodes a text in Base32.
pub fn base32(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        _ => letter - b'2' + 26,
    };
    let bits: Vec<u8> = text.bytes().flat_map(|letter| (0..5).rev().map(move |bit| value(letter) >> bit & 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit)).collect()
}

/// Sessions, passwords, second factors.
pub async fn sign_ins(stage: &Stage, operation: &str) -> Option<Sample> {
    Some(match operation {
        "open_member_session" => {
            let email = stage.hire("viewer").await;
            Sample::bare().json(sign_in(&stage.organization.id, &email))
        }
        "list_member_sessions" => Sample::bare().query("limit=100"),
        "end_member_session" => {
            let person = stage.signed_in("viewer").await;
            Sample::at([&stage.share(&person.session_id)])
        }
        "change_member_password" => {
            own(stage).await.json(json!({"current_password": PASSWORD, "password": "another horse battery"}))
        }
        "start_member_totp" | "remove_member_totp" => own(stage).await.json(json!({"current_password": PASSWORD})),
        "confirm_member_totp" => {
            let sample = own(stage).await;
            let code = totp_code(&stage.server, &sample.headers["member-session"]).await;
            sample.json(json!({"code": code}))
        }
        "invite_member" => Sample::at([&stage.member("viewer").await]).empty(),
        "reset_member_totp" => Sample::at([&stage.member("viewer").await]),
        "set_up_member" => {
            let path = format!("/v2/members/{}/set-up-token", stage.member("viewer").await);
            let token = stage.server.post(&path).as_org().send().await.expect(201).body["token"].clone();
            Sample::bare().json(json!({"token": token, "password": PASSWORD}))
        }
        _ => return None,
    })
}

/// Returns a request of a new member.
async fn own(stage: &Stage) -> Sample {
    let session = stage.signed_in("viewer").await.session;
    let mut sample = Sample::bare();
    sample.headers.insert("member-session", session);
    sample
}
