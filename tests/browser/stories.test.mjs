// Five stories of payees: to a bank; a wrong account, its return and a second try; an expired link and the request for
// a new one; part of the amount; a tax form. Each on a phone and at a desk, light and dark, with and without scripts, in
// English, Spanish and Arabic. The default is a cover in which every two of these meet; BURSAR_STORIES=all runs all 24.
// With BURSAR_SHOTS=1 the screens are kept in target/gallery/shots/, to be looked at.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { checkAccessibility, checkWidth, DESKTOP, openBrowser, PHONE, startBursar } from "./kit.mjs";

const DAY_SECONDS = 86_400;
const ROUTING_NUMBER = "110000000";
const ACCOUNT_NUMBER = "000123456789";
/** It accepts a payment and sends it back two days later. */
const RETURNING_ACCOUNT = "20000002";
const SHOTS = process.env.BURSAR_SHOTS;
const FOLDER = fileURLToPath(new URL("../../target/gallery/shots/", import.meta.url));

const DIRECTIONS = { en: "ltr", es: "ltr", ar: "rtl" };
const ALL = Object.keys(DIRECTIONS).flatMap((language) =>
  ["phone", "desktop"].flatMap((device) =>
    ["light", "dark"].flatMap((colorScheme) =>
      [true, false].map((scripts) => ({ language, device, colorScheme, scripts })),
    ),
  ),
);
const COVER = [
  { language: "en", device: "phone", colorScheme: "light", scripts: true },
  { language: "en", device: "desktop", colorScheme: "dark", scripts: false },
  { language: "es", device: "phone", colorScheme: "dark", scripts: false },
  { language: "es", device: "desktop", colorScheme: "light", scripts: true },
  { language: "ar", device: "phone", colorScheme: "light", scripts: false },
  { language: "ar", device: "desktop", colorScheme: "dark", scripts: true },
];

/** The pairs of values of two different properties that occur in the screens. */
function pairs(screens) {
  const found = new Set();
  for (const screen of screens) {
    const values = Object.entries(screen).map(([name, value]) => `${name}=${value}`);
    for (const one of values) for (const other of values) if (one < other) found.add(`${one} ${other}`);
  }
  return found;
}

test("every two properties of a screen meet in the cover", () => {
  assert.deepEqual(pairs(COVER), pairs(ALL));
  assert.notDeepEqual(pairs(COVER.slice(1)), pairs(ALL), "the counterpart: a screen less is not enough");
});

let bursar;
before(async () => {
  bursar = await startBursar();
  if (SHOTS) await mkdir(FOLDER, { recursive: true });
});
after(async () => {
  await bursar?.stop();
});

let payees = 0;

/** A payee with a phone of their own, in a browser. */
class Payee {
  constructor(page, screen, story) {
    Object.assign(this, { page, screen, story, shots: 0, code: null });
    payees += 1;
    this.phoneNumber = `212736${String(3000 + payees)}`;
  }

  async messages() {
    const to = encodeURIComponent(`+1${this.phoneNumber}`);
    return (await bursar.api("GET", `/v2/sandbox/messages?limit=100&to=${to}`)).data;
  }

