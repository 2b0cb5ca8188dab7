# Generated from openapi.json by `make sdk`. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


AccountType: TypeAlias = Literal['checking', 'savings']


class AccountingData(TypedDict):
    """
    References into your accounting.
    """

    ledger_account_id: int | None
    ledger_class_id: int | None


class AccountingInput(TypedDict):
    ledger_account_id: NotRequired[int | None]
    ledger_class_id: NotRequired[int | None]


AcknowledgementKind: TypeAlias = Literal['none', 'text', 'status_report']


ActionKind: TypeAlias = Literal['create', 'update', 'cancel', 'submit_for_approval', 'approve', 'reject', 'initiate_payment', 'retry_payment']


class AddRailRouteRequest(TypedDict):
    acting_user_id: str
    platform: Literal['ach', 'wallet_a', 'wallet_b', 'prepaid_card_a', 'gift_card_a', 'wallet_c', 'intl_bank', 'intl_transfer', 'bank_transfer', 'wire', 'wallet_d', 'wallet_e', 'crypto', 'push_to_card', 'rtp']
    currency: Literal['USD']
    from_on: str
    bank_connection_id: NotRequired[str | None]
    originator_id: NotRequired[str | None]
    settlement_account_id: NotRequired[str | None]
    rail_provider_id: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class AddressInput(TypedDict):
    postcode: str
    city: str
    state: str
    country: str
    line_1: str
    line_2: NotRequired[str | None]
    line_3: NotRequired[str | None]


class AdvanceSandboxClockRequest(TypedDict):
    seconds: int
    idempotency_key: NotRequired[str | None]


class AdvancedClock(TypedDict):
    """
    The clock after a move.
    """

    now: str
    ahead_seconds: int
    drained: bool


AlarmKind: TypeAlias = Literal['stopped', 'unsent', 'in_doubt', 'rejected', 'contested', 'not_acknowledged', 'unbooked', 'not_covered', 'near_limit', 'statement_missing', 'statement_stopped', 'suspense', 'unreachable', 'quarantined', 'unmatched', 'return_rate']


Alike: TypeAlias = Literal['same', 'similar', 'sounds_alike', 'initial']


AmountForm: TypeAlias = Literal['dollars', 'cents']


class AppComplianceAddress(TypedDict):
    """
    A director's home address.
    """

    city: str | None
    line1: str | None
    line2: str | None
    state: str | None
    zip: str | None
    country: str | None


class AppComplianceContact(TypedDict):
    """
    The company's contact data.
    """

    city: str | None
    country: str | None
    email: str | None
    line1: str | None
    line2: str | None
    phone_number: str | None
    state: str | None
    zip: str | None


class AppComplianceDirector(TypedDict):
    """
    A director or owner of the company.
    """

    dob: str | None
    ssn: str | None
    email: str | None
    first_name: str | None
    last_name: str | None
    ownership_percentage: float | None
    phone: str | None
    title: str | None
    address: AppComplianceAddress


class AppComplianceFlowOfFunds(TypedDict):
    """
    The purpose of the company's payments.
    """

    reasons: str | None
    usage: str | None


AppId: TypeAlias = str


class AppMetrics(TypedDict):
    """
    The app's balances and counts; amounts in cents.
    """

    wallet_balance: int
    wallet_available: int
    wallet_held: int
    money_out: int
    connected_users: int


AppStatus: TypeAlias = Literal['created', 'in_review', 'approved']


ApprovalPolicyId: TypeAlias = str


class ApproveBankConnectionRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ApproveBankItemRequest(TypedDict):
    acting_user_id: str
    version: int
    idempotency_key: NotRequired[str | None]


class ApproveBankReversalRequest(TypedDict):
    acting_user_id: str
    version: int
    idempotency_key: NotRequired[str | None]


class ApproveOriginatorRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ApprovePayableRequest(TypedDict):
    acting_user_id: str
    comment: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class ApprovePayoutRequestRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class ApproveRailProviderRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ApproveRailRouteRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ApproveSettlementAccountRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ApproveTransferRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


AuthorizationChannel: TypeAlias = Literal['web', 'written', 'phone']


class AuthorizationInput(TypedDict):
    accepted_at: str
    text: str
    reference: NotRequired[str | None]
    channel: NotRequired[AuthorizationChannel | None]
    account_validation: NotRequired[str | None]


AuthorizationKind: TypeAlias = Literal['per_payment', 'attested']


AuthorizationNeeded: TypeAlias = Literal['attested', 'per_payment']


class AutoRefill(TypedDict):
    """
    When and how much money is deposited automatically, in cents.
    """

    amount: int
    threshold: int


class AutoRefillInput(TypedDict):
    amount: int
    threshold: int


BackgroundCheckStatus: TypeAlias = Literal['not_started', 'started', 'pending', 'consider', 'pass', 'failed', 'canceled', 'expired', 'information_mismatch']


BankAccountId: TypeAlias = str


class BankAcknowledgements(TypedDict):
    """
    How the bank acknowledges the files of a connection.
    """

    kind: AcknowledgementKind
    within_minutes: int | None
    pattern: str | None
    accepted: list[str]
    rejected: list[str]
    amounts: AmountForm | None


BankAnswer: TypeAlias = Literal['accepted', 'settled', 'rejected']


BankConnectionId: TypeAlias = str


class BankCutoff(TypedDict):
    """
    A window of one day.
    """

    window: str
    cutoff: str
    submit_by: str
    effective: str
    settles: str
    same_day: bool


class BankDay(TypedDict):
    """
    A day of a connection's calendar.
    """

    date: str
    open: bool
    windows: list[BankCutoff]


BankFileId: TypeAlias = str


BankItemId: TypeAlias = str


class BankLimits(TypedDict):
    """
    The most money that moves in one direction, in cents.
    """

    per_entry: int
    per_file: int
    per_day: int


class BankLimitsOfBothDirections(TypedDict):
    """
    The limits of both directions. A direction without limits is closed.
    """

    credit: BankLimits | None
    debit: BankLimits | None


BankReversalId: TypeAlias = str


BankStatementId: TypeAlias = str


BatchStatus: TypeAlias = Literal['submitted', 'processing', 'completed', 'completed_with_errors']


BookedAs: TypeAlias = Literal['payments', 'returns', 'deposit', 'costs', 'organization']


BookingGrain: TypeAlias = Literal['entry', 'batch', 'file', 'day']


Calendar: TypeAlias = Literal['fed', 'target2', 'uk', 'every_day']


class CancelBankFileRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class CancelPayableRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class CancelTransferRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class ChangeClaimContactRequest(TypedDict):
    country_code: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    email: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class ChangeMemberPasswordRequest(TypedDict):
    current_password: str
    password: str
    idempotency_key: NotRequired[str | None]


Channel: TypeAlias = Literal['sms', 'email', 'voice']


class ClaimApp(TypedDict):
    """
    The app that pays.
    """

    name: str


class ClearUserScreeningRequest(TypedDict):
    acting_user_id: str
    comment: str
    idempotency_key: NotRequired[str | None]


class Clock(TypedDict):
    """
    The time of the sandbox's clock.
    """

    now: str
    ahead_seconds: int


CodePurpose: TypeAlias = Literal['verification', 'claim', 'unfreeze', 'contact_change']


ComplianceChange = TypedDict(
    'ComplianceChange',
    {
        'field': str,
        'from': str,
        'to': str,
    },
)


ComplianceDecisionId: TypeAlias = str


ConditionField: TypeAlias = Literal['amount', 'vendor']


class ConfirmBankStatementRequest(TypedDict):
    acting_user_id: str
    evidence: str
    idempotency_key: NotRequired[str | None]


class ConfirmClaimContactRequest(TypedDict):
    present_token: str
    new_token: str
    idempotency_key: NotRequired[str | None]


class ConfirmMemberTotpRequest(TypedDict):
    code: str
    idempotency_key: NotRequired[str | None]


class ConfirmUserScreeningRequest(TypedDict):
    acting_user_id: str
    comment: str
    idempotency_key: NotRequired[str | None]


class ConfirmVendorPaymentMethodRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ConnectUserRequest(TypedDict):
    user_id: str
    app_id: str
    idempotency_key: NotRequired[str | None]


ConnectionStatus: TypeAlias = Literal['draft', 'tested', 'approved', 'paused']


class ContactInput(TypedDict):
    city: NotRequired[str | None]
    country: NotRequired[str | None]
    email: NotRequired[str | None]
    line1: NotRequired[str | None]
    line2: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    state: NotRequired[str | None]
    zip: NotRequired[str | None]


Contest: TypeAlias = Literal['duplicate', 'other_totals', 'refused']


class CreateAppKeyRequest(TypedDict):
    expires_at: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class CreateAppRequest(TypedDict):
    name: str
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreateFirstOrganizationRequest(TypedDict):
    token: str
    name: str
    admin_email: str
    admin_name: NotRequired[str | None]
    app_name: NotRequired[str | None]
    admin_password: NotRequired[str | None]


class CreateOrganizationTransferRequest(TypedDict):
    app_id: str
    amount: int
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreateTransferRequest(TypedDict):
    user_id: str
    amount: int
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreateUserRequest(TypedDict):
    first_name: str
    last_name: str
    email: str
    country_code: NotRequired[str | None]
    phone_number: str
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreateVendorRequest(TypedDict):
    acting_user_id: NotRequired[str | None]
    name: str
    address: AddressInput
    contact_email: NotRequired[str | None]
    external_id: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


DayOfWeek: TypeAlias = Literal['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']


DecidedOutcome: TypeAlias = Literal['completed', 'failed']


class DeleteApprovalPolicyRequest(TypedDict):
    acting_user_id: NotRequired[str | None]


class DeletePayableFileRequest(TypedDict):
    acting_user_id: NotRequired[str | None]


class DeleteVendorPaymentMethodRequest(TypedDict):
    acting_user_id: NotRequired[str | None]


class DeleteVendorRequest(TypedDict):
    acting_user_id: NotRequired[str | None]


class DeliveryLimits(TypedDict):
    """
    Limits on the deliveries of links.
    """

    per_recipient_per_day: int
    per_day: int | None


class DeliveryLimitsInput(TypedDict):
    per_recipient_per_day: NotRequired[int | None]
    per_day: NotRequired[int | None]


DeliveryMethod: TypeAlias = Literal['sms', 'link', 'email', 'all']


DeliveryStatus: TypeAlias = Literal['pending', 'succeeded', 'dead']


class DepositToAppRequest(TypedDict):
    amount: int
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


Direction: TypeAlias = Literal['credit', 'debit']


class DirectorAddressInput(TypedDict):
    city: NotRequired[str | None]
    line1: NotRequired[str | None]
    line2: NotRequired[str | None]
    state: NotRequired[str | None]
    zip: NotRequired[str | None]
    country: NotRequired[str | None]


class DirectorInput(TypedDict):
    dob: NotRequired[str | None]
    ssn: NotRequired[str | None]
    email: NotRequired[str | None]
    first_name: NotRequired[str | None]
    last_name: NotRequired[str | None]
    ownership_percentage: NotRequired[float | None]
    phone: NotRequired[str | None]
    title: NotRequired[str | None]
    address: NotRequired[DirectorAddressInput | None]


DisabledReason: TypeAlias = Literal['requested', 'gone']


class DiscardBankStatementRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class DiscardInboundFileRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class DismissBankReversalRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class EndClaimSessionRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class EndOriginatorRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class EndRailProviderRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class EndRailRouteRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class EndSettlementAccountRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


EndpointStatus: TypeAlias = Literal['enabled', 'disabled']


EntityType: TypeAlias = Literal['individual', 'business']


EntryClass: TypeAlias = Literal['PPD', 'CCD', 'WEB', 'TEL']


EntryKind: TypeAlias = Literal['payment', 'reversal', 'retry', 'prenote']


EntryStatus: TypeAlias = Literal['joined', 'settled', 'withdrawn', 'canceled', 'returned', 'rejected', 'reversed']


