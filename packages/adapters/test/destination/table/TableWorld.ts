/** A table, and a feed that writes into it. */
import type { ActorRef } from "@millrace/core/access"
import { destinationOf } from "../../../../core/src/destination/Destinations.ts"
import type { DestinationConfig, Feed } from "@millrace/core/feed"
import type { Fields } from "@millrace/core/record"
import { Ids } from "@millrace/core"
import { type Table, TableSettings, wholeScan } from "@millrace/core/table"
import { TableStore } from "@millrace/core/storage"
import { makeFeed, storeTable, storeWorkspace } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"
import * as TableDestination from "../../../src/destination/table/TableDestination.ts"

const person: ActorRef = { kind: "user", userId: "usr_00000000000000000000000001" }

interface Change {
  readonly table?: Partial<Table>
  readonly feed?: Partial<Feed>
  readonly settings?: typeof TableSettings.Service
}

/** `table` changes the table, which has no fields; `feed` changes the feed, whose mappings are the defaults. */
export const arrangeIn = Effect.fnUntraced(function* (change?: Change) {
  const store = yield* TableStore
  const rowIds = yield* Ids
  const workspace = yield* storeWorkspace()
  const { id } = yield* storeTable(workspace, { fields: [], ...change?.table })
  const config: DestinationConfig = { type: "table", tableId: id }
  return {
    store,
    config,
    driver: destinationOf(yield* Effect.provideService(TableDestination.make, TableSettings, change?.settings ?? {})),
    feed: yield* makeFeed(workspace, { destinationConfig: config, mappingsDefaulted: true, ...change?.feed }),
    table: Effect.map(store.get(workspace.id, id), Option.getOrThrow),
    rows: store.rows(wholeScan(id)),
    /** A person changes cells of a row. */
    writeAsPerson: Effect.fnUntraced(function* (key: string, values: Fields) {
      yield* store.putFeedRows(
        id,
        [{ key, values, folded: {}, mustExist: true }],
        yield* rowIds.batch("row", 1),
        person
      )
    }),
    deleteAsPerson: (key: string) => store.removeFeedRows(id, [key])
  }
})

/** The same in a memory of its own. */
export const arrange = (change?: Change) =>
  Effect.provide(arrangeIn(change), Layer.mergeAll(Layer.fresh(MemoryStorage.layer), Ids.layer, NodeDigest.layer))
