import { describe, expect, it } from "vitest"
import { delta, held, idsOf, matched, now, read, seen } from "./Rows.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"

const removed = (...ids: ReadonlyArray<string>) => new Set(ids)
const before = (days: number) => Timestamp.fromMillis(Timestamp.toMillis(now) - days * 86_400_000)
const feed = { coverage: delta, idTrust: "perStatus" } as const

/** What is matched where the record was removed so many days ago. */
const revived = (days: number) =>
  matched(
    read({
      ...feed,
      held: [held("a", {}, { state: "removed" }, { updatedAt: before(days) })],
      observations: [seen("b")]
    })
  )

describe("a booked row that a change feed tells under another id", () => {
  it("is the record that the same read lists as removed", () => {
    const result = read({ ...feed, held: [held("a")], observations: [seen("b")], removed: removed("p-a") })
    expect(matched(result)).toEqual([["p-b", "a"]])
    expect(result.gone).toEqual([])
  })

  it("is another event while the first one is not listed as removed", () => {
    const result = read({ ...feed, held: [held("a")], observations: [seen("b")] })
    expect(matched(result)).toEqual([["p-b", undefined]])
  })

  it("takes as many records as are listed as removed", () => {
    const observations = [seen("c"), seen("d")]
    const result = read({ ...feed, held: [held("a"), held("b")], observations, removed: removed("p-b") })
    expect(matched(result)).toEqual([
      ["p-c", "b"],
      ["p-d", undefined]
    ])
    expect(result.gone).toEqual([])
  })

  it("is the record that was removed some time ago, for so long as records come back", () => {
    expect(revived(50)).toEqual([["p-b", "a"]])
    expect(revived(61)).toEqual([["p-b", undefined]])
  })

  it("is another record where it says something else than the one that was removed some time ago", () => {
    const former = held("a", {}, { state: "removed" })
    const result = read({ ...feed, held: [former], observations: [seen("b", { text: "desks" })] })
    expect(matched(result)).toEqual([["p-b", undefined]])
  })

  it("is another record where ids are keys of a person's own, or nothing but ids may match", () => {
    for (const how of [{ keyed: true }, { byIdOnly: true }] as const) {
      const result = read({ ...feed, ...how, held: [held("a")], observations: [seen("b")], removed: removed("p-a") })
      expect(matched(result)).toEqual([["p-b", undefined]])
      expect(idsOf(result.gone)).toEqual(["a"])
    }
  })
})

describe("a booked record that a change feed lists as removed after it told a copy", () => {
  const earlier = { createdAt: before(1) }

  it("goes on as the copy", () => {
    const result = read({ ...feed, held: [held("a", {}, {}, earlier), held("b")], removed: removed("p-a") })
    expect(result.joined.map(({ booked, entry }) => [entry.id, booked.id])).toEqual([["a", "b"]])
    expect(result.gone).toEqual([])
  })

  it("goes where nothing has its content, or the copy is an old one", () => {
    const other = held("b", { text: "chair" })
    const old = held("b", {}, {}, { updatedAt: before(15) })
    for (const one of [other, old]) {
      const result = read({ ...feed, held: [held("a", {}, {}, earlier), one], removed: removed("p-a") })
      expect([idsOf(result.gone), result.joined]).toEqual([["a"], []])
    }
  })

  it("goes, and not an equal payment that was there before it or came with it", () => {
    for (const one of [held("a"), held("a", {}, {}, { ...earlier, updatedAt: before(1) })]) {
      const result = read({ ...feed, held: [one, held("b")], removed: removed("p-b") })
      expect([idsOf(result.gone), result.joined]).toEqual([["b"], []])
    }
  })

  it("prefers a copy that nobody wrote on, and asks where people wrote on both", () => {
    const edited = { edited: true }
    const twin = held("b", {}, {}, edited)
    const first = read({
      ...feed,
      held: [held("a", {}, {}, { ...earlier, ...edited }), twin, held("c")],
      removed: removed("p-a")
    })
    expect(first.joined.map(({ booked, entry }) => [entry.id, booked.id])).toEqual([["a", "c"]])
    const second = read({
      ...feed,
      held: [held("a", {}, {}, { ...earlier, ...edited }), twin],
      removed: removed("p-a")
    })
    expect([second.joined, second.suggestions.map(({ recordId }) => recordId)]).toEqual([[], ["a"]])
    const third = read({ ...feed, held: [held("a", {}, {}, earlier), twin], removed: removed("p-a") })
    expect([third.joined, idsOf(third.gone)]).toEqual([[], ["a"]])
  })
})
