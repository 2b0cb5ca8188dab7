//! A payee who takes the steps of a claim, for the samples of its steps.

use serde_json::{Value, json};

use super::{Sample, Stage};

/// A claim and its session, once it has one.
pub struct Claim {
    token: String,
    phone: String,
    session: Option<String>,
}

impl Claim {
    /// Creates a link of ten dollars that is not opened.
    pub async fn open(stage: &Stage) -> Self {
        Self::with(stage, json!({})).await
    }

    /// Creates a link of ten dollars that requires a tax form.
    pub async fn taxed(stage: &Stage) -> Self {
        Self::with(stage, json!({"force_collect_compliance_information": true})).await
    }

    /// Creates a link that has expired.
    pub async fn expired(stage: &Stage) -> Self {
        let expires_at = stage.server.now().plus_seconds(1).to_string();
        let claim = Self::with(stage, json!({"expires_at": expires_at})).await;
        stage.server.advance(1);
        claim
    }

    async fn with(stage: &Stage, further: Value) -> Self {
        let phone = stage.phone();
        let mut body = json!({"amount": 1_000, "payee": {"country_code": "1", "phone_number": phone}});
        let Value::Object(further) = further else { panic!("fields are an object") };
        body.as_object_mut().expect("an object").extend(further);
        let made = stage.made("POST", "/v2/payout-links", body, 201).await;
        let link = made["link"].as_str().expect("a link has an address");
        let token = link.rsplit('/').next().expect("the token comes last").to_owned();
        Self { token, phone, session: None }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the contact as the payee enters it.
    pub fn contact(&self) -> Value {
        json!({"country_code": "1", "phone_number": self.phone})
    }

    /// Returns the payee's name.
    pub fn profile() -> Value {
        json!({"first_name": "Jane", "last_name": "Doe"})
    }

    /// Returns a complete tax form.
    pub fn tax_form() -> Value {
        json!({"w9": {
            "entity_type": "individual", "tax_id_type": "ssn",
            "name": "Jane Doe", "tax_id": "123-45-6789", "line_1": "1 Main St", "city": "New York", "state": "NY",
            "postcode": "10001", "certified": true,
        }})
    }

    /// Returns a sample of a step of this claim.
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

    /// Requests a code; returns it.
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

    /// Also enters a name.
    pub async fn named(self, stage: &Stage) -> Self {
        let mut claim = self.open_session(stage).await;
        claim.take(stage, "profile", Self::profile()).await;
        claim
    }

    /// Also chooses a bank account.
    pub async fn ready(self, stage: &Stage) -> Self {
        let mut claim = self.named(stage).await;
        claim.take(stage, "method", stage.bank_account()).await;
        claim
    }
}
