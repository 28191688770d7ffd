/**
 * Bringing one account up to date because somebody asks for it, outside any job (decisions 5.3).
 *
 * At most one reader or run works on a connection at a time; whoever comes later is answered from storage.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Account } from "../account/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { Banks } from "../bank/Banks.ts"
import { isUsable, type ConnectionStatus } from "../bank/ConnectionHealth.ts"
import { LiveDataUnavailable } from "../failure/Failure.ts"
import { JobStore } from "../job/JobStore.ts"
import { Providers } from "../provider/Providers.ts"
import type { SyncDataType } from "../record/DataType.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { readBalance } from "./BalanceRead.ts"
import { Puller, type Segment } from "./Puller.ts"
import { sourceFinding, type SourceError } from "./RunReport.ts"
import { Writer, type WriteRight } from "./Writer.ts"

/** How long a caller waits for the upstream before stored data answers. */
const waitLimit = "10 seconds"
const leaseSeconds = 30
/** When a caller may try again after somebody else's read or a slow upstream. */
const retrySeconds = 10

export interface Freshened {
  readonly asOf: Timestamp.Timestamp | undefined
  readonly stale: boolean
  /** Why live data could not be had. */
  readonly problem: LiveDataUnavailable | undefined
}

const problemOf = (bank: Bank, error: SourceError): LiveDataUnavailable => {
  const finding = sourceFinding(bank.name, error)
  return new LiveDataUnavailable({
    code: finding.code,
    message: finding.message,
    ...(finding.recovery?.action === "retry" ? { retryAfter: finding.recovery.afterSeconds } : {})
  })
}

/** It may be had in a moment. Stored data answers until then, if there is any. */
const later = (message: string): LiveDataUnavailable =>
  new LiveDataUnavailable({ code: "DATA_NOT_READY", message, retryAfter: retrySeconds })

const reconnectProblem = (status: ConnectionStatus): LiveDataUnavailable =>
  new LiveDataUnavailable(
    status.status === "consent_expired"
      ? { code: "BANK_CONSENT_REQUIRED", message: "The bank requires consent; reconnect it" }
      : status.status === "error"
        ? { code: "PROVIDER_MISCONFIGURED", message: "The provider is not set up correctly" }
        : { code: "RECONNECT_REQUIRED", message: "The bank must be reconnected" }
  )

export class ReadThrough extends Context.Service<
  ReadThrough,
  {
    readonly freshen: (
      workspace: Workspace,
      bank: Bank,
      account: Account,
      dataType: SyncDataType,
      cached: boolean
    ) => Effect.Effect<Freshened, StorageUnavailable>
  }
>()("@millrace/core/sync/ReadThrough") {
  static readonly layer: Layer.Layer<
    ReadThrough,
    never,
    Banks | Providers | RecordStore | JobStore | Puller | Writer | Digest | Ids
  > = Layer.effect(
    ReadThrough,
    Effect.gen(function* () {
      const banks = yield* Banks
      const providers = yield* Providers
      const records = yield* RecordStore
      const jobs = yield* JobStore
      const puller = yield* Puller
      const writer = yield* Writer
      const digest = yield* Digest
      const ids = yield* Ids

      /** Answers whether the upstream still has the account. */
      const pull = Effect.fnUntraced(function* (
        right: WriteRight,
        workspace: Workspace,
        bank: Bank,
        account: Account,
        dataType: SyncDataType
      ) {
        const { connection, listed, status } = yield* banks.refresh(bank, writer.guard(right))
        if (listed === undefined) return yield* reconnectProblem(status)
        const { accounts, agrees } = listed
        const current = accounts.find((one) => one.id === account.id)
        // Of an account that the bank no longer lists nothing is believed to be gone.
        if (current?.state !== "open") return false
        const scope = { workspaceId: bank.workspaceId, accountId: account.id, dataType }
        if (dataType === "balances") {
          const read = yield* readBalance(records, current, digest)
          if ("quarantined" in read) return false
          yield* writer.write(right, {
            scope,
            observations: [read.observation],
            removed: new Set(),
            unread: new Set(),
            coverage: { kind: "full", complete: true },
            idTrust: "stable",
            changeModel: "snapshotFull",
            byIdOnly: false
          })
          yield* records.setPulled([scope])
          return true
        }
        const driver = yield* providers.get(connection.instanceId)
        const capability = driver.capabilities.dataTypes[dataType]
        if (capability === undefined || !current.supports.includes(dataType)) return true
        const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
        const days = Math.min(plans[workspace.plan].historyDays ?? capability.historyDays, capability.historyDays)
        const segment: Segment = {
          bank,
          connection,
          accounts: accounts.filter((one) => one.state === "open"),
          account: capability.scope === "connection" ? undefined : current,
          dataType,
          capability,
          range: undefined,
          earliest: CalendarDate.addDays(today, -days),
          today,
          lookbackDays: capability.overlapDays,
          accountsAgree: agrees,
          reset: false,
          byIdOnly: false
        }
        yield* puller.pull(right, segment)
        return true
      })

      const isFresh = Effect.fnUntraced(function* (bank: Bank, asOf: Timestamp.Timestamp | undefined) {
        if (asOf === undefined || bank.providerInstanceId === undefined) return false
        const driver = yield* Effect.option(providers.get(bank.providerInstanceId))
        if (Option.isNone(driver)) return false
        const age = (yield* Clock.currentTimeMillis) - Timestamp.toMillis(asOf)
        return age < driver.value.capabilities.freshnessSeconds * 1000
      })

      const freshen: ReadThrough["Service"]["freshen"] = Effect.fn("ReadThrough.freshen")(
        function* (workspace, bank, account, dataType, cached) {
          const scope = { workspaceId: bank.workspaceId, accountId: account.id, dataType }
          const before = yield* records.pulledAt(scope)
          const status = bank.connectionStatus
          // Files are never stale: there is nothing behind them to ask.
          if (status === undefined) return { asOf: before, stale: false, problem: undefined }
          if (yield* isFresh(bank, before)) return { asOf: before, stale: false, problem: undefined }
          if (cached) return { asOf: before, stale: true, problem: undefined }
          if (!isUsable(status.status)) return { asOf: before, stale: true, problem: reconnectProblem(status) }
          const holder = `read:${yield* ids.next("request")}`
          if (!(yield* jobs.lease([bank.id], holder, leaseSeconds))) {
            return { asOf: before, stale: true, problem: later("The bank is being read already") }
          }
          const right: WriteRight = { bankId: bank.id, leaseHolder: holder, fence: undefined }
          const outcome = yield* pull(right, workspace, bank, account, dataType).pipe(
            Effect.timeoutOption(waitLimit),
            Effect.result,
            Effect.ensuring(Effect.ignore(jobs.unlease(holder)))
          )
          let problem: LiveDataUnavailable | undefined
          let listed = true
          if (Result.isSuccess(outcome)) {
            if (Option.isNone(outcome.success)) problem = later("The provider did not answer in time")
            else listed = outcome.success.value
          }
          if (Result.isFailure(outcome)) {
            const error = outcome.failure
            if (error._tag === "StorageUnavailable") return yield* error
            // Without a job there is nothing to be fenced off from.
            if (error._tag !== "Fenced") problem = error._tag === "LiveDataUnavailable" ? error : problemOf(bank, error)
          }
          return { asOf: yield* records.pulledAt(scope), stale: problem !== undefined || !listed, problem }
        }
      )

      return ReadThrough.of({ freshen })
    })
  )
}
