import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import {
  makeEnrichment,
  makeWrite,
  scopeOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeWorkspace
} from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Caller } from "../../src/access/Caller.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Analysis } from "../../src/enrichment/Analysis.ts"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { EnrichmentFacts } from "../../src/enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { FeedPipelines } from "../../src/enrichment/FeedPipelines.ts"
import { Findings } from "../../src/enrichment/Findings.ts"
import { FindingStore } from "../../src/enrichment/FindingStore.ts"
import { bundledKinds, Kinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { Tasks } from "../../src/task/Tasks.ts"
import { monthSum } from "./MonthSum.ts"

const kinds = kindsOf([...bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }), monthSum])
const services = Findings.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Analysis.layer, EnrichmentFacts.layer)),
  Layer.provideMerge(FeedPipelines.layer),
  Layer.provideMerge(Tasks.layer),
  Layer.provideMerge(Cursors.layer(Redacted.make("0123456789abcdef0123456789abcdef"))),
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer, Layer.succeed(Kinds, kinds)))
)

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const account = yield* storeAccount(bank)
  yield* storeFeed(workspace, {
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] }
  })
  const sum = yield* makeEnrichment(workspace, { type: "month_sum", config: { limit: "50", field: "amount" } })
  yield* (yield* EnrichmentStore).insert(sum)
  const records = yield* RecordStore
  const analysis = yield* Analysis
  const findings = yield* Findings
  const scope = scopeOf(account)
  const caller: Caller = {
    principal: { kind: "user", userId: "usr_1" as never, role: "admin", workspace } as never,
    workspaces: [workspace],
    requestId: "req_1" as never,
    cause: { kind: "user", userId: "usr_1" }
  }
  const run = (enrichments: ReadonlyArray<Enrichment> = [sum]) =>
    analysis.run({
      workspace,
      dataType: "transactions",
      enrichments,
      accounts: [{ bank, account }],
      today: CalendarDate.make("2026-03-20"),
      cause: { kind: "system", reason: "test" },
      guard: Effect.void
    })
  const write = Effect.fnUntraced(function* (amount: string, date: string, id?: string) {
    const made = yield* makeWrite({ date: CalendarDate.make(date), ...(id === undefined ? {} : { id }) })
    const fields = { description: "SHOP", date, amount }
    yield* records.write(scope, [{ ...made, hash: `${amount} ${date}`, fields }])
    return made.id
  })
  const list = Effect.map(findings.list(caller, sum.id, {}), ({ rows }) => rows)
  const told = Effect.flatMap(EventStore, (events) =>
    Effect.map(events.read(workspace.id, 0, 100), (all) =>
      all.filter(({ type }) => type.startsWith("finding.")).map(({ type }) => type)
    )
  )
  return { workspace, sum, run, write, list, told, findings, caller }
})

