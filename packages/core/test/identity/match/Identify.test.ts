import { identify } from "../../../src/identity/match/Identify.ts"
import { onlyIdDiffers, type MatchInput } from "../../../src/identity/match/Matching.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import type { Observation } from "../../../src/record/Observation.ts"
import { describe, expect, it } from "vitest"
import { delta, full, held, idsOf, incomplete, inputOf, matched, now, read, seen, type Held, type Row } from "./Rows.ts"

/** Nothing alike: neither the text nor the amount nor the day of the other rows. */
const lamp: Row = { day: "2026-03-02", amount: "-77.7", text: "lamp" }
const chair: Row = { day: "2026-02-11", amount: "-31.3", text: "chair" }

describe("identify, by id", () => {
  it("finds what it holds, and takes the rest for new", () => {
    const result = read({
      held: [held("a"), held("b", lamp)],
      observations: [seen("a"), seen("b", { ...lamp, text: "lamp shade" }), seen("c", chair)]
    })
    expect(result.unchanged).toBe(1)
    expect(matched(result)).toEqual([
      ["p-b", "b"],
      ["p-c", undefined]
    ])
  })

  it("asks for no contents where ids and equal contents settle everything", () => {
    const input = inputOf({
      held: [held("a"), held("b", lamp), held("t", chair, { state: "removed" })],
      observations: [seen("a"), seen("b", lamp)]
    })
    expect(identify(input).wanted).toEqual([])
    const renumbered = [seen("a", { id: "9" }), seen("b", { ...lamp, id: "8" })]
    expect(identify({ ...input, observations: renumbered, idTrust: "positional" }).wanted).toEqual([])
    expect(identify({ ...input, held: [] }).wanted).toEqual([])
  })

  it("asks what people wrote only where another event may get it", () => {
    const known = held("a")
    const editsCount = (row: Observation) => {
      const open = identify(inputOf({ held: [known], observations: [row] }))
      return [open.editsCount(), open.editsCount(new Map([["a", known.detail]]))]
    }
    expect(editsCount(seen("a", { amount: "-11" }))).toEqual([false, false])
    // Under the same id, but no content of that record.
    expect(editsCount(seen("a", chair))).toEqual([false, true])
    expect(editsCount(seen("b", chair))).toEqual([true, true])
  })

  it("says which contents it was not given", () => {
    const input = inputOf({ held: [held("a")], observations: [seen("a", { amount: "-11" })] })
    const open = () => identify(input).finish({ records: new Map(), isForbidden: () => false })
    expect(open).toThrow("no details of a")
  })

  it("follows a pending row to its posted form, also over its tombstone", () => {
    for (const state of ["live", "removed"] as const) {
      const result = read({
        held: [held("p", { pending: true }, { state })],
        observations: [seen("x", { amount: "-3", text: "other" }, { pendingProviderId: "p-p" })],
        removed: new Set(["p-p"])
      })
      expect([matched(result), result.gone]).toEqual([[["p-x", "p"]], []])
      expect(result.changed[0]!.evidence).toEqual({ tier: "link" })
    }
  })

  it("goes on with a settled row when its link comes late, and lets the pending one go", () => {
    const result = read({
      held: [held("x"), held("p", { pending: true })],
      observations: [seen("x", {}, { pendingProviderId: "p-p" })],
      coverage: delta
    })
    expect([result.unchanged, idsOf(result.gone)]).toEqual([1, ["p"]])
  })

  it("keeps a pending row that is shown beside its settled form", () => {
    const result = read({
      held: [held("x"), held("p", { pending: true })],
      observations: [seen("x", {}, { pendingProviderId: "p-p" }), seen("p", { pending: true })]
    })
    expect([result.unchanged, result.gone, result.missed]).toEqual([2, [], []])
  })

  it("believes no id that several rows of a read share, and of records that share one the equal one first", () => {
    const observations = [seen("a", { id: "same" }), seen("b", { ...lamp, id: "same" })]
    const records = [held("b", { ...lamp, id: "same" }), held("a", { id: "same" })]
    expect(read({ held: records, observations })).toMatchObject({ unchanged: 2, changed: [] })
    const one = read({ held: records, observations: [seen("b", { ...lamp, id: "same" })] })
    expect([one.unchanged, idsOf(one.missed.map(({ entry }) => entry))]).toEqual([1, ["a"]])
  })

  it("believes an id of two records where one of them is missing: the other has it now", () => {
    const records = [held("a", { id: "same" }, { missed: 1 }), held("b", { ...lamp, id: "same" })]
    const result = read({ held: records, observations: [seen("b", { ...lamp, id: "same", amount: "-400" })] })
    expect(matched(result)).toEqual([["same", "b"]])
  })

  it("believes an id of two records that were both shown: the younger has it now", () => {
    const records = [held("a", { id: "same" }), held("b", { ...lamp, id: "same" })]
    const corrected = seen("b", { ...lamp, id: "same", amount: "-400" })
    expect(matched(read({ held: records, observations: [corrected] }))).toEqual([["same", "b"]])
    expect(matched(read({ held: records.toReversed(), observations: [corrected] }))).toEqual([["same", "b"]])
    const back = read({ held: records, observations: [seen("a", { id: "same" })] })
    expect([back.unchanged, matched(back)]).toEqual([1, []])
  })

  it("does not take an unknown id of a change feed for a row that merely looks the same", () => {
    const result = read({ held: [held("a")], observations: [seen("b")], coverage: delta })
    expect(matched(result)).toEqual([["p-b", undefined]])
  })

  it("leaves a pending row to a change feed that was asked for other days", () => {
    const input = {
      held: [held("p", { pending: true, day: "2026-03-01" })],
      observations: [seen("x", { day: "2026-03-03" })],
      coverage: {
        kind: "window",
        from: CalendarDate.make("2026-03-02"),
        to: CalendarDate.make("2026-03-04"),
        complete: true
      },
      idTrust: "perStatus"
    } as const
    expect(matched(read({ ...input, atOnce: true }))).toEqual([["p-x", undefined]])
    expect(matched(read({ ...input, atOnce: false }))).toEqual([["p-x", "p"]])
  })

  it("takes an unknown id of a complete read for the row that it lacks", () => {
    const result = read({ held: [held("a")], observations: [seen("b")] })
    expect([matched(result), result.gone, result.missed]).toEqual([[["p-b", "a"]], [], []])
    expect(onlyIdDiffers(result.changed[0]!)).toBe(true)
  })

  it("knows rows again by content when a reconnect changed all ids", () => {
    const result = read({
      held: [held("a"), held("b", lamp)],
      observations: [seen("n1"), seen("n2", lamp)],
      idTrust: "session",
      coverage: incomplete
    })
    expect(matched(result)).toEqual([
      ["p-n1", "a"],
      ["p-n2", "b"]
    ])
    expect(result.changed.every(onlyIdDiffers)).toBe(true)
  })

  it("finds a record by an id that it had before", () => {
    const result = read({
      held: [held("a", { id: "new" })],
      aliases: new Map([["old", "a"]]),
      observations: [seen("a", { id: "old" })],
      coverage: full
    })
    expect([matched(result), result.idMatches]).toEqual([[["old", "a"]], 1])
  })

  it("takes a former id for an event of its own while the record's present id is there", () => {
    const records = [held("a", { id: "new" })]
    const aliases = new Map([["old", "a"]])
    const both = [seen("a", { id: "new" }), seen("b", { id: "old", text: "desk" })]
    expect(matched(read({ held: records, aliases, observations: both }))).toEqual([["old", undefined]])
    const late = [seen("b", { id: "old" })]
    expect(matched(read({ held: records, aliases, observations: late, coverage: delta }))).toEqual([["old", undefined]])
    const reissued = read({
      held: records,
      aliases,
      observations: late,
      coverage: delta,
      removed: new Set(["new"])
    })
    expect(matched(reissued)).toEqual([["old", "a"]])
  })

  it("follows a link to a record that has another id by now, once that one is gone", () => {
    const records = [held("a", { id: "posted" })]
    const input = {
      held: records,
      aliases: new Map([["pending", "a"]]),
      observations: [seen("x", { text: "else", amount: "-12" }, { pendingProviderId: "pending" })],
      coverage: delta
    }
    expect(matched(read(input))).toEqual([["p-x", undefined]])
    expect(matched(read({ ...input, removed: new Set(["posted"]) }))).toEqual([["p-x", "a"]])
  })

  it("follows no link to a record that goes on as another pending row, which a change feed would not tell again", () => {
    const input = {
      held: [held("a", { id: "other", pending: true })],
      aliases: new Map([["pending", "a"]]),
      observations: [seen("x", {}, { pendingProviderId: "pending" })]
    }
    expect(matched(read({ ...input, coverage: delta }))).toEqual([["p-x", undefined]])
    expect(matched(read({ ...input, coverage: delta, removed: new Set(["other"]) }))).toEqual([["p-x", "a"]])
    expect(matched(read({ ...input, coverage: full }))).toEqual([["p-x", "a"]])
    expect(matched(read({ ...input, coverage: full, unread: new Set(["other"]) }))).toEqual([["p-x", undefined]])
  })
})

