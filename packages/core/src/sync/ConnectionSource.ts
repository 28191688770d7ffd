/** The connections of a feed, brought up to date in the ledger. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { isLive } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import { Banks } from "../bank/Banks.ts"
import type { BankSession } from "../bank/Sessions.ts"
import { ConnectionChecks } from "../bank/ConnectionChecks.ts"
import { logAndIgnore } from "../bank/LogAndIgnore.ts"
import type { ConnectionStatus, KeptStatus } from "../provider/ConnectionHealth.ts"
import { isProviderError } from "../provider/ProviderError.ts"
import type { SyncDataType } from "../record/DataType.ts"
import { startOf } from "../feed/FeedConfig.ts"
import type { Feed } from "../feed/Feed.ts"
import { NotFound } from "../failure/Failure.ts"
import * as Recovery from "../failure/Recovery.ts"
import { JobStore, type Fenced } from "../job/JobStore.ts"
import { makeSafePoints } from "../job/SafePoint.ts"
import type { DataTypeCapability } from "../provider/Capabilities.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { stretched } from "../shared/Jitter.ts"
import { retryWithBackoff } from "../shared/RetryWithBackoff.ts"
import { limits } from "../shared/Limits.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { plans } from "../workspace/Plan.ts"
import { makeBalanceRead } from "./BalanceRead.ts"
import type { ConfigOf, FeedReader } from "./FeedReader.ts"
import type { Quarantined } from "../record/Observation.ts"
import type { Segment } from "./Segment.ts"
import { SourceReader } from "./SourceReader.ts"
import { warning, type Finding } from "../job/Finding.ts"
import { quarantineFindings, sourceFinding, type SourceError } from "./RunReport.ts"
import { combine, empty, rightOf, type SourceResult, type SourceRun } from "./SourceResult.ts"
import { LedgerWriter } from "./LedgerWriter.ts"

/** Days before the last data date that are read again where a feed says nothing (decisions 7.2). */
const defaultLookbackDays = 7

const retryable: ReadonlySet<string> = new Set([
  "RateLimited",
  "NotReady",
  "ProviderUnavailable",
  "InstitutionUnavailable"
])

/** Seconds that an upstream asked to wait. */
const askedWait = (error: SourceError | Fenced | StorageUnavailable): number | undefined =>
  retryable.has(error._tag) && "retryAfter" in error ? error.retryAfter : undefined

const isPermanent = (error: SourceError | Fenced | StorageUnavailable): boolean =>
  error._tag === "InstitutionUnavailable" && error.permanent === true

/** Waits before another try when the upstream named none. */
const ownWaits = [2, 10] as const

/** Short waits are waited out, twice; longer ones and what remains are for the caller. */
const withRetries = <A, E extends SourceError | Fenced | StorageUnavailable, R>(
  effect: Effect.Effect<A, E, R>,
  sleep: (seconds: number) => Effect.Effect<void, Fenced | StorageUnavailable>
): Effect.Effect<A, E | Fenced | StorageUnavailable, R> =>
  retryWithBackoff(effect, {
    retries: ownWaits.length,
    longestWait: limits.pauseOverSeconds,
    waitAfter: (error, tried) =>
      Effect.succeed(
        isPermanent(error)
          ? undefined
          : (askedWait(error) ?? (retryable.has(error._tag) ? ownWaits[tried - 1] : undefined))
      ),
    sleep: (seconds) => Effect.flatMap(stretched(seconds), sleep)
  })

const consentCodes = {
  reauth_required: "RECONNECT_REQUIRED",
  disconnected: "RECONNECT_REQUIRED",
  consent_expired: "BANK_CONSENT_REQUIRED"
} as const

