import { describe, expect, it } from "vitest"
import { clustersOf, merchantNameKey } from "../../src/text/MerchantClusters.ts"

const areOne = (a: string, b: string): boolean => {
  const [first, second] = [merchantNameKey(a), merchantNameKey(b)]
  const clusters = clustersOf([first, second])
  return clusters.get(first) === clusters.get(second)
}

describe("texts of merchants", () => {
  it.each([
    ["Harbour Telecom", "HARBOR TELECOM"],
    ["Barnevelt Insurance", "BARNEVLET INSURANCE"],
    ["Stadtwerke Musterhausen", "STADTWERKE MUSTERH"],
    ["Lamikaso Water", "LAMIKASO WATER 123456"]
  ])("are of one where a word is spelt a little differently or cut off: %s, %s", (a, b) => {
    expect(areOne(a, b)).toBe(true)
  })

  it.each([
    ["Penakoko Travel", "Penapo Travel"],
    ["Lamikaso Water", "Lamiva Water"],
    ["Taboboka Pharma", "Tabofa Pharma"],
    ["Sanonaro Bakery", "Sanotamo Bakery"]
  ])("are of two where names begin alike and end otherwise: %s, %s", (a, b) => {
    expect(areOne(a, b)).toBe(false)
  })
})
