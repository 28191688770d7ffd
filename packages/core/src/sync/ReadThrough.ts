/**
 * Bringing one account up to date because somebody asks for it, outside any job (decisions 5.3).
 *
 * At most one reader or run works on a connection at a time. Anyone who comes later waits for it: of readers who ask
 * for the same, the first one reads for all.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Account } from "../bank/Account.ts"
import type { Bank, BankId } from "../bank/Bank.ts"
import { bankLease } from "../bank/BankLease.ts"
import { Banks } from "../bank/Banks.ts"
import { ConnectionChecks } from "../bank/ConnectionChecks.ts"
import { logAndIgnore } from "../bank/LogAndIgnore.ts"
import { isUsable, type ConnectionStatus, type KeptStatus } from "../provider/ConnectionHealth.ts"
import type { Capabilities } from "../provider/Capabilities.ts"
import { isProviderError } from "../provider/ProviderError.ts"
import { UpstreamPatience } from "../provider/Turns.ts"
import { LiveDataUnavailable } from "../failure/Failure.ts"
import { Providers } from "../provider/Providers.ts"
import type { SyncDataType } from "../record/DataType.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { makeBalanceRead } from "./BalanceRead.ts"
import type { Segment } from "./Segment.ts"
import { SourceReader } from "./SourceReader.ts"
import { sourceFinding, type SourceError } from "./RunReport.ts"
import { LedgerWriter, type WriteRight } from "./LedgerWriter.ts"

/** Seconds that a caller waits for the upstream, and for who reads it already, before stored data answers. */
const waitSeconds = 10
const leaseSeconds = 30
/** Milliseconds between two looks at a connection that a job or another process reads: the first, and the most. */
const firstLook = 100
const rarestLook = 1_000
/** When a caller may try again after somebody else's read or a slow upstream. */
const retrySeconds = 10

export interface ReadThroughOptions {
  /** Never asks upstream. */
  readonly cached?: boolean
  /** A day that the read must reach back to, where the data type is read by days. */
  readonly reachingTo?: CalendarDate.CalendarDate
  /** When it was last read, for callers that have looked. */
  readonly known?: { readonly pulledAt: Timestamp.Timestamp | undefined }
}

export interface Freshened {
  readonly asOf: Timestamp.Timestamp | undefined
  readonly stale: boolean
  /** Why live data could not be had. */
  readonly problem: LiveDataUnavailable | undefined
  /** Only a person can mend it: what is live is then not answered from storage (decisions 5.3). */
  readonly blocked: boolean
  /** Somebody asked upstream, so that account and records may be others now. */
  readonly asked: boolean
}

/** How a read ended. */
type Outcome = Pick<Freshened, "problem" | "blocked">

const good: Outcome = { problem: undefined, blocked: false }

const outcomeOf = (bank: Bank, error: SourceError): Outcome => {
  const { code, message, recovery } = sourceFinding(bank.name, error)
  const retry = recovery?.action === "retry" ? { retryAfter: recovery.afterSeconds } : {}
  return { problem: new LiveDataUnavailable({ code, message, ...retry }), blocked: recovery?.action === "reconnect" }
}

/** It may be had in a moment. Stored data answers until then, if there is any. */
const later = (message: string): Outcome => ({
  problem: new LiveDataUnavailable({ code: "DATA_NOT_READY", message, retryAfter: retrySeconds }),
  blocked: false
})

const unlisted = (bank: Bank): Outcome => ({
  problem: new LiveDataUnavailable({
    code: "BANK_CONSENT_REQUIRED",
    message: `${bank.name} does not list this account any more: it was closed, or the consent does not cover it; reconnect the bank to share it again`
  }),
  blocked: false
})

const unreadable = (bank: Bank): Outcome => ({
  problem: new LiveDataUnavailable({
    code: "PROVIDER_MISCONFIGURED",
    message: `${bank.name} shows this account in a form that cannot be read; it stays as it was`
  }),
  blocked: false
})

/** Why the connection cannot be read as it is; `undefined` when it can, or when the bank has none. */
export const unusableConnection = (status: ConnectionStatus | undefined): Outcome | undefined => {
  if (status === undefined || isUsable(status.status)) return undefined
  if (status.status === "error") {
    const message = "The provider is not set up correctly"
    return { problem: new LiveDataUnavailable({ code: "PROVIDER_MISCONFIGURED", message }), blocked: false }
  }
  const problem =
    status.status === "consent_expired"
      ? { code: "BANK_CONSENT_REQUIRED" as const, message: "The bank requires consent; reconnect it" }
      : { code: "RECONNECT_REQUIRED" as const, message: "The bank must be reconnected" }
  return { problem: new LiveDataUnavailable(problem), blocked: true }
}

