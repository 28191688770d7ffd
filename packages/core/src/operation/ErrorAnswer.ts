/**
 * Kernel error -> status, code, message and recovery (decisions 3.2): the one place where the kernel's errors meet their callers.
 * The table is exhaustive, so a new error does not compile until it has an answer.
 */
import type { CredentialInvalid } from "../access/Authenticator.ts"
import type { DestinationNotAvailable } from "../destination/Destinations.ts"
import type { ErrorCode } from "../failure/ErrorCode.ts"
import type {
  Conflict,
  CursorUnusable,
  Detail,
  Forbidden,
  InvalidInput,
  LiveDataUnavailable,
  NotFound,
  PlanLimitReached,
  PreconditionFailed,
  ServerBusy,
  Unprocessable
} from "../failure/Failure.ts"
import * as Recovery from "../failure/Recovery.ts"
import { failureOf, type ProviderError } from "../provider/ProviderError.ts"
import type { ProviderNotAvailable } from "../provider/Providers.ts"
import type { WebhookRefused } from "../provider/Webhook.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { UnsupportedByProvider } from "../usecase/AccountData.ts"

/** An error as it is answered. */
export interface Answer<Status extends number = number> {
  readonly status: Status
  readonly code: ErrorCode
  readonly message: string
  readonly recovery?: Recovery.Recovery
  readonly details?: ReadonlyArray<Detail>
  readonly errors?: ReadonlyArray<string>
  readonly warnings?: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
}

export type KernelError =
  | NotFound
  | InvalidInput
  | Unprocessable
  | Conflict
  | PreconditionFailed
  | PlanLimitReached
  | CursorUnusable
  | LiveDataUnavailable
  | ServerBusy
  | UnsupportedByProvider
  | CredentialInvalid
  | DestinationNotAvailable
  | Forbidden
  | ProviderNotAvailable
  | WebhookRefused
  | StorageUnavailable
  | ProviderError

/** Most of what goes wrong upstream is 503; these are not. */
interface OtherStatus {
  readonly InvalidConnectPayload: 400
  readonly Unsupported: 404
  readonly UserCancelled: 409
  readonly DuplicateConnection: 409
}
type ProviderStatusOf<Tag extends ProviderError["_tag"]> = Tag extends keyof OtherStatus ? OtherStatus[Tag] : 503

/** The statuses that an error of the kernel can have: what endpoints have to declare. */
export type StatusOf = {
  readonly NotFound: 404
  readonly InvalidInput: 400
  readonly Unprocessable: 422
  readonly Conflict: 409
  readonly PreconditionFailed: 412
  readonly PlanLimitReached: 403
  readonly Forbidden: 403
  readonly CursorUnusable: 400
  readonly ServerBusy: 503
  readonly LiveDataUnavailable: 503
  readonly UnsupportedByProvider: 404
  readonly CredentialInvalid: 401
  readonly DestinationNotAvailable: 501
  readonly ProviderNotAvailable: 501
  readonly WebhookRefused: 401
  readonly StorageUnavailable: 503
} & { readonly [Tag in ProviderError["_tag"]]: ProviderStatusOf<Tag> }

const temporarily = "Temporarily unavailable"
const storageFull =
  "Storage is full: nothing new can be kept until the operator frees disk space. What is stored can be read"
const storageRetrySeconds = 5
/** Somebody has to make room first. */
const fullRetrySeconds = 300
/** Seconds after which what is in the way now may be over. */
const conflictRetrySeconds: Readonly<Partial<Record<ErrorCode, number>>> = {
  SYNC_ALREADY_RUNNING: 30,
  IDEMPOTENCY_IN_PROGRESS: 1
}

/** 503 with what the caller can do about it. */
const unavailable = (code: ErrorCode, message: string, recovery: Recovery.Recovery | undefined): Answer<503> => ({
  status: 503,
  code,
  message,
  ...(recovery === undefined ? {} : { recovery }),
  ...(recovery?.action === "retry" ? { headers: { "retry-after": String(recovery.afterSeconds) } } : {})
})

