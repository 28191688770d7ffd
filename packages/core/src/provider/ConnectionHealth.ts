/** Health of a bank connection (decisions 6.2). */
import * as Schema from "effect/Schema"
import type { SyncDataType } from "../record/DataType.ts"
import { Timestamp, toMillis } from "../shared/Timestamp.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { UnreadAccount } from "./ReadAccounts.ts"

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

/** Who found out how a connection is. */
export const statusSources = ["provider_call", "webhook", "reconciler", "user"] as const
export type StatusSource = (typeof statusSources)[number]

/** `connectionStatus` of a bank (specification 2.1). */
export const ConnectionStatus = Schema.Struct({
  connected: Schema.Boolean,
  status: HealthStatus,
  errorCode: Schema.optionalKey(Schema.String),
  errorMessage: Schema.optionalKey(Schema.String),
  lastCheckedAt: Schema.optionalKey(Timestamp),
  source: Schema.optionalKey(Schema.Literals(statusSources)),
  consentExpiresAt: Schema.optionalKey(Timestamp),
  lastUpstreamUpdateAt: Schema.optionalKey(Timestamp),
  nextRefreshPossibleAt: Schema.optionalKey(Timestamp)
})
export type ConnectionStatus = typeof ConnectionStatus.Type

const counts = {
  /** How many in a row failed for a reason that passes. */
  failures: Schema.optionalKey(Schema.Int),
  /** Answers in a row that had not the agreed form. */
  violations: Schema.optionalKey(Schema.Int)
}

/** Reads of one type of data that failed since the last one that did not. */
const FailedReads = Schema.Struct({
  ...counts,
  /** The status says so: only a read that succeeds, or another look than that before a read, says otherwise. */
  told: Schema.optionalKey(Schema.Boolean)
})

/** The status as it is kept, with what is counted until it becomes another one. Nobody is shown that. */
export const KeptStatus = Schema.Struct({
  ...ConnectionStatus.fields,
  /** Of looks. */
  ...counts,
  /** By type of data. */
  reads: Schema.optionalKey(Schema.Record(Schema.String, FailedReads))
})
export type KeptStatus = typeof KeptStatus.Type

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

/** Hours after which data that the upstream has not read again count as stale. */
const staleHours = 48

/** What follows from what was found: a consent whose end has passed, data that have not moved for two days. */
const judged = (health: ConnectionHealth, at: Timestamp): ConnectionHealth => {
  const { consentExpiresAt, lastUpstreamUpdateAt, status } = health
  if (isUsable(status) && consentExpiresAt !== undefined && consentExpiresAt <= at) {
    return {
      ...health,
      status: "consent_expired",
      errorCode: "CONSENT_EXPIRED",
      errorMessage: "The consent has expired"
    }
  }
  const stale =
    status === "connected" &&
    lastUpstreamUpdateAt !== undefined &&
    toMillis(at) - toMillis(lastUpstreamUpdateAt) > staleHours * 3_600_000
  return stale
    ? {
        ...health,
        status: "degraded",
        errorCode: "STALE_DATA",
        errorMessage: `The provider has read nothing from the bank for ${staleHours} hours`
      }
    : health
}

/** What a look found, with what was known of the consent before: a look that says nothing about it takes nothing back. */
const foundAfter = (before: KeptStatus | undefined, found: ConnectionHealth, at: Timestamp): ConnectionHealth => {
  const known = before?.consentExpiresAt
  return judged(known === undefined ? found : { consentExpiresAt: known, ...found }, at)
}

const accountUnreadable = "ACCOUNT_UNREADABLE"

const mostNamed = 5

/** What a look found, where some of the accounts cannot be read: the sentence names each, and what is wrong with it. */
export const withUnread = (health: ConnectionHealth, unread: ReadonlyArray<UnreadAccount>): ConnectionHealth => {
  if (unread.length === 0 || !isUsable(health.status)) return health
  const named = unread.slice(0, mostNamed).map(({ name, providerAccountId, reason }) => {
    const account = name ?? (providerAccountId === "" ? "One" : providerAccountId.slice(0, 80))
    return `${account} (${reason})`
  })
  const more = unread.length > mostNamed ? ` and ${unread.length - mostNamed} more` : ""
  const sentence = `Accounts that cannot be read, and stay as they were: ${named.join(", ")}${more}`
  return health.status === "degraded"
    ? { ...health, errorMessage: health.errorMessage === undefined ? sentence : `${health.errorMessage}. ${sentence}` }
    : { ...health, status: "degraded", errorCode: accountUnreadable, errorMessage: sentence }
}

