// Generated from openapi.json by `make sdk`. Do not edit.

/** The codes of refusals. A newer server may send others. */
export type ErrorCode =
  | "already-claimed"
  | "app-id-required"
  | "batch-already-processed"
  | "delivery-limit-reached"
  | "idempotency-key-reused"
  | "transaction-insufficient-funds"
  | "internal-error"
  | "invalid-email"
  | "invalid-input"
  | "invalid-phone-number"
  | "invalid-ssn"
  | "invalid-state"
  | "limit-exceeded"
  | "link-canceled"
  | "link-expired"
  | "member-proof-required"
  | "not-found"
  | "not-permitted"
  | "organization-key-required"
  | "outcome-unknown"
  | "payload-too-large"
  | "rate-limited"
  | "resource-busy"
  | "second-factor-required"
  | "secret-key-required"
  | "self-approval"
  | "service-unavailable"
  | "unauthorized"
  | "unsupported-media-type"
  | "user-has-balance"
  | "user-in-another-app"
  | "user-inactive"
  | "user-info-missing"
  | "verification-locked"
  | "wrong-environment"
  | "wrong-token";

/** The paths whose POST takes an idempotency key. */
export const KEYED: ReadonlySet<string> = new Set([
  "/v2/apps",
  "/v2/apps/{app_id}/keys",
  "/v2/members",
  "/v2/member-sessions/current/password",
  "/v2/member-sessions/current/totp",
  "/v2/member-sessions/current/totp/confirm",
  "/v2/members/{member_id}/set-up-token",
  "/v2/users",
  "/v2/users/connect",
  "/v2/users/{user_id}/send-verification-token",
  "/v2/users/{user_id}/verify",
  "/v2/verifications/unlock",
  "/v2/users/{user_id}/screening/clear",
  "/v2/users/{user_id}/screening/confirm",
  "/v2/payouts/send-payout",
  "/v2/payouts",
  "/v2/transfers/{transfer_id}/approve",
  "/v2/transfers/{transfer_id}/cancel",
  "/v2/payout-links",
  "/v2/payout-links/{payout_link_id}/redeliver",
  "/v2/payout-requests",
  "/v2/payout-requests/{payout_request_id}/approve",
  "/v2/payout-requests/{payout_request_id}/reject",
  "/v2/payout-link-batches",
  "/v2/claims/{token}/contact",
  "/v2/claims/{token}/code",
  "/v2/claims/{token}/profile",
  "/v2/claims/{token}/compliance",
  "/v2/claims/{token}/method",
  "/v2/claims/{token}/payout",
  "/v2/claims/{token}/end",
  "/v2/claims/{token}/contact-change",
  "/v2/claims/{token}/contact-change/confirm",
  "/v2/claims/{token}/new-link",
  "/v2/transfers",
  "/v2/apps/{app_id}/deposit",
  "/v2/apps/{app_id}/withdraw",
  "/v2/organization-transfers",
  "/v2/payment-customers",
  "/v2/payment-customers/{customer_id}/bank-accounts",
  "/v2/payments",
  "/v2/accounts-payable/payables",
  "/v2/accounts-payable/payables/{payable_id}/submit-for-approval",
  "/v2/accounts-payable/payables/{payable_id}/cancel",
  "/v2/accounts-payable/payables/{payable_id}/file",
  "/v2/accounts-payable/payables/{payable_id}/approve",
  "/v2/accounts-payable/payables/{payable_id}/reject",
  "/v2/accounts-payable/payables/{payable_id}/pay",
  "/v2/accounts-payable/vendors",
  "/v2/accounts-payable/vendors/{vendor_id}/payment-methods",
  "/v2/accounts-payable/vendors/{vendor_id}/payment-methods/{payment_method_id}/confirm",
  "/v2/accounts-payable/approval-policies",
  "/v2/bank/connections",
  "/v2/bank/connections/{bank_connection_id}/test",
  "/v2/bank/connections/{bank_connection_id}/approve",
  "/v2/bank/connections/{bank_connection_id}/pause",
  "/v2/bank/connections/{bank_connection_id}/resume",
  "/v2/bank/pause",
  "/v2/bank/originators",
  "/v2/bank/originators/{originator_id}/approve",
  "/v2/bank/originators/{originator_id}/end",
  "/v2/bank/settlement-accounts",
  "/v2/bank/settlement-accounts/{settlement_account_id}/approve",
  "/v2/bank/providers",
  "/v2/bank/providers/{rail_provider_id}/approve",
  "/v2/bank/providers/{rail_provider_id}/rotate-secret",
  "/v2/bank/providers/{rail_provider_id}/end",
  "/v2/bank/routes",
  "/v2/bank/routes/{rail_route_id}/approve",
  "/v2/bank/routes/{rail_route_id}/end",
  "/v2/bank/provider-payments/{transfer_id}/decide",
  "/v2/bank/files/{bank_file_id}/release",
  "/v2/bank/files/{bank_file_id}/mark-sent",
  "/v2/bank/files/{bank_file_id}/mark-unsent",
  "/v2/bank/files/{bank_file_id}/decide",
  "/v2/bank/files/{bank_file_id}/redate",
  "/v2/bank/files/{bank_file_id}/cancel",
  "/v2/bank/files/{bank_file_id}/reverse",
  "/v2/bank/reversals/{bank_reversal_id}/approve",
  "/v2/bank/reversals/{bank_reversal_id}/dismiss",
  "/v2/bank/inbound-files",
  "/v2/bank/inbound-files/{inbound_file_id}/replay",
  "/v2/bank/inbound-files/{inbound_file_id}/discard",
  "/v2/bank/items/{bank_item_id}/match",
  "/v2/bank/items/{bank_item_id}/approve",
  "/v2/bank/items/{bank_item_id}/ignore",
  "/v2/bank/items/{bank_item_id}/assign",
  "/v2/bank/items/{bank_item_id}/write-off",
  "/v2/bank/items/{bank_item_id}/explain",
  "/v2/bank/settlement-accounts/{settlement_account_id}/end",
  "/v2/bank/statements/{bank_statement_id}/confirm",
  "/v2/bank/statements/{bank_statement_id}/discard",
  "/v2/bank/statements/{bank_statement_id}/restore",
  "/v2/webhook-endpoints",
  "/v2/webhook-endpoints/{webhook_endpoint_id}/rotate-secret",
  "/v2/webhook-endpoints/{webhook_endpoint_id}/test",
  "/v2/webhook-endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/replay",
  "/v2/sandbox/clock/advance",
  "/v2/sandbox/replies",
]);
