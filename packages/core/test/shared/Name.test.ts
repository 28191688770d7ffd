import { limits } from "../../src/shared/Limits.ts"
import { nameFault } from "../../src/shared/Name.ts"
import { describe, expect, it } from "vitest"

const most = `must have 1 to ${limits.nameLength} characters`

describe("nameFault", () => {
  it.each(["A", " a ", "日本", "👩‍👩‍👧‍👦", "a\tb", "e\u0301", "\u200bx"])("takes %j", (name) => {
    expect(nameFault(name)).toBeUndefined()
  })

  it.each([" ", "\t\u00a0\u3000", "\u200b", "\u2060\ufeff ", "\u3164", "\n"])(
    "refuses %j, of which nothing is seen",
    (name) => {
      expect(nameFault(name)).toBe("must not be blank")
    }
  )

  it.each(["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"])("refuses the line break %j", (lineBreak) => {
    expect(nameFault(`a${lineBreak}b`)).toBe("must not hold line breaks")
    expect(nameFault(`a${lineBreak}`)).toBe("must not hold line breaks")
  })

  it("counts code points, whatever they take to be stored", () => {
    for (const letter of ["a", "ß", "日", "😀"]) {
      expect(nameFault(letter.repeat(limits.nameLength))).toBeUndefined()
      expect(nameFault(letter.repeat(limits.nameLength + 1))).toBe(most)
    }
    expect(nameFault("")).toBe(most)
    expect(nameFault("x".repeat(10_000_000))).toBe(most)
  })
})
