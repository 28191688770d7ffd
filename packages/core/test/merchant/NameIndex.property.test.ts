import { Seeded } from "@millrace/testing/model"
import { expect, it } from "vitest"
import { editDistance } from "../../src/merchant/EditDistance.ts"
import { NameIndex } from "../../src/merchant/NameIndex.ts"
import { NameIndex as PlainIndex } from "./plain/NameIndex.ts"

const letters = "abcdefgh"
const wordOf = (random: Seeded, most = 8): string => random.list(0, most, () => random.pick([...letters])).join("")

/** Straight from the definition. */
const distance = (a: string, b: string): number => {
  if (a === "" || b === "") return a.length + b.length
  if (a[0] === b[0]) return distance(a.slice(1), b.slice(1))
  return 1 + Math.min(distance(a.slice(1), b), distance(a, b.slice(1)), distance(a.slice(1), b.slice(1)))
}

it("counts edits as their definition does, up to a bound", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = new Seeded(seed)
    const [a, b] = [wordOf(random, 5), wordOf(random, 5)]
    const most = random.below(6)
    expect(editDistance(a, b, most)).toBe(Math.min(distance(a, b), most + 1))
  }
})

it("finds each of its names, and one with a letter too many, whatever the order of the names", () => {
  const random = new Seeded(1)
  const names = [
    ...new Set(Array.from({ length: 500 }, () => `${wordOf(random)}x ${wordOf(random)}y ${wordOf(random)}z`))
  ]
  const keys = names.map((name) => [name, name] as const)
  const index = new NameIndex(keys)
  const other = new NameIndex(keys.toReversed())
  for (const name of names) {
    expect(index.best(name)).toMatchObject({ owner: name, score: 1 })
    expect(other.best(name)).toMatchObject({ owner: name, score: 1 })
  }
  const long = names.filter((name) => name.length >= 14).slice(0, 100)
  const found = long.filter((name) => index.best(`${name.slice(0, 7)}q${name.slice(7)}`)?.owner === name)
  expect(found.length).toBeGreaterThan(95)
})

it("says nothing where two names are as near, or a word is only among others", () => {
  const index = new NameIndex([
    ["apple", "Apple"],
    ["harbour bakery", "A"],
    ["harbour bakers", "B"]
  ])
  expect(index.nearest("apple tree cafe")).toBeUndefined()
  expect(index.nearest("harbour bakerz")).toBeUndefined()
  expect(index.nearest("unlike all")).toBeUndefined()
})

it("says what the plain form says, of texts of all kinds", () => {
  for (let seed = 0; seed < 12; seed++) {
    const random = new Seeded(seed)
    const some = (most: number) =>
      `${wordOf(random, most)} ${random.pick(["", "cafe", "über", "m&m's", "ab"])} ${wordOf(random, most)}`.trim()
    const keys = Array.from(
      { length: 40 + random.below(200) },
      () => [some(random.pick([3, 9, 20])), `o${random.below(60)}`] as const
    )
    const [index, plain] = [new NameIndex(keys), new PlainIndex(keys)]
    const texts = Array.from({ length: 60 }, () => {
      const [key] = random.pick(keys)
      const at = random.below(key.length + 1)
      return random.pick([
        some(9),
        `${key.slice(0, at)}${random.pick(["", "q", "é"])}${key.slice(at + random.below(2))}`
      ])
    })
    for (const text of ["", "zzz", "q".repeat(300), ...texts]) {
      expect(index.best(text), `seed ${seed}: ${text}`).toEqual(plain.best(text))
      expect(index.nearest(text)).toEqual(plain.nearest(text))
    }
  }
})
