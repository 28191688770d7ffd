import { tmpdir } from "node:os"
import { join } from "node:path"
import { Adapters } from "@millrace/adapters"
import { DemoProvider } from "@millrace/adapters/provider"
import { MemoryStorage } from "@millrace/adapters/memory"
import {
  claimJob,
  makeEnrichment,
  makeJobError,
  makeTableField,
  ownerOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeTable,
  storeWorkspace
} from "@millrace/testing/fixture"
import { BankStore } from "../../src/bank/BankStore.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { Feeds } from "../../src/usecase/Feeds.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"

const layer = Feeds.layer.pipe(
  Layer.provide(Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })),
  Layer.provideMerge(Adapters.layer({ providers: [DemoProvider.make()], folder: undefined })),
  Layer.provideMerge(Layer.merge(MemoryStorage.layer, Ids.layer))
)

const mapped = (field: string) => ({ fieldMappings: [{ sourceField: field, destinationField: field }] })

const arrange = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T23:30:00Z"))
  const workspace = yield* storeWorkspace({ timezone: "UTC" })
  const bank = yield* storeBank(workspace)
  const accounts = [
    yield* storeAccount(bank),
    yield* storeAccount(bank),
    yield* storeAccount(bank, { supports: ["balances"] })
  ]
  const sourceConfig = {
    type: "sync" as const,
    accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id }))
  }
  const caller = ownerOf(workspace)
  const feeds = yield* Feeds
  const base = { name: "Feed", source: "sync", dataType: "transactions" } as const
  const addRule = (field: string, change: Partial<Enrichment> = {}) =>
    Effect.gen(function* () {
      const conditions = { logic: "and", conditions: [{ field: "description", operator: "contains", value: "a" }] }
      const rule = { id: "r1", conditions, actions: [{ field, value: "x" }] }
      const enrichment = yield* makeEnrichment(workspace, { config: { rules: [rule] }, ...change })
      yield* (yield* EnrichmentStore).insert(enrichment)
      return enrichment
    })
  return { workspace, bank, accounts, sourceConfig, caller, feeds, base, addRule }
})

const field = "fieldMappings[0].sourceField"

describe("mappings of a feed", () => {
  it.effect("name fields that records have, or that an enabled rule of the feed writes", () =>
    Effect.gen(function* () {
      const { addRule, base, feeds, caller } = yield* arrange
      const create = (name: string) => feeds.create(caller, { ...base, ...mapped(name) })
      for (const unknown of ["costCentre", "amonut", "constructor", "toString"]) {
        expect(yield* Effect.flip(create(unknown))).toMatchObject({
          _tag: "Unprocessable",
          details: [
            {
              field,
              message: `"${unknown}" is not a field of transactions, and no enabled rule of this feed writes it`
            }
          ]
        })
      }
      yield* addRule("costCentre", { enabled: false })
      yield* addRule("costCentre", { dataType: "trades" })
      expect(yield* Effect.flip(create("costCentre"))).toMatchObject({ _tag: "Unprocessable" })
      yield* addRule("costCentre")
      expect((yield* create("costCentre")).warnings.filter((text) => text.includes("costCentre"))).toEqual([])
      expect((yield* create("removed")).feed.fieldMappings).toHaveLength(1)
      // A rule of one feed is none of another.
      const { feed } = yield* create("amount")
      yield* addRule("project", { allFeeds: false, feedIds: [feed.id] })
      expect(yield* Effect.flip(create("project"))).toMatchObject({ _tag: "Unprocessable" })
      const updated = yield* feeds.update(caller, feed.id, mapped("project"), undefined)
      expect(updated.feed.fieldMappings).toEqual(mapped("project").fieldMappings)
    }).pipe(Effect.provide(layer))
  )

  it.effect("name fields of kinds, such as budget.keys, where an enrichment of the kind writes them", () =>
    Effect.gen(function* () {
      const { base, caller, feeds, workspace } = yield* arrange
      const create = feeds.create(caller, { ...base, ...mapped("budget.keys") })
      expect(yield* Effect.flip(create)).toMatchObject({ _tag: "Unprocessable" })
      const match = { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "0" }] }
      const config = { lines: [{ key: "all", name: "All", match, amount: "100" }] }
      yield* (yield* EnrichmentStore).insert(yield* makeEnrichment(workspace, { type: "budget", config }))
      expect((yield* create).feed.fieldMappings).toHaveLength(1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are warned of, and kept, when the rule that writes them goes", () =>
    Effect.gen(function* () {
      const { addRule, base, feeds, caller, workspace } = yield* arrange
      const { id } = yield* addRule("costCentre")
      const { feed } = yield* feeds.create(caller, { ...base, ...mapped("costCentre") })
      expect((yield* feeds.get(caller, feed.id)).state.warnings).toEqual([])
      yield* (yield* EnrichmentStore).remove(workspace.id, id)
      const warning = expect.stringContaining(`${field} "costCentre"`)
      expect((yield* feeds.get(caller, feed.id)).state.warnings).toEqual([warning])
      expect((yield* feeds.list(caller, {})).map(({ state }) => state.warnings)).toEqual([[warning]])
      // Neither a new name nor the same mappings sent once more are refused for it.
      const renamed = yield* feeds.update(caller, feed.id, { name: "Other", ...mapped("costCentre") }, undefined)
      expect(renamed.warnings).toContainEqual(warning)
      expect(yield* Effect.flip(feeds.update(caller, feed.id, mapped("another"), undefined))).toMatchObject({
        _tag: "Unprocessable"
      })
    }).pipe(Effect.provide(layer))
  )
})

/** A folder that nothing is ever written to. */
const folder = join(tmpdir(), `millrace-feeds-${process.pid}`)
const filing = Feeds.layer.pipe(
  Layer.provide(Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })),
  Layer.provideMerge(Adapters.layer({ providers: [DemoProvider.make()], folder })),
  Layer.provideMerge(Layer.merge(MemoryStorage.layer, Ids.layer))
)

