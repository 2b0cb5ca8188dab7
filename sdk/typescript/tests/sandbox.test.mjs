// The client against a running sandbox: BURSAR_URL is its address, BURSAR_CREDENTIALS its file of credentials.

import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const { ApiError, Bursar, InvalidWebhook, NoResponse, verifyWebhook } = await import(process.env.BURSAR_SDK ?? "../dist/index.js");

const CREDENTIALS = JSON.parse(readFileSync(process.env.BURSAR_CREDENTIALS, "utf8"));

function client(of = "app", options = {}) {
  const { client_id: clientId, api_key: apiKey } = CREDENTIALS[of];
  return new Bursar({ baseUrl: process.env.BURSAR_URL, clientId, apiKey, ...options });
}

const toPhone = (phone_number, amount = 1000) => ({ amount, payee: { country_code: "1", phone_number } });
const send = (bursar, number) => bursar.post("/v2/payouts/send-payout", { body: toPhone(number) });

async function all(iterator) {
  const found = [];
  for await (const one of iterator) found.push(one);
  return found;
}

/** A fetch that sends each request, and loses or replaces the first responses. */
function flaky(...failures) {
  const keys = [];
  const fetch = async (request) => {
    keys.push(request.headers.get("Idempotency-Key"));
    const failure = failures.shift();
    if (failure instanceof Response) return failure;
    const response = await globalThis.fetch(request);
    if (failure === "lost") throw new TypeError("the connection was closed");
    return response;
  };
  return { keys, options: { fetch, sleep: async () => {} } };
}

test("a payout is sent, claimed and settled", async () => {
  const bursar = client();
  const sent = await send(bursar, "2127363001");
  assert.equal(sent.amount, 1000);
  const token = sent.link.split("/").at(-1);
  const path = { token };
  await bursar.post("/v2/claims/{token}/contact", {
    params: { path },
    body: { country_code: "1", phone_number: "2127363001" },
  });
  const inbox = await bursar.get("/v2/sandbox/messages", { params: { query: { to: "+12127363001" } } });
  const { code } = inbox.data.find((message) => message.code);
  const { session } = await bursar.post("/v2/claims/{token}/code", { params: { path }, body: { token: code } });
  const params = { path, header: { "Claim-Session": session } };
  await bursar.post("/v2/claims/{token}/profile", { params, body: { first_name: "Jane", last_name: "Doe" } });
  const account = { platform: "ach", routing_number: "110000000", account_number: "5550001", account_type: "checking" };
  await bursar.post("/v2/claims/{token}/method", { params, body: account });
  const claim = await bursar.post("/v2/claims/{token}/payout", { params, body: { amount: 1000 } });
  assert.equal(claim.status, "claimed");
  await bursar.post("/v2/sandbox/clock/advance", { body: { seconds: 2 * 86_400 } });
  const transfers = await all(bursar.iterate("/v2/transfers", { params: { query: { type: "payout" } } }));
  assert.equal(transfers.find((transfer) => transfer.payout_link_id === sent.id).status, "completed");
});

test("a lost response is asked for again with the same key", async () => {
  const { keys, options } = flaky("lost");
  const bursar = client("app", options);
  const sent = await send(bursar, "2127363002");
  assert.equal(keys.length, 2);
  assert.ok(keys[0] !== null && keys[0] === keys[1]);
  const links = await all(bursar.iterate("/v2/payout-links", { params: { query: { phone_number: "+12127363002" } } }));
  assert.deepEqual(links.map((link) => link.id), [sent.id]);
});

test("the server says how long to wait", async () => {
  const waits = [];
  const busy = Response.json({ error_code: "service-unavailable" }, { status: 503, headers: { "Retry-After": "7" } });
  const { options } = flaky(busy);
  const sleep = async (wait) => void waits.push(wait);
  await client("app", { ...options, sleep }).get("/v2/sandbox/clock");
  assert.deepEqual(waits, [7000]);
});

test("retries end and leave the key", async () => {
  const { keys, options } = flaky("lost", "lost", "lost");
  const bursar = client("app", { ...options, retries: 2 });
  const init = { body: toPhone("2127363003"), headers: { "Idempotency-Key": "order-3003" } };
  await assert.rejects(bursar.post("/v2/payouts/send-payout", init), (error) => {
    assert.ok(error instanceof NoResponse);
    assert.equal(error.idempotencyKey, "order-3003");
    return true;
  });
  assert.deepEqual(keys, ["order-3003", "order-3003", "order-3003"]);
});

test("refusals have a code and are not retried", async () => {
  const { keys, options } = flaky();
  const bursar = client("app", options);
  await assert.rejects(bursar.post("/v2/payouts/send-payout", { body: toPhone("2127363004", 0) }), (error) => {
    assert.ok(ApiError.is(error, "invalid-input") && !ApiError.is(error, "not-found"));
    assert.deepEqual(error.errors.map((one) => one.field), ["/amount"]);
    assert.equal(error.status, 400);
    assert.ok(error.requestId);
    assert.equal(error.requestId, error.body.request_id);
    assert.ok(error.docUrl.endsWith(`/guide/reference/errors#${error.code}`));
    assert.equal(error.reason, error.errors[0].reason);
    return true;
  });
  assert.equal(keys.length, 1);
  const params = { path: { payout_link_id: randomUUID() } };
  await assert.rejects(bursar.get("/v2/payout-links/{payout_link_id}", { params }), { code: "not-found", status: 404 });
  const stranger = new Bursar({ baseUrl: process.env.BURSAR_URL, clientId: "pk_sandbox_no", apiKey: "sk_sandbox_no" });
  await assert.rejects(stranger.get("/v2/users"), { code: "unauthorized" });
});

test("lists are read to their end", async () => {
  const bursar = client();
  const made = new Set();
  for (let count = 0; count < 5; count += 1) made.add((await send(bursar, "2127363005")).id);
  const query = { limit: 2, phone_number: "+12127363005" };
  const found = await all(bursar.iterate("/v2/payout-links", { params: { query } }));
  assert.equal(found.length, 5);
  assert.deepEqual(new Set(found.map((link) => link.id)), made);
});

test("an organization key names its app", async () => {
  await assert.rejects(client("organization").get("/v2/users"), { code: "app-id-required" });
  const users = await client("organization", { appId: CREDENTIALS.app.id }).get("/v2/users");
  assert.ok(Array.isArray(users.data));
});

test("a signed event is returned and every other is refused", () => {
  const key = Buffer.from("a secret of an endpoint");
  const secret = `whsec_${key.toString("base64")}`;
  const body = '{"id": "1", "name": "transfer.completed"}';
  const now = Math.floor(Date.now() / 1000);
  const headers = (at) => {
    const signature = createHmac("sha256", key).update(`event-1.${at}.${body}`).digest("base64");
    return { "Webhook-Id": "event-1", "Webhook-Timestamp": `${at}`, "Webhook-Signature": `v1,b2xk v1,${signature}` };
  };
  assert.equal(verifyWebhook(secret, headers(now), body).name, "transfer.completed");
  assert.equal(verifyWebhook(secret, new Headers(headers(now)), Buffer.from(body)).name, "transfer.completed");
  for (const [by, given, text] of [
    [secret, headers(now), `${body} `],
    [secret, headers(now - 301), body],
    [secret, { ...headers(now), "Webhook-Id": "event-2" }, body],
    [secret, { "Webhook-Id": "event-1" }, body],
    [`whsec_${Buffer.from("another").toString("base64")}`, headers(now), body],
  ]) {
    assert.throws(() => verifyWebhook(by, given, text), InvalidWebhook);
  }
});
