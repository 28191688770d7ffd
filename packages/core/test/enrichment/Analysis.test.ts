import { NodeDigest } from "@millrace/adapters"
import { makeEnrichment, makeWrite, scopeOf } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import { EnrichmentFacts } from "../../src/enrichment/EnrichmentFacts.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../src/enrichment/Pipeline.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import type { PartitionPlan, SetKind } from "../../src/enrichment/kinds/SetKind.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { analysisServices, arrange, march } from "./AnalysisWorld.ts"
import { monthSum } from "./MonthSum.ts"
import { asideMessage, RunWork } from "../../src/enrichment/RunWork.ts"

const byLine: SetKind = {
  ...(monthSum as SetKind),
  type: "category_sum",
  lines: true,
  stage: () => 140,
  reads: () => ["category", "amount"],
  partitions: (_, { fields }) => [String(fields["category"] ?? "none")],
  plan: Effect.fnUntraced(function* ({ dirty, read }) {
    const partitions = yield* read(dirty)
    const next = new Map<string, PartitionPlan<unknown, unknown>>()
    for (const key of dirty) {
      const { records } = partitions.get(key)!
      if (records.length === 0) continue
      const amounts = records.map(({ fields }) => Decimal.make(String(fields["amount"])))
      const sum = Decimal.sum(amounts)
      const claims = records.map(({ recordId }) => ({
        recordId,
        field: "monthSum",
        value: sum,
        evidence: { amounts }
      }))
      next.set(key, { state: { sum, over: false }, claims, links: [], events: [] })
    }
    return { next }
  })
}
const bundled = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 })
const fussy: SetKind = {
  ...(monthSum as SetKind),
  type: "month_sum_of_days",
  partitions: (prepared, record, work) => {
    if (record.fields["amount"] === "13") throw new RangeError("13 has no place")
    return (monthSum as SetKind).partitions(prepared, record, work)
  }
}
/** Needs more work than a run gives it. */
const heavy: SetKind = {
  ...(monthSum as SetKind),
  type: "month_sum_at_length",
  plan: (input) => {
    if (input.dirty.includes("2026-03")) input.work.spend(Infinity)
    return (monthSum as SetKind).plan(input)
  }
}
const every = [...bundled, monthSum, byLine, fussy, heavy]
const kinds = kindsOf(every)
const services = analysisServices(every)