const providerMessages: Readonly<Partial<Record<ErrorCode, string>>> = {
  BANK_CONSENT_REQUIRED: "The bank requires consent; reconnect it",
  RECONNECT_REQUIRED: "The bank must be reconnected",
  INSTITUTION_UNAVAILABLE: "The bank is temporarily unavailable",
  PROVIDER_UNAVAILABLE: "The provider is temporarily unavailable",
  PROVIDER_RATE_LIMITED: "The provider limits requests at the moment",
  DATA_NOT_READY: "The first data is still being collected",
  PROVIDER_MISCONFIGURED: "The provider is not set up correctly"
}

const needsPerson: ReadonlySet<ErrorCode> = new Set(["BANK_CONSENT_REQUIRED", "RECONNECT_REQUIRED"])

const ofProvider = (error: ProviderError): Answer<503> => {
  const { code, recovery } = failureOf(error)
  const message = providerMessages[code]
  // Codes of runs that a direct read meets all the same: the provider cannot be read now.
  return message === undefined
    ? unavailable("PROVIDER_UNAVAILABLE", "The provider is temporarily unavailable", Recovery.retryAfter(300))
    : unavailable(code, message, recovery)
}

/** The person said no, or the connection is there already: another attempt begins anew. */
const ofAttempt =
  (message: string) =>
  (error: ProviderError): Answer<409> => {
    const { code, recovery } = failureOf(error)
    return { status: 409, code, message, ...(recovery === undefined ? {} : { recovery }) }
  }

const validated: ReadonlySet<ErrorCode> = new Set(["FEED_VALIDATION_FAILED", "ENRICHMENT_VALIDATION_FAILED"])

/** A fault by itself: where, and what. What is a sentence already stands behind a colon. */
const sentenceOf = ({ field, message }: Detail): string =>
  field === undefined ? message : /^\p{Ll}/u.test(message) ? `${field} ${message}` : `${field}: ${message}`