class ErrorDetails(TypedDict):
    """
    Values of a refusal, for programs. Fields without a value are absent.
    """

    current_status: NotRequired[str]
    allowed_statuses: NotRequired[list[str]]
    allowed_at: NotRequired[str]
    limit: NotRequired[str]
    maximum: NotRequired[int]
    available: NotRequired[int]
    missing: NotRequired[int]
    nearest_path: NotRequired[str]


EstimatePlatform: TypeAlias = Literal['ach', 'wallet_a', 'wallet_b', 'prepaid_card_a', 'gift_card_a', 'wallet_c', 'intl_bank', 'intl_transfer', 'bank_transfer', 'wire', 'wallet_d', 'wallet_e', 'crypto', 'push_to_card', 'default']


EventId: TypeAlias = str


EventName: TypeAlias = Literal['payout_link.updated', 'payout_link.sent', 'payout_link.claimed', 'payout_link.paid_out', 'payout_link.failed', 'transfer.updated', 'transfer.completed', 'transfer.failed', 'transfer.flagged', 'payout_request.updated', 'user.updated', 'user.updated.payout_method', 'user.user_merged', 'app.updated', 'member.updated', 'payable.updated', 'vendor.updated', 'vendor_payment_method.updated', 'approval_policy.updated', 'payout_link_batch.updated', 'payment.updated', 'payment_customer.updated', 'verification.sent', 'verification.locked', 'verification.unlocked', 'administrative_act.recorded', 'webhook_endpoint.tested']


class Exchange(TypedDict):
    """
    The exchange of an amount into another currency.
    """

    currency: str
    rate: str
    rate_date: str
    converted_amount: int | None
    minor_digits: int


class ExplainBankItemRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class ExportedTaxYear(TypedDict):
    """
    An app's payments to a payee in a tax year.
    """

    year: int
    reportable: int
    form_awaited: bool


FailureCode: TypeAlias = Literal['insufficient_funds', 'account_closed', 'no_account', 'invalid_account_number', 'unauthorized', 'not_as_authorized', 'payment_stopped', 'holder_deceased', 'account_frozen', 'file_data_invalid', 'duplicate', 'account_not_eligible', 'refused_by_receiver', 'returned_on_request', 'name_mismatch', 'recipient_not_found', 'limit_exceeded', 'sanctions', 'rejected_by_rail']


class FeeSettings(TypedDict):
    """
    How a fee is computed from an amount.
    """

    fixed: int
    percent: str
    min: int
    max: int | None


FieldType: TypeAlias = Literal['string', 'integer', 'boolean', 'object']


FileFormat: TypeAlias = Literal['nacha', 'pain001']


FileOutcome: TypeAlias = Literal['accepted', 'rejected', 'not_received']


FilePurpose: TypeAlias = Literal['payments', 'reversals', 'retries', 'prenotes']


FileStatus: TypeAlias = Literal['open', 'sealed', 'sending', 'renaming', 'in_doubt', 'sent', 'rejected', 'canceled', 'dropped']


class FillClaimProfileRequest(TypedDict):
    first_name: str
    last_name: str
    email: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class FlowInput(TypedDict):
    reasons: NotRequired[str | None]
    usage: NotRequired[str | None]


Form1099: TypeAlias = Literal['1099-NEC', '1099-K']


FundingSource: TypeAlias = Literal['service_balance']


FundingSourceInput: TypeAlias = Literal['service_balance', 'ach']


class GiveClaimContactRequest(TypedDict):
    country_code: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    email: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class Head(TypedDict):
    """
    A signed position in a log, with the hash of everything up to it. Kept elsewhere, it proves later that the history
    up to it was not rewritten or truncated.
    """

    sequence: int
    hash: str
    created: str
    public_key: str
    anchor: str


HitStatus: TypeAlias = Literal['open', 'cleared', 'confirmed']


HolderType: TypeAlias = Literal['individual', 'company']


class IgnoreBankItemRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


InboundFileId: TypeAlias = str


class InboundFinding(TypedDict):
    """
    What is wrong with a file, or unusual.
    """

    severity: str
    rule: str
    line: int
    column: int
    place: str
    message: str
    advice: str


InboundStatus: TypeAlias = Literal['uploaded', 'stored', 'applied', 'quarantined', 'discarded', 'duplicate']


IncorporationType: TypeAlias = Literal['sole_proprietorship', 'partnership', 'llc', 'c_corporation', 's_corporation', 'non_profit']


class InviteMemberRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class Item(TypedDict):
    """
    One line of a bill.
    """

    amount: int
    description: str | None
    name: str | None
    quantity: int
    unit_price: int


class ItemInput(TypedDict):
    amount: NotRequired[int | None]
    description: NotRequired[str | None]
    name: NotRequired[str | None]
    quantity: int
    unit_price: int


ItemKind: TypeAlias = Literal['return', 'change', 'rejection', 'dishonored_return', 'contested_return', 'refused_change', 'status', 'acknowledgement', 'entry', 'line', 'opening_balance']


ItemReason: TypeAlias = Literal['unknown_trace', 'unknown_reference', 'duplicate', 'contradiction', 'other_amount', 'other_account', 'already_returned', 'not_sent', 'not_in_file', 'other_totals', 'not_a_correction', 'method_not_in_use', 'needs_review', 'unknown_line', 'several_matches', 'other_payment', 'large_cost', 'debit_by_other', 'money_before']


ItemStatus: TypeAlias = Literal['waiting', 'applied', 'unmatched', 'matched', 'explained', 'ignored']


class Key(TypedDict):
    """
    A key, without its secret.
    """

    client_id: str
    api_key_last4: str
    created: str
    revoked: str | None
    expires_at: str | None
    last_used_at: str | None


class KeyList(TypedDict):
    has_more: bool
    data: list[Key]


Keyword: TypeAlias = Literal['stop', 'help', 'start']


Language: TypeAlias = Literal['en', 'es', 'fr', 'de', 'pt', 'ar']


LedgerAccountId: TypeAlias = str


LedgerAccountKind: TypeAlias = Literal['app_wallet', 'app_held', 'app_collected', 'user_wallet', 'organization_wallet', 'clearing', 'service_fees', 'fx', 'external', 'funding', 'organization_funding', 'unbooked', 'at_bank', 'suspense', 'bank_costs']


LineEnding: TypeAlias = Literal['lf', 'crlf']


LineMeaning: TypeAlias = Literal['payments', 'collections', 'returns', 'returned_debits', 'deposit', 'deposits', 'fee', 'interest', 'debit_by_other', 'other', 'opening_balance']


LinkStatus: TypeAlias = Literal['created', 'funds_pending', 'delivery_pending', 'delivery_failed', 'sent', 'delivered', 'claimed', 'reversed', 'canceled', 'expired', 'failed']


class ListVersion(TypedDict):
    """
    The version of the sanctions list.
    """

    hash: str
    published: str
    entries: int
    names: int
    score_min: int


LogoKind: TypeAlias = Literal['png', 'jpeg', 'webp']


class MagicFailure(TypedDict):
    """
    A failure that a magic value can select.
    """

    code: str
    return_codes: list[int]
    message: str


class MagicValue(TypedDict):
    """
    One magic value.
    """

    field: str
    value: str
    effect: str


class MagicValues(TypedDict):
    """
    All magic values.
    """

    values: list[MagicValue]
    failures: list[MagicFailure]


class MarkBankFileSentRequest(TypedDict):
    acting_user_id: str
    evidence: str
    idempotency_key: NotRequired[str | None]


class MarkBankFileUnsentRequest(TypedDict):
    acting_user_id: str
    evidence: str
    idempotency_key: NotRequired[str | None]


class MaskedPayee(TypedDict):
    """
    The payee, as far as the link reveals it.
    """

    first_name: str | None
    country_code: str | None
    phone_number: str | None
    email: str | None


class MatchBankItemRequest(TypedDict):
    acting_user_id: str
    transfer_id: str
    evidence: str
    idempotency_key: NotRequired[str | None]


MemberId: TypeAlias = str


MemberProof: TypeAlias = Literal['asserted', 'required']


MemberSessionId: TypeAlias = str


MemberStatus: TypeAlias = Literal['active', 'removed']


MessageId: TypeAlias = str


MessageStatus: TypeAlias = Literal['queued', 'sent', 'delivered', 'failed']


MethodOrigin: TypeAlias = Literal['app', 'payee', 'guest', 'unknown']


MethodStatus: TypeAlias = Literal['unconfirmed', 'confirmed', 'deleted']


class NachaIdentity(TypedDict):
    """
    How the bank knows its customer, in the fields of a NACHA file.
    """

    odfi_routing_number: str
    destination: str
    destination_name: str
    origin: str
    origin_name: str
    line_ending: LineEnding
    balanced: bool


class NachaInput(TypedDict):
    odfi_routing_number: str
    destination: str
    destination_name: str
    origin: str
    origin_name: str
    line_ending: LineEnding
    balanced: bool


NameKind: TypeAlias = Literal['primary', 'aka', 'fka', 'nka', 'weak_aka']


NoticeId: TypeAlias = str


OfacStatus: TypeAlias = Literal['unflagged', 'id_verification_required', 'in_review', 'flagged']


class OpenMemberSessionRequest(TypedDict):
    organization_id: str
    email: str
    password: str
    code: NotRequired[str | None]
    recovery_code: NotRequired[str | None]


Operator: TypeAlias = Literal['<=', '==', '>=']


OrgId: TypeAlias = str


class OrganizationWallet(TypedDict):
    """
    The wallet of an organization.
    """

    amount: int


OriginatorId: TypeAlias = str


class OwnAccountInput(TypedDict):
    name: NotRequired[str | None]
    account_number: str
    routing_number: str
    account_type: NotRequired[AccountType | None]
    holder_type: NotRequired[HolderType | None]


class Pain001Identity(TypedDict):
    """
    How the bank knows its customer, in the elements of a pain.001 message.
    """

    name: str
    street: str
    post_code: str
    town: str
    country: str


class Pain001Input(TypedDict):
    name: str
    street: str
    post_code: str
    town: str
    country: str


Party: TypeAlias = Literal['user', 'platform']


class PauseBankConnectionRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class PauseBankConnectionsRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class PayClaimOutRequest(TypedDict):
    amount: NotRequired[int | None]
    idempotency_key: NotRequired[str | None]


class PayPayableRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


PayableId: TypeAlias = str


class PayableLimits(TypedDict):
    """
    Limits on the payment of bills, in cents.
    """

    per_payable: int | None
    per_day: int | None


class PayableLimitsInput(TypedDict):
    per_payable: NotRequired[int | None]
    per_day: NotRequired[int | None]


PayableStatus: TypeAlias = Literal['created', 'canceled', 'submitted_for_approval', 'rejected', 'approved', 'payment_initiated', 'payment_failed', 'payment_completed']


class PayableStatusChange(TypedDict):
    """
    A state, and when it was reached.
    """

    status: PayableStatus
    timestamp: str


class Payee(TypedDict):
    """
    The payee, as far as the sender knows.
    """

    first_name: str | None
    last_name: str | None
    email: str | None
    country_code: str | None
    phone_number: str | None


PayeeChange: TypeAlias = Literal['new_method', 'new_default', 'auto_payout', 'email', 'phone']


class PayeeInput(TypedDict):
    first_name: NotRequired[str | None]
    last_name: NotRequired[str | None]
    email: NotRequired[str | None]
    country_code: NotRequired[str | None]
    phone_number: NotRequired[str | None]


class PaymentAuthorization(TypedDict):
    """
    The payer's authorization of a payment.
    """

    type: AuthorizationKind
    accepted_at: str
    text: str
    reference: str | None
    channel: AuthorizationChannel | None
    account_validation: str | None


PaymentCustomerId: TypeAlias = str


