//! The sample data of the pages for developers.

use super::shown::{Shown, show};
use crate::apps::bootstrap::curl_commands;
use crate::pages::views::*;

fn message(channel: MessageChannel, subject: Option<&str>, text: &str, code: Option<&str>) -> InboxMessage {
    InboxMessage {
        id: format!("m-{channel:?}"),
        channel,
        to: if channel == MessageChannel::Email { "ada@example.com".into() } else { "+12127361234".into() },
        created: "November 21, 10:30:05 UTC".into(),
        created_at: "2026-11-21T10:30:05.000000Z".into(),
        subject: subject.map(String::from),
        text: text.into(),
        link: Some("http://127.0.0.1:8080/claim/q7Zt-sample".into()),
        code: code.map(String::from),
        mail: (channel == MessageChannel::Email).then(|| "/inbox?mail=m".into()),
    }
}

fn inbox(to: &str, messages: Vec<InboxMessage>) -> InboxPage {
    InboxPage { to: to.into(), messages, may_reply: true, has_more: false, is_sandbox: true }
}

fn requests(text: &str, requests: Vec<ShownRequest>) -> RequestsPage {
    RequestsPage { text: text.into(), errors: false, requests, has_more: false, is_sandbox: true }
}

fn seen_requests() -> Vec<ShownRequest> {
    let request = |number: u32, line: &str, status, error: Option<(&str, &str)>| {
        let (method, path) = line.split_once(' ').unwrap();
        ShownRequest {
            id: format!("request-{number}"),
            method: method.into(),
            path: path.into(),
            status,
            error: error.map(|(code, message)| (code.into(), message.into())),
            request_id: "01a20abb-e35d-7994-8001-ce6b6ac57fac".into(),
            client_id: (status != 200).then(|| "pk_sandbox_AaIH6sample".into()),
            took: "4 ms".into(),
            created: "November 21, 10:30:05 UTC".into(),
            created_at: "2026-11-21T10:30:05.000000Z".into(),
        }
    };
    let wrong = Some(("invalid-input", "amount: must be a whole number of cents from 1 to 9999999999, not 10.5."));
    vec![
        request(
            4,
            "GET /v2/payout-links/01a20abb-e35d-7994-8001-ce6b6ac57fac",
            503,
            Some(("service-unavailable", "Retry.")),
        ),
        request(3, "POST /v2/payouts/send-payout", 400, wrong),
        request(2, "POST /v2/payouts/send-payout", 201, None),
        request(1, "GET /v2/claims/{token}", 200, None),
    ]
}

fn row(name: &str, kind: &str, required: bool, description: &str) -> ReferenceRow {
    ReferenceRow { name: name.into(), kind: kind.into(), required, description: description.into() }
}

fn operation(id: &str, method: &str, path: &str, summary: &str) -> Operation {
    let success = ResponseDoc {
        status: "201".into(),
        description: "The payout link.".into(),
        error_codes: vec![],
        fields: vec![
            row("id", "uuid", false, "The payout link."),
            row("amount", "integer, cents", false, "The amount of the link."),
        ],
        example: Some("{\n  \"id\": \"019aa5c2-7f3e-7c11-9b52-5d1f0a6b7c8d\",\n  \"amount\": 2500\n}".into()),
    };
    let refusal = ResponseDoc {
        status: "402".into(),
        description: "The app's wallet does not cover the amount.".into(),
        error_codes: vec!["transaction-insufficient-funds".into()],
        fields: vec![],
        example: None,
    };
    Operation {
        id: id.into(),
        method: method.into(),
        path: path.into(),
        summary: summary.into(),
        description: vec![
            "A payee without an account receives a link; no money moves until the link is claimed.".into(),
        ],
        callers: "App key, or an organization key with Api-App-Id".into(),
        parameters: vec![row("Idempotency-Key", "header, string", false, "A request is executed once per key.")],
        request_fields: vec![
            row("amount", "integer, cents", true, "1 to 9,999,999,999."),
            row("payee.phone_number", "string", false, "Required unless user_id is sent."),
        ],
        request_example: Some("{\n  \"amount\": 2500\n}".into()),
        samples: vec![
            Sample { language: "curl", code: "curl -X POST \"http://127.0.0.1:8080/v2/payouts/send-payout\"".into() },
            Sample { language: "Python", code: "result = bursar.send_payout({\n    \"amount\": 2500,\n})".into() },
        ],
        responses: vec![success, refusal],
    }
}

