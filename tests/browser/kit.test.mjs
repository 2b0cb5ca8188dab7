// The kit's own rules, broken on purpose: a check that cannot fail proves nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { checkAccessibility, checkWidth, openBrowser } from "./kit.mjs";

const PAGE = (body) => `<!doctype html><html lang="en"><title>t</title><main><h1>t</h1>${body}</main></html>`;

test("a field without a label is found", async () => {
  const { page, close } = await openBrowser();
  await page.setContent(PAGE("<input>"));
  await assert.rejects(checkAccessibility(page, "a bad page"), /label/);
  await page.setContent(PAGE('<label for="a">A</label><input id="a">'));
  await checkAccessibility(page, "a good page");
  await close();
});

test("targets that are too small to touch are found", async () => {
  const { page, close } = await openBrowser();
  const buttons = (size) => ["a", "b"].map((name) => `<button style="width:${size}px;height:${size}px">${name}</button>`).join("");
  await page.setContent(PAGE(`<div style="font-size:8px">${buttons(12)}</div>`));
  await assert.rejects(checkAccessibility(page, "small buttons"), /target-size/);
  await page.setContent(PAGE(buttons(44)));
  await checkAccessibility(page, "large buttons");
  await close();
});

test("a page wider than the screen is found", async () => {
  const { page, close } = await openBrowser();
  await page.setContent(PAGE('<p style="width: 900px">wide</p>'));
  await assert.rejects(checkWidth(page, "a wide page"), /900|sideways|wide on a screen/);
  await close();
});

test("a request to another host is found", async () => {
  const { page, close } = await openBrowser();
  // The name is reserved for never existing; asking is what counts, nothing has to answer.
  await page.setContent(PAGE('<img alt="" src="http://elsewhere.invalid/pixel.png">'));
  await assert.rejects(close(), /another host/);
});

test("a broken content security policy is found", async () => {
  const { page, close } = await openBrowser();
  const policy = `<meta http-equiv="Content-Security-Policy" content="style-src 'self'">`;
  await page.goto(`data:text/html,${encodeURIComponent(policy + PAGE('<p style="color: red">red</p>'))}`);
  await assert.rejects(close(), /Content Security Policy/);
});
