//! Accounts payable from the members' view: each acts under their own name.

use serde_json::{Value, json};

use super::{Asking, Reply, Server};

const AP: &str = "/v2/accounts-payable";

/// The members of the demonstration organization.
pub struct Desk<'a> {
    pub server: &'a Server,
}

impl<'a> Desk<'a> {
    pub fn of(server: &'a Server) -> Self {
        Self { server }
    }

    /// Returns the id of the demonstration member of a role; any other text is taken as an id.
    pub fn member(&self, role: &str) -> String {
        let credentials = self.server.credentials();
        let members = credentials["members"].as_array().unwrap();
        let found = members.iter().find(|member| member["role"] == role);
        found.map_or(role, |member| member["id"].as_str().unwrap()).to_owned()
    }

    /// Adds a member to the organization; returns their id.
    pub async fn hire(&self, name: &str, role: &str) -> String {
        let body = json!({"name": name, "email": format!("{}@example.com", name.to_lowercase()), "role": role});
        self.server.post("/v2/members").as_org().json(body).send().await.expect(201).id()
    }

    pub async fn dismiss(&self, member: &str) {
        let path = format!("/v2/members/{}", self.member(member));
        self.server.delete(&path).as_org().send().await.expect(200);
    }

    pub fn get(&self, path: &str) -> Asking<'a> {
        self.server.get(&format!("{AP}/{path}")).app_key()
    }

    pub fn post(&self, path: &str, body: Value) -> Asking<'a> {
        self.with_key(path, self.server.post(&format!("{AP}/{path}"))).json(body)
    }

    /// Uses the app's key, or the organization's if an app's key may not act.
    fn with_key(&self, path: &str, asking: Asking<'a>) -> Asking<'a> {
        if path.starts_with("approval-policies") || path.ends_with("/confirm") {
            return asking.as_org().for_app(&self.server.app_id());
        }
        asking.app_key()
    }

    pub fn patch(&self, path: &str, body: Value) -> Asking<'a> {
        self.with_key(path, self.server.patch(&format!("{AP}/{path}"))).json(body)
    }

    pub fn delete(&self, path: &str) -> Asking<'a> {
        self.with_key(path, self.server.delete(&format!("{AP}/{path}")))
    }

    /// Creates a vendor with an account of this number; returns the vendor's id and the account's.
    pub async fn vendor(&self, account_number: &str) -> (String, String) {
        let address =
            json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
        let vendor = self.post("vendors", json!({"name": "Corner Shop", "address": address})).send().await.expect(201);
        let method = self.account(&vendor.id(), account_number).await.expect(201);
        (vendor.id(), method.id())
    }

    /// Adds an account to a vendor, as the creator.
    pub async fn account(&self, vendor: &str, account_number: &str) -> Reply {
        let body = json!({
            "acting_user_id": self.member("ap_creator"), "name": "Corner Shop Inc.",
            "account_number": account_number, "routing_number": "110000000",
        });
        self.post(&format!("vendors/{vendor}/payment-methods"), body).send().await
    }

    /// Creates a payable with these fields, as the creator.
    pub async fn bill(&self, mut fields: Value) -> Reply {
        fields["acting_user_id"] = json!(self.member("ap_creator"));
        if fields["number"].is_null() {
            fields["number"] = json!("INV-1");
        }
        self.post("payables", fields).send().await
    }

    /// Creates a payable of this amount for a vendor with a good account; returns its id.
    pub async fn good_bill(&self, amount: i64) -> String {
        let (vendor, method) = self.vendor("000123456789").await;
        let fields = json!({"amount": amount, "ap_vendor_id": vendor, "ap_payment_method_id": method});
        self.bill(fields).await.expect(201).id()
    }

    /// Runs `verb` (`approve`, `pay`, …) on a payable as the member of a role, or with an id.
    pub async fn act(&self, payable: &str, verb: &str, member: &str) -> Reply {
        let body = json!({"acting_user_id": self.member(member)});
        self.post(&format!("payables/{payable}/{verb}"), body).send().await
    }

    /// Changes a payable, as the creator.
    pub async fn update(&self, payable: &str, mut changes: Value) -> Reply {
        changes["acting_user_id"] = json!(self.member("ap_creator"));
        self.patch(&format!("payables/{payable}"), changes).send().await
    }

    pub async fn payable(&self, id: &str) -> Value {
        self.get(&format!("payables/{id}")).send().await.expect(200).body
    }

    /// Submits a payable as the creator and approves it.
    pub async fn approve(&self, payable: &str) {
        self.act(payable, "submit-for-approval", "ap_creator").await.expect(200);
        let approved = self.act(payable, "approve", "ap_approver").await.expect(200).body;
        assert_eq!(approved["status"], "approved");
    }
}