fn reference() -> ReferencePage {
    let group = |id: &str, name: &str, operations: Vec<Operation>| OperationGroup {
        id: id.into(),
        name: name.into(),
        description: "Money on its way to a person.".into(),
        operations,
    };
    ReferencePage {
        is_sandbox: true,
        version: "0.1.0".into(),
        base_url: "http://127.0.0.1:8080".into(),
        chapters: vec![ReferenceChapter {
            id: "idempotency",
            name: "Idempotency",
            text: "Every POST takes an Idempotency-Key.".into(),
            more: Some(("/guide/concepts", "The concepts are in the guide.")),
        }],
        groups: vec![
            group(
                "payouts",
                "Payouts",
                vec![
                    operation("send-payout", "POST", "/v2/payouts/send-payout", "Send a payout"),
                    operation("fee-estimate", "GET", "/v2/payouts/fee-estimate", "Estimate the fees of a payout"),
                ],
            ),
            group(
                "users",
                "Users",
                vec![
                    operation("update-user", "PATCH", "/v2/users/{user_id}", "Update a user"),
                    operation("delete-user", "DELETE", "/v2/users/{user_id}", "Delete a user"),
                    operation("put-address", "PUT", "/v2/users/{user_id}/addresses", "Add an address"),
                ],
            ),
        ],
    }
}

fn reference_group() -> ReferenceGroupPage {
    let ReferencePage { base_url, groups, is_sandbox, .. } = reference();
    let names = groups.iter().map(|group| (group.id.clone(), group.name.clone())).collect();
    let [payouts, ..] = groups.as_slice() else { panic!("the sample has groups") };
    ReferenceGroupPage { base_url, group: payouts.clone(), groups: names, is_sandbox }
}

pub(super) fn developer_pages() -> Vec<Shown> {
    let link = "Harbor & Pine Studio sent you $1,250.00. Claim it: http://127.0.0.1:8080/claim/q7Zt-sample (until December 21)";
    let messages = vec![
        message(
            MessageChannel::Sms,
            None,
            "482913 is your code for Harbor & Pine Studio. Enter it only on the payment page. We will never call you for it.",
            Some("482913"),
        ),
        message(MessageChannel::Email, Some("You have $1,250.00 from Harbor & Pine Studio"), link, None),
        message(MessageChannel::Voice, None, "Your code is 4 8 2 9 1 3.", Some("482913")),
    ];
    let landing = |glance| LandingPage {
        commands: curl_commands("<client_id>:<api_key>", "http://127.0.0.1:8080", " \\\n  "),
        version: "0.1.0".into(),
        glance,
        is_sandbox: true,
    };
    let guide = |name, address, is_sandbox| show(name, &crate::pages::guide::view(address, is_sandbox).unwrap());
    vec![
        guide("guide", "/guide", true),
        guide("guide-chapter", "/guide/pay-one-person", true),
        guide("guide-webhooks", "/guide/webhooks", false),
        guide("guide-reference", "/guide/reference/operating", true),
        show("inbox", &inbox("", messages)),
        show("inbox-empty", &inbox("", vec![])),
        show("inbox-nothing-found", &inbox("+12127361234", vec![])),
        show("requests", &requests("", seen_requests())),
        show("requests-empty", &requests("", vec![])),
        show("requests-nothing-found", &requests("refunds", vec![])),
        show("landing", &landing(None)),
        show("landing-own-machine", &landing(Some(glance()))),
        show("test-payout", &test_payout()),
        show("sandbox-refused", &refused()),
        show("reference", &reference()),
        show("reference-group", &reference_group()),
    ]
}

fn events() -> Vec<GlanceEvent> {
    let event = |sequence, name: &str, status: &str| GlanceEvent {
        sequence,
        name: name.into(),
        status: status.into(),
        created: "Mar 1, 09:30:05".into(),
    };
    vec![event(7, "payout_link.sent", "delivered"), event(6, "transfer.updated", "pending")]
}

fn glance() -> Glance {
    Glance {
        client_id: "pk_sandbox_sample".into(),
        api_key: "sk_sandbox_sample".into(),
        now: "March 3, 2026, 09:30:05 UTC".into(),
        ahead: "The clock is 2 d 0 h ahead of the real time.".into(),
        wallet: "$999,975.00".into(),
        events: events(),
    }
}

fn test_payout() -> TestPayoutPage {
    let transfer = |kind: &str, status: &str, error: Option<&str>| GlanceTransfer {
        kind: kind.into(),
        status: status.into(),
        amount: "$25.00".into(),
        error: error.map(str::to_owned),
        movements: vec![Movement { from: "App wallet".into(), to: "App held".into(), amount: "$25.00".into() }],
    };
    TestPayoutPage {
        id: "01a20abb-e35d-7994-8001-ce6b6ac57fac".into(),
        amount: "$25.00".into(),
        to: "+12127361234".into(),
        status: "delivered".into(),
        claim: "http://127.0.0.1:8080/claim/q7Zt-sample".into(),
        is_open: true,
        is_under_way: true,
        messages: vec![GlanceMessage {
            text: "482913 is your code for Demonstration. Enter it only on the payment page.".into(),
            code: Some("482913".into()),
            created: "March 1, 2026, 09:30:05 UTC".into(),
        }],
        transfers: vec![
            transfer("balance", "pending", None),
            transfer("payout", "failed", Some("The account is closed.")),
        ],
        events: events(),
        now: "March 3, 2026, 09:30:05 UTC".into(),
        is_sandbox: true,
    }
}

fn refused() -> SandboxRefusedPage {
    SandboxRefusedPage { message: "The wallet does not cover the amount.".into(), is_sandbox: true }
}
