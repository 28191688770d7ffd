import { blankOf } from "../../src/record/BlankFields.ts"
import { describe, expect, it } from "vitest"

describe("BlankFields", () => {
  it("has every key in the order given, whatever they are called, and no values", () => {
    const keys = [
      "Date",
      "",
      "__proto__",
      "constructor",
      "b",
      "a",
      ...Array.from({ length: 40 }, (_, n) => `Field ${n}`)
    ]
    const fields = blankOf(keys)()
    expect(Object.keys(fields)).toEqual(keys)
    expect(Object.values(fields).every((value) => value === null)).toBe(true)
    fields["__proto__"] = "own"
    expect(JSON.stringify(fields)).toContain('"__proto__":"own"')
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
  })

  it("makes objects of their own", () => {
    const blank = blankOf(["a", "b"])
    const one = blank()
    one["a"] = "1"
    expect(blank()).toEqual({ a: null, b: null })
    expect(one).toEqual({ a: "1", b: null })
  })
})
