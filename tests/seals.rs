//! Sealed values and keys are bound to their rows (docs/decisions.md 17), and old seals are rewritten.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bursar::apps::{Key, acts};
use bursar::clock::Time;
use bursar::payout_links::PayoutLink;
use bursar::payout_methods::{self, PayoutMethod};
use bursar::seals::check::{Extent, check};
use bursar::seals::{Rewritten, rewrite};
use bursar::vault::{Purpose, is_layout_1};
use bursar::world::{Record, Table};
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use hmac::{Hmac, Mac as _};
use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::harness::{Reply, Server};

const DAY: i64 = 86_400;

/// Returns the findings from opening all seals.
fn findings(server: &Server) -> Vec<String> {
    let bursar = server.bursar();
    let opened = check(&bursar.reads, &bursar.vault, Extent::All).unwrap();
    assert!(opened.seals > 0);
    opened.findings.into_iter().map(|finding| format!("{}: {}", finding.place, finding.what)).collect()
}

/// Edits the store's file without any key, like an attacker with access to the machine, and restarts the program: a running
/// one keeps the rows that it read.
async fn edit(server: &mut Server, sql: &str) {
    let file = Connection::open(server.folder().join("bursar.sqlite")).unwrap();
    assert!(file.execute(sql, []).unwrap() > 0, "{sql}");
    drop(file);
    server.restart().await;
}

async fn claim(server: &Server, token: &str) -> Reply {
    server.get(&format!("/v2/claims/{token}")).send().await
}

fn blob(id: &str) -> String {
    format!("x'{}'", id.replace('-', ""))
}

/// Creates a verified user with an account; returns the user and the method.
async fn paid_by(server: &Server, line: u32, number: &str) -> (String, String) {
    let user = server.verified_user(line).await;
    let account = json!({"platform": "ach", "account_number": number, "routing_number": "110000000"});
    let method = server.payout_method(&user, account).await;
    (user, method)
}

async fn pay(server: &Server, user: &str) -> Value {
    let order = json!({"user_id": user, "amount": 1000, "platform": "ach", "fund": true});
    let paid = server.post("/v2/payouts").app_key().json(order).send().await.expect(201).body;
    server.work_off().await;
    server.pass(DAY).await;
    let id = paid["id"].as_str().unwrap();
    server.get(&format!("/v2/transfers/{id}")).app_key().send().await.expect(200).body
}

#[tokio::test]
async fn details_moved_to_another_payees_row_are_not_paid_and_are_found() {
    let mut server = Server::sqlite().await;
    let (_, attackers) = paid_by(&server, 1111, "10000002").await;
    let (victim, victims) = paid_by(&server, 1112, "123451112").await;
    assert_eq!(findings(&server), [""; 0], "the control: nothing is wrong yet");
    assert_eq!(pay(&server, &victim).await["status"], "completed", "the control: the payout arrives");
    edit(
        &mut server,
        &format!(
            "UPDATE payout_methods SET (sealed_details, fingerprint) = \
             (SELECT sealed_details, fingerprint FROM payout_methods WHERE id = {}) WHERE id = {}",
            blob(&attackers),
            blob(&victims)
        ),
    )
    .await;
    let found = findings(&server);
    assert_eq!(found, [format!("payout_methods {victims}: a sealed value cannot be decrypted in this row")]);
    let before = server.balance("app_wallet").await;
    let paid = pay(&server, &victim).await;
    assert_eq!((&paid["status"], &paid["error"]), (&json!("failed"), &json!("invalid_account_number")), "{paid}");
    assert_eq!(server.balance("app_wallet").await, before, "the money stays");
    let rails = server.rows(bursar::rails::sandbox::RailItem::TABLE);
    assert_eq!(rails.len(), 1, "the rail was instructed for the first payout only");
}

#[tokio::test]
async fn a_row_given_to_another_payee_or_rail_does_not_open() {
    let mut server = Server::sqlite().await;
    let (attacker, _) = paid_by(&server, 1111, "10000002").await;
    let (_, victims) = paid_by(&server, 1112, "123451112").await;
    let row = blob(&victims);
    edit(&mut server, &format!("UPDATE payout_methods SET user_id = {} WHERE id = {row}", blob(&attacker))).await;
    assert_eq!(findings(&server).len(), 1);
    let mut server = Server::sqlite().await;
    let (_, victims) = paid_by(&server, 1112, "123451112").await;
    edit(&mut server, &format!("UPDATE payout_methods SET platform = 'rtp' WHERE id = {}", blob(&victims))).await;
    assert_eq!(findings(&server).len(), 1);
    edit(
        &mut server,
        &format!("UPDATE payout_methods SET platform = 'ach', mask = '9999' WHERE id = {}", blob(&victims)),
    )
    .await;
    let shown = "shows details that differ from the sealed ones";
    assert_eq!(findings(&server), [format!("payout_methods {victims}: {shown}")]);
}

