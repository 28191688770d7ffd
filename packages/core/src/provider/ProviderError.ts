/**
 * What can go wrong at an upstream provider, as one closed union.
 *
 * Drivers translate every upstream code into one of these; each says by itself what the caller can do
 * (`recoveryOf`). Messages are safe to show: no secrets, no upstream text, no URLs with queries.
 */
import * as Schema from "effect/Schema"
import type { ErrorCategory, ErrorCode } from "../failure/ErrorCode.ts"
import * as Recovery from "../failure/Recovery.ts"

const evidence = {
  message: Schema.String,
  /** The upstream's own error code, for the log and the support case. */
  providerCode: Schema.optionalKey(Schema.String),
  /** The upstream's id of the failed request. */
  requestId: Schema.optionalKey(Schema.String)
}
/** Whatever a driver was told: the kernel makes a wait of it that can be kept (`hintSeconds`). */
const Seconds = Schema.Number

/** The person must sign in at the bank again. */
export class ReauthRequired extends Schema.TaggedError<ReauthRequired>()("ReauthRequired", evidence) {}

/** The consent is missing, has expired or is too narrow. */
export class ConsentRequired extends Schema.TaggedError<ConsentRequired>()("ConsentRequired", evidence) {}

/** The upstream no longer knows the connection. */
export class ConnectionGone extends Schema.TaggedError<ConnectionGone>()("ConnectionGone", evidence) {}

/** The bank is down or refuses; `permanent` when it will not come back. */
export class InstitutionUnavailable extends Schema.TaggedError<InstitutionUnavailable>()("InstitutionUnavailable", {
  ...evidence,
  retryAfter: Schema.optionalKey(Seconds),
  permanent: Schema.optionalKey(Schema.Boolean)
}) {}

/** The provider itself is down, timed out, or cut the answer. */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  ...evidence,
  retryAfter: Schema.optionalKey(Seconds)
}) {}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...evidence,
  scope: Schema.Literals(["client", "connection", "account", "endpoint"]),
  retryAfter: Seconds,
  /** The name of the endpoint, of that scope: it alone is held. */
  endpoint: Schema.optionalKey(Schema.String),
  /** Nobody was asked: our own budget had no place in time. */
  unasked: Schema.optionalKey(Schema.Boolean)
}) {}

/** First data is still being collected upstream. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { ...evidence, retryAfter: Seconds }) {}

/** The set changed while it was paged: what was read is dropped and read again from the checkpoint. */
export class MutationDuringPagination extends Schema.TaggedError<MutationDuringPagination>()(
  "MutationDuringPagination",
  evidence
) {}

/** The upstream does not accept our checkpoint any more: read everything again. */
export class CheckpointInvalid extends Schema.TaggedError<CheckpointInvalid>()("CheckpointInvalid", evidence) {}

/** The asked range reaches too far back; the kernel clamps it to `earliest` and tries again. */
export class RangeNotAllowed extends Schema.TaggedError<RangeNotAllowed>()("RangeNotAllowed", {
  ...evidence,
  earliest: Schema.String
}) {}

export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", {
  ...evidence,
  dataType: Schema.String
}) {}

/** The payload of a connection attempt is not valid, or not ours. */
export class InvalidConnectPayload extends Schema.TaggedError<InvalidConnectPayload>()(
  "InvalidConnectPayload",
  evidence
) {}

/** The person stopped at the provider's page, or said no there. */
export class UserCancelled extends Schema.TaggedError<UserCancelled>()("UserCancelled", evidence) {}

/** The upstream has this connection already and makes no second one; `existing` is its reference, where it says so. */
export class DuplicateConnection extends Schema.TaggedError<DuplicateConnection>()("DuplicateConnection", {
  ...evidence,
  existing: Schema.optionalKey(Schema.String)
}) {}

/** Our credentials or settings at the provider are wrong: the operator must act. */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()("Misconfigured", evidence) {}

