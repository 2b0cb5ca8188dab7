// Verifies webhooks: the Standard Webhooks signature, HMAC-SHA256 over the id, the time and the body.

import { createHmac, timingSafeEqual } from "node:crypto";

import { BursarError } from "./errors.js";
import type { components } from "./schema.js";

/** An event, as an endpoint receives it. */
export type WebhookEvent = components["schemas"]["Event"];

/** The request is not a webhook of this endpoint. Answer it with status 400, and do not use it. */
export class InvalidWebhook extends BursarError {
  override name = "InvalidWebhook";
}

type Headers = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * Returns the event of a webhook. Throws `InvalidWebhook` if the signature or the time is wrong.
 *
 * `secret` is the `whsec_…` of the endpoint and `body` what was received, unchanged. Store `webhook-id` to process each
 * event once. `tolerance` is in seconds.
 */
export function verifyWebhook(
  secret: string,
  headers: Headers,
  body: string | Uint8Array,
  { tolerance = 300, now = Date.now() / 1000 }: { tolerance?: number; now?: number } = {},
): WebhookEvent {
  const [id, sentAt, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
  if (!id || !sentAt || !signatures || !/^\d+$/.test(sentAt)) {
    throw new InvalidWebhook("a webhook header is missing or malformed");
  }
  const age = now - Number(sentAt);
  if (Math.abs(age) > tolerance) throw new InvalidWebhook(`the webhook is ${Math.round(age)} seconds old`);
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${sentAt}.`).update(body).digest();
  const isValid = signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return signature.startsWith("v1,") && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isValid) throw new InvalidWebhook("no signature of the webhook is valid");
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent;
}

function header(headers: Headers, name: string): string | undefined {
  if (typeof headers.get === "function") return (headers as { get(name: string): string | null }).get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : (found as string | undefined);
}
