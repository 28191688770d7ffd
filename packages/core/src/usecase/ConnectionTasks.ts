/** What has to happen to connections although nobody asks: attempts that somebody left, banks that nobody looked at. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isLive } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import { ConnectionAttemptStore } from "../bank/ConnectionAttemptStore.ts"
import { ConnectionSubjectStore } from "../bank/ConnectionSubject.ts"
import { ConnectReturns } from "../bank/ConnectReturns.ts"
import { ConnectionChecks } from "../bank/ConnectionChecks.ts"
import { SubjectRemovals } from "../bank/SubjectRemovals.ts"
import { Id } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import { handleTask, recurringTask, type RunAgain, TaskFailure } from "../task/TaskHandler.ts"
import { taskKind } from "../task/TaskKind.ts"
import { Tasks } from "../task/Tasks.ts"
import { withinWorkspaces } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { connectionCheckTask } from "./BankRemovalTaskKind.ts"

const minute = 60
const hour = 3_600
/** Things found in one go; the rest comes with the next runs. */
const batch = 100
/** Seconds for which the one who began an attempt may complete it before we do. */
const ownTime = 120
/** Hours after which a bank that nobody looked at is looked at (decisions 6.2). */
const uncheckedHours = 6

/** Days after which it is looked at whether anything needs the customer that connections belong to upstream. */
const leftDays = 7
/** Seconds until another look at what an upstream takes back in its own time. */
const goingSeconds = 900

const secondsAgo = (seconds: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => Timestamp.fromMillis(now - seconds * 1_000))

const ofAttempt = taskKind("connection_go_on", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), attemptId: Id("connectionAttempt") }),
  concurrency: 4,
  attempts: 1
})

/** Expires attempts whose time is over, goes on with those that somebody left, and forgets old ones. */
const attempts = Effect.gen(function* () {
  const store = yield* ConnectionAttemptStore
  const tasks = yield* Tasks
  return recurringTask(
    "connection_attempts",
    minute,
    Effect.gen(function* () {
      const left = yield* store.waiting(yield* secondsAgo(ownTime), batch)
      yield* tasks.enqueue(
        ofAttempt,
        ...left.map(({ id, workspaceId }) => ({ key: id, workspaceId, payload: { workspaceId, attemptId: id } }))
      )
      // What is tried now is found again later: only the others say that there is more to do.
      return (yield* store.sweep(batch)) + (yield* store.purge(batch))
    })
  )
})

/** Goes on with one attempt. What fails is found again by the run after it. */
const goOn = Effect.gen(function* () {
  const store = yield* ConnectionAttemptStore
  const returns = yield* ConnectReturns
  const workspaces = yield* WorkspaceStore
  return handleTask(ofAttempt, ({ payload: { attemptId, workspaceId } }) =>
    withinWorkspaces(workspaceId)(
      Effect.gen(function* () {
        const [attempt, workspace] = [yield* store.get(attemptId), yield* workspaces.get(workspaceId)]
        if (Option.isNone(attempt) || Option.isNone(workspace)) return
        yield* returns.goOn({ attempt: attempt.value, workspace: workspace.value }).pipe(
          Effect.catchIf(
            (error) => error._tag !== "StorageUnavailable",
            (error) =>
              new TaskFailure({ message: `An attempt to connect a bank cannot go on: ${error.message}`, final: true })
          )
        )
      })
    )
  )
})

/** Finds banks that nobody has looked at for some time. */
const checks = Effect.gen(function* () {
  const store = yield* BankStore
  const tasks = yield* Tasks
  return recurringTask(
    "connection_checks",
    hour,
    Effect.gen(function* () {
      const due = yield* store.unchecked(yield* secondsAgo(uncheckedHours * hour), batch)
      yield* tasks.enqueue(
        connectionCheckTask,
        ...due.map(({ id, workspaceId }) => ({ key: id, workspaceId, payload: { workspaceId, bankId: id } }))
      )
      // A bank that cannot be asked stays due: it is tried again in an hour, and not at once.
      return due.length === batch ? 1 : 0
    })
  )
})

