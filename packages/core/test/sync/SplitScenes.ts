/** Records that are pushed to a feed, and delivered as the lines that they fall into. */
import { expect, type Vitest } from "@effect/vitest"
import { makeEnrichment } from "@millrace/testing/fixture"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { FeedRecords } from "../../src/destination/FeedRecords.ts"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import type { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { PushedRecord } from "../../src/sync/PushedRecords.ts"
import { Tables } from "../../src/table/Tables.ts"
import { acrossTenants } from "../../src/workspace/TenantScope.ts"
import { openFeed, record } from "./PushedWorld.ts"

type World =
  | Effect.Services<ReturnType<typeof openFeed>>
  | FeedRecords
  | JobStore
  | Jobs
  | Tables
  | EnrichmentStore
  | EventStore
  | RecordOverrides
  | Explanations

const mapped = ["description", "amount", "category", "line", "removed"]
const inAll = acrossTenants("job engine")

type Config = Enrichment["config"]

const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})

const cash = { key: "cash", method: "fixed", value: "15", set: { category: "Cash" } }
const food = { key: "food", method: "remainder" }

/** Market bills: 15.00 of cash, and food. */
const market = (change: object = {}, lines: ReadonlyArray<object> = [cash, food]): Config =>
  ({ rules: [{ id: "market", conditions: when("description", "contains", "Market"), lines }], ...change }) as Config

const opened = Effect.fnUntraced(function* (change: Partial<Feed> = {}) {
  const world = yield* openFeed({
    fieldMappings: mapped.map((key) => ({ sourceField: key === "line" ? "split.key" : key, destinationField: key })),
    ...change
  })
  const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
  const tables = yield* Tables
  const store = yield* EnrichmentStore
  const saved = Effect.fnUntraced(function* (type: Enrichment["type"], config: Config) {
    const made = yield* makeEnrichment(world.workspace, { type, config })
    yield* inAll(store.insert(made))
    return made
  })
  const revised = Effect.fnUntraced(function* (
    old: Enrichment,
    to: Pick<Partial<Enrichment>, "config" | "enabled" | "name">
  ) {
    const next = { ...old, ...to, version: old.version + 1, revision: old.revision + 1 }
    expect(yield* inAll(store.update(next))).toBe(true)
    return next
  })
  const bill = (id: string, amount: string, text: string, daysAgo = 3): PushedRecord =>
    record(id, amount, { description: text, date: CalendarDate.addDays(today, -daysAgo) })
  const rows = Effect.map(tables.queryRows(world.caller, world.tableId, {}), (page) =>
    page.rows
      .map(({ id, values }) => ({
        id,
        said: mapped
          .map((key) => String(values[key] ?? ""))
          .join(" ")
          .trim()
      }))
      .toSorted((a, b) => (a.said < b.said ? -1 : 1))
  )
  const said = Effect.map(rows, (all) =>
    all.map((row) =>
      row.said
        .replace("UNCATEGORIZED", "")
        .replaceAll(/ +/g, " ")
        .replace(/ false$/, "")
    )
  )
  const idOf = (word: string) =>
    Effect.map(rows, (all) => all.find((row) => row.said.includes(word))?.id ?? expect.fail(`no row of ${word}`))
  const counts = Effect.gen(function* () {
    const [job] = yield* (yield* JobStore).list(world.workspace.id, world.feed.id, { limit: 1 })
    return job!.counts
  }).pipe(inAll)
  /** Looks at what enrichments changed: a push brings the run about. */
  let nudges = 0
  const follow = Effect.gen(function* () {
    yield* world.push({ records: [bill("nudge", String(++nudges), "Nudge")] })
    yield* world.runDue
  })
  const unnudged = Effect.map(said, (all) => all.filter((row) => !row.startsWith("Nudge")))
  /** The record of this amount. */
  const recordIds = Effect.fnUntraced(function* (amount: string) {
    const { rows: sent } = yield* (yield* FeedRecords).list(world.caller, world.feed.id, {})
    return sent.find(({ values }) => values?.["amount"] === amount)?.recordId ?? expect.fail(`no record of ${amount}`)
  })
  return { ...world, recordIds, saved, revised, bill, said: unnudged, idOf, counts, follow }
})