class PaymentLimits(TypedDict):
    """
    Limits on payments that the app collects, in cents.
    """

    per_payment: int | None
    per_payer_per_day: int | None
    per_day: int | None


class PaymentLimitsInput(TypedDict):
    per_payment: NotRequired[int | None]
    per_payer_per_day: NotRequired[int | None]
    per_day: NotRequired[int | None]


PaymentStatus: TypeAlias = Literal['queued', 'attempted', 'accepted', 'completed', 'failed', 'returned', 'withdrawn']


class PayoutLimits(TypedDict):
    """
    Limits on payouts, in cents.
    """

    per_payout: int | None
    per_day: int | None


class PayoutLimitsInput(TypedDict):
    per_payout: NotRequired[int | None]
    per_day: NotRequired[int | None]


PayoutLinkBatchId: TypeAlias = str


PayoutLinkId: TypeAlias = str


PayoutMethodId: TypeAlias = str


PayoutRequestId: TypeAlias = str


class PendingContactChange(TypedDict):
    """
    A change of the payee's contact. Both codes are needed, within ten minutes.
    """

    present_sent_to: str
    new_sent_to: str


class PhoneInput(TypedDict):
    country_code: NotRequired[str | None]
    phone_number: str


class PhoneNumber(TypedDict):
    """
    A phone number.
    """

    country_code: str
    phone_number: str


PlannedOutcome: TypeAlias = Literal['create', 'repeat', 'fail']


class PlannedPayoutLinkBatchRow(TypedDict):
    """
    The plan of a row.
    """

    row: int
    outcome: PlannedOutcome
    payout_link_id: PayoutLinkId | None
    error_code: str | None
    error_message: str | None
    name_listed: bool
    platform: str
    user_fee_amount: int | None
    platform_fee_amount: int | None
    similar_rows: list[int]
    similar_payout_link_ids: list[PayoutLinkId]


Platform: TypeAlias = Literal['ach', 'wallet_a', 'wallet_b', 'prepaid_card_a', 'gift_card_a', 'wallet_c', 'intl_bank', 'intl_transfer', 'bank_transfer', 'wire', 'wallet_d', 'wallet_e', 'crypto', 'push_to_card', 'rtp']


PlatformFeeSource: TypeAlias = Literal['override', 'fee_table', 'none']


class PolicyStep(TypedDict):
    """
    A step of an approval.
    """

    num_approvals_required: int
    approvers: list[MemberId]


class PostalAddress(TypedDict):
    """
    A postal address.
    """

    postcode: str
    city: str
    state: str
    country: str
    line_1: str
    line_2: str | None
    line_3: str | None


class ProveClaimContactRequest(TypedDict):
    token: str
    idempotency_key: NotRequired[str | None]


ProviderKind: TypeAlias = Literal['adapter', 'paypal']


class RailPaymentDecision(TypedDict):
    """
    What members decided about a payment in doubt. It takes effect when a second member has confirmed it.
    """

    outcome: DecidedOutcome
    evidence: str
    proposed_by: MemberId
    proposed: str
    confirmed_by: MemberId | None


RailProviderId: TypeAlias = str


RailRouteId: TypeAlias = str


RateStatus: TypeAlias = Literal['normal', 'near', 'above']


class RecoveryCodes(TypedDict):
    """
    The codes that replace the authenticator app.
    """

    recovery_codes: list[str]


class RedateBankFileRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class RedeliverPayoutLinkRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class RejectPayableRequest(TypedDict):
    acting_user_id: str
    comment: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class RejectPayoutRequestRequest(TypedDict):
    comment: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class ReleaseBankFileRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class RemoveMemberTotpRequest(TypedDict):
    current_password: str


class ReplayInboundFileRequest(TypedDict):
    acting_user_id: str
    sha256: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class ReplayWebhookDeliveryRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class RequestNewLinkRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class RequestPayee(TypedDict):
    """
    The phone number of the person who asks.
    """

    country_code: str | None
    phone_number: str | None


RequestStatus: TypeAlias = Literal['created', 'approved', 'rejected']


RequestedPlatform: TypeAlias = Literal['ach', 'wallet_a', 'wallet_b', 'prepaid_card_a', 'gift_card_a', 'wallet_c', 'intl_bank', 'intl_transfer', 'bank_transfer', 'wire', 'wallet_d', 'wallet_e', 'crypto', 'push_to_card']


class RestoreBankStatementRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class ResumeBankConnectionRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class ReturnRate(TypedDict):
    """
    A rate of returned debits.
    """

    returned: int
    basis_points: int
    limit_basis_points: int
    status: RateStatus


ReversalReason: TypeAlias = Literal['duplicate', 'wrong_receiver', 'wrong_amount', 'wrong_date']


ReversalStatus: TypeAlias = Literal['proposed', 'approved', 'joined', 'dismissed']


ReviewStage: TypeAlias = Literal['in_review', 'id_verification_required']


Role: TypeAlias = Literal['admin', 'viewer', 'payer', 'ap_approver', 'ap_creator']


class RotateRailProviderSecretRequest(TypedDict):
    acting_user_id: str
    secret: str
    idempotency_key: NotRequired[str | None]


class RotateWebhookSecretRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


RowDelivery: TypeAlias = Literal['email', 'link', 'sms']


class RowInput(TypedDict):
    first_name: NotRequired[str | None]
    last_name: NotRequired[str | None]
    email: NotRequired[str | None]
    country_code: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    delivery_method: NotRequired[RowDelivery | None]
    amount_cents: int
    memo: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    force_collect_compliance_information: NotRequired[bool | None]


RowStatus: TypeAlias = Literal['waiting', 'succeeded', 'failed']


SandboxReply = TypedDict(
    'SandboxReply',
    {
        'from': str,
        'keyword': Keyword | None,
        'texts_stopped': bool,
    },
)


class SandboxRequest(TypedDict):
    """
    A request that the sandbox answered.
    """

    id: str
    created: str
    method: str
    path: str
    operation_id: str | None
    http_status: int
    error_code: str | None
    message: str | None
    request_id: str
    client_id: str | None
    app_id: AppId | None
    duration_ms: int


class SandboxRequestList(TypedDict):
    has_more: bool
    data: list[SandboxRequest]


class Schedule(TypedDict):
    """
    A fee schedule, in the shape of `fee_settings`.
    """

    fixed: int
    percent: str
    min: int
    max: int | None


class ScheduleInput(TypedDict):
    fixed: NotRequired[int | None]
    percent: NotRequired[str | None]
    min: NotRequired[int | None]
    max: NotRequired[int | None]


ScreeningHitId: TypeAlias = str


ScreeningRunId: TypeAlias = str


Section: TypeAlias = Literal['profiles', 'payout_methods', 'screening_hits', 'compliance_decisions', 'payout_links', 'payout_links_by_phone', 'payout_links_by_email', 'transfers', 'payout_requests', 'payout_requests_by_phone', 'notices', 'messages_by_phone', 'messages_by_email', 'events', 'phone_verification_events', 'email_verification_events']


SendSandboxReplyRequest = TypedDict(
    'SendSandboxReplyRequest',
    {
        'from': str,
        'text': str,
        'idempotency_key': NotRequired[str | None],
    },
)


class SendVerificationTokenRequest(TypedDict):
    use_voice: NotRequired[bool | None]
    idempotency_key: NotRequired[str | None]


class SenderDetails(TypedDict):
    """
    The sender, if known.
    """

    name: str | None
    bank_name: str | None
    routing_number: str | None
    account_number_last4: str | None
    trace_number: str | None
    reference: str | None
    memo: str | None


class SetAppAchAccountRequest(TypedDict):
    name: NotRequired[str | None]
    account_number: str
    routing_number: str
    account_type: NotRequired[AccountType | None]
    holder_type: NotRequired[HolderType | None]


class SetAppLogoRequest(TypedDict):
    image: str


class SetPayableFileRequest(TypedDict):
    acting_user_id: NotRequired[str | None]
    file: str
    idempotency_key: NotRequired[str | None]


class SetPayoutMethodRequest(TypedDict):
    platform: RequestedPlatform
    routing_number: NotRequired[str | None]
    account_number: NotRequired[str | None]
    account_type: NotRequired[Literal['checking', 'savings'] | None]
    email: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    country_code: NotRequired[str | None]
    handle: NotRequired[str | None]
    cash_tag: NotRequired[str | None]
    iban: NotRequired[str | None]
    bic: NotRequired[str | None]
    country: NotRequired[str | None]
    bank_code: NotRequired[str | None]
    account_holder_name: NotRequired[str | None]
    currency: NotRequired[str | None]
    address: NotRequired[str | None]
    town: NotRequired[str | None]
    address_country: NotRequired[str | None]
    name: NotRequired[str | None]
    network: NotRequired[Literal['ethereum', 'bitcoin', 'solana', 'tron', 'polygon'] | None]
    card_token: NotRequired[str | None]
    is_default: NotRequired[bool | None]
    auto_payout_enabled: NotRequired[bool | None]
    metadata: NotRequired[str | dict[str, Any] | None]


class SetUpLink(TypedDict):
    """
    A set-up token, and the page that takes it.
    """

    token: str
    link: str
    expires: str


class SetUpMemberRequest(TypedDict):
    token: str
    password: str


class SetUpToken(TypedDict):
    """
    A token with which a member sets a password.
    """

    token: str
    expires: str


class SetUserAddressRequest(TypedDict):
    postcode: str
    city: str
    state: str
    country: str
    line_1: str
    line_2: NotRequired[str | None]
    line_3: NotRequired[str | None]


SettlementAccountId: TypeAlias = str


SetupStatus: TypeAlias = Literal['draft', 'approved', 'ended']


class ShownKey(TypedDict):
    """
    Both halves of a key.
    """

    client_id: str
    api_key: str
    expires_at: str | None


class SideLimitsInput(TypedDict):
    per_entry: int
    per_file: int
    per_day: int


class StartMemberTotpRequest(TypedDict):
    current_password: str
    idempotency_key: NotRequired[str | None]


StatementKind: TypeAlias = Literal['bai2', 'camt053', 'manual']


StatementReason: TypeAlias = Literal['missing_before', 'other_opening']


StatementStatus: TypeAlias = Literal['waiting', 'applied', 'quarantined', 'discarded']


class StepField(TypedDict):
    """
    A field of a step.
    """

    name: str
    type: FieldType
    required: bool
    choices: list[str]


class StepInput(TypedDict):
    num_approvals_required: NotRequired[int | None]
    approvers: list[str]


StepName: TypeAlias = Literal['contact', 'code', 'profile', 'compliance', 'method', 'payout']


class SubmitPayableRequest(TypedDict):
    acting_user_id: str
    idempotency_key: NotRequired[str | None]


class SubmitPayoutLinkBatchRequest(TypedDict):
    links: list[RowInput]
    idempotency_key: NotRequired[str | None]


class SubmitPayoutRequestRequest(TypedDict):
    amount: int
    payee: NotRequired[PhoneInput | None]
    user_id: NotRequired[str | None]
    memo: NotRequired[str | None]
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class SuspenseItem(TypedDict):
    """
    A line in suspense.
    """

    bank_item_id: BankItemId
    status: ItemStatus
    reason: ItemReason | None
    since: str
    age: int
    amount: int
    open: bool
    evidence: str | None


TaxIdType: TypeAlias = Literal['ssn', 'ein']


TaxIdVerification: TypeAlias = Literal['not_required', 'unsubmitted', 'pending', 'matched', 'mismatched']


TaxOfficeAnswer: TypeAlias = Literal['pending', 'matched', 'mismatched']


class TestBankConnectionRequest(TypedDict):
    acting_user_id: str
    evidence: str
    idempotency_key: NotRequired[str | None]


class TestWebhookEndpointRequest(TypedDict):
    idempotency_key: NotRequired[str | None]


class TotpSecret(TypedDict):
    """
    A secret for an authenticator app.
    """

    secret: str
    uri: str


