/** Going through all rows of a table whose fields change: what of them stands in the way, and what they become. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Detail } from "../failure/Failure.ts"
import type { CellValue } from "../filter/FilterField.ts"
import { Digest } from "../shared/Digest.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import { cellOf, cellText, isAbsent, readCell, sameCell } from "./CellReader.ts"
import { entriesOf, facetsOf, type Facet } from "./Facet.ts"
import { wholeScan } from "./RowScan.ts"
import { shapeOf } from "./RowShape.ts"
import type { Row, Table, TableField } from "./Table.ts"
import { TableStore } from "./TableStore.ts"

const batch = 1_000

const signature = ({ exclusive, fields, id }: Facet): string =>
  `${id} ${exclusive} ${fields.map((field) => `${field.key}:${field.type}`).join(" ")}`

interface Violation {
  count: number
  example: string
}

const shown = (cell: CellValue | undefined): string => JSON.stringify(cell ?? null).slice(0, 80)

export interface Rewrite {
  readonly before: Table
  readonly after: Table
  /** The field whose type or options change, or that becomes required. */
  readonly field?: { readonly before: TableField; readonly after: TableField }
}

/**
 * The faults, or none and the rows are as the table after the change wants them. Entries of facets that are new or
 * different are made again. Runs while the table is locked.
 */
export const makeRowRewrite = Effect.gen(function* () {
  const store = yield* TableStore
  const { contentHash: hash } = yield* Digest
  return Effect.fnUntraced(function* (now: Timestamp, { after, before, field }: Rewrite) {
    const id = after.id
    const oldFacets = facetsOf(before)
    const newFacets = facetsOf(after)
    const known = new Set(oldFacets.map(signature))
    const wanted = new Set(newFacets.map(signature))
    const gone = oldFacets.filter((facet) => !wanted.has(signature(facet)))
    const made = newFacets.filter((facet) => !known.has(signature(facet)))
    const retyped = field !== undefined && field.before.type !== field.after.type
    const rechosen =
      field !== undefined && !retyped && JSON.stringify(field.before.options) !== JSON.stringify(field.after.options)
    const demanded = field !== undefined && field.after.required && !field.before.required

    if (gone.length > 0) {
      yield* store.dropFacets(
        id,
        gone.map((facet) => facet.id)
      )
    }
    if (made.length === 0 && !retyped && !rechosen && !demanded) return []

    const violations = new Map<string, Violation>()
    const violate = (message: string, cell: CellValue | undefined): void => {
      const violation = violations.get(message)
      if (violation === undefined) violations.set(message, { count: 1, example: shown(cell) })
      else violation.count++
    }
    const choices = new Set(field?.after.options?.choices?.map((choice) => choice.id))

    /** The cell after the change. */
    const converted = (cell: CellValue | undefined): CellValue | undefined => {
      if (field === undefined || isAbsent(cell)) return cell
      if (retyped) {
        const text = cellText(field.before, cell)
        if (text === null || (text.trim() === "" && field.after.type !== "text")) return null
        const read = readCell(field.after, text)
        if (Result.isSuccess(read)) return read.success
        violate(`is not possible: {} cannot be converted to ${field.after.type}`, cell)
      } else if (rechosen && field.after.options?.choices !== undefined) {
        const items = Array.isArray(cell) ? cell : [cell]
        if (items.some((item) => !choices.has(String(item)))) violate("takes a choice away that is used in {}", cell)
      }
      return cell
    }

    const marks = new Set<string>()
    const { stored } = shapeOf(after, hash)
    let last: Row | undefined
    for (;;) {
      const rows: ReadonlyArray<Row> = yield* store.rows(
        wholeScan(id, {
          state: retyped || rechosen ? "any" : "live",
          limit: batch,
          ...(last === undefined ? {} : { after: { values: [], id: last.id } })
        })
      )
      const changed: Array<Row> = []
      const entries: Array<{ readonly id: Row["id"]; readonly entries: ReturnType<typeof entriesOf> }> = []
      for (const row of rows) {
        const cell = field === undefined ? undefined : cellOf(row.values, field.before.key)
        const next = converted(cell)
        if (demanded && row.trashedAt === undefined && isAbsent(next))
          violate("is not possible: there is no value in {}", next)
        const same = sameCell(cell, next)
        const values = field === undefined || same ? row.values : { ...row.values, [field.before.key]: next ?? null }
        if (retyped && !isAbsent(cell))
          changed.push(same ? row : { ...row, values, version: row.version + 1, updatedAt: now })
        if (row.trashedAt !== undefined) continue
        const own = entriesOf(made, values, hash)
        for (const { facet, mark } of own) {
          if (mark === undefined) continue
          if (marks.has(`${facet} ${mark}`))
            violate("is not possible: a value is in more than one row, in {}", next ?? cell)
          marks.add(`${facet} ${mark}`)
        }
        if (own.length > 0) entries.push({ id: row.id, entries: own })
      }
      if (violations.size === 0) {
        const written = new Set(changed.map((row) => row.id))
        if (changed.length > 0) yield* store.putRows(id, changed.map(stored), 0)
        yield* store.addEntries(
          id,
          entries.filter((entry) => !written.has(entry.id))
        )
      }
      last = rows.at(-1)
      if (rows.length < batch) break
    }
    return [...violations].map(([message, { count, example }]): Detail => ({
      message: `${message.replace("{}", count === 1 ? "one cell" : `${count} cells`)}, such as ${example}`
    }))
  })
})
