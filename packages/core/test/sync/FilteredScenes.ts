/** What it takes to watch filters at work: a connected bank, a feed into a table, and the texts that stand there. */
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { makeEnrichment, storeFeed, storeTable } from "@millrace/testing/fixture"
import { connect, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const instance = "delta-connection-stable"

/** A bank with one account, and a feed of it into a table with a column of texts. */
export const tableFed = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === instance)!
  const world = yield* connect(simulation, provider, ["a"])
  const account = world.accounts[0]!
  const tables = yield* TableStore
  const { id } = yield* storeTable(world.workspace, { fields: [] })
  const feed = yield* storeFeed(world.workspace, {
    destinationConfig: { type: "table", tableId: id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: [{ bankId: world.bank.id, accountId: account.id }] },
    fieldMappings: [{ sourceField: "description", destinationField: "Text" }]
  })
  /** In order. */
  const texts = Effect.gen(function* () {
    const key = Option.getOrThrow(yield* tables.get(world.workspace.id, id)).fields.find(
      ({ name }) => name === "Text"
    )?.key
    const rows = yield* tables.rows(wholeScan(id))
    return rows.map(({ values }) => String(key === undefined ? "" : values[key])).toSorted()
  })
  return { ...world, account, feed, texts }
})

/** Changes an enrichment, as somebody does who saves it. */
export const revised = Effect.fnUntraced(function* (
  old: Enrichment,
  change: Pick<Partial<Enrichment>, "config" | "enabled">
) {
  const next = { ...old, ...change, version: old.version + 1, revision: old.revision + 1 }
  yield* (yield* EnrichmentStore).update(next)
  return next
})

type Workspace = Parameters<typeof makeEnrichment>[0]

/** An enrichment of all feeds of the workspace. */
export const enrichmentOf = Effect.fnUntraced(function* (
  workspace: Workspace,
  type: Enrichment["type"],
  config: Enrichment["config"]
) {
  const made = yield* makeEnrichment(workspace, { type, config })
  yield* (yield* EnrichmentStore).insert(made)
  return made
})

export const filterOf = (workspace: Workspace, config: Enrichment["config"]) =>
  enrichmentOf(workspace, "filter", config)

export const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})
