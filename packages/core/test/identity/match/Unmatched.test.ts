import { Seeded } from "@millrace/testing/model"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import type { MatchInput } from "../../../src/identity/match/Matching.ts"
import { mayBeTwins } from "../../../src/identity/match/ReadingPairs.ts"
import { describe, expect, it } from "vitest"
import {
  delta,
  full,
  held,
  idsOf,
  incomplete,
  matched,
  now,
  read,
  seen,
  type Held,
  type Read,
  type Row
} from "./Rows.ts"

const desk: Row = { amount: "-42", text: "DESK MAKER", day: "2026-03-10" }
const waiting: Row = { ...desk, pending: true }

const byRecord = (result: ReturnType<typeof read>) => new Map(result.changed.map((match) => [match.entry?.id, match]))

const bistros = (edited: boolean) => [
  held("r1", { pending: true, amount: "-42", text: "BISTRO LUNE", day: "2026-03-03" }, {}, { edited }),
  held("r2", { pending: true, amount: "-42", text: "BISTRO LUNE", day: "2026-03-04" })
]

describe("two pending rows of which one got a tip", () => {
  const tip = seen("x1", { amount: "-49.56", text: "BISTRO LUNE BERLIN", day: "2026-03-04" })
  const plain = seen("x2", { amount: "-42", text: "BISTRO LUNE BERLIN", day: "2026-03-06" })
  const input = { observations: [tip, plain], idTrust: "none" } as const
  const costOf = (record: Held, observation: typeof tip) =>
    read({ ...input, observations: [observation], held: [record] }).changed[0]!.evidence?.cost

  it("are paired in their order, which costs least", () => {
    const [r1, r2] = bistros(false) as [Held, Held]
    expect([costOf(r1, tip), costOf(r2, tip), costOf(r1, plain), costOf(r2, plain)]).toEqual([518, 500, 142, 112])
    const result = read({ ...input, held: bistros(false) })
    const made = byRecord(result)
    expect(made.get("r1")!.observation).toBe(tip)
    expect(made.get("r1")!.evidence).toEqual({
      tier: "cost",
      cost: 518,
      parts: { date: 18, text: 70, tip: 430 },
      margin: 12
    })
    expect(made.get("r2")!.observation).toBe(plain)
    expect(made.get("r2")!.evidence).toMatchObject({ cost: 112, margin: 12 })
    expect(result.suggestions).toEqual([])
  })

  it("are left to a person where the one in doubt carries edits, and the total is right at once", () => {
    const result = read({ ...input, held: bistros(true) })
    expect(matched(result).toSorted()).toEqual([
      ["p-x1", undefined],
      ["p-x2", "r2"]
    ])
    expect(result.suggestions).toEqual([
      {
        observed: tip,
        recordId: "r1",
        evidence: { tier: "cost", cost: 518, parts: { date: 18, text: 70, tip: 430 }, margin: 12 }
      }
    ])
    expect(idsOf(result.gone)).toEqual(["r1"])
  })

  it("are paired whatever the doubt where none is asked for", () => {
    const result = read({ ...input, held: bistros(true), config: { reviewMargin: 0 } })
    expect([result.suggestions, matched(result)]).toEqual([
      [],
      [
        ["p-x1", "r1"],
        ["p-x2", "r2"]
      ]
    ])
  })
})

const found = (input: Read) => matched(read({ held: [held("a", waiting)], idTrust: "perStatus", ...input }))

const ago = (days: number) => Timestamp.fromMillis(Timestamp.toMillis(now) - days * 86_400_000)

const partsA: Read["isForbidden"] = (id, { providerId }) => id === "a" && providerId === "p-x"