const file = (path: string) => ({ destinationConfig: { type: "file", path, format: "csv" } })
const taken = (path: string) => ({
  _tag: "Unprocessable",
  code: "FEED_VALIDATION_FAILED",
  details: [
    {
      field: "destinationConfig.path",
      message: `Another feed writes the file "${path}": choose another path.`
    }
  ]
})

describe("the file of a feed", () => {
  it.effect("belongs to no other feed of the workspace, however its path is written", () =>
    Effect.gen(function* () {
      const { base, feeds, caller } = yield* arrange
      const { feed: first } = yield* feeds.create(caller, { ...base, ...file("books/a.csv") })
      for (const path of ["books/a.csv", "./books/a.csv", "BOOKS/A.csv"]) {
        expect(yield* Effect.flip(feeds.create(caller, { ...base, ...file(path) }))).toMatchObject(taken(path))
      }
      const { feed: second } = yield* feeds.create(caller, { ...base, ...file("books/b.csv") })
      const update = (id: typeof first.id, path: string) => feeds.update(caller, id, file(path), undefined)
      expect(yield* Effect.flip(update(second.id, "books/A.csv"))).toMatchObject(taken("books/A.csv"))
      // Its own it may keep, write otherwise, and leave to others.
      yield* update(first.id, "books/a.csv")
      yield* update(first.id, "books/c.csv")
      yield* update(second.id, "Books/a.csv")
      expect(yield* Effect.flip(update(first.id, "books/a.csv"))).toMatchObject(taken("books/a.csv"))
      yield* feeds.update(caller, second.id, { destinationConfig: null }, undefined)
      yield* update(first.id, "books/a.csv")
      yield* feeds.remove(caller, first.id, undefined)
      yield* update(second.id, "books/a.csv")
      const other = ownerOf(yield* storeWorkspace())
      yield* feeds.create(other, { ...base, ...file("books/a.csv") })
    }).pipe(Effect.provide(filing))
  )

  it.effect("goes to one of many that are saved at the same time", () =>
    Effect.gen(function* () {
      const { base, feeds, caller } = yield* arrange
      const { feed } = yield* feeds.create(caller, { ...base, ...file("mine.csv") })
      const saved = yield* Effect.forEach(
        [
          ...Array.from({ length: 6 }, () => feeds.create(caller, { ...base, ...file("a.csv") })),
          feeds.update(caller, feed.id, file("a.csv"), undefined)
        ],
        Effect.result,
        { concurrency: "unbounded" }
      )
      const refused = saved.filter(Result.isFailure).map(({ failure }) => failure)
      expect(refused).toHaveLength(6)
      for (const one of refused) expect(one).toMatchObject(taken("a.csv"))
      const paths = (yield* feeds.list(caller, {})).map((view) => view.feed.destinationConfig)
      expect(paths.filter((config) => config?.type === "file" && config.path === "a.csv")).toHaveLength(1)
    }).pipe(Effect.provide(filing))
  )

  it.effect("is that of a feed which was saved before places were claimed, too, and saving its name does no harm", () =>
    Effect.gen(function* () {
      const { base, feeds, caller, workspace } = yield* arrange
      const config = { destinationConfig: { type: "file", path: "old.csv", format: "csv" } } as const
      const old = yield* storeFeed(workspace, config)
      yield* storeFeed(workspace, config)
      expect(yield* Effect.flip(feeds.create(caller, { ...base, ...config }))).toMatchObject(taken("old.csv"))
      yield* feeds.update(caller, old.id, { name: "Another name" }, undefined)
    }).pipe(Effect.provide(filing))
  )
})

