//! Payees of the tests.

use serde_json::{Value, json};

use super::Server;

impl Server {
    /// Creates a user with the unverified phone +1 212 736 and this line; returns the id.
    pub async fn user(&self, line: u32) -> String {
        let person = json!({
            "first_name": "Jane", "last_name": "Doe", "email": format!("jane{line}@example.com"),
            "country_code": "1", "phone_number": format!("212736{line}"),
        });
        self.post("/v2/users").app_key().json(person).send().await.expect(201).id()
    }

    /// Creates a verified user; returns the id.
    pub async fn verified_user(&self, line: u32) -> String {
        let id = self.user(line).await;
        let path = format!("/v2/users/{id}");
        self.post(&format!("{path}/send-verification-token")).app_key().send().await.expect(202);
        let code = self.newest_code(&format!("+1212736{line}")).await;
        self.post(&format!("{path}/verify")).app_key().json(json!({"token": code})).send().await.expect(200);
        id
    }

    /// Sets up a payout method; returns its id.
    pub async fn payout_method(&self, user: &str, method: Value) -> String {
        let path = format!("/v2/users/{user}/payout-methods");
        self.put(&path).app_key().json(method).send().await.expect(200).id()
    }

    /// Creates a verified user with an account at a bank without instant payments; returns the id.
    pub async fn banked_user(&self, line: u32) -> String {
        let user = self.verified_user(line).await;
        let account =
            json!({"platform": "ach", "routing_number": "110000000", "account_number": format!("5550{line}")});
        self.payout_method(&user, account).await;
        user
    }

    /// Signs in the demonstration member of a role; returns the reply.
    pub async fn signing_in(&self, role: &str) -> super::Reply {
        let credentials = self.credentials();
        let members = credentials["members"].as_array().expect("a list");
        let member = members.iter().find(|member| member["role"] == role).expect("one of each role");
        let body = json!({
            "organization_id": credentials["organization"]["id"], "email": member["email"], "password": member["password"],
        });
        self.post("/v2/member-sessions").json(body).send().await
    }

    /// Signs in the demonstration member of a role; returns the session for the header `Member-Session`.
    pub async fn sign_in(&self, role: &str) -> String {
        self.signing_in(role).await.expect(201).body["token"].as_str().expect("a session is text").to_owned()
    }

    pub async fn set(&self, settings: Value) {
        let path = format!("/v2/apps/{}/settings", self.app_id());
        self.put(&path).as_org().json(settings).send().await.expect(200);
    }

    /// Returns the sum of the demonstration app's ledger accounts of a type, in cents.
    pub async fn balance(&self, kind: &str) -> i64 {
        self.balance_of(&self.app_id(), kind).await
    }

    /// Returns the sum of an app's ledger accounts of a type. Every call checks that the ledger balances.
    pub async fn balance_of(&self, app: &str, kind: &str) -> i64 {
        let trial = self.get("/v2/ledger/trial-balance").as_org().for_app(app).send().await.expect(200).body;
        assert_eq!(trial["balanced"], true, "the book balances at every moment: {trial}");
        let accounts = trial["accounts"].as_array().expect("a list").iter();
        accounts.filter(|account| account["type"] == kind).map(|account| account["balance"].as_i64().unwrap()).sum()
    }

    /// Checks the stored data, like `bursar verify`.
    #[track_caller]
    pub fn verify(&self) {
        let bursar = self.bursar();
        let report =
            bursar::verify::verify_history(&bursar.reads, &bursar.history.chain, &[]).expect("the store can be read");
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert!(report.transactions > 0 && report.events > 0, "there was something to check");
    }
}
