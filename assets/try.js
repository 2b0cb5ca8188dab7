// "Try it" on the pages of the reference: a form for each operation that sends a request with the sandbox's own keys.
// The keys come from this server when a request is sent. It gives them to its own machine only; elsewhere no form appears.
"use strict";

const PLACEHOLDER = /\{(\w+)\}/g;

/** Returns a labeled field; `kind` is the element. */
function field(operation, name, kind, value) {
  const id = `try-${operation}-${name.replace(/\W/g, "-").toLowerCase()}`;
  const wrapper = document.createElement("div");
  wrapper.className = "field";
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = name;
  const input = document.createElement(kind);
  input.id = id;
  input.value = value;
  input.spellcheck = false;
  input.autocomplete = "off";
  if (kind === "textarea") input.rows = Math.min(value.split("\n").length + 1, 20);
  wrapper.append(label, input);
  return { wrapper, input };
}

function headersOf(article, keys) {
  const { tryAs, tryForApp, tryMethod } = article.dataset;
  const headers = {};
  if (tryAs !== "none") {
    const { client_id: id, api_key: key } = keys[tryAs];
    headers.Authorization = `Basic ${btoa(`${id}:${key}`)}`;
  }
  if (tryForApp !== undefined && tryAs === "organization") headers["Api-App-Id"] = keys.app.id;
  if (tryMethod === "POST") headers["Idempotency-Key"] = crypto.randomUUID();
  return headers;
}

function shown(response, text) {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  let body = text;
  try {
    body = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is no JSON: shown as it is.
  }
  return `HTTP ${response.status}\n${headers.join("\n")}\n\n${body}`;
}

function add(article) {
  const { tryPath, tryMethod, tryBody } = article.dataset;
  const details = document.createElement("details");
  details.className = "try";
  const summary = document.createElement("summary");
  summary.textContent = "Try it";
  const form = document.createElement("form");
  const values = [...tryPath.matchAll(PLACEHOLDER)].map(([, name]) => ({ name, ...field(article.id, name, "input", "") }));
  const query = field(article.id, "Query string", "input", "");
  const body = tryBody === undefined ? undefined : field(article.id, "Body", "textarea", tryBody);
  const send = document.createElement("button");
  send.className = "button-quiet";
  send.textContent = "Send";
  const result = document.createElement("pre");
  result.tabIndex = 0;
  result.hidden = true;
  result.setAttribute("role", "region");
  result.setAttribute("aria-live", "polite");
  result.setAttribute("aria-label", `Response of ${article.querySelector("h2").textContent}`);
  form.append(...values.map(({ wrapper }) => wrapper), query.wrapper, ...(body ? [body.wrapper] : []), send, result);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    const value = (name) => encodeURIComponent(values.find((one) => one.name === name).input.value.trim());
    const asked = query.input.value.trim().replace(/^\?/, "");
    const address = tryPath.replace(PLACEHOLDER, (_, name) => value(name)) + (asked && `?${asked}`);
    try {
      const headers = headersOf(article, await keysOfSandbox());
      const request = { method: tryMethod, headers, cache: "no-store" };
      if (body) {
        headers["Content-Type"] = "application/json";
        request.body = body.input.value;
      }
      const response = await fetch(address, request);
      result.textContent = shown(response, await response.text());
    } catch (error) {
      result.textContent = `No response: ${error.message}`;
    }
    result.hidden = false;
    send.disabled = false;
  });
  details.append(summary, form);
  article.querySelector("h3").before(details);
}

let keys;

async function keysOfSandbox() {
  if (keys === undefined) {
    const answer = await fetch("/sandbox/keys", { headers: { Accept: "application/json" } });
    if (answer.status !== 200) throw new Error("this server does not give its keys to this browser");
    keys = await answer.json();
  }
  return keys;
}

if (["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)) {
  document.querySelectorAll("[data-try-path]").forEach(add);
}