#[tokio::test]
async fn an_apps_key_whose_row_says_organization_opens_nothing() {
    for sql in [
        "UPDATE api_keys SET app = NULL WHERE client_id LIKE 'pk_%'",
        "UPDATE api_keys SET app = NULL, client_id = 'org_' || client_id WHERE client_id LIKE 'pk_%'",
        "UPDATE api_keys SET app = x'00000000000000000000000000000001' WHERE client_id LIKE 'pk_%'",
    ] {
        let mut server = Server::sqlite().await;
        let credentials = server.credentials();
        let app = &credentials["app"];
        let prefix = if sql.contains("'org_'") { "org_" } else { "" };
        let (client_id, key) = (app["client_id"].as_str().unwrap(), app["api_key"].as_str().unwrap());
        server.get("/v2/apps").basic(client_id, key).send().await.expect(200);
        edit(&mut server, sql).await;
        let client_id = format!("{prefix}{client_id}");
        for path in ["/v2/organizations", "/v2/apps", "/v2/users"] {
            server.get(path).basic(&client_id, key).send().await.refused(401, "unauthorized");
        }
        let report = bursar::verify::verify(&server.bursar().reads).unwrap();
        assert_eq!(
            report.findings.iter().any(|finding| finding.invariant == 31),
            sql.ends_with("NULL WHERE client_id LIKE 'pk_%'")
        );
    }
}

#[tokio::test]
async fn a_claim_token_moved_to_another_link_claims_nothing() {
    let mut server = Server::sqlite().await;
    let send = async |amount: i64, line: u32| {
        let payee = json!({"country_code": "1", "phone_number": format!("212736{line}")});
        let body = json!({"amount": amount, "payee": payee, "delivery": {"method": "link"}});
        server.post("/v2/payout-links").app_key().json(body).send().await.expect(201).body
    };
    let (small, large) = (send(100, 1111).await, send(90_000, 1112).await);
    let file = Connection::open(server.folder().join("bursar.sqlite")).unwrap();

    // The id in the token leads to the other row.
    let token = small["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    claim(&server, &token).await.expect(200);
    let ids = [&small, &large].map(|link| blob(link["id"].as_str().unwrap()));
    let rename = |from: &str, to: &str| {
        assert_eq!(file.execute(&format!("UPDATE payout_links SET id = {to} WHERE id = {from}"), []).unwrap(), 1);
    };
    let elsewhere = blob(&uuid::Uuid::from_u128(7).to_string());
    rename(&ids[0], &elsewhere);
    rename(&ids[1], &ids[0]);
    server.restart().await;
    claim(&server, &token).await.refused(404, "not-found");
    rename(&ids[0], &ids[1]);
    rename(&elsewhere, &ids[0]);
    server.restart().await;
    claim(&server, &token).await.expect(200);

    // The hash of a token of an earlier version leads to the other row.
    let vault = server.bursar().vault.clone();
    let mut tokens = Vec::new();
    for (link, secret) in all::<PayoutLink>(&server).into_iter().zip(1..) {
        let plain = token_of_before(&link, secret);
        let (hash, seal) = (
            vault.keyed_hash(Purpose::ClaimToken, &[&plain]),
            vault.seal(&bursar::payout_links::token_seal_context(&link), &plain, [secret; 24]),
        );
        let sql = format!(
            "UPDATE payout_links SET token_layout = 1, token_hash = ?1, sealed_token = ?2 WHERE id = {}",
            blob(&link.id.to_string())
        );
        assert_eq!(file.execute(&sql, (hash, seal)).unwrap(), 1);
        tokens.push(URL_SAFE_NO_PAD.encode(&plain));
    }
    let token = tokens.remove(0);
    server.restart().await;
    claim(&server, &token).await.expect(200);
    let [small, large] = ids;
    for columns in ["token_hash", "token_hash, sealed_token"] {
        let of = |id: &str| -> (Vec<u8>, Vec<u8>) {
            let sql = format!("SELECT token_hash, sealed_token FROM payout_links WHERE id = {id}");
            file.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
        };
        let ((small_hash, small_seal), (large_hash, large_seal)) = (of(&small), of(&large));
        let set = |id: &str, hash: &[u8], seal: &[u8]| {
            let sql = format!("UPDATE payout_links SET token_hash = ?1, sealed_token = ?2 WHERE id = {id}");
            assert_eq!(file.execute(&sql, (hash, seal)).unwrap(), 1);
        };
        set(&small, b"nothing", &small_seal);
        set(&large, &small_hash, if columns == "token_hash" { &large_seal } else { &small_seal });
        server.restart().await;
        claim(&server, &token).await.refused(404, "not-found");
        set(&large, &large_hash, &large_seal);
        set(&small, &small_hash, &small_seal);
        server.restart().await;
        claim(&server, &token).await.expect(200);
    }
}

/// Returns a token as earlier versions made it, without the link's id.
fn token_of_before(link: &PayoutLink, secret: u8) -> Vec<u8> {
    [link.org.0.as_bytes().as_slice(), &[secret; 32]].concat()
}

/// Such tokens have no id of a link in them.
#[tokio::test]
async fn a_claim_token_of_an_earlier_version_opens_its_link() {
    let mut server = Server::memory().await;
    let body = json!({"amount": 500, "delivery": {"method": "link"}});
    let send = || server.post("/v2/payout-links").app_key().json(body.clone()).send();
    let (link, other) = (send().await.expect(201), send().await.expect(201));
    let new = link.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let mut old = all::<PayoutLink>(&server).into_iter().find(|old| old.id.to_string() == link.id()).unwrap();
    let plain = token_of_before(&old, 7);
    let vault = server.bursar().vault.clone();
    let hash = vault.keyed_hash(Purpose::ClaimToken, &[&plain]);
    old.sealed_token = vault.seal(&bursar::payout_links::token_seal_context(&old), &plain, [9; 24]);
    (old.token_layout, old.token_hash) = (Some(1), hash.to_vec());
    put(&server, &old);

    let token = URL_SAFE_NO_PAD.encode(&plain);
    assert_eq!(token.len(), new.len(), "tokens have not become longer");
    for _ in 0..2 {
        server.get(&format!("/v2/claims/{token}")).send().await.expect(200);
        server.get(&format!("/v2/claims/{new}")).send().await.refused(404, "not-found");
        let shown = server.get(&format!("/v2/payout-links/{}", link.id())).app_key().send().await.expect(200).body;
        assert!(shown["link"].as_str().unwrap().ends_with(&token), "{shown}");
        server.restart().await;
    }
    // Negative control: without its hash it is not found; other links need none.
    old.token_hash = Vec::new();
    put(&server, &old);
    server.get(&format!("/v2/claims/{token}")).send().await.refused(404, "not-found");
    let other = other.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    server.get(&format!("/v2/claims/{other}")).send().await.expect(200);
    let mut wrong = URL_SAFE_NO_PAD.decode(&other).unwrap();
    wrong[47] ^= 1;
    server.get(&format!("/v2/claims/{}", URL_SAFE_NO_PAD.encode(&wrong))).send().await.refused(404, "not-found");
}

/// Returns a seal of layout 1: bound to a context that the noun chose.
fn seal_1(label: &str, context: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&[7; 32]).unwrap();
    mac.update(format!("bursar/v1/seal/{label}").as_bytes());
    let key: [u8; 32] = mac.finalize().into_bytes().into();
    let aad = [&[1], context].concat();
    let nonce = [9; 24];
    let sealed = XChaCha20Poly1305::new(&key.into()).encrypt(&nonce.into(), Payload { msg: plain, aad: &aad }).unwrap();
    [&[1], nonce.as_slice(), &sealed].concat()
}

