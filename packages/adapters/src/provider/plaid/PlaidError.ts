/** What errors of Plaid mean, by their codes; texts of Plaid are never read and never shown. */
import type { OutboundRequest, OutboundResponse } from "@millrace/core/outbound"
import {
  CheckpointInvalid,
  ConnectionGone,
  ConsentRequired,
  InstitutionUnavailable,
  InvalidConnectPayload,
  Misconfigured,
  MutationDuringPagination,
  NotReady,
  type ProviderError,
  ProviderUnavailable,
  RateLimited,
  readJson,
  ReauthRequired,
  refusalOf,
  Unsupported
} from "@millrace/core/provider"
import * as Result from "effect/Result"
import { shownCode } from "../upstream/UpstreamForm.ts"
import { PlaidProblem } from "./PlaidForm.ts"

type Meaning =
  | "reauth"
  | "consent"
  | "gone"
  | "payload"
  | "institution"
  | "institutionForever"
  | "provider"
  | "rate"
  | "notReady"
  | "mutation"
  | "unsupported"
  | "misconfigured"

const codes: Readonly<Record<Meaning, string>> = {
  reauth: `ITEM_LOGIN_REQUIRED ITEM_LOCKED INVALID_CREDENTIALS INVALID_MFA INVALID_OTP INVALID_SEND_METHOD
    INVALID_UPDATED_USERNAME INVALID_PHONE_NUMBER MFA_NOT_SUPPORTED USER_SETUP_REQUIRED INSUFFICIENT_CREDENTIALS
    USER_INPUT_TIMEOUT PASSWORD_RESET_REQUIRED`,
  consent: "ADDITIONAL_CONSENT_REQUIRED ACCESS_NOT_GRANTED NO_ACCOUNTS",
  gone: "ITEM_NOT_FOUND INVALID_ACCESS_TOKEN USER_PERMISSION_REVOKED ITEM_CONCURRENTLY_DELETED",
  payload: `INVALID_PUBLIC_TOKEN INVALID_LINK_TOKEN INVALID_INSTITUTION INCORRECT_OAUTH_NONCE INCORRECT_LINK_TOKEN
    OAUTH_STATE_ID_ALREADY_PROCESSED OAUTH_STATE_ID_NOT_FOUND`,
  institution: `INSTITUTION_DOWN INSTITUTION_NOT_RESPONDING INSTITUTION_NOT_AVAILABLE INSTITUTION_NOT_FOUND
    UNSUPPORTED_RESPONSE`,
  institutionForever: "INSTITUTION_NO_LONGER_SUPPORTED ITEM_NOT_SUPPORTED",
  provider: "INTERNAL_SERVER_ERROR PLANNED_MAINTENANCE",
  rate: "RATE_LIMIT RATE_LIMIT_EXCEEDED",
  notReady: "PRODUCT_NOT_READY",
  mutation: "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION",
  unsupported: `PRODUCTS_NOT_SUPPORTED PRODUCT_NOT_SUPPORTED PRODUCT_NOT_ENABLED NO_INVESTMENT_ACCOUNTS
    NO_INVESTMENT_AUTH_ACCOUNTS NO_LIABILITY_ACCOUNTS NO_AUTH_ACCOUNTS`,
  misconfigured: `INVALID_API_KEYS UNAUTHORIZED_ENVIRONMENT UNAUTHORIZED_ROUTE_ACCESS SANDBOX_ONLY INVALID_PRODUCT
    DIRECT_INTEGRATION_NOT_ENABLED INSTITUTION_NOT_ENABLED_IN_ENVIRONMENT INSTITUTION_REGISTRATION_REQUIRED
    INCOMPATIBLE_API_VERSION INVALID_HEADERS INVALID_BODY MISSING_FIELDS UNKNOWN_FIELDS INVALID_FIELD`
}

const byCode: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(codes).flatMap(([meaning, list]) =>
    list.split(/\s+/).map((code): [string, Meaning] => [code, meaning as Meaning])
  )
)

/** What the reason of an error of OAuth says more exactly than its code. */
const byReason: ReadonlyMap<string, Meaning> = new Map([
  ["OAUTH_INVALID_TOKEN", "reauth"],
  ["OAUTH_USER_REVOKED", "reauth"],
  ["OAUTH_CONSENT_EXPIRED", "consent"]
])

