import { coded, fieldCode, fieldName, named, storedKey } from "../../src/record/FieldCodes.ts"
import { fieldsOf } from "../../src/record/DataType.ts"
import { fieldKeyForm } from "../../src/table/Table.ts"
import { describe, expect, it } from "vitest"

const names = [...new Set(Object.values(fieldsOf).flatMap((specs) => Object.keys(specs)))]

describe("FieldCodes", () => {
  it("has a code of one character for each field of every data type, which is no key of a field", () => {
    const codes = names.map((name) => fieldCode(name) ?? "")
    expect(codes.filter((code) => code.length !== 1 || fieldKeyForm.test(code))).toEqual([])
    expect(new Set(codes).size).toBe(names.length)
    expect(codes.map(fieldName)).toEqual(names)
  })

  it("leaves codes free of what ends a text in JSON or in a statement, and of what objects take for a place", () => {
    const unfit = names.filter((name) => /["'\\\d]/.test(storedKey(name)))
    expect(unfit).toEqual([])
  })

  it("gives cells back under their names in the order in which they came, whatever they are called", () => {
    const cells = { constructor: "a", amount: "-1", memo: null, date: "2026-01-01", toString: true, x: ["y"] }
    const stored = coded<unknown>(cells)
    expect(Object.keys(stored)).toEqual(["constructor", "E", "memo", "C", "toString", "x"])
    expect(named(stored)).toEqual(cells)
    expect(Object.keys(named(stored))).toEqual(Object.keys(cells))
  })

  it("leaves cells under their names that were stored under them", () => {
    const cells = { amount: "-1", memo: null }
    expect(named(cells)).toEqual(cells)
    expect(named({ amount: "-1", C: "2026-01-01" })).toEqual({ amount: "-1", date: "2026-01-01" })
  })
})
