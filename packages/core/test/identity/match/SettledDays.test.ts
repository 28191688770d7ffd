/** Which days of a read have to be matched, and what the store keeps of them. */
import { NodeDigest } from "@millrace/adapters"
import { Seeded } from "@millrace/testing/model"
import { isEntangled, type ReadSays, SettledDays } from "../../../src/identity/match/SettledDays.ts"
import { ShownRows } from "../../../src/identity/match/ShownRows.ts"
import { type DayHashChanges, type DayHashes, noDayHashes, notShown } from "../../../src/record/DayHashes.ts"
import type { IndexEntry, RecordWrite } from "../../../src/record/LedgerRecord.ts"
import type { Observation } from "../../../src/record/Observation.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { Digest } from "../../../src/shared/Digest.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const { contentHash } = Effect.runSync(Effect.provide(Digest, NodeDigest.layer))
const first = CalendarDate.make("2026-01-01")
const dayAt = (n: number) => CalendarDate.addDays(first, n)
const defaults = { contentHash, key: "" }
const says: ReadSays = { removed: new Set<string>() }
const nothing = { changed: [], missed: [], seenAgain: [] } as never

/** The n-th row, of three a day. */
const row = (n: number, said = "as ever"): Observation => ({
  providerId: `u${n}`,
  pendingProviderId: "",
  date: dayAt(Math.floor(n / 3)),
  pending: false,
  hash: `${n} ${said}`,
  fields: {}
})

/** The newest first. */
const rowsTo = (count: number): ReadonlyArray<Observation> =>
  Array.from({ length: count }, (_, at) => row(count - 1 - at))

const entryOf = ({ date, hash, pending, providerId }: Observation): IndexEntry => ({
  id: `record-${providerId}`,
  providerId,
  date,
  pending,
  state: "live",
  hash,
  missed: 0
})

const shownOf = (rows: ReadonlyArray<Observation>): ShownRows => {
  const shown = new ShownRows(contentHash)
  for (const one of rows) shown.add(one)
  return shown
}

const daysOf = (rows: ReadonlyArray<Observation>, before: DayHashes, said = says, config = defaults): SettledDays => {
  const days = new SettledDays(before, shownOf(rows), said, config)
  days.show(rows)
  return days
}

const stored = ({ put }: DayHashChanges): DayHashes => ({ isCurrent: true, hashes: put })

/** The hashes after a read that was matched whole with these records. */
const settledBy = (rows: ReadonlyArray<Observation>, held = rows.map(entryOf), said = says): DayHashes => {
  const days = daysOf(rows, noDayHashes, said)
  days.follow(false, held, nothing)
  return stored(days.changes!)
}

describe("a read", () => {
  it("is unchanged if it shows each day as before, and nothing has to be stored", () => {
    const rows = rowsTo(90)
    const before = settledBy(rows)
    expect(before.hashes.size).toBe(30)
    expect(daysOf(rows, before).isUnchanged).toBe(true)
    expect(daysOf(rows, { ...before, isCurrent: false }).isUnchanged).toBe(false)
    for (const other of [rows.with(40, row(49, "now")), rows.slice(1), rows.slice(3), [row(90), ...rows]]) {
      expect(daysOf(other, before).isUnchanged).toBe(false)
    }
    // The order of days is of no importance.
    expect(daysOf([...rows.slice(30), ...rows.slice(0, 30)], before).isUnchanged).toBe(true)
    const days = daysOf(rows, before)
    expect(days.divide()).toEqual({ days: [], open: [], settled: rows, areDistinct: false })
    days.follow(true, [], nothing)
    expect(days.changes).toBeUndefined()
  })

  it("matches the days that differ, and no others", () => {
    const rows = rowsTo(900)
    const before = settledBy(rows)
    const now = rows.with(300, row(599, "now"))
    const days = daysOf(now, before)
    const divided = days.divide()!
    expect(divided.open).toEqual(now.slice(300, 303))
    expect(divided.settled.length).toBe(897)
    expect(divided.days).toEqual([{ from: dayAt(199), to: dayAt(199) }])
    const held = rows.slice(300, 303).map(entryOf)
    expect(isEntangled(divided, held)).toBe(false)
    days.follow(true, held, nothing)
    const { fields, ...written } = { ...now[300]!, id: held[0]!.id, state: "live" as const }
    days.write([], [{ ...written, fields }])
    const changes = days.changes!
    expect(changes.removed).toEqual([])
    expect([...changes.put]).toEqual([[dayAt(199), settledBy(now).hashes.get(dayAt(199))]])
  })

  it("matches days together that no settled day is between, and those that are asked for", () => {
    const rows = rowsTo(90)
    const days = daysOf(rows.with(0, row(89, "now")).with(3, row(86, "now")), settledBy(rows))
    const also = days.divide([{ from: dayAt(-10), to: dayAt(1) }])!
    expect(also.days).toEqual([
      { from: dayAt(0), to: dayAt(1) },
      { from: dayAt(28), to: dayAt(29) }
    ])
    expect(also.open.length).toBe(12)
  })

  it("matches a day of which all rows are gone", () => {
    const rows = rowsTo(90)
    const now = rows.filter(({ date }) => date !== dayAt(7))
    const { days, open } = daysOf(now, settledBy(rows)).divide()!
    expect(open).toEqual([])
    expect(days).toEqual([{ from: dayAt(7), to: dayAt(7) }])
  })

  it("matches rows without a day at each read", () => {
    const undated: Observation = { ...row(0), providerId: "undated", date: null }
    const rows = rowsTo(300).toSpliced(150, 0, undated)
    const before = settledBy(rows)
    expect(before.hashes.get(null)).toBeNull()
    const days = daysOf(rows, before)
    expect(days.isUnchanged).toBe(false)
    expect(days.divide()).toMatchObject({ days: [], open: [undated] })
  })

  it.each([
    ["has no id", { providerId: "" }],
    ["is linked to another", { pendingProviderId: "u5" }]
  ])("matches the day of a row that %s at each read", (_, other) => {
    const rows = rowsTo(30).with(10, { ...row(19), ...other })
    const days = daysOf(rows, settledBy(rows))
    expect(days.isUnchanged).toBe(false)
    expect(days.divide()!.open).toEqual(rows.slice(9, 12))
  })

  it("takes no day for settled that was settled under another configuration", () => {
    const rows = rowsTo(30)
    const days = daysOf(rows, settledBy(rows), says, { contentHash, key: "other" })
    expect(days.isUnchanged).toBe(false)
    expect(days.divide()!.settled).toEqual([])
  })

  it("lets one that lists rows as gone be matched", () => {
    const rows = rowsTo(30)
    expect(daysOf(rows, settledBy(rows), { removed: new Set(["u500"]) }).isUnchanged).toBe(false)
  })

  it("has the rows of few days at hand", () => {
    const rows = rowsTo(900)
    const kept: Array<string> = []
    const now = rows
      .with(300, row(599, "now"))
      .map((one): Observation => ({ ...one, keep: () => void kept.push(one.providerId) }))
    daysOf(now, settledBy(rows)).divide()
    expect(kept).toEqual(["u599", "u598", "u597"])
  })
})

