/** What is settled by records that a read makes is what would be settled had each of them been held and compared. */
import { NodeDigest } from "@millrace/adapters"
import { DayDigests } from "../../../src/identity/match/DayDigests.ts"
import { ShownRows } from "../../../src/identity/match/ShownRows.ts"
import type { RecordWrite } from "../../../src/record/LedgerRecord.ts"
import type { Observation } from "../../../src/record/Observation.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { Digest } from "../../../src/shared/Digest.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const { contentHash } = Effect.runSync(Effect.provide(Digest, NodeDigest.layer))
const first = CalendarDate.make("2026-01-01")
const says = { removed: new Set<string>() }

const rowsOf = (random: Seeded, areOrdered: boolean): ReadonlyArray<Observation> =>
  Array.from({ length: 1 + random.below(60) }, (_, at) => ({
    providerId: `u${areOrdered ? String(at).padStart(3, "0") : random.below(500)}`,
    pendingProviderId: random.once(20) ? "other" : "",
    date: random.once(20) ? null : CalendarDate.addDays(first, Math.floor(at / 3)),
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

/** What is kept where these parts of the rows are written one after the other. */
const settledBy = (
  rows: ReadonlyArray<Observation>,
  parts: ReadonlyArray<ReadonlyArray<RecordWrite>>,
  areNew: (part: number) => boolean
): string => {
  const shown = new ShownRows(contentHash)
  for (const row of rows) shown.add(row)
  const digests = new DayDigests(undefined, shown, says, contentHash)
  digests.show(rows)
  digests.follow(false, [], { changed: [], missed: [], seenAgain: [] } as never)
  for (const [n, part] of parts.entries()) digests.write([], part, areNew(n))
  return digests.text!
}

describe("days that the first read of an account settles", () => {
  it.each([true, false])(
    "are those of its records, whether they are counted or compared (ids in order: %s)",
    (areOrdered) => {
      const random = new Seeded(areOrdered ? 1 : 2)
      for (let round = 0; round < 300; round++) {
        const rows = rowsOf(random, areOrdered)
        // Now and then a row makes no record.
        const writes = rows.flatMap((row, at) => (random.once(30) ? [] : [writeOf(row, at)]))
        const cut = random.below(writes.length + 1)
        const parts = [writes.slice(0, cut), writes.slice(cut)]
        const compared = settledBy(rows, parts, () => false)
        expect(settledBy(rows, parts, () => true)).toBe(compared)
        expect(settledBy(rows, parts, (part) => part === 0)).toBe(compared)
      }
    }
  )
})
