/** `MILLRACE_LONG=1` learns in a hundred thousand worlds. */
import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import type { PersonsAct } from "../../../../src/enrichment/kinds/Kind.ts"
import { keyOf, meets, type MemoryPattern } from "../../../../src/enrichment/kinds/memory/MemoryPattern.ts"
import { act, configOf, decision, learn } from "./Acts.ts"

const worlds = process.env["MILLRACE_LONG"] === "1" ? 100_000 : 120

const shops = ["Harbour Market", "Tram Tours", "Blue Heron"]
const values = ["Groceries", "Travel", "Gifts", "Coffee"]

const worldOf = (random: Seeded): ReadonlyArray<PersonsAct> => {
  const likely = new Map(shops.map((shop) => [shop, random.pick(values)]))
  const faults = random.pick([0, 4, 9])
  return random.list(0, 40, () => {
    const record = random.below(60)
    const merchantName = shops[record % shops.length]!
    const accountId = record % 2 === 0 ? "card" : "savings"
    const amount = ["-3", "-12.4", "-800", "25", "0"][Math.floor(record / 6) % 5]!
    const right = random.below(10) >= faults
    const usual = faults === 4 && accountId === "savings" ? "Gifts" : likely.get(merchantName)!
    const value = right ? usual : random.pick([...values, null, undefined])
    const day = `2026-0${1 + random.below(5)}-1${random.below(4)}`
    const made = act(`r${record}`, value, { merchantName, accountId, amount }, day)
    return { ...made, id: `${made.id}_${random.below(1_000_000_000)}` }
  })
}

const shuffled = <A>(random: Seeded, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => [random.below(1_000_000), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)

/** The last words about records that a pattern is for. */
const wordsOf = (pattern: MemoryPattern, all: ReadonlyArray<PersonsAct>): ReadonlyArray<PersonsAct> => {
  const last = new Map<string, PersonsAct>()
  for (const one of all) {
    const known = last.get(one.recordId)
    if (known === undefined || known.at < one.at || (known.at === one.at && known.id < one.id))
      last.set(one.recordId, one)
  }
  return [...last.values()].filter(
    ({ fields }) => keyOf(configOf(), fields) === pattern.key && meets(pattern.condition, fields)
  )
}

describe("learning", () => {
  it("hears three people's words for whatever fills, whatever else was said, in whatever order they came", () => {
    const random = new Seeded(11)
    const seen = { plain: 0, conditioned: 0, none: 0 }
    for (let n = 0; n < worlds; n++) {
      const all = worldOf(random)
      const found = learn(all)
      for (const pattern of found) {
        expect(pattern.status).toBe("active")
        const words = wordsOf(pattern, all)
        expect(pattern.total).toBe(words.length)
        expect(pattern.count).toBe(words.filter(({ value }) => value === pattern.value).length)
        expect(pattern.count).toBeGreaterThanOrEqual(3)
        expect(pattern.bound).toBeGreaterThanOrEqual(600)
        expect(pattern.right / pattern.predicted).toBeGreaterThanOrEqual(0.95)
        seen[pattern.condition === null ? "plain" : "conditioned"]++
      }
      if (found.length === 0) seen.none++
      expect(learn(shuffled(random, all))).toEqual(found)
      // Nothing was done since: nothing changes.
      expect(learn(all, { before: found })).toEqual(found)
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(worlds / 50)
  })

  it("never fills a record in two ways", () => {
    const random = new Seeded(12)
    for (let n = 0; n < worlds; n++) {
      let before: ReadonlyArray<MemoryPattern> = []
      const all: Array<PersonsAct> = []
      for (let step = 0; step < 3; step++) {
        all.push(...worldOf(random))
        before = learn(all, { before })
        const active = before.filter(({ status }) => status === "active")
        for (const { fields } of all) {
          const met = active.filter((one) => one.key === keyOf(configOf(), fields) && meets(one.condition, fields))
          expect(met.length).toBeLessThanOrEqual(1)
        }
      }
    }
  })

  it("keeps away from what was deleted, whatever happens", () => {
    const random = new Seeded(13)
    let deleted = 0
    for (let n = 0; n < worlds; n++) {
      const all = [...worldOf(random)]
      let before = learn(all)
      const gone = before[0]
      if (gone === undefined) continue
      deleted++
      const facts = [decision({ kind: "block", otherId: gone.key, field: gone.field, value: gone.value })]
      for (let step = 0; step < 3; step++) {
        before = learn(all, { before, facts })
        const back = before.filter(
          ({ field, key, status, value }) =>
            status !== "retired" && key === gone.key && field === gone.field && value === gone.value
        )
        expect(back).toEqual([])
        all.push(...worldOf(random))
      }
    }
    expect(deleted).toBeGreaterThan(worlds / 10)
  })
})