fn all<R: Record>(server: &Server) -> Vec<R> {
    let mut all = Vec::new();
    let fetch = |record: &R| {
        all.push(record.clone());
        Ok(())
    };
    server.bursar().reads.snapshot(|snapshot| snapshot.each::<R>(fetch)).unwrap();
    all
}

fn put<R: Record>(server: &Server, record: &R) {
    let row = record.values();
    server.tamper(R::TABLE, Table::index_values(R::TABLE.key(), &row), Some(row));
}

/// Turns the store into one of an earlier version. Returns a method in its earlier form.
fn as_of_before(server: &Server) -> PayoutMethod {
    let vault = &server.bursar().vault;
    let mut old = None;
    for mut method in all::<PayoutMethod>(server) {
        let plain = vault.open(&payout_methods::seal_context(&method), &method.sealed_details).unwrap();
        method.sealed_details = seal_1("bank-account", &method.fingerprint, &plain);
        put(server, &method);
        old = Some(method);
    }
    for mut link in all::<PayoutLink>(server) {
        let plain = vault.open(&bursar::payout_links::token_seal_context(&link), &link.sealed_token).unwrap();
        link.token_layout = Some(1);
        link.token_hash = vault.keyed_hash(Purpose::ClaimToken, &[&plain]).to_vec();
        link.sealed_token = seal_1("claim-token", &link.token_hash, &plain);
        put(server, &link);
    }
    let credentials = server.credentials();
    for mut key in all::<Key>(server) {
        let of =
            [&credentials["app"], &credentials["organization"]].into_iter().find(|of| of["client_id"] == key.client_id);
        let secret = of.unwrap()["api_key"].as_str().unwrap();
        let parts = [key.client_id.as_bytes(), secret.as_bytes()];
        key.secret_hash = vault.keyed_hash(bursar::vault::Purpose::ApiSecret, &parts).to_vec();
        put(server, &key);
    }
    old.expect("there is a method")
}

