//! "Authentication": every accepted form of credentials.

use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD, Engine as _};
use serde_json::json;

use crate::samples::Stage;

#[tokio::test]
async fn a_token_is_the_base64_of_client_id_and_key_in_any_alphabet() {
    let stage = Stage::set().await;
    let pair = format!("{}:{}", stage.app.client_id, stage.app.api_key);
    let forms = [
        BASE64_URL_SAFE.encode(&pair),
        BASE64_URL_SAFE_NO_PAD.encode(&pair),
        BASE64_STANDARD.encode(&pair),
        BASE64_STANDARD_NO_PAD.encode(&pair),
    ];
    for token in forms {
        for scheme in ["Basic", "basic"] {
            let asking = stage.server.get("/v2/transfers").header("authorization", format!("{scheme} {token}"));
            asking.send().await.expect(200);
        }
    }
}

#[tokio::test]
async fn a_client_side_token_ends_in_a_colon_and_submits_payout_requests_only() {
    let stage = Stage::set().await;
    let body = json!({"amount": 100, "payee": stage.payee()});
    let ask = |path: &str| stage.server.post(path).basic(&stage.app.client_id, "").json(body.clone()).send();
    ask("/v2/payout-requests").await.expect(201);
    ask("/v2/payout-links").await.refused(403, "secret-key-required");
    let without_colon = BASE64_URL_SAFE.encode(&stage.app.client_id);
    let asking = stage.server.post("/v2/payout-requests").header("authorization", format!("Basic {without_colon}"));
    asking.json(body.clone()).send().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn an_organization_key_says_which_app_it_acts_on() {
    let stage = Stage::set().await;
    let get = || stage.server.get("/v2/transfers").as_org();
    get().for_app(&stage.app.id).send().await.expect(200);
    get().for_app(&stage.sister.id).send().await.expect(200);
    get().send().await.refused(400, "app-id-required");
}

#[tokio::test]
async fn creating_an_app_and_connecting_a_user_need_organization_keys() {
    let stage = Stage::set().await;
    let connect = json!({"user_id": stage.user().await, "app_id": stage.sister.id});
    for (path, body) in [("/v2/apps", json!({"name": "Corner Shop"})), ("/v2/users/connect", connect)] {
        stage.ask("POST", path).json(body.clone()).send().await.refused(403, "organization-key-required");
        let reply = stage.server.post(path).as_org().json(body).send().await;
        assert!(reply.status < 300, "{path}: {}", reply.text);
    }
}
