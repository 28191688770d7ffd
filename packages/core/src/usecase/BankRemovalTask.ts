/**
 * Removing a bank permanently: first its connection is given back at the provider, then everything that is held of it is
 * destroyed, in parts, and last the customer that it belonged to at the provider is taken back, where no other bank and no attempt
 * needs them. Each step may be taken again, so that a process can die anywhere on the way.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Bank, natureOf } from "../bank/Bank.ts"
import { bankRemovalFailed, bankRemoved } from "../bank/BankEvents.ts"
import { bankLease } from "../bank/BankLease.ts"
import { BankDataPurge } from "../bank/BankDataPurge.ts"
import { removalWaits, type BankRemoval } from "../bank/BankRemoval.ts"
import { BankStore, type BankConnection } from "../bank/BankStore.ts"
import { Sessions } from "../bank/Sessions.ts"
import { SubjectRemovals } from "../bank/SubjectRemovals.ts"
import { Analysis } from "../enrichment/Analysis.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { EventStore } from "../event/EventStore.ts"
import { syncDataTypes } from "../record/DataType.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases, type Lease } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { handleTask, type RunAgain, type RunningTask } from "../task/TaskHandler.ts"
import type { TaskFenced } from "../task/TaskStore.ts"
import { acrossTenants } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { bankRemovalTask } from "./BankRemovalTaskKind.ts"

/** Rows that are destroyed in one transaction: others never wait longer than that takes. */
const chunk = 2_000
/** Milliseconds after which a run makes room for other tasks, and comes back. */
const sliceMillis = 15_000
const leaseSeconds = 60
/** Seconds until another look, while somebody reads the bank. */
const busySeconds = 5
/** Seconds until another look, while an attempt may still make a bank of the customer that this one belonged to. */
const awaitedSeconds = 900
/** Records that are looked for at a time in what enrichments keep. */
const recordsAtOnce = 1_000

/** A try failed: permanently, or so that another one may succeed. */
class StageFailed {
  readonly _tag = "StageFailed"
  readonly reason: string
  readonly final: boolean
  readonly afterSeconds: number
  constructor(reason: string, final: boolean, afterSeconds = 0) {
    this.reason = reason
    this.final = final
    this.afterSeconds = afterSeconds
  }
}

/** Errors of a provider that no other try changes. */
const hopeless: ReadonlySet<string> = new Set(["Misconfigured", "Unsupported", "InvalidConnectPayload"])

const unconfirmed = new StageFailed("The provider has not confirmed it yet", false)

const failedUpstream = (error: { readonly _tag: string; readonly message?: string; readonly retryAfter?: number }) =>
  new StageFailed(
    error._tag === "ProviderNotAvailable"
      ? "The provider of the bank is not configured any more"
      : (error.message ?? error._tag),
    error._tag === "ProviderNotAvailable" || hopeless.has(error._tag),
    error.retryAfter
  )

type Running = RunningTask<typeof bankRemovalTask.payload.Type>

