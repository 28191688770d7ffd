import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import {
  folded,
  isLongEnough,
  LookupIndex,
  type LookupOptions,
  type LookupRow,
  type MatchClass,
  matchClasses,
  normalized,
  normalizers,
  stands
} from "../../../../src/enrichment/kinds/lookup/LookupIndex.ts"
import { Work } from "../../../../src/shared/Work.ts"

/** The same by looking at each row. */
const scan = (rows: ReadonlyArray<LookupRow>, options: LookupOptions, text: string, also: ReadonlyArray<string>) => {
  const plain = folded(text)
  const hits = (row: LookupRow, by: MatchClass): boolean => {
    const key = folded(row.key)
    if (key === "" || plain === "" || !row.also.every((value, n) => value === also[n])) return false
    if (by === "exact") return key === plain
    if (by !== "normalized") return isLongEnough(key, by) && stands(plain, key, by, options.wholeWords)
    const name = normalized(row.key, options.normalizer)
    return name !== "" && name === normalized(text, options.normalizer)
  }
  for (const by of options.classes) {
    const found = [...rows.entries()].filter(([, row]) => hits(row, by))
    if (found.length === 0) continue
    found.sort(
      ([a, one], [b, other]) =>
        one.priority - other.priority || folded(other.key).length - folded(one.key).length || a - b
    )
    return { row: found[0]![0], by, found: found.length }
  }
  return undefined
}

const words = ["acme", "mktp", "ART", "party", "shop", "ß", "Straße", "12", "0042", "US*2K3", "é", "a"]
const textOf = (random: Seeded): string =>
  Array.from({ length: random.below(5) }, () => random.pick(words)).join(random.pick([" ", "", "-", "  "]))
const rowsOf = (random: Seeded): ReadonlyArray<LookupRow> =>
  Array.from({ length: random.below(9) }, (_, n) => ({
    id: String(n),
    key: textOf(random),
    also: [random.pick(["x", "y"])],
    priority: random.below(3)
  }))
const optionsOf = (random: Seeded): LookupOptions => ({
  classes: random.once(2) ? matchClasses : [random.pick(matchClasses)],
  normalizer: random.pick(normalizers),
  wholeWords: random.once(2)
})

const numRuns = process.env["MILLRACE_LONG"] === "1" ? 100_000 : 3_000

const of = (keys: ReadonlyArray<string>, text: string) => {
  const all = keys.map((key, n) => ({ id: String(n), key, also: [], priority: 0 }))
  const hit = new LookupIndex(all, { classes: matchClasses, normalizer: "text", wholeWords: true }).find(
    text,
    [],
    new Work()
  )
  return hit === undefined ? undefined : [keys[hit.row], hit.by]
}

describe("LookupIndex", () => {
  it("finds what looking at each row would", () => {
    const random = new Seeded(17)
    let found = 0
    for (let n = 0; n < numRuns; n++) {
      const [rows, options] = [rowsOf(random), optionsOf(random)]
      const key = rows.length === 0 || random.once(3) ? "" : random.pick(rows).key
      const text = random.once(2) ? key : `${key} ${textOf(random)}`
      const also = [random.pick(["x", "y"])]
      const hit = new LookupIndex(rows, options).find(text, also, new Work())
      expect(hit, JSON.stringify({ rows, options, text, also })).toEqual(scan(rows, options, text, also))
      if (hit !== undefined) found++
    }
    expect(found).toBeGreaterThan(numRuns / 10)
  })

  it("takes the longest key, and no part of a word", () => {
    expect(of(["ACME", "ACME MKTP"], "ACME Mktp US*2K3")).toEqual(["ACME MKTP", "prefix"])
    expect(of(["ART", "ARTS"], "PARTY SHOP")).toBeUndefined()
    expect(of(["shop"], "PARTY SHOP")).toEqual(["shop", "contains"])
  })
})
