// A payee receives a text with a link and withdraws the money: by mouse on a phone, by keyboard at a desk, without scripts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { checkAccessibility, checkWidth, DESKTOP, openBrowser, PHONE, startBursar, tabTo } from "./kit.mjs";

const TWO_DAYS_SECONDS = 172_800;
const ACCOUNT_NUMBER = "000123456789";
const ROUTING_NUMBER = "110000000";

let bursar;
before(async () => {
  bursar = await startBursar();
});
after(async () => {
  await bursar?.stop();
});

/** Sends $25.00 to a number of New York and gives the link out of the message. */
async function sendPayout(phoneNumber, further = { force_collect_compliance_information: true }) {
  const { payee, ...rest } = further;
  const before = (await messages(phoneNumber)).length;
  await bursar.api("POST", "/v2/payouts/send-payout", {
    amount: 2500,
    payee: { country_code: "1", phone_number: phoneNumber, ...payee },
    delivery: { message: "Thank you for the drawings." },
    memo: "Three drawings",
    payout_fee_party: "user",
    ...rest,
  });
  return (await newestMessage(phoneNumber, (message) => message.link, before)).link;
}

async function messages(phoneNumber) {
  const to = encodeURIComponent(`+1${phoneNumber}`);
  return (await bursar.api("GET", `/v2/sandbox/messages?limit=100&to=${to}`)).data;
}

/** The newest message to the phone that has what is asked for; the worker delivers a moment after the answer. */
async function newestMessage(phoneNumber, wanted, before = 0) {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const data = await messages(phoneNumber);
    const found = data.slice(0, data.length - before).find(wanted);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`no such message to ${phoneNumber}`);
}

const newestCode = async (phoneNumber) => (await newestMessage(phoneNumber, (message) => message.code)).code;

/** Waits for the step's heading and checks what must hold on every step. */
async function arriveAt(page, heading, { scripts = true } = {}) {
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  assert.equal(await page.locator("h1").count(), 1);
  if (scripts) {
    await checkAccessibility(page, heading);
    await checkWidth(page, heading);
  }
}

async function press(page, name) {
  await page.getByRole("button", { name, exact: true }).click();
}

/** Presses the one button: the page knows where the code goes. */
async function askForCode(page, phoneNumber) {
  await press(page, `Text a code to ••• ${phoneNumber.slice(-4)}`);
}

/** With scripts, the page continues after the sixth digit. */
async function giveCode(page, code, { scripts = true } = {}) {
  await page.getByLabel("Six-digit code").fill(code);
  if (!scripts) await press(page, "Continue");
}

async function fillName(page) {
  await page.getByLabel("First name").fill("Ada");
  await page.getByLabel("Last name").fill("Lovelace");
  await page.getByLabel("Email address").fill("ada@example.com");
}

async function giveName(page) {
  await fillName(page);
  await press(page, "Continue");
}

async function giveTaxDetails(page) {
  // The two tax forms ask for the same things; the first form is the W-9.
  const form = page.locator("form").filter({ has: page.locator('input[name="form"][value="w9"]') });
  await form.getByLabel("Me, as an individual").check();
  await form.getByLabel("Name on your tax return").fill("Ada Lovelace");
  await form.getByLabel("Social Security number").check();
  await form.getByLabel("Number", { exact: true }).fill("123-45-6789");
  await form.getByLabel("Street address").fill("350 Fifth Avenue");
  await form.getByLabel("City").fill("New York");
  await form.getByLabel("State").selectOption("NY");
  await form.getByLabel("ZIP code").fill("10118");
  await form.getByLabel("Under penalties of perjury").check();
  await form.getByRole("button", { name: "Continue" }).click();
}

/** With scripts, the page continues when both numbers are the same. */
async function giveBankAccount(page, { number = ACCOUNT_NUMBER, scripts = true } = {}) {
  await page.getByLabel("Routing number").fill(ROUTING_NUMBER);
  await page.getByLabel("Account number", { exact: true }).fill(number);
  await page.getByLabel("Account number again").fill(number);
  if (!scripts) await press(page, "Continue");
}

