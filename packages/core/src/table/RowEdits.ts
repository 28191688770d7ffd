/** What people wrote on records, as far as it stands in tables. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rowKey } from "../destination/Delivery.ts"
import { RecordEdits } from "../identity/RecordEdits.ts"
import { TableStore } from "./TableStore.ts"

/** Edited is a record for which a live table has a row with held cells: a live row, or one whose record went. */
export const layer: Layer.Layer<RecordEdits, never, TableStore> = Layer.effect(
  RecordEdits,
  Effect.map(TableStore, (tables) =>
    RecordEdits.of({
      among: Effect.fnUntraced(function* ({ dataType, workspaceId }, recordIds) {
        const held = yield* tables.heldKeys(
          workspaceId,
          recordIds.map((id) => rowKey(dataType, id))
        )
        return new Set(recordIds.filter((id) => held.has(rowKey(dataType, id))))
      })
    })
  )
)
