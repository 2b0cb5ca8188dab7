//! The format of keys, how they are drawn, and which part is stored.
//!
//! A client id is a prefix, 16 bytes of the organization's id and 16 random bytes, so that a key is searched in one
//! organization only. Invariant: a secret leaves [`Drawn`] once, in the response; the store has a keyed hash of it.

use std::fmt;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::model::Key;
use crate::clock::Time;
use crate::ids::{AppId, Entropy, OrgId};
use crate::program::Environment;
use crate::reason::Reason;
use crate::refusal::{Code, Refusal};
use crate::vault::{Purpose, Vault};

/// Live keys of one app at most: the old one and its successor (docs/decisions.md 2).
pub const LIVE_KEYS_MAX: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    App,
    /// The organization with all its apps.
    Organization,
}

impl Opens {
    const ALL: [Self; 2] = [Self::App, Self::Organization];

    const fn prefix(self) -> &'static str {
        match self {
            Self::App => "",
            Self::Organization => "org_",
        }
    }
}

#[derive(Clone)]
pub struct Drawn {
    pub client_id: String,
    /// The secret half, to be shown once.
    pub secret: String,
}

/// Omits the secret.
impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Drawn({})", self.client_id)
    }
}

impl Drawn {
    pub fn draw(entropy: &mut Entropy, environment: Environment, org: OrgId, opens: Opens) -> Self {
        let public = [*org.0.as_bytes(), entropy.bytes::<16>()].concat();
        let secret: [u8; 32] = entropy.bytes();
        let text = |half: &str, bytes: &[u8]| {
            format!("{}{half}_{environment}_{}", opens.prefix(), BASE64_URL_SAFE_NO_PAD.encode(bytes))
        };
        Self { client_id: text("pk", &public), secret: text("sk", &secret) }
    }

    /// Returns the form that a command stores.
    pub fn to_store(&self, vault: &Vault) -> NewKey {
        NewKey {
            client_id: self.client_id.clone(),
            secret_hash: secret_hash(vault, &self.client_id, &self.secret),
            vault: vault.clone(),
            last4: self.secret.chars().skip(self.secret.chars().count().saturating_sub(4)).collect(),
        }
    }
}

/// A key without its secret, for commands.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub client_id: String,
    /// The keyed hash of both halves, which the command binds to the owner.
    secret_hash: [u8; 32],
    pub last4: String,
    vault: Vault,
}

impl NewKey {
    /// Returns the record of the key, for an app or for the organization.
    pub fn record(&self, org: OrgId, app: Option<AppId>, now: Time) -> Key {
        let owner = KeyOwner { org, app, client_id: &self.client_id };
        Key {
            org,
            client_id: self.client_id.clone(),
            app,
            secret_hash: bound_hash(&self.vault, owner, &self.secret_hash),
            last4: self.last4.clone(),
            created_at: now,
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
        }
    }
}

fn secret_hash(vault: &Vault, client_id: &str, secret: &str) -> [u8; 32] {
    // Hash the client id too, so that a hash that is moved to another key opens nothing.
    vault.keyed_hash(Purpose::ApiSecret, &[client_id.as_bytes(), secret.as_bytes()])
}

/// The owner to which a stored hash is bound. The environment is in the client id.
#[derive(Clone, Copy, Debug)]
pub struct KeyOwner<'a> {
    pub org: OrgId,
    /// `None` for a key of the organization.
    pub app: Option<AppId>,
    pub client_id: &'a str,
}

/// First byte of a bound hash.
const BOUND: u8 = 2;
/// Length of a hash of layout 1, which covers the client id and the secret only.
const LAYOUT_1_BYTES: usize = 32;

/// Returns the stored hash. It covers the organization and the app too, so a key that is moved to another owner opens
/// nothing. Only the inner hash needs the secret, so hashes of layout 1 can be bound without it.
fn bound_hash(vault: &Vault, owner: KeyOwner<'_>, secret_hash: &[u8]) -> Vec<u8> {
    let app = owner.app.map(|app| app.0);
    let app = app.as_ref().map_or(&[][..], |app| app.as_bytes());
    let parts = [b"bound".as_slice(), owner.org.0.as_bytes(), app, owner.client_id.as_bytes(), secret_hash];
    let mut hash = vec![BOUND];
    hash.extend_from_slice(&vault.keyed_hash(Purpose::ApiSecret, &parts));
    hash
}

/// Whether this is the key's secret, in constant time.
pub fn is_secret(vault: &Vault, owner: KeyOwner<'_>, secret: &str, stored: &[u8]) -> bool {
    let secret_hash = secret_hash(vault, owner.client_id, secret);
    let expected = if is_layout_1(stored) && vault.reads_layout_1() {
        secret_hash.to_vec()
    } else {
        bound_hash(vault, owner, &secret_hash)
    };
    expected.ct_eq(stored).into()
}

/// Whether a stored hash covers the client id and the secret only.
pub fn is_layout_1(stored: &[u8]) -> bool {
    stored.len() == LAYOUT_1_BYTES
}

/// Whether the prefix of the client id matches the key's row: an app's key or the organization's.
pub fn agrees(client_id: &str, app: Option<AppId>) -> bool {
    client_id.starts_with(Opens::Organization.prefix()) == app.is_none()
}

