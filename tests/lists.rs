//! Lists: pages, cursors, filters (docs/decisions.md 5).

use serde_json::{Value, json};

use crate::harness::{Asking, Desk, Reply, Server};

const LINKS: &str = "/v2/payout-links";

/// Creates five links, a minute apart; returns their ids, newest first.
async fn five(server: &Server) -> Vec<String> {
    let mut ids = Vec::new();
    for number in 0..5 {
        let payee = json!({
            "country_code": "1",
            "phone_number": format!("212736200{}", number % 2),
            "email": format!("p{}@example.com", number % 3),
        });
        let body = json!({"amount": 100, "payee": payee, "delivery": {"method": "link"}});
        ids.insert(0, server.post(LINKS).app_key().json(body).send().await.expect(201).id());
        server.advance(60);
    }
    ids
}

async fn list(server: &Server, query: &str) -> Reply {
    server.get(&format!("{LINKS}?{query}")).app_key().send().await
}

/// Returns the ids of a page and whether there are more.
async fn page(server: &Server, query: &str) -> (Vec<String>, bool) {
    let body = list(server, query).await.expect(200).body;
    let ids =
        |data: &Value| data.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
    (ids(&body["data"]), body["has_more"].as_bool().unwrap())
}

#[tokio::test]
async fn list_payout_links_pages_both_ways() {
    let server = Server::memory().await;
    let ids = five(&server).await;
    let (a, b, c, d, e) = (&ids[0], &ids[1], &ids[2], &ids[3], &ids[4]);
    let expected = |ids: &[&String], more| (ids.iter().map(|id| (*id).clone()).collect::<Vec<_>>(), more);
    for (query, answer) in [
        ("limit=100".to_owned(), expected(&[a, b, c, d, e], false)),
        ("limit=5".into(), expected(&[a, b, c, d, e], false)),
        ("limit=2".into(), expected(&[a, b], true)),
        (format!("limit=2&starting_after={b}"), expected(&[c, d], true)),
        (format!("limit=2&starting_after={c}"), expected(&[d, e], false)),
        (format!("limit=2&starting_after={e}"), expected(&[], false)),
        (format!("limit=2&ending_before={e}"), expected(&[c, d], true)),
        (format!("limit=2&ending_before={c}"), expected(&[a, b], false)),
        (format!("limit=2&ending_before={a}"), expected(&[], false)),
    ] {
        assert_eq!(page(&server, &query).await, answer, "{query}");
    }
}

#[tokio::test]
async fn lists_refuse_what_they_do_not_understand() {
    let server = Server::memory().await;
    let id = five(&server).await.remove(0);
    let other = server.post("/v2/apps").as_org().json(json!({"name": "Other"})).send().await.expect(201).id();
    let foreign = server.post(LINKS).as_org().for_app(&other).json(json!({"amount": 1})).send().await;
    foreign.refused(402, "transaction-insufficient-funds");
    for (query, field) in [
        ("limit=0".to_owned(), "limit"),
        ("limit=101".into(), "limit"),
        ("limit=ten".into(), "limit"),
        ("limit=1.5".into(), "limit"),
        ("limit=".into(), "limit"),
        ("starting_after=x".into(), "starting_after"),
        ("starting_after=0195cf3a-0000-7000-8000-000000000000".into(), "starting_after"),
        (format!("starting_after={id}&ending_before={id}"), "ending_before"),
        ("created_after=yesterday".into(), "created_after"),
        ("status=gone".into(), "status"),
        ("limt=1".into(), "limt"),
        ("limit=1&limit=1".into(), "limit"),
    ] {
        let reply = list(&server, &query).await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), [field], "{query}");
    }
    let stranger = server.get(&format!("{LINKS}?starting_after={id}")).as_org().for_app(&other).send().await;
    assert_eq!(stranger.refused(400, "invalid-input").fields(), ["starting_after"]);
}

#[tokio::test]
async fn lists_narrow_by_time_with_the_start_and_without_the_end() {
    let server = Server::memory().await;
    let ids = five(&server).await;
    let minute = |minute: i64| format!("2026-03-02T15:0{minute}:00Z");
    // The newest was created at minute 4.
    for (query, span) in [
        (format!("created_after={}", minute(3)), 0..2),
        (format!("created_before={}", minute(3)), 2..5),
        (format!("created_after={}&created_before={}", minute(1), minute(4)), 1..4),
        ("created_after=2026-03-02T17:03:00%2B02:00".to_owned(), 0..2),
    ] {
        assert_eq!(page(&server, &query).await, (ids[span].to_vec(), false), "{query}");
    }
}

#[tokio::test]
async fn list_payout_links_narrows_by_payee_and_status() {
    let server = Server::memory().await;
    let ids = five(&server).await;
    server.delete(&format!("{LINKS}/{}", ids[1])).app_key().send().await.expect(200);
    let of = |places: &[usize]| (places.iter().map(|place| ids[*place].clone()).collect::<Vec<_>>(), false);
    for (query, places) in [
        ("phone_number=%2B12127362001", [1, 3].as_slice()),
        ("phone_number=12127362001", &[1, 3]),
        ("phone_number=%2B12127362009", &[]),
        ("email=p0@example.com", &[1, 4]),
        ("status=canceled", &[1]),
        ("status=canceled&email=p1@example.com", &[]),
    ] {
        assert_eq!(page(&server, query).await, of(places), "{query}");
    }
    list(&server, "phone_number=nobody").await.refused(400, "invalid-phone-number");
    list(&server, "email=nobody").await.refused(400, "invalid-email");
}

