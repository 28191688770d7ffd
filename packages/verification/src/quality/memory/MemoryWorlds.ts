/** People whose habits are drawn again correct some of what they see: what a memory fills in is held against the truth. */
import { createHash } from "node:crypto"
import { CalendarDate, Timestamp } from "@millrace/core"
import type { EnrichmentFact } from "@millrace/core/enrichment"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PersonsAct } from "../../../../core/src/enrichment/kinds/Kind.ts"
import { MemoryConfig } from "../../../../core/src/enrichment/kinds/memory/MemoryConfig.ts"
import { keyOf, meets, type MemoryPattern } from "../../../../core/src/enrichment/kinds/memory/MemoryPattern.ts"
import { learnPatterns } from "../../../../core/src/enrichment/kinds/memory/PatternLife.ts"
import { type Scene, sizeOf } from "../identity/Scene.ts"

const config = Schema.decodeUnknownSync(MemoryConfig)({})
const scope = {
  workspaceId: "ws_00000000000000000000000001" as MemoryPattern["workspaceId"],
  enrichmentId: "enr_00000000000000000000000001" as MemoryPattern["enrichmentId"]
}
const first = CalendarDate.make("2024-01-01")
const weeks = 104

const idOf = (name: unknown): MemoryPattern["id"] =>
  `pat_${createHash("sha256").update(JSON.stringify(name)).digest("hex").slice(0, 26)}` as MemoryPattern["id"]

const categories = ["Groceries", "Travel", "Gifts", "Rent", "Coffee", "Health", "Fun", "Work"]
const syllables = ["ba", "ko", "ri", "tam", "lun", "shor", "vel", "nor", "pim", "dax", "quo", "fen"]

interface Shop {
  readonly name: string
  /** What a purchase there is. */
  readonly truth: (of: { readonly account: string; readonly amount: number }, random: Seeded) => string
}

const shopOf = (random: Seeded, mixed: number): Shop => {
  const name = `${random.list(2, 4, () => random.pick(syllables)).join("")} ${random.pick(["market", "house", "corner", "store"])}`
  const [a, b] = [random.pick(categories), random.pick(categories)]
  const kind = random.below(100)
  if (kind < mixed) return { name, truth: (_, drawn) => drawn.pick([a, b]) }
  if (kind < mixed + 8) return { name, truth: ({ account }) => (account === "card" ? a : b) }
  if (kind < mixed + 14) return { name, truth: ({ amount }) => (amount > 0 ? a : b) }
  if (kind < mixed + 20) return { name, truth: ({ amount }) => (Math.abs(amount) < 100 ? a : b) }
  return { name, truth: () => a }
}

interface Played {
  readonly filled: number
  readonly right: number
  readonly seen: number
  readonly foretold: number
  readonly foretoldRight: number
  readonly returned: number
  readonly unfounded: number
}

const play = (random: Seeded): Played => {
  const mixed = random.below(20)
  const shops = random.list(20, 60, () => shopOf(random, mixed))
  /** How often of a hundred a person corrects what is wrong, and how often they pick the wrong category. */
  const diligence = 20 + random.below(70)
  const slips = random.below(3)
  const acts: Array<PersonsAct> = []
  const blocked: Array<EnrichmentFact> = []
  let patterns: ReadonlyArray<MemoryPattern> = []
  let [filled, right, seen, returned] = [0, 0, 0, 0]
  for (let week = 0; week < weeks; week++) {
    const day = CalendarDate.addDays(first, week * 7)
    const at = Timestamp.make(`${day}T10:00:00.000Z`)
    const active = patterns.filter(({ status }) => status === "active")
    for (let n = random.below(25); n > 0; n--) {
      const shop = random.pick(shops)
      const account = random.pick(["card", "savings"])
      const amount = random.once(12)
        ? 10 + random.below(90)
        : -(1 + (random.once(4) ? 200 + random.below(900) : random.below(60)))
      const truth = shop.truth({ account, amount }, random)
      const recordId = `r${String(week).padStart(3, "0")}_${n}`
      const fields = {
        merchantName: `${shop.name} ${1000 + random.below(9_000)}`,
        amount: String(amount),
        accountId: account
      }
      const key = keyOf(config, fields)
      const pattern = active.find((one) => one.key === key && meets(one.condition, fields))
      seen++
      if (pattern !== undefined) {
        filled++
        if (pattern.value === truth) right++
      }
      if (pattern?.value === truth || random.below(100) >= diligence) continue
      const value = random.below(100) < slips ? random.pick(categories) : truth
      acts.push({ id: recordId, recordId, fields, field: "category", value, at, day })
    }
    const before = patterns
    patterns = learnPatterns({ scope, config, today: day, now: at, acts, facts: blocked, before, idOf })
    returned += patterns.filter(
      ({ key, status, value }) =>
        status !== "retired" && blocked.some((fact) => fact.otherId === key && fact.value === value)
    ).length
    // Now and then a person deletes what was learnt.
    const gone = patterns.find(({ status }) => status === "active")
    if (gone !== undefined && random.once(20)) {
      blocked.push({
        ...scope,
        id: `fct_${String(week).padStart(26, "0")}` as EnrichmentFact["id"],
        dataType: "transactions",
        kind: "block",
        otherId: gone.key,
        field: gone.field,
        value: gone.value,
        by: { kind: "user", userId: "usr_1" },
        at
      })
    }
  }
  const active = patterns.filter(({ status }) => status === "active")
  return {
    filled,
    right,
    seen,
    returned,
    unfounded: active.filter(({ count }) => count < 3).length,
    foretold: active.reduce((sum, { predicted }) => sum + predicted, 0),
    foretoldRight: active.reduce((sum, one) => sum + one.right, 0)
  }
}

const percent = (part: number, whole: number): number => (100 * part) / Math.max(1, whole)

export const memoryWorlds: Scene = {
  name: "memory",
  title:
    "people whose habits are drawn again correct some of their categories for two years, slip, and delete what they do not want",
  play: (effort) =>
    Effect.sync(() => {
      const worlds = sizeOf(effort, { small: 4, quick: 20, full: 100 })
      const all = Array.from({ length: worlds }, (_, n) => play(new Seeded((effort.drawn ?? effort.seed) * 1_013 + n)))
      const sum = (of: (one: Played) => number) => all.reduce((total, one) => total + of(one), 0)
      const filled = sum((one) => one.filled)
      return [
        { name: "records", value: sum((one) => one.seen) },
        {
          name: "corrections that active patterns foretell, %",
          value: percent(
            sum((one) => one.foretoldRight),
            sum((one) => one.foretold)
          ),
          goal: { min: 97 }
        },
        {
          name: "filled in rightly, %",
          value: percent(
            sum((one) => one.right),
            filled
          ),
          goal: { min: 95 }
        },
        {
          name: "filled in, %",
          value: percent(
            filled,
            sum((one) => one.seen)
          )
        },
        { name: "patterns with fewer than three words", value: sum((one) => one.unfounded), goal: { max: 0 } },
        { name: "deleted patterns that came back", value: sum((one) => one.returned), goal: { max: 0 } }
      ]
    })
}
