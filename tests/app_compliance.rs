//! An app's answers about its company.

use serde_json::{Value, json};

use crate::harness::Server;

fn path(server: &Server) -> String {
    format!("/v2/apps/{}/compliance", server.app_id())
}

/// Sending the fetched document back with one change does not alter the numbers that are shown in part.
#[tokio::test]
async fn what_was_read_can_be_put_back() {
    let server = Server::memory().await;
    let put = |body: Value| server.put(&path(&server)).app_key().json(body).send();
    put(everything()).await.expect(201);
    let mut read = server.get(&path(&server)).app_key().send().await.expect(200).body;
    assert_eq!(put(read.clone()).await.expect(200).body, read);
    read["company_info"]["ein"] = json!("***0000");
    assert_eq!(put(read).await.refused(400, "invalid-input").fields(), ["/company_info/ein"]);
}

/// A director without a social security number has an ITIN.
#[tokio::test]
async fn an_itin_is_a_number_too_and_a_line_is_one_line() {
    let server = Server::memory().await;
    let put = |body: Value| server.put(&path(&server)).app_key().json(body).send();
    let set = put(json!({"directors": [{"ssn": "987-65-4321"}, {"ssn": "912703456"}]})).await.expect(201);
    assert_eq!(
        (&set.body["directors"][0]["ssn"], &set.body["directors"][1]["ssn"]),
        (&json!("***4321"), &json!("***3456"))
    );
    put(json!({"directors": [{"ssn": "912-34-5678"}]})).await.refused(400, "invalid-ssn");
    let lines = json!({
        "company_info": {"name": "A\nB", "dba": "A\tB"}, "contact_info": {"city": "New\nYork"},
        "flow_of_funds": {"usage": "one\ntwo"},
    });
    let fields = put(lines).await.refused(400, "invalid-input").fields();
    assert_eq!(fields, ["/company_info/dba", "/company_info/name", "/contact_info/city"]);
}

/// Returns a document with every field.
pub fn everything() -> Value {
    let address = json!({"city": "New York", "line1": "1 Main St", "line2": "Apt 2", "state": "NY", "zip": "10001", "country": "US"});
    json!({
        "company_info": {
            "dba": "Corner Shop", "ein": "12-3456789", "incorporation_date": "2020-01-31", "incorporation_state": "DE",
            "incorporation_type": "sole_proprietorship", "name": "Corner Shop LLC", "website": "https://shop.example", "ubo_count": 1,
        },
        "contact_info": {
            "city": "New York", "country": "US", "email": "ada@shop.example", "line1": "1 Main St", "line2": "Floor 3",
            "phone_number": "+12127361234", "state": "NY", "zip": "10001-1234",
        },
        "directors": [{
            "dob": "1980-05-17", "ssn": "123-45-6789", "email": "ada@shop.example", "first_name": "Ada", "last_name": "Lovelace",
            "ownership_percentage": 62.5, "phone": "2127361234", "title": "CEO", "address": address,
        }],
        "flow_of_funds": {"reasons": "Paying contractors", "usage": "Payouts"},
    })
}

#[tokio::test]
async fn set_app_compliance_gives_the_whole_and_get_app_compliance_shows_it() {
    let server = Server::memory().await;
    let empty = server.get(&path(&server)).app_key().send().await.expect(200).body;
    assert_eq!((&empty["company_info"]["ein"], &empty["directors"]), (&Value::Null, &json!([])));

    let first = server.put(&path(&server)).as_org().json(everything()).send().await.expect(201);
    let mut expected = everything();
    expected["company_info"]["ein"] = json!("***6789");
    expected["directors"][0]["ssn"] = json!("***6789");
    expected["directors"][0]["phone"] = json!("+12127361234");
    assert_eq!(first.body, expected);
    assert_eq!(server.get(&path(&server)).app_key().send().await.expect(200).body, expected);
    assert_eq!(server.put(&path(&server)).app_key().json(json!({})).send().await.expect(200).body, expected);
}