describe("what is left by ids and contents", () => {
  it("settles a pending row under a new id, on another day and under another text", () => {
    const posted = seen("x", { ...desk, day: "2026-03-13", text: "DESK MAKER HAMBURG" })
    expect(found({ observations: [posted] })).toEqual([["p-x", "a"]])
    expect(found({ observations: [posted], coverage: delta, removed: new Set(["p-a"]) })).toEqual([["p-x", "a"]])
  })

  it("takes a pending row under another id for another event, unless only its text differs", () => {
    const again = (row: Row) => found({ observations: [seen("x", { ...waiting, ...row })] })[0]![1]
    expect([again({ text: "DESK MAKER BERLIN" }), again({ day: "2026-03-11" }), again({ amount: "-43" })]).toEqual([
      "a",
      undefined,
      undefined
    ])
    const moved = { observations: [seen("x", { ...waiting, day: "2026-03-11" })], idTrust: "none" } as const
    expect(found(moved)).toEqual([["p-x", "a"]])
  })

  it("leaves a pending row alone that a change feed does not list as gone", () => {
    const posted = seen("x", desk)
    expect(found({ observations: [posted], coverage: delta })).toEqual([["p-x", undefined]])
    const again = seen("x", { ...waiting, day: "2026-03-11" })
    expect(found({ observations: [again], coverage: delta })).toEqual([["p-x", undefined]])
  })

  it("revives a dropped row for a while, and a deleted one never", () => {
    const posted = seen("x", { ...desk, day: "2026-03-12" })
    const tombstone = (days: number) => [held("a", waiting, { state: "removed" }, { updatedAt: ago(days) })]
    expect(found({ held: tombstone(60), observations: [posted], coverage: delta })).toEqual([["p-x", "a"]])
    expect(found({ held: tombstone(61), observations: [posted], coverage: delta })).toEqual([["p-x", undefined]])
    const deleted = read({
      held: [held("a", waiting, { state: "deleted" }, { updatedAt: ago(3_000) })],
      observations: [posted],
      idTrust: "none"
    })
    expect([deleted.changed, deleted.absorbed.map(({ entry }) => entry!.id)]).toEqual([[], ["a"]])
  })

  it("does nothing where only ids count", () => {
    const posted = seen("x", { ...desk, day: "2026-03-12" })
    expect(found({ observations: [posted], byIdOnly: true })).toEqual([["p-x", undefined]])
    expect(found({ observations: [seen("x", waiting)], byIdOnly: true })).toEqual([["p-x", undefined]])
  })

  it("never pairs again what a person parted, also among equals", () => {
    const observations = [seen("x", { ...desk, day: "2026-03-12" }), seen("y", { ...desk, day: "2026-03-12" })]
    const records = [held("a", waiting), held("b", waiting)]
    expect(found({ held: records, observations, isForbidden: partsA }).toSorted()).toEqual([
      ["p-x", "b"],
      ["p-y", "a"]
    ])
    expect(found({ held: records, observations, isForbidden: () => true }).toSorted()).toEqual([
      ["p-x", undefined],
      ["p-y", undefined]
    ])
  })

  it("does not move a posted row to another day under an id that counts, unless the read lacks it", () => {
    const historyFrom = CalendarDate.make("2026-01-01")
    const moved = seen("x", { ...desk, day: "2026-03-11" })
    const of = (coverage: MatchInput["coverage"], idTrust: MatchInput["idTrust"] = "perStatus") =>
      found({
        held: [held("a", desk)],
        observations: [moved],
        historyFrom,
        coverage: coverage as typeof full,
        idTrust
      })[0]![1]
    expect(of(full as unknown as MatchInput["coverage"])).toBe("a")
    expect(of(incomplete as unknown as MatchInput["coverage"])).toBeUndefined()
    const edge = { kind: "window", from: "2026-03-11", to: "2026-03-20", complete: true }
    expect(of(edge as unknown as MatchInput["coverage"])).toBeUndefined()
    expect(of(edge as unknown as MatchInput["coverage"], "none")).toBe("a")
  })

  it("moves a row of the oldest day that is shown by a day where rows have no ids, unless another has its amount", () => {
    const lamp: Row = { day: "2026-03-12", amount: "-7.7", text: "lamp" }
    const records = [held("r", { ...desk, id: "" }), held("l", { ...lamp, id: "" })]
    const shown = (row: Row, ...others: ReadonlyArray<Row>) =>
      read({
        held: records,
        observations: [row, lamp, ...others].map((one, at) => seen(`x${at}`, { ...one, id: "" })),
        idTrust: "none"
      }).changed.map(({ entry }) => entry?.id)
    const moved: Row = { ...desk, day: "2026-03-11" }
    expect(shown(moved)).toEqual(["r"])
    expect(shown({ ...moved, day: "2026-03-09" })).toEqual(["r"])
    expect(shown({ ...moved, day: "2026-03-12" })).toEqual([undefined])
    expect(shown({ ...moved, text: "CHAIR SHOP" })).toEqual([undefined])
    expect(shown({ ...moved, amount: "-43" })).toEqual([undefined])
    expect(shown(moved, { ...desk, day: "2026-03-15" })).toEqual([undefined, undefined])
  })

  it("knows another live row of the amount by what the read shows", () => {
    const moved = seen("x", { ...desk, id: "", day: "2026-03-11" })
    const other = seen("o", { ...desk, id: "", day: "2026-02-25" })
    const input = { held: [held("a", { ...desk, id: "" })], idTrust: "none", coverage: incomplete } as const
    expect(found({ ...input, observations: [moved] })).toEqual([["", "a"]])
    expect(found({ ...input, observations: [moved, other] })).toEqual([
      ["", undefined],
      ["", undefined]
    ])
  })

  it("prefers a row at its former place where ids are renumbered", () => {
    const records = [held("a", { ...waiting, id: "1" }), held("b", { ...waiting, id: "2" })]
    const input = { held: records, idTrust: "positional" } as const
    expect(found({ ...input, observations: [seen("x", { ...desk, day: "2026-03-12", id: "2" })] })).toEqual([
      ["2", "b"]
    ])
    expect(found({ ...input, observations: [seen("x", { ...desk, day: "2026-03-12", id: "7" })] })).toEqual([
      ["7", "a"]
    ])
  })

  it("pairs thousands of equal rows that settle together, oldest first", () => {
    const count = 5_000
    const records = Array.from({ length: count }, (_, n) =>
      held(`r${String(n).padStart(5, "0")}`, { ...waiting, id: "" })
    )
    const observations = Array.from({ length: count - 1 }, () => seen("x", { ...desk, id: "", day: "2026-03-11" }))
    const result = read({ held: records, observations, idTrust: "none" })
    expect(result.changed.every(({ entry }) => entry !== undefined)).toBe(true)
    expect(idsOf(result.missed.map(({ entry }) => entry))).toEqual([`r${String(count - 1).padStart(5, "0")}`])
  })
})