TransactionKind: TypeAlias = Literal['balance', 'refill', 'payout', 'payment', 'fee', 'surrogate']


TransferId: TypeAlias = str


TransferKind: TypeAlias = Literal['balance', 'payout', 'refill', 'payment', 'payable', 'settlement']


class TransferLimits(TypedDict):
    """
    Limits on transfers from the app to users, in cents.
    """

    per_transfer: int | None
    per_day: int | None


class TransferLimitsInput(TypedDict):
    per_transfer: NotRequired[int | None]
    per_day: NotRequired[int | None]


TransferStatus: TypeAlias = Literal['created', 'flagged', 'pending', 'completed', 'failed', 'reversed', 'canceled']


class UnbookedItem(TypedDict):
    """
    A file, or a returned payment, for which a line of a statement is expected.
    """

    bank_file_id: BankFileId | None
    transfer_id: TransferId | None
    since: str
    age: int
    amount: int
    overdue: bool


UncoveredFiles: TypeAlias = Literal['alarm', 'hold']


class UnfreezeAutomaticPayoutsRequest(TypedDict):
    token: str


class UnlockVerificationRequest(TypedDict):
    country_code: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    email: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class UpdateAppBrandRequest(TypedDict):
    color: NotRequired[str | None]
    website: NotRequired[str | None]
    support_email: NotRequired[str | None]
    support_phone: NotRequired[str | None]
    terms_url: NotRequired[str | None]
    privacy_url: NotRequired[str | None]
    greeting: NotRequired[str | None]
    note: NotRequired[str | None]
    footer: NotRequired[str | None]
    language: NotRequired[Language | None]


class UpdateAppRequest(TypedDict):
    name: NotRequired[str]
    metadata: NotRequired[str | dict[str, Any] | None]


class UpdateAppSettingsRequest(TypedDict):
    payout_fee_party: NotRequired[Party | None]
    fees: NotRequired[dict[str, Any] | None]
    fees_effective_at: NotRequired[str | None]
    payout_options_exclude_list: NotRequired[list[RequestedPlatform] | None]
    auto_refill: NotRequired[AutoRefillInput | None]
    payout_limits: NotRequired[PayoutLimitsInput | None]
    payout_approval_limit: NotRequired[int | None]
    payable_limits: NotRequired[PayableLimitsInput | None]
    payable_approval_limit: NotRequired[int | None]
    transfer_limits: NotRequired[TransferLimitsInput | None]
    payment_limits: NotRequired[PaymentLimitsInput | None]
    payment_authorization: NotRequired[AuthorizationNeeded | None]
    payment_hold_days: NotRequired[int | None]
    debit_retries: NotRequired[int | None]
    delivery_limits: NotRequired[DeliveryLimitsInput | None]
    phone_countries: NotRequired[list[str] | None]
    method_rest_hours: NotRequired[int | None]
    require_idempotency_key: NotRequired[bool | None]
    payee_reminders: NotRequired[bool | None]
    member_proof: NotRequired[MemberProof | None]


class UpdateMemberRequest(TypedDict):
    name: NotRequired[str]
    email: NotRequired[str]
    role: NotRequired[Role]
    password: NotRequired[str | None]


class UpdatePayableRequest(TypedDict):
    acting_user_id: str
    number: NotRequired[str]
    description: NotRequired[str | None]
    external_id: NotRequired[str | None]
    ap_vendor_id: NotRequired[str | None]
    ap_payment_method_id: NotRequired[str | None]
    amount: NotRequired[int]
    items: NotRequired[list[ItemInput] | None]
    funding_source: NotRequired[FundingSource]


class UpdatePaymentCustomerRequest(TypedDict):
    name: NotRequired[str]
    email: NotRequired[str | None]
    phone_number: NotRequired[PhoneInput | None]
    metadata: NotRequired[str | dict[str, Any] | None]


class UpdateWebhookEndpointRequest(TypedDict):
    url: NotRequired[str]
    description: NotRequired[str | None]
    events: NotRequired[list[EventName] | None]
    status: NotRequired[EndpointStatus]


class UploadInboundFileRequest(TypedDict):
    acting_user_id: str
    bank_connection_id: str
    name: str
    content: str
    idempotency_key: NotRequired[str | None]


class UserApproval(TypedDict):
    """
    One approver of a step.
    """

    approval_comment: str | None
    approval_given: bool
    approval_timestamp: str | None
    name: str
    user_id: int


class UserFlags(TypedDict):
    """
    Warnings about a user.
    """

    ofac: bool
    ofac_status: OfacStatus
    payout_method: bool
    payout_method_cycle: bool
    name_mismatch: bool


UserId: TypeAlias = str


UserStatus: TypeAlias = Literal['unverified', 'verified', 'in_review', 'disabled']


class UserWallet(TypedDict):
    """
    The user's wallet with an app, in cents.
    """

    amount: int
    withdrawable_amount: int
    credit_balance: int


Validation: TypeAlias = Literal['prenote', 'entry', 'correction']


class VendorAddress(TypedDict):
    """
    A postal address.
    """

    line_1: str
    line_2: str | None
    line_3: str | None
    city: str
    state: str
    postcode: str
    country: str


VendorId: TypeAlias = str


VendorPaymentMethodId: TypeAlias = str


VendorStatus: TypeAlias = Literal['active', 'deleted']


VerificationId: TypeAlias = str


class VerifyUserRequest(TypedDict):
    token: str
    idempotency_key: NotRequired[str | None]


class W8BenInput(TypedDict):
    name: str
    citizenship: str
    date_of_birth: str
    foreign_tax_id: NotRequired[str | None]
    line_1: str
    line_2: NotRequired[str | None]
    city: str
    state: NotRequired[str | None]
    postcode: NotRequired[str | None]
    country: str
    certified: Literal[True]


class W9(TypedDict):
    """
    The data of a W-9 that may be shown.
    """

    entity_type: EntityType | None
    business_name: str | None
    tax_id_collected: bool
    address_collected: bool


class W9Fields(TypedDict):
    entity_type: EntityType
    name: str
    business_name: NotRequired[str | None]
    tax_id_type: TaxIdType
    tax_id: str
    line_1: str
    line_2: NotRequired[str | None]
    city: str
    state: str
    postcode: str
    certified: Literal[True]


WebhookDeliveryId: TypeAlias = str


WebhookEndpointId: TypeAlias = str


class WindowInput(TypedDict):
    name: str
    days: list[DayOfWeek]
    submit_by: str
    lead_minutes: int
    same_day: bool


class WithdrawFromAppRequest(TypedDict):
    amount: int
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class WordPair(TypedDict):
    """
    A word of the screened name and its partner in the listed name.
    """

    screened: str
    listed: str
    alike: Alike
    similarity: int


class WorkedFee(TypedDict):
    """
    The computation of one fee: `fixed + percent × amount`, rounded once, then limited by the bounds.
    """

    part: str
    on_amount: int
    schedule: FeeSettings
    unrounded: str
    rounding: str
    held_to: str | None
    charged: int


class WriteOffBankItemRequest(TypedDict):
    acting_user_id: str
    reason: str
    idempotency_key: NotRequired[str | None]


class FieldError(TypedDict):
    """
    An error of one field.
    """

    field: str
    code: str
    reason: NotRequired[str]
    message: str


DeliveryError: TypeAlias = Any


class AcknowledgementsInput(TypedDict):
    kind: AcknowledgementKind
    within_minutes: NotRequired[int | None]
    pattern: NotRequired[str | None]
    accepted: NotRequired[list[str] | None]
    rejected: NotRequired[list[str] | None]
    amounts: NotRequired[AmountForm | None]


class AddCustomerBankAccountRequest(TypedDict):
    name: NotRequired[str | None]
    account_number: str
    routing_number: str
    account_type: NotRequired[AccountType | None]
    holder_type: NotRequired[HolderType | None]
    idempotency_key: NotRequired[str | None]


class AddOriginatorRequest(TypedDict):
    acting_user_id: str
    bank_connection_id: str
    app_id: NotRequired[str | None]
    company_name: str
    company_id: str
    description: str
    discretionary: NotRequired[str | None]
    entry_classes: list[EntryClass]
    prenotes: NotRequired[bool | None]
    idempotency_key: NotRequired[str | None]


class AddRailProviderRequest(TypedDict):
    acting_user_id: str
    name: str
    kind: ProviderKind
    url: str
    client_id: NotRequired[str | None]
    secret: str
    nudge_secret: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class AddSettlementAccountRequest(TypedDict):
    acting_user_id: str
    bank_connection_id: str
    name: str
    currency: Literal['USD']
    account_number: str
    routing_number: str
    account_type: AccountType
    statement_kind: StatementKind
    booking_grain: BookingGrain
    idempotency_key: NotRequired[str | None]


class Adjustment1099(TypedDict):
    """
    An amount paid elsewhere that counts towards a year's tax form.
    """

    year: int
    form: Form1099
    amount: int


class AdjustmentInput(TypedDict):
    year: int
    form: Form1099
    amount: int


class AdministrativeAct(TypedDict):
    """
    A change by a person with authority.
    """

    id: EventId
    sequence: int
    created: str
    act: str
    by: str | None
    member_id: MemberId | None
    app_id: AppId | None
    subject: str
    before: dict[str, Any]
    after: dict[str, Any]


class AdministrativeActRecordedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['administrative_act.recorded']
    created: str
    object_id: str
    version: int
    object: AdministrativeAct


class Administrator(TypedDict):
    """
    The administrator of a new organization.
    """

    id: MemberId
    email: str
    set_up: SetUpLink | None


class App(TypedDict):
    """
    An app.
    """

    id: AppId
    name: str
    status: AppStatus
    metrics: AppMetrics
    metadata: str | None
    created: str


class AppComplianceCompany(TypedDict):
    """
    The company.
    """

    dba: str | None
    ein: str | None
    incorporation_date: str | None
    incorporation_state: str | None
    incorporation_type: IncorporationType | None
    name: str | None
    website: str | None
    ubo_count: int | None


class AppUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['app.updated']
    created: str
    object_id: str
    version: int
    object: App


class ApprovalStep(TypedDict):
    """
    A step of the approval.
    """

    completed: bool
    completed_timestamp: str | None
    num_approvals_required: int
    user_approvals: list[UserApproval]


class Approver(TypedDict):
    """
    A member who may approve bills.
    """

    id: MemberId
    user_id: int
    name: str
    email: str | None
    role: Role


class ApproverList(TypedDict):
    has_more: bool
    data: list[Approver]


class AssignBankItemRequest(TypedDict):
    acting_user_id: str
    booked_as: BookedAs
    app_id: NotRequired[str | None]
    bank_file_ids: NotRequired[list[str] | None]
    transfer_ids: NotRequired[list[str] | None]
    evidence: str
    idempotency_key: NotRequired[str | None]


class BackgroundCheck(TypedDict):
    """
    The state of a background check.
    """

    status: BackgroundCheckStatus
    updated: str


class BackgroundCheckInput(TypedDict):
    status: BackgroundCheckStatus


class Balance(TypedDict):
    """
    The balance of a ledger account.
    """

    id: LedgerAccountId
    name: str
    type: LedgerAccountKind
    balance: int


class BankAccount(TypedDict):
    """
    A bank account in the United States. Only the last digits of its number are shown.
    """

    id: BankAccountId
    name: str
    mask: str
    routing_number: str
    bank_name: str | None
    account_type: AccountType
    holder_type: HolderType | None
    rtp_enabled: bool
    in_use: bool
    validated_at: str | None
    validation: Validation | None
    created: str


class BankAccountList(TypedDict):
    has_more: bool
    data: list[BankAccount]


class BankCalendar(TypedDict):
    """
    Days of a connection's calendar.
    """

    bank_connection_id: BankConnectionId
    calendar: Calendar
    time_zone: str
    data: list[BankDay]


