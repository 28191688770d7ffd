/** Random lives of splits: the rows of a record have its amount as their sum, and are it or its lines as it is asked for. */
import { describe, expect } from "@effect/vitest"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { casesOf, countCases } from "@millrace/verification/cases/Cases"
import type { TrueRow } from "@millrace/testing/fake"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { enrichmentOf, revised, when } from "./FilteredScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

const words = ["tea", "rent", "tram"]
const deliveries = ["lines", "parent", "both"] as const

interface Meant {
  readonly config: { readonly [key: string]: unknown }
  readonly word: string
  readonly deliver: (typeof deliveries)[number]
}

const randomSplit = (random: Seeded): Meant => {
  const word = random.pick(words)
  const deliver = random.pick(deliveries)
  const lines = ["a", "b", "c", "d"].slice(0, 1 + random.below(4)).map((key) =>
    random.pick<object>([
      { key, method: "fixed", value: `${random.below(4)}.${random.below(100)}` },
      { key, method: "percent", value: `${random.below(25)}.${random.below(10_000)}` },
      { key, method: "remainder", weight: 1 + random.below(3) }
    ])
  )
  return { config: { deliver, rules: [{ conditions: when("description", "contains", word), lines }] }, word, deliver }
}

const clock = (simulation: Simulation) => CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
const { count: lives, first: from } = casesOf({ short: 15, long: 2_000 })

const world = Effect.fnUntraced(function* (simulation: Simulation, onRemoved: "delete" | "mark") {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const connected = yield* connect(simulation, provider, ["a"])
  const account = connected.accounts[0]!
  const tables = yield* TableStore
  const { id } = yield* storeTable(connected.workspace, { fields: [] })
  const mapped = { id: "Record", amount: "Amount", "split.key": "Line", removed: "Gone" }
  const feed = yield* storeFeed(connected.workspace, {
    destinationConfig: { type: "table", tableId: id, createMissingColumns: true, onRemoved },
    sourceConfig: { type: "sync", accounts: [{ bankId: connected.bank.id, accountId: account.id }] },
    fieldMappings: Object.entries(mapped).map(([sourceField, destinationField]) => ({ sourceField, destinationField }))
  })
  const rows = Effect.gen(function* () {
    const { fields } = Option.getOrThrow(yield* tables.get(connected.workspace.id, id))
    const keyOf = (wanted: string) => fields.find(({ name }) => name === wanted)?.key ?? "?"
    const [record, amount, line, gone] = Object.values(mapped).map(keyOf) as [string, string, string, string]
    return (yield* tables.rows(wholeScan(id))).map(({ values }) => ({
      record: String(values[record]),
      amount: Decimal.make(String(values[amount] ?? "0")),
      line: values[line] ?? undefined,
      gone: values[gone] === true
    }))
  })
  return { ...connected, account, feed, rows }
})

const life = Effect.fnUntraced(function* (simulation: Simulation, seed: number) {
  const random = new Seeded(seed)
  const onRemoved = random.pick(["delete", "mark"] as const)
  const { account, feed, rows, upstream, workspace } = yield* world(simulation, onRemoved)
  let split: { stored: Enrichment; meant: Meant } | undefined
  const posted: Array<TrueRow> = []
  const amount = () => `${random.below(21) - 10}.${random.below(100)}`
  const post = () => {
    posted.push(
      upstream.post({
        account: "a",
        date: CalendarDate.addDays(clock(simulation), -random.pick([0, 1, 3, 44, 46, 100, 300])),
        amount: amount(),
        description: `${random.pick(words)} ${posted.length}`,
        pending: false
      })
    )
  }
  const edit = () => {
    if (posted.length === 0) return
    const at = random.below(posted.length)
    const change = random.once(2) ? { amount: amount() } : { description: `${random.pick(words)} ${at}` }
    posted[at] = upstream.change(posted[at]!, change)
  }
  const decide = Effect.gen(function* () {
    const meant = randomSplit(random)
    if (split === undefined) {
      split = { stored: yield* enrichmentOf(workspace, "split", meant.config as Enrichment["config"]), meant }
    } else if (random.once(2)) {
      split.stored = yield* revised(split.stored, { enabled: !split.stored.enabled })
    } else {
      split = { stored: yield* revised(split.stored, { config: meant.config as Enrichment["config"] }), meant }
    }
  })

  for (let nth = 0; nth < 10; nth++) {
    for (let times = random.below(4); times > 0; times--) {
      const what = random.weighted([
        ["post", 4],
        ["edit", 3],
        ["split", 4],
        ["day", 1]
      ] as const)
      if (what === "post") for (let more = random.once(4) ? 20 : 1; more > 0; more--) post()
      else if (what === "edit") edit()
      else if (what === "split") yield* decide
      else yield* simulation.pass(random.pick([1, 20, 60]) * 86_400)
    }
    const { job } = yield* drive(simulation, feed)
    const at = `seed ${seed}, run ${nth}`
    expect(job.status, at).toBe("completed")
    const byRecord = Map.groupBy(yield* rows, ({ record }) => record)
    const records = yield* ledgerOf(account)
    expect([...byRecord.keys()].toSorted(), at).toEqual(records.map(({ id }) => id).toSorted())
    countCases(records.length)
    for (const { fields, id } of records) {
      const there = byRecord.get(id)!.filter(({ gone }) => !gone)
      const booked = Decimal.make(String(fields["amount"]))
      const lines = there.filter(({ line }) => line !== undefined)
      const whole = there.filter(({ line }) => line === undefined)
      const active = split?.stored.enabled === true ? split.meant : undefined
      const splits =
        active !== undefined && String(fields["description"]).includes(active.word) && booked !== Decimal.zero
      const told = `${at}, ${JSON.stringify(fields)}`
      expect([whole.length, lines.length > 0], told).toEqual(
        !splits || active.deliver === "parent" ? [1, false] : active.deliver === "both" ? [1, true] : [0, true]
      )
      if (whole.length > 0) expect(whole[0]!.amount, told).toBe(booked)
      if (lines.length > 0) expect(Decimal.sum(lines.map((line) => line.amount)), told).toBe(booked)
      expect(new Set(lines.map(({ line }) => line)).size, told).toBe(lines.length)
    }
    const quiet = yield* drive(simulation, feed)
    expect(quiet.job.counts, at).toMatchObject({ created: 0, updated: 0, removed: 0 })
  }
})

describe("random splits of random records", () => {
  for (const first of [1, 2]) {
    memoryScene(
      `leave each record whole or in lines with its amount, and send nothing twice (lives from ${first})`,
      { model: "upsertByKey" },
      (simulation) =>
        Effect.forEach(
          Array.from({ length: Math.ceil(lives / 2) }, (_, n) => from + first + n * 2),
          (seed) => life(simulation, seed),
          { discard: true }
        )
    )
  }
})
