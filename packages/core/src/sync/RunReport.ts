/** What a run has to say on its job (decisions 3.2). */
import { enrichmentsOffMessage } from "../enrichment/EnrichmentsOn.ts"
import { warning, type Finding } from "../job/Finding.ts"
import { limits } from "../shared/Limits.ts"
import type { LeaseLost } from "../storage/Lease.ts"
import { failureOf, type ProviderError } from "../provider/ProviderError.ts"
import type { ProviderNotAvailable } from "../provider/Providers.ts"
import type { Refused } from "../destination/DeliveryRun.ts"
import type { DestinationError } from "../destination/Destination.ts"
import type { DestinationNotAvailable } from "../destination/Destinations.ts"
import type { NotFound } from "../failure/Failure.ts"
import type { Quarantined } from "../record/Observation.ts"
import type { PaginationUnstable } from "./PullError.ts"

/** How many single records are named before the rest is only counted. */
const named = 20

export const quarantineFindings = (rows: ReadonlyArray<Quarantined>): ReadonlyArray<Finding> => [
  ...rows
    .slice(0, named)
    .map((row) => warning("validation", "ROW_QUARANTINED", `Record ${row.providerId || "without id"}: ${row.reason}`)),
  ...(rows.length > named
    ? [warning("validation", "ROW_QUARANTINED", `${rows.length - named} more records could not be read`)]
    : [])
]

/** Told once for each reason: who waits, waits for the same. */
const waitingFindings = (rows: ReadonlyArray<Refused>): ReadonlyArray<Finding> =>
  [...Map.groupBy(rows, ({ reason }) => reason)].map(([reason, { length }]) =>
    warning(
      "destination",
      "PLAN_LIMIT_REACHED",
      `${length} ${length === 1 ? "record waits" : "records wait"}: ${reason}`
    )
  )

export const refusedFindings = (all: ReadonlyArray<Refused>): ReadonlyArray<Finding> => {
  const rows = all.filter(({ waits }) => !waits)
  return [...waitingFindings(all.filter(({ waits }) => waits)), ...refusals(rows)]
}

const refusals = (rows: ReadonlyArray<Refused>): ReadonlyArray<Finding> => [
  ...rows
    .slice(0, named)
    .map(({ dead, reason, recordId }) =>
      warning("destination", "DESTINATION_REJECTED", `Record ${recordId}${dead ? ", given up" : ""}: ${reason}`)
    ),
  ...(rows.length > named
    ? [warning("destination", "DESTINATION_REJECTED", `${rows.length - named} more records were refused`)]
    : [])
]

/** The operator has switched enrichments off: what was read waits. */
export const enrichmentsOffFindings: ReadonlyArray<Finding> = [
  warning(
    "enrichment",
    "ENRICHMENT_FAILED",
    `${enrichmentsOffMessage}. What was read is delivered when they are on again.`
  )
]

interface EnrichmentProblem {
  readonly enrichmentId: string
  readonly message: string
}

/** Each told once, and of one enrichment no more than can be read. */
export const faultFindings = (faults: ReadonlyArray<EnrichmentProblem>): ReadonlyArray<Finding> =>
  [...Map.groupBy(faults, ({ enrichmentId }) => enrichmentId)].flatMap(([id, all]) => {
    const messages = [...new Set(all.map(({ message }) => message))]
    const told = messages.slice(0, limits.enrichmentFaults)
    const more = messages.length - told.length
    return [...told, ...(more > 0 ? [`${more} more faults`] : [])].map((message) =>
      warning("enrichment", "ENRICHMENT_FAILED", `${id}: ${message}`)
    )
  })

/** Rows that wait for so long that somebody should look at them. */
export const heldFindings = (rows: number, feedId: string): ReadonlyArray<Finding> =>
  rows === 0
    ? []
    : [
        warning(
          "enrichment",
          "ROWS_HELD",
          `${rows === 1 ? "1 row is" : `${rows} rows are`} held back by a filter for more than ${limits.holdDays} days: ` +
            `GET /v1/feeds/${feedId}/withheld?verdict=hold lists them`
        )
      ]

export type SourceError = ProviderError | ProviderNotAvailable | PaginationUnstable | LeaseLost | NotFound

/** Why a connection could not be read; `who` is the name of the bank. */
export const sourceFinding = (who: string, error: SourceError): Finding => {
  const fatal = { severity: "fatal" as const }
  switch (error._tag) {
    case "ProviderNotAvailable":
      return {
        ...fatal,
        category: "provider",
        code: "PROVIDER_NOT_AVAILABLE",
        message: `${who}: the provider ${error.instanceId} is not available in this environment`,
        recovery: { action: "contact_support" }
      }
    case "PaginationUnstable":
      return {
        ...fatal,
        category: "provider",
        code: "PAGINATION_UNSTABLE",
        message: `${who}: ${error.message}`,
        recovery: { action: "restart_pagination" }
      }
    case "LeaseLost":
      return {
        ...fatal,
        category: "internal",
        code: "WORKER_LOST",
        message: `${who}: another run took over the connection`,
        recovery: { action: "retry", afterSeconds: 30 }
      }
    case "NotFound":
      return {
        ...fatal,
        category: "validation",
        code: "NOT_FOUND",
        message: `${who}: ${error.resource} not found`
      }
    default:
      return { ...fatal, ...failureOf(error), message: `${who}: ${error.message}` }
  }
}

export const destinationFinding = (error: DestinationError | DestinationNotAvailable): Finding => {
  const fatal = { severity: "fatal" as const, category: "destination" as const }
  switch (error._tag) {
    case "DestinationUnavailable":
      return {
        ...fatal,
        code: "DESTINATION_UNAVAILABLE",
        message: error.message,
        recovery: { action: "retry", afterSeconds: error.retryAfter ?? 300 }
      }
    case "DestinationColumnMissing":
      return { ...fatal, code: "DESTINATION_COLUMN_MISSING", message: error.message }
    case "DestinationRejected":
      return { ...fatal, code: "DESTINATION_REJECTED", message: error.message }
    case "DestinationNotAvailable":
      return {
        ...fatal,
        code: "DESTINATION_NOT_AVAILABLE",
        message: `The destination "${error.type}" is not enabled here`
      }
    case "StorageUnavailable":
      return {
        ...fatal,
        category: "internal",
        code: "STORAGE_UNAVAILABLE",
        message: error.message,
        recovery: { action: "retry", afterSeconds: 5 }
      }
  }
}