/** The handler of removals. */
export const bankRemovals = Effect.gen(function* () {
  const banks = yield* BankStore
  const remains = yield* BankDataPurge
  const sessions = yield* Sessions
  const subjects = yield* SubjectRemovals
  const analysis = yield* Analysis
  const analyses = yield* AnalysisStore
  const enrichments = yield* EnrichmentStore
  const workspaces = yield* WorkspaceStore
  const events = yield* EventStore
  const leases = yield* Leases
  const { atomically } = yield* Transactor

  const revoke = Effect.fnUntraced(function* (bank: Bank, { connection, instanceId }: BankConnection) {
    // Two banks of one connection: giving it back for one would take it from the other.
    const all = yield* acrossTenants("connection look-up")(banks.ofConnection(instanceId, connection.ref))
    if (all.some(({ id, removal }) => id !== bank.id && removal?.state !== "removing")) return
    const asked = Effect.flatMap(sessions.open(bank), (session) => session.revoke)
    const answer = yield* Effect.catch(asked, (error): Effect.Effect<"done", StageFailed | StorageUnavailable> => {
      switch (error._tag) {
        case "ConnectionGone":
        case "NotFound":
          return Effect.succeed("done" as const)
        case "StorageUnavailable":
          return Effect.fail(error)
        default:
          return Effect.fail(failedUpstream(error))
      }
    })
    if (answer === "pending") return yield* Effect.fail(unconfirmed)
  })

  /** Enrichments plan again without the records, so that nothing follows from them that stands elsewhere. */
  const leaveAnalyses = Effect.fnUntraced(function* (bank: Bank, guard: Running["guard"]) {
    const workspace = Option.getOrUndefined(yield* workspaces.get(bank.workspaceId))
    if (workspace === undefined) return
    const accounts = yield* banks.accounts(bank.id)
    const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
    for (const dataType of syncDataTypes) {
      const scope = { workspaceId: bank.workspaceId, dataType }
      let found = false
      for (const { id } of accounts) {
        const ids = yield* analyses.accountRecords(scope, id, recordsAtOnce)
        if (ids.length > 0) yield* atomically(Effect.andThen(guard, analyses.disturb(scope, ids, today)))
        found ||= ids.length > 0
      }
      if (!found) continue
      yield* analysis.run({
        workspace,
        dataType,
        enrichments: yield* enrichments.list([bank.workspaceId]),
        accounts: [],
        today,
        cause: { kind: "system", reason: "bank_removal" },
        guard
      })
    }
  })

  /** Destroys all rows, in turns with others, and then does what has to follow. */
  const destroy = Effect.fnUntraced(function* <E>(
    task: Running,
    { id, workspaceId }: Bank,
    lease: Lease,
    end: Effect.Effect<void, E>
  ) {
    const guard = Effect.andThen(task.guard, leases.fence(lease))
    const until = (yield* Clock.currentTimeMillis) + sliceMillis
    for (;;) {
      const found = yield* atomically(Effect.andThen(guard, remains.destroySome(workspaceId, id, chunk)))
      if (found === 0) return yield* end
      if ((yield* Clock.currentTimeMillis) >= until) return { againSeconds: 0 } satisfies RunAgain
      yield* leases.extend([lease], leaseSeconds)
      yield* Effect.yieldNow
    }
  })

  /** The same alone with the bank: anyone who reads it now ends first, and anyone who comes later finds it gone. */
  const destroyAlone = Effect.fnUntraced(function* <E>(
    task: Running,
    bank: Bank,
    end: (lease: Lease) => Effect.Effect<void, E>
  ) {
    const holder = `removal:${task.id}`
    const taken = yield* leases.take([bankLease(bank.id)], holder, leaseSeconds)
    if (Option.isNone(taken)) return { againSeconds: busySeconds } satisfies RunAgain
    const [lease] = taken.value
    return yield* Effect.andThen(leaveAnalyses(bank, task.guard), destroy(task, bank, lease!, end(lease!))).pipe(
      Effect.ensuring(Effect.ignore(leases.free(holder)))
    )
  })

  /** The customer that it belonged to at the provider goes with the last bank. Nobody else waits for the bank meanwhile. */
  const leaveSubject = Effect.fnUntraced(function* ({ guard }: Running, bank: Bank) {
    const { id: bankId, providerInstanceId: instanceId, workspaceId } = bank
    if (instanceId === undefined || natureOf(bank) !== "connected") return
    const answer = yield* Effect.catch(
      subjects.removeUnused({ workspaceId, instanceId, bankId, guard }),
      (error): Effect.Effect<never, StageFailed | StorageUnavailable | TaskFenced> =>
        error._tag === "StorageUnavailable" || error._tag === "TaskFenced"
          ? Effect.fail(error)
          : Effect.fail(failedUpstream(error))
    )
    if (answer === "pending") return yield* Effect.fail(unconfirmed)
    if (answer === "awaited") return { againSeconds: awaitedSeconds } satisfies RunAgain
  })

  const local = Effect.fnUntraced(function* (task: Running, bank: Bank, { cause }: BankRemoval) {
    const { id, workspaceId } = bank
    // What we hold waits for no upstream.
    const more = yield* destroyAlone(task, bank, () => Effect.void)
    if (more !== undefined) return more
    const awaited = yield* leaveSubject(task, bank)
    if (awaited !== undefined) return awaited
    return yield* destroyAlone(task, bank, (lease) =>
      task.finish(
        Effect.gen(function* () {
          yield* leases.fence(lease)
          if (!(yield* banks.remove(workspaceId, id))) return
          yield* events.append([bankRemoved.of({ workspaceId, subjectId: id, cause, data: { bankId: id } })])
        })
      )
    )
  })

  /** Notes a try that failed, and says when to try again; after the last one the stage has failed. */
  const noteFailure = Effect.fnUntraced(function* (
    task: Running,
    bank: Bank,
    removal: BankRemoval,
    { afterSeconds, final, reason }: StageFailed
  ) {
    const { id, workspaceId } = bank
    const now = yield* Timestamp.now
    const wait = final ? undefined : removalWaits[removal.tries]
    const { cause, stage } = removal
    const tries = removal.tries + 1
    const deleted = bank.deletedAt === undefined ? {} : { deletedAt: bank.deletedAt }
    const life = (state: BankRemoval["state"]) => ({ ...deleted, removal: { state, stage, reason, tries, cause } })
    if (wait !== undefined) {
      yield* atomically(Effect.andThen(task.guard, banks.setLife(id, life("removing"), now)))
      return { againSeconds: Math.max(wait, afterSeconds) } satisfies RunAgain
    }
    yield* Effect.logError("The removal of a bank has failed", { bankId: id, stage, reason })
    yield* task.finish(
      Effect.andThen(
        banks.setLife(id, life("failed"), now),
        events.append([
          bankRemovalFailed.of({ workspaceId, subjectId: id, cause, data: { bankId: id, stage, reason } })
        ])
      )
    )
    return undefined
  })

  const provider = Effect.fnUntraced(function* (task: Running, bank: Bank, removal: BankRemoval) {
    const connection = yield* banks.connection(bank.id)
    if (Option.isSome(connection)) yield* revoke(bank, connection.value)
    const now = yield* Timestamp.now
    const { deletedAt } = bank
    const next: BankRemoval = { state: "removing", stage: "local", tries: 0, cause: removal.cause }
    yield* atomically(
      Effect.gen(function* () {
        yield* task.guard
        yield* banks.setLife(bank.id, { ...(deletedAt === undefined ? {} : { deletedAt }), removal: next }, now)
        yield* banks.dropConnection(bank.id)
      })
    )
    return next
  })

  const broken = "Something went wrong while it was destroyed; the log has the details"

  return handleTask(bankRemovalTask, (task) =>
    Effect.gen(function* () {
      const { bankId, workspaceId } = task.payload
      const bank = Option.getOrUndefined(yield* banks.get(workspaceId, bankId))
      // It was brought back, has failed permanently, or is gone.
      if (bank?.removal?.state !== "removing") return
      let { removal } = bank
      const noted = (failed: StageFailed) => noteFailure(task, bank, removal, failed)
      return yield* Effect.gen(function* () {
        if (removal.stage === "provider") removal = yield* provider(task, bank, removal)
        return yield* local(task, bank, removal).pipe(
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logError("Destroying a bank broke", defect),
              Effect.fail(new StageFailed(broken, false))
            )
          )
        )
      }).pipe(
        Effect.catchTag("LeaseLost", () => Effect.succeed({ againSeconds: busySeconds })),
        Effect.catchTag("StageFailed", noted)
      )
    })
  )
}).pipe(Effect.provide([Sessions.layer, SubjectRemovals.layer]))