const booked: Row = { amount: "-42", text: "Desk Maker GmbH", day: "2026-03-12" }
const file = (id: string, row: Row = {}) => seen(id, { ...booked, id: `file:${id}`, ...row })
const upload = { coverage: delta, idTrust: "stable" } as const

const confirmedOf = (row: Row) =>
  read({ ...upload, held: [held("a", desk)], observations: [file("1", row)] }).confirmed.length

const crowd = 2_100
const crowdText = (n: number) =>
  `DESK MAKER ${String.fromCodePoint(65 + (n % 26), 65 + (Math.floor(n / 26) % 26))} ${n}`
const crowdRow = (n: number): Row => ({ id: "", amount: "-42", text: crowdText(n), day: `2026-03-1${n % 9}` })

describe("thousands of rows of one amount and as many texts", () => {
  it("are each paired once, with what is near", () => {
    const records = Array.from({ length: crowd }, (_, n) => held(`r${n}`, { ...crowdRow(n), pending: true }))
    const observations = Array.from({ length: crowd }, (_, n) =>
      seen(`${n}`, { ...crowdRow(n), text: `${crowdText(n)} GMBH` })
    )
    const result = read({ held: records, observations, idTrust: "none" })
    const used = result.changed.flatMap(({ entry }) => entry?.id ?? [])
    expect(new Set(used).size).toBe(used.length)
    expect(used.length).toBeGreaterThan(crowd * 0.9)
    expect(result.changed.every(({ evidence }) => (evidence?.cost ?? 0) < 1_000)).toBe(true)
  })
})