/** The same of a look that did not ask for accounts: what is known of them stays. */
export const stillUnread = (before: KeptStatus | undefined, found: ConnectionHealth): ConnectionHealth =>
  found.status === "connected" && before?.status === "degraded" && before.errorCode === accountUnreadable
    ? {
        ...found,
        status: "degraded",
        errorCode: accountUnreadable,
        ...(before.errorMessage === undefined ? {} : { errorMessage: before.errorMessage })
      }
    : found

/** What is kept of a look at a connection; without `before` it is a connection that is new, or was reconnected. */
export const statusAfter = (
  before: KeptStatus | undefined,
  found: ConnectionHealth,
  at: Timestamp,
  source: StatusSource = "provider_call"
): KeptStatus => {
  const health = foundAfter(before, found, at)
  const status = before === undefined ? health.status : nextStatus(before.status, health.status)
  if (before !== undefined && status !== health.status) return { ...before, lastCheckedAt: at, source }
  const { status: _, ...rest } = health
  return { ...rest, connected: isUsable(status), status, lastCheckedAt: at, source }
}

/**
 * The same of the look that comes before a read, and whether the read makes sense. Where reads have failed though looks were
 * good, the read decides and not the look: else the status would change twice with each of them.
 */
export const statusBeforeRead = (
  before: KeptStatus | undefined,
  found: ConnectionHealth,
  at: Timestamp
): { readonly status: KeptStatus; readonly readable: boolean } => {
  const status = statusAfter(before, found, at)
  const { consentExpiresAt, lastUpstreamUpdateAt, nextRefreshPossibleAt, status: seen } = foundAfter(before, found, at)
  if (before?.reads === undefined || !isUsable(seen)) return { status, readable: isUsable(seen) }
  const told = Object.values(before.reads).some((read) => read.told === true)
  const dates = {
    ...(consentExpiresAt === undefined ? {} : { consentExpiresAt }),
    ...(lastUpstreamUpdateAt === undefined ? {} : { lastUpstreamUpdateAt }),
    ...(nextRefreshPossibleAt === undefined ? {} : { nextRefreshPossibleAt })
  }
  const { failures: _f, violations: _v, ...kept } = before
  return {
    status: told ? { ...kept, ...dates, lastCheckedAt: at } : { ...status, reads: before.reads },
    readable: true
  }
}

/** What is kept where a type of data was read; `undefined` where nothing of it had failed before. */
export const statusAfterRead = (before: KeptStatus, dataType: SyncDataType, at: Timestamp): KeptStatus | undefined => {
  const { reads = {}, ...status } = before
  const { [dataType]: read, ...others } = reads
  if (read === undefined) return undefined
  const left = Object.keys(others).length === 0 ? {} : { reads: others }
  if (read.told !== true || Object.values(others).some(({ told }) => told === true)) return { ...status, ...left }
  const { consentExpiresAt, lastUpstreamUpdateAt, nextRefreshPossibleAt } = status
  const found: ConnectionHealth = {
    status: "connected",
    ...(consentExpiresAt === undefined ? {} : { consentExpiresAt }),
    ...(lastUpstreamUpdateAt === undefined ? {} : { lastUpstreamUpdateAt }),
    ...(nextRefreshPossibleAt === undefined ? {} : { nextRefreshPossibleAt })
  }
  return { ...statusAfter(undefined, found, at), ...left }
}

/** Failures in a row after which a connection is no longer what it was. */
const mostFailures = 3

/** What a failed look says by itself. */
const facts: Readonly<
  Partial<Record<ProviderError["_tag"], { readonly status: HealthStatus; readonly errorCode: string }>>