describe("Findings", () => {
  it.effect("are told once, say what is so now, and are resolved when they are found no longer", () =>
    Effect.gen(function* () {
      const { list, run, told, write } = yield* arrange
      // What was so in the beginning is found, and is no news.
      yield* write("70", "2026-02-01")
      yield* run()
      expect((yield* list).map(({ status, title, version }) => [title, status, version])).toEqual([
        ["2026-02 went over its limit", "open", 1]
      ])
      expect(yield* told).toEqual([])
      const id = yield* write("60", "2026-03-01")
      yield* run()
      expect(yield* told).toEqual(["finding.created"])
      const march = (yield* list).find(({ partition }) => partition === "2026-03")
      expect(march).toMatchObject({ status: "open", subject: { kind: "transaction", id }, data: { sum: "60" } })
      yield* run()
      expect(yield* told).toEqual(["finding.created"])
      yield* write("65", "2026-03-01", id)
      yield* run()
      expect((yield* list).find(({ id: one }) => one === march!.id)).toMatchObject({ version: 2, data: { sum: "65" } })
      yield* write("1", "2026-03-01", id)
      yield* run()
      expect((yield* list).find(({ id: one }) => one === march!.id)).toMatchObject({ version: 3, status: "resolved" })
      yield* write("66", "2026-03-01", id)
      yield* run()
      expect((yield* list).find(({ id: one }) => one === march!.id)).toMatchObject({ version: 4, status: "open" })
      expect(yield* told).toEqual(["finding.created", "finding.updated", "finding.updated", "finding.updated"])
    }).pipe(Effect.provide(services))
  )

  it.effect("keep what a person decided: one that was dismissed stays so, and the enrichment learns of it", () =>
    Effect.gen(function* () {
      const { caller, findings, list, run, sum, told, workspace, write } = yield* arrange
      const id = yield* write("60", "2026-03-01")
      yield* run()
      const [found] = yield* list
      const facts = Effect.flatMap(AnalysisStore, (store) =>
        store.facts({ workspaceId: workspace.id, dataType: "transactions" }, { enrichmentId: sum.id })
      )
      const dismissed = yield* findings.update(caller, sum.id, found!.id, { status: "dismissed", note: " fine " })
      expect(dismissed).toMatchObject({ status: "dismissed", note: "fine", version: 2 })
      expect((yield* facts).map(({ kind, recordId }) => [kind, recordId])).toEqual([["note", id]])
      // Deciding the same once more changes nothing.
      expect(yield* findings.update(caller, sum.id, found!.id, { status: "dismissed" })).toEqual(dismissed)
      yield* write("61", "2026-03-01", id)
      yield* run()
      expect(yield* list).toMatchObject([{ status: "dismissed", note: "fine", data: { sum: "61" }, present: true }])
      yield* write("1", "2026-03-01", id)
      yield* run()
      yield* write("62", "2026-03-01", id)
      yield* run()
      expect(yield* list).toMatchObject([{ status: "dismissed", note: "fine", data: { sum: "62" }, present: true }])
      const reopened = yield* findings.update(caller, sum.id, found!.id, { status: "open", note: "" })
      expect(reopened).not.toHaveProperty("note")
      expect(yield* facts).toEqual([])
      expect((yield* told).length).toBe(5)
    }).pipe(Effect.provide(services))
  )

  it.effect("are resolved where their enrichment rests, and go with it where it was deleted", () =>
    Effect.gen(function* () {
      const { caller, findings, list, run, sum, workspace, write } = yield* arrange
      const another = yield* makeEnrichment(workspace, { type: "month_sum", config: { limit: "50", field: "amount" } })
      yield* write("60", "2026-03-01")
      yield* run([sum, another])
      expect(yield* list).toMatchObject([{ status: "open" }])
      const facts = Effect.flatMap(AnalysisStore, (store) =>
        store.facts({ workspaceId: workspace.id, dataType: "transactions" }, { enrichmentId: sum.id })
      )
      yield* findings.update(caller, sum.id, (yield* list)[0]!.id, { status: "dismissed" })
      const decided = yield* facts
      expect(decided).toHaveLength(1)
      yield* run([{ ...sum, enabled: false, revision: 2 }, another])
      expect(yield* facts).toEqual(decided)
      yield* findings.update(caller, sum.id, (yield* list)[0]!.id, { status: "open" })
      yield* run([{ ...sum, revision: 3 }, another])
      yield* run([{ ...sum, enabled: false, revision: 4 }, another])
      expect(yield* list).toMatchObject([{ status: "resolved", present: false }])
      yield* run([{ ...sum, revision: 5 }, another])
      expect(yield* list).toMatchObject([{ status: "open", present: true }])
      yield* run([another])
      expect(yield* list).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("lets nobody reach those of another enrichment", () =>
    Effect.gen(function* () {
      const { caller, findings, list, run, workspace, write } = yield* arrange
      const other = yield* makeEnrichment(workspace)
      yield* (yield* EnrichmentStore).insert(other)
      yield* write("60", "2026-03-01")
      yield* run()
      const [found] = yield* list
      const refused = yield* Effect.flip(findings.update(caller, other.id, found!.id, { status: "dismissed" }))
      expect(refused).toMatchObject({ _tag: "NotFound", resource: "Finding" })
      expect((yield* findings.list(caller, other.id, {})).rows).toEqual([])
      expect(yield* (yield* FindingStore).get(workspace.id, [found!.id])).toEqual([found])
    }).pipe(Effect.provide(services))
  )
})
