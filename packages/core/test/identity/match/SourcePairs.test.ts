import { describe, expect, it } from "vitest"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { delta, full, held, idsOf, incomplete, matched, read, seen, type Row } from "./Rows.ts"

const upload = { coverage: delta, idTrust: "stable" } as const
/** Rows of statements in two formats, and of the connection. */
const ofx = (n: number | string): string => `file:id:ofxofx:${n}`
const csv = (n: number | string): string => `file:csvcsv:${n}:1`

const day = (n: number): string => `2026-03-${String(n).padStart(2, "0")}`
const gym: Row = { day: day(10), amount: "-49", text: "CITY GYM #5391" }
const fitness = (row: Row = {}): Row => ({ day: day(10), amount: "-49", text: "ABC FIT", id: csv(1), ...row })

/** Other rows that both show, so that the file is one of the whole month. */
const month = [2, 5, 8, 20, 25]
const monthly = month.map((on) =>
  held(`m${on}`, { day: day(on), amount: `-1${on}`, text: `shop ${"abcdefgh"[on % 8]!}` })
)
const shown = month.map((on) =>
  seen(`m${on}`, { day: day(on), amount: `-1${on}`, text: `shop ${"abcdefgh"[on % 8]!}`, id: csv(`m${on}`) })
)

const confirmedOf = (held_: ReadonlyArray<ReturnType<typeof held>>, rows: ReadonlyArray<Row>) => {
  const result = read({
    ...upload,
    held: [...monthly, ...held_],
    observations: [...shown, ...rows.map((row) => seen("x", row))]
  })
  return {
    pairs: result.confirmed
      .map(({ entry, observation }) => [observation.providerId, entry!.id])
      .filter(([, id]) => !id!.startsWith("m")),
    fresh: matched(result).map(([id]) => id),
    asked: result.suggestions.map(({ observed, recordId }) => [observed.providerId, recordId])
  }
}

const twin = (n: number) => held(`c${n}`, { ...gym, text: "COFFEE CORNER", id: `tx-${n}` })
const otherTwin = (n: number) => fitness({ text: "KAFFEEHAUS AM ECK", id: csv(n) })