const table: {
  readonly [Tag in KernelError["_tag"]]: (error: Extract<KernelError, { readonly _tag: Tag }>) => Answer<StatusOf[Tag]>
} = {
  NotFound: ({ resource }) =>
    resource === "Loan"
      ? { status: 404, code: "LOAN_NOT_FOUND", message: "No loan data found" }
      : { status: 404, code: "NOT_FOUND", message: `${resource} not found` },
  InvalidInput: ({ code, message, details }) => ({ status: 400, code, message, details }),
  Unprocessable: ({ code, message, details, warnings }) => ({
    status: 422,
    code,
    message,
    details,
    ...(validated.has(code) ? { errors: details.map(sentenceOf), warnings: warnings ?? [] } : {})
  }),
  Conflict: ({ code, message, details }) => ({
    status: 409,
    code,
    message,
    details,
    ...(conflictRetrySeconds[code] === undefined ? {} : { recovery: Recovery.retryAfter(conflictRetrySeconds[code]) })
  }),
  PreconditionFailed: () => ({ status: 412, code: "PRECONDITION_FAILED", message: "Record has changed" }),
  PlanLimitReached: ({ what, limit }) => ({
    status: 403,
    code: "PLAN_LIMIT_REACHED",
    message: `Plan limit reached: ${what} (${limit})`
  }),
  Forbidden: ({ code, message, details }) => ({ status: 403, code, message, details }),
  CursorUnusable: ({ expired }) => ({
    status: 400,
    code: expired ? "CURSOR_EXPIRED" : "INVALID_CURSOR",
    message: expired ? "Cursor has expired" : "Cursor is not valid",
    recovery: Recovery.restartPagination,
    details: [{ field: "cursor", message: expired ? "has expired" : "is not valid" }]
  }),
  ServerBusy: () => busy,
  LiveDataUnavailable: ({ code, message, retryAfter }) =>
    unavailable(
      code,
      message,
      retryAfter !== undefined
        ? Recovery.retryAfter(retryAfter)
        : needsPerson.has(code)
          ? Recovery.reconnect
          : Recovery.contactSupport
    ),
  UnsupportedByProvider: ({ providerInstanceId, what }) => ({
    status: 404,
    code: "UNSUPPORTED_BY_PROVIDER",
    message: `${providerInstanceId} does not support ${what}`
  }),
  CredentialInvalid: () => ({
    status: 401,
    code: "INVALID_CREDENTIAL",
    message: "Invalid or expired API key",
    headers: { "www-authenticate": 'ApiKey realm="millrace"' }
  }),
  DestinationNotAvailable: ({ type }) => ({
    status: 501,
    code: "DESTINATION_NOT_AVAILABLE",
    message: `Destination ${type} is not available in this environment`
  }),
  ProviderNotAvailable: ({ instanceId }) => ({
    status: 501,
    code: "PROVIDER_NOT_AVAILABLE",
    message: `${instanceId} is not available in this environment`
  }),
  // Why is for the log alone: whoever guesses learns nothing.
  WebhookRefused: () => ({
    status: 401,
    code: "INVALID_SIGNATURE",
    message: "The signature is missing or not valid",
    headers: { "www-authenticate": 'Signature realm="millrace"' }
  }),
  StorageUnavailable: ({ full }) =>
    full === true
      ? unavailable("STORAGE_FULL", storageFull, Recovery.retryAfter(fullRetrySeconds))
      : unavailable("STORAGE_UNAVAILABLE", temporarily, Recovery.retryAfter(storageRetrySeconds)),
  ReauthRequired: ofProvider,
  ConsentRequired: ofProvider,
  ConnectionGone: ofProvider,
  InstitutionUnavailable: ofProvider,
  ProviderUnavailable: ofProvider,
  RateLimited: ofProvider,
  NotReady: ofProvider,
  MutationDuringPagination: ofProvider,
  CheckpointInvalid: ofProvider,
  RangeNotAllowed: ofProvider,
  Unsupported: () => ({
    status: 404,
    code: "UNSUPPORTED_BY_PROVIDER",
    message: "The provider does not support this"
  }),
  InvalidConnectPayload: () => ({
    status: 400,
    code: "INVALID_PAYLOAD",
    message: "Invalid connection payload: the provider refuses it. Start another attempt",
    details: [{ field: "payload", message: "is refused by the provider" }]
  }),
  UserCancelled: ofAttempt("The person stopped at the bank. Start another attempt"),
  DuplicateConnection: ofAttempt("The provider has this connection already; connect that bank anew instead"),
  Misconfigured: ofProvider,
  ProtocolViolation: ofProvider
}

export const answerOf = (error: KernelError): Answer => (table[error._tag] as (error: KernelError) => Answer)(error)

/** Whether whoever repeats a request is told this answer again; others depend on the moment, and may change. */
export const isFinal = (status: number): boolean => status !== 401 && status !== 403 && status !== 429 && status < 500

/** Faults of shape: 400, all at once. */
export const invalidRequest = (details: ReadonlyArray<Detail>): Answer => {
  const first = details[0]
  const fault = first === undefined ? "wrong shape" : sentenceOf(first)
  return { status: 400, code: "INVALID_REQUEST", message: `Request is invalid: ${fault}`, details }
}

export const defect: Answer = {
  status: 500,
  code: "INTERNAL_ERROR",
  message: "Something went wrong",
  recovery: Recovery.contactSupport
}

export const timedOut: Answer = unavailable(
  "STORAGE_UNAVAILABLE",
  temporarily,
  Recovery.retryAfter(storageRetrySeconds)
)

export const draining: Answer = unavailable("DRAINING", temporarily, Recovery.retryAfter(storageRetrySeconds))

/** More is asked at once than this server takes on; whoever asks less or later is answered. */
export const busy: Answer<503> = unavailable("SERVER_BUSY", "The server is busy", Recovery.retryAfter(1))