describe("identify, contents under an id", () => {
  const desk: Row = { amount: "-10", text: "desk maker", day: "2026-03-10" }
  const cases: ReadonlyArray<readonly [string, Row, Row, boolean]> = [
    ["another currency", desk, { ...desk, currency: "USD" }, false],
    ["the opposite sign", desk, { ...desk, amount: "10" }, false],
    ["an equal amount and a likely text", desk, { ...desk, text: "desk maker berlin", day: "2026-03-18" }, true],
    ["an equal amount on the same day", desk, { ...desk, text: "lamp" }, true],
    ["an equal amount on another day under another text", desk, { ...desk, text: "lamp", day: "2026-03-11" }, false],
    ["a pending row with a likely text", { ...desk, pending: true }, { ...desk, amount: "-55" }, true],
    ["a pending row with an equal amount", { ...desk, pending: true }, { ...desk, text: "x", day: "2026-03-17" }, true],
    ["a pending row that is booked within two weeks", { ...desk, pending: true }, { ...lamp, day: "2026-03-24" }, true],
    [
      "a pending row that is booked later, with neither",
      { ...desk, pending: true },
      { ...lamp, day: "2026-03-25" },
      false
    ],
    ["a pending row with neither that stays pending", { ...desk, pending: true }, { ...lamp, pending: true }, false],
    ["a zero that was authorised", { ...desk, pending: true, amount: "0" }, desk, true],
    ["an equal amount a month later", desk, { ...desk, day: "2026-04-09" }, true],
    ["an equal amount after more than a month", desk, { ...desk, day: "2026-04-10" }, false],
    ["a posted row that is pending again on the same day", desk, { ...desk, pending: true }, true],
    ["a posted row that is pending again later", desk, { ...desk, pending: true, day: "2026-03-11" }, false],
    ["a correction of the amount", desk, { ...desk, amount: "-11", day: "2026-03-15" }, true],
    ["a correction too late", desk, { ...desk, amount: "-11", day: "2026-03-16" }, false],
    ["another amount under another text", desk, { ...desk, amount: "-11", text: "lamp" }, false],
    ["a posted row that is pending again at another amount", desk, { ...desk, amount: "-11", pending: true }, false]
  ]

  it.each(cases)("takes or refuses %s", (_, before, after, allowed) => {
    const result = read({ held: [held("a", before)], observations: [seen("a", after)], coverage: incomplete })
    expect([matched(result), result.idMatches, result.idContradictions]).toEqual([
      [["p-a", allowed ? "a" : undefined]],
      1,
      allowed ? 0 : 1
    ])
  })

  it.each<readonly [string, Row, Row, boolean]>([
    ["another amount under another text", desk, { ...desk, amount: "-11", text: "lamp" }, true],
    ["the opposite sign", desk, { ...desk, amount: "10" }, true],
    ["a posted row that is pending again", desk, { ...lamp, day: "2026-03-13", pending: true }, true],
    ["a pending row with neither", { ...desk, pending: true }, { ...lamp, day: "2026-03-05", pending: true }, true],
    ["another day too far away", desk, { ...lamp, day: "2026-03-16" }, false],
    ["another currency", desk, { ...desk, currency: "USD" }, false]
  ])("takes or refuses, in a change feed, %s", (_, before, after, allowed) => {
    const input = { observations: [seen("a", after)], coverage: delta }
    const result = read({ ...input, held: [held("a", before)] })
    expect([matched(result), result.idContradictions]).toEqual([[["p-a", allowed ? "a" : undefined]], allowed ? 0 : 1])
    // What is gone has left its place.
    const tombstone = read({ ...input, held: [held("a", before, { state: "removed" })] })
    expect(tombstone.idContradictions).toBe(1)
  })

  it("gives a row whose id was reused to the record that it describes", () => {
    const result = read({
      held: [held("a", { ...desk, id: "1" }), held("b", { ...lamp, id: "2" })],
      observations: [seen("x", { ...desk, id: "2" }), seen("y", { ...lamp, id: "1" })]
    })
    expect(matched(result).toSorted()).toEqual([
      ["1", "b"],
      ["2", "a"]
    ])
    expect(result.idContradictions).toBe(2)
  })

  it("lets a holding be another under its id, and knows it by its security under a new one", () => {
    const fields = { securityId: "S1", quantity: "1", currency: "EUR" }
    const record: Held = { ...held("h", {}, { date: null }), detail: { ...held("h").detail, fields } }
    const observation = (providerId: string, change = {}) =>
      seen("h", {}, { providerId, date: null, hash: "new", fields: { ...fields, quantity: "40", ...change } })
    const input = { dataType: "holdings", held: [record], atOnce: true } as const
    expect(matched(read({ ...input, observations: [observation("p-h")] }))).toEqual([["p-h", "h"]])
    expect(matched(read({ ...input, observations: [observation("other")] }))).toEqual([["other", "h"]])
    const another = read({ ...input, observations: [observation("other", { securityId: "S2" })] })
    expect([matched(another), idsOf(another.gone)]).toEqual([[["other", undefined]], ["h"]])
  })
})

