// "Try it" on the reference: a request is sent with the sandbox's own keys and its response is shown.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { checkAccessibility, checkWidth, DESKTOP, openBrowser, PHONE, startBursar } from "./kit.mjs";

let bursar;
before(async () => {
  bursar = await startBursar();
});
after(async () => {
  await bursar?.stop();
});

test("the sample of an operation is sent, and its status, headers and body are shown", async () => {
  const { page, close } = await openBrowser({ viewport: PHONE });
  await page.goto(`${bursar.baseUrl}/docs/payouts`);
  const operation = page.locator("#send_payout");
  await operation.getByText("Try it").click();
  await operation.getByRole("button", { name: "Send", exact: true }).click();
  const result = operation.getByRole("region", { name: /^Response of/ });
  await result.waitFor();
  const text = await result.textContent();
  assert.match(text, /^HTTP 201\n/);
  assert.match(text, /\nx-request-id: /);
  const body = JSON.parse(text.slice(text.indexOf("\n\n")));
  assert.equal((await bursar.api("GET", `/v2/payout-links/${body.id}`)).id, body.id);
  await checkAccessibility(page, "the reference");
  await checkWidth(page, "the reference");
  await close();
});

test("a path's value and a changed body are sent, and a refusal is shown", async () => {
  const { page, close } = await openBrowser();
  await page.goto(`${bursar.baseUrl}/docs/payout-links`);
  const read = page.locator("#get_payout_link");
  await read.getByText("Try it").click();
  await read.getByLabel("payout_link_id").fill("019a0000-0000-7000-8000-000000000000");
  await read.getByRole("button", { name: "Send", exact: true }).click();
  await read.getByText('"error_code": "not-found"').waitFor();
  const create = page.locator("#create_payout_link");
  await create.getByText("Try it").click();
  await create.getByRole("textbox", { name: "Body" }).fill('{"amount": 0}');
  await create.getByRole("button", { name: "Send", exact: true }).click();
  await create.getByText('"reason": "out-of-range"').waitFor();
  await close();
});

test("an operation of the organization is called with its key", async () => {
  const { page, close } = await openBrowser();
  await page.goto(`${bursar.baseUrl}/docs/members`);
  const list = page.locator("#list_members");
  await list.getByText("Try it").click();
  await list.getByLabel("Query string").fill("limit=1");
  await list.getByRole("button", { name: "Send", exact: true }).click();
  await list.getByText("HTTP 200").waitFor();
  await close();
});

test("without the keys of this machine no request is sent, and the form says why", async () => {
  const { page, close } = await openBrowser();
  await page.route("**/sandbox/keys", (route) => route.fulfill({ status: 204 }));
  let sent = 0;
  page.on("request", (request) => (sent += request.url().includes("/v2/") ? 1 : 0));
  await page.goto(`${bursar.baseUrl}/docs/payouts`);
  const operation = page.locator("#send_payout");
  await operation.getByText("Try it").click();
  await operation.getByRole("button", { name: "Send", exact: true }).click();
  await operation.getByText("No response: this server does not give its keys to this browser").waitFor();
  assert.equal(sent, 0);
  await close();
});

test("the first page of the reference loads within 300 ms and 150 kB: the median of five loads without a cache", async () => {
  const { page, close } = await openBrowser({ viewport: DESKTOP });
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  const loads = [];
  for (let number = 0; number < 5; number += 1) {
    await page.goto(`${bursar.baseUrl}/docs`);
    const load = await page.evaluate(() => {
      const [document] = performance.getEntriesByType("navigation");
      const files = [document, ...performance.getEntriesByType("resource")];
      const bytes = files.map((file) => file.transferSize).reduce((sum, size) => sum + size);
      return { milliseconds: Math.round(document.loadEventStart), bytes, files: files.length };
    });
    loads.push(load);
  }
  await close();
  const [median] = loads.toSorted((one, other) => one.milliseconds - other.milliseconds).slice(2);
  assert.ok(median.files > 2 && median.bytes > 10_000, `the counterpart: style and script are counted: ${JSON.stringify(loads)}`);
  assert.ok(median.milliseconds < 300 && median.bytes < 150_000, JSON.stringify(loads));
});
