/** Losing one's place at an upstream, and data that change while they are read: nobody but the log should notice. */
import { describe, expect } from "@effect/vitest"
import { CheckpointInvalid, MutationDuringPagination } from "../../src/provider/ProviderError.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"
import { encodeCheckpoint } from "../../src/sync/StoredCheckpoint.ts"
import { storeFeed } from "@millrace/testing/fixture"
import type { ScriptedBank } from "@millrace/testing/fake"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

/** Pages of three. */
const instance = "delta-connection-stable"
const origin = { instanceId: `demo:${instance}`, changeModel: "delta" } as const
const day = CalendarDate.make("2026-11-20")

/** An account of seven rows that was synced, and since then changed upstream and at the destination. */
const opened = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === instance)!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  const rows = Array.from({ length: 7 }, (_, n) =>
    upstream.post({ account: "a", date: day, amount: "-1", description: `row ${n}` })
  )
  const path = `${bank.id}.csv`
  const place = simulation.destination.at(path)
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "file", path, format: "csv" },
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
    fieldMappings: mappings
  })
  const sync = Effect.map(drive(simulation, feed), ({ job }) => job)
  yield* sync
  const records = yield* RecordStore
  const key = { bankId: bank.id, accountId: undefined, dataType: "transactions" as const }
  const ids = Effect.map(
    ledgerOf(accounts[0]!),
    (all) => new Map(all.filter(({ state }) => state === "live").map((record) => [record.providerId, record.id]))
  )
  const texts = () => place.rows.map(({ values }) => String(values["description"])).toSorted()
  return { accounts, upstream, rows, place, sync, records, key, ids, texts }
})

type World = Effect.Success<ReturnType<typeof opened>>

