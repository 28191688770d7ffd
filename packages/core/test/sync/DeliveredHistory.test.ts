/** What runs note about how delivered values came to be what they are. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { RecordChangeStore } from "../../src/enrichment/history/RecordChangeStore.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import { enrichmentOf, revised, tableFed, when } from "./FilteredScenes.ts"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const scene = (title: string, body: (simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>) =>
  memoryScene(title, { model: "upsertByKey" }, body)

const renaming = (value: string) => ({
  rules: [{ id: "r1", conditions: when("description", "contains", "tea"), action: { field: "description", value } }]
})

const opened = Effect.fnUntraced(function* (simulation: Simulation) {
  const world = yield* tableFed(simulation)
  const { account, feed, upstream, workspace } = world
  const today = CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
  const post = (description: string) =>
    upstream.post({ account: "a", date: CalendarDate.addDays(today, -1), amount: "-1.5", description, pending: false })
  const history = Effect.gen(function* () {
    const scope = { workspaceId: workspace.id, accountId: account.id, dataType: "transactions" } as const
    const store = yield* RecordChangeStore
    const all = yield* (yield* RecordStore).index(scope, {})
    const each = yield* Effect.forEach(all, ({ id }) => store.ofRecord(workspace.id, id, 100))
    return each.flatMap((changes) => changes.toReversed())
  })
  return { ...world, post, run: drive(simulation, feed), history }
})

describe("the history of delivered values", () => {
  scene("tells each change of a value once, with whose word was and is", (simulation) =>
    Effect.gen(function* () {
      const { feed, history, post, run, workspace } = yield* opened(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", renaming("Tea house"))
      for (const text of ["green tea", "rent"]) post(text)
      const { job } = yield* run
      const [first, ...none] = yield* history
      expect(none).toEqual([])
      expect(first).toMatchObject({
        workspaceId: workspace.id,
        feedId: feed.id,
        field: "description",
        before: "green tea",
        after: "Tea house",
        beforeAuthority: "provider",
        afterAuthority: "rule",
        enrichmentId: rule.id,
        revision: rule.revision,
        rulePath: "r1",
        actor: { kind: "sync", feedId: feed.id, jobId: job.id },
        jobId: job.id
      })
      yield* run
      expect(yield* history).toHaveLength(1)
      const other = yield* revised(rule, { config: renaming("Tea") })
      yield* run
      yield* revised(other, { enabled: false })
      yield* run
      expect(
        (yield* history).map((one) => [
          one.before,
          one.after,
          one.beforeAuthority,
          one.afterAuthority,
          one.enrichmentId
        ])
      ).toEqual([
        ["green tea", "Tea house", "provider", "rule", rule.id],
        ["Tea house", "Tea", "rule", "rule", rule.id],
        ["Tea", "green tea", "rule", "provider", undefined]
      ])
    })
  )

  scene("tells nothing of values that the provider alone decides", (simulation) =>
    Effect.gen(function* () {
      const { history, post, run, upstream } = yield* opened(simulation)
      const row = post("rent")
      yield* run
      upstream.change(row, { description: "rent for March" })
      yield* run
      expect(yield* history).toEqual([])
    })
  )
})
