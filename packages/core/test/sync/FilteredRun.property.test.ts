/** Random lives of filters: what stands in the table is what they let through, and each row came and went once. */
import { describe, expect } from "@effect/vitest"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Seeded } from "@millrace/testing/model"
import { casesOf, countCases } from "@millrace/verification/cases/Cases"
import type { TrueRow } from "@millrace/testing/fake"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { filterOf, revised, tableFed } from "./FilteredScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

type Holds = (row: TrueRow, today: CalendarDate.CalendarDate) => boolean
interface Condition {
  readonly node: { readonly [key: string]: unknown }
  readonly holds: Holds
}
interface Kept {
  readonly config: { readonly [key: string]: unknown }
  readonly says: (row: TrueRow, today: CalendarDate.CalendarDate) => "deliver" | "hold" | "drop"
  readonly removes: boolean
}

const words = ["tea", "rent", "salary", "tram"]

const leaf = (random: Seeded): Condition => {
  const word = random.pick(words)
  const amount = random.below(9) - 4
  return random.pick<Condition>([
    {
      node: { field: "description", operator: "contains", value: word },
      holds: (row) => row.description.includes(word)
    },
    { node: { field: "amount", operator: "lt", value: amount }, holds: (row) => Number(row.amount) < amount },
    { node: { field: "pending", operator: "equals", value: "true" }, holds: (row) => row.pending },
    { node: { field: "date", operator: "hasPassed" }, holds: (row, today) => row.date < today }
  ])
}

const group = (random: Seeded): Condition => {
  const logic = random.pick(["and", "or"] as const)
  const parts = random.list(1, 3, () => leaf(random))
  return {
    node: { logic, conditions: parts.map(({ node }) => node) },
    holds: (row, today) =>
      logic === "and" ? parts.every(({ holds }) => holds(row, today)) : parts.some(({ holds }) => holds(row, today))
  }
}

const randomFilter = (random: Seeded): Kept => {
  const mode = random.pick(["drop", "keep"])
  const conditions = group(random)
  const hold = random.once(3) ? group(random) : undefined
  const removes = random.once(2)
  const isTwice = JSON.stringify(hold?.node) === JSON.stringify(conditions.node)
  return {
    config: {
      mode,
      conditions: conditions.node,
      ...(hold === undefined || isTwice ? {} : { hold: hold.node }),
      onDropAfterDelivery: removes ? "remove" : "keep"
    },
    removes,
    says: (row, today) => {
      if (!isTwice && hold?.holds(row, today) === true) return "hold"
      return conditions.holds(row, today) === (mode === "drop") ? "drop" : "deliver"
    }
  }
}

const clock = (simulation: Simulation) => CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
const { count: lives, first: from } = casesOf({ short: 25, long: 2_000 })

describe("random filters over random records", () => {
  for (const first of [1, 2, 3, 4]) {
    memoryScene(
      `let through exactly what none of them hides, and send nothing twice (lives from ${first})`,
      { model: "upsertByKey" },
      (simulation) =>
        Effect.forEach(
          Array.from({ length: Math.ceil(lives / 4) }, (_, n) => from + first + n * 4),
          (seed) => life(simulation, seed),
          { discard: true }
        )
    )
  }
})

const life = Effect.fnUntraced(function* (simulation: Simulation, seed: number) {
  const random = new Seeded(seed)
  const { feed, texts, upstream, workspace } = yield* tableFed(simulation)
  const filters: Array<{ stored: Enrichment; meant: Kept }> = []
  /** Line -> what the bank says, what stands in the table, and whether that changed since the last run. */
  const rows = new Map<number, { row: TrueRow; there: string | undefined; edited: boolean }>()
  let made = 0
  const text = () => `${random.pick(words)} ${++made}`

  const post = () => {
    const row = upstream.post({
      account: "a",
      // Half a year may pass until it is read, and a first read asks for 400 days: what is older comes in none.
      date: CalendarDate.addDays(clock(simulation), -random.pick([0, 0, 1, 3, 30, 44, 46, 100, 200])),
      amount: String(random.below(11) - 5),
      description: text(),
      pending: random.once(4)
    })
    rows.set(row.line, { row, there: undefined, edited: true })
  }
  const edit = () => {
    const all = Array.from(rows.values())
    if (all.length === 0) return
    const one = random.pick(all)
    one.row =
      one.row.pending && random.once(2)
        ? upstream.settle(one.row, { newId: false, link: false })
        : upstream.change(one.row, { description: text() })
    one.edited = true
  }
  const filter = Effect.gen(function* () {
    const meant = randomFilter(random)
    if (filters.length < 3 && random.once(2)) {
      filters.push({ stored: yield* filterOf(workspace, meant.config as Enrichment["config"]), meant })
    } else if (filters.length > 0) {
      const one = random.pick(filters)
      if (random.once(2)) one.stored = yield* revised(one.stored, { enabled: !one.stored.enabled })
      else {
        one.stored = yield* revised(one.stored, { config: meant.config as Enrichment["config"] })
        one.meant = meant
      }
    }
  })

  for (let nth = 0; nth < 12; nth++) {
    for (let times = random.below(4); times > 0; times--) {
      const what = random.weighted([
        ["post", 4],
        ["edit", 3],
        ["filter", 4],
        ["day", 1]
      ] as const)
      if (what === "post") for (let more = random.once(4) ? 20 : 1; more > 0; more--) post()
      else if (what === "edit") edit()
      else if (what === "filter") yield* filter
      else {
        const days = random.pick([1, 1, 20, 60])
        // What is pending and not seen for a month is given up, whatever filters say.
        for (const one of days === 1 ? [] : rows.values()) {
          if (!one.row.pending) continue
          one.row = upstream.settle(one.row, { newId: false, link: false })
          one.edited = true
        }
        yield* simulation.pass(days * 86_400)
      }
    }
    const today = clock(simulation)
    const oldest = CalendarDate.addDays(today, -45)
    const expected = { created: 0, updated: 0, removed: 0 }
    for (const one of rows.values()) {
      const active = filters.filter(({ stored }) => stored.enabled).map(({ meant }) => meant)
      const said = active.map((meant) => ({ meant, value: meant.says(one.row, today) }))
      const drops = said.filter(({ value }) => value === "drop")
      const isHidden = said.some(({ value }) => value !== "deliver")
      if (isHidden && one.there !== undefined && drops.some(({ meant }) => meant.removes)) {
        one.there = undefined
        expected.removed++
      } else if (!isHidden && one.there === undefined) {
        one.there = one.row.description
        expected.created++
        // What an old row holds follows its record, and not the filters.
      } else if (!isHidden && one.there !== one.row.description && (one.edited || one.row.date >= oldest)) {
        one.there = one.row.description
        expected.updated++
      }
      one.edited = false
    }
    const { job } = yield* drive(simulation, feed)
    const { created, removed, updated } = job.counts
    const at = `seed ${seed}, run ${nth}`
    expect(job.status, at).toBe("completed")
    const standing = Array.from(rows.values())
      .flatMap(({ there }) => there ?? [])
      .toSorted()
    expect(yield* texts, at).toEqual(standing)
    expect({ created, updated, removed }, at).toEqual(expected)
    countCases(rows.size)
  }
})
