import type { Observation } from "../../src/record/Observation.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { FieldTexts } from "../../src/sync/FieldTexts.ts"
import { headsText, RowsAside } from "../../src/sync/RowsAside.ts"
import { describe, expect, it } from "@effect/vitest"

const rowOf = (n: number): Observation => ({
  providerId: `r${n}`,
  pendingProviderId: "",
  pending: false,
  date: CalendarDate.make("2026-03-14"),
  hash: `h${n}`,
  fields: { description: `Row ${n}` }
})

/** Parts of ten rows each, and how often the fields of one were unpacked. */
const arrange = (parts: number) => {
  const form = new FieldTexts()
  const aside = new RowsAside(form)
  let unpacked = 0
  for (let part = 0; part < parts; part++) {
    const rows = Array.from({ length: 10 }, (_, n) => rowOf(part * 10 + n))
    const texts = FieldTexts.joined(rows.map(({ fields }) => form.write(fields)))
    aside.add(headsText(rows), () => {
      unpacked++
      return texts
    })
  }
  return { rows: aside.rows, unpacked: () => unpacked }
}

describe("rows on their way back", () => {
  it("unpack no fields for what ids are asked for", () => {
    const { rows, unpacked } = arrange(5)
    expect(rows.map(({ hash, providerId }) => `${providerId} ${hash}`)).toEqual(
      Array.from({ length: 50 }, (_, n) => `r${n} h${n}`)
    )
    expect(unpacked()).toBe(0)
  })

  it("unpack each part once for whoever goes through them in their order", () => {
    const { rows, unpacked } = arrange(5)
    expect(rows.map(({ fields }) => fields["description"])).toEqual(Array.from({ length: 50 }, (_, n) => `Row ${n}`))
    expect(unpacked()).toBe(5)
  })

  it("let go of parts that were gone through: they are unpacked again for whoever comes back", () => {
    const { rows, unpacked } = arrange(5)
    for (const { fields } of rows) expect(fields).toBeDefined()
    expect(rows[0]!.fields["description"]).toBe("Row 0")
    expect(unpacked()).toBe(6)
  })

  it("stay with whoever goes to and fro", () => {
    const { rows, unpacked } = arrange(5)
    for (let times = 0; times < 100; times++) {
      for (const at of [0, 10, 20, 30, 40]) expect(rows[at]!.fields["description"]).toBe(`Row ${at}`)
    }
    expect(unpacked()).toBeLessThanOrEqual(20)
  })
})
