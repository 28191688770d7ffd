import { carryItems, itemsOf, itemsText, keyedItems, listedItems, mostGone, type Item } from "../../src/record/Items.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

const item = (itemName: string, itemAmount: string, more: Fields = {}): Fields => ({ itemName, itemAmount, ...more })
const keysOf = (items: ReadonlyArray<Item>) =>
  items.map(({ fields, gone, key }) => `${key} ${String(fields["itemName"])}${gone === true ? " gone" : ""}`)

const tea = item("Tea", "2.5")
const cake = item("Cake", "4")
const juice = item("Juice", "3")
const first = keyedItems([], [tea, cake, juice])

describe("keys of items", () => {
  it("are given in the order of the document", () => {
    expect(keysOf(first)).toEqual(["1 Tea", "2 Cake", "3 Juice"])
  })

  it("stay when items change places", () => {
    expect(keysOf(keyedItems(first, [juice, tea, cake]))).toEqual(["3 Juice", "1 Tea", "2 Cake"])
  })

  it("stay when one item goes, and the others do not take its place", () => {
    expect(keysOf(keyedItems(first, [tea, juice]))).toEqual(["1 Tea", "3 Juice", "2 Cake gone"])
  })

  it("stay when an amount or a name is corrected, and new items get keys that nobody had", () => {
    const read = [item("Green tea", "2.5"), item("Bread", "1"), item("cake ", "4.5"), juice]
    expect(keysOf(keyedItems(first, read))).toEqual(["1 Green tea", "4 Bread", "2 cake ", "3 Juice"])
  })

  it("are not given again once an item is gone, and come back with the item", () => {
    const without = keyedItems(first, [tea, juice])
    expect(keysOf(keyedItems(without, [tea, item("Soup", "9"), juice]))).toEqual([
      "1 Tea",
      "4 Soup",
      "3 Juice",
      "2 Cake gone"
    ])
    expect(keysOf(keyedItems(without, [tea, cake, juice]))).toEqual(["1 Tea", "2 Cake", "3 Juice"])
  })

  it("tell twins apart by their order", () => {
    const twins = keyedItems([], [tea, tea, cake])
    expect(keysOf(keyedItems(twins, [cake, tea]))).toEqual(["3 Cake", "1 Tea", "2 Tea gone"])
  })

  it("are of one item each, whatever was read before, and remember a bounded number of items that are gone", () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = new Seeded(seed)
      let held: ReadonlyArray<Item> = []
      for (let reading = 0; reading < 6; reading++) {
        const said = Array.from({ length: random.below(7) }, () =>
          item(random.pick(["a", "b", "c"]), random.pick(["1", "2"]))
        )
        const next = keyedItems(held, said)
        expect(new Set(next.map(({ key }) => key)).size).toBe(next.length)
        expect(next.filter(({ gone }) => gone === undefined).map(({ fields }) => fields)).toEqual(said)
        expect(next.map(({ key }) => key)).toEqual(expect.arrayContaining(held.map(({ key }) => key)))
        expect(keyedItems(next, said)).toEqual(next)
        held = next
      }
    }
    let held: ReadonlyArray<Item> = []
    for (let at = 0; at < mostGone + 50; at++) held = keyedItems(held, [item(`only ${at}`, String(at + 1))])
    expect(held.length).toBeLessThanOrEqual(mostGone + 1)
  })
})

describe("items in the fields of a document", () => {
  const said: Fields = { merchantName: "Heron", items: itemsText([], [tea, cake]) }

  it("are read back as they were written", () => {
    expect(itemsOf(said)).toEqual(keyedItems([], [tea, cake]))
    expect(itemsOf({})).toEqual([])
    expect(() => itemsOf({ items: '{"a":1}' })).toThrow("items: not a list of items")
  })

  it("keep their keys in what the document says next, also when it lists nothing any more", () => {
    const next = carryItems(said, { merchantName: "Heron", items: itemsText([], [cake, juice]) })
    expect(keysOf(itemsOf(next))).toEqual(["2 Cake", "3 Juice", "1 Tea gone"])
    const none = carryItems(next, { merchantName: "Heron" })
    expect(listedItems(none)).toEqual([])
    expect(keysOf(itemsOf(carryItems(none, said)))).toEqual(["1 Tea", "2 Cake", "3 Juice gone"])
    expect(carryItems(undefined, said)).toBe(said)
    expect(carryItems({ merchantName: "Heron" }, said)).toBe(said)
  })
})
