import type { Fields } from "../../src/record/FieldValue.ts"
import { contentOf, fieldsFrom, joined, parted, rowPlan } from "../../src/sync/RowText.ts"
import { takeIn } from "../../src/sync/Ingest.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"

const texts = ["", "Café", "a\tb\nc", "…\u001c\u001d\u001e\u001f\u0000 ends", '"quoted" \\ and 😀', "x".repeat(400)]

const ends: ReadonlySet<string> = new Set(["\u0000", "\u001c", "\u001d", "\u001e", "\u001f"])

const clean = (text: string): string => Array.from(text, (sign) => (ends.has(sign) ? "" : sign)).join("")

const textOf = (...given: Parameters<typeof takeIn>): string => {
  const taken = takeIn(...given)
  return "quarantined" in taken ? expect.fail(taken.quarantined.reason) : taken.text
}

describe("what rows say, as text", () => {
  it("comes back as fields, in the order of their type", () => {
    const random = new Seeded(7)
    const maybe = (key: string, value: string): Fields => (random.below(2) === 0 ? {} : { [key]: value })
    const rows = Array.from({ length: 500 }, (_, n) => {
      const pending = random.below(3) === 0
      const description = `${n} ${random.pick(texts)}`
      const originalDescription = random.pick(texts)
      const amount = `${random.pick(["", "-"])}${1 + random.below(900)}.5`
      const others = { ...maybe("merchantName", `m${random.pick(texts)}`), ...maybe("reference", `${n}`) }
      const fields = { date: "2026-03-14", description, originalDescription, amount, currency: "USD", ...others }
      const size = amount.replace("-", "")
      const expected: Fields = {
        date: "2026-03-14",
        description: clean(description).trim(),
        originalDescription: clean(originalDescription).trim(),
        amount,
        creditAmount: amount === size ? size : "0",
        debitAmount: amount === size ? "0" : size,
        currency: "USD",
        pending,
        category: "UNCATEGORIZED",
        type: "OTHER",
        reference: "",
        ...Object.fromEntries(Object.entries(others).map(([key, value]) => [key, clean(String(value)).trim()]))
      }
      return { fields, pending, expected }
    })
    const said = rows.map(({ fields, pending }, n) =>
      textOf("transactions", { providerAccountId: "a", providerId: String(n), pending, fields })
    )
    const plan = rowPlan("transactions", {})
    const order = new Map(Object.keys(plan.record).map((_, n) => [plan.record[n]!.key, n]))
    parted(joined(said)).forEach((text, n) => {
      const fields = fieldsFrom(plan, text)
      expect(fields).toEqual(rows[n]!.expected)
      const own = Object.keys(fields).filter((key) => order.has(key))
      expect(own).toEqual(own.toSorted((a, b) => order.get(a)! - order.get(b)!))
    })
  })

  it("has the items of a document besides what is hashed of them", () => {
    const items = [{ itemName: "Tea" }, { itemName: "Bread" }]
    const observed = {
      providerAccountId: "a",
      providerId: "1",
      pending: false,
      fields: { total: "3", currency: "EUR" }
    }
    const text = textOf("receipts", { ...observed, items })
    const plan = rowPlan("receipts", {})
    const fields = fieldsFrom(plan, text)
    expect(JSON.parse(String(fields["items"]))).toHaveLength(2)
    const { items: _, ...others } = fields
    expect(others).toEqual(fieldsFrom(plan, textOf("receipts", observed)))
    expect(contentOf(text)).not.toContain(String(fields["items"]))
    expect(contentOf(text)).toContain("Bread")
  })

  it("is not taken for that of another type", () => {
    expect(() => fieldsFrom(rowPlan("transactions", {}), "\u001f1\u001f2")).toThrow("came back as 2")
  })
})