class BankEntry(TypedDict):
    """
    A payment in a file.
    """

    id: TransferId
    kind: EntryKind
    transfer_id: TransferId
    follows: TransferId | None
    followed_by: TransferId | None
    bank_reversal_id: BankReversalId | None
    created: str
    status: EntryStatus
    bank_file_id: BankFileId
    number: int
    app_id: AppId
    user_id: UserId | None
    name: str | None
    amount: int
    individual_id: str
    end_to_end_id: str
    answer: BankAnswer | None
    direction: Direction
    error: FailureCode | None
    ended: str | None


class BankEntryList(TypedDict):
    has_more: bool
    data: list[BankEntry]


class BankFileDecision(TypedDict):
    """
    What members know from the bank about a file. It takes effect when another member has confirmed it.
    """

    outcome: FileOutcome
    evidence: str
    proposed_by: MemberId
    proposed: str
    confirmed_by: MemberId | None


class BankItemProposal(TypedDict):
    """
    What a member says that a line is. Another member approves it.
    """

    booked_as: BookedAs
    app_id: AppId | None
    bank_file_ids: list[BankFileId]
    transfer_ids: list[TransferId]


class BankLineSum(TypedDict):
    """
    The lines of one meaning, which is that of the bank's code.
    """

    meaning: LineMeaning
    count: int
    amount: int
    in_suspense: int


class BankReconciliation(TypedDict):
    """
    The bank's balance of an account next to the ledger's, and everything that is open.
    """

    settlement_account_id: SettlementAccountId
    date: str
    bank_statement_id: BankStatementId
    opening: int
    closing: int
    lines: list[BankLineSum]
    ledger: int
    difference: int
    unbooked: list[UnbookedItem]
    suspense: list[SuspenseItem]
    missing: list[str]
    open_statements: list[BankStatementId]
    balanced: bool


class BankReversal(TypedDict):
    """
    An order of two members to reverse an entry or a file.
    """

    id: BankReversalId
    created: str
    updated: str
    status: ReversalStatus
    bank_file_id: BankFileId
    entry_id: TransferId | None
    reason: ReversalReason
    found_at: str
    evidence: str | None
    send_by: str
    joined: int
    skipped: int
    settled: int
    returned: int
    unsent: int
    made_by: MemberId
    approved_by: MemberId | None
    approved: str | None
    dismissed_by: MemberId | None
    dismissal: str | None
    version: int


class BankReversalList(TypedDict):
    has_more: bool
    data: list[BankReversal]


class BankStatement(TypedDict):
    """
    A statement of a settlement account.
    """

    id: BankStatementId
    created: str
    updated: str
    status: StatementStatus
    reason: StatementReason | None
    bank_connection_id: BankConnectionId
    settlement_account_id: SettlementAccountId
    inbound_file_id: InboundFileId
    date: str
    reference: str
    sequence: int | None
    opening: int
    closing: int
    line_count: int
    credits: int
    credit: int
    debits: int
    debit: int
    position: int | None
    applied: str | None
    confirmed_by: MemberId | None
    closed_by: MemberId | None
    evidence: str | None


class BankStatementList(TypedDict):
    has_more: bool
    data: list[BankStatement]


class BankWindow(TypedDict):
    """
    A time of the day until which a bank takes files.
    """

    name: str
    days: list[DayOfWeek]
    submit_by: str
    lead_minutes: int
    same_day: bool


class ChooseClaimMethodRequest(TypedDict):
    platform: NotRequired[RequestedPlatform]
    routing_number: NotRequired[str | None]
    account_number: NotRequired[str | None]
    account_type: NotRequired[Literal['checking', 'savings'] | None]
    email: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    country_code: NotRequired[str | None]
    handle: NotRequired[str | None]
    cash_tag: NotRequired[str | None]
    iban: NotRequired[str | None]
    bic: NotRequired[str | None]
    country: NotRequired[str | None]
    bank_code: NotRequired[str | None]
    account_holder_name: NotRequired[str | None]
    currency: NotRequired[str | None]
    address: NotRequired[str | None]
    town: NotRequired[str | None]
    address_country: NotRequired[str | None]
    name: NotRequired[str | None]
    network: NotRequired[Literal['ethereum', 'bitcoin', 'solana', 'tron', 'polygon'] | None]
    card_token: NotRequired[str | None]
    payout_method_id: NotRequired[str | None]
    is_default: NotRequired[bool | None]
    auto_payout_enabled: NotRequired[bool | None]
    idempotency_key: NotRequired[str | None]


class ClaimTransfer(TypedDict):
    """
    A payout of a link, as its payee sees it.
    """

    id: TransferId
    status: TransferStatus
    amount: int
    payout_amount: int
    fee_amount: int
    platform: Platform | None
    destination: str | None
    completed_at: str | None
    arrives_at: str | None
    error: str | None
    error_message: str | None


class CompanyInput(TypedDict):
    dba: NotRequired[str | None]
    ein: NotRequired[str | None]
    incorporation_date: NotRequired[str | None]
    incorporation_state: NotRequired[str | None]
    incorporation_type: NotRequired[IncorporationType | None]
    name: NotRequired[str | None]
    website: NotRequired[str | None]
    ubo_count: NotRequired[int | None]


class Comparison(TypedDict):
    """
    The comparison of a screened name with a listed name, word by word.
    """

    score: int
    pairs: list[WordPair]
    only_screened: list[str]
    only_listed: list[str]


class ComplianceDecision(TypedDict):
    """
    A member's decision about a user's compliance.
    """

    id: ComplianceDecisionId
    user_id: UserId
    decided_by: MemberId
    comment: str
    changes: list[ComplianceChange]
    created: str


class ComplianceDecisionExportComplianceDecision(TypedDict):
    data: list[ComplianceDecision]
    next: str | None


class ComplianceDecisionList(TypedDict):
    has_more: bool
    data: list[ComplianceDecision]


class Condition1(TypedDict):
    """
    A condition on the amount.
    """

    operator: Operator
    value: int
    field: Literal['amount']


class Condition2(TypedDict):
    """
    A condition on the vendor.
    """

    operator: Operator
    value: VendorId
    field: Literal['vendor']


Condition: TypeAlias = Condition1 | Condition2


class ConditionInput(TypedDict):
    field: ConditionField
    operator: Operator
    value: int | str


class CreateApprovalPolicyRequest(TypedDict):
    acting_user_id: NotRequired[str | None]
    name: NotRequired[str | None]
    conditions: NotRequired[list[ConditionInput] | None]
    steps: list[StepInput]
    priority: NotRequired[int | None]
    active: NotRequired[bool | None]
    idempotency_key: NotRequired[str | None]


class CreateMemberRequest(TypedDict):
    name: str
    email: str
    role: Role
    password: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class CreatePayableRequest(TypedDict):
    acting_user_id: str
    number: str
    description: NotRequired[str | None]
    external_id: NotRequired[str | None]
    ap_vendor_id: NotRequired[str | None]
    ap_payment_method_id: NotRequired[str | None]
    amount: NotRequired[int | None]
    currency: NotRequired[Literal['USD'] | None]
    funding_source: NotRequired[FundingSource | None]
    items: NotRequired[list[ItemInput] | None]
    file: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class CreatePaymentCustomerRequest(TypedDict):
    name: str
    email: NotRequired[str | None]
    phone_number: NotRequired[PhoneInput | None]
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreatePaymentRequest(TypedDict):
    amount: int
    platform: RequestedPlatform
    user_id: NotRequired[str | None]
    customer_id: NotRequired[str | None]
    account_id: NotRequired[str | None]
    ach_info: NotRequired[OwnAccountInput | None]
    authorization: NotRequired[AuthorizationInput | None]
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreatePayoutRequest(TypedDict):
    user_id: str
    amount: int
    platform: EstimatePlatform
    account_id: NotRequired[str | None]
    fund: NotRequired[bool | None]
    tax_exempt: NotRequired[bool | None]
    payout_fee_party: NotRequired[Party | None]
    payout_fee_fixed: NotRequired[int | None]
    payout_fee_percent: NotRequired[str | None]
    metadata: NotRequired[str | dict[str, Any] | None]
    idempotency_key: NotRequired[str | None]


class CreateVendorPaymentMethodRequest(TypedDict):
    acting_user_id: NotRequired[str | None]
    name: str
    account_number: str
    routing_number: str
    account_type: NotRequired[AccountType | None]
    holder_type: NotRequired[HolderType | None]
    idempotency_key: NotRequired[str | None]


class CreateWebhookEndpointRequest(TypedDict):
    url: str
    description: NotRequired[str | None]
    events: NotRequired[list[EventName] | None]
    idempotency_key: NotRequired[str | None]


class CreatedApp(App):
    """
    A new app with its first key, which is shown here and never again.
    """

    keys: ShownKey


class Debit(TypedDict):
    """
    A payment's authorization, and when its money can leave the app.
    """

    authorization: PaymentAuthorization
    held: bool
    available_at: str | None


class DecideBankFileRequest(TypedDict):
    acting_user_id: str
    outcome: FileOutcome
    evidence: str
    idempotency_key: NotRequired[str | None]


class DecideRailPaymentRequest(TypedDict):
    acting_user_id: str
    outcome: DecidedOutcome
    evidence: str
    idempotency_key: NotRequired[str | None]


class Delivery(TypedDict):
    """
    How a link is delivered.
    """

    method: DeliveryMethod
    email: str | None
    country_code: str | None
    phone_number: str | None
    error: str | None


class DeliveryInput(TypedDict):
    message: NotRequired[str | None]
    method: NotRequired[DeliveryMethod | None]
    email: NotRequired[str | None]
    country_code: NotRequired[str | None]
    phone_number: NotRequired[str | None]


class Entry(TypedDict):
    """
    One side of a transaction, in its ledger account.
    """

    id: int
    created: str
    account_id: LedgerAccountId
    transaction_id: int
    amount: int
    balance_after: int


class EntryList(TypedDict):
    has_more: bool
    data: list[Entry]


class ErrorBody(TypedDict):
    """
    The body of every error.
    """

    success: bool
    message: str
    error_code: str
    errors: list[FieldError]
    reason: NotRequired[str]
    details: NotRequired[ErrorDetails]
    request_id: NotRequired[str]
    doc_url: str


class Event(TypedDict):
    """
    An event of the app's log.
    """

    id: EventId
    sequence: int
    name: EventName
    created: str
    object_id: str
    version: int
    object: dict[str, Any]


class EventExportEvent(TypedDict):
    data: list[Event]
    next: str | None


class Events(TypedDict):
    """
    A page of events, and the signed head of their log.
    """

    has_more: bool
    data: list[Event]
    head: Head | None


class ExportedMessage(TypedDict):
    """
    A message to the payee. Texts are not stored, and their codes and links are secret.
    """

    id: MessageId
    app_id: AppId
    created: str
    channel: Channel
    kind: str
    status: MessageStatus
    sent_at: str | None


class ExportedMessageExportExportedMessage(TypedDict):
    data: list[ExportedMessage]
    next: str | None


class ExportedNotice(TypedDict):
    """
    A notice about a change to a payee's payout destination, without the token of its link.
    """

    id: NoticeId
    app_id: AppId
    created: str
    channel: Channel
    sent_to: str
    changes: list[PayeeChange]
    payout_method: str | None


class ExportedNoticeExportExportedNotice(TypedDict):
    data: list[ExportedNotice]
    next: str | None


class ExportedTaxForm(TypedDict):
    """
    A tax form with a masked number.
    """

    form: str
    name: str
    entity_type: EntityType | None
    business_name: str | None
    tax_id_type: TaxIdType | None
    tax_id: str | None
    citizenship: str | None
    date_of_birth: str | None
    address: PostalAddress


class ExternalData(TypedDict):
    """
    The rail and the account.
    """

    account_id: str | None
    external_id: str | None
    platform: Platform | None


