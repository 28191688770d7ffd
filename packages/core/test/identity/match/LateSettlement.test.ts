/** A pending row that a bank shows beside its booked form for a while, and then no more. */
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import { describe, expect, it } from "vitest"
import { delta, full, held, idsOf, incomplete, now, read, seen, type Held, type Read, type Row } from "./Rows.ts"

const shop: Row = { amount: "-48.12", text: "LAMP SHOP", day: "2026-03-17" }
const booked: Row = { amount: "-48.12", text: "LAMP SHOP BERLIN DE", day: "2026-03-18" }
const daysAgo = (days: number) => Timestamp.fromMillis(Timestamp.toMillis(now) - days * 86_400_000)

const pending = (change: Partial<Held["detail"]> = {}, row: Row = {}) =>
  held("a", { ...shop, ...row, pending: true }, {}, { createdAt: daysAgo(3), edited: true, ...change })
const posted = (change: Partial<Held["detail"]> = {}, row: Row = {}) =>
  held("b", { ...booked, ...row }, {}, { createdAt: daysAgo(1), ...change })

const after = (change: Read) => {
  const { gone, joined, missed, suggestions } = read({
    idTrust: "perStatus",
    coverage: full,
    observations: [seen("b", booked)],
    held: [pending(), posted()],
    ...change
  })
  return {
    joined: joined.map(({ booked: from, entry }) => [entry.id, from.id]),
    gone: idsOf(gone),
    missed: missed.map(({ entry }) => entry.id),
    suggested: suggestions.map(({ observed, recordId }) => [recordId, "id" in observed ? observed.id : undefined])
  }
}

const joinedOnly = { joined: [["a", "b"]], gone: [], missed: [], suggested: [] }
const leftAlone = { joined: [], gone: [], missed: ["a"], suggested: [] }

describe("a pending record whose booked form became a record of its own", () => {
  it("goes on as that one, as soon as a read shows the booked row alone", () => {
    expect(after({})).toEqual(joinedOnly)
    expect(after({ idTrust: "none", observations: [seen("b", { ...booked, id: "" })] })).toEqual(joinedOnly)
  })

  it("goes on as that one when a change feed lists it as gone", () => {
    expect(after({ coverage: delta, observations: [], removed: new Set(["p-a"]) })).toEqual(joinedOnly)
  })

  it("goes on as that one when a link comes late, whatever its amount and age", () => {
    const late = { pendingProviderId: "p-a" }
    const old = [pending(), posted({ createdAt: daysAgo(9), version: 3 }, { amount: "-51" })]
    expect(
      after({ coverage: delta, observations: [seen("b", { ...booked, amount: "-51" }, late)], held: old })
    ).toEqual(joinedOnly)
  })

  it.each<[string, Read]>([
    ["the read still shows it", { observations: [seen("b", booked), seen("a", { ...shop, pending: true })] }],
    ["the read is not complete", { coverage: incomplete }]
  ])("stays where %s", (_, change) => {
    expect(after(change)).toEqual({ joined: [], gone: [], missed: [], suggested: [] })
  })

  it.each<[string, Read]>([
    ["the booked record was pending once itself", { held: [pending(), posted({ version: 2 })] }],
    ["the booked record is older", { held: [pending(), posted({ createdAt: daysAgo(4) })] }],
    ["a person parted them", { isForbidden: () => true }],
    ["it is not to be joined", { held: [pending({ alone: true }), posted()] }],
    ["ids last through the booking", { idTrust: "stable" }],
    ["the run matches by ids alone", { byIdOnly: true }]
  ])("is only missing where %s", (_, change) => {
    expect(after(change)).toEqual(leftAlone)
  })

  it("is only missing where the amount or the day is another", () => {
    const amount = { ...booked, amount: "-48.13" }
    expect(after({ held: [pending(), posted({}, amount)], observations: [seen("b", amount)] })).toEqual(leftAlone)
    const day = { ...booked, day: "2026-03-14" }
    expect(after({ held: [pending(), posted({}, day)], observations: [seen("b", day)] })).toEqual(leftAlone)
  })

  it("goes on as one that is dated before it, where the bank dates it anew each day", () => {
    const redated = pending({ createdAt: daysAgo(7) }, { day: "2026-03-19" })
    const early = { ...booked, day: "2026-03-14" }
    const base = { observations: [seen("b", early)] }
    expect(after({ ...base, held: [redated, posted({}, early)] })).toEqual(joinedOnly)
    expect(after({ ...base, held: [pending({}, { day: "2026-03-19" }), posted({}, early)] })).toEqual(leftAlone)
  })

  it("is no other booking of the read while its own is known", () => {
    const tipped = { ...booked, amount: "-52" }
    const { changed, joined } = read({
      idTrust: "perStatus",
      coverage: full,
      observations: [seen("b", booked), seen("t", tipped)],
      held: [pending(), posted()]
    })
    expect(joined).toHaveLength(1)
    expect(changed.map(({ entry }) => entry)).toEqual([undefined])
  })

  it("takes a booked record under another name, if it came later, or of last week, only where the amount is like no other", () => {
    const renamed = { ...booked, text: "ABC RETAIL" }
    const twin = seen("c", { ...booked, day: "2026-03-02", text: "DESK STORE" })
    const other = held("c", { ...booked, day: "2026-03-02", text: "DESK STORE" }, {}, { createdAt: daysAgo(15) })
    const base = { held: [pending(), posted({}, renamed)], observations: [seen("b", renamed)] }
    expect(after(base)).toEqual(joinedOnly)
    expect(after({ held: [...base.held, other], observations: [...base.observations, twin] })).toEqual(leftAlone)
    const early = { ...renamed, day: "2026-03-16" }
    expect(after({ held: [pending(), posted({}, early)], observations: [seen("b", early)] })).toEqual(leftAlone)
    const together = [pending(), posted({ createdAt: daysAgo(3) }, renamed)]
    expect(after({ ...base, held: together })).toEqual(leftAlone)
    const lastWeek = [pending({ createdAt: daysAgo(8) }), posted({ createdAt: daysAgo(7) })]
    expect(after({ held: lastWeek })).toEqual(joinedOnly)
    expect(after({ held: [...lastWeek, other], observations: [seen("b", booked), twin] })).toEqual(leftAlone)
  })

  it("is gone where people wrote on the booked one, and a person is asked where they did on both", () => {
    const written = posted({ edited: true })
    expect(after({ held: [pending({ edited: false }), written] })).toEqual({
      joined: [],
      gone: ["a"],
      missed: [],
      suggested: []
    })
    expect(after({ held: [pending(), written] })).toEqual({
      joined: [],
      gone: ["a"],
      missed: [],
      suggested: [["a", "b"]]
    })
  })
})

describe("a booked row beside a pending one of its amount that is still shown", () => {
  it("is not taken for another one that was dropped, or had another amount", () => {
    const dropped = held("d", { ...shop, day: "2026-03-05", pending: true }, { state: "removed" })
    const less = held("l", { ...shop, amount: "-43", pending: true })
    for (const other of [dropped, less]) {
      const result = read({
        idTrust: "perStatus",
        observations: [seen("b", booked), seen("a", { ...shop, pending: true })],
        held: [pending(), other]
      })
      expect(result.changed.map(({ entry }) => entry?.id)).toEqual([undefined])
    }
  })
})
