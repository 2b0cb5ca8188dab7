export { Bursar, type BursarOptions, type Data } from "./client.js";
export { ApiError, BursarError, NoResponse, type ErrorBody, type ErrorDetails, type FieldError } from "./errors.js";
export { InvalidWebhook, verifyWebhook, type WebhookEvent } from "./webhooks.js";
export type { ErrorCode } from "./operations.js";
export type { components, operations, paths } from "./schema.js";
