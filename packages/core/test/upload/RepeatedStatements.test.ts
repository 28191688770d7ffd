/** MT940 statements that come again: under another name, in another form, or beside the next one. */
import { Seeded } from "@millrace/testing/model"
import * as Decimal from "../../src/shared/Decimal.ts"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openLedger, runJob, scene } from "./Uploading.ts"

interface Statement {
  readonly number: number
  readonly text: string
}

const cents = (amount: number): string => Decimal.padded(Decimal.fromUnits(BigInt(amount), 2), 2).replace(".", ",")

/** Statements of consecutive days, each with rows of few amounts, so that many are equal. */
const statements = (
  random: Seeded,
  withIds: boolean
): { readonly files: ReadonlyArray<Statement>; readonly rows: number } => {
  let [balance, rows] = [100_000, 0]
  const files = [7, 8, 9].map((number): Statement => {
    const day = `2401${String(number).padStart(2, "0")}`
    const opening = balance
    const lines = random.list(1, 5, () => {
      const amount = random.pick([200, 290, 1_000])
      balance -= amount
      const id = withIds ? `REF${++rows}` : (rows++, "NONREF")
      return `:61:${day}${day.slice(2)}D${cents(amount)}NMSC${id}\n:86:${random.pick(["PARKEN", "METRO"])}`
    })
    const text = [
      `:20:STMT${number}`,
      ":25:37040044/0532013000",
      `:28C:${number}/1`,
      `:60F:C${day}EUR${cents(opening)}`,
      ...lines,
      `:62F:C${day}EUR${cents(balance)}`,
      "-"
    ].join("\n")
    return { number, text }
  })
  return { files, rows }
}

const repeats: Readonly<Record<string, (files: ReadonlyArray<Statement>) => ReadonlyArray<string>>> = {
  "as it was": (files) => files.map(({ text }) => text),
  "with a line end more": (files) => files.map(({ text }) => `${text}\n`),
  "with other line ends": (files) => files.map(({ text }) => text.replaceAll("\n", "\r\n")),
  "with another reference of the file": (files) => files.map(({ text }) => text.replace(":20:STMT", ":20:AGAIN")),
  "in one file with the others": (files) => [files.map(({ text }) => text).join("\n")],
  "beside the next one": (files) => files.slice(1).map(({ text }, at) => `${files[at]!.text}\n${text}`),
  "in small letters": (files) =>
    files.map(({ text }) => text.replaceAll("PARKEN", "Parken").replaceAll("METRO", "Metro"))
}

describe("MT940 statements that come again", () => {
  for (const [way, repeated] of Object.entries(repeats)) {
    for (const withIds of [true, false]) {
      for (const sameName of [true, false]) {
        const named = sameName ? "under its name" : "under another name"
        scene(`double nothing: ${way}, ${withIds ? "with" : "without"} ids, ${named}`, () =>
          Effect.gen(function* () {
            const random = new Seeded(27)
            const ledger = yield* openLedger
            const { files, rows } = statements(random, withIds)
            const take = Effect.fnUntraced(function* (text: string, fileName: string) {
              const { created } = yield* ledger.add(text, fileName)
              if (created) expect((yield* runJob(ledger.feed.id)).errors).toEqual([])
            })
            for (const { number, text } of files) yield* take(text, `statement-${number}.sta`)
            const before = yield* ledger.rows
            expect(before.size).toBe(rows)
            for (const [at, text] of repeated(files).entries()) {
              yield* take(text, sameName ? `statement-${files[at]!.number}.sta` : `again-${at}.sta`)
            }
            expect(yield* ledger.rows).toEqual(before)
          })
        )
      }
    }
  }
})