  /** The newest message that has what is asked for; the worker delivers a moment after the answer. */
  async newest(wanted) {
    const deadline = Date.now() + 10_000;
    while (Date.now() < deadline) {
      const found = (await this.messages()).find(wanted);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return assert.fail(`no such message to ${this.phoneNumber}`);
  }

  /** Sends money to the payee, and opens the link of the message. */
  async receives(further = {}) {
    const sent = await bursar.api("POST", "/v2/payouts/send-payout", {
      amount: 2500,
      payee: { country_code: "1", phone_number: this.phoneNumber },
      memo: "Three drawings",
      payout_fee_party: "user",
      ...further,
    });
    this.sent = sent.id;
    await this.open();
  }

  async open() {
    await this.page.goto((await this.newest((message) => message.link)).link);
  }

  /** Waits for a page, and checks what must hold on each. */
  async arriveAt(place) {
    const { page, screen } = this;
    await page.locator(place).first().waitFor();
    const where = `${place} of "${this.story}" in ${screen.language}`;
    const root = page.locator("html");
    assert.equal(await root.getAttribute("lang"), screen.language, where);
    assert.equal(await root.getAttribute("dir"), DIRECTIONS[screen.language], where);
    if (screen.scripts) await checkAccessibility(page, where);
    await checkWidth(page, where);
    if (SHOTS) {
      this.shots += 1;
      const { language, device, colorScheme, scripts } = screen;
      const parts = [this.story, language, device, colorScheme, scripts ? "scripts" : "plain", this.shots];
      await page.screenshot({ path: join(FOLDER, `story-${parts.join("-")}.png`), fullPage: true });
    }
  }

  async fill(fields) {
    for (const [name, text] of Object.entries(fields)) {
      await this.page.locator(`[name="${name}"]:visible`).first().fill(text);
    }
  }

  async press() {
    await this.page.locator("main button.button:visible").first().click();
  }

  /** Confirms the phone with a code that is not the one before. */
  async confirm() {
    await this.arriveAt(".named-contact");
    await this.press();
    await this.arriveAt('[name="token"]');
    const { code } = await this.newest((message) => message.code && message.code !== this.code);
    this.code = code;
    await this.fill({ token: code });
    // With scripts, the page continues after the sixth digit.
    if (!this.screen.scripts) await this.press();
  }

  /** The page that asks for the name asks for the account too, unless a tax form comes between them. */
  async name() {
    await this.arriveAt('[name="first_name"]');
    await this.fill({ first_name: "Ada", last_name: "Lovelace" });
    if (!(await this.page.locator('[name="routing_number"]').isVisible())) await this.press();
  }

  async account(number) {
    await this.arriveAt('[name="routing_number"]');
    const saved = this.page.locator(".other-way summary").first();
    if (!(await this.page.locator('[name="routing_number"]').isVisible())) await saved.click();
    await this.fill({ routing_number: ROUTING_NUMBER, account_number: number, confirm_account_number: number });
    // With scripts, the page continues when both numbers are the same.
    if (!this.screen.scripts) await this.press();
  }

  /** Lets days pass, and comes back to the page as its payee. */
  async comesBackAfter(days) {
    await bursar.api("POST", "/v2/sandbox/clock/advance", { seconds: days * DAY_SECONDS });
    await this.page.goto(this.page.url());
    // The session is over after an hour.
    if (await this.page.locator(".named-contact").isVisible()) await this.confirm();
  }

  async sum(text) {
    const shown = await this.page.locator(".receipt-total dd").innerText();
    assert.ok(shown.replace(",", ".").includes(text), shown);
  }
}

const STORIES = {
  async bank(payee) {
    await payee.receives();
    await payee.confirm();
    await payee.name();
    await payee.account(ACCOUNT_NUMBER);
    await payee.arriveAt(".receipt-total");
    await payee.sum("24.75");
    await payee.press();
    await payee.arriveAt(".outcome-pending");
    await payee.comesBackAfter(2);
    await payee.arriveAt(".outcome-completed");
    await payee.page.locator('a[href$="/receipt"]').click();
    await payee.arriveAt(".receipt");
    assert.match(await payee.page.locator("main").innerText(), /24[.,]75/);
    const { text } = await payee.newest((message) => /24[.,]75/.test(message.text));
    assert.ok(payee.screen.language === "en" || !/arrived|receipt/i.test(text), text);
  },

  async returned(payee) {
    await payee.receives();
    await payee.confirm();
    await payee.name();
    await payee.arriveAt('[name="routing_number"]');
    await payee.fill({ routing_number: "110000001" });
    await payee.press();
    await payee.arriveAt(".error-summary");
    await payee.account(RETURNING_ACCOUNT);
    await payee.arriveAt(".receipt-total");
    await payee.press();
    await payee.arriveAt(".outcome-pending");
    await payee.comesBackAfter(2);
    await payee.arriveAt(".outcome-completed");
    await payee.comesBackAfter(3);
    await payee.arriveAt(".outcome-failed");
    await payee.page.locator('a.button[href$="/method"]').click();
    await payee.account(ACCOUNT_NUMBER);
    await payee.arriveAt(".receipt-total");
    await payee.press();
    await payee.arriveAt(".outcome-pending");
    await payee.comesBackAfter(2);
    await payee.arriveAt(".outcome-completed");
  },

  async expired(payee) {
    await payee.receives();
    await payee.arriveAt(".named-contact");
    await bursar.api("POST", "/v2/sandbox/clock/advance", { seconds: 31 * DAY_SECONDS });
    await payee.page.goto(payee.page.url());
    await payee.arriveAt(".closed");
    const read = async () => (await bursar.api("GET", `/v2/payout-links/${payee.sent}`)).new_link_requested_at;
    assert.equal(await read(), null);
    await payee.press();
    await payee.arriveAt(".closed .notice");
    assert.equal(await payee.page.locator("main button").count(), 0, "it is asked once");
    assert.ok(await read());
    // The sender sends the money again.
    await payee.receives();
    await payee.confirm();
    await payee.arriveAt('[name="first_name"]');
  },

  async part(payee) {
    await payee.receives();
    await payee.confirm();
    await payee.name();
    await payee.account(ACCOUNT_NUMBER);
    await payee.arriveAt(".receipt-total");
    await payee.page.locator('a[href$="part=1"]').click();
    await payee.arriveAt("#amount");
    await payee.fill({ amount: "99999" });
    await payee.page.locator('button[formmethod="get"]').click();
    await payee.arriveAt(".field-error");
    await payee.fill({ amount: "10" });
    await payee.page.locator('button[formmethod="get"]').click();
    await payee.page.locator(".field-error").waitFor({ state: "detached" });
    await payee.arriveAt(".receipt-total");
    await payee.sum("9.75");
    await payee.press();
    await payee.arriveAt(".outcome-pending");
    const rest = payee.page.locator(".rest");
    assert.match(await rest.innerText(), /15[.,]00/);
    await rest.locator("a").click();
    await payee.arriveAt(".receipt-total");
    await payee.sum("14.75");
    await payee.press();
    await payee.arriveAt(".outcome-pending");
    assert.equal(await rest.count(), 0);
  },

  async tax(payee) {
    await payee.receives({ force_collect_compliance_information: true });
    await payee.confirm();
    await payee.name();
    await payee.arriveAt('[name="tax_id"]');
    await payee.press();
    await payee.arriveAt(".error-summary");
    await payee.page.locator('[name="entity_type"][value="individual"]').check();
    await payee.page.locator('[name="tax_id_type"][value="ssn"]').check();
    await payee.fill({ name: "Ada Lovelace", tax_id: "123-45-6789", line_1: "350 Fifth Avenue", city: "New York" });
    await payee.page.locator('[name="state"]').selectOption("NY");
    await payee.fill({ postcode: "10118" });
    await payee.page.locator('[name="certified"]:visible').check();
    await payee.press();
    await payee.account(ACCOUNT_NUMBER);
    await payee.arriveAt(".receipt-total");
    await payee.press();
    await payee.arriveAt(".outcome-pending");
    assert.ok(!(await payee.page.content()).includes("45-6789"), "a tax number is shown again");
  },
};

for (const screen of process.env.BURSAR_STORIES === "all" ? ALL : COVER) {
  for (const [story, walk] of Object.entries(STORIES)) {
    const { language, device, colorScheme, scripts } = screen;
    test(`${story}: ${language}, ${device}, ${colorScheme}, ${scripts ? "with" : "without"} scripts`, async () => {
      const viewport = device === "phone" ? PHONE : DESKTOP;
      const browser = await openBrowser({ viewport, colorScheme, locale: language, javaScriptEnabled: scripts });
      try {
        await walk(new Payee(browser.page, screen, story));
      } finally {
        await browser.close();
      }
    });
  }
}
