import { NodeDigest } from "@millrace/adapters"
import { Digest } from "../../src/shared/Digest.ts"
import { rowForm, takeIn, TakenRow } from "../../src/sync/Ingest.ts"
import { headsText, SpooledRows } from "../../src/sync/SpooledRows.ts"
import { joined } from "../../src/sync/RowText.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const digest = Effect.runSync(Digest.pipe(Effect.provide(NodeDigest.layer)))
const form = rowForm("transactions", digest)

const rowOf = (n: number): TakenRow => {
  const description = `Row ${n}`
  const taken = takeIn("transactions", {
    providerAccountId: "a",
    providerId: `r${n}`,
    pending: false,
    fields: { date: "2026-03-14", description, originalDescription: description, amount: "1", currency: "USD" }
  })
  return "quarantined" in taken ? expect.fail(taken.quarantined.reason) : new TakenRow(taken, form)
}

/** Parts of ten rows each, and how often what one says was unpacked. */
const arrange = (parts: number) => {
  const aside = new SpooledRows(form)
  let unpacked = 0
  for (let part = 0; part < parts; part++) {
    const rows = Array.from({ length: 10 }, (_, n) => rowOf(part * 10 + n))
    const texts = joined(rows.map(({ text }) => text))
    aside.add(headsText(rows), () => {
      unpacked++
      return texts
    })
  }
  return { rows: aside.rows, unpacked: () => unpacked }
}

describe("rows on their way back", () => {
  it("unpack nothing for ids, days and statuses", () => {
    const { rows, unpacked } = arrange(5)
    expect(rows.map(({ date, pending, providerId }) => `${providerId} ${date} ${pending}`)).toEqual(
      Array.from({ length: 50 }, (_, n) => `r${n} 2026-03-14 false`)
    )
    expect(unpacked()).toBe(0)
  })

  it("have the hashes that they had", () => {
    const { rows, unpacked } = arrange(2)
    expect(rows.map(({ hash }) => hash)).toEqual(Array.from({ length: 20 }, (_, n) => rowOf(n).hash))
    expect(unpacked()).toBe(2)
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

  it("have what they say at hand where they were kept while it was", () => {
    const { rows, unpacked } = arrange(5)
    for (const row of rows) row.keep!()
    for (const [n, { content, fields, hash }] of rows.entries()) {
      const one = rowOf(n)
      expect({ content, fields, hash }).toEqual({ content: one.content, fields: one.fields, hash: one.hash })
    }
    expect(unpacked()).toBe(5)
  })

  it("stay with whoever goes to and fro", () => {
    const { rows, unpacked } = arrange(5)
    for (let times = 0; times < 100; times++) {
      for (const at of [0, 10, 20, 30, 40]) expect(rows[at]!.fields["description"]).toBe(`Row ${at}`)
    }
    expect(unpacked()).toBeLessThanOrEqual(20)
  })
})