const equals = (count: number) => Array.from({ length: count }, (_, n) => seen(`${n}`, { id: `${n}` }))

describe("identify, by content", () => {
  it("does not rewrite rows that were only renumbered", () => {
    const result = read({
      held: [held("a", { id: "1" })],
      observations: [seen("a", { id: "2" })],
      idTrust: "positional"
    })
    expect([result.unchanged, result.changed]).toEqual([1, []])
  })

  it("notes the id of the connection where a record had one of a file", () => {
    const result = read({ held: [held("a", { id: "file:1" })], observations: [seen("a")], idTrust: "none" })
    expect(matched(result)).toEqual([["p-a", "a"]])
  })

  it("takes live records before tombstones, those of a person first, and the oldest of equals", () => {
    const records = [
      held("c", {}, { state: "removed" }),
      held("b", {}, { state: "deleted" }),
      held("d"),
      held("a", {}, { state: "removed" })
    ]
    const by = (count: number) => {
      const result = read({ held: records, observations: equals(count), idTrust: "positional" })
      return {
        unchanged: result.unchanged,
        absorbed: result.absorbed.length,
        back: matched(result).map(([, id]) => id)
      }
    }
    expect(by(1)).toEqual({ unchanged: 1, absorbed: 0, back: [] })
    expect(by(2)).toEqual({ unchanged: 2, absorbed: 1, back: [] })
    expect(by(3)).toEqual({ unchanged: 2, absorbed: 1, back: ["a"] })
    expect(by(5)).toEqual({ unchanged: 2, absorbed: 1, back: ["a", "c", undefined] })
  })

  it("does not take a row for one that was shown but could not be read", () => {
    const result = read({ held: [held("a")], observations: [seen("b")], unread: new Set(["p-a"]) })
    expect([matched(result), result.missed]).toEqual([[["p-b", undefined]], []])
  })
})