describe("a day", () => {
  it("is open while a record of it is missed or is not as it was shown", () => {
    const rows = rowsTo(30)
    const held = rows.map(entryOf)
    const others = [
      [...held, { ...entryOf(row(19)), id: "another" }],
      held.with(10, { ...held[10]!, missed: 1 }),
      held.with(10, { ...held[10]!, hash: "other" }),
      held.toSpliced(10, 1)
    ]
    for (const other of others) {
      const before = settledBy(rows, other)
      expect([...before.hashes].filter(([, hash]) => hash === null)).toEqual([[dayAt(6), null]])
      expect(daysOf(rows, before).isUnchanged).toBe(false)
    }
  })

  it("older than what the read proves is left alone while no day differs, and matched otherwise", () => {
    const rows = rowsTo(90)
    const shown = rows.slice(0, 60)
    const before = settledBy(shown, rows.map(entryOf))
    expect(before.hashes.get(dayAt(3))).toBe(notShown)
    expect(daysOf(shown, before).isUnchanged).toBe(true)
    expect(daysOf(shown.with(0, row(89, "now")), before).divide()!.days).toEqual([
      { from: dayAt(0), to: dayAt(9) },
      { from: dayAt(29), to: dayAt(29) }
    ])
    // A read that says that its history begins earlier proves the older days.
    expect(daysOf(shown, before, { ...says, historyFrom: dayAt(2) }).isUnchanged).toBe(false)
    // A pending record counts as missed whatever the read proves.
    const pending = rows.map((one, at) => entryOf({ ...one, pending: at === 89 }))
    expect(settledBy(shown, pending).hashes.get(dayAt(0))).toBeNull()
  })

  it("has the same hash however its rows are parted by those of other days", () => {
    const rows = rowsTo(3).flatMap((one, at) => [one, row(60 + at)])
    const before = settledBy(rows)
    expect(before.hashes.size).toBe(2)
    expect(daysOf(rows, before).isUnchanged).toBe(true)
  })
})

const randomRows = (random: Seeded, areOrdered: boolean): ReadonlyArray<Observation> =>
  Array.from({ length: 1 + random.below(60) }, (_, at) => ({
    providerId: `u${areOrdered ? String(at).padStart(3, "0") : random.below(500)}`,
    pendingProviderId: random.once(20) ? "other" : "",
    date: random.once(20) ? null : dayAt(Math.floor(at / 3)),
    pending: random.once(15),
    hash: `said ${at}`,
    fields: {}
  }))

const writeOf = ({ date, hash, pending, providerId }: Observation, at: number): RecordWrite => ({
  id: `record-${at}`,
  providerId,
  date,
  pending,
  state: "live",
  hash,
  fields: {}
})

/** The hashes where these parts of the rows are written one after the other. */
const writtenBy = (
  rows: ReadonlyArray<Observation>,
  parts: ReadonlyArray<ReadonlyArray<RecordWrite>>,
  areNew: (part: number) => boolean
): ReadonlyMap<unknown, unknown> => {
  const days = daysOf(rows, noDayHashes)
  days.follow(false, [], nothing)
  for (const [n, part] of parts.entries()) days.write([], part, areNew(n))
  return days.changes!.put
}

describe("days that the first read of an account settles", () => {
  it.each([true, false])(
    "are those of its records, whether they are counted or compared (ids in order: %s)",
    (areOrdered) => {
      const random = new Seeded(areOrdered ? 1 : 2)
      for (let round = 0; round < 300; round++) {
        const rows = randomRows(random, areOrdered)
        // Now and then a row makes no record.
        const writes = rows.flatMap((one, at) => (random.once(30) ? [] : [writeOf(one, at)]))
        const cut = random.below(writes.length + 1)
        const parts = [writes.slice(0, cut), writes.slice(cut)]
        const compared = writtenBy(rows, parts, () => false)
        expect(writtenBy(rows, parts, () => true)).toEqual(compared)
        expect(writtenBy(rows, parts, (part) => part === 0)).toEqual(compared)
      }
    }
  )
})
