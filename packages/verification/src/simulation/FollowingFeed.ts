/** A feed of a scenario: what was configured, and what is at its destination. */
import type { Account } from "@millrace/core/bank"
import type { DestinationConfig, Feed } from "@millrace/core/feed"
import { type PendingMode, tableOf } from "../../../core/src/feed/FeedConfig.ts"
import { type TableId, wholeScan } from "@millrace/core/table"
import { TableStore } from "@millrace/core/storage"
import type { Workspace } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ScriptedDestination, ScriptedPlace } from "@millrace/testing/fake"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import type { Seeded } from "@millrace/testing/model"

export const columns = ["id", "date", "amount", "description", "pending", "category", "removed"] as const

/** A row as its destination shows it. */
export type Shown = Readonly<Record<(typeof columns)[number], unknown>>

export const mappings = columns.map((field) => ({ sourceField: field, destinationField: field }))

export interface FollowingFeed {
  feed: Feed
  /** Rows at the destination, by key; a key twice is a failure of its own. */
  readonly rows: Effect.Effect<ReadonlyArray<{ readonly key: string; readonly values: Shown }>, never, TableStore>
  /** Scripted destinations only. */
  readonly place: ScriptedPlace | undefined
  /** What its records must say that were pushed, by their keys. */
  readonly pushed: Map<string, string>
  /** Keys of rows that a person deleted. */
  readonly deleted: Set<string>
}

const rowsOfTable = (feed: Feed, tableId: TableId) =>
  Effect.gen(function* () {
    const tables = yield* TableStore
    const table = Option.getOrThrow(yield* tables.get(feed.workspaceId, tableId))
    const keyOf = new Map(table.fields.map((field) => [field.name, field.key]))
    const rows = yield* tables.rows(wholeScan(tableId))
    return rows.map(({ values }) => {
      const shown = Object.fromEntries(columns.map((name) => [name, values[keyOf.get(name) ?? ""] ?? null])) as Shown
      return { key: `transactions:${String(shown.id)}`, values: shown }
    })
  }).pipe(Effect.orDie)

/** A feed of these accounts with random settings, stored. `path` is where it writes unless that is a table. */
export const follow = Effect.fnUntraced(function* (
  random: Seeded,
  destination: ScriptedDestination,
  workspace: Workspace,
  accounts: ReadonlyArray<Account>,
  path: string,
  change: Partial<Feed> = {}
) {
  const onRemoved = random.pick([undefined, undefined, "delete", "mark", "keep"] as const)
  const pendingMode: PendingMode = random.pick(["sync_all", "filter_pending", "track_and_update"])
  const kept = onRemoved === undefined ? {} : { onRemoved }
  const config: DestinationConfig = random.once(3)
    ? { type: "table", tableId: (yield* storeTable(workspace, { fields: [] })).id, createMissingColumns: true, ...kept }
    : { type: "file", path, format: "csv", ...kept }
  const feed = yield* storeFeed(workspace, {
    destinationConfig: config,
    sourceConfig: {
      type: "sync",
      accounts: accounts.map((account) => ({ bankId: account.bankId, accountId: account.id }))
    },
    dataTypeOptions: { dataType: "transactions", pendingMode },
    fieldMappings: mappings,
    ...change
  })
  const tableId = tableOf(config)
  const place = tableId === undefined ? destination.at(path) : undefined
  const following: FollowingFeed = {
    feed,
    place,
    pushed: new Map(),
    deleted: new Set(),
    rows:
      tableId !== undefined
        ? rowsOfTable(feed, tableId)
        : Effect.sync(() => place!.rows.map(({ key, values }) => ({ key, values: values as Shown })))
  }
  return following
})