describe("a second source", () => {
  it("confirms rows of the connection and changes nothing in them", () => {
    const result = read({ ...upload, held: [held("a", desk)], observations: [file("1")] })
    expect([result.changed, result.unchanged, result.suggestions]).toEqual([[], 1, []])
    expect(result.confirmed.map(({ entry, observation }) => [observation.providerId, entry!.id])).toEqual([
      ["file:1", "a"]
    ])
    const known = { held: [held("a", desk)], observations: [file("1")], aliases: new Map([["file:1", "a"]]) }
    expect(read({ ...upload, ...known })).toMatchObject({ changed: [], unchanged: 1, confirmed: [] })
  })

  it("gives its rows to the connection when that shows them", () => {
    const result = read({ held: [held("f", { ...booked, id: "file:1" })], observations: [seen("a", desk)] })
    expect(matched(result)).toEqual([["p-a", "f"]])
  })

  it("is matched row by row where a merchant is paid daily", () => {
    const days = ["2026-03-10", "2026-03-11", "2026-03-12", "2026-03-13"]
    const records = days.map((day, n) => held(`r${n}`, { ...desk, day }))
    const observations = days.map((day, n) => file(String(n), { day }))
    const result = read({ ...upload, held: records, observations })
    expect(result.confirmed.map(({ entry }) => entry!.id)).toEqual(["r0", "r1", "r2", "r3"])
  })

  it("takes any of several that look alike: all of them are there", () => {
    const records = [held("a", { ...desk, day: "2026-03-11" }), held("b", { ...desk, day: "2026-03-13" })]
    const result = read({ ...upload, held: records, observations: [file("1")] })
    expect(result.confirmed.map(({ entry }) => entry!.id)).toEqual(["a"])
  })

  it("is left to a person where that is asked for", () => {
    const likely = { held: [held("a", booked)], observations: [file("1", { text: "desk maker" })] }
    const asked = read({ ...upload, ...likely, config: { crossSource: "suggest" } })
    expect([matched(asked), asked.suggestions.length]).toEqual([[["file:1", undefined]], 1])
    const off = read({ ...upload, ...likely, config: { crossSource: "off" } })
    expect([matched(off), off.suggestions]).toEqual([[["file:1", undefined]], []])
  })

  it("confirms a pending row that it has booked at another amount", () => {
    const hold = { amount: "-50", text: "desk maker", day: "2026-03-10", pending: true }
    const result = read({
      ...upload,
      held: [held("a", hold, {}, { edited: true })],
      observations: [file("1", { amount: "-31.2" })]
    })
    expect([result.confirmed.map(({ entry }) => entry!.id), result.suggestions]).toEqual([["a"], []])
  })

  it("needs an equal amount, a near day and a likely text", () => {
    expect([{}, { amount: "-42.01" }, { day: "2026-03-14" }, { text: "lamp" }].map(confirmedOf)).toEqual([1, 0, 0, 0])
  })

  it("takes equal rows of another file for the same, and no more of them than there are", () => {
    const known = { held: [held("f", { ...booked, id: "file:1" })], observations: [file("2"), file("3")] }
    const result = read({ ...upload, ...known })
    expect([result.confirmed.map(({ entry }) => entry!.id), matched(result)]).toEqual([["f"], [["file:3", undefined]]])
  })
})

/** Worlds of few values, in which everything looks like everything. */
const anyRead = (random: Seeded) => {
  const idTrust = random.pick(["none", "positional", "stable", "perStatus", "session"] as const)
  const row = (n: number): Row => ({
    day: CalendarDate.addDays(CalendarDate.make("2026-03-10"), random.below(5)),
    amount: random.pick(["-5", "-5", "-6", "-25", "5"]),
    text: random.pick(["desk maker", "desk maker berlin", "lamp", ""]),
    pending: random.once(3),
    id: random.pick(["", "p1", "p2", `p${n}`, "file:1"])
  })
  const records = random
    .list(0, 7, () => 0)
    .map((_, n) =>
      held(
        `r${n}`,
        row(n),
        { state: random.pick(["live", "live", "live", "removed", "deleted"]), missed: random.below(2) },
        { edited: random.once(4) }
      )
    )
  const observations = random
    .list(0, 7, () => 0)
    .map((_, n) => seen(`o${n}`, row(n + 2), { pendingProviderId: random.pick(["", "", "", "p1", "p3"]) }))
  const coverage = random.pick([
    full,
    incomplete,
    delta,
    { kind: "window", from: CalendarDate.make("2026-03-10"), to: CalendarDate.make("2026-03-12"), complete: true }
  ] as const)
  const parted = random.pick(["", "r1", "r2"])
  return {
    held: records,
    observations,
    coverage: coverage as typeof full,
    idTrust,
    removed: new Set(random.pick([[], ["p1"], ["p2", "p3"]])),
    aliases: new Map(random.pick([[], [["p4", "r0"] as const]])),
    byIdOnly: random.once(6),
    isForbidden: (id: string) => id === parted
  } satisfies Read
}

const shape = (result: ReturnType<typeof read>) => ({
  changed: result.changed
    .map(({ entry, observation }) => `${observation.hash} ${observation.providerId} ${entry?.id}`)
    .toSorted(),
  absorbed: result.absorbed.map(({ entry }) => entry!.id).toSorted(),
  confirmed: result.confirmed.map(({ entry }) => entry!.id).toSorted(),
  suggested: result.suggestions.map(({ observed, recordId }) => `${observed.hash} ${recordId}`).toSorted(),
  gone: [...idsOf(result.gone)].toSorted(),
  missed: result.missed.map(({ entry, missed }) => `${entry.id} ${missed}`).toSorted(),
  seenAgain: [...idsOf(result.seenAgain)].toSorted(),
  unchanged: result.unchanged,
  hits: [result.idMatches, result.idContradictions],
  coverageSuspect: result.coverageSuspect
})

