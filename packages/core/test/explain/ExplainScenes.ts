/** What it takes to watch values being explained, spoken about and undone: a feed of a bank into a table, with all fields of interest. */
import { createHash } from "node:crypto"
import { NodeDigest } from "@millrace/adapters"
import type { TrueRow } from "@millrace/testing/fake"
import { makeUser, storeFeed, storeTable } from "@millrace/testing/fixture"
import { rowsOf } from "@millrace/verification/quality/undo/TableText"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { asOwner } from "../../src/access/Caller.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { EnrichmentFacts } from "../../src/enrichment/EnrichmentFacts.ts"
import { Rehearsal } from "../../src/enrichment/Rehearsal.ts"
import { FeedPipelines } from "../../src/enrichment/FeedPipelines.ts"
import { bundledKinds, Kinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { Decisions } from "../../src/explain/Decisions.ts"
import { EnrichmentInsights } from "../../src/explain/EnrichmentInsights.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { Previews } from "../../src/explain/Previews.ts"
import { RecordLooks } from "../../src/explain/RecordLooks.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { SimulationRuns } from "../../src/explain/SimulationTask.ts"
import { AnsweredAtOnce, Simulations } from "../../src/explain/Simulations.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { Withheld } from "../../src/explain/Withheld.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { localRunTask } from "../../src/task/LocalRunTaskKind.ts"
import { Tasks } from "../../src/task/Tasks.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { LocalRun } from "../../src/usecase/LocalRun.ts"
import { monthSum } from "../enrichment/MonthSum.ts"
import { memoryScene, type SceneServices } from "../sync/MemoryScene.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const kinds = kindsOf([...bundledKinds({ patterns: provenPatterns, sha256 }), monthSum])

const explaining = Layer.mergeAll(
  Explanations.layer,
  RecordOverrides.layer,
  Undo.layer,
  Decisions.layer,
  EnrichmentInsights.layer,
  Previews.layer,
  Simulations.layer,
  SimulationRuns.layer,
  Withheld.layer
).pipe(
  Layer.provideMerge(RecordLooks.layer),
  Layer.provideMerge(Rehearsal.layer),
  Layer.provide(EnrichmentFacts.layer),
  Layer.provide(Tasks.layer),
  Layer.provide(Cursors.layer(Redacted.make("0123456789abcdef0123456789abcdef"))),
  Layer.provideMerge(FeedPipelines.layer),
  Layer.provideMerge(Layer.mergeAll(Layer.succeed(Kinds, kinds), Ids.layer, NodeDigest.layer))
)

export type ExplainServices = SceneServices | Layer.Success<typeof explaining>

/** A test with the kinds of the kernel, and one that says of each record what its month has cost. */
export const scene = (title: string, body: (simulation: Simulation) => Effect.Effect<void, unknown, ExplainServices>) =>
  memoryScene(title, { model: "upsertByKey", kinds: [monthSum] }, (simulation) =>
    body(simulation).pipe(Effect.provide(explaining))
  )

/** What changes would do, told at once. */
export const simulated = Effect.fnUntraced(
  function* (...[caller, request]: Parameters<Simulations["Service"]["simulate"]>) {
    const answer = yield* (yield* Simulations).simulate(caller, request)
    return "report" in answer ? answer.report : yield* Effect.die(new Error("it is played in the background"))
  },
  Effect.provideService(AnsweredAtOnce, { records: 20_000, seconds: Number.POSITIVE_INFINITY })
)

const instance = "delta-connection-stable"
const columns = ["description", "category", "merchantName", "monthSum"] as const

/** Runs the local runs that are due, once each. Returns how many there were. */
export const localRuns = Effect.gen(function* () {
  const store = yield* TaskStore
  const { run } = yield* LocalRun
  const { tasks } = yield* store.claim("runner", [{ kind: localRunTask.name, limit: 100 }], 60)
  for (const { fence, task } of tasks) {
    const again = yield* run({
      ...task,
      workspaceId: task.workspaceId,
      attempt: task.attempts,
      payload: Schema.decodeUnknownSync(localRunTask.payload)(task.payload),
      guard: store.fence(fence),
      finish: (writes) => writes
    })
    const id = yield* (yield* Ids).next("task")
    yield* store.complete(fence, again === undefined ? undefined : { id, afterSeconds: again.againSeconds })
  }
  return tasks.length
})

/** A bank with one account, fed into a table. */
export const fed = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === instance)!
  const world = yield* connect(simulation, provider, ["a"])
  const account = world.accounts[0]!
  const { workspace } = world
  const table = yield* storeTable(workspace, { fields: [] })
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: [{ bankId: world.bank.id, accountId: account.id }] },
    fieldMappings: columns.map((name) => ({ sourceField: name, destinationField: name }))
  })
  const today = CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
  const post = (description: string, amount = "-1.5", daysAgo = 1): TrueRow =>
    world.upstream.post({
      account: "a",
      date: CalendarDate.addDays(today, -daysAgo),
      amount,
      description,
      pending: false
    })
  const scope = { workspaceId: workspace.id, accountId: account.id, dataType: "transactions" } as const
  const records = yield* RecordStore
  /** The ledger, by what the provider says. */
  const ledger = Effect.gen(function* () {
    const all = yield* records.changes(scope, { after: 0, upTo: 1_000_000, limit: 10_000 })
    return new Map(all.map((record) => [String(record.fields["description"]), record]))
  })
  const idOf = (description: string) => Effect.map(ledger, (all) => all.get(description)!.id)
  const rows = rowsOf(table)
  const caller = asOwner(workspace, yield* makeUser())
  return { ...world, account, feed, caller, post, ledger, idOf, rows, scope, run: drive(simulation, feed) }
})

export const setting = (field: string, value: string, contains = "tea") => ({
  rules: [
    {
      id: "r1",
      conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: contains }] },
      action: { field, value }
    }
  ]
})