describe("Analysis", () => {
  it.effect("counts records that a filter hides from destinations", () =>
    Effect.gen(function* () {
      const { run, sum, valuesOf, workspace, write } = yield* arrange
      const hidden = yield* write("10", "2026-03-01")
      yield* write("5", "2026-03-09")
      const filter = yield* makeEnrichment(workspace, {
        type: "filter",
        config: { conditions: { logic: "and", conditions: [{ field: "amount", operator: "gt", value: "7" }] } }
      })
      expect(yield* run({ enrichments: [filter, sum] })).toEqual([])
      expect(yield* valuesOf(hidden)).toEqual([{ monthSum: "15" }])
    }).pipe(Effect.provide(services))
  )

  it.effect("says of each record what follows from its partition, and gives it a new change number", () =>
    Effect.gen(function* () {
      const { records, run, scope, store, sum, valuesOf, workspace, write } = yield* arrange
      const [a, b, c] = [
        yield* write("10", "2026-03-01"),
        yield* write("5", "2026-03-09"),
        yield* write("7", "2026-02-01")
      ]
      expect(yield* run()).toEqual([])
      expect(yield* valuesOf(a, b, c)).toEqual([
        { monthSum: "15" },
        { monthSum: "15" },
        { monthSum: "7", monthClosed: true }
      ])
      const changed = yield* records.changes(scope, { after: 3, upTo: 100, limit: 10 })
      expect(changed.map(({ annotated, id, version }) => [id, annotated, version])).toEqual(
        [a.id, b.id, c.id].toSorted().map((id) => [id, true, 1])
      )
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      const { links } = (yield* store.outputs(of, sum.id, ["2026-03"])).get("2026-03")!
      expect(links.map(({ members }) => members.map(({ recordId }) => recordId))).toEqual([[a.id, b.id].toSorted()])
      expect(yield* store.links(workspace.id, [links[0]!.id])).toEqual([{ ...links[0], enrichmentId: sum.id }])
    }).pipe(Effect.provide(services))
  )

  it.effect("writes nothing where nothing changed, and touches only what something else is said of", () =>
    Effect.gen(function* () {
      const { account, records, run, scope, store, valuesOf, workspace, write } = yield* arrange
      const [a, b] = [yield* write("10", "2026-03-01"), yield* write("7", "2026-02-01")]
      yield* run()
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      const before = [yield* store.head(of), yield* records.lastChange(account.id)]
      yield* run()
      expect([yield* store.head(of), yield* records.lastChange(account.id)]).toEqual(before)
      // A change of a field that the kind does not read is none for it.
      const last = yield* records.lastChange(account.id)
      yield* records.write(scope, [{ ...a, hash: "other", fields: { ...a.fields, description: "OTHER" } }])
      yield* run()
      expect(yield* records.lastChange(account.id)).toBe(last + 1)
      yield* write("1", "2026-03-02")
      yield* run()
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "11" }, { monthSum: "7", monthClosed: true }])
      const changed = yield* records.changes(scope, { after: last + 2, upTo: 1_000, limit: 10 })
      expect(changed.map(({ id }) => id)).not.toContain(b.id)
      expect(changed).toHaveLength(2)
    }).pipe(Effect.provide(services))
  )

  it.effect("takes back what it said of a record that is gone, or moved", () =>
    Effect.gen(function* () {
      const { records, run, scope, valuesOf, write } = yield* arrange
      const [a, b] = [yield* write("10", "2026-03-01"), yield* write("5", "2026-03-09")]
      yield* run()
      yield* records.write(scope, [{ ...b, state: "removed" }])
      yield* run()
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "10" }, {}])
      yield* records.write(scope, [{ ...b, state: "live" }])
      yield* run()
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "15" }, { monthSum: "15" }])
      yield* records.write(scope, [
        { ...b, hash: "moved", date: CalendarDate.make("2026-01-09"), fields: { ...b.fields, date: "2026-01-09" } }
      ])
      yield* run()
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "10" }, { monthSum: "5", monthClosed: true }])
    }).pipe(Effect.provide(services))
  )

  it.effect("tells what happens once, and nothing of what was so when it began", () =>
    Effect.gen(function* () {
      const { eventsOf, run, sum, write } = yield* arrange
      yield* write("100", "2026-02-01")
      yield* run()
      expect(yield* eventsOf).toEqual([])
      yield* write("60", "2026-03-01")
      yield* run()
      yield* write("1", "2026-03-02")
      yield* run()
      expect((yield* eventsOf).map(({ data, subject, type }) => [type, subject, data])).toEqual([
        ["month.over", { kind: "enrichment", id: sum.id }, { month: "2026-03" }]
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("plans what is due although nothing changed, and has a task for that day", () =>
    Effect.gen(function* () {
      const { run, valuesOf, workspace, write } = yield* arrange
      const a = yield* write("10", "2026-03-01")
      yield* run()
      const tasks = yield* (yield* TaskStore).list({ kind: "analysis", workspaceId: workspace.id, limit: 10 })
      expect(tasks.map(({ dueAt, key }) => [key, dueAt.slice(0, 10)])).toEqual([
        // When April begins in the zone of the workspace.
        [`${workspace.id}:transactions`, "2026-03-31"]
      ])
      yield* run({ today: CalendarDate.make("2026-03-31") })
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "10" }])
      yield* run({ today: CalendarDate.make("2026-04-01") })
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "10", monthClosed: true }])
      // A clock that goes back does no harm.
      yield* write("1", "2026-03-02")
      yield* run({ today: CalendarDate.make("2026-03-05") })
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "11", monthClosed: true }])
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves a partition that fails as it was, tells it, and plans it again", () =>
    Effect.gen(function* () {
      const { records, run, scope, valuesOf, write } = yield* arrange
      const [a, b] = [yield* write("10", "2026-03-01"), yield* write("7", "2026-02-01")]
      yield* run()
      const bad = yield* write("666", "2026-03-03")
      yield* write("1", "2026-02-02")
      expect((yield* run()).map(({ message }) => message)).toEqual(["666 is no amount (partition 2026-03)"])
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "10" }, { monthSum: "8", monthClosed: true }])
      yield* records.write(scope, [{ ...bad, hash: "mended", fields: { ...bad.fields, amount: "6" } }])
      expect(yield* run()).toEqual([])
      expect(yield* valuesOf(a, bad)).toEqual([{ monthSum: "16" }, { monthSum: "16" }])
    }).pipe(Effect.provide(services))
  )

  it.effect("sets an enrichment aside that needs more work than it may: what it said before stays", () =>
    Effect.gen(function* () {
      const { run, sum, valuesOf, write } = yield* arrange
      const a = yield* write("10", "2026-03-01")
      yield* run()
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "10" }])
      const heavily = { enrichments: [{ ...sum, type: "month_sum_at_length", revision: 2 }] }
      yield* write("5", "2026-03-02")
      expect(yield* run(heavily)).toEqual([{ enrichmentId: sum.id, message: asideMessage }])
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "10" }])
      expect(yield* run({ enrichments: [{ ...sum, revision: 3 }] })).toEqual([])
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "15" }])
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves a record that it cannot place where it stood, tells it, and goes on with all others", () =>
    Effect.gen(function* () {
      const { records, run, scope, sum, valuesOf, write } = yield* arrange
      const placed = { ...sum, type: "month_sum_of_days" }
      const [a, b] = [yield* write("10", "2026-03-01"), yield* write("5", "2026-03-02")]
      expect(yield* run({ enrichments: [placed] })).toEqual([])
      yield* records.write(scope, [{ ...b, hash: "bad", fields: { ...b.fields, amount: "13" } }])
      const c = yield* write("1", "2026-03-03")
      const [fault, ...more] = yield* run({ enrichments: [placed] })
      expect([more, fault?.message]).toEqual([[], `RangeError: 13 has no place (record ${b.id})`])
      expect(yield* valuesOf(a, b, c)).toEqual([{ monthSum: "16" }, { monthSum: "16" }, { monthSum: "16" }])
    }).pipe(Effect.provide(services))
  )

  it.effect("sees what rules before it wrote, and is seen by those behind it", () =>
    Effect.gen(function* () {
      const { run, sum, valuesOf, workspace, write } = yield* arrange
      const rule = yield* makeEnrichment(workspace, {
        config: {
          phase: "pre",
          rules: [
            {
              conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "shop" }] },
              action: { field: "amount", value: "4" }
            }
          ]
        }
      })
      const a = yield* write("10", "2026-03-01")
      yield* run({ enrichments: [sum, rule] })
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "4" }])
      // Without the rule all records are looked at again.
      yield* run()
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "10" }])
      const second = {
        ...sum,
        id: (yield* makeEnrichment(workspace)).id,
        order: 1,
        config: { limit: "9", field: "monthSum" }
      }
      yield* write("2", "2026-03-02")
      yield* run({ enrichments: [sum, second] })
      const notes = yield* (yield* AnalysisStore).notes(workspace.id, [a.id])
      expect(
        notes
          .get(a.id)!
          .claims.get(second.id)!
          .map(({ value }) => value)
      ).toEqual(["24"])
    }).pipe(Effect.provide(services))
  )

  it.effect("gives kinds that ask for them the lines of records, and records to those before the lines", () =>
    Effect.gen(function* () {
      const { run, store, sum, valuesOf, workspace, write } = yield* arrange
      const splits = yield* makeEnrichment(workspace, {
        type: "split",
        config: {
          deliver: "parent",
          rules: [
            {
              id: "market",
              conditions: { logic: "and", conditions: [{ field: "description", operator: "equals", value: "MARKET" }] },
              lines: [
                { key: "cash", method: "fixed", value: "15", set: { category: "CASH" } },
                { key: "food", method: "remainder", set: { category: "FOOD" } }
              ]
            }
          ]
        }
      })
      const byCategory = { ...sum, id: (yield* makeEnrichment(workspace)).id, type: "category_sum" }
      const all = [byCategory, splits, sum]
      const [whole, food] = [
        yield* write("-100", "2026-03-01", { fields: { description: "MARKET" } }),
        yield* write("-7", "2026-03-02", { fields: { description: "BAKER", category: "FOOD" } })
      ]
      expect(yield* run({ enrichments: all })).toEqual([])
      expect(yield* valuesOf(whole, food)).toEqual([{ monthSum: "-107" }, { monthSum: "-107" }])
      const seen = Effect.fnUntraced(function* () {
        const notes = (yield* store.notes(workspace.id, [whole.id])).get(whole.id)!
        const pipeline = Pipeline.compile(all, "transactions", kinds)
        const view = { recordId: whole.id, fields: whole.fields }
        const { lines, record } = Pipeline.runWithLines(
          pipeline,
          view,
          { today: march, work: new RunWork() },
          { notes }
        )
        return [record, ...lines.values()].map(({ fields }) => [fields["amount"], fields["monthSum"]])
      })
      // The sum of the month is said of the record, and then of its lines; that of their category replaces it.
      expect(yield* seen()).toEqual([
        ["-100", "-107"],
        ["-15", "-15"],
        ["-85", "-92"]
      ])
      // Another line that is no more: what was said of it goes, and what it was counted for is counted anew.
      yield* write("-1", "2026-03-03", { fields: { description: "BAKER", category: "CASH" } })
      yield* run({ enrichments: all })
      expect((yield* seen())[1]).toEqual(["-15", "-16"])
      yield* run({ enrichments: [byCategory, sum] })
      const notes = (yield* store.notes(workspace.id, [whole.id])).get(whole.id)!
      expect(notes.claims.get(byCategory.id)!.map(({ line, value }) => [line, value])).toEqual([[undefined, "-100"]])
    }).pipe(Effect.provide(services))
  )

  it.effect("takes back all that an enrichment said which is gone, and starts again with another revision", () =>
    Effect.gen(function* () {
      const { run, store, sum, valuesOf, workspace, write } = yield* arrange
      const a = yield* write("10", "2026-03-01")
      const other = { ...sum, id: (yield* makeEnrichment(workspace)).id }
      yield* run({ enrichments: [sum, other] })
      yield* run({ enrichments: [other] })
      expect(yield* valuesOf(a)).toEqual([{}])
      yield* run({ enrichments: [other, { ...sum, revision: 2, config: { limit: "1", field: "amount" } }] })
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "10" }])
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      expect((yield* store.head(of)).planned).toEqual({ [sum.id]: "2.1", [other.id]: "1.1" })
    }).pipe(Effect.provide(services))
  )

  it.effect("takes back all that the last enrichment said, once it is gone or rests", () =>
    Effect.gen(function* () {
      for (const left of ["none", "resting"] as const) {
        const { run, store, sum, valuesOf, workspace, write } = yield* arrange
        const a = yield* write("60", "2026-03-01")
        yield* run()
        expect(yield* valuesOf(a)).toEqual([{ monthSum: "60" }])
        expect(yield* run({ enrichments: left === "none" ? [] : [{ ...sum, enabled: false }] })).toEqual([])
        expect(yield* valuesOf(a)).toEqual([{}])
        const of = { workspaceId: workspace.id, dataType: "transactions" } as const
        const { marks, planned, version } = yield* store.head(of)
        expect([planned, marks]).toEqual([{}, []])
        yield* run({ enrichments: [] })
        expect((yield* store.head(of)).version).toBe(version)
        yield* run()
        expect(yield* valuesOf(a)).toEqual([{ monthSum: "60" }])
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("plans again where people decided something, and follows their words", () =>
    Effect.gen(function* () {
      const { records, run, scope, store, sum, valuesOf, workspace, write } = yield* arrange
      const [a, b] = [yield* write("10", "2026-03-01"), yield* write("5", "2026-03-09")]
      yield* run()
      const facts = yield* EnrichmentFacts
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      const about = [{ scope, recordIds: [b.id] }]
      const by = { kind: "user", userId: "usr_1" } as const
      const [fact] = yield* facts.add(of, about, [{ kind: "note", enrichmentId: sum.id, recordId: b.id }], by)
      yield* run()
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "15" }, {}])
      yield* facts.lift(of, about, [fact!.id], by)
      yield* run()
      expect(yield* valuesOf(a, b)).toEqual([{ monthSum: "15" }, { monthSum: "15" }])
      const [first] = yield* facts.add(of, about, [{ kind: "set", recordId: b.id, field: "category", value: "A" }], by)
      const [later] = yield* facts.add(of, about, [{ kind: "set", recordId: b.id, field: "category", value: "B" }], by)
      expect((yield* store.fact(workspace.id, first!.id))?.lifted).toBeDefined()
      const notes = (yield* store.notes(workspace.id, [b.id])).get(b.id)!
      expect(notes.words).toEqual([{ factId: later!.id, field: "category", value: "B" }])
      // Their own amount counts for the sum as well.
      yield* facts.add(of, about, [{ kind: "set", recordId: b.id, field: "amount", value: "90" }], by)
      yield* run()
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "100" }])
      const [record] = yield* records.held(scope, [b.id])
      const view = { recordId: b.id, fields: { ...record!.fields, category: "PROVIDER" } }
      const pipeline = Pipeline.compile([sum], "transactions", kinds)
      const seen = Pipeline.run(
        pipeline,
        view,
        { today: march, work: new RunWork() },
        { notes: (yield* store.notes(workspace.id, [b.id])).get(b.id) }
      )
      expect([seen.fields["category"], seen.fields["monthSum"]]).toEqual(["B", "100"])
    }).pipe(Effect.provide(services))
  )

  it.effect("forgets the records of an account that no feed shows any more", () =>
    Effect.gen(function* () {
      const { account, accounts, bank, feed, other, records, run, valuesOf, write } = yield* arrange
      const a = yield* write("10", "2026-03-01")
      const elsewhere = yield* makeWrite({ fields: { date: "2026-03-04", amount: "3" } })
      yield* records.write(scopeOf(other), [elsewhere])
      yield* run()
      expect(yield* valuesOf(a)).toEqual([{ monthSum: "13" }])
      const feeds = yield* FeedStore
      yield* feeds.update({
        ...feed,
        version: feed.version + 1,
        sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] }
      })
      accounts.pop()
      yield* run()
      yield* write("1", "2026-03-05")
      yield* run()
      expect(yield* valuesOf(a, elsewhere)).toEqual([{ monthSum: "11" }, {}])
    }).pipe(Effect.provide(services))
  )

  it.effect("costs nothing in a workspace without set kinds", () =>
    Effect.gen(function* () {
      const { run, store, workspace, write } = yield* arrange
      yield* write("10", "2026-03-01")
      yield* run({ enrichments: [yield* makeEnrichment(workspace)] })
      expect((yield* store.head({ workspaceId: workspace.id, dataType: "transactions" })).version).toBe(0)
    }).pipe(Effect.provide(services))
  )
})
