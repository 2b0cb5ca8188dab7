// The scripts of the claim. Every page works without this file: it fills in the code of a text message, continues after
// the sixth digit, names the bank of a routing number, continues when both account numbers are the same, shows moments in
// the zone of the browser, loads the page again while money is under way, and prints.
"use strict";

for (const part of document.querySelectorAll("[data-script]")) part.hidden = false;

for (const time of document.querySelectorAll("time[datetime]")) {
  const form = { dateStyle: "long", timeStyle: "short", calendar: "gregory", numberingSystem: "latn" };
  const shown = new Intl.DateTimeFormat(document.documentElement.lang, form).format(new Date(time.dateTime));
  (time.querySelector("bdi") ?? time).textContent = shown;
}

// An error is shown once: a reload of the page shows the form without it.
const address = new URL(location);
if (address.searchParams.has("refused")) {
  address.searchParams.delete("refused");
  history.replaceState(null, "", address);
}

const code = document.querySelector(".code-form input[name='token']");
if (code) {
  let sent = false;
  const finish = () => {
    if (sent || !/^\s*(\d\s*){6}$/.test(code.value)) return;
    sent = true;
    code.form.requestSubmit();
  };
  code.addEventListener("input", finish);
  // A page out of the browser's history takes a code again.
  addEventListener("pageshow", () => { sent = false; });

  if ("OTPCredential" in window) {
    const stop = new AbortController();
    code.form.addEventListener("submit", () => stop.abort());
    const fill = (message) => {
      code.value = message.code;
      finish();
    };
    navigator.credentials.get({ otp: { transport: ["sms"] }, signal: stop.signal }).then(fill, () => {});
  }
}

const bank = document.querySelector(".bank-form");
if (bank) {
  const names = new Map(bank.dataset.banks.split(";").map((pair) => pair.split("=")));
  const routing = bank.querySelector("input[name='routing_number']");
  const name = bank.querySelector(".bank-name");
  const show = () => { name.textContent = names.get(routing.value.replace(/\s/g, "")) ?? ""; };
  routing.addEventListener("input", show);
  show();

  // The account number is typed twice. When both are the same, nothing is left to type.
  const number = bank.querySelector("input[name='account_number']");
  const again = bank.querySelector("input[name='confirm_account_number']");
  const digits = (input) => input.value.replace(/[\s-]/g, "");
  let sent = false;
  again.addEventListener("input", () => {
    const isFull = [...bank.querySelectorAll("input[aria-required]")].every((input) => input.value.trim() !== "");
    const isSame = digits(again) === digits(number) && /^\d{4,17}$/.test(digits(again));
    if (sent || !isFull || !isSame || !/^\d{9}$/.test(digits(routing))) return;
    sent = true;
    bank.requestSubmit();
  });
  addEventListener("pageshow", () => { sent = false; });
}

const underWay = document.querySelector("[data-refresh]");
if (underWay) {
  const again = () => {
    // A page in the background waits until it is shown.
    if (document.hidden) document.addEventListener("visibilitychange", () => location.reload(), { once: true });
    else location.reload();
  };
  setTimeout(again, Number(underWay.dataset.refresh) * 1000);
}

document.querySelector("[data-print]")?.addEventListener("click", () => print());