/// Returns the row's hash of layout 1, bound to its owner; `None` if it is already bound, or if the owner contradicts
/// the client id.
pub fn bound(vault: &Vault, key: &Key) -> Option<Vec<u8>> {
    let owner = KeyOwner { org: key.org, app: key.app, client_id: &key.client_id };
    let is_old = is_layout_1(&key.secret_hash) && agrees(&key.client_id, key.app);
    is_old.then(|| bound_hash(vault, owner, &key.secret_hash))
}

/// Returns the organization in a client id of this environment.
///
/// # Errors
///
/// `wrong-environment` for a client id of the other one, `unauthorized` for anything else.
pub fn organization_in(client_id: &str, environment: Environment) -> Result<OrgId, Refusal> {
    for &found in Environment::ALL {
        for opens in Opens::ALL {
            let Some(rest) = client_id.strip_prefix(&format!("{}pk_{found}_", opens.prefix())) else { continue };
            if found != environment {
                let message = format!(
                    "You are using a {found} key in the {environment} environment. Use a key that starts with \
                     {}pk_{environment}_.",
                    opens.prefix()
                );
                return Err(Refusal::new(Code::WrongEnvironment, message));
            }
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(rest).unwrap_or_default();
            if let (Some(org), 32) = (bytes.first_chunk::<16>(), bytes.len()) {
                return Ok(OrgId(Uuid::from_bytes(*org)));
            }
        }
    }
    Err(unauthorized())
}

/// Returns one refusal for every invalid credential, so that callers cannot learn which part was wrong.
pub fn unauthorized() -> Refusal {
    Refusal::new(Code::Unauthorized, "The client id and the api key do not match an active key.")
        .because(Reason::CredentialsWrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seeds;

    fn drawn(environment: Environment, opens: Opens) -> Drawn {
        Drawn::draw(&mut Seeds::counted(1).next_entropy(), environment, OrgId(Uuid::from_u128(7)), opens)
    }

    #[test]
    fn the_organization_is_found_inside_the_client_id() {
        for (opens, prefix) in [(Opens::App, "pk_sandbox_"), (Opens::Organization, "org_pk_sandbox_")] {
            let key = drawn(Environment::Sandbox, opens);
            assert!(key.client_id.starts_with(prefix), "{}", key.client_id);
            assert!(key.secret.starts_with(&prefix.replace("pk", "sk")), "{prefix}");
            assert_eq!(organization_in(&key.client_id, Environment::Sandbox), Ok(OrgId(Uuid::from_u128(7))));
            let elsewhere = organization_in(&key.client_id, Environment::Production);
            assert_eq!(elsewhere.unwrap_err().code, Code::WrongEnvironment);
        }
    }

    #[test]
    fn what_is_no_client_id_is_unauthorized() {
        let key = drawn(Environment::Sandbox, Opens::App).client_id;
        let longer = format!("{key}AAAA");
        for client_id in
            ["", "pk_", "pk_sandbox_", "pk_sandbox_!!", "pk_staging_AAAA", "sk_sandbox_AAAA", &key[..20], &longer]
        {
            let refusal = organization_in(client_id, Environment::Sandbox).unwrap_err();
            assert_eq!(refusal.code, Code::Unauthorized, "{client_id}");
        }
    }

    #[test]
    fn a_secret_belongs_to_its_client_id() {
        let vault = Vault::new([1; 32]);
        let key = drawn(Environment::Sandbox, Opens::App);
        let stored = key.to_store(&vault);
        let (org, app) = (OrgId(Uuid::from_u128(7)), Some(AppId(Uuid::from_u128(8))));
        let row = stored.record(org, app, Time::from_micros(1));
        let opens = |org, app, client_id: &str, secret: &str| {
            is_secret(&vault, KeyOwner { org, app, client_id }, secret, &row.secret_hash)
        };
        assert!(opens(org, app, &key.client_id, &key.secret));
        assert!(!opens(org, app, "pk_sandbox_other", &key.secret));
        assert!(!opens(org, app, &key.client_id, &key.secret.to_uppercase()));
        assert!(!opens(org, None, &key.client_id, &key.secret), "an app's key is not the organization's");
        assert!(!opens(OrgId(Uuid::from_u128(9)), app, &key.client_id, &key.secret));
        assert!(agrees(&key.client_id, app) && !agrees(&key.client_id, None));
        assert!(key.secret.ends_with(&stored.last4));
        assert!(!format!("{key:?}").contains(&key.secret));
    }

    #[test]
    fn a_hash_of_layout_1_is_bound_as_it_is() {
        let vault = Vault::new([1; 32]);
        let key = drawn(Environment::Sandbox, Opens::App);
        let app = AppId(Uuid::from_u128(8));
        let mut row = key.to_store(&vault).record(OrgId(Uuid::from_u128(7)), Some(app), Time::from_micros(1));
        let new = std::mem::replace(&mut row.secret_hash, secret_hash(&vault, &key.client_id, &key.secret).to_vec());
        let owner = KeyOwner { org: row.org, app: row.app, client_id: &key.client_id };
        assert!(is_secret(&vault, owner, &key.secret, &row.secret_hash));
        assert_eq!(bound(&vault, &row), Some(new.clone()));
        vault.refuse_layout_1();
        assert!(!is_secret(&vault, owner, &key.secret, &row.secret_hash));
        assert!(is_secret(&vault, owner, &key.secret, &new));
        row.app = None;
        assert_eq!(bound(&vault, &row), None, "the prefix says that it was an app's");
    }
}
