/** What people write into the table of a feed is learnt from, and fills what comes. */
import { expect, type Vitest } from "@effect/vitest"
import { makeEnrichment } from "@millrace/testing/fixture"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import { EnrichmentFacts } from "../../src/enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import { MemoryPatternStore } from "../../src/enrichment/MemoryPatternStore.ts"
import { Findings } from "../../src/enrichment/Findings.ts"
import { feedLearnTask, learnSeconds } from "../../src/enrichment/LearnTaskKind.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import type { Jobs } from "../../src/job/Jobs.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { Transactor } from "../../src/storage/Transactor.ts"
import { learnHandlers } from "../../src/sync/LearnTasks.ts"
import type { PushedRecord } from "../../src/sync/PushedRecords.ts"
import { Tables } from "../../src/table/Tables.ts"
import type { TaskError } from "../../src/task/TaskHandler.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { Feeds } from "../../src/usecase/Feeds.ts"
import { acrossTenants, withinWorkspaces } from "../../src/workspace/TenantScope.ts"
import { openFeed, record } from "./PushedWorld.ts"

type World =
  | Effect.Services<ReturnType<typeof openFeed>>
  | Effect.Services<(typeof learnHandlers)[number]>
  | AnalysisStore
  | EnrichmentFacts
  | Enrichments
  | EnrichmentStore
  | MemoryPatternStore
  | EventStore
  | Feeds
  | Jobs
  | Findings
  | Tables
  | TaskStore
  | Transactor

const inAll = acrossTenants("job engine")

const opened = Effect.fnUntraced(function* (config: object = {}) {
  const world = yield* openFeed({
    fieldMappings: ["id", "description", "category", "amount"].map((key) => ({
      sourceField: key,
      destinationField: key
    }))
  })
  const { caller, feed, push, runDue, tableId, workspace } = world
  const [tables, feeds, store] = [yield* Tables, yield* Feeds, yield* TaskStore]
  const { atomically } = yield* Transactor
  const memory = yield* makeEnrichment(workspace, { type: "memory", config: config as never })
  yield* inAll((yield* EnrichmentStore).insert(memory))
  const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
  const handlers = [yield* learnHandlers[0], yield* learnHandlers[1]]
  const rooms = handlers.map(({ kind }) => ({ kind: kind.name, limit: 10 }))

  const rows = Effect.map(tables.queryRows(caller, tableId, {}), (page) => page.rows)
  const edit = Effect.fnUntraced(function* (description: string, values: Readonly<Record<string, string | null>>) {
    const row = (yield* rows).find((one) => one.values["description"] === description)
    if (row === undefined) return expect.fail(`no row of ${description}`)
    return yield* tables.updateRow(caller, tableId, row.id, { values }, undefined)
  })
  const categories = Effect.map(rows, (all) =>
    Object.fromEntries(all.map(({ values }) => [String(values["description"]), values["category"] ?? null]))
  )
  /** Every task that is due, to its end. Returns how many of this workspace there were. */
  const runTasks = Effect.gen(function* () {
    let ran = 0
    for (;;) {
      const { tasks } = yield* store.claim("runner", rooms, 60).pipe(inAll)
      if (tasks.length === 0) return ran
      for (const { fence, task } of tasks) {
        let ended = false
        const handler = handlers.find(({ kind }) => kind.name === task.kind)!
        const tried: Effect.Effect<unknown, TaskError> = handler.run({
          id: task.id,
          key: task.key,
          payload: task.payload,
          workspaceId: task.workspaceId,
          attempt: 1,
          guard: store.fence(fence),
          finish: (writes) =>
            atomically(
              Effect.andThen(
                store.fence(fence),
                Effect.tap(writes, () => Effect.asVoid(store.complete(fence)))
              )
            ).pipe(Effect.tap(() => Effect.sync(() => (ended = true))))
        })
        yield* tried.pipe(withinWorkspaces(task.workspaceId!))
        if (!ended) yield* inAll(store.complete(fence))
        // Other scenes may have left some in the same storage.
        if (task.workspaceId === workspace.id) ran++
      }
    }
  })
  const learn = Effect.andThen(feeds.learn(caller, feed.id), runTasks)
  const bill = (id: string, text: string, change: PushedRecord["values"] = {}): PushedRecord =>
    record(id, "-9.5", { description: text, date: CalendarDate.addDays(today, -3), ...change })
  const bring = Effect.fnUntraced(function* (...records: ReadonlyArray<PushedRecord>) {
    yield* push({ records })
    yield* runDue
  })
  const words = Effect.map(
    (yield* AnalysisStore).facts({ workspaceId: workspace.id, dataType: "transactions" }, { enrichmentId: memory.id }),
    (facts) => facts.filter(({ kind }) => kind === "set")
  ).pipe(inAll)
  return { ...world, memory, rows, edit, categories, runTasks, learn, bill, bring, words, tasks: store }
})