const reconciler = { kind: "system", reason: "connection check" } as const

/** Looks at one bank, and reads its accounts where nobody could yet. What it finds is kept, also where it cannot be asked. */
const check = Effect.gen(function* () {
  const store = yield* BankStore
  const connections = yield* ConnectionChecks
  return handleTask(connectionCheckTask, ({ guard, payload: { bankId, source, workspaceId } }) =>
    withinWorkspaces(workspaceId)(
      Effect.gen(function* () {
        const bank = yield* store.get(workspaceId, bankId)
        if (Option.isNone(bank) || !isLive(bank.value)) return
        const isUnread = (yield* store.accounts(bankId)).length === 0
        const holding = Effect.andThen(guard, Effect.asVoid(store.hold(workspaceId, bankId)))
        const looking = isUnread
          ? Effect.asVoid(connections.refresh(bank.value, { guard: holding, cause: reconciler }))
          : Effect.asVoid(connections.check(bank.value, { guard, cause: reconciler }, source ?? "reconciler"))
        yield* looking.pipe(
          Effect.catchIf(
            (error) => error._tag !== "StorageUnavailable" && error._tag !== "TaskFenced",
            (error) => Effect.logDebug("A bank could not be looked at", { bankId, why: error._tag })
          )
        )
      })
    )
  )
})

const ofSubject = taskKind("connection_subject", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), instanceId: Schema.String }),
  concurrency: 2,
  attempts: 5,
  backoff: { firstSeconds: minute, mostSeconds: hour }
})

/** Finds the customer that the connections of a workspace would have belonged to upstream, where no bank may ever have been made. */
const subjects = Effect.gen(function* () {
  const store = yield* ConnectionSubjectStore
  const tasks = yield* Tasks
  const { atomically } = yield* Transactor
  return recurringTask(
    "connection_subjects",
    hour,
    Effect.gen(function* () {
      const left = yield* atomically(
        Effect.gen(function* () {
          const found = yield* store.takeLeft(yield* secondsAgo(leftDays * 24 * hour), batch, yield* Timestamp.now)
          yield* tasks.enqueue(
            ofSubject,
            ...found.map(({ instanceId, workspaceId }) => ({
              key: `${workspaceId} ${instanceId}`,
              workspaceId,
              payload: { workspaceId, instanceId }
            }))
          )
          return found.length
        })
      )
      return left === batch ? 1 : 0
    })
  )
})

/** Takes one back upstream where nothing needs it. What fails permanently is looked at again after as many days. */
const leave = Effect.gen(function* () {
  const removals = yield* SubjectRemovals
  return handleTask(ofSubject, ({ guard, payload }) =>
    withinWorkspaces(payload.workspaceId)(
      Effect.gen(function* () {
        const answer = yield* removals.removeUnused({ ...payload, guard }).pipe(
          Effect.catchIf(
            (error) => error._tag !== "StorageUnavailable" && error._tag !== "TaskFenced",
            (error) =>
              new TaskFailure({
                message: `The customer that connections belong to at ${payload.instanceId} could not be taken back there: ${
                  error._tag === "ProviderNotAvailable" ? "it is not configured any more" : error.message
                }`,
                ...(error._tag === "ProviderNotAvailable" ? { final: true as const } : {})
              })
          )
        )
        // What the upstream does in its own time is asked for again; an attempt that may still make a bank keeps it.
        if (answer === "pending") return { againSeconds: goingSeconds } satisfies RunAgain
      })
    )
  )
}).pipe(Effect.provide(SubjectRemovals.layer))

/** The handlers, for `TaskKinds.layer(...)`. */
export const connectionHandlers = [attempts, goOn, checks, check, subjects, leave] as const
