/** Random sets and orders of files over one true account (decision 54). */
import { Seeded } from "@millrace/testing/model"
import { casesOf, seedsOf } from "@millrace/verification/cases/Cases"
import { playedApart } from "@millrace/verification/quality/identity/DatedApart"
import { bookingsOf } from "@millrace/verification/quality/identity/TwoSources"
import { reworded } from "@millrace/verification/quality/identity/Rewording"
import {
  downloadsOf,
  layouts,
  outcomeOf,
  readOf,
  type Layout
} from "@millrace/verification/quality/identity/StatementFiles"
import { describe, expect, it } from "vitest"

const shuffled = <A>(random: Seeded, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => ({ one, at: random.below(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)

const names = ["CAFÉ NORTH", "KIOSK AMBER", "METRO FARE", "BAKERY CEDAR", "MARKET HARBOUR"]

const played = (seed: number, layout: Layout, isPlain: boolean) => {
  const random = new Seeded(seed)
  const bookings = bookingsOf(random, { days: 40 })
  const textOf = ({ merchant }: { readonly merchant: number }): string => {
    const name = names[merchant % names.length]!
    return isPlain ? name : reworded(random, name)
  }
  const downloads = downloadsOf(random, bookings, () => layout)
  // Some are downloaded again, and one of another format shows everything.
  const again = downloads.filter(() => random.once(4))
  const other = layouts.find(({ name }) => name === "QIF")!
  const whole = random.once(2) ? [{ layout: other, from: 0, to: bookings.length }] : []
  const reads = [...downloads, ...again, ...whole].map((one, n) => readOf(bookings, one, n, textOf))
  // Of the file of another format nothing is proven.
  const isProven = whole.length === 0 && (layout.balances !== "none" || layout.ids === "stable")
  return [1, 2, 3].map((order) => ({
    ...outcomeOf(bookings, shuffled(new Seeded(seed * 10 + order), reads), 50),
    isProven
  }))
}

describe("files of one account in any order, some of them again", () => {
  for (const layout of layouts) {
    it.each([true, false])(
      `of ${layout.name} give its rows, none twice and no twin lost (as written: %s)`,
      (isPlain) => {
        for (const seed of seedsOf(casesOf({ short: 3, long: 60 }))) {
          for (const { doubled, doubledSilently, isProven, lost, lostSilently } of played(seed, layout, isPlain)) {
            expect([seed, doubledSilently, lostSilently]).toEqual([seed, 0, 0])
            if (isProven) expect([seed, doubled, lost]).toEqual([seed, 0, 0])
          }
        }
      }
    )
  }
})

describe("files of a quiet account that date everything some days later than its connection", () => {
  // Some that once doubled a row: at the first day of a file, and where equal amounts taught that two texts are one.
  const known = [7, 8, 13, 56, 123, 139, 253]

  it.each([1, 2, 3])("confirm its rows, none twice: %i days later", (days) => {
    for (const seed of [...known, ...seedsOf(casesOf({ short: 5, long: 300 }))]) {
      const { doubled, lost } = playedApart(seed, { isQuiet: true, days: () => () => days })
      expect([seed, doubled, lost]).toEqual([seed, 0, 0])
    }
  })
})
