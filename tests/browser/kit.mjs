// The base of every browser test: a real browser with an empty profile, a running bursar, and two rules that hold
// on every page of every test: nothing is asked of another host, and axe-core finds no violation.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const CHROMIUM = process.env.BURSAR_CHROMIUM ?? "/usr/bin/chromium";
const START_SECONDS_MAX = 60;
const WAIT_MILLISECONDS_MAX = 10_000;

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * A browser with a fresh profile. `page` is its only page; `close()` fails the test when a page asked anything of
 * another host, broke its content security policy or threw an error.
 */
export async function openBrowser({ viewport = PHONE, javaScriptEnabled = true, colorScheme = "light", locale = "en-US", timezoneId } = {}) {
  const profile = await mkdtemp(join(tmpdir(), "bursar-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    viewport,
    javaScriptEnabled,
    colorScheme,
    locale,
    timezoneId,
    reducedMotion: "reduce",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  context.setDefaultTimeout(WAIT_MILLISECONDS_MAX);

  const requests = [];
  const faults = [];
  context.on("request", (request) => requests.push(request.url()));
  context.on("weberror", (error) => faults.push(`error in a page: ${error.error()}`));
  context.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  });

  const page = context.pages()[0] ?? (await context.newPage());
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
    assert.deepEqual(requests.filter(leavesThisMachine), [], "a page asked something of another host");
    assert.deepEqual(faults, []);
  };
  return { page, requests, close };
}

function leavesThisMachine(address) {
  const url = new URL(address);
  return !["data:", "blob:", "about:"].includes(url.protocol) && url.hostname !== "127.0.0.1";
}

/** The rules of WCAG 2.2 at level AA, and the best practices that axe-core knows. */
const RULES = {
  runOnly: {
    type: "tag",
    values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
  },
  // It is off unless it is named.
  rules: { "target-size": { enabled: true } },
};

/** Fails with the rule and the element for each thing that axe-core finds wrong with the page. */
export async function checkAccessibility(page, where) {
  // A page in which something is selected does not reload itself.
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("h1")));
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate((rules) => globalThis.axe.run(rules), RULES);
  const found = violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${violation.help}: ${node.html} ${node.failureSummary}`),
  );
  assert.deepEqual(found, [], `axe-core on ${where}`);
}

/** Fails when the page is wider than the screen: a reader must not have to scroll sideways. */
export async function checkWidth(page, where) {
  const [needed, given] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(needed <= given, `${where} is ${needed} px wide on a screen of ${given} px`);
}

/** Moves the focus with the Tab key until it is on the element. */
export async function tabTo(page, locator) {
  const TABS_MAX = 60;
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${locator} cannot be reached with the Tab key`);
}

/**
 * A bursar with an empty data folder on a free port. `api` calls it with the demonstration app's key and gives the
 * JSON answer; `stop` ends it and removes the folder.
 */
export async function startBursar() {
  const binary = process.env.BURSAR_BIN ?? join(PROJECT, "target/release/bursar");
  const folder = await mkdtemp(join(tmpdir(), "bursar-data-"));
  const child = spawn(binary, ["serve", "--data-dir", folder, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = [];
  child.stderr.on("data", (chunk) => log.push(chunk));
  const exited = new Promise((resolve) => child.once("close", resolve));

  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const baseUrl = await listeningAddress(child);
    const credentials = JSON.parse(await readFile(join(folder, "sandbox-credentials.json"), "utf8"));
    return { baseUrl, credentials, api: caller(baseUrl, credentials.app), stop };
  } catch (error) {
    await stop();
    throw new Error(`${binary} did not start: ${error.message}\n${Buffer.concat(log)}`);
  }
}

/** The address on the line `listening on http://127.0.0.1:<port>`. */
function listeningAddress(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`silent for ${START_SECONDS_MAX} s`)), START_SECONDS_MAX * 1000);
    const settle = (act, value) => {
      clearTimeout(timer);
      act(value);
    };
    child.once("error", (error) => settle(reject, error));
    child.once("exit", (code) => settle(reject, new Error(`ended with code ${code}`)));
    // The lines are read to the end: a full pipe would stop the program.
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = line.match(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
      if (found) settle(resolve, found[1]);
    });
  });
}

function caller(baseUrl, app) {
  const token = Buffer.from(`${app.client_id}:${app.api_key}`).toString("base64url");
  return async (method, path, body) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { Authorization: `Basic ${token}`, ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path} answered ${response.status}: ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
}
