import { packFields, unpackFields } from "../../src/storage/postgres/record/RecordFields.ts"
import type { Fields, FieldValue } from "@millrace/core/record"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

const names = ["date", "pending", "amount", "creditAmount", "debitAmount", "description", "originalDescription", "type"]
const values: ReadonlyArray<FieldValue> = [
  "",
  "0",
  "-",
  "-1",
  "1",
  "--1",
  "2026-03-14",
  "a",
  '"',
  "\\",
  true,
  false,
  null
]

const stored = (fields: Fields, date: string | null, pending: boolean) => {
  const text = packFields(fields, { date, pending })
  return { text, back: unpackFields(JSON.parse(text), { date, pending }) }
}

describe("RecordFields", () => {
  it("gives back what was stored, whichever fields there are and whatever is in them", () => {
    const random = new Seeded(7)
    for (let n = 0; n < 5_000; n++) {
      const own = [...names, "memo"].filter(() => !random.once(3)).toSorted(() => (random.once(2) ? 1 : -1))
      const fields: Fields = Object.fromEntries(own.map((name) => [name, random.pick(values)]))
      const { back } = stored(fields, random.pick(["2026-03-14", "0", null]), random.once(2))
      expect(back).toEqual(fields)
    }
  })

  it("stores equal fields equally, in whatever order they are given", () => {
    const random = new Seeded(8)
    for (let n = 0; n < 1_000; n++) {
      const own = [...names, ...(random.once(4) ? ["memo"] : [])].filter(() => !random.once(3))
      const fields: Fields = Object.fromEntries(own.map((name) => [name, random.pick(values)]))
      const other: Fields = Object.fromEntries(own.toReversed().map((name) => [name, fields[name]!]))
      expect(stored(other, "2026-03-14", false).text).toBe(stored(fields, "2026-03-14", false).text)
    }
  })

  it("says once what a transaction says twice, and no names", () => {
    const fields = {
      date: "2026-03-14",
      description: "Cafe",
      originalDescription: "Cafe",
      amount: "-12.5",
      creditAmount: "0",
      debitAmount: "12.5",
      pending: false
    }
    expect(stored(fields, "2026-03-14", false).text).toBe('["CEHOPQU",0,"-12.5",0,-2,"Cafe","0",5]')
  })

  it("keeps fields under their names of which one has no code", () => {
    const fields = { amount: "1", memo: "a" }
    expect(stored(fields, null, false).text).toBe(JSON.stringify(fields))
  })

  it("refuses fields of a later version, rather than leaving some out", () => {
    expect(() => unpackFields(["E\u2603", "1", "2"], { date: null, pending: false })).toThrow("later version")
  })
})
