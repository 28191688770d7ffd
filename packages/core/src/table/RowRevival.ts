/** Rows that went to the trash with their record, because people had written on them: they come back with it. */
import * as Effect from "effect/Effect"
import { Digest } from "../shared/Digest.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { makeTakenMarks } from "./Marks.ts"
import { shapeOf } from "./RowShape.ts"
import type { Row, Table } from "./Table.ts"
import { TableStore } from "./TableStore.ts"

/**
 * Runs while the table is locked, before the rows of these keys are made. A row that would have what must be
 * unique and another row has by now stays where it is.
 */
export const makeRowRevival = Effect.gen(function* () {
  const store = yield* TableStore
  const { contentHash } = yield* Digest
  const takenMarks = yield* makeTakenMarks
  return Effect.fnUntraced(function* (table: Table, keys: ReadonlyArray<string>) {
    const former = yield* store.formerRows(table.id, keys)
    if (former.size === 0) return
    const known = new Set((yield* store.rowsByKey(table.id, [...former.keys()])).map((row) => row.externalKey))
    const now = yield* Timestamp.now
    const shape = shapeOf(table, contentHash)
    const rows = [...former]
      .filter(([key]) => !known.has(key))
      .map(([externalKey, trashed]) => {
        const { trashedAt: _, ...row } = trashed
        const revived: Row = { ...row, externalKey, updatedAt: now, version: row.version + 1 }
        return shape.stored(revived)
      })
    const taken = new Set((yield* takenMarks(table.id, rows)).map(({ at }) => at))
    const free = rows.filter((_, at) => !taken.has(at))
    if (free.length > 0) yield* store.putRows(table.id, free, free.length)
  })
})
