/** The closed catalogue of error codes (decisions 3.2). */
import * as Schema from "effect/Schema"

/** Codes of answers of the REST API. */
export const answerCodes = [
  "INVALID_REQUEST",
  "INVALID_JSON",
  "INVALID_ENCODING",
  "BODY_TOO_DEEP",
  "INVALID_DATE_RANGE",
  "INVALID_SCOPE_VALUE",
  "FAMILY_SCOPE_ON_PORTAL",
  "INVALID_CURSOR",
  "CURSOR_EXPIRED",
  "INVALID_PAYLOAD",
  "ATTEMPT_NOT_FOUND",
  "ATTEMPT_EXPIRED",
  "CONNECTION_CANCELLED",
  "CONNECTION_FAILED",
  "MISSING_CREDENTIAL",
  "INVALID_CREDENTIAL",
  "CREDENTIAL_AMBIGUOUS",
  "INVALID_SIGNATURE",
  "INSUFFICIENT_SCOPE",
  "INSUFFICIENT_ROLE",
  "SIGNED_IN_SESSION_REQUIRED",
  "AUTOMATION_ONLY",
  "APP_NOT_ALLOWED",
  "APP_RULE_ON_ALL_FEEDS",
  "PLAN_WITHOUT_API_ACCESS",
  "PLAN_LIMIT_REACHED",
  "NOT_FOUND",
  "ROUTE_NOT_FOUND",
  "LOAN_NOT_FOUND",
  "UNSUPPORTED_BY_PROVIDER",
  "METHOD_NOT_ALLOWED",
  "BANK_IN_USE",
  "BANK_REMOVING",
  "BANK_REMOVAL_FAILED",
  "BANK_REMOVAL_NOT_REVERSIBLE",
  "SYNC_ALREADY_RUNNING",
  "JOB_ALREADY_FINISHED",
  "JOB_PAUSED",
  "JOB_NOT_PAUSED",
  "INVALID_STATE",
  "TABLE_IN_USE",
  "FIELD_IN_USE",
  "KEY_TAKEN",
  "MEMORY_ENRICHMENT_EXISTS",
  "ALREADY_EXISTS",
  "IDEMPOTENCY_IN_PROGRESS",
  "SECRET_ALREADY_SHOWN",
  "PRECONDITION_FAILED",
  "BODY_TOO_LARGE",
  "URI_TOO_LONG",
  "HEADERS_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "FEED_VALIDATION_FAILED",
  "ENRICHMENT_VALIDATION_FAILED",
  "FEED_NOT_READY",
  "SYNC_OPTIONS_INVALID",
  "FILTER_INVALID",
  "PARAM_REQUIRED",
  "UNSAFE_PATTERN",
  "QUERY_TOO_BROAD",
  "VALIDATION_FAILED",
  "LIMIT_EXCEEDED",
  "IDEMPOTENCY_KEY_REUSED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
  "PROVIDER_NOT_AVAILABLE",
  "DESTINATION_NOT_AVAILABLE",
  "STORAGE_UNAVAILABLE",
  "STORAGE_FULL",
  "SERVER_BUSY",
  "DRAINING"
] as const

/** Codes of what goes wrong upstream; they appear on answers (503) and on jobs. */
export const providerCodes = [
  "BANK_CONSENT_REQUIRED",
  "RECONNECT_REQUIRED",
  "INSTITUTION_UNAVAILABLE",
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_RATE_LIMITED",
  "DATA_NOT_READY",
  "PROVIDER_MISCONFIGURED"
] as const

/** Codes that appear on jobs only. */
export const jobCodes = [
  "CHECKPOINT_LOST",
  "PAGINATION_UNSTABLE",
  "ROW_QUARANTINED",
  "ID_UNTRUSTED",
  "DESTINATION_REJECTED",
  "DESTINATION_UNAVAILABLE",
  "DESTINATION_COLUMN_MISSING",
  "DESTINATION_AUTH",
  "ENRICHMENT_FAILED",
  "RANGE_CLAMPED",
  "WORKER_LOST",
  "QUEUE_TIMEOUT",
  "PAUSE_EXPIRED",
  "FILE_UNREADABLE",
  "BALANCE_MISMATCH",
  "INTERNAL_ERROR"
] as const

export const ErrorCode = Schema.Literals([...answerCodes, ...providerCodes, ...jobCodes])
export type ErrorCode = typeof ErrorCode.Type

/** Where the blame of a job error lies (decisions 3.2). */
const errorCategories = [
  "provider",
  "consent",
  "institution",
  "destination",
  "validation",
  "enrichment",
  "rate_limit",
  "internal"
] as const
export const ErrorCategory = Schema.Literals(errorCategories)
export type ErrorCategory = typeof ErrorCategory.Type
