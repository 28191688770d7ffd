/** Which rows would have what must be unique and another live row has. */
import * as Effect from "effect/Effect"
import type { StoredRow } from "./RowShape.ts"
import type { RowId, TableId } from "./Table.ts"
import { markKey, TableStore } from "./TableStore.ts"

export interface TakenMark {
  /** Index of the row. */
  readonly at: number
  readonly facet: string
  readonly by: RowId
}

const marksOf = ({ entries }: StoredRow) =>
  entries.flatMap(({ facet, mark }) => (mark === undefined ? [] : [{ facet, mark }]))

/** All rows take effect together: what one gives up, another of them can have. */
export const makeTakenMarks = Effect.gen(function* () {
  const store = yield* TableStore
  return Effect.fnUntraced(function* (id: TableId, rows: ReadonlyArray<StoredRow>) {
    const wanted = rows.flatMap(marksOf)
    if (wanted.length === 0) return []
    const own = new Set(rows.map(({ row }) => row.id))
    const held = new Map([...(yield* store.holders(id, wanted))].filter(([, rowId]) => !own.has(rowId)))
    const taken: Array<TakenMark> = []
    for (const [at, stored] of rows.entries()) {
      for (const { facet, mark } of marksOf(stored)) {
        const by = held.get(markKey(facet, mark))
        if (by === undefined) held.set(markKey(facet, mark), stored.row.id)
        else taken.push({ at, facet, by })
      }
    }
    return taken
  })
})
