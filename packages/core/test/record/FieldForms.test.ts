import { hasJust, ofForms } from "../../src/record/FieldForms.ts"
import { describe, expect, it } from "vitest"

describe("FieldForms", () => {
  it("says whether an object has just these keys in this order", () => {
    expect(hasJust({ a: 1, b: 2 }, ["a", "b"])).toBe(true)
    expect(hasJust({}, [])).toBe(true)
    for (const keys of [["b", "a"], ["a"], ["a", "b", "c"], ["a", "c"]])
      expect(hasJust({ a: 1, b: 2 }, keys)).toBe(false)
  })

  it("works out each form once, and however many there are", () => {
    let made = 0
    const formOf = ofForms((keys) => ({ keys, no: made++ }))
    const [ab, ba, abAgain] = [formOf({ a: 1, b: 1 }), formOf({ b: 1, a: 1 }), formOf({ a: 2, b: 2 })]
    expect(ab).toBe(abAgain)
    expect(ba.keys).toEqual(["b", "a"])
    expect(made).toBe(2)
    for (let n = 0; n < 3_000; n++) expect(formOf({ [`f${n}`]: 1 }).keys).toEqual([`f${n}`])
  })
})
