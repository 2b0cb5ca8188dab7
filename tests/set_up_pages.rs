//! The page of a set-up link: the first organization, and a member's password.

use serde_json::{Value, json};

use crate::harness::{Reply, Server};

const PASSWORD: &str = "correct horse battery";

fn form<'a>(email: &'a str, password: &'a str) -> [(&'a str, &'a str); 4] {
    [("organization_name", "Example & Pay"), ("name", "Ada Lovelace"), ("email", email), ("password", password)]
}

async fn take(server: &Server, path: &str, fields: &[(&str, &str)]) -> Reply {
    server.post(path).form(fields).send().await
}

async fn sign_in(server: &Server, organization: &str, email: &str) -> Reply {
    let body = json!({"organization_id": organization, "email": email, "password": PASSWORD});
    server.post("/v2/member-sessions").json(body).send().await
}

/// Returns the text between two texts of a page.
fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
    page.split_once(before).and_then(|(_, rest)| rest.split_once(after)).expect("the page shows it").0
}

#[tokio::test]
async fn show_setup_page_and_take_setup_make_the_first_organization_once() {
    let server = Server::memory().await;
    let path = format!("/setup/{}", bursar::apps::acts::open_setup(server.bursar()).token);
    let shown = server.get(&path).send().await.expect(200);
    assert!(shown.text.contains("Create your organization") && !shown.text.contains("<script"), "{}", shown.text);
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    server.get(&path).send().await.expect(200);

    // The errors appear next to the typed values; the password is not shown again; the link remains valid.
    let wrong = take(&server, &path, &form("ada@", "short")).await.expect(400).text;
    assert!(wrong.contains("role=\"alert\"") && wrong.contains("value=\"Example &#38; Pay\""), "{wrong}");
    assert!(wrong.contains("The password must have at least 12 characters.") && !wrong.contains("short"), "{wrong}");
    let mut long = form("ada@example.com", PASSWORD);
    let name = "x".repeat(101);
    long[0].1 = &name;
    let long = take(&server, &path, &long).await.expect(400).text;
    assert!(long.contains("The organization name must have at most 100 characters."), "{long}");
    let empty = take(&server, &path, &[]).await.expect(400).text;
    assert!(empty.contains("Enter your organization name.") && empty.contains("Enter your password."), "{empty}");

    let made = take(&server, &path, &form("ada@example.com", PASSWORD)).await.expect(200);
    assert!(made.text.contains("Your organization is ready") && !made.text.contains(PASSWORD), "{}", made.text);
    let (client_id, secret) =
        between(&made.text, "aria-label=\"Organization key\"><code>", "</code>").split_once(':').unwrap();
    let own = server.get("/v2/organizations").basic(client_id, secret).send().await.expect(200).body;
    assert_eq!(own["data"][0]["name"], "Example & Pay");
    let id = between(&made.text, "organization id <code>", "</code>");
    sign_in(&server, id, "ada@example.com").await.expect(201);
    let acts = server.get("/v2/administrative-acts").basic(client_id, secret).send().await.expect(200).body;
    let acts: Vec<&Value> = acts["data"].as_array().unwrap().iter().map(|act| &act["act"]).collect();
    assert_eq!(acts, ["organization.created", "key.issued", "member.created"]);

    // A used link is refused with that reason.
    for reply in [server.get(&path).send().await, take(&server, &path, &form("eve@example.com", PASSWORD)).await] {
        assert_eq!(reply.status, 404);
        assert!(reply.text.contains("This link no longer works"), "{}", reply.text);
    }
    assert_eq!(server.get("/setup/x").send().await.status, 404);
    server.verify();
}

#[tokio::test]
async fn a_setup_link_ends_after_an_hour() {
    let server = Server::memory().await;
    let path = format!("/setup/{}", bursar::apps::acts::open_setup(server.bursar()).token);
    server.advance(3_599);
    server.get(&path).send().await.expect(200);
    server.advance(1);
    let expired = take(&server, &path, &form("ada@example.com", PASSWORD)).await;
    assert_eq!(expired.status, 404);
    assert!(expired.text.contains("It was used or has expired."), "{}", expired.text);
}

#[tokio::test]
async fn a_member_sets_a_password_on_the_page_once() {
    let server = Server::memory().await;
    let body = json!({"name": "Jane <Doe>", "email": "jane@example.com", "role": "payer"});
    let jane = server.post("/v2/members").as_org().json(body).send().await.expect(201).id();
    let token = server.post(&format!("/v2/members/{jane}/set-up-token")).as_org().send().await.expect(201).body;
    let path = format!("/setup/{}", token["token"].as_str().unwrap());
    let shown = server.get(&path).send().await.expect(200).text;
    assert!(shown.contains("Set your password") && shown.contains("Jane &#60;Doe&#62;"), "{shown}");
    take(&server, &path, &[("password", "short")]).await.expect(400);
    let organization = server.credentials()["organization"]["id"].as_str().unwrap().to_owned();
    assert_eq!(sign_in(&server, &organization, "jane@example.com").await.status, 401, "the control");
    let set = take(&server, &path, &[("password", PASSWORD)]).await.expect(200).text;
    assert!(set.contains("Your password is set") && set.contains(&organization), "{set}");
    sign_in(&server, &organization, "jane@example.com").await.expect(201);
    assert_eq!(take(&server, &path, &[("password", "another horse battery")]).await.status, 404);
    sign_in(&server, &organization, "jane@example.com").await.expect(201);
}