/** Codes that are new mean what their type means. */
const byType: ReadonlyMap<string, Meaning> = new Map([
  ["RATE_LIMIT_EXCEEDED", "rate"],
  ["INSTITUTION_ERROR", "institution"],
  ["API_ERROR", "provider"],
  ["INVALID_RESULT", "provider"],
  ["OAUTH_ERROR", "payload"],
  ["INVALID_REQUEST", "misconfigured"],
  ["INVALID_INPUT", "misconfigured"],
  // Something about this item that we do not know: asking again later does no harm.
  ["ITEM_ERROR", "provider"]
])

const meaningOf = ({ error_code, error_code_reason, error_type }: PlaidProblem): Meaning | undefined =>
  byReason.get(error_code_reason ?? "") ??
  // Codes of limits are many, and new ones come with each endpoint.
  (error_type === "RATE_LIMIT_EXCEEDED" ? "rate" : byCode.get(error_code)) ??
  byType.get(error_type ?? "")

/** What a request was about. */
export interface Asked {
  readonly counts: NonNullable<OutboundRequest["counts"]>
  /** The data that were asked for. */
  readonly dataType?: string
  /** The request named a cursor. */
  readonly hasCursor?: boolean
}

/** Plaid names no time. */
const rateSeconds = 60
const notReadySeconds = 60
const maintenanceSeconds = 600

const evidenceOf = ({ error_code, request_id }: PlaidProblem) => {
  const providerCode = shownCode(error_code)
  const requestId = shownCode(request_id)
  return {
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(requestId === undefined ? {} : { requestId })
  }
}

/** The error that a problem means; `undefined` where Plaid has told us nothing that we know. */
export const errorOf = (problem: PlaidProblem, { counts, dataType, hasCursor }: Asked): ProviderError | undefined => {
  const evidence = evidenceOf(problem)
  // The one field that can be wrong by itself, long after it was right: what it says of it comes in no code.
  if (problem.error_code === "INVALID_FIELD" && hasCursor === true && /cursor/i.test(problem.error_message ?? "")) {
    return new CheckpointInvalid({ ...evidence, message: "Plaid does not accept the cursor any more" })
  }
  switch (meaningOf(problem)) {
    case "reauth":
      return new ReauthRequired({ ...evidence, message: "The bank asks for a new sign-in" })
    case "consent":
      return new ConsentRequired({ ...evidence, message: "The consent at the bank does not cover this any more" })
    case "gone":
      return new ConnectionGone({ ...evidence, message: "Plaid does not know this connection any more" })
    case "payload":
      return new InvalidConnectPayload({ ...evidence, message: "Plaid does not accept what the sign-in brought back" })
    case "institution":
      return new InstitutionUnavailable({ ...evidence, message: "The bank does not answer Plaid" })
    case "institutionForever":
      return new InstitutionUnavailable({ ...evidence, message: "Plaid no longer supports the bank", permanent: true })
    case "provider":
      return new ProviderUnavailable({
        ...evidence,
        message: "Plaid is not available",
        ...(problem.error_code === "PLANNED_MAINTENANCE" ? { retryAfter: maintenanceSeconds } : {})
      })
    case "rate": {
      const { connection, endpoint } = counts
      return new RateLimited({
        ...evidence,
        message: "Plaid was asked too often",
        scope: endpoint !== undefined ? "endpoint" : connection !== undefined ? "connection" : "client",
        ...(endpoint === undefined ? {} : { endpoint }),
        retryAfter: rateSeconds
      })
    }
    case "notReady":
      return new NotReady({ ...evidence, message: "Plaid is still collecting the data", retryAfter: notReadySeconds })
    case "mutation":
      return new MutationDuringPagination({ ...evidence, message: "The transactions changed while they were paged" })
    case "unsupported":
      return new Unsupported({ ...evidence, message: "The bank does not have this", dataType: dataType ?? "connect" })
    case "misconfigured":
      return new Misconfigured({ ...evidence, message: "Plaid refuses our settings or our request" })
    case undefined:
      return undefined
  }
}

/** What an answer that is no success means. */
export const refusal = (answer: OutboundResponse, asked: Asked): ProviderError | undefined => {
  if (answer.status >= 200 && answer.status < 300) return undefined
  const problem = readJson("Plaid", PlaidProblem, answer)
  const meant = Result.isSuccess(problem) ? errorOf(problem.success, asked) : undefined
  return meant ?? refusalOf("Plaid", answer, asked.counts)
}
