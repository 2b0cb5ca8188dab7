// Every page in every state, as the gallery test of src/pages/views/gallery.rs wrote it (BURSAR_GALLERY=1), served with
// the policy that bursar sends. With BURSAR_SHOTS=1 the screens are kept in target/gallery/shots/, to be looked at.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { checkAccessibility, checkWidth, DESKTOP, openBrowser, PHONE } from "./kit.mjs";

const GALLERY = fileURLToPath(new URL("../../target/gallery/", import.meta.url));
const SHOTS = process.env.BURSAR_SHOTS;
const SMALLEST = { width: 320, height: 640 };
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

const assets = await readFile(new URL("../../src/pages/assets.rs", import.meta.url), "utf8");
const policy = assets.match(/CONTENT_SECURITY_POLICY: &str = "([^"]+)"/)[1].replace(/\\\s+/, "");

const pages = (await readdir(GALLERY).catch(() => [])).filter((name) => name.endsWith(".html"));

async function serveGallery() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://127.0.0.1").pathname;
    const bytes = await readFile(join(GALLERY, path)).catch(() => undefined);
    const type = TYPES[extname(path)] ?? "text/plain";
    response.writeHead(bytes ? 200 : 404, { "Content-Type": type, "Content-Security-Policy": policy });
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

test("the gallery was written", () => {
  assert.ok(pages.length > 20, "run BURSAR_GALLERY=1 cargo nextest run gallery first");
});

// Both widths and both colour schemes see axe-core once; the other screens only have to fit.
const screens = [
  { device: "phone", viewport: PHONE, colorScheme: "light", accessibility: true },
  { device: "phone", viewport: PHONE, colorScheme: "dark", accessibility: false },
  { device: "desktop", viewport: DESKTOP, colorScheme: "light", accessibility: false },
  { device: "desktop", viewport: DESKTOP, colorScheme: "dark", accessibility: true },
  { device: "smallest", viewport: SMALLEST, colorScheme: "light", accessibility: false },
];
for (const { device, viewport, colorScheme, accessibility } of screens) {
  test(`every page fits${accessibility ? " and is accessible" : ""}: ${device}, ${colorScheme}`, async () => {
    const gallery = await serveGallery();
    const browser = await openBrowser({ viewport, colorScheme });
    try {
      for (const name of pages) {
        await browser.page.goto(`${gallery.address}/${name}`);
        const where = `${name}, ${device}, ${colorScheme}`;
        if (accessibility) await checkAccessibility(browser.page, where);
        await checkWidth(browser.page, where);
        if (SHOTS) {
          const path = join(GALLERY, "shots", `${name.replace(".html", "")}-${device}-${colorScheme}.png`);
          await browser.page.screenshot({ path, fullPage: true });
        }
      }
    } finally {
      await browser.close();
      gallery.close();
    }
  });
}

test("the filter box narrows the reference", async () => {
  const gallery = await serveGallery();
  const browser = await openBrowser({ viewport: DESKTOP });
  try {
    await browser.page.goto(`${gallery.address}/reference.html`);
    const items = browser.page.locator(".operation-list li:visible");
    const all = await items.count();
    await browser.page.getByLabel("Filter operations").fill("delete user");
    assert.equal(await items.count(), 1);
    await browser.page.getByLabel("Filter operations").fill("");
    assert.equal(await items.count(), all);
  } finally {
    await browser.close();
    gallery.close();
  }
});
