import { similarity, wordsOf } from "../../src/text/Similarity.ts"
import { merchantKey, readText, textKey } from "../../src/text/TextKey.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

describe("textKey", () => {
  it.each([
    ["BISTRO LUNE BERLIN", "bistro lune berlin"],
    ["  Bistro\tLune ", "bistro lune"],
    ["SQ *BISTRO LUNE", "bistro lune"],
    ["POS DEBIT VISA BISTRO LUNE 12/03 14:32 CARD", "bistro lune card"],
    ["Kartenzahlung girocard BISTRO LUNE 2026-03-12", "bistro lune"],
    ["PAIEMENT PAR CARTE CAFÉ DÉMO", "cafe demo"],
    ["DIRECT DEBIT LAMP & SONS", "lamp & sons"],
    ["Zoë's Café №5", "zoe's cafe no5"],
    ["ｆｕｌｌ ｗｉｄｔｈ", "full width"],
    ["STRASSE straße", "strasse strasse"],
    ["LAMP STORE XXXX1234", "lamp store"],
    ["LAMP STORE ****1234 AUTH 998877", "lamp store"],
    ["LAMP STORE AB12C3 REF 00123456", "lamp store"],
    ["LAMP STORE 12MAR", "lamp store"],
    ["LAMP STORE MAR 12", "lamp store"],
    ["LAMP STORE 555 123 456", "lamp store"],
    ["7 ELEVEN", "7 eleven"],
    ["LAMP STORE BERLIN DE", "lamp store"],
    ["LAMP STORE NEW YORK NY", "lamp store"],
    ["LAMP STORE SOMEWHERE DE", "lamp store somewhere de"],
    ["PAYPAL *LAMP STORE", "lamp store"],
    ["PAYPAL", "paypal"],
    ["PAYPAL *12345678", "paypal"],
    ["POS 123456", ""],
    ["", ""],
    ["!!! --- ???", ""]
  ])("of %j is %j", (text, key) => {
    expect(textKey(text)).toBe(key)
  })

  it("names the processor that was in front", () => {
    expect(readText("CARD PURCHASE SumUp  *LAMP STORE")).toEqual({ textKey: "lamp store", processor: "sumup" })
    expect(readText("LAMP STORE").processor).toBe("")
  })

  it("reads its own keys as themselves", () => {
    const random = new Seeded(5)
    const words = ["BISTRO", "pos", "12/03", "XX99", "LUNE", "Café", "berlin", "DE", "4711", "&", "sq", "*", "ltd"]
    for (let n = 0; n < 2_000; n++) {
      const key = textKey(random.list(0, 8, () => random.pick(words)).join(" "))
      const words2 = textKey(key).split(" ")
      // A key may still lose words to a second reading, but it never gains any.
      expect(words2.every((word) => word === "" || key.split(" ").includes(word))).toBe(true)
    }
  })

  it("reads hostile text within its bounds", () => {
    for (const piece of ["1 ", "x*", "((((", "\u0301", "ﷺ", "12/03", "\ud800", "mar 1 ", "'&", "pos ", "#-"]) {
      const key = textKey(piece.repeat(100_000))
      expect(key.length).toBeLessThan(200_000)
      expect(key.isWellFormed()).toBe(true)
    }
  })
})

describe("merchantKey", () => {
  it("leaves out forms of companies, and keeps four words", () => {
    expect(merchantKey("lamp store gmbh")).toBe("lamp store")
    expect(merchantKey("the very long lamp store name ltd")).toBe("the very long lamp")
    expect(merchantKey("ltd")).toBe("")
  })
})

const of = (a: string, b: string) => similarity(wordsOf(a), wordsOf(b))

describe("similarity", () => {
  it.each([
    ["bistro lune", "bistro lune", 1],
    ["bistro lune berlin", "bistro lune", 0.9],
    ["bistro lune", "lamp store", 0],
    ["bistro", "bist", 0.9 / 1.1],
    ["bis", "bistro", 0],
    ["a bistro", "bistro", 1],
    ["bistro 24", "bistro", 1],
    ["lamp store", "lamp shop", 0.45]
  ])("of %j and %j is %d", (a, b, expected) => {
    expect(of(a, b)).toBeCloseTo(expected, 10)
  })

  it("is unknown where a side has no words", () => {
    expect(of("", "bistro")).toBeUndefined()
    expect(of("12 x", "bistro")).toBeUndefined()
  })

  it("is symmetric, from 0 to 1, and 1 for the same words in any order", () => {
    const random = new Seeded(6)
    const words = ["bist", "bistro", "bistrot", "lune", "lunette", "lunes", "lamp", "lampe", "lampenladen", "al"]
    for (let n = 0; n < 3_000; n++) {
      const [a, b] = [random.list(1, 5, () => random.pick(words)), random.list(1, 5, () => random.pick(words))]
      const found = of(a.join(" "), b.join(" "))!
      expect(found).toBe(of(b.join(" "), a.join(" ")))
      expect(found).toBeGreaterThanOrEqual(0)
      expect(found).toBeLessThanOrEqual(1)
      expect(of(a.join(" "), a.toReversed().join(" "))).toBe(1)
    }
  })
})