> = {
  ReauthRequired: { status: "reauth_required", errorCode: "REAUTH_REQUIRED" },
  ConsentRequired: { status: "consent_expired", errorCode: "CONSENT_REQUIRED" },
  ConnectionGone: { status: "disconnected", errorCode: "CONNECTION_GONE" },
  Misconfigured: { status: "error", errorCode: "PROVIDER_MISCONFIGURED" }
}

/** What passes by itself, under the code that a connection has when it does not. */
const passing: Readonly<Partial<Record<ProviderError["_tag"], string>>> = {
  InstitutionUnavailable: "INSTITUTION_UNAVAILABLE",
  ProviderUnavailable: "PROVIDER_UNAVAILABLE",
  RateLimited: "PROVIDER_RATE_LIMITED"
}

/**
 * What is kept where a look at a connection failed, or a read of that type of data; `undefined` where that says nothing about
 * the connection. One failure that passes changes no status: the third in a row does. ConnectionChecks and reads are counted apart,
 * since a look may be good before each read that fails.
 */
export const statusAfterFailure = (
  before: KeptStatus,
  error: ProviderError,
  at: Timestamp,
  source: StatusSource = "provider_call",
  dataType?: SyncDataType
): KeptStatus | undefined => {
  const { failures, violations } = before
  const counted: typeof FailedReads.Type =
    dataType === undefined
      ? { ...(failures === undefined ? {} : { failures }), ...(violations === undefined ? {} : { violations }) }
      : (before.reads?.[dataType] ?? {})
  /** The status with what is counted from now on. */
  const counting = (status: KeptStatus, count: typeof FailedReads.Type): KeptStatus => {
    const { told: _, ...ofLooks } = count
    if (dataType === undefined) return { ...status, ...ofLooks }
    return { ...status, reads: { ...before.reads, [dataType]: count } }
  }
  const worse = (status: HealthStatus, errorCode: string, count: typeof FailedReads.Type) => {
    const next = nextStatus(before.status, status)
    if (next !== status) return counting(before, count)
    const { consentExpiresAt, lastUpstreamUpdateAt } = before
    const found: KeptStatus = {
      ...(consentExpiresAt === undefined ? {} : { consentExpiresAt }),
      ...(lastUpstreamUpdateAt === undefined ? {} : { lastUpstreamUpdateAt }),
      connected: isUsable(status),
      status,
      errorCode,
      errorMessage: error.message,
      lastCheckedAt: at,
      source
    }
    return counting(found, { ...count, told: true })
  }
  const fact = facts[error._tag]
  if (fact !== undefined) return worse(fact.status, fact.errorCode, {})
  if (error._tag === "ProtocolViolation") {
    const count = { ...counted, violations: (counted.violations ?? 0) + 1 }
    return count.violations < mostFailures
      ? counting(before, count)
      : worse("error", "PROTOCOL_VIOLATION", { violations: count.violations })
  }
  const code = passing[error._tag]
  // Where our own budget had no place, nobody was asked.
  if (code === undefined || (error._tag === "RateLimited" && error.unasked === true)) return undefined
  const count = { ...counted, failures: (counted.failures ?? 0) + 1 }
  return count.failures < mostFailures ? counting(before, count) : worse("degraded", code, { failures: count.failures })
}

/**
 * What is kept of a connection that is well as far as is known, but whose accounts could not be read when it was made:
 * without `error`, in time. What only a person can mend is reported as such. Nobody has looked at it, so that somebody does soon.
 */
export const statusUnread = (found: KeptStatus, error: ProviderError | undefined, at: Timestamp): KeptStatus => {
  const failed = error === undefined ? undefined : statusAfterFailure(found, error, at)
  if (failed !== undefined && !failed.connected) return failed
  const { lastCheckedAt: _, ...kept } = found
  const why = error === undefined ? "the provider takes long to answer" : error.message.replace(/\.$/, "")
  return {
    ...kept,
    status: "pending",
    errorCode: "ACCOUNTS_NOT_READ",
    errorMessage: `The accounts of the bank have not been read yet: ${why}`
  }
}