/** Readers of one connection in this process, one after the other. */
interface Turn {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

/** Anyone who reads has not made what the bank shows. */
const liveRead: ActorRef = { kind: "system", reason: "live_read" }

/** What is read, for whom. */
interface Asked {
  readonly workspace: Workspace
  readonly bank: Bank
  readonly account: Account
  readonly dataType: SyncDataType
  readonly scope: RecordScope
  /** When it was read before. */
  readonly before: Timestamp.Timestamp | undefined
  readonly reachingTo?: CalendarDate.CalendarDate
}

export class ReadThrough extends Context.Service<
  ReadThrough,
  {
    readonly freshen: (
      workspace: Workspace,
      bank: Bank,
      account: Account,
      dataType: SyncDataType,
      options: ReadThroughOptions
    ) => Effect.Effect<Freshened, StorageUnavailable>
  }
>()("@millrace/core/sync/ReadThrough") {
  static readonly layer: Layer.Layer<
    ReadThrough,
    never,
    Banks | ConnectionChecks | Providers | RecordStore | Leases | SourceReader | LedgerWriter | Digest | Ids
  > = Layer.effect(
    ReadThrough,
    Effect.gen(function* () {
      const banks = yield* Banks
      const checks = yield* ConnectionChecks
      const providers = yield* Providers
      const records = yield* RecordStore
      const leases = yield* Leases
      const sourceReader = yield* SourceReader
      const writer = yield* LedgerWriter
      const readBalance = yield* makeBalanceRead
      const ids = yield* Ids
      const lifetime = yield* Effect.scope
      const turns = new Map<BankId, Turn>()
      /** Reads that are under way, by what they are about. */
      const flights = new Map<string, Deferred.Deferred<Outcome, StorageUnavailable>>()

      const pull = Effect.fnUntraced(function* (
        right: WriteRight,
        { account, bank, dataType, reachingTo, workspace }: Asked,
        /** Called after a good look: what fails from then on is a read. */
        reading: (status: KeptStatus) => void
      ) {
        const { listed, session, status } = yield* banks.refresh(bank, writer.guard(right), right.cause)
        if (listed === undefined) return unusableConnection(status) ?? good
        reading(status)
        const { accounts, agrees } = listed
        const current = accounts.find((one) => one.id === account.id)
        if (listed.unread.some((one) => one.id === account.id)) return unreadable(bank)
        // Of an account that the bank no longer lists nothing is believed to be gone.
        if (current?.state !== "open") return unlisted(bank)
        const scope = { workspaceId: bank.workspaceId, accountId: account.id, dataType }
        if (dataType === "balances") {
          const read = yield* readBalance(current)
          if ("quarantined" in read) {
            const message = `${bank.name}: the balance could not be read: ${read.quarantined.reason}`
            return { problem: new LiveDataUnavailable({ code: "ROW_QUARANTINED", message }), blocked: false }
          }
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
          return good
        }
        const capability = session.driver.capabilities.dataTypes[dataType]
        if (capability === undefined || !current.supports.includes(dataType)) return good
        const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
        const days = Math.min(plans[workspace.plan].historyDays ?? capability.historyDays, capability.historyDays)
        const segment: Segment = {
          bank,
          session,
          accounts: accounts.filter((one) => one.state === "open"),
          account: capability.scope === "connection" ? undefined : current,
          dataType,
          capability,
          range: undefined,
          earliest: CalendarDate.addDays(today, -days),
          ...(dataType === "trades"
            ? { beginning: CalendarDate.addDays(today, -Math.min(days, limits.tradesFirstDays)) }
            : {}),
          ...(reachingTo === undefined ? {} : { reachingTo }),
          today,
          lookbackDays: capability.overlapDays,
          accountsAgree: agrees,
          reset: false,
          isLive: true,
          byIdOnly: false
        }
        yield* sourceReader.pull(right, segment)
        return good
      })

      /** The same, with what it says of the connection kept: that this cannot be is no reason to hide how the read went. */
      const pullAndTell = Effect.fnUntraced(function* (right: WriteRight, asked: Asked) {
        const { bank, dataType } = asked
        const looking = { guard: writer.guard(right), cause: right.cause }
        let looked: KeptStatus | undefined
        const outcome = yield* pull(right, asked, (status) => void (looked = status)).pipe(
          Effect.tapError((error) =>
            looked !== undefined && isProviderError(error)
              ? logAndIgnore(bank, checks.failed(bank, error, looking, { dataType }))
              : Effect.void
          )
        )
        const failedBefore = looked?.reads?.[dataType] !== undefined
        if (failedBefore && outcome.problem === undefined)
          yield* logAndIgnore(bank, checks.read(bank, dataType, looking))
        return outcome
      })

      /** One after the other in this process, so that only one of its readers looks whether others are done. */
      const inTurn = <A, E>(id: BankId, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => {
          const turn = turns.get(id) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
          turns.set(id, turn)
          turn.users++
          return Effect.ensuring(
            turn.semaphore.withPermits(1)(effect),
            Effect.sync(() => {
              if (--turn.users === 0) turns.delete(id)
            })
          )
        })

      /** Reads as soon as nobody else does, unless that one has read the same. */
      const read = Effect.fnUntraced(function* (asked: Asked) {
        const { bank } = asked
        const holder = `read:${yield* ids.next("request")}`
        const begun = yield* Clock.currentTimeMillis
        let message = `${bank.name} is being read by somebody else, who has not finished yet`
        const wait = Effect.gen(function* () {
          for (let pause = firstLook; ; pause = Math.min(2 * pause, rarestLook)) {
            const others = asked.reachingTo === undefined && (yield* records.pulledAt(asked.scope)) !== asked.before
            if (others) return undefined
            const taken = yield* leases.take([bankLease(bank.id)], holder, leaseSeconds)
            if (Option.isSome(taken)) return taken.value[0]!
            yield* Effect.sleep(pause)
          }
        })
        const reading = Effect.gen(function* () {
          const lease = yield* wait
          if (lease === undefined) return good
          message = `${bank.name} did not answer in time`
          // A place in the limits of the upstream that comes within the caller's wait is worth waiting for.
          const left = waitSeconds - ((yield* Clock.currentTimeMillis) - begun) / 1000
          const pulled = pullAndTell({ bankId: bank.id, lease, cause: liveRead }, asked)
          return yield* Effect.provideService(pulled, UpstreamPatience, left)
        }).pipe(Effect.ensuring(Effect.ignore(leases.free(holder))))
        const ended = yield* inTurn(bank.id, reading).pipe(
          Effect.timeoutOption(`${waitSeconds} seconds`),
          Effect.result
        )
        if (Result.isSuccess(ended)) return Option.getOrElse(ended.success, () => later(message))
        const error = ended.failure
        if (error._tag === "StorageUnavailable") return yield* error
        // A reader has no job to be fenced off from: somebody else took the connection over.
        return error._tag === "Fenced" ? later(message) : outcomeOf(bank, error)
      })

      /** Who comes while the same is read waits for that. It goes on when who asked first goes away. */
      const shared = Effect.fnUntraced(function* (asked: Asked) {
        const { account, dataType, reachingTo = "" } = asked
        const key = `${account.id}/${dataType}/${reachingTo}`
        const flying = flights.get(key)
        if (flying !== undefined) return yield* Deferred.await(flying)
        const flight = Deferred.makeUnsafe<Outcome, StorageUnavailable>()
        const fly = read(asked).pipe(
          Effect.onExit((exit) =>
            Effect.andThen(
              Effect.sync(() => flights.delete(key)),
              Deferred.done(flight, exit)
            )
          )
        )
        yield* Effect.uninterruptible(
          Effect.suspend(() => {
            flights.set(key, flight)
            return Effect.forkIn(fly, lifetime, { startImmediately: true })
          })
        )
        return yield* Deferred.await(flight)
      })

      const capabilitiesOf = Effect.fnUntraced(function* ({ providerInstanceId }: Bank) {
        if (providerInstanceId === undefined) return undefined
        const driver = yield* Effect.option(providers.get(providerInstanceId))
        return Option.getOrUndefined(driver)?.capabilities
      })

      const isFresh = Effect.fnUntraced(function* (
        { freshnessSeconds }: Capabilities,
        asOf: Timestamp.Timestamp | undefined
      ) {
        if (asOf === undefined) return false
        return (yield* Clock.currentTimeMillis) - Timestamp.toMillis(asOf) < freshnessSeconds * 1000
      })

      const freshen: ReadThrough["Service"]["freshen"] = Effect.fnUntraced(function* (
        workspace,
        bank,
        account,
        dataType,
        { cached = false, known, reachingTo }
      ) {
        const scope = { workspaceId: bank.workspaceId, accountId: account.id, dataType }
        const before = known === undefined ? yield* records.pulledAt(scope) : known.pulledAt
        const untouched = { asOf: before, asked: false }
        // Files are never stale: there is nothing behind them to ask.
        if (bank.connectionStatus === undefined) return { ...untouched, stale: false, ...good }
        const capabilities = yield* capabilitiesOf(bank)
        if (capabilities !== undefined) {
          // Data that the provider never has are not asked for: what the upstream says at the moment is no answer.
          const isOffered = dataType === "balances" || capabilities.dataTypes[dataType] !== undefined
          const isDue = reachingTo !== undefined || !(yield* isFresh(capabilities, before))
          if (!isOffered || !isDue) return { ...untouched, stale: false, ...good }
        }
        const unusable = unusableConnection(bank.connectionStatus)
        if (cached || unusable !== undefined) return { ...untouched, stale: true, ...(unusable ?? good) }
        const asked: Asked = {
          workspace,
          bank,
          account,
          dataType,
          scope,
          before,
          ...(reachingTo === undefined ? {} : { reachingTo })
        }
        const outcome = yield* shared(asked)
        const asOf = yield* records.pulledAt(scope)
        return { asOf, asked: true, stale: outcome.problem !== undefined, ...outcome }
      })

      return ReadThrough.of({ freshen })
    })
  )
}