const isOwn = (id: string) => !id.startsWith("file:")

describe("identity in worlds where everything looks alike", () => {
  it("does not depend on the order of records or of observations", () => {
    const random = new Seeded(21)
    for (let n = 0; n < 1_500; n++) {
      const input = anyRead(random)
      const one = shape(read(input))
      expect(shape(read({ ...input, held: input.held.toReversed() }))).toEqual(one)
      expect(shape(read({ ...input, observations: input.observations.toReversed() }))).toEqual(one)
    }
  })

  it("pairs nothing twice, forgets no observation, and lets nothing go that is shown", () => {
    const random = new Seeded(22)
    const seenTiers = new Set<string>()
    for (let n = 0; n < 1_500; n++) {
      const input = anyRead(random)
      const result = read(input)
      const used = [...result.changed, ...result.absorbed, ...result.confirmed].flatMap(({ entry }) => entry?.id ?? [])
      expect(new Set(used).size).toBe(used.length)
      expect(result.changed.length + result.unchanged).toBe(input.observations.length)
      const away = [...idsOf(result.gone), ...result.missed.map(({ entry }) => entry.id)]
      expect(new Set([...away, ...used]).size).toBe(away.length + used.length)
      for (const { entry, evidence } of result.changed) {
        if (evidence !== undefined) seenTiers.add(evidence.tier)
        if (evidence?.tier === "cost") expect(evidence.cost).toBeLessThan(1_000)
        expect(entry?.state).not.toBe("deleted")
      }
      // But for rows that were taken for one and may be two.
      const open = result.suggestions.filter(({ evidence }) => !mayBeTwins(evidence))
      for (const { recordId } of open) expect(used).not.toContain(recordId)
    }
    expect([...seenTiers].toSorted()).toEqual(["cost", "equal", "id", "link"])
  })

  it("ends with as many live rows of a content as a complete read shows, once absences are settled", () => {
    const random = new Seeded(23)
    for (let n = 0; n < 2_000; n++) {
      const any = anyRead(random)
      const idTrust = random.pick(["none", "positional"] as const)
      const records = any.held.filter(({ entry }) => isOwn(entry.providerId) && entry.state !== "deleted")
      const observations = any.observations.filter(({ providerId }) => isOwn(providerId))
      const result = read({
        held: records,
        observations,
        idTrust,
        historyFrom: CalendarDate.make("2020-01-01"),
        config: { dropAfterMissing: 1, removeAfterMissing: 1 }
      })
      if (result.coverageSuspect) continue
      const after = new Map(
        records.filter(({ entry }) => entry.state === "live").map(({ entry }) => [entry.id, entry.hash])
      )
      for (const { id } of result.gone) expect(after.delete(id)).toBe(true)
      for (const join of result.joined)
        expect([after.delete(join.entry.id), after.has(join.booked.id)]).toEqual([true, true])
      let fresh = 0
      for (const { entry, observation } of result.changed) after.set(entry?.id ?? `new${fresh++}`, observation.hash)
      expect([...after.values()].toSorted()).toEqual(observations.map(({ hash }) => hash).toSorted())
    }
  })

  it("finds nothing to do when the same is read again", () => {
    const random = new Seeded(24)
    for (let n = 0; n < 2_000; n++) {
      const { idTrust, observations } = anyRead(random)
      const distinct = observations.map((one, at) => ({
        ...one,
        providerId: idTrust === "none" ? "" : idTrust === "positional" ? String(at) : `id${at}`,
        pendingProviderId: ""
      }))
      const records = distinct.map((one, at): Held => {
        const { entry, detail } = held(`r${at}`)
        const { date, fields, hash, pending, providerId } = one
        return { entry: { ...entry, providerId, date, pending, hash }, detail: { ...detail, fields } }
      })
      const again = read({ held: records, observations: distinct.toReversed(), idTrust })
      expect(again).toMatchObject({ changed: [], unchanged: distinct.length, gone: [], missed: [], suggestions: [] })
    }
  })
})