/** The answer next to a word of the receipt. */
const receipt = (page, term) =>
  page.locator(".receipt > div").filter({ has: page.getByText(term, { exact: true }) }).locator("dd");

/** Walks all steps and reads what a careful person would read on the way. */
async function walk(page, phoneNumber, link, { scripts = true } = {}) {
  const at = (heading) => arriveAt(page, heading, { scripts });

  await page.goto(link);
  await at("Confirm it is you");
  assert.equal(await page.locator(".claim-amount").innerText(), "$25.00");
  assert.match(await page.locator("header").innerText(), /Three drawings/);
  await askForCode(page, phoneNumber);

  await at("Enter your code");
  assert.ok(await page.getByLabel("Six-digit code").evaluate((field) => field === document.activeElement));
  const lead = await page.locator(".lead").innerText();
  assert.ok(lead.includes(phoneNumber.slice(-4)), `the page does not say where the code went: ${lead}`);
  assert.ok(!lead.includes(phoneNumber), "the page shows the whole number");
  await giveCode(page, await newestCode(phoneNumber), { scripts });

  await at("Your name");
  await giveName(page);
  await at("Tax details");
  await giveTaxDetails(page);
  await at("Where should we send it?");
  await giveBankAccount(page, { scripts });

  await at("Check and confirm");
  assert.equal(await page.getByRole("textbox").count(), 0, "a part of the amount is behind a link");
  assert.match(await receipt(page, "To").innerText(), /6789\s+Sandbox Bank/);
  assert.match(await receipt(page, "Fee").innerText(), /^\$0\.25/);
  assert.equal(await receipt(page, "You get").innerText(), "$24.75");
  assert.match(await receipt(page, "Arrives").innerText(), /^on \w+day, /);
  await press(page, "Get $24.75");

  await at("Your money is on its way");
  const text = await page.locator("main").innerText();
  assert.match(text, /\$24\.75/);
  assert.match(text, /6789/);
  assert.ok(!text.includes(ACCOUNT_NUMBER), "the page shows the whole account number");
  assert.equal(await receipt(page, "Status").innerText(), "On its way");
}

/** Lets the bank settle. With scripts the page notices without a press; without them it is loaded again. */
async function settle(page, { scripts = true } = {}) {
  await bursar.api("POST", "/v2/sandbox/clock/advance", { seconds: TWO_DAYS_SECONDS });
  const arrived = page.getByRole("heading", { level: 1, name: "Your money has arrived" });
  if (scripts) return arrived.waitFor({ timeout: 20_000 });
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    await page.getByRole("link", { name: "Check again" }).click();
    if (await arrived.isVisible()) return;
  }
  assert.fail("the payout never completed");
}

/** Runs the steps with a browser, which is closed and judged whatever happens. */
async function withBrowser(options, steps) {
  const browser = await openBrowser(options);
  try {
    return await steps(browser.page);
  } finally {
    await browser.close();
  }
}

test("a claim by touch on a phone ends with the money in the bank", () =>
  withBrowser({}, async (page) => {
    const phoneNumber = "2127361234";
    await walk(page, phoneNumber, await sendPayout(phoneNumber));
    await settle(page);
    await checkAccessibility(page, "completed");
    assert.equal(await receipt(page, "Status").innerText(), "Arrived");
    await page.getByRole("link", { name: "See or print the receipt" }).click();
    await arriveAt(page, "Receipt");
    assert.ok(await page.getByRole("button", { name: "Print or save as PDF" }).isVisible());
  }));

/** Counts what a person does: each press of a button or a link, and each field that is typed into. */
function counted(page) {
  let count = 0;
  return {
    press: async (locator) => {
      count += 1;
      await locator.click();
    },
    type: async (label, text) => {
      count += 1;
      await page.getByLabel(label, { exact: true }).fill(text);
    },
    /** The link in the message is a press too. */
    open: async (link) => {
      count += 1;
      await page.goto(link);
    },
    count: () => count,
  };
}