#[tokio::test]
async fn compliance_that_is_not_sent_stays_and_each_change_is_emitted_once() {
    let server = Server::memory().await;
    server.put(&path(&server)).as_org().json(everything()).send().await.expect(201);
    let events = async || {
        let events = server.get("/v2/events?limit=100").app_key().send().await.expect(200);
        assert!(!events.text.contains("123456789") && !events.text.contains("Lovelace"));
        events.body["data"].as_array().unwrap().len()
    };
    let before = events().await;
    let part = json!({"company_info": {"ein": "98-7654321"}, "directors": [{"ssn": "234-56-7890"}]});
    let changed = server.put(&path(&server)).app_key().json(part.clone()).send().await.expect(200).body;
    assert_eq!(
        (&changed["company_info"]["ein"], &changed["company_info"]["name"]),
        (&json!("***4321"), &json!("Corner Shop LLC"))
    );
    assert_eq!(
        (&changed["directors"][0]["ssn"], &changed["directors"][0]["first_name"]),
        (&json!("***7890"), &json!("Ada"))
    );
    assert_eq!(events().await, before + 1);
    server.put(&path(&server)).app_key().json(part).send().await.expect(200);
    assert_eq!(events().await, before + 1, "what changes nothing has no event");
    let cleared = json!({"directors": null, "company_info": {"website": null}});
    let cleared = server.put(&path(&server)).app_key().json(cleared).send().await.expect(200).body;
    assert_eq!((&cleared["directors"], &cleared["company_info"]["website"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn wrong_compliance_is_named_field_by_field_and_changes_nothing() {
    let server = Server::memory().await;
    let before = server.put(&path(&server)).as_org().json(everything()).send().await.expect(201).body;
    for (body, fields) in [
        (json!({"company": {}}), vec!["/company"]),
        (
            json!({"company_info": {"ein": "123", "ubo_count": 0, "website": "shop"}}),
            vec!["/company_info/ein", "/company_info/website", "/company_info/ubo_count"],
        ),
        (json!({"contact_info": {"state": "ZZ", "zip": "1"}}), vec!["/contact_info/state", "/contact_info/zip"]),
        (
            json!({"contact_info": {"email": "nobody", "phone_number": "1"}}),
            vec!["/contact_info/email", "/contact_info/phone_number"],
        ),
        (json!({"directors": [{}, {"ownership_percentage": 37.51}]}), vec!["/directors"]),
        (
            json!({"directors": [{"ownership_percentage": -1}, {"ssn": "000-00-0000"}]}),
            vec!["/directors/0/ownership_percentage", "/directors/1/ssn"],
        ),
        (json!({"flow_of_funds": {"reasons": ""}}), vec!["/flow_of_funds/reasons"]),
        // A day in the future is named with the other errors.
        (
            json!({"company_info": {"incorporation_date": "2999-01-01"}, "directors": [{"dob": "2999-01-01", "email": "x"}]}),
            vec!["/directors/0/email", "/company_info/incorporation_date", "/directors/0/dob"],
        ),
    ] {
        let reply = server.put(&path(&server)).as_org().json(body).send().await;
        assert_eq!(
            (reply.status, reply.fields()),
            (400, fields.into_iter().map(str::to_owned).collect()),
            "{}",
            reply.text
        );
    }
    let ssn = json!({"directors": [{"ssn": "1"}]});
    server.put(&path(&server)).as_org().json(ssn).send().await.refused(400, "invalid-ssn");
    assert_eq!(server.get(&path(&server)).as_org().send().await.expect(200).body, before);
}

#[tokio::test]
async fn compliance_survives_a_restart_and_lies_sealed() {
    let mut server = Server::start().await;
    let first = server.put(&path(&server)).as_org().json(everything()).send().await.expect(201).body;
    server.restart().await;
    assert_eq!(server.get(&path(&server)).as_org().send().await.expect(200).body, first);
    for file in std::fs::read_dir(server.folder()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for secret in ["123456789", "Lovelace"] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret} lies open");
        }
    }
}