describe("two sources that show the same days in other words", () => {
  it("have one row for one event: CITY GYM #5391 beside ABC FIT, whichever comes first", () => {
    for (const id of ["tx-1", ofx(1)]) {
      expect(confirmedOf([held("g", { ...gym, id })], [fitness()])).toEqual({
        pairs: [[csv(1), "g"]],
        fresh: [],
        asked: []
      })
    }
    // The connection comes second: the record is what it tells from now on.
    for (const idTrust of ["stable", "none"] as const) {
      const result = read({ held: [held("f", fitness())], observations: [seen("x", { ...gym, id: "" })], idTrust })
      expect([matched(result), result.suggestions]).toEqual([[["", "f"]], []])
    }
    // So it does alone, without any other row around.
    expect(read({ ...upload, held: [held("g", gym)], observations: [seen("x", fitness())] }).confirmed).toHaveLength(1)
  })

  it("confirm what the connection still waits for in other words, once other rows have taught these", () => {
    const weekly = [3, 6, 9, 12]
    const known = weekly.map((on) => held(`g${on}`, { ...gym, day: day(on), amount: `-4${on}`, id: `tx-${on}` }))
    const files = weekly.map((on) => fitness({ day: day(on), amount: `-4${on}`, id: csv(on) }))
    // Another row of the amount stands near, so that the amount alone says nothing.
    const near = { ...gym, day: day(1), text: "SHOP", id: "tx-near" }
    const waiting = held("w", { ...gym, day: day(14), text: "CITY GYM", id: "tx-w", pending: true })
    const late = fitness({ day: day(15), id: csv("late") })
    const taught = confirmedOf([...known, held("n", near), waiting], [...files, late])
    expect(taught.pairs).toContainEqual([csv("late"), "w"])
    expect([taught.fresh, taught.asked]).toEqual([[], []])
    expect(confirmedOf([held("n", near), waiting], [late]).fresh).toEqual([csv("late")])
  })

  it("are told apart by amount and day where these differ too much", () => {
    const apart = [fitness({ amount: "-49.01" }), fitness({ day: day(12) }), fitness({ amount: "49" })]
    for (const row of apart) {
      expect(confirmedOf([held("g", { ...gym, id: "tx-1" })], [row])).toEqual({ pairs: [], fresh: [csv(1)], asked: [] })
    }
    const late = fitness({ day: day(11) })
    expect(confirmedOf([held("g", gym)], [late]).pairs).toEqual([[csv(1), "g"]])
  })

  it("belong together by counts on a day that both show, in whatever words; what is more is new", () => {
    const other = held("p", { ...gym, text: "PIZZA PLACE" })
    const rows = [fitness(), fitness({ text: "TRATTORIA NOVA", id: csv(2) })]
    const both = confirmedOf([held("g", gym), other], rows)
    expect([both.pairs.map(([, id]) => id).toSorted(), both.fresh, both.asked]).toEqual([["g", "p"], [], []])
    const one = confirmedOf([held("g", gym)], rows)
    expect([one.pairs.length, one.fresh.length, one.asked]).toEqual([1, 1, []])
  })

  it("teach which texts mean one merchant, so that equal amounts of a day are told apart", () => {
    const lessons = [3, 14].flatMap((on): ReadonlyArray<readonly [Row, Row]> => [
      [
        { ...gym, day: day(on), amount: `-1${on}.5`, id: `g${on}` },
        fitness({ day: day(on), amount: `-1${on}.5`, id: csv(`g${on}`) })
      ],
      [
        { day: day(on), amount: `-2${on}.5`, text: "PIZZA PLACE", id: `p${on}` },
        fitness({ day: day(on), amount: `-2${on}.5`, text: "TRATTORIA NOVA", id: csv(`p${on}`) })
      ]
    ])
    const records = lessons.map(([row], n) => held(`l${n}`, row))
    const { asked, pairs } = confirmedOf(
      [...records, held("g", gym), held("p", { ...gym, text: "PIZZA PLACE" })],
      [...lessons.map(([, row]) => row), fitness({ text: "TRATTORIA NOVA", id: csv(2) }), fitness()]
    )
    expect([asked, Object.fromEntries(pairs)]).toMatchObject([[], { [csv(1)]: "g", [csv(2)]: "p" }])
  })

  it("keep twins: as many as both show, and one more where one of them has more", () => {
    expect(confirmedOf([twin(1), twin(2)], [otherTwin(1), otherTwin(2)])).toMatchObject({ fresh: [], asked: [] })
    const more = confirmedOf([twin(1), twin(2)], [otherTwin(1), otherTwin(2), otherTwin(3)])
    expect(more).toMatchObject({ fresh: [csv(3)], asked: [] })
  })

  it("are such two also where both are of one format and layout, but not where the read is not all there is", () => {
    const same = held("g", { ...gym, id: csv(9) })
    expect(confirmedOf([same], [fitness()])).toEqual({ pairs: [[csv(1), "g"]], fresh: [], asked: [] })
    const part = read({ held: [held("f", fitness())], observations: [seen("x", gym)], coverage: incomplete })
    expect([matched(part), part.suggestions.length]).toEqual([[["p-x", undefined]], 1])
  })

  it("leave alone what people decided", () => {
    const parted = read({
      ...upload,
      held: [held("g", gym)],
      observations: [seen("x", fitness())],
      isForbidden: () => true
    })
    expect([matched(parted), parted.suggestions]).toEqual([[[csv(1), undefined]], []])
    const deleted = read({
      ...upload,
      held: [held("g", gym, { state: "deleted" })],
      observations: [seen("x", fitness())]
    })
    expect([matched(deleted), deleted.absorbed.map(({ entry }) => entry!.id)]).toEqual([[], ["g"]])
    const asked = read({
      ...upload,
      held: [held("g", gym)],
      observations: [seen("x", fitness())],
      config: { crossSource: "suggest" }
    })
    expect([matched(asked), asked.suggestions.length]).toEqual([[[csv(1), undefined]], 1])
    const off = read({
      ...upload,
      held: [held("g", gym)],
      observations: [seen("x", fitness())],
      config: { crossSource: "off" }
    })
    expect([matched(off), off.suggestions]).toEqual([[[csv(1), undefined]], []])
  })

  it("say nothing of records that they do not show", () => {
    const result = read({ ...upload, held: [held("g", { ...gym, id: ofx(1) })], observations: [...shown] })
    expect([result.gone, result.missed]).toEqual([[], []])
    const whole = read({ held: [held("f", fitness())], observations: [seen("x", { text: "other" })], coverage: full })
    expect(idsOf([...whole.gone, ...whole.missed.map(({ entry }) => entry)])).toEqual([])
  })
})

