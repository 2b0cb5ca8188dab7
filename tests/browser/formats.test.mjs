// The formats of languages are compared with the library ICU that is part of Node: amounts, days, plurals, countries.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const LANGUAGES = ["en", "es", "fr", "de", "pt", "ar"];
const folder = new URL("../../crates/base/languages/", import.meta.url);

/** The values of the table [formats]: texts, numbers and lists of texts. */
async function formats(language) {
  const toml = await readFile(new URL(`${language}.toml`, folder), "utf8");
  const lines = toml.slice(toml.indexOf("[formats]")).split("\n").slice(1).filter(Boolean);
  return Object.fromEntries(lines.map((line) => {
    const [name, ...value] = line.split(" = ");
    return [name, JSON.parse(value.join(" = "))];
  }));
}

const fill = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function written({ group, group_from, decimal, money }, cents) {
  const [whole, part] = [String(Math.trunc(cents / 100)), String(cents % 100).padStart(2, "0")];
  const grouped = whole.length < group_from ? whole : whole.replace(/\B(?=(\d{3})+$)/g, group);
  return fill(money, { amount: `${grouped}${decimal}${part}` });
}

for (const language of LANGUAGES) {
  const utc = { timeZone: "UTC", numberingSystem: "latn" };

  test(`amounts of ${language} are those of ICU`, async () => {
    const own = await formats(language);
    const icu = new Intl.NumberFormat(language, { style: "currency", currency: "USD", numberingSystem: "latn" });
    for (const cents of [0, 5, 100, 99_999, 123_456, 1_234_567, 123_456_789, 9_999_999_999]) {
      // The mark at the end keeps the dollar sign on the right of "US" in a line of Arabic; ICU has none.
      assert.equal(written(own, cents).replace(/\u200e$/, ""), icu.format(cents / 100));
    }
  });

  test(`days of ${language} are those of ICU`, async () => {
    const own = await formats(language);
    for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2027, 0, 1); day += 86_400_000) {
      const date = new Date(day);
      const values = {
        weekday: own.weekdays[(date.getUTCDay() + 6) % 7],
        month: own.months[date.getUTCMonth()],
        day: date.getUTCDate(),
        year: date.getUTCFullYear(),
      };
      const icu = (parts) => new Intl.DateTimeFormat(language, { ...utc, ...parts }).format(date);
      const month_day = { month: "long", day: "numeric" };
      assert.equal(fill(own.weekday_day, values), icu({ weekday: "long", ...month_day }));
      assert.equal(fill(own.month_day, values), icu(month_day));
      assert.equal(fill(own.day_of_year, values), icu({ ...month_day, year: "numeric" }));
    }
  });

  test(`plural forms of ${language} are those of ICU`, async () => {
    const own = await formats(language);
    const icu = new Intl.PluralRules(language);
    const used = new Set(Array.from({ length: 201 }, (_, count) => icu.select(count)));
    assert.deepEqual(new Set(own.plurals), used);
  });

  if (language !== "en") {
    test(`countries of ${language} have the names of ICU, in the order of its alphabet`, async () => {
      const list = await readFile(new URL(`countries-${language}.txt`, folder), "utf8");
      const rows = list.trimEnd().split("\n").map((line) => [line.slice(0, 2), line.slice(3)]);
      const names = new Intl.DisplayNames(language, { type: "region" });
      const { compare } = new Intl.Collator(language);
      assert.deepEqual(rows, rows.map(([code]) => [code, names.of(code)]));
      assert.deepEqual(rows, rows.toSorted(([, left], [, right]) => compare(left, right)));
    });
  }
}
