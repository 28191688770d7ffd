/**
 * Rows of feeds in tables that have facets or defaults: what is written is worked out row by row. All other tables
 * leave it to one statement of the store (`putFeedRows`), with the same outcome.
 */
import * as Effect from "effect/Effect"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Fields } from "../record/FieldValue.ts"
import { Digest } from "../shared/Digest.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { sameCell } from "./CellReader.ts"
import { defaultsOf, isTooLarge, shapeOf, type StoredRow } from "./RowShape.ts"
import type { Row, RowId, Table } from "./Table.ts"
import { markKey, type FeedRow, TableStore } from "./TableStore.ts"

export interface FeedOutcome {
  /** Key -> row. Keys are missing that had to exist and do not, or whose row is in the trash. */
  readonly written: ReadonlyMap<string, string>
  /** Key -> why the row was not written. */
  readonly failed: ReadonlyMap<string, string>
}

/** Whether `putFeedRows` of the store does all there is to do. */
export const isPlain = (table: Table): boolean =>
  table.keyFields.length === 0 &&
  table.fields.every((field) => !field.unique && !field.indexed && field.default === undefined)

const merged = (row: Row, values: Fields): Row["values"] | undefined => {
  const held = new Set(row.held)
  const changed = Object.entries(values).filter(
    ([key, value]) => !held.has(key) && !(Object.hasOwn(row.values, key) && sameCell(row.values[key], value))
  )
  return changed.length === 0 ? undefined : { ...row.values, ...Object.fromEntries(changed) }
}

const marksOf = (stored: StoredRow | undefined) =>
  (stored?.entries ?? []).flatMap(({ facet, mark }) => (mark === undefined ? [] : [{ facet, mark }]))

/** Runs while the table is locked. Rows come one after the other: what one gives up, a later one can have. */
export const makeFeedRows = Effect.gen(function* () {
  const store = yield* TableStore
  const { contentHash } = yield* Digest
  return Effect.fnUntraced(function* (
    table: Table,
    rows: ReadonlyArray<Omit<FeedRow, "folded">>,
    ids: ReadonlyArray<RowId>,
    actor: ActorRef
  ) {
    const now = yield* Timestamp.now
    const shape = shapeOf(table, contentHash)
    const defaults = defaultsOf(table.fields)
    const found = yield* store.rowsByKey(
      table.id,
      rows.map(({ key }) => key)
    )
    const before = new Map(found.map((row) => [row.externalKey, row]))
    const written = new Map<string, string>()
    const failed = new Map<string, string>()
    const planned: Array<{ readonly key: string; readonly old: StoredRow | undefined; readonly next: StoredRow }> = []
    for (const [at, { key, mustExist, values }] of rows.entries()) {
      const row = before.get(key)
      if (row === undefined) {
        if (mustExist) continue
        const made: Row = {
          id: ids[at]!,
          tableId: table.id,
          values: { ...defaults, ...values },
          externalKey: key,
          held: [],
          createdBy: actor,
          updatedBy: actor,
          version: 1,
          createdAt: now,
          updatedAt: now
        }
        planned.push({ key, old: undefined, next: shape.stored(made) })
      } else if (row.trashedAt === undefined) {
        written.set(key, row.id)
        const cells = merged(row, values)
        if (cells === undefined) continue
        const next = { ...row, values: cells, updatedBy: actor, updatedAt: now, version: row.version + 1 }
        planned.push({ key, old: shape.stored(row), next: shape.stored(next) })
      }
    }

    const holders = new Map(
      yield* store.holders(
        table.id,
        planned.flatMap(({ next }) => marksOf(next))
      )
    )
    const kept: Array<StoredRow> = []
    let added = 0
    for (const { key, next, old } of planned) {
      const clash = marksOf(next).find(({ facet, mark }) => {
        const holder = holders.get(markKey(facet, mark))
        return holder !== undefined && holder !== next.row.id
      })
      if (clash !== undefined || isTooLarge(next.row.values)) {
        written.delete(key)
        const names = shape.facets.find(({ id }) => id === clash?.facet)?.fields.map(({ name }) => `"${name}"`)
        failed.set(
          key,
          names === undefined
            ? "The row is too large."
            : `Another row has the same ${names.join(", ")}, which must be unique.`
        )
        continue
      }
      for (const { facet, mark } of marksOf(old))
        if (holders.get(markKey(facet, mark)) === next.row.id) holders.delete(markKey(facet, mark))
      for (const { facet, mark } of marksOf(next)) holders.set(markKey(facet, mark), next.row.id)
      written.set(key, next.row.id)
      kept.push(next)
      if (old === undefined) added++
    }
    if (kept.length > 0) yield* store.putRows(table.id, kept, added)
    return { written, failed } satisfies FeedOutcome
  })
})
