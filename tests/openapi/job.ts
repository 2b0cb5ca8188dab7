// Pays a person in a sandbox with the client that hey-api generated; this file is compiled in the client's folder.
// BURSAR_URL is the sandbox's address, BURSAR_KEY is `<client_id>:<api_key>`.

import { client } from "./client.gen";
import {
  advanceSandboxClock,
  chooseClaimMethod,
  fillClaimProfile,
  giveClaimContact,
  listSandboxMessages,
  listTransfers,
  payClaimOut,
  proveClaimContact,
  sendPayout,
} from "./sdk.gen";

declare const process: { env: Record<string, string | undefined>; exitCode?: number };

const payee = { country_code: "1", phone_number: "2127364003" };
const TWO_DAYS_SECONDS = 172_800;

function must<Data>(answer: { data?: Data; error?: unknown }): Data {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

function same(actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const newest = async () => must(await listSandboxMessages({ query: { to: "+12127364003", limit: 1 } })).data[0];

async function job(): Promise<void> {
  client.setConfig({ baseUrl: process.env.BURSAR_URL, auth: () => process.env.BURSAR_KEY });
  const sent = must(await sendPayout({ body: { amount: 1000, payee } }));
  must(await advanceSandboxClock({ body: { seconds: 1 } }));

  const path = { token: (await newest())?.link?.split("/").at(-1) ?? "" };
  must(await giveClaimContact({ path, body: payee }));
  must(await advanceSandboxClock({ body: { seconds: 1 } }));
  const proven = must(await proveClaimContact({ path, body: { token: (await newest())?.code ?? "" } }));
  const headers = { "Claim-Session": proven.session ?? "" };
  must(await fillClaimProfile({ path, headers, body: { first_name: "Ada", last_name: "Lovelace" } }));
  const account = { platform: "ach", routing_number: "110000000", account_number: "000123456789" } as const;
  must(await chooseClaimMethod({ path, headers, body: account }));
  const paid = must(await payClaimOut({ path, headers, body: {} }));
  same(paid.remaining_amount, 0);

  must(await advanceSandboxClock({ body: { seconds: TWO_DAYS_SECONDS } }));
  const transfers = must(await listTransfers({ query: { type: "payout", user_id: undefined, limit: 1 } }));
  same([transfers.data[0]?.id, transfers.data[0]?.status], [paid.transfer?.id, "completed"]);
  same(transfers.data[0]?.payout_link_id, sent.id);

  const refused = await sendPayout({ body: { amount: 9_999_999_999, payee } });
  same(refused.error?.error_code, "transaction-insufficient-funds");
}

job().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