const shops = (bill: (id: string, text: string) => PushedRecord, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => bill(`s${from + n}`, `HARBOUR MARKET ${1000 + from + n}`))

export const learnScenes = (it: Vitest.MethodsNonLive<World>): void => {
  it.effect("fills what comes as people have written it into the table, and what they wrote stays", () =>
    Effect.gen(function* () {
      const { bill, bring, caller, categories, edit, learn, memory, words, workspace } = yield* opened()
      yield* bring(...shops(bill, 0, 3), bill("t", "TRAM TOURS"))
      for (const n of [0, 1, 2]) yield* edit(`HARBOUR MARKET ${1000 + n}`, { category: "Groceries" })
      yield* learn
      expect((yield* words).map(({ by, field, value }) => [by.kind, field, value])).toEqual(
        Array.from({ length: 3 }, () => ["user", "category", "Groceries"])
      )
      const [finding] = (yield* (yield* Findings).list(caller, memory.id, {})).rows
      expect(finding).toMatchObject({ kind: "memory_pattern", title: 'category of "harbour market" is Groceries' })
      const told = yield* (yield* EventStore).read(workspace.id, 0, 100).pipe(inAll)
      expect(told.filter(({ type }) => type.startsWith("memory.")).map(({ type }) => type)).toEqual([
        "memory.activated"
      ])

      yield* bring(bill("s3", "HARBOUR MARKET 1003"))
      expect(yield* categories).toEqual({
        "HARBOUR MARKET 1000": "Groceries",
        "HARBOUR MARKET 1001": "Groceries",
        "HARBOUR MARKET 1002": "Groceries",
        "HARBOUR MARKET 1003": "Groceries",
        "TRAM TOURS": "UNCATEGORIZED"
      })
      // What was filled in is nobody's word, and reading again keeps nothing more.
      yield* learn
      expect(yield* words).toHaveLength(3)

      // A person says otherwise of one: that holds.
      yield* edit("HARBOUR MARKET 1003", { category: "Gifts" })
      yield* learn
      yield* bring(bill("s3", "HARBOUR MARKET 1003", { amount: "-10" }))
      expect((yield* categories)["HARBOUR MARKET 1003"]).toBe("Gifts")
    })
  )

  it.effect("fills nothing any more once a person has dismissed it, until they take that back", () =>
    Effect.gen(function* () {
      const { bill, bring, caller, categories, edit, learn, memory } = yield* opened()
      const findings = yield* Findings
      yield* bring(...shops(bill, 0, 4))
      for (const n of [0, 1, 2]) yield* edit(`HARBOUR MARKET ${1000 + n}`, { category: "Groceries" })
      yield* learn
      const [finding] = (yield* findings.list(caller, memory.id, {})).rows
      yield* findings.update(caller, memory.id, finding!.id, { status: "dismissed" })
      yield* learn
      yield* bring(...shops(bill, 4, 5))
      expect((yield* categories)["HARBOUR MARKET 1004"]).toBe("UNCATEGORIZED")
      expect((yield* findings.list(caller, memory.id, {})).rows.map(({ status }) => status)).toEqual(["dismissed"])

      yield* findings.update(caller, memory.id, finding!.id, { status: "open" })
      yield* learn
      yield* bring(...shops(bill, 5, 6))
      expect((yield* categories)["HARBOUR MARKET 1005"]).toBe("Groceries")
    })
  )

  it.effect("waits for a person where one has to agree", () =>
    Effect.gen(function* () {
      const { bill, bring, caller, categories, edit, learn, memory } = yield* opened({ activation: "confirm" })
      const findings = yield* Findings
      yield* bring(...shops(bill, 0, 3))
      for (const n of [0, 1, 2]) yield* edit(`HARBOUR MARKET ${1000 + n}`, { category: "Groceries" })
      yield* learn
      yield* bring(...shops(bill, 3, 4))
      expect((yield* categories)["HARBOUR MARKET 1003"]).toBe("UNCATEGORIZED")
      const [finding] = (yield* findings.list(caller, memory.id, {})).rows
      expect(finding!.data["state"]).toBe("proposed")
      yield* findings.update(caller, memory.id, finding!.id, { status: "confirmed" })
      yield* learn
      yield* bring(...shops(bill, 4, 5))
      expect((yield* categories)["HARBOUR MARKET 1004"]).toBe("Groceries")
    })
  )

  it.effect("does not say again what a person took back, unless they write it again", () =>
    Effect.gen(function* () {
      const { bill, bring, caller, edit, learn, made, words, workspace } = yield* opened()
      yield* bring(bill("a", "TRAM TOURS"))
      yield* edit("TRAM TOURS", { category: "Travel" })
      yield* learn
      const [word] = yield* words
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      const { account } = (yield* made)!
      const touched = [{ scope: { ...of, accountId: account.id }, recordIds: [word!.recordId!] }]
      yield* (yield* EnrichmentFacts).lift(of, touched, [word!.id], caller.cause)
      yield* learn
      expect(yield* words).toEqual([])
      yield* edit("TRAM TOURS", { category: "Fun" })
      yield* learn
      expect((yield* words).map(({ value }) => value)).toEqual(["Fun"])
    })
  )

  it.effect("forgets what it has learnt when it is deleted", () =>
    Effect.gen(function* () {
      const { bill, bring, caller, categories, edit, learn, memory, workspace } = yield* opened()
      yield* bring(...shops(bill, 0, 3))
      for (const n of [0, 1, 2]) yield* edit(`HARBOUR MARKET ${1000 + n}`, { category: "Groceries" })
      yield* learn
      const patterns = yield* MemoryPatternStore
      expect(yield* inAll(patterns.list([workspace.id]))).toHaveLength(1)
      yield* (yield* Enrichments).remove(caller, memory.id, undefined)
      expect(yield* inAll(patterns.list([workspace.id]))).toEqual([])
      yield* bring(...shops(bill, 3, 4))
      expect(Object.values(yield* categories)).toEqual(["Groceries", "Groceries", "Groceries", "UNCATEGORIZED"])
    })
  )

  it.effect(
    "learns a while after a sync, once, and at once where it is asked to; without a memory nothing comes of it",
    () =>
      Effect.gen(function* () {
        const { bill, bring, caller, feed, learn, memory, runTasks, tasks } = yield* opened()
        yield* bring(bill("a", "TRAM TOURS"))
        yield* bring(bill("b", "TRAM TOURS"))
        const waiting = yield* inAll(tasks.list({ kind: feedLearnTask.name, state: "open", limit: 10 }))
        const [own, ...others] = waiting.filter(({ key }) => key === feed.id)
        expect(others).toEqual([])
        const wait = Timestamp.toMillis(own!.dueAt) - Timestamp.toMillis(own!.createdAt)
        expect(Math.round(wait / 1_000)).toBe(learnSeconds)
        expect(yield* learn).toBe(2)
        yield* inAll((yield* EnrichmentStore).update({ ...memory, enabled: false, version: 2, revision: 2 }))
        yield* bring(bill("c", "TRAM TOURS"))
        const left = yield* inAll(tasks.list({ kind: feedLearnTask.name, state: "open", limit: 10 }))
        expect(left.filter(({ key }) => key === feed.id)).toEqual([])
        yield* (yield* Feeds).learn(caller, feed.id)
        expect(yield* runTasks).toBe(2)
      })
  )
}