/** Claims as a payee would, and returns the number of presses. `names` are typed if the sender did not give them. */
const claimCounted = (phoneNumber, link, { isKnown = false, names = [], keepsName = false } = {}) =>
  withBrowser({}, async (page) => {
    const person = counted(page);
    const button = (name) => page.getByRole("button", { name, exact: true });
    await person.open(link);
    await person.press(button(`Text a code to ••• ${phoneNumber.slice(-4)}`));
    await page.getByRole("heading", { level: 1, name: "Enter your code" }).waitFor();
    await person.type("Six-digit code", await newestCode(phoneNumber));
    if (!isKnown) {
      await page.getByRole("heading", { level: 1, name: "Where should we send it?" }).waitFor();
      if (keepsName) assert.equal(await page.getByLabel("Last name").inputValue(), "Lovelace");
      for (const [label, name] of names) await person.type(label, name);
      await person.type("Routing number", ROUTING_NUMBER);
      assert.equal(await page.locator(".bank-name").innerText(), "Sandbox Bank");
      await person.type("Account number", ACCOUNT_NUMBER);
      await person.type("Account number again", ACCOUNT_NUMBER);
      await page.getByRole("heading", { level: 1, name: "Check and confirm" }).waitFor();
    }
    await person.press(button("Get $24.75"));
    await page.getByRole("heading", { level: 1, name: "Your money is on its way" }).waitFor();
    assert.match(await page.locator(".lead").innerText(), /arrives on \w+day, \w+ \d+\./);
    return person.count();
  });

test("a new payee has at most nine presses, a known payee at most four, until the day of arrival is known", async () => {
  const phoneNumber = "2127361239";
  const names = [["First name", "Ada"], ["Last name", "Lovelace"]];
  // The sender gave a phone number and no name.
  const first = await claimCounted(phoneNumber, await sendPayout(phoneNumber, {}), { names });
  assert.ok(first <= 9, `a new payee needs ${first}`);
  const second = await claimCounted(phoneNumber, await sendPayout(phoneNumber, {}), { isKnown: true });
  assert.ok(second <= 4, `a known payee needs ${second}`);

  // The sender named the payee, who keeps or corrects the name.
  const named = "2127361241";
  const payee = { first_name: "Ada", last_name: "Lovelace" };
  const third = await claimCounted(named, await sendPayout(named, { payee }), { keepsName: true });
  assert.ok(third <= 7, `a new payee with a name needs ${third}`);
});

test("a new payee who wants no bank account gives the name first", () =>
  withBrowser({}, async (page) => {
    const phoneNumber = "2127361242";
    await page.goto(await sendPayout(phoneNumber, {}));
    await askForCode(page, phoneNumber);
    await page.getByRole("heading", { level: 1, name: "Enter your code" }).waitFor();
    await giveCode(page, await newestCode(phoneNumber));
    await arriveAt(page, "Where should we send it?");
    await page.getByRole("button", { name: "Choose another way" }).click();
    await arriveAt(page, "Your name");
    await giveName(page);
    await arriveAt(page, "Where should we send it?");
    await page.getByRole("link", { name: "Prepaid card" }).click();
    await arriveAt(page, "Prepaid card");
  }));

test("money that comes back says so, and a second account gets it", () =>
  withBrowser({}, async (page) => {
    const phoneNumber = "2127361240";
    await page.goto(await sendPayout(phoneNumber, {}));
    await askForCode(page, phoneNumber);
    await page.getByRole("heading", { level: 1, name: "Enter your code" }).waitFor();
    await giveCode(page, await newestCode(phoneNumber));
    await arriveAt(page, "Where should we send it?");
    await fillName(page);
    await giveBankAccount(page, { number: "20000002" });
    await press(page, "Get $24.75");
    await settle(page);
    await bursar.api("POST", "/v2/sandbox/clock/advance", { seconds: 2 * TWO_DAYS_SECONDS });
    const back = page.getByRole("heading", { level: 1, name: "Your bank sent the money back" });
    const deadline = Date.now() + 15_000;
    while (!(await back.isVisible()) && Date.now() < deadline) await page.reload();
    await arriveAt(page, "Your bank sent the money back");
    await page.getByRole("link", { name: "Choose another way to get paid" }).click();
    await arriveAt(page, "Where should we send it?");
    await giveBankAccount(page);
    await press(page, "Get $24.50");
    await arriveAt(page, "Your money is on its way");
  }));

