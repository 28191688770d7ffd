/** Conformance of `FindingStore`. */
import { CalendarDate, Ids, Timestamp } from "@millrace/core"
import { type Finding, findingResource } from "@millrace/core/enrichment"
import { Resources } from "@millrace/core/resource"
import { FindingStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeFinding } from "../fixture/Findings.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { testsOf } from "./ResourceSuite.ts"
import type { StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const { id: workspaceId } = yield* storeWorkspace()
  const store = yield* FindingStore
  const enrichmentId = yield* (yield* Ids).next("enrichment")
  const make = (own: Partial<Finding> = {}) => makeFinding(workspaceId, enrichmentId, own)
  return { store, workspaceId, enrichmentId, make }
})

const idsOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => findings.map(({ id }) => id)

export const tests: StorageTests = (it) => {
  testsOf(
    findingResource,
    Effect.map(Resources, ({ open }) => open(findingResource))
  )(it)

  it.effect("hands findings back as they were put", () =>
    Effect.gen(function* () {
      const { enrichmentId, make, store, workspaceId } = yield* arrange
      const texts = difficultTexts.join("")
      const one = yield* make({ title: texts, note: texts, data: { texts: [...difficultTexts], none: null } })
      expect(yield* store.putFindings([one])).toBe(true)
      expect(yield* store.get(workspaceId, [one.id])).toEqual([one])
      expect(yield* store.list(workspaceId, enrichmentId, { limit: 10 })).toEqual([one])
      expect(yield* store.get(workspaceId, [yield* (yield* Ids).next("finding")])).toEqual([])
    })
  )

  it.effect("takes a finding only as the next version of what it holds", () =>
    Effect.gen(function* () {
      const { make, store, workspaceId } = yield* arrange
      const one = yield* make()
      yield* store.putFindings([one])
      const next: Finding = { ...one, status: "dismissed", version: 2 }
      expect(yield* store.putFindings([{ ...one, version: 3 }])).toBe(false)
      expect(yield* store.get(workspaceId, [one.id])).toEqual([one])
      expect(yield* store.putFindings([next])).toBe(true)
      expect(yield* store.putFindings([{ ...one, title: "old" }])).toBe(false)
      expect(yield* store.putFindings([{ ...next, partition: "moved" }])).toBe(true)
      expect(yield* store.get(workspaceId, [one.id])).toEqual([{ ...next, partition: "moved" }])
    })
  )

  it.effect("lists the newest first, narrowed and from a place on", () =>
    Effect.gen(function* () {
      const { enrichmentId, make, store, workspaceId } = yield* arrange
      const on = (day: string, own: Partial<Finding> = {}) =>
        make({ firstSeenAt: Timestamp.make(`${day}T23:59:59.999Z`), ...own })
      const [a, b] = [yield* on("2026-03-01"), yield* on("2026-03-02", { status: "dismissed" })]
      const [c, d] = [yield* on("2026-03-02", { kind: "price_change" }), yield* on("2026-03-03")]
      yield* store.putFindings([a, b, c, d])
      const list = (query: object) => Effect.map(store.list(workspaceId, enrichmentId, { limit: 10, ...query }), idsOf)
      expect(yield* list({})).toEqual(idsOf([d, c, b, a]))
      expect(yield* list({ limit: 2 })).toEqual(idsOf([d, c]))
      expect(yield* list({ before: { firstSeenAt: c.firstSeenAt, id: c.id } })).toEqual(idsOf([b, a]))
      expect(yield* list({ status: "open" })).toEqual(idsOf([d, c, a]))
      expect(yield* list({ kind: "price_change" })).toEqual([c.id])
      const day = CalendarDate.make("2026-03-02")
      expect(yield* list({ from: day })).toEqual(idsOf([d, c, b]))
      expect(yield* list({ to: day })).toEqual(idsOf([c, b, a]))
      expect(yield* list({ from: day, to: day })).toEqual(idsOf([c, b]))
    })
  )

  it.effect("knows what is found at present in which partitions, and forgets an enrichment", () =>
    Effect.gen(function* () {
      const { enrichmentId, make, store, workspaceId } = yield* arrange
      const [a, b] = [yield* make(), yield* make({ partition: "other" })]
      const gone = yield* make({ present: false, status: "resolved" })
      const foreign = yield* make({ enrichmentId: yield* (yield* Ids).next("enrichment") })
      yield* store.putFindings([a, b, gone, foreign])
      expect(idsOf(yield* store.present(workspaceId, enrichmentId))).toEqual(idsOf([a, b]))
      expect(idsOf(yield* store.present(workspaceId, enrichmentId, ["other", "none"]))).toEqual([b.id])
      expect(yield* store.present(workspaceId, enrichmentId, [])).toEqual([])
      yield* store.forget(workspaceId, enrichmentId)
      expect(idsOf(yield* store.get(workspaceId, [a.id, gone.id, foreign.id]))).toEqual([foreign.id])
    })
  )
}