const scene = (
  title: string,
  body: (world: World, simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>
) =>
  memoryScene(title, { model: "upsertByKey" }, (simulation) =>
    Effect.flatMap(opened(simulation), (world) => body(world, simulation))
  )

const invalid = new CheckpointInvalid({ message: "gone" })
const mutated = new MutationDuringPagination({ message: "moved" })

const losses: ReadonlyArray<readonly [how: string, lose: (world: World) => Effect.Effect<void, unknown>]> = [
  ["the upstream knows it no more", ({ upstream }) => Effect.sync(() => upstream.loseCheckpoints())],
  [
    "the upstream forgets it in the middle of the pages",
    ({ upstream }) =>
      Effect.sync(() => {
        // More than a page has changed, so that there is a second one.
        for (const row of upstream.rows.values()) upstream.change(row, {})
        upstream.failures.push(undefined, invalid)
      })
  ],
  [
    "it is of another provider instance",
    ({ key, records }) =>
      records.saveCheckpoint(key, encodeCheckpoint({ ...origin, instanceId: "demo:other" }, { checkpoint: "v1:1:7" }))
  ],
  [
    "it is of another kind",
    ({ key, records }) =>
      records.saveCheckpoint(
        key,
        encodeCheckpoint({ ...origin, changeModel: "snapshotFull" }, { checkpoint: "v1:1:7" })
      )
  ],
  ["a later release wrote it", ({ key, records }) => records.saveCheckpoint(key, '{"v":7,"where":{"page":1}}')]
]

describe("a run whose checkpoint is lost", () => {
  for (const [how, lose] of losses) {
    scene(`reads everything again, and touches nothing that is as it was: ${how}`, (world) =>
      Effect.gen(function* () {
        const { ids, key, place, records, rows, sync, texts, upstream } = world
        const before = yield* ids
        const refs = new Map(place.rows.map(({ key: at, ref }) => [at, ref]))
        // A person works on one row there and deletes another; one changes upstream, one goes, one comes.
        const noted = place.rows.find(({ values }) => values["description"] === "row 0")!
        noted.values = { ...noted.values, description: "row 0, noted" }
        place.remove(place.rows.find(({ values }) => values["description"] === "row 1")!.key)
        upstream.change(rows[2]!, { description: "changed" })
        upstream.remove(rows[3]!)
        upstream.post({ account: "a", date: day, amount: "-1", description: "new" })
        yield* lose(world)

        const job = yield* sync
        expect([job.status, job.errors.map(({ code, severity }) => `${severity} ${code}`)]).toEqual([
          "completed",
          ["warning CHECKPOINT_LOST"]
        ])
        expect(job.counts).toMatchObject({ created: 1, updated: 1, removed: 1, failed: 0 })
        expect(texts()).toEqual(["changed", "new", "row 0, noted", "row 4", "row 5", "row 6"])
        for (const row of place.rows) expect([row.key, refs.get(row.key) ?? row.ref]).toEqual([row.key, row.ref])
        const after = yield* ids
        for (const [providerId, id] of before)
          expect([providerId, after.get(providerId) ?? id]).toEqual([providerId, id])

        expect(JSON.parse((yield* records.checkpoint(key))!)).toMatchObject({ v: 1, instance: `demo:${instance}` })
        const { writes } = place
        const next = yield* sync
        expect([next.errors, next.counts.read, place.writes]).toEqual([[], 0, writes])
      })
    )
  }

  scene("reads everything again for an account that was not listed for a while", (world) =>
    Effect.gen(function* () {
      const { key, place, records, rows, sync, texts, upstream } = world
      upstream.unlisted.add("a")
      upstream.post({ account: "a", date: day, amount: "-2", description: "told meanwhile" })
      upstream.remove(rows[0]!)
      const without = yield* sync
      expect([without.counts.read, without.counts.removed]).toEqual([0, 0])
      expect(JSON.parse((yield* records.checkpoint(key))!)).toMatchObject({ accounts: [] })
      upstream.unlisted.delete("a")
      const again = yield* sync
      expect([again.status, again.errors, again.counts.created]).toEqual(["completed", [], 1])
      // A list of accounts that was another one before says nothing about what is gone, until it is seen again.
      expect(again.counts.removed).toBe(0)
      expect((yield* sync).counts).toMatchObject({ created: 0, updated: 0, removed: 1 })
      expect(texts()).toEqual(["row 1", "row 2", "row 3", "row 4", "row 5", "row 6", "told meanwhile"])
      const { writes } = place
      const next = yield* sync
      expect([next.counts.read, place.writes]).toEqual([0, writes])
    })
  )

  scene("goes on from what a release without versions kept", ({ key, records, rows, sync, texts, upstream }) =>
    Effect.gen(function* () {
      yield* records.saveCheckpoint(key, "v1:1:7")
      upstream.change(rows[2]!, { description: "changed" })
      const { pulls } = upstream
      const job = yield* sync
      expect([job.errors, job.counts.read, upstream.pulls - pulls]).toEqual([[], 1, 1])
      expect(texts()).toContain("changed")
      expect(JSON.parse((yield* records.checkpoint(key))!)).toEqual({
        v: 1,
        instance: `demo:${instance}`,
        kind: "delta",
        accounts: ["a"],
        checkpoint: "v1:1:8"
      })
    })
  )
})

const moves = (upstream: ScriptedBank, times: number) => {
  for (let n = 0; n < times; n++) upstream.failures.push(undefined, mutated)
}

describe("a set that changes while it is read", () => {
  scene("is read again, and no page of a try that failed is kept", ({ rows, sync, texts, upstream }) =>
    Effect.gen(function* () {
      for (const row of rows) upstream.change(row, { description: `${row.description}, once` })
      moves(upstream, limits.paginationRestarts)
      const { pulls } = upstream
      const job = yield* sync
      expect([job.status, job.errors, job.counts.read]).toEqual(["completed", [], 7])
      expect(upstream.pulls - pulls).toBe(2 * limits.paginationRestarts + 3)
      expect(texts().every((text) => text.endsWith(", once"))).toBe(true)
    })
  )

  scene("on every try ends the job with what to do, and moves no cursor", (world) =>
    Effect.gen(function* () {
      const { key, records, rows, sync, texts, upstream } = world
      for (const row of rows) upstream.change(row, { description: "other" })
      const before = yield* records.checkpoint(key)
      moves(upstream, limits.paginationRestarts + 1)
      const job = yield* sync
      expect([job.status, job.errors]).toMatchObject([
        "failed",
        [{ code: "PAGINATION_UNSTABLE", severity: "fatal", recovery: { action: "restart_pagination" } }]
      ])
      expect([texts().includes("other"), yield* records.checkpoint(key)]).toEqual([false, before])
      expect((yield* sync).counts).toMatchObject({ read: 7, updated: 7 })
    })
  )
})