test("mistakes are explained beside the field, with the keyboard alone", () =>
  withBrowser({ viewport: DESKTOP }, async (page) => {
    const phoneNumber = "2127361235";
    const type = async (label, text) => {
      // The check of accessibility selects the heading, so a field that has the focus is entered again.
      await page.keyboard.press("Shift+Tab");
      await tabTo(page, page.getByLabel(label, { exact: true }));
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
    };
    const submit = async (name) => {
      await tabTo(page, page.getByRole("button", { name, exact: true }));
      await page.keyboard.press("Enter");
    };

    /** One error is shown once, next to its field, which has the focus. */
    const oneErrorAt = async (label) => {
      await page.locator(".field-error:visible").waitFor();
      assert.equal(await page.locator(".field-error:visible").count(), 1);
      assert.equal(await page.getByRole("alert").count(), 0, "the list repeats the error");
      const field = page.getByLabel(label, { exact: true });
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      assert.ok(await field.evaluate((input) => input === document.activeElement), `${label} has no focus`);
    };

    // A link without a payee asks for the number.
    const { link } = await bursar.api("POST", "/v2/payout-links", {
      amount: 2500,
      delivery: { method: "link" },
      payout_fee_party: "user",
      force_collect_compliance_information: true,
    });
    await page.goto(link);
    await arriveAt(page, "Confirm it is you");
    await type("Mobile number", "12");
    await submit("Text me a code");
    await oneErrorAt("Mobile number");
    assert.equal(await page.getByLabel("Mobile number").inputValue(), "12", "what was typed is gone");
    assert.match(await page.title(), /^Error: /);
    await checkAccessibility(page, "wrong phone number");
    await type("Mobile number", phoneNumber);
    await submit("Text me a code");

    await arriveAt(page, "Enter your code");
    const code = await newestCode(phoneNumber);
    const wrongCode = code === "000000" ? "000001" : "000000";
    await type("Six-digit code", wrongCode);
    await oneErrorAt("Six-digit code");
    assert.equal(await page.getByLabel("Six-digit code").getAttribute("aria-describedby"), "token-error");
    await page.keyboard.type(code);

    await arriveAt(page, "Your name");
    await submit("Continue");
    // The list of several errors has the focus; its link leads to the field.
    await page.getByRole("alert").waitFor();
    assert.ok(await page.getByRole("alert").evaluate((list) => list === document.activeElement));
    await checkAccessibility(page, "no name");
    await tabTo(page, page.getByRole("alert").getByRole("link").first());
    await page.keyboard.press("Enter");
    await page.keyboard.type("Grace");
    await type("Last name", "Hopper");
    await type("Email address optional", "grace@example.com");
    await page.keyboard.press("Enter");

    await arriveAt(page, "Tax details");
    await giveTaxDetails(page);
    await arriveAt(page, "Where should we send it?");
    await tabTo(page, page.getByLabel("Checking"));
    await page.keyboard.press("Space");
    await type("Routing number", "110000001");
    await type("Account number", ACCOUNT_NUMBER);
    await type("Account number again", ACCOUNT_NUMBER);
    await oneErrorAt("Routing number");
    assert.equal(await page.getByLabel("Account number", { exact: true }).getAttribute("aria-invalid"), null);
    await checkAccessibility(page, "wrong routing number");
    // An account number is not shown again, and the page says why.
    assert.equal(await page.getByLabel("Account number", { exact: true }).inputValue(), "");
    assert.match(await page.locator("#account_number-hint").innerText(), /enter it once more/);
    await type("Routing number", ROUTING_NUMBER);
    await type("Account number", ACCOUNT_NUMBER);
    await type("Account number again", ACCOUNT_NUMBER);

    await arriveAt(page, "Check and confirm");
    await tabTo(page, page.getByRole("link", { name: "Take only a part now" }));
    await page.keyboard.press("Enter");
    await type("How much do you want now?", "99999");
    await page.keyboard.press("Enter");
    await oneErrorAt("How much do you want now?");
    assert.equal(await page.getByRole("button", { name: /^Get / }).count(), 0, "a button for another amount");
    await type("How much do you want now?", "10");
    await submit("Update");
    await page.getByRole("button", { name: "Get $9.75", exact: true }).waitFor();
    assert.equal(await receipt(page, "You get").innerText(), "$9.75");
    await submit("Get $9.75");

    await arriveAt(page, "Your money is on its way");
    assert.match(await page.locator(".rest").innerText(), /\$15\.00/);
  }));

