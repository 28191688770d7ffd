/** What must be true of the log of events when all is quiet: every change is reported, once, in order. */
import { BankStore, EventStore } from "@millrace/core/storage"
import { connectionStatusChanged } from "../../../core/src/bank/BankEvents.ts"
import type { LoggedEvent } from "@millrace/core/event"
import { jobEventTypes, type JobStatus, jobTransitions } from "@millrace/core/job"
import { transactionsNew } from "../../../core/src/record/RecordEvents.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ledgerOf } from "./Checkers.ts"
import type { ConnectionScenario } from "./ConnectionScenario.ts"
import { must, mustEqual, mustMatch } from "./Invariant.ts"
import type { Watch } from "./Watch.ts"

const told = "every change is reported, once and in order"

const legal = new Set(jobTransitions.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from} ${to}`))

/** Every job goes from its making to the status it has, by changes that its life cycle allows. */
const checkJobs = (events: ReadonlyArray<LoggedEvent>, watch: Watch, workspaceId: string): void => {
  const statuses = new Map<string, JobStatus>()
  for (const event of events) {
    const found = Option.firstSomeOf(jobEventTypes.map((type) => type.dataOf(event)))
    if (Option.isNone(found)) continue
    const { job } = found.value
    const before = statuses.get(job.id)
    const isLegal = before === undefined ? job.status === "created" : legal.has(`${before} ${job.status}`)
    must(told, isLegal, () => ({ before, event }))
    statuses.set(job.id, job.status)
  }
  const seen = [...watch.jobs].filter(([, job]) => job.workspaceId === workspaceId)
  mustMatch(
    told,
    Array.from(statuses, ([id, status]) => `${id} ${status}`),
    seen.map(([id, { status }]) => `${id} ${status}`),
    "jobs"
  )
}

/** Every status of a connection follows from the one before, up to the one it has. */
const checkConnection = (events: ReadonlyArray<LoggedEvent>, bankId: string, status: string | undefined): void => {
  const changes = events.flatMap((event) =>
    event.subject.id === bankId ? Option.toArray(connectionStatusChanged.dataOf(event)) : []
  )
  for (const [n, { from, to }] of changes.entries()) {
    must(told, from !== to && (n === 0 || changes[n - 1]!.to === from), () => changes)
  }
  const last = changes[changes.length - 1]
  if (last !== undefined) mustEqual(told, last.to, status, bankId)
}

/** To be asked when nothing is under way. */
export const checkEvents = Effect.fnUntraced(function* (scenario: ConnectionScenario, watch: Watch) {
  const store = yield* EventStore
  const workspaceId = scenario.workspace.id
  const events = yield* store.read(workspaceId, 0, Number.MAX_SAFE_INTEGER)
  mustEqual(
    told,
    events.map(({ sequence }) => sequence),
    events.map((_, n) => n + 1),
    "numbers"
  )
  checkJobs(events, watch, workspaceId)
  const bank = yield* (yield* BankStore).get(workspaceId, scenario.bank.id)
  if (Option.isSome(bank)) checkConnection(events, bank.value.id, bank.value.connectionStatus?.status)
  for (const account of scenario.accounts) {
    const news = events.flatMap((event) =>
      event.subject.id === account.id ? Option.toArray(transactionsNew.dataOf(event)) : []
    )
    mustMatch(
      told,
      news.flatMap(({ transactionIds }) => transactionIds),
      (yield* ledgerOf(account)).map(({ id }) => id),
      account.providerAccountId
    )
  }
})
