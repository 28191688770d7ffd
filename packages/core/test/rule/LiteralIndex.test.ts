import { fold } from "../../src/text/Fold.ts"
import { LiteralIndex, type Literal, type Place } from "../../src/rule/LiteralIndex.ts"
import { expect, it } from "vitest"
import { Seeded } from "@millrace/testing/model"
import { Work } from "../../src/shared/Work.ts"

const marked = (index: LiteralIndex, text: string): ReadonlySet<number> => {
  const rules = new Set<number>()
  index.scan(text, { mark: (rule) => void rules.add(rule) }, new Work())
  return rules
}

const standsIn = ({ text: literal, place }: Literal, text: string): boolean => {
  const folded = fold(text)
  return place === "anywhere"
    ? folded.includes(literal)
    : place === "start"
      ? folded.startsWith(literal)
      : place === "end"
        ? folded.endsWith(literal)
        : fold(text.trim()) === literal
}

const places: ReadonlyArray<Place> = ["anywhere", "start", "end", "whole"]

it("misses no literal that stands where it must, in any script", () => {
  const random = new Seeded(31)
  const parts = ["a", "A", "ab", "b", " ", "  ", "\t", "é", "E\u0301", "ß", "ss", "日", "😀"]
  const make = (max: number) => random.list(1, max, () => random.pick(parts)).join("")
  for (let round = 0; round < 300; round++) {
    const literals = random
      .list(1, 12, () => make(4))
      .map((text, rule): Literal => {
        const place = random.pick(places)
        return { text: fold(place === "whole" ? `${text.trim()}a` : text), place, rule }
      })
    const index = new LiteralIndex(literals)
    for (let row = 0; row < 40; row++) {
      const text = make(8)
      const rules = marked(index, text)
      for (const literal of literals)
        if (standsIn(literal, text))
          expect(rules, `${JSON.stringify(literal)} in ${JSON.stringify(text)}`).toContain(literal.rule)
    }
  }
})

it("marks nothing for a literal that is nowhere in the text", () => {
  const index = new LiteralIndex([
    { text: "tram", place: "anywhere", rule: 0 },
    { text: "bus", place: "start", rule: 1 },
    { text: "card", place: "whole", rule: 2 }
  ])
  expect([...marked(index, "the bus card")]).toEqual([])
  expect([...marked(index, " CARD ")]).toEqual([2])
  expect([...marked(index, "BUS TRAM")].toSorted()).toEqual([0, 1])
})

it("finds the same where the alphabet is too large for a dense table", () => {
  const random = new Seeded(32)
  const make = (size: number) =>
    String.fromCodePoint(...Array.from({ length: size }, () => 0x4e_00 + random.below(5_000)))
  const literals = Array.from({ length: 1_200 }, (_, rule): Literal => ({
    text: make(3 + (rule % 3)),
    place: "anywhere",
    rule
  }))
  // A literal inside another one is found through it.
  literals.push({ text: literals[2]!.text.slice(1), place: "anywhere", rule: 1_200 })
  const index = new LiteralIndex(literals)
  for (let row = 0; row < 300; row++) {
    const chosen = [random.pick(literals), random.pick(literals), literals[2]!]
    const rules = marked(index, `x ${chosen.map(({ text }) => text + make(1)).join(" y")}`)
    for (const { rule } of chosen) expect(rules).toContain(rule)
    expect(rules).toContain(1_200)
    expect(rules.size).toBeLessThan(8)
  }
})
