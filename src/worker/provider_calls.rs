//! Calls providers of rails behind HTTP.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use crate::ids::TransferId;
use crate::outbound::{Answered, Outbound, Post, Target, TokenKey, Tokens};
use crate::rails::providers::paypal::Posted;
use crate::rails::providers::{Access, Order, ProviderKind, Reply, adapter, paypal};

/// A payment, and the way to its provider.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    pub outbound: &'a Outbound,
    pub tokens: &'a Tokens,
    pub access: &'a Access,
    pub transfer: TransferId,
    /// The provider's own reference, if it gave one.
    pub reference: Option<&'a str>,
}

impl Session<'_> {
    /// Hands a payment over. A second call with the same order changes nothing at the provider.
    pub async fn submit(&self, order: &Order) -> Reply {
        let said = match self.access.kind {
            ProviderKind::Adapter => self.put(order).await,
            ProviderKind::Paypal => self.post_batch(order).await,
        };
        said.unwrap_or_else(Reply::Unclear)
    }

    /// Queries a payment by our id. PayPal finds a batch by its own id only; without one the same hand-over is the
    /// look-up.
    pub async fn look_up(&self) -> Reply {
        let said = match (self.access.kind, self.reference) {
            (ProviderKind::Adapter, _) => self.get().await,
            (ProviderKind::Paypal, Some(reference)) => self.show_batch(reference).await,
            (ProviderKind::Paypal, None) => Ok(Reply::HasNot),
        };
        said.unwrap_or_else(Reply::Unclear)
    }

    fn target(&self, path: &str) -> Result<Target, String> {
        let url = format!("{}{path}", self.access.url);
        Target::parse(&url, self.outbound.reach()).map_err(|reason| format!("its URL {reason}"))
    }

    async fn put(&self, order: &Order) -> Result<Reply, String> {
        let target = self.target(&format!("/transfers/{}", self.transfer))?;
        let headers = bearer(&self.access.secret);
        let put = Post { target: &target, headers: &headers, body: order.to_bytes() };
        Ok(adapter::put_reply(self.outbound.put(put).await))
    }

    async fn get(&self) -> Result<Reply, String> {
        let target = self.target(&format!("/transfers/{}", self.transfer))?;
        Ok(adapter::get_reply(self.outbound.get(&target, &bearer(&self.access.secret)).await))
    }

    async fn post_batch(&self, order: &Order) -> Result<Reply, String> {
        let Some(body) = paypal::batch(self.transfer, order) else {
            return Err("the payment names no account at PayPal or Venmo".to_owned());
        };
        let answered = self.call("/v1/payments/payouts", Some(body.to_string().into_bytes())).await?;
        match paypal::posted(&answered) {
            Posted::Said(reply) => Ok(reply),
            Posted::First(reference) => self.show_batch(&reference).await,
        }
    }

    async fn show_batch(&self, reference: &str) -> Result<Reply, String> {
        if !paypal::is_word(reference) {
            return Err("its id of the batch is not usable".to_owned());
        }
        let answered = self.call(&format!("/v1/payments/payouts/{reference}"), None).await?;
        Ok(paypal::shown(self.transfer, reference, &answered))
    }

    /// Calls PayPal with an access token; with a body it is a POST.
    async fn call(&self, path: &str, body: Option<Vec<u8>>) -> Result<Answered, String> {
        let (target, headers) = (self.target(path)?, bearer(&self.token().await?));
        let answered = match body {
            Some(body) => self.outbound.post(Post { target: &target, headers: &headers, body }).await,
            None => self.outbound.get(&target, &headers).await,
        };
        let answered = answered.map_err(|unanswered| unanswered.to_string())?;
        if answered.status == 401 {
            self.tokens.forget(&self.token_key());
        }
        Ok(answered)
    }

    fn client_id(&self) -> &str {
        self.access.client_id.as_deref().unwrap_or_default()
    }

    fn token_key(&self) -> TokenKey {
        TokenKey::of(&[&self.access.url, self.client_id(), self.access.secret.expose_secret()])
    }

    async fn token(&self) -> Result<SecretString, String> {
        let key = self.token_key();
        if let Some(token) = self.tokens.get(&key) {
            return Ok(token);
        }
        let pair = format!("{}:{}", self.client_id(), self.access.secret.expose_secret());
        let headers = [
            ("authorization", format!("Basic {}", BASE64_STANDARD.encode(pair))),
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
        ];
        let target = self.target("/v1/oauth2/token")?;
        let post = Post { target: &target, headers: &headers, body: b"grant_type=client_credentials".to_vec() };
        let answered = self.outbound.post(post).await.map_err(|unanswered| unanswered.to_string())?;
        let granted: Option<Granted> = serde_json::from_slice(&answered.body).ok();
        let refused = || format!("it gave no access token: it answered {}", answered.status);
        let Granted { access_token, expires_in } = granted.filter(|_| answered.status == 200).ok_or_else(refused)?;
        let token = SecretString::from(access_token);
        self.tokens.keep(key, token.clone(), expires_in);
        Ok(token)
    }
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: u64,
}

fn bearer(token: &SecretString) -> [(&'static str, String); 2] {
    [("authorization", format!("Bearer {}", token.expose_secret())), ("content-type", "application/json".to_owned())]
}