#[tokio::test]
async fn list_transfers_in_either_order() {
    let server = Server::memory().await;
    five(&server).await;
    let created = |query: &str| {
        let asked = server.get(&format!("/v2/transfers?limit=100{query}")).app_key();
        async move {
            let body = asked.send().await.expect(200).body;
            let data = body["data"].as_array().unwrap().clone();
            data.iter().map(|one| one["created"].as_str().unwrap()[14..16].to_owned()).collect::<Vec<_>>().join(" ")
        }
    };
    assert_eq!(created("&status=pending").await, "04 03 02 01 00");
    assert_eq!(created("&status=pending&reverse_order=true").await, "00 01 02 03 04");
    let turned = "?created_after=2026-03-02T00:00:00Z&created_before=2026-03-01T00:00:00Z";
    for list in ["payout-links", "transfers", "users", "payout-requests", "accounts-payable/vendors"] {
        let reply = server.get(&format!("/v2/{list}{turned}")).app_key().send().await;
        assert_eq!(reply.refused(400, "invalid-input").fields(), ["created_after", "created_before"], "{list}");
    }
    let span = "&start_date=2026-03-02T15:01:00Z&end_date=2026-03-02T15:03:00Z";
    assert_eq!(created(span).await, "02 01");
    assert_eq!(created("&type=payout").await, "");
    for wrong in ["status=gone", "type=gift", "reverse_order=1", "order=asc"] {
        let reply = server.get(&format!("/v2/transfers?{wrong}")).app_key().send().await;
        reply.refused(400, "invalid-input");
    }
}

/// Uses the app's key, or the organization's if an app's key may not change anything.
fn with_key<'a>(server: &Server, path: &str, asking: Asking<'a>) -> Asking<'a> {
    if path.contains("/approval-policies") { asking.as_org().for_app(&server.app_id()) } else { asking.app_key() }
}

/// Creates three objects of a list; returns their ids, oldest first.
async fn three(server: &Server, list: &str, object: impl Fn(u32) -> Value) -> Vec<String> {
    let mut made = Vec::new();
    for number in 0..3 {
        let asking = with_key(server, list, server.post(list));
        made.push(asking.json(object(number)).send().await.expect(201).id());
    }
    made
}

/// Reads a list one by one, and removes each object before it requests the next page.
async fn removes_what_it_reads(server: &Server, list: &str, made: &[String]) {
    let mut after = String::new();
    for (left, newest) in made.iter().enumerate().rev() {
        let page = server.get(&format!("{list}?limit=1{after}")).app_key().send().await.expect(200).body;
        assert_eq!((&page["data"][0]["id"], &page["has_more"]), (&json!(newest), &json!(left > 0)), "{list}");
        with_key(server, list, server.delete(&format!("{list}/{newest}"))).send().await.expect(200);
        after = format!("&starting_after={newest}");
    }
    let rest = server.get(list).app_key().send().await.expect(200).body;
    assert_eq!(rest["data"], json!([]), "{list}: all were removed");
}

#[tokio::test]
async fn a_list_continues_after_a_row_that_left_it() {
    let server = Server::memory().await;
    let desk = Desk::of(&server);
    let (customers, vendors) = ("/v2/payment-customers", "/v2/accounts-payable/vendors");
    let address =
        json!({"line_1": "1 Main St", "city": "New York", "state": "NY", "postcode": "10001", "country": "US"});
    let (customer, vendor) = (json!({"name": "Acme Ltd"}), json!({"name": "Corner Shop", "address": address}));
    let policy = json!({"steps": [{"approvers": [desk.member("ap_approver")]}]});
    let policies = "/v2/accounts-payable/approval-policies";
    for (list, object) in [(customers, &customer), (vendors, &vendor), (policies, &policy)] {
        removes_what_it_reads(&server, list, &three(&server, list, |_| object.clone()).await).await;
    }

    let id = server.post(customers).app_key().json(customer).send().await.expect(201).id();
    let list = format!("{customers}/{id}/bank-accounts");
    let account = |number| json!({"account_number": format!("00012345678{number}"), "routing_number": "110000000"});
    removes_what_it_reads(&server, &list, &three(&server, &list, account).await).await;

    let (vendor, first) = desk.vendor("000123456789").await;
    let mut accounts = vec![first];
    for number in ["000123456788", "000123456787"] {
        accounts.push(desk.account(&vendor, number).await.expect(201).id());
    }
    removes_what_it_reads(&server, &format!("{vendors}/{vendor}/payment-methods"), &accounts).await;

    let user = server.verified_user(1234).await;
    let mut methods = Vec::new();
    for handle in ["jane", "jane1", "jane2"] {
        methods.push(server.payout_method(&user, json!({"platform": "wallet_b", "handle": handle})).await);
    }
    removes_what_it_reads(&server, &format!("/v2/users/{user}/payout-methods"), &methods).await;
}