class FeeBasis(TypedDict):
    """
    The rules and settings from which the fees of a payout were computed.
    """

    rule_id: str
    rule_version: int
    rule_effective_from: str
    platform_fee_source: PlatformFeeSource
    fee_table_row: str | None
    fee_table_version: int
    platform_fee_settings: FeeSettings
    exchange: Exchange | None


class FeeExplanation(TypedDict):
    """
    The explanation of the fees.
    """

    basis: FeeBasis
    requested_platform: str
    rtp: str
    fees: list[WorkedFee]


class FeeTable(TypedDict):
    """
    A version of an app's fee table.
    """

    version: int
    fees: dict[str, Schedule]
    effective_at: str
    in_force: bool
    created: str


class FeeTableList(TypedDict):
    has_more: bool
    data: list[FeeTable]


class FirstApp(TypedDict):
    """
    The first app of a new organization.
    """

    id: str
    name: str
    keys: ShownKey


class FlagsInput(TypedDict):
    ofac_status: NotRequired[ReviewStage]
    payout_method: NotRequired[bool]
    payout_method_cycle: NotRequired[bool]
    name_mismatch: NotRequired[bool]


class GiveClaimTaxFormRequest(TypedDict):
    w9: NotRequired[W9Fields | None]
    w8ben: NotRequired[W8BenInput | None]
    idempotency_key: NotRequired[str | None]


class InboundFile(TypedDict):
    """
    A file that a bank sent.
    """

    id: InboundFileId
    created: str
    updated: str
    status: InboundStatus
    bank_connection_id: BankConnectionId
    name: str
    size: int
    sha256: str
    duplicate_of: InboundFileId | None
    findings: list[InboundFinding]
    findings_left_out: int
    items: int
    unmatched: int
    uploaded_by: MemberId | None
    closed_by: MemberId | None
    evidence: str | None


class InboundFileList(TypedDict):
    has_more: bool
    data: list[InboundFile]


class InboxMessage(TypedDict):
    """
    A message in the sandbox's inbox.
    """

    id: MessageId
    created: str
    channel: Channel
    to: str
    subject: str
    text: str
    link: str | None
    code: str | None


class InboxMessageList(TypedDict):
    has_more: bool
    data: list[InboxMessage]


class LedgerAccount(TypedDict):
    """
    A ledger account with its balance.
    """

    id: LedgerAccountId
    created: str
    name: str
    type: LedgerAccountKind
    app_id: AppId | None
    user_id: UserId | None
    platform: Platform | None
    balance: int
    currency: str
    entry_count: int
    updated: str


class LedgerAccountList(TypedDict):
    has_more: bool
    data: list[LedgerAccount]


class LimitsInput(TypedDict):
    credit: NotRequired[SideLimitsInput | None]
    debit: NotRequired[SideLimitsInput | None]


class Logo(TypedDict):
    """
    An app's logo.
    """

    url: str
    kind: LogoKind
    width: int
    height: int
    bytes: int


class Member(TypedDict):
    """
    A member.
    """

    id: MemberId
    number: int
    name: str
    email: str | None
    role: Role
    status: MemberStatus
    created: str | None
    removed: str | None


class MemberList(TypedDict):
    has_more: bool
    data: list[Member]


class MemberSession(TypedDict):
    """
    A member's session, without its secret.
    """

    id: MemberSessionId
    member_id: MemberId
    address: str | None
    second_factor: bool
    created: str
    last_used: str
    ends: str
    ended: str | None


class MemberSessionList(TypedDict):
    has_more: bool
    data: list[MemberSession]


class MemberUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['member.updated']
    created: str
    object_id: str
    version: int
    object: Member


class MethodOption(TypedDict):
    """
    A way to be paid.
    """

    platform: Platform
    name: str
    payout_method_id: PayoutMethodId | None
    description: str | None
    fee_amount: int
    payout_amount: int
    arrival: str
    fields: list[StepField]


class NextStep(TypedDict):
    """
    The next step of a claim.
    """

    name: StepName
    path: str
    fields: list[StepField]
    options: list[MethodOption]


class Notice(TypedDict):
    """
    A notice as shown by its link.
    """

    app_name: str
    changes: list[PayeeChange]
    method: str | None
    created: str
    sent_to: str
    frozen: bool
    code_sent: bool


class OpenedMemberSession(MemberSession):
    """
    A new session with its secret, which is shown here and never again.
    """

    token: str
    member: Member
    recovery_codes_left: int | None


class Organization(TypedDict):
    """
    An organization.
    """

    id: OrgId
    name: str
    wallet: OrganizationWallet
    created: str


class OrganizationList(TypedDict):
    has_more: bool
    data: list[Organization]


class Originator(TypedDict):
    """
    The name under which entries are sent.
    """

    id: OriginatorId
    created: str
    status: SetupStatus
    bank_connection_id: BankConnectionId
    app_id: AppId | None
    company_name: str
    company_id: str
    description: str
    discretionary: str | None
    entry_classes: list[EntryClass]
    prenotes: bool
    made_by: MemberId
    approved_by: MemberId | None
    approved: str | None
    ended_by: MemberId | None
    ended: str | None


class OriginatorList(TypedDict):
    has_more: bool
    data: list[Originator]


class PayableAction(TypedDict):
    """
    One action on a payable.
    """

    action: ActionKind
    comment: str | None
    timestamp: str
    user_id: int | None
    user_name: str | None
    user_role: Role | None


class PayableTransfer(TypedDict):
    """
    One attempt to pay.
    """

    created_timestamp: str
    idempotency_key: str
    transfer_id: TransferId


class PaymentCustomer(TypedDict):
    """
    A person or company that pays an app and is not a user.
    """

    id: PaymentCustomerId
    created: str
    name: str | None
    email: str | None
    phone_number: PhoneNumber | None
    metadata: str | None


class PaymentCustomerList(TypedDict):
    has_more: bool
    data: list[PaymentCustomer]


class PaymentCustomerUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payment_customer.updated']
    created: str
    object_id: str
    version: int
    object: PaymentCustomer


class PayoutLink(TypedDict):
    """
    An amount that a payee can claim with a link.
    """

    id: PayoutLinkId
    created: str
    link: str | None
    amount: int
    status: LinkStatus
    payee: Payee
    delivery: Delivery
    tax_exempt: bool
    claimed_user_id: UserId | None
    flow_id: str | None
    transfer_id: TransferId
    memo: str | None
    metadata: str | None
    description: str | None
    accounting_data: AccountingData
    created_by_email: str | None
    funding_source: str
    expires_at: str
    deliveries: int
    new_link_requested_at: str | None


class PayoutLinkBatch(TypedDict):
    """
    A batch and its progress.
    """

    id: PayoutLinkBatchId
    created: str
    status: BatchStatus
    total: int
    succeeded: int
    failed: int
    amount: int
    succeeded_amount: int
    completed: str | None


class PayoutLinkBatchList(TypedDict):
    has_more: bool
    data: list[PayoutLinkBatch]


class PayoutLinkBatchRow(TypedDict):
    """
    A row as it was understood: exactly the fields of a row of the batch.
    """

    first_name: str | None
    last_name: str | None
    email: str | None
    country_code: str | None
    phone_number: str | None
    delivery_method: RowDelivery
    amount_cents: int
    memo: str | None
    idempotency_key: str
    metadata: dict[str, Any] | None
    force_collect_compliance_information: bool


class PayoutLinkBatchUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_link_batch.updated']
    created: str
    object_id: str
    version: int
    object: PayoutLinkBatch


class PayoutLinkClaimedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_link.claimed']
    created: str
    object_id: str
    version: int
    object: PayoutLink


class PayoutLinkExportPayoutLink(TypedDict):
    data: list[PayoutLink]
    next: str | None


class PayoutLinkFailedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_link.failed']
    created: str
    object_id: str
    version: int
    object: PayoutLink


class PayoutLinkList(TypedDict):
    has_more: bool
    data: list[PayoutLink]


class PayoutLinkPaidOutEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_link.paid_out']
    created: str
    object_id: str
    version: int
    object: PayoutLink


class PayoutLinkSentEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_link.sent']
    created: str
    object_id: str
    version: int
    object: PayoutLink


class PayoutLinkUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_link.updated']
    created: str
    object_id: str
    version: int
    object: PayoutLink


class PayoutMethodDetails(TypedDict):
    """
    A payout method with sensitive details masked.
    """

    id: PayoutMethodId
    platform: Platform
    description: str
    mask: str | None
    email: str | None
    phone_number: str | None
    cash_tag: str | None
    country: str | None
    currency: str
    rtp_enabled: bool
    validated_at: str | None
    validation: Validation | None
    meta: str | None


class PayoutMethodDetailsList(TypedDict):
    has_more: bool
    data: list[PayoutMethodDetails]


class PayoutOption(TypedDict):
    """
    A rail that is available to a user.
    """

    platform: Platform
    name: str
    fee_settings: FeeSettings
    platform_fee_settings: FeeSettings
    fx_percent: str
    arrival: str
    arrival_seconds: int
    set_up: bool
    payout_method_id: PayoutMethodId | None


class PayoutOptionList(TypedDict):
    has_more: bool
    data: list[PayoutOption]


class ProposeBankReversalRequest(TypedDict):
    acting_user_id: str
    entry_id: NotRequired[str | None]
    reason: ReversalReason
    found_at: str
    evidence: str
    idempotency_key: NotRequired[str | None]


class RailPayment(TypedDict):
    """
    A payout at a provider behind HTTP.
    """

    transfer_id: TransferId
    created: str
    status: PaymentStatus
    app_id: AppId
    rail_provider_id: RailProviderId
    rail_route_id: RailRouteId
    platform: Platform
    amount: int
    attempts: int
    attempted: str | None
    reference: str | None
    provider_fee: int | None
    failure: str | None
    doubt: str | None
    decision: RailPaymentDecision | None


class RailPaymentList(TypedDict):
    has_more: bool
    data: list[RailPayment]


class RailProvider(TypedDict):
    """
    A provider of rails behind HTTP.
    """

    id: RailProviderId
    created: str
    status: SetupStatus
    name: str
    kind: ProviderKind
    url: str
    client_id: str | None
    signs_nudges: bool
    nudge_path: str
    short_of_funds_since: str | None
    made_by: MemberId
    approved_by: MemberId | None
    approved: str | None
    ended_by: MemberId | None
    ended: str | None


class RailProviderList(TypedDict):
    has_more: bool
    data: list[RailProvider]


class RailRoute(TypedDict):
    """
    The way of a rail's payments to a bank or a provider, from a day on.
    """

    id: RailRouteId
    created: str
    status: SetupStatus
    platform: Platform
    currency: str
    from_on: str
    bank_connection_id: BankConnectionId | None
    originator_id: OriginatorId | None
    settlement_account_id: SettlementAccountId | None
    rail_provider_id: RailProviderId | None
    made_by: MemberId
    approved_by: MemberId | None
    approved: str | None
    ended_by: MemberId | None
    ended: str | None


class RailRouteList(TypedDict):
    has_more: bool
    data: list[RailRoute]


class ScreeningHit(TypedDict):
    """
    A match between a user's name and a name on the list.
    """

    id: ScreeningHitId
    created: str
    screened_name: str | None
    listed_name: str
    name_kind: NameKind
    score: int
    comparison: Comparison | None
    entry: int
    list: str
    program: str | None
    title: str | None
    remarks: str | None
    addresses: list[str]
    status: HitStatus
    decided_by: MemberId | None
    comment: str | None
    decided_at: str | None


class ScreeningHitExportScreeningHit(TypedDict):
    data: list[ScreeningHit]
    next: str | None


class ScreeningRun(TypedDict):
    """
    The progress of screening all users against a list.
    """

    id: ScreeningRunId
    list: str
    score_min: int
    users_screened: int
    users_flagged: int
    started_at: str
    finished_at: str | None