test("a claim works without scripts", () =>
  withBrowser({ javaScriptEnabled: false }, async (page) => {
    const phoneNumber = "2127361236";
    await walk(page, phoneNumber, await sendPayout(phoneNumber), { scripts: false });
    await settle(page, { scripts: false });
  }));

for (const javaScriptEnabled of [true, false]) {
  test(`Back and Reload after a wrong code send nothing again, ${javaScriptEnabled ? "with" : "without"} scripts`, () =>
    withBrowser({ javaScriptEnabled }, async (page) => {
      const phoneNumber = javaScriptEnabled ? "2127361243" : "2127361244";
      const scripts = javaScriptEnabled;
      await page.goto(await sendPayout(phoneNumber));
      await askForCode(page, phoneNumber);
      await arriveAt(page, "Enter your code", { scripts });
      const code = await newestCode(phoneNumber);
      const wrongCode = code === "000000" ? "000001" : "000000";
      const left = (count) => page.locator(".field-error").getByText(`You have ${count} tries left.`);
      await giveCode(page, wrongCode, { scripts });
      await left(4).waitFor();
      assert.equal(new URL(page.url()).searchParams.has("refused"), !scripts);
      for (let reload = 0; reload < 2; reload += 1) {
        await page.reload();
        await arriveAt(page, "Enter your code", { scripts });
        assert.equal(await left(4).count(), scripts ? 0 : 1, "with scripts, the error is shown once");
      }
      await giveCode(page, wrongCode, { scripts });
      await left(3).waitFor();
      await page.goBack();
      await arriveAt(page, "Enter your code", { scripts });
      assert.equal(await left(4).count(), 0, "the number of tries is that of now");
      await page.goForward();
      await arriveAt(page, "Enter your code", { scripts });
      await giveCode(page, wrongCode, { scripts });
      await left(2).waitFor();
      await giveCode(page, code, { scripts });
      await arriveAt(page, "Your name", { scripts });
    }));
}

test("the end of the link is in the zone of the browser, and without scripts in UTC", async () => {
  const link = await sendPayout("2127361245");
  const shown = (options) =>
    withBrowser(options, async (page) => {
      await page.goto(link);
      const time = page.locator("footer time");
      return [await time.getAttribute("datetime"), (await time.innerText()).replace(/\s/g, " ")];
    });
  const [datetime, inTokyo] = await shown({ timezoneId: "Asia/Tokyo" });
  const format = { dateStyle: "long", timeStyle: "short", timeZone: "Asia/Tokyo" };
  assert.equal(inTokyo, new Intl.DateTimeFormat("en", format).format(new Date(datetime)).replace(/\s/g, " "));
  const [, without] = await shown({ javaScriptEnabled: false, timezoneId: "Asia/Tokyo" });
  assert.match(without, /^\w+ \d+, \d{4}, \d\d:\d\d UTC$/);
});

test("a browser whose session was continued elsewhere says so", async () => {
  const phoneNumber = "2127361246";
  const link = await sendPayout(phoneNumber, {});
  const begin = async (page) => {
    await page.goto(link);
    const before = (await messages(phoneNumber)).length;
    await askForCode(page, phoneNumber);
    await page.getByRole("heading", { level: 1, name: "Enter your code" }).waitFor();
    await giveCode(page, (await newestMessage(phoneNumber, (message) => message.code, before)).code);
    await arriveAt(page, "Where should we send it?");
  };
  await withBrowser({}, async (page) => {
    await begin(page);
    await withBrowser({ viewport: DESKTOP }, begin);
    await fillName(page);
    await giveBankAccount(page);
    await arriveAt(page, "Confirm it is you");
    assert.match(await page.getByRole("status").innerText(), /continued on another device/);
    await page.getByRole("button", { name: /^Text a code/ }).waitFor();
  });
});