/** A connection that cannot be read now, found before anything was pulled. */
const unusable = (bank: Bank, status: ConnectionStatus): Finding =>
  status.status === "error"
    ? {
        severity: "fatal",
        category: "provider",
        code: "PROVIDER_MISCONFIGURED",
        message: `${bank.name}: ${status.errorMessage ?? "the provider is not set up correctly"}`,
        recovery: Recovery.contactSupport
      }
    : {
        severity: "fatal",
        category: "consent",
        code: consentCodes[status.status as keyof typeof consentCodes],
        message: `${bank.name}: ${status.errorMessage ?? "the bank must be reconnected"}`,
        recovery: Recovery.reconnect
      }

/** The first day that the plan of the workspace and the provider give. */
const candidateWindow = (
  { today, workspace }: SourceRun,
  { historyDays }: DataTypeCapability
): CalendarDate.CalendarDate =>
  CalendarDate.addDays(today, -Math.min(plans[workspace.plan].historyDays ?? historyDays, historyDays))

/** What the plan cuts was said when the job was triggered; what the provider cuts is said here. */
const clampedFindings = (run: SourceRun, bank: Bank, capability: DataTypeCapability): ReadonlyArray<Finding> => {
  const reach = candidateWindow(run, capability)
  const { startDate } = run.job.options
  return startDate === undefined || startDate >= reach
    ? []
    : [warning("provider", "RANGE_CLAMPED", `${bank.name}: the provider gives no data before ${reach}`)]
}

const later = (begins: CalendarDate.CalendarDate | undefined, day: CalendarDate.CalendarDate) =>
  begins === undefined ? day : CalendarDate.max(begins, day)

const segmentsOf = (
  run: SourceRun,
  bank: Bank,
  session: BankSession,
  capability: DataTypeCapability,
  all: ReadonlyArray<Account>,
  accountsAgree: boolean,
  wanted: ReadonlyArray<Account>
): ReadonlyArray<Segment> => {
  const { job, today } = run
  const { endDate, resetCursors, skipDedup, startDate } = job.options
  const reach = candidateWindow(run, capability)
  const ranged = job.mode === "range" && startDate !== undefined && endDate !== undefined
  if (ranged && endDate < reach) return []
  const options = run.feed.dataTypeOptions
  // Drivers of windows alone can leave days out and say so: what others do not show would count as gone.
  const begins = capability.changeModel === "snapshotWindow" ? startOf(options) : undefined
  const asked = startDate === undefined || ranged ? reach : CalendarDate.max(startDate, reach)
  if (ranged && begins !== undefined && endDate < begins) return []
  const base: Omit<Segment, "account"> = {
    bank,
    session,
    accounts: all,
    counted: new Set(wanted.map(({ id }) => id)),
    dataType: run.feed.dataType as Segment["dataType"],
    capability,
    range: ranged ? { from: later(begins, CalendarDate.max(startDate, reach)), to: endDate } : undefined,
    earliest: later(begins, asked),
    ...(begins === undefined || begins <= asked ? {} : { leftOut: begins }),
    ...(run.feed.dataType === "trades"
      ? { beginning: later(begins, CalendarDate.max(reach, CalendarDate.addDays(today, -limits.tradesFirstDays))) }
      : {}),
    today,
    lookbackDays: "lookbackDays" in options ? (options.lookbackDays ?? defaultLookbackDays) : 0,
    accountsAgree,
    reset: resetCursors,
    byIdOnly: skipDedup
  }
  const having = wanted.filter((account) => account.supports.includes(base.dataType))
  // Of accounts that are not listed now, the checkpoint has to say that they were left out.
  if (wanted.length > 0 && having.length === 0) return []
  return capability.scope === "connection"
    ? [{ ...base, account: undefined }]
    : having.map((account): Segment => ({ ...base, account }))
}

/** Accounts of the feed that have no such data: the feed gets nothing of them, which its owner should know. */
const lackingFindings = (run: SourceRun, bank: Bank, wanted: ReadonlyArray<Account>): ReadonlyArray<Finding> =>
  wanted
    .filter(({ supports }) => !supports.includes(run.feed.dataType as Segment["dataType"]))
    .map(({ accountName }) =>
      warning("provider", "UNSUPPORTED_BY_PROVIDER", `${bank.name}: ${accountName} has no ${run.feed.dataType}`)
    )