describe("the columns of a feed", () => {
  it.effect("stay those that its mappings meant when it was saved, until a mapping goes", () =>
    Effect.gen(function* () {
      const { base, feeds, caller, workspace } = yield* arrange
      const table = yield* storeTable(workspace, { fields: [yield* makeTableField("memo", { name: "Memo" })] })
      const [tables, store] = [yield* TableStore, yield* FeedStore]
      const destinationConfig = { type: "table", tableId: table.id }
      const mapping = { fieldMappings: [{ sourceField: "description", destinationField: "Memo" }] }
      const { feed } = yield* feeds.create(caller, { ...base, destinationConfig, ...mapping })
      const bound = new Map([["Memo", table.fields[0]!.id]])
      expect(yield* store.boundColumns(feed.id)).toEqual(bound)
      const taker = yield* makeTableField("taker", { name: "Memo" })
      const fields = [{ ...table.fields[0]!, name: "Note" }, taker]
      yield* tables.update({ ...table, fields, version: table.version + 1 })
      yield* feeds.update(caller, feed.id, { ...mapping, name: "Other" }, undefined)
      expect(yield* store.boundColumns(feed.id)).toEqual(bound)
      const missing = { fieldMappings: [{ sourceField: "amount", destinationField: "Sum" }] }
      expect(yield* Effect.flip(feeds.update(caller, feed.id, missing, undefined))).toMatchObject({
        _tag: "Unprocessable",
        details: [
          {
            field: "destinationConfig.createMissingColumns",
            message: 'The table has no field "Sum": add it, or set createMissingColumns to true.'
          }
        ]
      })
      const create = (change: object) => feeds.create(caller, { ...base, destinationConfig, ...change })
      expect(yield* Effect.flip(create(missing))).toMatchObject({ _tag: "Unprocessable" })
      yield* create({ ...missing, destinationConfig: { ...destinationConfig, createMissingColumns: true } })
      yield* create({})
      yield* feeds.update(
        caller,
        feed.id,
        { fieldMappings: [{ sourceField: "amount", destinationField: "Note" }] },
        undefined
      )
      expect(yield* store.boundColumns(feed.id)).toEqual(new Map([["Note", table.fields[0]!.id]]))
      yield* feeds.update(caller, feed.id, mapping, undefined)
      expect(yield* store.boundColumns(feed.id)).toEqual(new Map([["Memo", taker.id]]))
    }).pipe(Effect.provide(layer))
  )
})

describe("destinations that are reserved", () => {
  it.effect("are not available, whatever else is in the block", () =>
    Effect.gen(function* () {
      const { base, feeds, caller } = yield* arrange
      const types = ["notion", "airtable", "webhook", "google_sheets", "excel", "database", "object_storage"]
      for (const type of types) {
        const refused = yield* Effect.flip(feeds.create(caller, { ...base, destinationConfig: { type } }))
        expect(refused).toMatchObject({ _tag: "DestinationNotAvailable", type })
      }
      const unknown = feeds.create(caller, { ...base, destinationConfig: { type: "fax" } })
      expect(yield* Effect.flip(unknown)).toMatchObject({ _tag: "Unprocessable" })
    }).pipe(Effect.provide(layer))
  )
})