class SendPayoutRequest(TypedDict):
    amount: int
    user_id: NotRequired[str | None]
    payee: NotRequired[PayeeInput | None]
    delivery: NotRequired[DeliveryInput | None]
    force_collect_compliance_information: NotRequired[bool | None]
    tax_exempt: NotRequired[bool | None]
    memo: NotRequired[str | None]
    metadata: NotRequired[str | dict[str, Any] | None]
    description: NotRequired[str | None]
    payout_fee_party: NotRequired[Party | None]
    additional_steps: NotRequired[list[Literal['compliance']] | None]
    accounting_data: NotRequired[AccountingInput | None]
    funding_source: NotRequired[FundingSourceInput | None]
    expires_at: NotRequired[str | None]
    remind_at: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class SetAppComplianceRequest(TypedDict):
    company_info: NotRequired[CompanyInput | None]
    contact_info: NotRequired[ContactInput | None]
    directors: NotRequired[list[DirectorInput] | None]
    flow_of_funds: NotRequired[FlowInput | None]


class SetUserComplianceRequest(TypedDict):
    w9: NotRequired[W9Fields | None]
    w8ben: NotRequired[W8BenInput | None]


class Settings(TypedDict):
    """
    An app's settings.
    """

    payout_fee_party: str
    fees: dict[str, Schedule]
    payout_options_exclude_list: list[Platform]
    auto_refill: AutoRefill | None
    payout_limits: PayoutLimits
    payout_approval_limit: int | None
    payable_limits: PayableLimits
    payable_approval_limit: int | None
    transfer_limits: TransferLimits
    payment_limits: PaymentLimits
    payment_authorization: AuthorizationNeeded
    payment_hold_days: int
    debit_retries: int
    delivery_limits: DeliveryLimits
    phone_countries: list[str]
    method_rest_hours: int
    require_idempotency_key: bool
    payee_reminders: bool
    member_proof: MemberProof


class SettlementAccount(TypedDict):
    """
    An account of the organization at its bank.
    """

    id: SettlementAccountId
    created: str
    status: SetupStatus
    bank_connection_id: BankConnectionId
    name: str
    currency: str
    account_type: AccountType
    routing_number: str
    mask: str
    statement_kind: StatementKind
    booking_grain: BookingGrain
    made_by: MemberId
    approved_by: MemberId | None
    approved: str | None
    ended_by: MemberId | None
    ended: str | None


class SettlementAccountList(TypedDict):
    has_more: bool
    data: list[SettlementAccount]


class SubmittedPayoutLinkBatch(TypedDict):
    """
    The response to a submitted batch.
    """

    success: bool
    id: PayoutLinkBatchId
    validated_rows: list[PayoutLinkBatchRow]


class Transaction(TypedDict):
    """
    One movement between two ledger accounts.
    """

    id: int
    amount: str
    created: str
    source_name: str
    destination_name: str
    type: TransactionKind
    metadata: str | None
    transfer_id: TransferId | None
    transfer: dict[str, Any] | None


class TransactionList(TypedDict):
    has_more: bool
    data: list[Transaction]


class Transfer(TypedDict):
    """
    One movement of money; also the response of a payment.
    """

    id: TransferId
    created: str
    user_id: UserId | None
    customer_id: PaymentCustomerId | None
    status: TransferStatus
    error: str | None
    error_message: str | None
    sender_details: SenderDetails
    type: TransferKind
    amount: str
    fee_amount: str
    payout_amount: str
    payout_fee_party: Party | None
    fee_basis: FeeBasis | None
    debit: Debit | None
    held_until: str | None
    approved_by: MemberId | None
    external_data: ExternalData
    transactions: list[Transaction]
    payout_link_id: PayoutLinkId | None
    metadata: str | None


class TransferCompletedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['transfer.completed']
    created: str
    object_id: str
    version: int
    object: Transfer


class TransferExportTransfer(TypedDict):
    data: list[Transfer]
    next: str | None


class TransferFailedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['transfer.failed']
    created: str
    object_id: str
    version: int
    object: Transfer


class TransferFlaggedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['transfer.flagged']
    created: str
    object_id: str
    version: int
    object: Transfer


class TransferList(TypedDict):
    has_more: bool
    data: list[Transfer]


class TransferUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['transfer.updated']
    created: str
    object_id: str
    version: int
    object: Transfer


class TrialBalance(TypedDict):
    """
    The balances of all ledger accounts at a moment.
    """

    as_of: str
    currency: str
    accounts: list[Balance]
    total: int
    balanced: bool


class UpdateApprovalPolicyRequest(TypedDict):
    acting_user_id: NotRequired[str | None]
    name: NotRequired[str | None]
    conditions: NotRequired[list[ConditionInput]]
    steps: NotRequired[list[StepInput]]
    priority: NotRequired[int]
    active: NotRequired[bool]


class UpdateBankConnectionRequest(TypedDict):
    acting_user_id: str
    name: NotRequired[str]
    transport: NotRequired[str]
    nacha: NotRequired[NachaInput]
    pain001: NotRequired[Pain001Input]
    calendar: NotRequired[Calendar]
    time_zone: NotRequired[str]
    windows: NotRequired[list[WindowInput]]
    limits: NotRequired[LimitsInput]
    file_name: NotRequired[str]
    acknowledgements: NotRequired[AcknowledgementsInput]
    uncovered_files: NotRequired[UncoveredFiles]


class UpdateUserComplianceRequest(TypedDict):
    acting_user_id: str
    comment: str
    id_verified: NotRequired[bool]
    has_criminal_activity: NotRequired[bool]
    background_check: NotRequired[BackgroundCheckInput]
    tax_id_verification: NotRequired[TaxOfficeAnswer]
    flags: NotRequired[FlagsInput]


UpdateUserRequest = TypedDict(
    'UpdateUserRequest',
    {
        'default_payout_method': NotRequired[RequestedPlatform | str | None],
        'auto_payout_enabled': NotRequired[bool],
        'date_of_birth': NotRequired[str | None],
        '1099_adjustment': NotRequired[AdjustmentInput | None],
        'metadata': NotRequired[str | dict[str, Any] | None],
        'payout_options_exclude_list': NotRequired[list[RequestedPlatform] | None],
        'first_name': NotRequired[str],
        'last_name': NotRequired[str],
        'email': NotRequired[str],
        'phone_number': NotRequired[PhoneInput],
    },
)


UserCompliance = TypedDict(
    'UserCompliance',
    {
        'tax_id_collected': bool,
        'address_collected': bool,
        'date_of_birth_collected': bool,
        'must_collect_1099': bool,
        '1099_collected': bool,
        'w8_ben_collected': bool,
        'flagged': bool,
        'id_verified': bool,
        'has_criminal_activity': bool,
        'tax_id_verification': TaxIdVerification,
        'background_check': BackgroundCheck,
        'w9': W9,
        'flags': UserFlags,
    },
)


class UserIdentity(TypedDict):
    """
    The identity of a payee.
    """

    first_name: str | None
    last_name: str | None
    phone_number: PhoneNumber | None
    phone_verified_at: str | None
    email: str | None
    email_verified_at: str | None
    country: str | None
    status: UserStatus
    created: str
    deleted_at: str | None
    payouts_frozen_at: str | None
    language: Language | None
    date_of_birth: str | None
    address: PostalAddress | None
    tax_form: ExportedTaxForm | None


class UserScreening(TypedDict):
    """
    The state of a user's sanctions screening.
    """

    user_id: UserId
    name: str | None
    status: UserStatus
    ofac_status: OfacStatus
    hits: list[ScreeningHit]


class Vendor(TypedDict):
    """
    A company that sends bills to an app.
    """

    id: VendorId
    created: str
    name: str
    address: VendorAddress
    contact_email: str | None
    external_id: str | None
    status: VendorStatus
    created_by: MemberId | None
    api_app_id: AppId
    deleted: str | None


class VendorList(TypedDict):
    has_more: bool
    data: list[Vendor]


class VendorPaymentMethod(TypedDict):
    """
    A bank account of a vendor.
    """

    id: VendorPaymentMethodId
    created: str
    ap_vendor_id: VendorId
    name: str
    status: MethodStatus
    usable_at: str | None
    mask: str
    routing_number: str
    bank_name: str | None
    account_type: AccountType
    added_by: MemberId | None
    confirmed_by: MemberId | None
    confirmed: str | None


class VendorPaymentMethodList(TypedDict):
    has_more: bool
    data: list[VendorPaymentMethod]


class VendorPaymentMethodUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['vendor_payment_method.updated']
    created: str
    object_id: str
    version: int
    object: VendorPaymentMethod


class VendorUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['vendor.updated']
    created: str
    object_id: str
    version: int
    object: Vendor


class Verification(TypedDict):
    """
    A phone number or an e-mail address to which codes are sent, as shown in the events `verification.*`. Contains
    neither the code nor the unmasked recipient.
    """

    id: VerificationId
    created: str
    channel: Channel
    purpose: CodePurpose
    to: str
    sends_last_hour: int
    sends_today: int
    wrong_codes: int
    locked: bool


class VerificationLockedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['verification.locked']
    created: str
    object_id: str
    version: int
    object: Verification


class VerificationSentEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['verification.sent']
    created: str
    object_id: str
    version: int
    object: Verification


class VerificationUnlockedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['verification.unlocked']
    created: str
    object_id: str
    version: int
    object: Verification


class WebhookDelivery(TypedDict):
    """
    One event on its way to one endpoint.
    """

    id: WebhookDeliveryId
    endpoint_id: WebhookEndpointId
    event_id: EventId
    event_name: EventName
    sequence: int
    status: DeliveryStatus
    attempts: int
    response_status: int | None
    response_body: str | None
    error: DeliveryError | None
    next_attempt_at: str | None
    created: str
    updated: str


class WebhookDeliveryList(TypedDict):
    has_more: bool
    data: list[WebhookDelivery]


class WebhookEndpoint(TypedDict):
    """
    A URL that receives the app's events.
    """

    id: WebhookEndpointId
    url: str
    description: str | None
    events: list[EventName] | None
    status: EndpointStatus
    disabled_reason: DisabledReason | None
    previous_secret_until: str | None
    created: str
    updated: str


class WebhookEndpointList(TypedDict):
    has_more: bool
    data: list[WebhookEndpoint]


class WebhookEndpointTestedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['webhook_endpoint.tested']
    created: str
    object_id: str
    version: int
    object: WebhookEndpoint


class WebhookEndpointWithSecret(WebhookEndpoint):
    """
    An endpoint with its secret. No other response shows the secret.
    """

    secret: str


class Acts(TypedDict):
    """
    A page of acts, and the signed head of their log.
    """

    has_more: bool
    data: list[AdministrativeAct]
    head: Head | None


class AppCompliance(TypedDict):
    """
    An app's compliance information. Every field is present; missing values are null.
    """

    company_info: AppComplianceCompany
    contact_info: AppComplianceContact
    directors: list[AppComplianceDirector]
    flow_of_funds: AppComplianceFlowOfFunds


class ApprovalPolicy(TypedDict):
    """
    A rule that defines which members must approve a bill.
    """

    id: ApprovalPolicyId
    created: str
    updated: str
    name: str | None
    conditions: list[Condition]
    steps: list[PolicyStep]
    priority: int
    active: bool
    updated_by: MemberId | None
    api_app_id: AppId
    deleted: str | None


class ApprovalPolicyList(TypedDict):
    has_more: bool
    data: list[ApprovalPolicy]


class ApprovalPolicyUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['approval_policy.updated']
    created: str
    object_id: str
    version: int
    object: ApprovalPolicy


class BankConnection(TypedDict):
    """
    A connection to a bank.
    """

    id: BankConnectionId
    created: str
    updated: str
    name: str
    status: ConnectionStatus
    transport: str
    format: FileFormat
    nacha: NachaIdentity | None
    pain001: Pain001Identity | None
    calendar: Calendar
    time_zone: str
    windows: list[BankWindow]
    limits: BankLimitsOfBothDirections
    file_name: str
    acknowledgements: BankAcknowledgements
    uncovered_files: UncoveredFiles
    settings_version: int
    made_by: MemberId
    tested_by: MemberId | None
    tested: str | None
    evidence: str | None
    approved_by: MemberId | None
    approved: str | None
    paused_by: MemberId | None
    paused: str | None
    pause_reason: str | None


