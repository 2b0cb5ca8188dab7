//! A payee who walks through a claim, for the samples of its steps.

use serde_json::{Value, json};

use super::{Sample, Stage};

/// A claim and the sitting at it, once there is one.
pub struct Claim {
    token: String,
    phone: String,
    session: Option<String>,
}

impl Claim {
    /// A link of ten dollars that nobody has opened.
    pub async fn open(stage: &Stage) -> Self {
        Self::with(stage, false).await
    }

    /// A link of ten dollars that asks for a tax form.
    pub async fn taxed(stage: &Stage) -> Self {
        Self::with(stage, true).await
    }

    async fn with(stage: &Stage, taxed: bool) -> Self {
        let phone = stage.phone();
        let body = json!({
            "amount": 1_000, "payee": {"country_code": "1", "phone_number": phone},
            "force_collect_compliance_information": taxed,
        });
        let made = stage.made("POST", "/v2/payout-links", body, 201).await;
        let link = made["link"].as_str().expect("a link has an address");
        let token = link.rsplit('/').next().expect("the token comes last").to_owned();
        Self { token, phone, session: None }
    }

    /// The claim's token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The contact as the payee types it.
    pub fn contact(&self) -> Value {
        json!({"country_code": "1", "phone_number": self.phone})
    }

    /// Whom the payee says to be.
    pub fn profile() -> Value {
        json!({"first_name": "Jane", "last_name": "Doe"})
    }

    /// A tax form for which nothing is missing.
    pub fn tax_form() -> Value {
        json!({"w9": {
            "entity_type": "individual", "tax_id_type": "ssn",
            "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
            "postcode": "10001", "certified": true,
        }})
    }

    /// A sample of a step of this claim.
    pub fn step(&self, body: Value) -> Sample {
        let mut sample = Sample::at([self.token.as_str()]).json(body);
        sample.headers.extend(self.session.clone().map(|session| ("claim-session", session)));
        sample
    }

    async fn take(&mut self, stage: &Stage, step: &str, body: Value) -> Value {
        let asking = stage.server.post(&format!("/v2/claims/{}/{step}", self.token)).json(body);
        let asking = match &self.session {
            Some(session) => asking.header("claim-session", session),
            None => asking,
        };
        asking.send().await.expect(200).body
    }

    /// Asks for a code; gives it.
    pub async fn code(&mut self, stage: &Stage) -> String {
        self.take(stage, "contact", self.contact()).await;
        let message = stage.server.newest_message(&format!("+1{}", self.phone)).await;
        message["code"].as_str().unwrap_or_else(|| panic!("no code in {message}")).to_owned()
    }

    /// Proves the phone.
    pub async fn open_session(mut self, stage: &Stage) -> Self {
        let code = self.code(stage).await;
        let opened = self.take(stage, "code", json!({"token": code})).await;
        self.session = Some(opened["session"].as_str().expect("the code opens a sitting").to_owned());
        self
    }

    /// Confirms another e-mail address, with both codes.
    pub async fn changing(self, stage: &Stage) -> Sample {
        let mut claim = self.open_session(stage).await;
        let email = format!("ada{}@example.com", stage.draw());
        claim.take(stage, "contact-change", json!({"email": email})).await;
        let present = stage.server.newest_code(&format!("+1{}", claim.phone)).await;
        let new = stage.server.newest_code(&email).await;
        claim.step(json!({"present_token": present, "new_token": new}))
    }

    /// Says a name, too.
    pub async fn named(self, stage: &Stage) -> Self {
        let mut claim = self.open_session(stage).await;
        claim.take(stage, "profile", Self::profile()).await;
        claim
    }

    /// Chooses a bank account, too.
    pub async fn ready(self, stage: &Stage) -> Self {
        let mut claim = self.named(stage).await;
        claim.take(stage, "method", stage.bank_account()).await;
        claim
    }
}