#[tokio::test]
async fn seals_and_keys_of_an_older_store_work_are_rewritten_and_then_refused() {
    let mut server = Server::memory().await;
    let (user, _) = paid_by(&server, 1112, "123451112").await;
    let link = json!({"amount": 500, "payee": {"country_code": "1", "phone_number": "2127361113"}, "delivery": {"method": "link"}});
    let link = server.post("/v2/payout-links").app_key().json(link).send().await.expect(201).body;
    let old = as_of_before(&server);
    server.restart().await;
    assert_eq!(pay(&server, &user).await["status"], "completed", "old seals open while they are rewritten");
    let shown = server.get(&format!("/v2/payout-links/{}", link["id"].as_str().unwrap())).app_key().send().await;
    assert_eq!(shown.expect(200).body["link"], link["link"]);

    let done = rewrite(server.bursar()).await.unwrap();
    assert!(done.records >= 4 && done.unopened == 0, "{done:?}");
    assert_eq!(rewrite(server.bursar()).await.unwrap(), Rewritten::default(), "a second pass has nothing to do");
    let bursar = server.bursar();
    assert_eq!(check(&bursar.reads, &bursar.vault, Extent::All).unwrap().older, 0);
    assert_eq!(findings(&server), [""; 0]);
    assert!(all::<Key>(&server).iter().all(|key| key.secret_hash.len() == 33));
    assert_eq!(pay(&server, &user).await["status"], "completed");
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    server.get(&format!("/v2/claims/{token}")).send().await.expect(200);

    // An old row that is restored no longer opens, and is found.
    assert!(is_layout_1(&old.sealed_details));
    put(&server, &old);
    assert_eq!(findings(&server).len(), 1);
    assert_eq!(pay(&server, &user).await["status"], "failed");
}

#[tokio::test]
async fn the_last_use_of_a_key_is_written_once_an_hour_and_not_by_the_request() {
    let server = Server::memory().await;
    let seconds = |at: Time| at.micros() / 1_000_000;
    let used = |server: &Server| -> Vec<Option<i64>> {
        all::<Key>(server)
            .into_iter()
            .filter(|key| key.app.is_some())
            .map(|key| key.last_used_at.map(seconds))
            .collect()
    };
    server.get("/v2/apps").app_key().send().await.expect(200);
    assert_eq!(used(&server), [None]);
    let first = server.now();
    let at_first = [Some(seconds(first))];
    acts::write_down_uses(server.bursar()).await.unwrap();
    assert_eq!(used(&server), at_first);
    server.advance(3_599);
    server.get("/v2/apps").app_key().send().await.expect(200);
    acts::write_down_uses(server.bursar()).await.unwrap();
    assert_eq!(used(&server), at_first);
    server.advance(1);
    server.get("/v2/apps").app_key().send().await.expect(200);
    acts::write_down_uses(server.bursar()).await.unwrap();
    assert_eq!(used(&server), [Some(seconds(first) + 3_600)]);
    let path = format!("/v2/apps/{}/keys", server.app_id());
    let listed = server.get(&path).as_org().send().await.expect(200).body;
    assert!(listed["data"][0]["last_used_at"].is_string(), "{listed}");
}

#[tokio::test]
async fn create_app_key_may_expire() {
    let server = Server::memory().await;
    let path = format!("/v2/apps/{}/keys", server.app_id());
    let past = json!({"expires_at": server.now().to_string()});
    server.post(&path).as_org().json(past).send().await.refused(400, "invalid-input");
    let expires_at = server.now().plus_seconds(DAY).to_string();
    let issued = server.post(&path).as_org().json(json!({"expires_at": expires_at})).send().await.expect(201).body;
    let (client_id, key) = (issued["client_id"].as_str().unwrap(), issued["api_key"].as_str().unwrap());
    assert_eq!(issued["expires_at"], expires_at);
    server.get("/v2/apps").basic(client_id, key).send().await.expect(200);
    server.advance(DAY - 1);
    server.get("/v2/apps").basic(client_id, key).send().await.expect(200);
    server.advance(1);
    server.get("/v2/apps").basic(client_id, key).send().await.refused(401, "unauthorized");
    let lasting = server.post(&path).as_org().json(json!({})).send().await.expect(201).body;
    assert_eq!(lasting.get("expires_at"), Some(&serde_json::Value::Null));
    let listed = server.get(&path).as_org().send().await.expect(200).body;
    let expiring = listed["data"].as_array().unwrap().iter().find(|one| one["client_id"] == client_id).unwrap();
    assert_eq!(expiring["expires_at"], expires_at);
}
