import { columnsOf, defaultMappings, valuesOf } from "../../src/destination/Columns.ts"
import { catalogOfFeed, type ExtractionConfig } from "../../src/feed/Extraction.ts"
import { dataTypes, fieldsOf } from "../../src/record/DataType.ts"
import { catalogOf } from "../../src/record/FieldCatalog.ts"
import { describe, expect, it } from "vitest"

describe("columns", () => {
  it("are one for each field of a type, under its label and of its type", () => {
    for (const dataType of dataTypes) {
      const feed = { dataType, fieldMappings: defaultMappings({ dataType }) }
      const columns = columnsOf(feed, catalogOfFeed(feed))
      const fields = Object.values(fieldsOf[dataType]).filter(({ item }) => item !== true)
      expect(columns.map(({ type }) => type)).toEqual(fields.map(({ type }) => type))
      expect(columns.map(({ name }) => name)).toEqual(fields.map(({ label }) => label))
    }
  })

  it("have those of items where each is a row, and those that the feed declares", () => {
    const extractionConfig: ExtractionConfig = {
      extractionFields: [
        { key: "net", name: "Net", type: "currency" },
        { key: "due", name: "Date", type: "date" },
        { key: "vat_rate", name: "VAT", type: "number", isItemField: true }
      ],
      itemizePerRow: false
    }
    const whole = { dataType: "receipts", extractionConfig } as const
    const names = defaultMappings(whole).map(({ destinationField }) => destinationField)
    expect(names).toContain("Net")
    // The receipt has a date of its own.
    expect(names.filter((name) => name === "Date" || name === "due")).toEqual(["Date", "due"])
    expect(names.filter((name) => name.startsWith("Item") || name === "VAT")).toEqual([])
    const itemized = { ...whole, extractionConfig: { ...extractionConfig, itemizePerRow: true } }
    const feed = { ...itemized, fieldMappings: defaultMappings(itemized) }
    const columns = columnsOf(feed, catalogOfFeed(feed)).map(({ label, type }) => `${label} ${type}`)
    expect(columns).toEqual(expect.arrayContaining(["Item Amount num", "VAT num", "Net num", "Date date"]))
  })

  it("know the mark of removed rows, fields of enrichments, and text for what nobody declared", () => {
    const fieldMappings = ["removed", "cost_centre", "score", "amount"].map((sourceField) => ({
      sourceField,
      destinationField: `d_${sourceField}`
    }))
    const catalog = new Map([...catalogOf("transactions"), ["score", "num"] as const])
    const columns = columnsOf({ dataType: "transactions", fieldMappings }, catalog)
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ["d_removed", "bool"],
      ["d_cost_centre", "str"],
      ["d_score", "num"],
      ["d_amount", "num"]
    ])
    expect(columns.map(({ label }) => label)).toEqual(["d_removed", "d_cost_centre", "d_score", "Amount"])
  })
})

describe("valuesOf", () => {
  it("writes mapped fields only, and clears what is not known", () => {
    const mappings = ["amount", "merchantName", "pending"].map((sourceField) => ({
      sourceField,
      destinationField: sourceField.toUpperCase()
    }))
    expect(valuesOf(mappings, { amount: "1", pending: false, category: "FOOD" }, false)).toEqual({
      AMOUNT: "1",
      MERCHANTNAME: null,
      PENDING: false
    })
  })
})