const row = (n: number, change: Row = {}): Row => ({
  day: day(n),
  amount: `-${n}`,
  text: `shop ${"abcdefgh"[n % 8]!}`,
  id: ofx(n),
  ...change
})

describe("ids of the bank in files", () => {
  const records = month.map((n) => held(`r${n}`, row(n)))

  it("tell a corrected amount: one row, corrected", () => {
    const rows = month.map((n) => seen("x", n === 8 ? row(8, { amount: "-8.5" }) : row(n)))
    const result = read({ ...upload, held: records, observations: rows })
    expect(result.changed.map(({ entry, observation }) => [entry!.id, observation.fields["amount"]])).toEqual([
      ["r8", "-8.5"]
    ])
    // Also where another file showed the row first.
    const first = held("r8", { ...row(8), id: csv(8), text: "in other words" })
    const others = records.filter(({ entry }) => entry.id !== "r8")
    const known = { held: [...others, first], aliases: new Map([[ofx(8), "r8"]]) }
    expect(matched(read({ ...upload, ...known, observations: rows }))).toEqual([[ofx(8), "r8"]])
  })

  it("are given out again: in another month, or from row to row, they mean other rows", () => {
    const next = month.map((n) => seen("x", row(n, { day: `2026-04-${String(n).padStart(2, "0")}` })))
    expect(matched(read({ ...upload, held: records, observations: next }))).toEqual(
      month.map((n) => [ofx(n), undefined])
    )
    const moved = month.map((n, at) => seen("x", row(n, { id: ofx(month[(at + 1) % month.length]!) })))
    const result = read({ ...upload, held: records, observations: moved })
    expect(result.changed.map(({ entry, observation }) => [entry?.id, observation.fields["amount"]])).toEqual(
      month.map((n) => [`r${n}`, `-${n}`])
    )
    // The next day's coffee has the first place of a file that begins with it.
    const espresso = { text: "ESPRESSO", amount: "-4.5" }
    const tomorrow = seen("x", row(3, { ...espresso, id: ofx(1) }))
    const daily = read({ ...upload, held: [held("c", row(2, { ...espresso, id: ofx(1) }))], observations: [tomorrow] })
    // Whether it is that one, corrected, a person may say.
    expect([matched(daily), daily.suggestions.map(({ recordId }) => recordId)]).toEqual([[], ["c"]])
  })

  it("come, go and are issued anew without a second row", () => {
    const ways: ReadonlyArray<readonly [(n: number) => string, (n: number) => string]> = [
      [ofx, csv],
      [csv, ofx],
      [ofx, (n) => ofx(`new ${n}`)]
    ]
    for (const [before, after] of ways) {
      const kept = month.map((n) => held(`r${n}`, row(n, { id: before(n) })))
      const result = read({
        ...upload,
        held: kept,
        observations: month.map((n) => seen("x", row(n, { id: after(n) })))
      })
      const used = [...result.changed, ...result.confirmed].map(({ entry }) => entry?.id)
      expect(used.toSorted()).toEqual(kept.map(({ entry }) => entry.id).toSorted())
      expect(result.suggestions).toEqual([])
    }
  })

  it("leave to a person whether an equal row of the one day of two files is a second one", () => {
    const days = Array.from({ length: 5 }, (_, n) => held(`n${n}`, row(8, { amount: `-2${n}`, id: ofx(`n${n}`) })))
    const again = seen("x", row(8, { id: ofx("new") }))
    const result = read({ ...upload, held: [held("r8", row(8)), ...days], observations: [again] })
    expect([
      result.confirmed.map(({ entry }) => entry!.id),
      result.suggestions.map(({ recordId }) => recordId)
    ]).toEqual([["r8"], ["r8"]])
  })
})

