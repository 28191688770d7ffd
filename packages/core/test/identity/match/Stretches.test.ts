/** What two reads have in common is told without going through their rows. */
import { NodeDigest } from "@millrace/adapters"
import { undatedDay } from "../../../src/identity/match/EpochDays.ts"
import { Blocks } from "../../../src/identity/match/Blocks.ts"
import { DayDigests, isEntangled } from "../../../src/identity/match/DayDigests.ts"
import { ShownRows } from "../../../src/identity/match/ShownRows.ts"
import { blocksApart, decodeStretches, encodeStretches, type Stretch } from "../../../src/identity/match/Stretches.ts"
import { isInParts } from "../../../src/record/IdParts.ts"
import type { IndexEntry } from "../../../src/record/LedgerRecord.ts"
import type { Observation } from "../../../src/record/Observation.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { Digest } from "../../../src/shared/Digest.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const first = CalendarDate.make("2026-01-01")

/** The n-th row, as many as that a day. */
const row = (n: number, said = "as ever", perDay = 3): Observation => ({
  providerId: `u${n}`,
  pendingProviderId: "",
  date: CalendarDate.addDays(first, Math.floor(n / perDay)),
  pending: false,
  hash: `${n} ${said}`,
  fields: {}
})

/** The newest first. */
const rowsTo = (count: number, perDay = 3): Array<Observation> =>
  Array.from({ length: count }, (_, at) => row(count - 1 - at, "as ever", perDay))

const entryOf = ({ date, hash, pending, providerId }: Observation): IndexEntry => ({
  id: `record-${providerId}`,
  providerId,
  date,
  pending,
  state: "live",
  hash,
  missed: 0
})

const says = { removed: new Set<string>() }
const nothing = { changed: [], missed: [], seenAgain: [] } as never

const shownOf = (rows: ReadonlyArray<Observation>, contentHash: (text: string) => string): ShownRows => {
  const shown = new ShownRows(contentHash)
  for (const one of rows) shown.add(one)
  return shown
}

/** What is kept of a read that was matched whole. */
const settledBy = (rows: ReadonlyArray<Observation>, contentHash: (text: string) => string): string => {
  const digests = new DayDigests(undefined, shownOf(rows, contentHash), says, contentHash)
  digests.show(rows)
  digests.follow(false, rows.map(entryOf), nothing)
  return digests.text!
}

describe("stretches of a read", () => {
  it("come back from their text, but for those of undated rows", () => {
    const random = new Seeded(3)
    for (let round = 0; round < 200; round++) {
      const stretches = Array.from({ length: random.below(20) }, (_, at): Stretch => {
        const day = random.once(10) ? undatedDay : random.below(40_000) - 20_000
        return { digest: `d${at}`, first: day, last: day === undatedDay ? day : day + random.below(900) }
      })
      expect(decodeStretches(encodeStretches(stretches))).toEqual(stretches.filter((one) => one.first !== undatedDay))
    }
  })

  it("are mostly the same where rows are added at either end", () => {
    const { contentHash } = digest
    const before = new Set(shownOf(rowsTo(600), contentHash).stretches.map((one) => one.digest))
    const more = rowsTo(605)
    more.pop()
    const now = shownOf(more, contentHash).stretches
    expect(before.size).toBeGreaterThan(15)
    expect(now.filter((one) => !before.has(one.digest)).length).toBeLessThanOrEqual(3)
  })

  it("say of which blocks one of two reads shows something else, whichever it is", () => {
    const blocks = Blocks.parse("4/1")
    const one = [
      { digest: "a", first: 10, last: 19 },
      { digest: "b", first: 20, last: 29 }
    ]
    const other = [
      { digest: "b", first: 20, last: 29 },
      { digest: "c", first: 40, last: 43 }
    ]
    for (const [before, now] of [
      [one, other],
      [other, one]
    ] as const) {
      expect([...blocksApart(before, now, blocks, 100)!].toSorted((a, b) => a - b)).toEqual([2, 3, 4, 10])
    }
    expect(blocksApart(one, one, blocks, 100)).toEqual(new Set())
    expect(blocksApart(one, other, blocks, 3)).toBeUndefined()
  })
})

