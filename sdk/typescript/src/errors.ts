// What a call throws.

import type { ErrorCode } from "./operations.js";

/** An error of one field. */
export interface FieldError {
  field: string;
  code: string;
  /** The rule that the field broke, if it has a name: `field-required`. */
  reason?: string;
  message: string;
}

/** The body of an error. */
export interface ErrorBody {
  message?: string;
  error_code?: string;
  reason?: string;
  details?: ErrorDetails;
  errors?: FieldError[];
  request_id?: string;
  doc_url?: string;
}

/** Values of an error for programs; a newer server may send more. */
export interface ErrorDetails {
  current_status?: string;
  allowed_statuses?: string[];
  limit?: string;
  maximum?: number;
  available?: number;
  missing?: number;
  nearest_path?: string;
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
  /** The rule within the code, if it has a name: `field-required`. A newer server may send other reasons. */
  readonly reason: string | undefined;
  /** Values for programs, such as the status and the statuses that would be allowed. */
  readonly details: ErrorDetails;
  /** The invalid fields. */
  readonly errors: FieldError[];
  readonly requestId: string | undefined;
  /** The page of the server about the code. */
  readonly docUrl: string | undefined;

  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    requestId: string | undefined,
    readonly idempotencyKey: string | undefined,
  ) {
    super(body.message ?? `HTTP status ${status}`);
    this.code = body.error_code ?? "";
    this.reason = body.reason;
    this.details = body.details ?? {};
    this.errors = body.errors ?? [];
    this.requestId = requestId ?? body.request_id;
    this.docUrl = body.doc_url;
  }

  /** Returns whether an error is a refusal with this code. */
  static is(error: unknown, code: ErrorCode): error is ApiError {
    return error instanceof ApiError && error.code === code;
  }
}
