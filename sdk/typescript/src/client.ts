// The client: authentication, idempotency keys, retries, errors, pages.

import createClient, { type Client, type FetchResponse, type MaybeOptionalInit, type Middleware } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";

import { ApiError, NoResponse } from "./errors.js";
import { KEYED } from "./operations.js";
import type { paths } from "./schema.js";

const RETRIED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
// Milliseconds. The wait doubles with each retry, up to the largest.
const WAIT_FIRST = 500;
const WAIT_MAX = 30_000;

export interface BursarOptions {
  /** For example `http://127.0.0.1:8080`. */
  baseUrl?: string;
  clientId?: string;
  /** The secret key. Only on a server: a browser must not have it. */
  apiKey?: string;
  /** The app that an organization key acts on. */
  appId?: string;
  /** The session of a signed-in member. */
  memberSession?: string;
  /** How often a request is sent again, at most; 4 by default. */
  retries?: number;
  /** Milliseconds for one attempt; 35,000 by default. */
  timeout?: number;
  fetch?: typeof globalThis.fetch;
  sleep?: (milliseconds: number) => Promise<void>;
}

type Init<P extends keyof paths, M extends HttpMethod & keyof paths[P]> = MaybeOptionalInit<paths[P], M>;
type Arguments<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];

/** The body of the successful response of an operation. */
export type Data<P extends keyof paths, M extends HttpMethod> = paths[P] extends Record<M, infer Operation>
  ? Operation extends Record<string | number, any>
    ? NonNullable<FetchResponse<Operation, object, "application/json">["data"]>
    : never
  : never;

/** The lists with pages, whose cursor is the id of an object. */
type Listed<P extends PathsWithMethod<paths, "get">> =
  Data<P, "get"> extends { has_more: boolean; data: (infer Item extends { id: string })[] } ? Item : never;

/** A client of one bursar server. */
export class Bursar {
  readonly #client: Client<paths, "application/json">;
  readonly #options: BursarOptions;

  constructor(options: BursarOptions = {}) {
    this.#options = options;
    this.#client = createClient<paths, "application/json">({
      baseUrl: options.baseUrl ?? "http://127.0.0.1:8080",
      fetch: (request) => this.#send(request),
    });
    this.#client.use(this.#headers());
  }

  get<P extends PathsWithMethod<paths, "get">>(path: P, ...init: Arguments<Init<P, "get">>): Promise<Data<P, "get">> {
    return this.#data("get", path, init[0]);
  }

  post<P extends PathsWithMethod<paths, "post">>(path: P, ...init: Arguments<Init<P, "post">>): Promise<Data<P, "post">> {
    return this.#data("post", path, init[0]);
  }

  put<P extends PathsWithMethod<paths, "put">>(path: P, ...init: Arguments<Init<P, "put">>): Promise<Data<P, "put">> {
    return this.#data("put", path, init[0]);
  }

  patch<P extends PathsWithMethod<paths, "patch">>(
    path: P,
    ...init: Arguments<Init<P, "patch">>
  ): Promise<Data<P, "patch">> {
    return this.#data("patch", path, init[0]);
  }

  delete<P extends PathsWithMethod<paths, "delete">>(
    path: P,
    ...init: Arguments<Init<P, "delete">>
  ): Promise<Data<P, "delete">> {
    return this.#data("delete", path, init[0]);
  }

  /** Yields the objects of all pages of a list. */
  async *iterate<P extends PathsWithMethod<paths, "get">>(
    path: P,
    ...init: Arguments<Init<P, "get">>
  ): AsyncGenerator<Listed<P>, void, undefined> {
    const given = (init[0] ?? {}) as { params?: { query?: Record<string, unknown> } };
    let after: string | undefined;
    for (;;) {
      const query = { ...given.params?.query, ...(after === undefined ? {} : { starting_after: after }) };
      const page = (await this.#data("get", path, { ...given, params: { ...given.params, query } })) as {
        has_more: boolean;
        data: Listed<P>[];
      };
      yield* page.data;
      after = (page.data.at(-1) as { id: string } | undefined)?.id;
      if (!page.has_more || after === undefined) return;
    }
  }

  async #data(method: HttpMethod, path: string, init: unknown): Promise<any> {
    const { data } = await (this.#client.request as any)(method, path, init);
    return data;
  }

  /** Sets the headers of a request, and turns refusals into errors. */
  #headers(): Middleware {
    const { clientId, apiKey, appId, memberSession } = this.#options;
    return {
      onRequest({ request, schemaPath }) {
        const set = (name: string, value: string | undefined) => {
          if (value !== undefined && !request.headers.has(name)) request.headers.set(name, value);
        };
        set("Authorization", clientId && `Basic ${btoa(`${clientId}:${apiKey ?? ""}`)}`);
        set("Api-App-Id", appId);
        set("Member-Session", memberSession);
        if (request.method === "POST" && KEYED.has(schemaPath)) set("Idempotency-Key", crypto.randomUUID());
      },
      async onResponse({ request, response }) {
        if (response.ok) return;
        const requestId = response.headers.get("X-Request-Id") ?? undefined;
        throw new ApiError(response.status, await bodyOf(response), requestId, keyOf(request));
      },
    };
  }

  /** Sends a request, and again if no response arrives or the server is busy, where that is safe. */
  async #send(request: Request): Promise<Response> {
    const { fetch = globalThis.fetch, retries = 4, timeout = 35_000, sleep = wait } = this.#options;
    // Without a key, a second POST could have a second effect.
    const last = request.method !== "POST" || keyOf(request) !== undefined ? retries : 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
        const response = await fetch(new Request(request.clone(), { signal }));
        if (attempt === last || !(await isRetried(response))) return response;
        await sleep(milliseconds(attempt, response.headers.get("Retry-After")));
      } catch (error) {
        if (request.signal.aborted) throw error;
        if (attempt === last) throw new NoResponse(`${request.method} ${request.url}: ${error}`, keyOf(request), error);
        await sleep(milliseconds(attempt, null));
      }
    }
  }
}

function keyOf(request: Request): string | undefined {
  return request.headers.get("Idempotency-Key") ?? undefined;
}

async function bodyOf(response: Response): Promise<{ error_code?: string }> {
  try {
    return (await response.clone().json()) as { error_code?: string };
  } catch {
    return {};
  }
}

async function isRetried(response: Response): Promise<boolean> {
  if (response.status === 409) return (await bodyOf(response)).error_code === "resource-busy";
  return RETRIED.has(response.status);
}

/** Returns the wait that the server asks for, else a random part of a doubling wait. */
function milliseconds(attempt: number, retryAfter: string | null): number {
  if (retryAfter !== null && /^\d+$/.test(retryAfter)) return Math.min(Number(retryAfter) * 1000, WAIT_MAX);
  return (0.5 + Math.random() / 2) * Math.min(WAIT_FIRST * 2 ** attempt, WAIT_MAX);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
