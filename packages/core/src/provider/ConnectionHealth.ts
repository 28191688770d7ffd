/** Health of a bank connection (decisions 6.2). */
import * as Schema from "effect/Schema"
import { Timestamp } from "../shared/Timestamp.ts"

const healthStatuses = [
  "pending",
  "connected",
  "degraded",
  "reauth_required",
  "consent_expired",
  "disconnected",
  "error"
] as const
export const HealthStatus = Schema.Literals(healthStatuses)
export type HealthStatus = typeof HealthStatus.Type

/** What a driver found out about a connection. */
export interface ConnectionHealth {
  readonly status: HealthStatus
  /** `REAUTH_REQUIRED`, `CONSENT_EXPIRED` ...; absent when all is well. */
  readonly errorCode?: string
  readonly errorMessage?: string
  readonly consentExpiresAt?: Timestamp
  /** When the upstream last read from the bank, as it says. Data of an answer are never newer. */
  readonly lastUpstreamUpdateAt?: Timestamp
  readonly nextRefreshPossibleAt?: Timestamp
}

/** `connectionStatus` of a bank (specification 2.1). */
export const ConnectionStatus = Schema.Struct({
  connected: Schema.Boolean,
  status: HealthStatus,
  errorCode: Schema.optionalKey(Schema.String),
  errorMessage: Schema.optionalKey(Schema.String),
  lastCheckedAt: Schema.optionalKey(Timestamp),
  source: Schema.optionalKey(Schema.Literals(["provider_call", "webhook", "reconciler", "user"])),
  consentExpiresAt: Schema.optionalKey(Timestamp),
  lastUpstreamUpdateAt: Schema.optionalKey(Timestamp)
})
export type ConnectionStatus = typeof ConnectionStatus.Type

const usable: ReadonlySet<HealthStatus> = new Set(["pending", "connected", "degraded"])

/** Whether data can be read in this state. */
export const isUsable = (status: HealthStatus): boolean => usable.has(status)

const needsPerson: ReadonlySet<HealthStatus> = new Set(["reauth_required", "consent_expired", "disconnected"])

/**
 * Health is observed, so every status may follow every other, with one exception: a weaker fact never
 * hides a stronger one, so what only a person can mend does not become `degraded`.
 */
const nextStatus = (current: HealthStatus, observed: HealthStatus): HealthStatus =>
  observed === "degraded" && needsPerson.has(current) ? current : observed

/** What is kept of a look at a connection; without `before` it is a connection that is new, or was connected anew. */
export const statusAfter = (
  before: ConnectionStatus | undefined,
  health: ConnectionHealth,
  at: Timestamp
): ConnectionStatus => {
  const status = before === undefined ? health.status : nextStatus(before.status, health.status)
  const { status: _, ...found } = health
  return { ...found, connected: isUsable(status), status, lastCheckedAt: at, source: "provider_call" }
}
