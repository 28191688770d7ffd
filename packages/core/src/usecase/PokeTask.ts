/** What follows from callbacks of providers: connections are looked at, feeds run. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Bank } from "../bank/Bank.ts"
import { isLive } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import { ConnectionSubjectStore } from "../bank/ConnectionSubject.ts"
import { ConnectReturns } from "../bank/ConnectReturns.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { JobStore } from "../job/JobStore.ts"
import type { SyncDataType } from "../record/DataType.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases } from "../storage/Lease.ts"
import { handleTask } from "../task/TaskHandler.ts"
import { Tasks } from "../task/Tasks.ts"
import { acrossTenants, withinWorkspaces } from "../workspace/TenantScope.ts"
import { connectionCheckTask } from "./BankRemovalTaskKind.ts"
import { pokeTask, pulledFeedTask } from "./PokeTaskKind.ts"

/** Jobs of a feed among which the last one that a callback made is looked for. */
const jobsLookedAt = 20

/** Whether the feed runs by itself and reads such data of the bank. */
const isPulled =
  (bank: Bank, dataTypes: ReadonlyArray<SyncDataType> | undefined) =>
  ({ dataType, destinationConfig, schedule, sourceConfig }: Feed): boolean =>
    schedule?.enabled === true &&
    destinationConfig !== undefined &&
    sourceConfig?.type === "sync" &&
    sourceConfig.accounts.some(({ bankId }) => bankId === bank.id) &&
    (dataTypes === undefined || dataTypes.some((one) => one === dataType))

/** The handler of callbacks. */
export const pokes = Effect.gen(function* () {
  const banks = yield* BankStore
  const feeds = yield* FeedStore
  const tasks = yield* Tasks
  const returns = yield* ConnectReturns
  const subjects = yield* ConnectionSubjectStore

  /** The banks of a connection, or else all that a subject has at the instance. */
  const banksOf = Effect.fnUntraced(function* (
    instanceId: string,
    connectionRef: string | undefined,
    subjectRef: string | undefined
  ) {
    const across = acrossTenants("provider callbacks")
    if (connectionRef !== undefined) return yield* across(banks.ofConnection(instanceId, connectionRef))
    if (subjectRef === undefined) return []
    const subject = Option.getOrUndefined(yield* across(subjects.byRef(instanceId, subjectRef)))
    if (subject === undefined) return []
    const all = yield* withinWorkspaces(subject.workspaceId)(banks.list([subject.workspaceId]))
    return all.filter(({ providerInstanceId }) => providerInstanceId === instanceId)
  })

  return handleTask(pokeTask, (task) =>
    Effect.gen(function* () {
      const { attemptId, check, connectionRef, dataTypes, instanceId, pull, result, subjectRef } = task.payload
      if (attemptId !== undefined && result !== undefined) {
        const returned = yield* returns.byAttempt(instanceId, attemptId)
        const payload = { kind: "provider_connection_id" as const, connectionId: connectionRef ?? "" }
        if (Option.isSome(returned) && (result !== "connected" || connectionRef !== undefined)) {
          yield* returns.told(returned.value, result === "connected" ? { result, payload } : { result })
        }
      }
      // What nobody knows, or was deleted here, is nobody's: providers go on for some time about what was removed.
      for (const bank of yield* banksOf(instanceId, connectionRef, subjectRef)) {
        if (!isLive(bank)) continue
        const { id: bankId, workspaceId } = bank
        yield* Effect.gen(function* () {
          if (check) {
            const payload = { workspaceId, bankId, source: "webhook" as const }
            yield* tasks.enqueue(connectionCheckTask, { payload, workspaceId, key: bankId })
          }
          if (!pull) return
          const pulled = (yield* feeds.list([workspaceId], {})).filter(isPulled(bank, dataTypes))
          yield* tasks.enqueue(
            pulledFeedTask,
            ...pulled.map(({ id }) => ({ payload: { workspaceId, feedId: id }, workspaceId, key: id }))
          )
        }).pipe(withinWorkspaces(workspaceId))
      }
    })
  )
}).pipe(Effect.provide(Tasks.layer))

/** The handler of feeds that callbacks have news for: at most one run of a feed in `limits.webhookPullSeconds`. */
export const pulledFeeds = Effect.gen(function* () {
  const feeds = yield* FeedStore
  const jobs = yield* JobStore
  const leases = yield* Leases
  const ids = yield* Ids

  return handleTask(pulledFeedTask, (task) =>
    Effect.gen(function* () {
      const { feedId, workspaceId } = task.payload
      const feed = Option.getOrUndefined(yield* feeds.get(workspaceId, feedId))
      if (feed?.schedule?.enabled !== true) return
      const recent = yield* jobs.list(workspaceId, feedId, { limit: jobsLookedAt })
      const last = recent.find(({ type }) => type === "webhook")
      if (last !== undefined) {
        const age = (Timestamp.toMillis(yield* jobs.now) - Timestamp.toMillis(last.createdAt)) / 1_000
        if (age < limits.webhookPullSeconds) return { againSeconds: Math.ceil(limits.webhookPullSeconds - age) }
      }
      // The job is made a moment later: until it shows, this says that there is one. It is not given back.
      const pull = `webhook pull:${feedId}`
      const taken = yield* leases.take([pull], yield* ids.next("request"), limits.webhookPullSeconds)
      if (Option.isNone(taken)) {
        const now = Timestamp.toMillis(yield* jobs.now)
        const until = Option.map(yield* leases.current(pull), ({ expiresAt }) => Timestamp.toMillis(expiresAt) - now)
        return { againSeconds: Math.max(1, Math.ceil(Option.getOrElse(until, () => 0) / 1_000)) }
      }
      yield* task.finish(feeds.wake(feedId, { reason: "arrival", type: "webhook", retry: 0, afterSeconds: 0 }))
    })
  )
})