export const splitScenes = (it: Vitest.MethodsNonLive<World>, folder: string): void => {
  it.effect("delivers the lines of a record in its place, and those that stay under their keys", () =>
    Effect.gen(function* () {
      const { bill, counts, follow, idOf, push, runDue, said, saved } = yield* opened()
      yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Market"), bill("b", "-3", "Tram")] })
      yield* runDue
      expect(yield* said).toEqual(["Market -15 Cash cash", "Market -85 food", "Tram -3"])
      expect(yield* counts).toMatchObject({ created: 3, read: 3, vanished: 0 })
      const [cashRow, foodRow] = [yield* idOf("cash"), yield* idOf("food")]
      // Another amount: the same lines.
      yield* push({ records: [bill("a", "-90", "Market")] })
      yield* runDue
      expect(yield* said).toEqual(["Market -15 Cash cash", "Market -75 food", "Tram -3"])
      expect([yield* idOf("cash"), yield* idOf("food")]).toEqual([cashRow, foodRow])
      expect(yield* counts).toMatchObject({ created: 0, updated: 1, unchanged: 1, removed: 0 })
      yield* follow
      expect(yield* counts).toMatchObject({ created: 1, updated: 0, removed: 0 })
    })
  )

  it.effect("has a record or its lines, and never both, while it is split, is not, goes and comes back", () =>
    Effect.gen(function* () {
      const { bill, push, runDue, said, saved } = yield* opened()
      yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Tram")] })
      yield* runDue
      expect(yield* said).toEqual(["Tram -100"])
      yield* push({ records: [bill("a", "-100", "Market")] })
      yield* runDue
      expect(yield* said).toEqual(["Market -15 Cash cash", "Market -85 food"])
      yield* push({ records: [bill("a", "-100", "Tram")] })
      yield* runDue
      expect(yield* said).toEqual(["Tram -100"])
      yield* push({ records: [bill("a", "-100", "Market")] })
      yield* runDue
      yield* push({ removed: ["a"] })
      yield* runDue
      expect(yield* said).toEqual([])
      yield* push({ records: [bill("a", "-20", "Market")] })
      yield* runDue
      expect(yield* said).toEqual(["Market -15 Cash cash", "Market -5 food"])
    })
  )

  it.effect(
    "splits a record as a person says, whatever enrichments say, and keeps to it while its amount changes",
    () =>
      Effect.gen(function* () {
        const { bill, caller, feed, follow, push, recordIds, runDue, said, saved, workspace } = yield* opened()
        const words = yield* RecordOverrides
        yield* push({ records: [bill("a", "-100", "Market"), bill("b", "-3", "Tram")] })
        yield* runDue
        const id = yield* recordIds("-100")
        const lines = [
          { key: "rent", amount: "-60", set: { category: "Rent" } },
          { key: "food", amount: "-25.00" },
          { key: "rest" }
        ]
        const told = yield* words.set(caller, id, { split: { lines } })
        expect(told.split?.lines.map(({ amount, key }) => [key, amount])).toEqual([
          ["rent", "-60"],
          ["food", "-25"],
          ["rest", "-15"]
        ])
        // No enrichment says otherwise.
        yield* saved("split", market())
        yield* follow
        const three = ["Market -15 rest", "Market -25 food", "Market -60 Rent rent"]
        expect(yield* said).toEqual([...three, "Tram -3"])
        const { rows } = yield* (yield* Explanations).explain(caller, id)
        const ofSplit = rows[0]?.fields.find(({ field }) => field === "split.of")
        expect(ofSplit?.chain[0]).toMatchObject({
          authority: "user",
          sentence: "A person split it into 3 lines",
          holds: true
        })
        // The last line has the difference.
        yield* push({ records: [bill("a", "-120.50", "Market")] })
        yield* runDue
        expect(yield* said).toEqual(["Market -25 food", "Market -35.5 rest", "Market -60 Rent rent", "Tram -3"])
        // Less than the lines before the last: they share it in proportion, and that is told once for each feed.
        const mismatches = Effect.map((yield* EventStore).read(workspace.id, 0, 500), (events) =>
          events.filter(({ type }) => type === "split.mismatch").map(({ data }) => data)
        ).pipe(inAll)
        expect(yield* mismatches).toEqual([])
        yield* push({ records: [bill("a", "-50", "Market")] })
        yield* runDue
        expect(yield* said).toEqual(["Market -12.5 food", "Market -30 Rent rent", "Market -7.5 rest", "Tram -3"])
        expect((yield* words.set(caller, id, { fields: { merchantName: "Market" } })).split?.mismatch).toBe(true)
        expect(yield* mismatches).toMatchObject([{ recordId: id, feedId: feed.id }])
        yield* follow
        yield* push({ records: [bill("a", "-100", "Market")] })
        yield* runDue
        expect(yield* said).toEqual([...three, "Tram -3"])
        expect((yield* mismatches).length).toBe(1)
        // Taken back, it falls into lines as the enrichment says.
        expect((yield* words.clear(caller, id, ["split"])).split).toBeUndefined()
        yield* follow
        expect(yield* said).toEqual(["Market -15 Cash cash", "Market -85 food", "Tram -3"])
      })
  )

  it.effect("splits a record of a feed without a split, at any age, and makes it whole again", () =>
    Effect.gen(function* () {
      const { bill, caller, counts, feed, follow, push, recordIds, runDue, said } = yield* opened()
      const words = yield* RecordOverrides
      yield* push({ records: [bill("a", "-100", "Market", 300), bill("b", "-3", "Tram", 300)] })
      yield* runDue
      const id = yield* recordIds("-100")
      yield* words.set(caller, id, { split: { deliver: "both", lines: [{ amount: "-99.99" }, {}] } })
      yield* follow
      expect(yield* said).toEqual(["Market -0.01 line_2", "Market -100", "Market -99.99 line_1", "Tram -3"])
      const { rows } = yield* (yield* FeedRecords).list(caller, feed.id, {})
      expect(
        rows
          .filter(({ recordId }) => recordId.startsWith(`${id}:`))
          .map(({ values }) => values?.["amount"])
          .toSorted()
      ).toEqual(["-0.01", "-99.99"])
      yield* words.set(caller, id, { split: { lines: [{ amount: "-50", key: "line_2" }, { key: "line_3" }] } })
      yield* follow
      expect(yield* said).toEqual(["Market -50 line_2", "Market -50 line_3", "Tram -3"])
      const again = yield* words.set(caller, id, { split: null })
      expect(again.split).toBeUndefined()
      yield* follow
      expect(yield* said).toEqual(["Market -100", "Tram -3"])
      yield* words.set(caller, id, { split: null })
      yield* follow
      // The nudge alone.
      expect(yield* counts).toMatchObject({ read: 1, updated: 1, removed: 0 })
    })
  )

  it.effect("refuses a person's split that is none, at the field", () =>
    Effect.gen(function* () {
      const { bill, caller, push, recordIds, runDue } = yield* opened()
      const words = yield* RecordOverrides
      yield* push({ records: [bill("a", "-100", "Market"), bill("b", "0", "Nothing")] })
      yield* runDue
      const [id, zero] = [yield* recordIds("-100"), yield* recordIds("0")]
      const faults = (lines: ReadonlyArray<object>, of = id) =>
        Effect.map(Effect.flip(words.set(caller, of, { split: { lines } })), (error) =>
          "details" in error ? error.details.map(({ field, message }) => `${field} ${message}`) : []
        )
      expect(yield* faults([{ amount: "-40" }, { amount: "-50" }])).toEqual([
        "split.lines must be -100 together: -10 is left"
      ])
      expect(yield* faults([{}, { amount: "-50" }])).toEqual([
        "split.lines[0].amount is missing: only the last line may leave it out"
      ])
      expect(yield* faults([{ amount: "40" }, { amount: "-1.001", key: "x" }, { key: "x", amount: "many" }])).toEqual([
        "split.lines[0].amount must have the sign of the record, whose amount is -100",
        "split.lines[1].amount must have at most 2 digits after the point",
        'split.lines[2].key "x" is taken',
        "split.lines[2].amount must be a decimal number such as -12.50"
      ])
      expect(yield* faults([{ amount: "-101" }, {}])).toEqual([
        "split.lines[1].amount would be 1: the lines before it are more than -100 already"
      ])
      expect(yield* faults([{ amount: "-1", set: { amount: "3", accountId: "x", date: "soon" } }, {}])).toEqual([
        "split.lines[0].set.amount is what the split gives to the line",
        'split.lines[0].set.accountId "accountId" is not writable',
        "split.lines[0].set.date must be a date of the form YYYY-MM-DD"
      ])
      expect(yield* faults([{ amount: "-1" }, {}], zero)).toEqual([
        'split needs an amount: "amount" of the record is 0'
      ])
    })
  )

  it.effect("follows the enrichment at any age: it comes, changes its lines, and goes", () =>
    Effect.gen(function* () {
      const { bill, follow, push, revised, runDue, said, saved } = yield* opened()
      yield* push({
        records: [bill("a", "-100", "Market", 300), bill("b", "-20", "Market"), bill("c", "-3", "Tram", 300)]
      })
      yield* runDue
      expect(yield* said).toEqual(["Market -100", "Market -20", "Tram -3"])
      const split = yield* saved("split", market())
      yield* follow
      const whole = ["Market -15 Cash cash", "Market -15 Cash cash", "Market -5 food", "Market -85 food", "Tram -3"]
      expect(yield* said).toEqual(whole)
      // A third line takes of what the others had, also of an old record.
      const three = [{ ...cash, value: "4" }, food, { key: "tip", method: "fixed", value: "1" }]
      const changed = yield* revised(split, { config: market({}, three) })
      yield* follow
      expect(yield* said).toEqual([
        "Market -1 tip",
        "Market -1 tip",
        "Market -15 food",
        "Market -4 Cash cash",
        "Market -4 Cash cash",
        "Market -95 food",
        "Tram -3"
      ])
      const off = yield* revised(changed, { enabled: false })
      yield* follow
      expect(yield* said).toEqual(["Market -100", "Market -20", "Tram -3"])
      yield* revised(off, { enabled: true, config: market({ deliver: "both" }) })
      yield* follow
      expect(yield* said).toEqual([
        "Market -100",
        "Market -15 Cash cash",
        "Market -15 Cash cash",
        "Market -20",
        "Market -5 food",
        "Market -85 food",
        "Tram -3"
      ])
    })
  )

  it.effect("delivers the record alone where the lines are only for analysis, and what it held before goes", () =>
    Effect.gen(function* () {
      const { bill, follow, push, revised, runDue, said, saved } = yield* opened()
      const split = yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Market")] })
      yield* runDue
      yield* revised(split, { config: market({ deliver: "parent" }) })
      yield* follow
      expect(yield* said).toEqual(["Market -100"])
    })
  )

  it.effect("hides lines one by one where a filter says so", () =>
    Effect.gen(function* () {
      const { bill, follow, push, revised, runDue, said, saved } = yield* opened()
      yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Market")] })
      yield* runDue
      const filter = yield* saved("filter", {
        conditions: when("split.key", "equals", "cash"),
        onDropAfterDelivery: "remove"
      } as Config)
      yield* follow
      expect(yield* said).toEqual(["Market -85 food"])
      yield* revised(filter, { enabled: false })
      yield* follow
      expect(yield* said).toEqual(["Market -15 Cash cash", "Market -85 food"])
    })
  )

  it.effect("marks what is no more where rows are marked, and leaves no amount in a line that went", () =>
    Effect.gen(function* () {
      const { bill, feed, feeds, follow, push, revised, runDue, said, saved, tableId } = yield* opened()
      const destinationConfig = { type: "table", tableId, onRemoved: "mark" } as const
      expect(yield* inAll(feeds.update({ ...feed, destinationConfig, version: 2 }))).toBe(true)
      const split = yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Market", 300)] })
      yield* runDue
      const off = yield* revised(split, { enabled: false })
      yield* follow
      expect(yield* said).toEqual(["Market -100", "Market 0 true", "Market 0 true"])
      yield* revised(off, { enabled: true })
      yield* follow
      expect(yield* said).toEqual(["Market -100 true", "Market -15 Cash cash", "Market -85 food"])
    })
  )

  it.effect("tells each line as it was delivered, and sends it again", () =>
    Effect.gen(function* () {
      const { bill, caller, feed, push, runDue, said, saved } = yield* opened()
      yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Market")] })
      yield* runDue
      const sent = yield* FeedRecords
      const { rows } = yield* sent.list(caller, feed.id, {})
      expect(rows.map(({ state, values }) => [state, values?.["amount"]]).toSorted()).toEqual([
        ["done", "-15"],
        ["done", "-85"]
      ])
      expect(new Set(rows.map(({ recordId }) => recordId.split(":")[0])).size).toBe(1)
      expect(rows.flatMap(({ provenance }) => provenance.map(({ field }) => field))).toContain("amount")
      expect(yield* sent.redeliver(caller, feed.id, { state: "done" })).toMatchObject({ records: 2 })
      yield* runDue
      expect(yield* said).toEqual(["Market -15 Cash cash", "Market -85 food"])
    })
  )

  it.effect("takes lines away when everything is looked at anew after the split has gone", () =>
    Effect.gen(function* () {
      const { bill, feed, feeds, follow, push, revised, runDue, said, saved } = yield* opened()
      const split = yield* saved("split", market())
      yield* push({ records: [bill("a", "-100", "Market", 300)] })
      yield* runDue
      yield* revised(split, { enabled: false })
      yield* inAll(feeds.clearMarks(feed.id))
      yield* follow
      expect(yield* said).toEqual(["Market -100"])
    })
  )

  it.effect("writes the lines into a file", () =>
    Effect.gen(function* () {
      const destinationConfig = { type: "file", path: "lines.csv", format: "csv" } as const
      const { bill, follow, push, revised, runDue, saved, workspace } = yield* opened({ destinationConfig })
      const split = yield* saved("split", market())
      const lines = Effect.sync(() =>
        readFileSync(join(folder, workspace.id, "lines.csv"), "utf8")
          .trim()
          .split(/\r?\n/)
          .slice(1)
          .filter((line) => !line.startsWith("Nudge"))
          .toSorted()
      )
      yield* push({ records: [bill("a", "-100", "Market"), bill("b", "-3", "Tram")] })
      yield* runDue
      expect(yield* lines).toEqual([
        "Market,-15,Cash,cash,false",
        "Market,-85,UNCATEGORIZED,food,false",
        "Tram,-3,UNCATEGORIZED,,false"
      ])
      yield* revised(split, { enabled: false })
      yield* follow
      expect(yield* lines).toEqual(["Market,-100,UNCATEGORIZED,,false", "Tram,-3,UNCATEGORIZED,,false"])
    })
  )
}