const coffee = (n: number): Row => ({ day: day(n), amount: "-4.5", text: "COFFEE CORNER" })

describe("a file that begins or ends within days of equal rows", () => {
  it("does not take a row for one of days that it does not show", () => {
    const records = [2, 3, 4, 5].map((n) => held(`c${n}`, { ...coffee(n), id: ofx(n) }))
    const rows = [5, 6, 7].map((n) => seen("x", { ...coffee(n), text: "COFFEE CORNER BERLIN", id: csv(n) }))
    const result = read({ ...upload, held: records, observations: rows })
    expect(result.confirmed.map(({ entry }) => entry!.id)).toEqual(["c5"])
    expect(matched(result)).toEqual([
      [csv(6), undefined],
      [csv(7), undefined]
    ])
  })
})

const fare = (on: number, text: string): Row => ({ day: day(on), amount: "-4.5", text })
const bankRows = (...rows: ReadonlyArray<Row>) => rows.map((one, n) => held(`b${n}`, { ...one, id: `tx-${n}` }))
const fileRows = (...rows: ReadonlyArray<Row>) => rows.map((one, n) => seen("x", { ...one, id: csv(n) }))
const cafe = (on: number): Row => ({ day: day(on), amount: "-7.1", text: "CAFE CORNER" })

describe("a file that dates rows of a connection later", () => {
  const shownDays = { from: CalendarDate.make(day(1)), to: CalendarDate.make(day(30)) }

  it("confirms equal payments of a quiet account, dated a day later", () => {
    const found = read({
      ...upload,
      held: bankRows(fare(5, "METRO"), fare(26, "METRO")),
      observations: fileRows(fare(6, "METRO"), fare(27, "METRO")),
      shownDays
    })
    expect(found.confirmed.map(({ entry }) => entry!.id)).toEqual(["b0", "b1"])
    expect(found.suggestions).toEqual([])
  })

  it("does not pair a row of its first day with one of other words, where that leaves two rows without one", () => {
    const found = read({
      ...upload,
      held: bankRows(fare(6, "METRO"), fare(9, "BAKERY")),
      observations: fileRows(fare(9, "METRO"), fare(12, "BAKERY")),
      shownDays
    })
    expect(found.confirmed.map(({ entry }) => entry!.id)).toEqual(["b0", "b1"])
  })
})

describe("two formats that have no day in common", () => {
  it("leave to a person whether payments three days apart are one", () => {
    const records = [2, 10].map((on) => held(`h${on}`, { ...cafe(on), amount: on === 2 ? "-1" : "-7.1", id: csv(on) }))
    const rows = [11, 13].map((on) => seen("x", { ...cafe(on), amount: on === 11 ? "-2" : "-7.1", id: ofx(on) }))
    const result = read({ ...upload, held: records, observations: rows })
    expect(matched(result).map(([id]) => id)).toEqual([ofx(11), ofx(13)])
    expect(result.suggestions.map(({ recordId }) => recordId)).toEqual(["h10"])
  })
})
