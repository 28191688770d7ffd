/**
 * How long others wait while the worst legal enrichments work: requests are answered by the thread that plans, so the delay of its
 * event loop is what `/livez` and the reads of other workspaces wait at least. Unlike other scenes it measures time, which depends
 * on the machine.
 */
import { createHash } from "node:crypto"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { provenPatterns } from "@millrace/core/pattern"
import { PlanningThreads } from "@millrace/adapters/planning"
import { asOwner } from "@millrace/core/access"
import { CalendarDate, Ids } from "@millrace/core"
import { bundledKinds, type Enrichment, Kinds, kindsOf } from "@millrace/core/enrichment"
import { Cursors, EnrichmentFacts, Previews, Simulations } from "@millrace/core/kernel"
import { EnrichmentStore } from "@millrace/core/storage"
import { Tasks } from "@millrace/core/task"
import { makeEnrichment, makeUser, storeFeed, storeTable } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { FeedPipelines } from "../../../../core/src/enrichment/FeedPipelines.ts"
import { Rehearsal } from "../../../../core/src/enrichment/Rehearsal.ts"
import { type Config, extracts, longText, lookup, templates, worst } from "../../planning/WorstLegal.ts"
import { connect, drive, makeSimulation, type Simulation } from "../../simulation/Simulation.ts"
import { VirtualClock } from "../../simulation/VirtualClock.ts"
import { type Effort, type Figure, type Scene, sizeOf } from "../identity/Scene.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const kinds = bundledKinds({ patterns: provenPatterns, sha256 })

const explaining = Layer.mergeAll(Previews.layer, Simulations.layer).pipe(
  Layer.provideMerge(Rehearsal.layer),
  Layer.provide(EnrichmentFacts.layer),
  Layer.provide(Tasks.layer),
  Layer.provide(Cursors.layer(Redacted.make("0123456789abcdef0123456789abcdef"))),
  Layer.provideMerge(FeedPipelines.layer),
  Layer.provideMerge(Layer.mergeAll(Layer.succeed(Kinds, kindsOf(kinds)), Ids.layer, NodeDigest.layer))
)

/** Until the event loop has gone round a few times: what it looks at begins and ends with that. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/**
 * How long the thread was busy between two looks at the event loop, in milliseconds of its processor time: other programs of the
 * machine count for nothing. A request that comes at any moment waits for at most `p99` in 99 of 100 cases.
 */
const delayOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const turns: Array<number> = []
  let isOver = false
  let last = cpuMillis()
  const look = (): void => {
    const now = cpuMillis()
    turns.push(now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  yield* aMoment
  turns.length = 0
  yield* work
  yield* aMoment
  isOver = true
  turns.sort((a, b) => b - a)
  const all = turns.reduce((sum, one) => sum + one, 0)
  let longer = 0
  let p99 = 0
  for (const one of turns) {
    p99 = one
    longer += one
    if (longer >= all / 100) break
  }
  return { p99, most: turns[0] ?? 0 }
})

/** One of the worst configurations, and what looks at the same records beside it. */
const casesOf = (
  random: Seeded
): ReadonlyArray<readonly [name: string, enrichments: ReadonlyArray<readonly [string, Config]>]> => [
  ["templates", [["rule", templates]]],
  ["400 patterns", [["rule", extracts(random)]]],
  ["5,000 keys", [["lookup", lookup]]],
  ["all kinds", kinds.map(({ type }) => [type, worst(type, random)] as const)]
]

const played = Effect.fnUntraced(function* (
  simulation: Simulation,
  enrichments: ReadonlyArray<readonly [string, Config]>,
  rows: number
) {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  const table = yield* storeTable(workspace, { fields: [] })
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
    fieldMappings: ["description", "category", "notes"].map((name) => ({ sourceField: name, destinationField: name }))
  })
  const store = yield* EnrichmentStore
  const ids: Array<Enrichment["id"]> = []
  for (const [type, config] of enrichments) {
    const made = yield* makeEnrichment(workspace, { type, config: config as Enrichment["config"] })
    yield* store.insert(made)
    ids.push(made.id)
  }
  const today = CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
  for (let n = 0; n < rows; n++) {
    upstream.post({
      account: "a",
      date: CalendarDate.addDays(today, -(n % 80)),
      amount: `-${(n % 900) + 1}.25`,
      description: n % 50 === 7 ? longText(1_900) : `SHOP ${n % 211} ${n}`,
      pending: false
    })
  }
  const caller = asOwner(workspace, yield* makeUser())
  const samples = Array.from({ length: 50 }, (_, n) => ({ description: longText(10_000), amount: `-${n + 1}.5` }))
  const { preview } = yield* Previews
  const { simulate } = yield* Simulations
  return {
    preview: yield* delayOf(preview(caller, feed.id, samples)),
    sync: yield* delayOf(drive(simulation, feed)),
    simulations: yield* delayOf(
      Effect.forEach(
        Array.from({ length: 12 }, (_, order) => order),
        (order) => Effect.result(simulate(caller, { changes: [{ kind: "reorder", enrichmentId: ids[0]!, order }] })),
        { concurrency: "unbounded" }
      )
    )
  }
})

const goalsOf = ({ size }: Effort) =>
  size === "small" ? {} : { p99: { goal: { max: 250 } }, most: { goal: { max: 1_000 } } }

const play = Effect.fnUntraced(function* (effort: Effort) {
  const rows = sizeOf(effort, { small: 30, quick: 400, full: 1_489 })
  const goals: { readonly p99?: Pick<Figure, "goal">; readonly most?: Pick<Figure, "goal"> } = goalsOf(effort)
  const cases = casesOf(new Seeded(effort.seed))
  const figures: Array<Figure> = []
  for (const [name, enrichments] of effort.size === "small" ? cases.slice(0, 1) : cases) {
    const clock = new VirtualClock()
    const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model: "upsertByKey" })
    const delays = yield* played(simulation, enrichments, rows).pipe(
      Effect.provide(explaining.pipe(Layer.provideMerge(simulation.layer), Layer.provide(PlanningThreads.layer()))),
      Effect.provideService(Clock.Clock, clock),
      Effect.orDie
    )
    for (const [what, { most, p99 }] of Object.entries(delays)) {
      figures.push({ name: `${name}, ${what}: ms at p99`, value: p99, ...goals.p99 })
      figures.push({ name: `${name}, ${what}: ms at most`, value: most, ...goals.most })
    }
  }
  return figures
})

export const eventLoopDelay: Scene = {
  name: "event-loop-delay",
  title: "others wait while the worst legal enrichments are previewed, simulated and run",
  play
}