describe("the state of a feed", () => {
  it.effect("says through which day its data was read and delivered", () =>
    Effect.gen(function* () {
      const { accounts, caller, feeds, sourceConfig, workspace } = yield* arrange
      const feed = yield* storeFeed(workspace, { sourceConfig })
      const state = Effect.map(feeds.get(caller, feed.id), (view) => view.state)
      const [jobs, records] = [yield* JobStore, yield* RecordStore]
      const scopes = accounts
        .slice(0, 2)
        .map(({ id }) => ({ workspaceId: workspace.id, accountId: id, dataType: "transactions" as const }))
      const succeed = Effect.flatMap(claimJob(feed), ({ fence }) => jobs.complete(fence, {}))
      yield* records.setPulled([scopes[0]!])
      expect((yield* state).dataThrough).toBeUndefined()
      yield* succeed
      // One account that has the data was never read.
      expect((yield* state).dataThrough).toBeUndefined()
      yield* TestClock.adjust("1 hour")
      yield* records.setPulled([scopes[1]!])
      yield* succeed
      // The oldest read counts; an account without such data does not.
      expect((yield* state).dataThrough).toBe("2026-11-21")
      yield* records.setPulled(scopes)
      expect((yield* state).dataThrough).toBe("2026-11-22")
      // What was read since is not delivered yet.
      yield* TestClock.adjust("5 days")
      yield* records.setPulled(scopes)
      expect((yield* state).dataThrough).toBe("2026-11-22")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is blocked while a bank must be reconnected or the plan does not allow the schedule", () =>
    Effect.gen(function* () {
      const { bank, feeds, sourceConfig, workspace } = yield* arrange
      const schedule = { enabled: true, frequency: "hourly", timeOfDay: "06:00" } as const
      const feed = yield* storeFeed(workspace, { sourceConfig })
      const state = (of = workspace, id = feed.id) => Effect.map(feeds.get(ownerOf(of), id), (view) => view.state)
      const [banks, jobs] = [yield* BankStore, yield* JobStore]
      const be = (
        status: "connected" | "reauth_required" | "consent_expired" | "disconnected" | "error" | "degraded"
      ) =>
        Effect.gen(function* () {
          const now = yield* Timestamp.now
          const connected = status === "connected" || status === "degraded"
          yield* banks.setStatus(bank.id, { connected, status, lastCheckedAt: now, source: "provider_call" }, now)
        })
      for (const [status, code] of [
        ["reauth_required", "RECONNECT_REQUIRED"],
        ["disconnected", "RECONNECT_REQUIRED"],
        ["consent_expired", "BANK_CONSENT_REQUIRED"]
      ] as const) {
        yield* be(status)
        expect(yield* state()).toMatchObject({ status: "blocked", reason: { code, recovery: { action: "reconnect" } } })
      }
      // A job that runs says more.
      const { fence } = yield* claimJob(feed)
      expect((yield* state()).status).toBe("running")
      yield* jobs.fail(fence, [yield* makeJobError()])
      expect((yield* state()).status).toBe("blocked")
      for (const status of ["degraded", "error", "connected"] as const) {
        yield* be(status)
        expect((yield* state()).status).toBe("failing")
      }
      const often = yield* storeFeed(workspace, { sourceConfig, schedule })
      expect((yield* state(workspace, often.id)).status).toBe("ready")
      const starter = { ...workspace, plan: "starter" as const }
      expect(yield* state(starter, often.id)).toMatchObject({
        status: "blocked",
        reason: { code: "PLAN_LIMIT_REACHED" }
      })
    }).pipe(Effect.provide(layer))
  )
})

describe("events of a feed", () => {
  it.effect("tell once that it was made, what of it was changed, and that it was deleted, and who did it", () =>
    Effect.gen(function* () {
      const { base, caller, feeds, workspace } = yield* arrange
      const { feed } = yield* feeds.create(caller, base)
      yield* feeds.update(caller, feed.id, { name: "Other", icon: "x" }, undefined)
      yield* Effect.flip(feeds.update(caller, feed.id, { name: "Stale" }, 1))
      yield* Effect.flip(feeds.update(caller, feed.id, { dataType: "trades" }, undefined))
      yield* feeds.remove(caller, feed.id, undefined)
      const told = yield* (yield* EventStore).read(workspace.id, 0, 100)
      const of = { subject: { kind: "feed", id: feed.id }, cause: caller.cause }
      expect(told).toMatchObject([
        { type: "feed.created", ...of, data: { feedId: feed.id, name: "Feed", version: 1 } },
        { type: "feed.updated", ...of, data: { name: "Other", version: 2, changed: ["icon", "name"] } },
        { type: "feed.deleted", ...of, data: { feedId: feed.id, name: "Other", version: 2 } }
      ])
    }).pipe(Effect.provide(layer))
  )

  it.effect("tell of a deletion once, also where two delete it at the same time", () =>
    Effect.gen(function* () {
      const { base, caller, feeds, workspace } = yield* arrange
      const { feed } = yield* feeds.create(caller, base)
      const remove = Effect.exit(feeds.remove(caller, feed.id, undefined))
      yield* Effect.all([remove, remove], { concurrency: "unbounded" })
      const told = yield* (yield* EventStore).read(workspace.id, 0, 100)
      expect(told.map(({ type }) => type)).toEqual(["feed.created", "feed.deleted"])
    }).pipe(Effect.provide(layer))
  )
})
