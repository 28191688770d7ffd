/** A world in which each of the sixteen kinds has something to say. */
import type { Enrichment } from "@millrace/core/enrichment"
import { CalendarDate } from "@millrace/core"
import { EnrichmentStore, RecordStore } from "@millrace/core/storage"
import { makeEnrichment, makeUser, storeFeed, storeTable } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { asOwner } from "../../../../core/src/access/Caller.ts"
import { connect, drive, type Simulation } from "../../simulation/Simulation.ts"
import { rowsOf } from "./TableText.ts"

const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})

const destinations = [{ type: "email", recipients: ["owner@example.com"] }]

/** One of each kind, each with something to say of these records. */
export const configs: { readonly [type: string]: Enrichment["config"] } = {
  dedupe: {},
  rule: {
    rules: [{ conditions: when("description", "contains", "tea"), action: { field: "notes", value: "by rule" } }]
  },
  lookup: { source: { kind: "inline", entries: [{ match: "GREEN TEA HOUSE", set: { reference: "T1" } }] } },
  ai_merchant: {},
  memory: { minSupport: 3 },
  ai_categorize: {},
  split: {
    rules: [
      {
        conditions: when("description", "contains", "market"),
        lines: [
          { key: "half", method: "percent", value: "50", set: { category: "Shared" } },
          { key: "rest", method: "remainder" }
        ]
      }
    ]
  },
  transfer_match: { setCategory: "Transfer" },
  fees: { setCategory: "Fees" },
  recurring: {},
  anomaly: {},
  budget: { currency: "USD", lines: [{ key: "all", name: "All", match: when("amount", "lt", "0"), amount: "10" }] },
  monitor: {
    checks: [
      {
        kind: "aggregate",
        key: "many",
        conditions: when("amount", "lt", "0"),
        measure: "count",
        windowDays: 30,
        op: "gt",
        threshold: "3"
      }
    ],
    destinations
  },
  alert: { conditions: when("amount", "lt", "-100"), destinations },
  filter: { conditions: when("description", "contains", "tram"), onDropAfterDelivery: "remove" },
  digest: { cadence: "weekly", destinations }
}

const columns = (
  "id date amount description category merchantName notes reference transfer.id transfer.role fee.isFee fee.causeRecordId " +
  "recurring.seriesId anomaly.kinds budget.keys split.of"
).split(" ")

/** Records that are drawn from a seed, and a feed of them to a table. */
export const worldOf = Effect.fnUntraced(function* (simulation: Simulation, seed: number) {
  const random = new Seeded(seed)
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a", "b"])
  const table = yield* storeTable(workspace, { fields: [] })
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
    fieldMappings: columns.map((name) => ({ sourceField: name, destinationField: name }))
  })
  const today = CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
  const post = (account: string, amount: string, description: string, daysAgo: number) =>
    upstream.post({ account, date: CalendarDate.addDays(today, -daysAgo), amount, description, pending: false })
  for (let n = 0; n < 5; n++) post("a", "-14.9", "NORTHWIND MUSIC", 150 - 30 * n)
  for (let n = 0; n < 8; n++) {
    post(
      "a",
      `-${1 + random.below(90)}.25`,
      random.pick(["GREEN TEA HOUSE", "city market", "tram 4"]),
      random.below(90)
    )
  }
  const moved = `${1_000 + random.below(999)}.55`
  const day = random.below(20)
  post("a", `-${moved}`, "TRANSFER TO SAVER", day)
  post("b", moved, "TRANSFER FROM EVERYDAY", day)
  post("a", "-62.35", "HOTEL LUNE BERLIN", day)
  post("a", "-1.87", "FOREIGN TRANSACTION FEE", day)
  post("a", `-${2_000 + random.below(999)}.1`, "GREEN TEA HOUSE", 2)
  const rows = rowsOf(table)
  const records = yield* RecordStore
  const ids = Effect.gen(function* () {
    const all = yield* Effect.forEach(accounts, ({ id: accountId }) =>
      records.changes(
        { workspaceId: workspace.id, accountId, dataType: "transactions" },
        { after: 0, upTo: 1_000_000, limit: 1_000 }
      )
    )
    return all.flat().map(({ id }) => id)
  })
  const caller = asOwner(workspace, yield* makeUser())
  const enrich = Effect.fnUntraced(function* (type: string) {
    yield* (yield* EnrichmentStore).insert(yield* makeEnrichment(workspace, { type, config: configs[type]! }))
  })
  return { workspace, rows, ids, caller, enrich, run: drive(simulation, feed) }
})
