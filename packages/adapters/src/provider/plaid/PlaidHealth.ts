/** How a connection is, by what Plaid says of its item. */
import type { ConnectionHealth, ProviderError } from "@millrace/core/provider"
import { errorOf } from "./PlaidError.ts"
import type { ItemAnswer, PlaidProblem } from "./PlaidForm.ts"
import { instantOf, shownCode } from "../upstream/UpstreamForm.ts"

const statuses: Readonly<Partial<Record<ProviderError["_tag"], ConnectionHealth["status"]>>> = {
  ReauthRequired: "reauth_required",
  ConsentRequired: "consent_expired",
  ConnectionGone: "disconnected"
}

const codes: Readonly<Partial<Record<ProviderError["_tag"], string>>> = {
  ReauthRequired: "REAUTH_REQUIRED",
  ConsentRequired: "CONSENT_EXPIRED",
  ConnectionGone: "CONNECTION_GONE",
  InstitutionUnavailable: "INSTITUTION_UNAVAILABLE"
}

const healthOfError = (error: ProviderError): ConnectionHealth => ({
  status: statuses[error._tag] ?? "degraded",
  errorCode: codes[error._tag] ?? error.providerCode ?? "UNKNOWN",
  errorMessage: error.message
})

/** What an error that Plaid tells of an item makes of its health; what it does not know is a trouble that may pass. */
export const healthOfProblem = (problem: PlaidProblem): ConnectionHealth => {
  const error = errorOf(problem, { counts: {} })
  return error === undefined
    ? {
        status: "degraded",
        errorCode: shownCode(problem.error_code) ?? "UNKNOWN",
        errorMessage: "Plaid tells of a trouble"
      }
    : healthOfError(error)
}

const later = (a: string | undefined, b: string | undefined) => (a === undefined ? b : b === undefined || a > b ? a : b)

/** The health of an item; an update that failed after the last good one makes it degraded. */
export const healthOf = ({ item, status }: ItemAnswer): ConnectionHealth => {
  const consentExpiresAt = instantOf(item.consent_expiration_time)
  const updates = [status?.transactions, status?.investments]
  const good = updates.map((one) => instantOf(one?.last_successful_update)).reduce(later, undefined)
  const isFailing = updates.some((one) => {
    const failed = instantOf(one?.last_failed_update)
    const succeeded = instantOf(one?.last_successful_update)
    return failed !== undefined && (succeeded === undefined || failed > succeeded)
  })
  return {
    ...(item.error !== undefined && item.error !== null
      ? healthOfProblem(item.error)
      : isFailing
        ? { status: "degraded", errorCode: "UPDATE_FAILED", errorMessage: "Plaid could not read from the bank lately" }
        : { status: "connected" }),
    ...(consentExpiresAt === undefined ? {} : { consentExpiresAt }),
    ...(good === undefined ? {} : { lastUpstreamUpdateAt: good as NonNullable<typeof consentExpiresAt> })
  }
}
