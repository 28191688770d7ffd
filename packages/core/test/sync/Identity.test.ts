import type { IndexEntry } from "@millrace/core/record/LedgerRecord"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import { identify, type IdentityInput } from "@millrace/core/sync/Identity"
import type { Observation } from "@millrace/core/sync/Ingest"
import { describe, expect, it } from "vitest"
import { Seeded } from "@millrace/testing/model/Seeded"

const day = CalendarDate.make("2026-03-14")

const entry = (id: string, change: Partial<IndexEntry> = {}): IndexEntry => ({
  id,
  providerId: `p-${id}`,
  date: day,
  pending: false,
  state: "live",
  hash: `h-${id}`,
  missed: 0,
  ...change
})

const seen = (id: string, change: Partial<Observation> = {}): Observation => ({
  providerId: `p-${id}`,
  pendingProviderId: "",
  date: day,
  pending: false,
  hash: `h-${id}`,
  fields: {},
  ...change
})

const full = { kind: "full", complete: true } as const

const run = (input: Partial<IdentityInput>) =>
  identify({
    observations: [],
    held: [],
    idTrust: "stable",
    coverage: full,
    removed: new Set(),
    unread: new Set(),
    removeAfter: 2,
    guarded: true,
    ...input
  })

const matched = (result: ReturnType<typeof run>) =>
  result.changed.map(({ entry: held, observation }) => [observation.providerId, held?.id])

describe("identify, by id", () => {
  it("finds what it holds, and takes the rest for new", () => {
    const result = run({
      held: [entry("a"), entry("b")],
      observations: [seen("a"), seen("b", { hash: "x" }), seen("c")]
    })
    expect(result.unchanged).toBe(1)
    expect(matched(result)).toEqual([
      ["p-b", "b"],
      ["p-c", undefined]
    ])
  })

  it("follows a pending row to its posted form, also over its tombstone", () => {
    for (const state of ["live", "removed"] as const) {
      const held = [entry("p", { pending: true, state })]
      const result = run({ held, observations: [seen("x", { pendingProviderId: "p-p" })], removed: new Set(["p-p"]) })
      expect([matched(result), result.gone]).toEqual([[["p-x", "p"]], []])
    }
  })

  it("goes on with a settled row when its link comes late, and lets the pending one go", () => {
    const held = [entry("x"), entry("p", { pending: true })]
    const result = run({
      held,
      observations: [seen("x", { pendingProviderId: "p-p" })],
      coverage: { kind: "delta" }
    })
    expect([result.unchanged, result.gone.map(({ id }) => id)]).toEqual([1, ["p"]])
  })

  it("keeps a pending row that is shown beside its settled form", () => {
    const held = [entry("x"), entry("p", { pending: true })]
    const observations = [seen("x", { pendingProviderId: "p-p" }), seen("p", { pending: true })]
    const result = run({ held, observations })
    expect([result.unchanged, result.gone, result.missed]).toEqual([2, [], []])
  })

  it("believes no id that several rows share, here or there", () => {
    const observations = [seen("a", { providerId: "same" }), seen("b", { providerId: "same" })]
    const held = [entry("b", { providerId: "same" }), entry("a", { providerId: "same" })]
    expect(run({ held, observations })).toMatchObject({ unchanged: 2, changed: [] })
    const one = run({ held, observations: [seen("b", { providerId: "same" })] })
    expect([one.unchanged, one.missed.map((row) => row.entry.id)]).toEqual([1, ["a"]])
  })

  it("does not take an unknown id for a row that merely looks the same", () => {
    const result = run({ held: [entry("a")], observations: [seen("b", { hash: "h-a" })], coverage: { kind: "delta" } })
    expect(matched(result)).toEqual([["p-b", undefined]])
  })

  it("does not give a row without an id a record that has one", () => {
    const result = run({ held: [entry("a")], observations: [seen("b", { providerId: "", hash: "h-a" })] })
    expect(matched(result)).toEqual([["", undefined]])
  })

  it("knows rows again by content when a reconnect changed all ids", () => {
    const held = [entry("a"), entry("b")]
    const observations = [seen("a", { providerId: "n1" }), seen("b", { providerId: "n2" })]
    expect(matched(run({ held, observations, idTrust: "session" }))).toEqual([
      ["n1", "a"],
      ["n2", "b"]
    ])
  })
})