/** The answer does not have the agreed form; `path` names where. Never taken for an empty answer. */
export class ProtocolViolation extends Schema.TaggedError<ProtocolViolation>()("ProtocolViolation", {
  ...evidence,
  path: Schema.String
}) {}

export type ProviderError =
  | ReauthRequired
  | ConsentRequired
  | ConnectionGone
  | InstitutionUnavailable
  | ProviderUnavailable
  | RateLimited
  | NotReady
  | MutationDuringPagination
  | CheckpointInvalid
  | RangeNotAllowed
  | Unsupported
  | InvalidConnectPayload
  | UserCancelled
  | DuplicateConnection
  | Misconfigured
  | ProtocolViolation

export interface ProviderFailure {
  readonly code: ErrorCode
  readonly category: ErrorCategory
  readonly recovery: Recovery.Recovery | undefined
}

const table: {
  readonly [Tag in ProviderError["_tag"]]: (error: Extract<ProviderError, { readonly _tag: Tag }>) => ProviderFailure
} = {
  ReauthRequired: () => ({ code: "RECONNECT_REQUIRED", category: "consent", recovery: Recovery.reconnect }),
  ConsentRequired: () => ({ code: "BANK_CONSENT_REQUIRED", category: "consent", recovery: Recovery.reconnect }),
  ConnectionGone: () => ({ code: "RECONNECT_REQUIRED", category: "consent", recovery: Recovery.reconnect }),
  InstitutionUnavailable: (error) => ({
    code: "INSTITUTION_UNAVAILABLE",
    category: "institution",
    recovery: error.permanent === true ? Recovery.contactSupport : Recovery.retryAfter(error.retryAfter ?? 900)
  }),
  ProviderUnavailable: (error) => ({
    code: "PROVIDER_UNAVAILABLE",
    category: "provider",
    recovery: Recovery.retryAfter(error.retryAfter ?? 300)
  }),
  RateLimited: (error) => ({
    code: "PROVIDER_RATE_LIMITED",
    category: "rate_limit",
    recovery: Recovery.retryAfter(error.retryAfter)
  }),
  NotReady: (error) => ({
    code: "DATA_NOT_READY",
    category: "provider",
    recovery: Recovery.retryAfter(error.retryAfter)
  }),
  MutationDuringPagination: () => ({
    code: "PAGINATION_UNSTABLE",
    category: "provider",
    recovery: Recovery.restartPagination
  }),
  CheckpointInvalid: () => ({ code: "CHECKPOINT_LOST", category: "provider", recovery: Recovery.resync }),
  RangeNotAllowed: () => ({ code: "RANGE_CLAMPED", category: "provider", recovery: undefined }),
  Unsupported: () => ({ code: "UNSUPPORTED_BY_PROVIDER", category: "provider", recovery: undefined }),
  InvalidConnectPayload: () => ({ code: "INVALID_PAYLOAD", category: "validation", recovery: undefined }),
  UserCancelled: () => ({ code: "CONNECTION_CANCELLED", category: "validation", recovery: undefined }),
  DuplicateConnection: () => ({ code: "ALREADY_EXISTS", category: "validation", recovery: undefined }),
  Misconfigured: () => ({
    code: "PROVIDER_MISCONFIGURED",
    category: "provider",
    recovery: Recovery.contactSupport
  }),
  ProtocolViolation: () => ({
    code: "PROVIDER_MISCONFIGURED",
    category: "provider",
    recovery: Recovery.contactSupport
  })
}

/** Code, category and recovery of a provider error, as answers and jobs show them. */
export const failureOf = (error: ProviderError): ProviderFailure =>
  (table[error._tag] as (error: ProviderError) => ProviderFailure)(error)

/** Whether an error of a use case came from an upstream. */
export const isProviderError = (error: { readonly _tag: string }): error is ProviderError =>
  Object.hasOwn(table, error._tag)