/** Accounts of the feed that the upstream shows in a form that cannot be read: their rows stay as they are. */
const unreadFindings = (bank: Bank, unread: ReadonlyArray<Account>, accountIds: ReadonlySet<string>) =>
  unread
    .filter(({ id }) => accountIds.has(id))
    .map(({ accountName }) =>
      warning("provider", "ACCOUNT_UNREADABLE", `${bank.name}: ${accountName} cannot be read, and stays as it was`)
    )

export class ConnectionSource extends Context.Service<ConnectionSource, FeedReader<ConfigOf<"sync">>>()(
  "@millrace/core/sync/ConnectionSource"
) {
  static readonly layer: Layer.Layer<
    ConnectionSource,
    never,
    Banks | ConnectionChecks | BankStore | JobStore | Leases | RecordStore | SourceReader | LedgerWriter | Digest
  > = Layer.effect(
    ConnectionSource,
    Effect.gen(function* () {
      const banks = yield* Banks
      const checks = yield* ConnectionChecks
      const bankStore = yield* BankStore
      const { sleepIdle } = yield* makeSafePoints
      const sourceReader = yield* SourceReader
      const writer = yield* LedgerWriter
      const readBalance = yield* makeBalanceRead

      /** Balances ride along with the accounts. */
      const writeBalances = Effect.fnUntraced(function* (run: SourceRun, bank: Bank, accounts: ReadonlyArray<Account>) {
        const quarantined: Array<Quarantined> = []
        let seen = 0
        let changed = 0
        for (const account of accounts) {
          const read = yield* readBalance(account)
          if ("quarantined" in read) {
            quarantined.push({ ...read.quarantined, providerId: account.accountName })
            continue
          }
          const written = yield* writer.write(rightOf(run, bank.id), {
            scope: { workspaceId: bank.workspaceId, accountId: account.id, dataType: "balances" },
            observations: [read.observation],
            removed: new Set(),
            unread: new Set(),
            coverage: { kind: "full", complete: true },
            idTrust: "stable",
            changeModel: "snapshotFull",
            byIdOnly: false
          })
          seen++
          changed += written.changed
        }
        return { ...empty, seen, changed, quarantined: quarantined.length, findings: quarantineFindings(quarantined) }
      })

      const pullConnection = Effect.fnUntraced(function* (
        run: SourceRun,
        bank: Bank,
        accountIds: ReadonlySet<string>,
        /** Called after a good look: what fails from then on is a read. */
        reading: (status: KeptStatus) => void
      ) {
        const right = rightOf(run, bank.id)
        const { listed, session, status } = yield* banks.refresh(bank, writer.guard(right), right.cause)
        if (listed === undefined) return { ...empty, findings: [unusable(bank, status)] }
        reading(status)
        // Of an account that the bank no longer lists nothing is read, and nothing is believed to be gone.
        const all = listed.accounts.filter((account) => account.state === "open")
        const wanted = all.filter((account) => accountIds.has(account.id))
        const { dataType } = run.feed
        const unread = { ...empty, findings: unreadFindings(bank, listed.unread, accountIds) }
        if (dataType === "balances") return combine([unread, yield* writeBalances(run, bank, wanted)])
        const { driver } = session
        const capability = driver.capabilities.dataTypes[dataType as Segment["dataType"]]
        if (capability === undefined) {
          const message = `${bank.name}: ${driver.name} does not support ${dataType}`
          return { ...empty, findings: [warning("provider", "UNSUPPORTED_BY_PROVIDER", message)] }
        }
        const results: Array<SourceResult> = [
          unread,
          { ...empty, findings: [...clampedFindings(run, bank, capability), ...lackingFindings(run, bank, wanted)] }
        ]
        const unreadIds = new Set(listed.unread.map(({ providerAccountId }) => providerAccountId))
        for (const one of segmentsOf(run, bank, session, capability, all, listed.agrees, wanted)) {
          const segment = { ...one, unreadIds }
          const pulled = yield* sourceReader.pull(rightOf(run, bank.id), segment)
          results.push({
            ...empty,
            seen: pulled.seen,
            changed: pulled.changed,
            quarantined: pulled.quarantined.length,
            findings: [
              ...pulled.warnings.map(({ code, message }) => warning("provider", code, `${bank.name}: ${message}`)),
              ...quarantineFindings(pulled.quarantined)
            ]
          })
        }
        return combine(results)
      })

      /** One bank that fails does not keep the others from being read. */
      const refreshBank = Effect.fnUntraced(function* (run: SourceRun, bank: Bank, accountIds: ReadonlySet<string>) {
        // As the look found it before the read of the last try; absent where that look failed, which has said so itself.
        let looked: KeptStatus | undefined
        const pulling = Effect.suspend(() => {
          looked = undefined
          return pullConnection(run, bank, accountIds, (status) => void (looked = status))
        })
        const result = yield* Effect.result(withRetries(pulling, (seconds) => sleepIdle(run.fence, seconds)))
        const dataType = run.feed.dataType as SyncDataType
        const right = rightOf(run, bank.id)
        const looking = { guard: writer.guard(right), cause: right.cause }
        if (Result.isSuccess(result)) {
          if (looked?.reads?.[dataType] !== undefined) yield* logAndIgnore(bank, checks.read(bank, dataType, looking))
          return result.success
        }
        const error = result.failure
        if (error._tag === "Fenced" || error._tag === "StorageUnavailable") return yield* error
        if (looked !== undefined && isProviderError(error)) {
          yield* logAndIgnore(bank, checks.failed(bank, error, looking, { dataType }))
        }
        const wait = askedWait(error)
        return wait !== undefined && wait > limits.pauseOverSeconds
          ? { ...empty, waitSeconds: wait }
          : { ...empty, findings: [sourceFinding(bank.name, error)] }
      })

      const accountsOf = Effect.fnUntraced(function* ({ workspaceId }: Feed, config: ConfigOf<"sync">) {
        const accountIds = new Set<string>(config.accounts.map((entry) => entry.accountId))
        const accounts: Array<SourceResult["accounts"][number]> = []
        for (const bankId of new Set(config.accounts.map((entry) => entry.bankId))) {
          const bank = Option.filter(yield* bankStore.get(workspaceId, bankId), isLive)
          if (Option.isNone(bank)) continue
          for (const account of yield* bankStore.accounts(bankId)) {
            if (accountIds.has(account.id)) accounts.push({ bank: bank.value, account })
          }
        }
        return accounts
      })

      const refresh = Effect.fn("ConnectionSource.refresh")(function* (run: SourceRun, config: ConfigOf<"sync">) {
        const accountIds = new Set<string>(config.accounts.map((entry) => entry.accountId))
        const results: Array<SourceResult> = []
        for (const bankId of new Set(config.accounts.map((entry) => entry.bankId))) {
          const bank = yield* bankStore.get(run.feed.workspaceId, bankId)
          if (Option.isNone(bank) || !isLive(bank.value)) {
            results.push({
              ...empty,
              findings: [sourceFinding("A bank of this feed", new NotFound({ resource: "Bank" }))]
            })
            continue
          }
          results.push(yield* refreshBank(run, bank.value, accountIds))
        }
        return combine([...results, { ...empty, accounts: yield* accountsOf(run.feed, config) }])
      })

      return ConnectionSource.of({
        banksOf: (_, { accounts }) => Effect.succeed([...new Set(accounts.map(({ bankId }) => bankId))]),
        accountsOf,
        refresh
      })
    })
  )
}