describe("identify, by content", () => {
  it("keeps the number of twins, whatever their ids", () => {
    const random = new Seeded(11)
    for (let i = 0; i < 2_000; i++) {
      const idTrust = random.pick(["none", "positional"] as const)
      const row = (n: number) => ({ hash: `h${random.below(4)}`, providerId: idTrust === "none" ? "" : String(n) })
      const held = random.list(0, 8, () => 0).map((_, n) => entry(String(n), row(n)))
      const observations = random.list(0, 8, () => 0).map((_, n) => seen(String(n), row(n + random.below(3))))
      const result = run({ held, observations, idTrust, removeAfter: 1, guarded: false })
      const after = new Map(held.map((one) => [one.id, one.hash]))
      for (const { id } of result.gone) expect(after.delete(id)).toBe(true)
      let fresh = 0
      for (const { entry: match, observation } of result.changed) {
        if (match !== undefined) expect(match.hash).toBe(observation.hash)
        after.set(match?.id ?? `new${fresh++}`, observation.hash)
      }
      expect([...after.values()].toSorted()).toEqual(observations.map(({ hash }) => hash).toSorted())
    }
  })

  it("gives the same answer in whatever order it holds the rows", () => {
    const random = new Seeded(12)
    for (let i = 0; i < 1_000; i++) {
      const idTrust = random.pick(["none", "positional", "stable", "perStatus", "session"] as const)
      const held = random
        .list(0, 7, () => 0)
        .map((_, n) =>
          entry(String(n), {
            hash: `h${random.below(3)}`,
            providerId: random.pick(["", "p1", "p2", `p${n}`]),
            pending: random.once(3),
            state: random.once(4) ? "removed" : "live"
          })
        )
      const observations = random
        .list(0, 7, () => 0)
        .map((_, n) =>
          seen(String(n), {
            hash: `h${random.below(3)}`,
            providerId: random.pick(["", "p1", "p2", `p${n}`]),
            pendingProviderId: random.pick(["", "", "p1", "p3"])
          })
        )
      const input = {
        observations,
        idTrust,
        removed: new Set(["p2"]),
        coverage: random.pick([full, { kind: "delta" } as const])
      }
      const one = run({ ...input, held })
      const other = run({ ...input, held: held.toReversed() })
      const shape = (result: typeof one) => ({
        matched: matched(result),
        unchanged: result.unchanged,
        gone: result.gone.map(({ id }) => id).toSorted(),
        missed: result.missed.map((row) => [row.entry.id, row.missed]).toSorted()
      })
      expect(shape(other)).toEqual(shape(one))
      const used = one.changed.flatMap(({ entry: match }) => (match === undefined ? [] : [match.id]))
      expect(new Set(used).size).toBe(used.length)
    }
  })

  it("does not rewrite rows that were only renumbered", () => {
    const held = [entry("a", { providerId: "1" })]
    const result = run({ held, observations: [seen("a", { providerId: "2" })], idTrust: "positional" })
    expect([result.unchanged, result.changed]).toEqual([1, []])
  })
})

describe("identify, absences", () => {
  it("counts a complete read without a row, and lets it go at the second", () => {
    const first = run({ held: [entry("a")] })
    expect([first.missed, first.gone]).toEqual([[{ entry: entry("a"), missed: 1 }], []])
    const second = run({ held: [entry("a", { missed: 1 })] })
    expect(second.gone.map(({ id }) => id)).toEqual(["a"])
    expect(run({ held: [entry("a")], removeAfter: 1 }).gone).toHaveLength(1)
    expect(run({ held: [entry("a", { missed: 1 })], observations: [seen("a")] }).seenAgain).toHaveLength(1)
  })

  it.each([
    ["a change feed", { kind: "delta" }],
    ["an incomplete read", { kind: "full", complete: false }],
    ["other days", { kind: "window", from: "2026-03-15", to: "2026-03-20", complete: true }],
    ["an incomplete window", { kind: "window", from: "2026-03-01", to: "2026-03-20", complete: false }]
  ] as const)("lets nothing go because of %s", (_, coverage) => {
    const held = [entry("a", { missed: 1 })]
    expect(run({ held, coverage: coverage as IdentityInput["coverage"] })).toMatchObject({ gone: [], missed: [] })
  })

  it("lets go at once what the source lists as gone, if its ids say anything", () => {
    const removed = new Set(["p-a"])
    expect(run({ held: [entry("a")], removed, coverage: { kind: "delta" } }).gone).toHaveLength(1)
    expect(run({ held: [entry("a")], removed, coverage: { kind: "delta" }, idTrust: "positional" }).gone).toEqual([])
  })

  it("does not miss a row that was shown but could not be read", () => {
    const held = [entry("a", { missed: 1 }), entry("b", { missed: 1 })]
    expect(run({ held, unread: new Set(["p-a"]) }).gone.map(({ id }) => id)).toEqual(["b"])
  })

  it("leaves rows of files and tombstones alone", () => {
    const held = [entry("f", { providerId: "file:1", missed: 1 }), entry("t", { state: "removed", missed: 1 })]
    expect(run({ held })).toMatchObject({ gone: [], missed: [] })
  })

  it("does not believe a read in which many posted rows vanish at once", () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => entry(String(n), { missed: 1 }))
    expect(run({ held: many(3) })).toMatchObject({ coverageSuspect: false, gone: many(3) })
    expect(run({ held: many(4) })).toMatchObject({ coverageSuspect: true, gone: [], missed: [] })
    const kept = Array.from({ length: 96 }, (_, n) => seen(String(n + 4)))
    expect(run({ held: many(100), observations: kept }).coverageSuspect).toBe(false)
    expect(run({ held: many(4), guarded: false }).gone).toHaveLength(4)
    const pending = [...many(4), entry("p", { pending: true, missed: 1 })]
    expect(run({ held: pending }).gone.map(({ id }) => id)).toEqual(["p"])
  })
})
