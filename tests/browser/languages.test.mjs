// The menu of languages. stories.test.mjs has the claims in other languages.

import { after, before, test } from "node:test";

import { openBrowser, PHONE, startBursar } from "./kit.mjs";

let bursar;
before(async () => {
  bursar = await startBursar();
});
after(async () => {
  await bursar?.stop();
});

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
