import { fold, foldBeyondAscii } from "../../src/text/Fold.ts"
import { comparePoints, containing, equalsFolded, mayContain, oneOfFolded } from "../../src/filter/FoldedText.ts"
import { plainFold, Seeded } from "@millrace/testing/model"
import { expect, it } from "vitest"

const parts = [
  "a",
  "A",
  "b",
  "e",
  "É",
  "\u0301",
  "ß",
  "ẞ",
  "ss",
  "S",
  "ſ",
  "K",
  "\u212a",
  "k",
  "ﬁ",
  "ff",
  "ﬀ",
  "i",
  "İ",
  "ı",
  "ŉ",
  "ǰ",
  "ẚ",
  " ",
  "  ",
  "\t",
  "\u00a0",
  "\u2003",
  "Σ",
  "ς",
  "ÿ",
  "µ",
  "😀",
  "\ufeff",
  ";",
  "\u037e",
  "`",
  "\u1fef",
  "\u0130\u0301"
]
const random = new Seeded(20_267)
const text = (most: number): string => random.list(0, most, () => random.pick(parts)).join("")

it("folds every text as the plain form does", () => {
  for (let n = 0; n < 50_000; n++) {
    const given = text(6)
    if (fold(given) !== plainFold(given)) expect([given, fold(given)]).toEqual([given, plainFold(given)])
  }
  for (let point = 0; point < 0x1_10_00; point++) {
    if (point >= 0xd8_00 && point < 0xe0_00) continue
    const given = String.fromCodePoint(point)
    if (fold(given) !== plainFold(given)) expect([point, fold(given)]).toEqual([point, plainFold(given)])
  }
})

const lowered = (given: string) => given.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

it("keeps folded text only where it is more than ASCII letters in lower case", () => {
  let kept = 0
  for (let n = 0; n < 50_000; n++) {
    const given = text(6)
    const beyond = foldBeyondAscii(given)
    if (beyond !== undefined) kept++
    const expected = plainFold(given) === lowered(given) ? undefined : plainFold(given)
    if (beyond !== expected) expect([given, beyond]).toEqual([given, expected])
  }
  expect(kept).toBeGreaterThan(10_000)
  expect(kept).toBeLessThan(50_000)
})

it("finds, compares and orders as if all text had been folded first", () => {
  let found = 0
  let ruledOut = 0
  for (let n = 0; n < 50_000; n++) {
    const given = text(6)
    const literal = plainFold(text(3))
    const folded = plainFold(given)
    const contains = containing(literal)(given)
    const answers = [contains, equalsFolded(given, literal), oneOfFolded([literal, "x"])(given)]
    const expected = [folded.includes(literal), folded === literal, folded === literal || folded === "x"]
    if (answers.join() !== expected.join())
      expect({ given, literal, answers }).toEqual({ given, literal, answers: expected })
    if (contains && literal !== "") found++
    const may = mayContain(literal)?.test(given) ?? true
    if (!may) ruledOut++
    if (contains && !may) expect({ given, literal, may }).toEqual({ given, literal, may: true })
  }
  expect(found).toBeGreaterThan(2_000)
  expect(ruledOut).toBeGreaterThan(500)
})

it("orders by code points, in which letters beyond the first plane come last", () => {
  const letters = ["", "a", "a\u0000", "z", "é", "\ud7ff", "\ue000", "\uffff", "😀", "\u{10ffff}"]
  for (const [at, low] of letters.entries())
    for (const high of letters.slice(at + 1)) {
      expect(comparePoints(low, high)).toBeLessThan(0)
      expect(comparePoints(high, low)).toBeGreaterThan(0)
    }
  expect(comparePoints("é", "é")).toBe(0)
})
