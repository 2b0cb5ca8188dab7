// What a call throws.

import type { ErrorCode } from "./operations.js";

/** An error of one field. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** Any error of this package. */
export class BursarError extends Error {
  override name = "BursarError";
}

/**
 * No response arrived, also after retries. The request may have taken effect: call again with the same
 * `Idempotency-Key` to find out. A request is executed once per key.
 */
export class NoResponse extends BursarError {
  override name = "NoResponse";

  constructor(message: string, readonly idempotencyKey: string | undefined, cause: unknown) {
    super(message, { cause });
  }
}

/** The server refused the request. */
export class ApiError extends BursarError {
  override name = "ApiError";
  /** The code for programs. A newer server may send other codes. */
  readonly code: ErrorCode | (string & {});
  /** The invalid fields. */
  readonly errors: FieldError[];

  constructor(
    readonly status: number,
    readonly body: { message?: string; error_code?: string; errors?: FieldError[] },
    readonly requestId: string | undefined,
    readonly idempotencyKey: string | undefined,
  ) {
    super(body.message ?? `HTTP status ${status}`);
    this.code = body.error_code ?? "";
    this.errors = body.errors ?? [];
  }

  /** Returns whether an error is a refusal with this code. */
  static is(error: unknown, code: ErrorCode): error is ApiError {
    return error instanceof ApiError && error.code === code;
  }
}