test("who has only the link cannot go on for another", async () => {
  const phoneNumber = "2127361237";
  const link = await sendPayout(phoneNumber);
  await withBrowser({}, async (page) => {
    await page.goto(link);
    await askForCode(page, phoneNumber);
    await arriveAt(page, "Enter your code");
    await giveCode(page, await newestCode(phoneNumber));
    await arriveAt(page, "Your name");
  });
  await withBrowser({}, async (page) => {
    const text = async (path) => {
      await page.goto(link + path);
      return page.locator("h1").innerText();
    };
    for (const path of ["", "/profile", "/method", "/payout"]) {
      assert.ok(["Confirm it is you", "This link is already claimed"].includes(await text(path)), `open at ${path}`);
    }
  });
});

test("a link that nobody sent says so", () =>
  withBrowser({}, async (page) => {
    const response = await page.goto(`${bursar.baseUrl}/claim/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`);
    assert.equal(response.status(), 404);
    await arriveAt(page, "We do not recognize this link");
  }));

test("the inbox shows the message and its link leads to the claim", () =>
  withBrowser({ viewport: DESKTOP }, async (page) => {
    const phoneNumber = "2127361238";
    const link = await sendPayout(phoneNumber);
    await page.goto(`${bursar.baseUrl}/inbox`);
    await page.getByLabel("Phone number or email address").fill(`+1${phoneNumber}`);
    await press(page, "Show");
    await checkAccessibility(page, "inbox");
    assert.equal(await page.locator(".message").count(), 1);
    await page.getByRole("link", { name: link }).click();
    await arriveAt(page, "Confirm it is you");
  }));

test("the inbox shows a mail as its recipient sees it", () =>
  withBrowser({ viewport: PHONE }, async (page) => {
    const address = "mary@example.com";
    await bursar.api("POST", "/v2/payout-links", {
      amount: 2500,
      payee: { email: address },
      delivery: { method: "email" },
    });
    await page.goto(`${bursar.baseUrl}/inbox?to=${address}`);
    await page.getByRole("link", { name: "View as email" }).click();
    await page.getByText("$25.00", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Choose how to get paid" }).click();
    await arriveAt(page, "Confirm it is you");
  }));

test("the landing page and the reference open and are accessible", () =>
  withBrowser({ viewport: DESKTOP }, async (page) => {
    await page.goto(`${bursar.baseUrl}/`);
    await checkAccessibility(page, "landing");
    await page.getByRole("link", { name: "Read the reference" }).click();
    await arriveAt(page, "API reference");
    await page.getByLabel("Filter operations").fill("send-payout");
    const shown = page.locator(".operation-list li:visible");
    assert.equal(await shown.count(), 1);
    await shown.getByRole("link").click();
    await arriveAt(page, "Payouts");
    await page.locator("#send_payout").getByText("Python", { exact: true }).click();
    await page.getByText("bursar.send_payout(").waitFor();
  }));

test("a test payout is sent from the start page and followed to the bank", () =>
  withBrowser({ viewport: PHONE }, async (page) => {
    await page.goto(`${bursar.baseUrl}/`);
    await press(page, "Send a test payout");
    await page.getByRole("heading", { name: "$25.00 to +1212736" }).waitFor();
    await page.getByText("payout_link.sent").waitFor();
    await checkAccessibility(page, "test payout");
    await checkWidth(page, "test payout");
    const claim = await page.getByRole("link", { name: "Open the claim page as the payee" }).getAttribute("href");
    await press(page, "+1 day");
    await page.getByRole("heading", { name: "$25.00 to +1212736" }).waitFor();
    await page.goto(claim);
    await arriveAt(page, "Confirm it is you");
  }));
