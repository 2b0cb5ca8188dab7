// A payee whose browser asks for another language claims in it: to a bank, with a wrong account, part of the amount and
// a tax form. Fields are found by their names, because the words differ.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

import { checkAccessibility, checkWidth, DESKTOP, openBrowser, PHONE, startBursar } from "./kit.mjs";

const TWO_DAYS_SECONDS = 172_800;
const SHOTS = process.env.BURSAR_SHOTS;
const FOLDER = fileURLToPath(new URL("../../target/gallery/shots/", import.meta.url));

let bursar;
before(async () => {
  bursar = await startBursar();
  if (SHOTS) await mkdir(FOLDER, { recursive: true });
});
after(async () => {
  await bursar?.stop();
});

async function messages(phoneNumber) {
  const to = encodeURIComponent(`+1${phoneNumber}`);
  return (await bursar.api("GET", `/v2/sandbox/messages?limit=100&to=${to}`)).data;
}

/** The newest message to the phone that has what is asked for; the worker delivers a moment after the answer. */
async function newest(phoneNumber, wanted) {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const found = (await messages(phoneNumber)).find(wanted);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`no such message to ${phoneNumber}`);
}

const screens = [
  { language: "es", direction: "ltr", viewport: PHONE, colorScheme: "light", phoneNumber: "2127361250" },
  { language: "es", direction: "ltr", viewport: DESKTOP, colorScheme: "dark", phoneNumber: "2127361251" },
  { language: "ar", direction: "rtl", viewport: PHONE, colorScheme: "dark", phoneNumber: "2127361252" },
  { language: "ar", direction: "rtl", viewport: DESKTOP, colorScheme: "light", phoneNumber: "2127361253" },
];

for (const { language, direction, viewport, colorScheme, phoneNumber } of screens) {
  const device = viewport === PHONE ? "phone" : "desktop";

  test(`a claim in ${language}: ${device}, ${colorScheme}`, async () => {
    const browser = await openBrowser({ viewport, colorScheme, locale: language });
    const { page } = browser;

    /** Waits for a page, and checks what must hold on each. */
    const arriveAt = async (place) => {
      await page.locator(place).first().waitFor();
      const root = page.locator("html");
      assert.equal(await root.getAttribute("lang"), language, place);
      assert.equal(await root.getAttribute("dir"), direction, place);
      await checkAccessibility(page, `${place} in ${language}`);
      await checkWidth(page, `${place} in ${language}`);
      if (SHOTS) {
        const name = place.replace(/[^a-z]+/gi, "-");
        await page.screenshot({ path: join(FOLDER, `story-${language}-${device}-${name}.png`), fullPage: true });
      }
    };
    const fill = (name, text) => page.locator(`[name="${name}"]:visible`).first().fill(text);
    const press = () => page.locator("main button.button:visible").first().click();
    /** Confirms the phone with a code that is not the one before. */
    const confirm = async (before) => {
      await arriveAt(".named-contact");
      await press();
      await arriveAt('[name="token"]');
      const { code } = await newest(phoneNumber, (message) => message.code && message.code !== before);
      await fill("token", code);
      return code;
    };

    try {
      await bursar.api("POST", "/v2/payouts/send-payout", {
        amount: 2500,
        payee: { country_code: "1", phone_number: phoneNumber },
        memo: "Three drawings",
        payout_fee_party: "user",
        force_collect_compliance_information: true,
      });
      await page.goto((await newest(phoneNumber, (message) => message.link)).link);
      const first = await confirm(null);
      await arriveAt('[name="first_name"]');
      await press();
      await arriveAt(".error-summary");
      await fill("first_name", "Ada");
      await fill("last_name", "Lovelace");
      await press();

      await arriveAt('[name="tax_id"]');
      await page.locator('[name="entity_type"][value="individual"]').check();
      await fill("name", "Ada Lovelace");
      await page.locator('[name="tax_id_type"][value="ssn"]').check();
      await fill("tax_id", "123-45-6789");
      await fill("line_1", "350 Fifth Avenue");
      await fill("city", "New York");
      await page.locator('[name="state"]').selectOption("NY");
      await fill("postcode", "10118");
      await page.locator('[name="certified"]:visible').check();
      await press();

      await arriveAt('[name="routing_number"]');
      await fill("routing_number", "110000001");
      await press();
      await arriveAt(".error-summary");
      await fill("routing_number", "110000000");
      await fill("account_number", "000123456789");
      await fill("confirm_account_number", "000123456789");
      await press();

      await arriveAt(".receipt");
      await page.locator('a[href$="part=1"]').click();
      await arriveAt("#amount");
      await fill("amount", "10");
      await page.locator('button[formmethod="get"]').click();
      await arriveAt(".receipt-total");
      assert.match(await page.locator(".receipt-total dd").innerText(), /9[.,]75/);
      await press();
      await arriveAt(".outcome-pending");
      assert.match(await page.locator(".rest").innerText(), /15[.,]00/);

      await bursar.api("POST", "/v2/sandbox/clock/advance", { seconds: TWO_DAYS_SECONDS });
      // The page was open for two days: it asks who is there before it shows what became of the money.
      await page.reload();
      await confirm(first);
      await arriveAt(".outcome-completed");
      await page.locator('a[href$="/receipt"]').click();
      await arriveAt("[data-print]");
      const said = (await newest(phoneNumber, (message) => /9[.,]75/.test(message.text))).text;
      assert.ok(!/arrived|receipt/i.test(said), said);
    } finally {
      await browser.close();
    }
  });
}

test("the menu changes the language, without scripts too", async () => {
  const browser = await openBrowser({ viewport: PHONE, javaScriptEnabled: false });
  const { page } = browser;
  try {
    const { link } = await bursar.api("POST", "/v2/payout-links", { amount: 2500, delivery: { method: "link" } });
    await page.goto(link);
    await page.locator(".languages summary").click();
    await page.getByRole("button", { name: "العربية" }).click();
    await page.locator('html[lang="ar"][dir="rtl"]').waitFor();
    await page.locator(".languages summary").click();
    await page.getByRole("button", { name: "English" }).click();
    await page.locator('html[lang="en"][dir="ltr"]').waitFor();
  } finally {
    await browser.close();
  }
});