const yesterday = Timestamp.fromMillis(Timestamp.toMillis(now) - 86_400_000)
const justNow = Timestamp.fromMillis(Timestamp.toMillis(now) - 86_399_999)

/** The source says where its history starts, so every read of all there is proves what is gone. */
const historyFrom = CalendarDate.make("2026-01-01")

const second = (missedAt: Timestamp.Timestamp | null) =>
  read({ historyFrom, held: [held("a", {}, { missed: 1 }, { missedAt, missedSince: missedAt })] })

const absent = (missed: number) => held("a", {}, { missed }, { missedAt: yesterday })

const absentPending = (missed: number) => held("a", { pending: true }, { missed }, { missedAt: justNow })

const many = (count: number) =>
  Array.from({ length: count }, (_, n) => held(String(n), { text: `desk ${n}` }, { missed: 1 }))
const after = (records: ReadonlyArray<Held>, change = {}) => read({ historyFrom, held: records, ...change })

describe("identify, absences", () => {
  it("counts complete reads without a posted row that are a day apart, and lets it go at the second", () => {
    const first = read({ historyFrom, held: [held("a")] })
    expect([first.missed, first.gone]).toEqual([[{ entry: held("a").entry, missed: 1 }], []])
    expect(idsOf(second(yesterday).gone)).toEqual(["a"])
    expect(second(justNow)).toMatchObject({ gone: [], missed: [] })
    expect(idsOf(second(null).gone)).toEqual(["a"])
  })

  it("removes after as many reads as are asked for, and never at 0", () => {
    expect(idsOf(read({ historyFrom, held: [absent(0)], config: { removeAfterMissing: 1 } }).gone)).toEqual(["a"])
    expect(read({ historyFrom, held: [absent(1)], config: { removeAfterMissing: 3 } }).missed).toMatchObject([
      { missed: 2 }
    ])
    expect(read({ historyFrom, held: [absent(9)], config: { removeAfterMissing: 0 } })).toMatchObject({
      gone: [],
      missed: []
    })
  })

  it("drops a pending row after complete reads at any distance", () => {
    expect(read({ held: [absentPending(0)] }).missed).toMatchObject([{ missed: 1 }])
    expect(idsOf(read({ held: [absentPending(1)] }).gone)).toEqual(["a"])
    expect(read({ held: [absentPending(1)], config: { dropAfterMissing: 3 } }).missed).toMatchObject([{ missed: 2 }])
  })

  it("forgets what was missed when a record is seen again", () => {
    const result = read({ held: [held("a", {}, { missed: 1 })], observations: [seen("a")] })
    expect([idsOf(result.seenAgain), result.unchanged]).toEqual([["a"], 1])
  })

  it.each([
    ["a change feed", delta],
    ["an incomplete read", incomplete],
    ["other days", { kind: "window", from: "2026-03-15", to: "2026-03-20", complete: true }],
    ["an incomplete window", { kind: "window", from: "2026-03-01", to: "2026-03-20", complete: false }],
    ["days of which it is the last but one", { kind: "window", from: "2026-03-01", to: "2026-03-15", complete: true }],
    ["days of which it is the second", { kind: "window", from: "2026-03-13", to: "2026-03-20", complete: true }]
  ] as const)("lets nothing posted go because of %s", (_, coverage) => {
    const input = { historyFrom, held: [held("a", {}, { missed: 1 })], coverage: coverage as MatchInput["coverage"] }
    expect(read(input)).toMatchObject({ gone: [], missed: [] })
  })

  it("lets go at once what the source lists as gone, if its ids say anything", () => {
    const input = { held: [held("a")], removed: new Set(["p-a"]), coverage: delta }
    expect(read(input).gone).toHaveLength(1)
    expect(read({ ...input, idTrust: "positional" }).gone).toEqual([])
  })

  it("does not miss a row that was shown but could not be read", () => {
    const records = [held("a", {}, { missed: 1 }), held("b", lamp, { missed: 1 })]
    expect(idsOf(read({ historyFrom, held: records, unread: new Set(["p-a"]) }).gone)).toEqual(["b"])
  })

  it("leaves rows of files and tombstones alone", () => {
    const records = [held("f", { id: "file:1" }, { missed: 1 }), held("t", {}, { state: "removed", missed: 1 })]
    expect(read({ historyFrom, held: records })).toMatchObject({ gone: [], missed: [] })
  })

  it("drops a pending row at once when the read brings what explains it", () => {
    const hold: Row = { pending: true, amount: "-20", text: "desk maker", day: "2026-03-12" }
    const posted = (row: Row) => seen("x", { ...hold, pending: false, amount: "-39", day: "2026-03-14", ...row })
    const gone = (row: Row) => {
      const result = read({ held: [held("a", hold)], observations: [posted(row)], idTrust: "none" })
      expect(matched(result)).toEqual([["p-x", undefined]])
      return result.gone.length
    }
    expect(gone({})).toBe(1)
    expect(gone({ amount: "-41" })).toBe(0)
    expect(gone({ amount: "39" })).toBe(0)
    expect(gone({ text: "lamp" })).toBe(0)
    expect(gone({ day: "2026-03-09" })).toBe(0)
    const twins = [held("a", hold), held("b", hold)]
    expect(idsOf(read({ held: twins, observations: [posted({})], idTrust: "none" }).gone)).toEqual(["a"])
  })

  it("gives up a pending row that nobody has shown for 30 days", () => {
    const old: Row = { pending: true, day: "2026-02-18" }
    const longAgo = Timestamp.make("2026-02-18T12:00:00.000Z")
    const window = { kind: "window", from: "2026-03-10", to: "2026-03-20", complete: true } as const
    const gone = (coverage: MatchInput["coverage"], detail = {}, row = old) =>
      read({ held: [held("a", row, {}, { updatedAt: longAgo, ...detail })], coverage: coverage as typeof delta }).gone
        .length
    expect(gone(window as unknown as MatchInput["coverage"])).toBe(1)
    expect(gone(delta)).toBe(1)
    expect(gone(delta, { updatedAt: Timestamp.make("2026-02-18T12:00:00.001Z") })).toBe(0)
    expect(gone(delta, {}, { ...old, day: "2026-02-19" })).toBe(0)
    expect(gone(incomplete)).toBe(0)
    expect(gone(incomplete, { missedSince: longAgo })).toBe(1)
    expect(gone(delta, {}, { ...old, pending: false })).toBe(0)
  })

  it("does not believe a read in which many posted rows vanish at once", () => {
    expect(after(many(3))).toMatchObject({ coverageSuspect: false, gone: many(3).map(({ entry }) => entry) })
    expect(after(many(4))).toMatchObject({ coverageSuspect: true, gone: [], missed: [] })
    const kept = many(100)
      .slice(4)
      .map(({ entry }, n) => seen(entry.id, { text: `desk ${n + 4}` }))
    expect(after(many(100), { observations: kept }).coverageSuspect).toBe(false)
    const atOnce = { atOnce: true, dataType: "holdings", none: true } as const
    expect(after(many(4), atOnce)).toMatchObject({ coverageSuspect: false })
    expect(after(many(4), atOnce).gone).toHaveLength(4)
    expect(after(many(4), { atOnce: true })).toMatchObject({ coverageSuspect: true, gone: [] })
    const pending = [...many(4), held("p", { ...lamp, pending: true }, { missed: 1 })]
    expect(idsOf(after(pending).gone)).toEqual(["p"])
  })
})
