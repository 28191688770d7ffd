import { columnsOf, defaultMappings, valuesOf } from "../../src/destination/Columns.ts"
import { fieldsOf, syncDataTypes } from "../../src/record/DataType.ts"
import { catalogOf } from "../../src/record/FieldCatalog.ts"
import { describe, expect, it } from "vitest"

describe("columns", () => {
  it("are one for each field of a type, under its label and of its type", () => {
    for (const dataType of syncDataTypes) {
      const fieldMappings = defaultMappings(dataType)
      const columns = columnsOf({ dataType, fieldMappings }, catalogOf(dataType))
      expect(columns.map(({ type }) => type)).toEqual(Object.values(fieldsOf[dataType]).map(({ type }) => type))
      expect(columns.map(({ name }) => name)).toEqual(Object.values(fieldsOf[dataType]).map(({ label }) => label))
    }
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
    expect(valuesOf(mappings, { amount: "1", pending: false, category: "FOOD" })).toEqual({
      AMOUNT: "1",
      MERCHANTNAME: null,
      PENDING: false
    })
  })
})
