/** What rows have to obey besides the form of their cells: relations, uniqueness, the plan. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { InvalidInput, PlanLimitReached, type Detail } from "../failure/Failure.ts"
import { limits } from "../shared/Limits.ts"
import type { Faults } from "./FieldDefinition.ts"
import { makeTakenMarks } from "./Marks.ts"
import { makeRowRoom, rowLimitOf, TableSettings } from "./RowLimit.ts"
import type { RelationUse } from "./RowReader.ts"
import type { RowShape } from "./RowShape.ts"
import type { Row, Table } from "./Table.ts"
import { conflict, TableAccess } from "./TableAccess.ts"
import { TableStore } from "./TableStore.ts"

/** Fails unless it is 1 to 500. */
export const bulk = (part: string, count: number): Effect.Effect<void, InvalidInput> => {
  if (count > 0 && count <= limits.bulkRows) return Effect.void
  const message = `must be 1 to ${limits.bulkRows}`
  return new InvalidInput({
    code: "INVALID_REQUEST",
    message: `Request is invalid: ${part} ${message}`,
    details: [{ field: part, message }]
  })
}

/** A row as it is to be written. */
export interface Candidate {
  readonly after: Row
  /** Path of the row in the request, `""` for its root. */
  readonly path: string
}

export const below = (path: string, part: string): string => (path === "" ? part : `${path}.${part}`)

const make = Effect.gen(function* () {
  const store = yield* TableStore
  const access = yield* TableAccess
  const settings = yield* TableSettings
  const rowRoom = yield* makeRowRoom
  const takenMarks = yield* makeTakenMarks

  /** Faults for rows that relations name and that do not exist, live, in a table that can be seen. */
  const checkRelations = Effect.fnUntraced(function* (
    caller: Caller,
    operation: OperationId,
    table: Table,
    uses: ReadonlyArray<RelationUse>,
    faults: Faults
  ) {
    if (uses.length === 0) return
    const tables = yield* access.related(caller, operation, table)
    for (const tableId of new Set(uses.map((use) => use.tableId))) {
      const own = uses.filter((use) => use.tableId === tableId)
      const target = tables.get(tableId)
      const wanted = [...new Set(own.flatMap((use) => use.ids))]
      const found = target === undefined ? [] : yield* store.rowsById(target.id, wanted)
      const live = new Set<string>(found.flatMap((row) => (row.trashedAt === undefined ? [row.id] : [])))
      for (const { ids: asked, key, path } of own) {
        const missing = asked.find((id) => !live.has(id))
        if (missing !== undefined) faults.add(path, key, `"${missing}" is no row of the related table`)
      }
    }
  })

  const checkPlan = Effect.fnUntraced(function* (caller: Caller, added: number) {
    if (added <= 0) return
    const limit = rowLimitOf(caller.principal.workspace, settings)
    if ((yield* rowRoom(caller.principal.workspace.id, limit)) < added)
      return yield* new PlanLimitReached({ what: "rows", limit })
  })

  /** Fails where a row would have what must be unique and another row has it. */
  const checkMarks = Effect.fnUntraced(function* (table: Table, shape: RowShape, candidates: ReadonlyArray<Candidate>) {
    const rows = candidates.map(({ after }) => shape.stored(after))
    const taken = yield* takenMarks(table.id, rows)
    const details = taken.map(({ at, facet, by }): Detail => {
      const { path } = candidates[at]!
      const fields = shape.facets.find(({ id }) => id === facet)?.fields ?? []
      const message =
        facet === "key"
          ? `has the same ${fields.map(({ key }) => key).join(", ")} as ${by}`
          : `is the same as that of ${by}, and has to be unique`
      return { field: below(path, facet === "key" ? "values" : `values.${fields[0]?.key ?? ""}`), message }
    })
    if (details.length > 0) return yield* conflict("ALREADY_EXISTS", "A row with this value exists", details)
    return rows
  })

  return { checkRelations, checkPlan, checkMarks }
})

/** Checks rows before they are written. */
export class RowChecks extends Context.Service<RowChecks>()("@millrace/core/table/RowChecks", { make }) {
  static readonly layer: Layer.Layer<RowChecks, never, TableStore | TableAccess> = Layer.effect(RowChecks, make)
}