class BankConnectionList(TypedDict):
    has_more: bool
    data: list[BankConnection]


class BankFile(TypedDict):
    """
    A file with payments for a bank.
    """

    id: BankFileId
    created: str
    updated: str
    status: FileStatus
    bank_connection_id: BankConnectionId
    originator_id: OriginatorId
    settlement_account_id: SettlementAccountId
    platform: Platform
    direction: Direction
    purpose: FilePurpose
    send_by: str | None
    entry_class: EntryClass | None
    window: str
    cutoff: str
    submit_by: str
    effective: str
    settles: str
    entries: int
    credit: int
    debit: int
    message_id: str | None
    name: str | None
    size: int | None
    sha256: str | None
    must_release: bool
    uncovered: int | None
    released_by: MemberId | None
    released: str | None
    doubt: str | None
    delivery_error: str | None
    sealed: str | None
    answer: BankAnswer | None
    contested: Contest | None
    decision: BankFileDecision | None
    returned: int
    refused: int
    sent: str | None
    closed_by: MemberId | None
    evidence: str | None


class BankFileList(TypedDict):
    has_more: bool
    data: list[BankFile]


class BankItem(TypedDict):
    """
    A return, a change, a line of a statement or another report of a bank.
    """

    id: BankItemId
    created: str
    status: ItemStatus
    kind: ItemKind
    reason: ItemReason | None
    code: str
    bank_reason: str | None
    inbound_file_id: InboundFileId
    bank_connection_id: BankConnectionId
    line: int
    trace: str | None
    amount: int
    individual_id: str
    text: str | None
    transfer_id: TransferId | None
    bank_file_id: BankFileId | None
    payout_method_id: PayoutMethodId | None
    matched_by: MemberId | None
    closed_by: MemberId | None
    closed: str | None
    evidence: str | None
    bank_statement_id: BankStatementId | None
    settlement_account_id: SettlementAccountId | None
    date: str | None
    reference: str | None
    meaning: LineMeaning | None
    booked_as: BookedAs | None
    app_id: AppId | None
    proposal: BankItemProposal | None
    version: int


class BankItemList(TypedDict):
    has_more: bool
    data: list[BankItem]


class BankStatementWithLines(BankStatement):
    """
    A statement with its lines.
    """

    lines: list[BankItem]


class Brand(TypedDict):
    """
    How an app appears to payees.
    """

    color: str | None
    logo: Logo | None
    website: str | None
    support_email: str | None
    support_phone: str | None
    terms_url: str | None
    privacy_url: str | None
    greeting: str | None
    note: str | None
    footer: str | None
    language: Language | None
    about_url: str


class ClaimDocument(TypedDict):
    """
    The state of a claim and its next step.
    """

    status: LinkStatus
    amount: int
    remaining_amount: int
    currency: str
    app: ClaimApp
    payee: MaskedPayee
    memo: str | None
    message: str | None
    expires_at: str
    on_hold: str | None
    steps: list[StepName]
    completed_steps: list[StepName]
    code_sent_to: str | None
    only_this_payout: bool
    may_change_contact: bool
    contact_change: PendingContactChange | None
    next_step: NextStep | None
    transfer: ClaimTransfer | None
    session: str | None


class CreateBankConnectionRequest(TypedDict):
    acting_user_id: str
    name: str
    transport: str
    format: FileFormat
    nacha: NotRequired[NachaInput | None]
    pain001: NotRequired[Pain001Input | None]
    calendar: Calendar
    time_zone: str
    windows: list[WindowInput]
    limits: LimitsInput
    file_name: str
    acknowledgements: NotRequired[AcknowledgementsInput | None]
    uncovered_files: NotRequired[UncoveredFiles | None]
    idempotency_key: NotRequired[str | None]


class CreatePayoutLinkRequest(TypedDict):
    amount: int
    user_id: NotRequired[str | None]
    payee: NotRequired[PayeeInput | None]
    delivery: NotRequired[DeliveryInput | None]
    force_collect_compliance_information: NotRequired[bool | None]
    tax_exempt: NotRequired[bool | None]
    memo: NotRequired[str | None]
    metadata: NotRequired[str | dict[str, Any] | None]
    description: NotRequired[str | None]
    payout_fee_party: NotRequired[Party | None]
    additional_steps: NotRequired[list[Literal['compliance']] | None]
    accounting_data: NotRequired[AccountingInput | None]
    funding_source: NotRequired[FundingSourceInput | None]
    expires_at: NotRequired[str | None]
    remind_at: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class CreatedOrganization(TypedDict):
    """
    A new organization, with the secrets that are shown once.
    """

    id: OrgId
    name: str
    keys: ShownKey
    administrator: Administrator
    app: FirstApp | None


class ExportedPayoutMethod(TypedDict):
    """
    A payout method with masked numbers.
    """

    app_id: AppId
    origin: MethodOrigin
    in_use: bool
    created: str
    disabled_at: str | None
    disabled_reason: str | None
    holder_name: str | None
    handle: str | None
    bank_name: str | None
    details: PayoutMethodDetails


class ExportedPayoutMethodExportExportedPayoutMethod(TypedDict):
    data: list[ExportedPayoutMethod]
    next: str | None


class FeeEstimate(TypedDict):
    """
    A fee estimate. Amounts are cents, and null if the request has no amount.
    """

    user_id: UserId
    platform: Platform
    payout_fee_party: Party
    fee_settings: FeeSettings
    platform_fee_settings: FeeSettings
    amount: int | None
    fee_amount: int | None
    platform_fee_amount: int | None
    fx_upcharge_amount: int | None
    total_fee_amount: int | None
    user_fee_amount: int | None
    payout_amount: int | None
    explain: NotRequired[FeeExplanation | None]


class OrganizationTransfer(TypedDict):
    """
    A movement between an organization and one of its apps. The app sees it as a transfer of type refill with the same
    id, whose amount is positive if the app receives it.
    """

    id: TransferId
    created: str
    app_id: AppId
    amount: str
    status: TransferStatus
    metadata: str | None
    transactions: list[Transaction]


class OrganizationTransferList(TypedDict):
    has_more: bool
    data: list[OrganizationTransfer]


class PausedConnections(TypedDict):
    """
    The connections that were paused.
    """

    data: list[BankConnection]


class Payable(TypedDict):
    """
    A vendor's bill, with its approval and its payments.
    """

    id: PayableId
    created: str
    updated: str
    amount: int
    currency: str
    description: str | None
    external_id: str | None
    number: str
    file_url: str | None
    status: PayableStatus
    funding_source: FundingSource
    ap_payment_method_id: VendorPaymentMethodId | None
    ap_payment_method_name: str | None
    ap_vendor_id: VendorId | None
    ap_vendor_name: str | None
    api_app_id: AppId
    transfer_id: TransferId | None
    items: list[Item]
    action_history: list[PayableAction]
    approval_steps: list[ApprovalStep]
    status_history: list[PayableStatusChange]
    transfer_history: list[PayableTransfer]


class PayableList(TypedDict):
    has_more: bool
    data: list[Payable]


class PayableUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payable.updated']
    created: str
    object_id: str
    version: int
    object: Payable


class PaymentUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payment.updated']
    created: str
    object_id: str
    version: int
    object: Transfer


class PayoutLinkBatchPlan(TypedDict):
    """
    The plan of a batch.
    """

    success: bool
    dry_run: bool
    payout_link_batch_id: PayoutLinkBatchId | None
    payout_link_batch_status: BatchStatus | None
    creates: int
    repeats: int
    fails: int
    balance_before: int
    balance_after: int
    platform_fees: int
    user_fees: int
    rows: list[PlannedPayoutLinkBatchRow]
    validated_rows: list[PayoutLinkBatchRow]


class PayoutLinkBatchResult(TypedDict):
    """
    A row of a batch, with its result so far.
    """

    id: int
    status: RowStatus
    payout_link_id: PayoutLinkId | None
    link: str | None
    error_code: str | None
    error_message: str | None
    row: PayoutLinkBatchRow


class PayoutLinkBatchResultList(TypedDict):
    has_more: bool
    data: list[PayoutLinkBatchResult]


class ScreeningList(TypedDict):
    """
    The sanctions list in use, and the newest screening of all users against it.
    """

    list: ListVersion
    run: ScreeningRun | None


User = TypedDict(
    'User',
    {
        'id': UserId,
        'first_name': str | None,
        'last_name': str | None,
        'email': str | None,
        'phone_number': PhoneNumber | None,
        'verified': bool,
        'country': str | None,
        'auto_payout_enabled': bool,
        'default_payout_method': Platform | None,
        'default_payout_method_details': PayoutMethodDetails | None,
        'wallet': UserWallet,
        'status': UserStatus,
        'compliance': UserCompliance,
        'metadata': str | None,
        'payout_options_exclude_list': list[Platform],
        '1099_adjustment': Adjustment1099 | None,
    },
)


class UserList(TypedDict):
    has_more: bool
    data: list[User]


class UserUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['user.updated']
    created: str
    object_id: str
    version: int
    object: User


class UserUpdatedPayoutMethodEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['user.updated.payout_method']
    created: str
    object_id: str
    version: int
    object: User


class UserUserMergedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['user.user_merged']
    created: str
    object_id: str
    version: int
    object: User


EnqueuedOrPlanned: TypeAlias = SubmittedPayoutLinkBatch | PayoutLinkBatchPlan


class ExportedProfile(TypedDict):
    """
    A payee's profile with one app.
    """

    app_id: AppId
    app_name: str
    connected_at: str
    disconnected_at: str | None
    user: User
    tax_years: list[ExportedTaxYear]


class ExportedProfileExportExportedProfile(TypedDict):
    data: list[ExportedProfile]
    next: str | None


class PayoutRequest(TypedDict):
    """
    A person's request to be paid.
    """

    id: PayoutRequestId
    created: str
    amount: int
    status: RequestStatus
    payee: RequestPayee
    payout_link: PayoutLink | None
    user: User | None
    metadata: str | None
    memo: str | None
    comment: str | None


class PayoutRequestExportPayoutRequest(TypedDict):
    data: list[PayoutRequest]
    next: str | None


class PayoutRequestList(TypedDict):
    has_more: bool
    data: list[PayoutRequest]


class PayoutRequestUpdatedEvent(TypedDict):
    id: EventId
    sequence: int
    name: Literal['payout_request.updated']
    created: str
    object_id: str
    version: int
    object: PayoutRequest


class UserExport(TypedDict):
    """
    All data about a payee that the caller may see. A list is null if `section` names another.
    """

    user_id: UserId
    app_id: AppId | None
    exported_at: str
    identity: UserIdentity
    verifications: list[Verification]
    profiles: ExportedProfileExportExportedProfile | None
    payout_methods: ExportedPayoutMethodExportExportedPayoutMethod | None
    screening_hits: ScreeningHitExportScreeningHit | None
    compliance_decisions: ComplianceDecisionExportComplianceDecision | None
    payout_links: PayoutLinkExportPayoutLink | None
    payout_links_by_phone: PayoutLinkExportPayoutLink | None
    payout_links_by_email: PayoutLinkExportPayoutLink | None
    transfers: TransferExportTransfer | None
    payout_requests: PayoutRequestExportPayoutRequest | None
    payout_requests_by_phone: PayoutRequestExportPayoutRequest | None
    notices: ExportedNoticeExportExportedNotice | None
    messages_by_phone: ExportedMessageExportExportedMessage | None
    messages_by_email: ExportedMessageExportExportedMessage | None
    events: EventExportEvent | None
    phone_verification_events: EventExportEvent | None
    email_verification_events: EventExportEvent | None