describe("a read that shows few rows otherwise", () => {
  it("digests the blocks around them, and finds those that are others", () => {
    const { contentHash } = digest
    const rows = rowsTo(900)
    const kept = settledBy(rows, contentHash)
    let hashed = 0
    const counted = (text: string) => {
      hashed++
      return contentHash(text)
    }
    const now = rows.with(300, row(599, "now"))
    const digests = new DayDigests(kept, shownOf(now, contentHash), says, counted)
    digests.show(now)
    const divided = digests.divide()!
    expect(divided.open).toEqual(now.slice(300, 303))
    expect(divided.settled.length).toBe(897)
    expect(hashed).toBeLessThan(20)
  })

  it("has at hand what the rows of those blocks say, and of no others", () => {
    const { contentHash } = digest
    for (const perDay of [3, 100]) {
      const rows = rowsTo(2_000, perDay)
      const kept: Array<Observation> = []
      const now = rows.with(1_000, row(999, "now", perDay)).map((one) => {
        const watched: Observation = { ...one, keep: () => void kept.push(watched) }
        return watched
      })
      const digests = new DayDigests(settledBy(rows, contentHash), shownOf(now, contentHash), says, contentHash)
      digests.show(now)
      expect(kept).toEqual(digests.divide()!.open)
    }
  })

  it("looks at some rows of a day with many, and at no records of the others", () => {
    const { contentHash } = digest
    const rows = rowsTo(2_000, 100)
    const now = rows.with(1_000, row(999, "now", 100))
    const digests = new DayDigests(settledBy(rows, contentHash), shownOf(now, contentHash), says, contentHash)
    digests.show(now)
    const divided = digests.divide()!
    expect(divided.open).toContain(now[1_000])
    expect(divided.open.length).toBeLessThan(25)
    const [day, ...others] = divided.days
    expect([day!.from, day!.to, others]).toEqual([now[1_000]!.date, now[1_000]!.date, []])
    const held = rows.filter(({ date, providerId }) => date === day!.from && isInParts(day!.idParts!, providerId))
    expect(held.map(({ providerId }) => providerId)).toEqual(divided.open.map(({ providerId }) => providerId))
    expect(isEntangled(divided, held.map(entryOf))).toBe(false)
  })

  it("looks at a block of which a row is gone, though all that it shows of it is known", () => {
    const { contentHash } = digest
    const rows = rowsTo(900)
    const kept = settledBy(rows, contentHash)
    const gone = shownOf(rows, contentHash).stretches[5]!
    const now = rows.filter(({ date }) => {
      const day = CalendarDate.toEpochDay(date!)
      return day < gone.first || day > gone.last
    })
    const digests = new DayDigests(kept, shownOf(now, contentHash), says, contentHash)
    digests.show(now)
    const { days, open } = digests.divide()!
    expect(open).toEqual([])
    expect(days).toEqual([{ from: CalendarDate.fromEpochDay(gone.first), to: CalendarDate.fromEpochDay(gone.last) }])
  })

  it("finds one beside a row without a day", () => {
    const { contentHash } = digest
    const undated: Observation = { ...row(0), providerId: "undated", date: null }
    const rows = rowsTo(300).toSpliced(150, 0, undated)
    for (const at of [149, 151]) {
      const now = rows.with(at, { ...rows[at]!, hash: "now" })
      const digests = new DayDigests(settledBy(rows, contentHash), shownOf(now, contentHash), says, contentHash)
      digests.show(now)
      const { open } = digests.divide()!
      expect(open).toContain(now[at])
      expect(open).toContain(undated)
    }
  })

  it("takes nothing for known that was settled under another configuration", () => {
    const { contentHash } = digest
    const rows = rowsTo(300)
    const kept = settledBy(rows, contentHash)
    const digests = new DayDigests(kept, shownOf(rows, contentHash), says, (text) => contentHash(`other ${text}`))
    digests.show(rows)
    expect(digests.isUnchanged).toBe(false)
    expect(digests.divide()!.settled).toEqual([])
  })
})

const digest = Effect.runSync(Effect.provide(Digest, NodeDigest.layer))
