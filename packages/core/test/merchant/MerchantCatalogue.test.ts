import { describe, expect, it } from "vitest"
import { categories, categoryOf, primaryCategories } from "../../src/merchant/CategoryTree.ts"
import { categoryWords } from "../../src/merchant/CategoryWords.ts"
import { knownMerchant } from "../../src/merchant/KnownMerchants.ts"
import { merchantCodes } from "../../src/merchant/MerchantCodes.ts"
import { merchants } from "../../src/merchant/MerchantCatalogue.ts"
import { readParty } from "../../src/enrichment/kinds/ai/JudgedRecord.ts"
import { categories as recordCategories } from "../../src/record/TransactionType.ts"
import { readText, textKey } from "../../src/text/TextKey.ts"

describe("what Millrace knows of merchants", () => {
  it("is in categories that there are, under the primary ones that records have", () => {
    expect(merchants.filter(({ category }) => categoryOf(category) === undefined)).toEqual([])
    expect([...merchantCodes.values()].filter((code) => categoryOf(code) === undefined)).toEqual([])
    const words = categoryWords.trim().split("\n")
    expect(words.filter((line) => categoryOf(line.slice(0, line.indexOf(" "))) === undefined)).toEqual([])
    expect(primaryCategories.map(({ code }) => code)).toEqual(recordCategories.filter((one) => one !== "UNCATEGORIZED"))
    expect(new Set(categories.map(({ code }) => code)).size).toBe(categories.length)
    expect(categories.filter(({ label }) => label.trim() === "")).toEqual([])
    expect(merchantCodes.get("5411")).toBe("FOOD_AND_DRINK_GROCERIES")
  })

  it("names each merchant once, by keys that texts have, and is written in keys that are read as themselves", () => {
    const names = merchants.map(({ name }) => name)
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([])
    for (const { keys } of merchants) for (const key of keys) expect(textKey(key) === key || key !== "").toBe(true)
    for (const line of categoryWords.trim().split("\n")) {
      for (const phrase of line.slice(line.indexOf(" ") + 1).split(", "))
        expect(/^[\p{Ll}\p{N} &']+$/u.test(phrase)).toBe(true)
    }
  })

  it.each([
    ["SQ *STARBUCKS 00231 SEATTLE WA", "Starbucks"],
    ["AMZN Mktp US*2K3AB4CD5", "Amazon"],
    ["AMAZON.COM*A12BC34D5 AMZN.COM/BILL WA", "Amazon"],
    ["TESCO STORES 3121 LONDON GB", "Tesco"],
    ["REWE Markt GmbH 4711 Koeln DE", "REWE"],
    ["CARREFOUR CITY 75011 PARIS FR", "Carrefour"],
    ["NETFLIX.COM 866-579-7172 CA", "Netflix"],
    ["TFL TRAVEL CH TFL.GOV.UK/CP", "Transport for London"],
    ["PAYPAL *SPOTIFY 35314369001", "Spotify"],
    ["Albert Heijn 1521 AMSTERDAM NLD", "Albert Heijn"],
    ["ESSELUNGA SPA MILANO IT", "Esselunga"],
    ["UBER *EATS HELP.UBER.COM", "Uber Eats"],
    ["WM SUPERCENTER #1234 DALLAS TX", "Walmart"]
  ])("finds %s", (text, name) => expect(knownMerchant(readParty(text).textKey)?.name).toBe(name))

  it.each([
    "TARGET PRACTICE RANGE",
    "NEXT DAY COURIERS",
    "ORANGE TREE CAFE",
    "DELTA PLUMBING SUPPLY",
    "SHELL BEACH INN",
    ""
  ])("takes %j for nobody that it knows", (text) => expect(knownMerchant(readText(text).textKey)).toBeUndefined())
})
