/** The use cases of tables over a storage, and principals to ask for them. */
import { TableDestination } from "@millrace/adapters/destination"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import type { Caller } from "../../src/access/Caller.ts"
import { calling, ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import type { Outgoing } from "../../src/destination/Destination.ts"
import type { Stores } from "../../src/Kernel.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { Patterns } from "../../src/pattern/Pattern.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import type { Digest } from "../../src/shared/Digest.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { Transactor } from "../../src/storage/Transactor.ts"
import type { Table } from "../../src/table/Table.ts"
import type { NewField } from "../../src/table/TableRequest.ts"
import { Tables } from "../../src/table/Tables.ts"
import type { Workspace } from "../../src/workspace/Workspace.ts"
import type { Vitest } from "@effect/vitest"
import { destinationOf } from "../../src/destination/Destinations.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export type World = Tables | Stores | Ids | Digest | Cursors | Patterns

/** Everything over a layer of stores. */
export const worldOver = <E>(stores: Layer.Layer<Stores, E>): Layer.Layer<World, E> =>
  Tables.layer.pipe(
    Layer.provideMerge(Cursors.layer(Redacted.make("key"))),
    Layer.provideMerge(Layer.mergeAll(stores, Ids.layer, NodeDigest.layer, Patterns.layerProven))
  )

export const memoryWorld = worldOver(MemoryStorage.layer)

export type TableTests = (it: Vitest.MethodsNonLive<World>) => void

export const appOf = (workspace: Workspace, clientId: string, firstParty = false): Caller =>
  calling({
    kind: "oauth_app",
    workspace,
    app: { clientId, name: clientId, firstParty },
    userId: "usr_00000000000000000000000001",
    role: "editor",
    scopes: ["tables:read", "tables:write"]
  })

/** A table of a workspace of its own, and who works on it. */
export const arrange = Effect.fnUntraced(function* (
  fields: ReadonlyArray<NewField>,
  change: { readonly keyFields?: ReadonlyArray<string>; readonly workspace?: Partial<Workspace> } = {}
) {
  const workspace = yield* storeWorkspace(change.workspace)
  const user = ownerOf(workspace)
  const tables = yield* Tables
  const table = yield* tables.create(user, {
    name: "Ledger",
    fields,
    ...(change.keyFields === undefined ? {} : { keyFields: change.keyFields })
  })
  const put = Effect.fnUntraced(function* (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) {
    const made = yield* tables.createRows(user, table.id, { rows: rows.map((values) => ({ values })), mode: "insert" })
    return made.map(({ id }) => id)
  })
  return { workspace, user, tables, table, put }
})

/** What a feed with these columns delivers into a table, in one transaction as jobs do it. */
export const deliverer = Effect.fnUntraced(function* (
  workspace: Workspace,
  table: Table,
  columns: ReadonlyArray<string>
) {
  const { atomically } = yield* Transactor
  const driver = destinationOf(yield* TableDestination.make)
  const config = { type: "table", tableId: table.id }
  const feed = yield* storeFeed(workspace, {
    destinationConfig: config,
    mappingsDefaulted: true,
    fieldMappings: columns.map((name) => ({ sourceField: "description", destinationField: name }))
  })
  const deliver = Effect.fnUntraced(function* (op: Outgoing["op"], rows: Readonly<Record<string, Fields>>) {
    const session = yield* driver.open(
      feed,
      config,
      columns.map((name) => ({ name, label: name, type: "str" }))
    )
    return yield* atomically(
      session.write(Object.entries(rows).map(([key, values]) => ({ key, op, values, idempotencyKey: key })))
    )
  })
  return { feed, deliver }
})
