/** Which tables a caller reaches, and how mistakes about them are told (decisions 2.6 and 6.11). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { Conflict, NotFound, Unprocessable, type Detail } from "../failure/Failure.ts"
import type { ErrorCode } from "../failure/ErrorCode.ts"
import { limits } from "../shared/Limits.ts"
import type { Table, TableId } from "./Table.ts"
import { TableStore } from "./TableStore.ts"

export const noTable = new NotFound({ resource: "Table" })
export const noRow = new NotFound({ resource: "Row" })
export const noField = new NotFound({ resource: "Field" })

/** 422 with all faults at once, as many as are told. */
export const unprocessable = (
  details: ReadonlyArray<Detail>,
  code: ErrorCode = "VALIDATION_FAILED",
  message = "Validation failed"
): Unprocessable => new Unprocessable({ code, message, details: details.slice(0, limits.errorDetails) })

export const conflict = (code: ErrorCode, message: string, details: ReadonlyArray<Detail> = []): Conflict =>
  new Conflict({ code, message, details: details.slice(0, limits.errorDetails) })

/** Fails unless there are no faults. */
export const judged = (details: ReadonlyArray<Detail>): Effect.Effect<void, Unprocessable> =>
  details.length > 0 ? Effect.fail(unprocessable(details)) : Effect.void

const live = (table: Table): Effect.Effect<Table, NotFound> =>
  table.trashedAt === undefined ? Effect.succeed(table) : Effect.fail(noTable)

const make = Effect.gen(function* () {
  const store = yield* TableStore

  const lockAny = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: TableId) {
    return yield* reach(caller, operation, "Table", yield* store.lock(caller.principal.workspace.id, id))
  })
  const load = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: TableId) {
    const found = yield* store.get(caller.principal.workspace.id, id)
    return yield* live(yield* reach(caller, operation, "Table", found))
  })
  return {
    /** A live table. */
    load,
    /** A live table that nobody else writes until the transaction ends. */
    lock: (caller: Caller, operation: OperationId, id: TableId) => Effect.flatMap(lockAny(caller, operation, id), live),
    /** The same from the trash, too. */
    lockAny,
    /** The live tables that relations of a table lead to, by id; those that cannot be seen are left out. */
    related: Effect.fnUntraced(function* (caller: Caller, operation: OperationId, table: Table) {
      const found = new Map<string, Table>()
      for (const { options } of table.fields) {
        const id = options?.relation?.tableId
        if (id === undefined || found.has(id)) continue
        const other = yield* Effect.option(load(caller, operation, id))
        if (Option.isSome(other)) found.set(id, other.value)
      }
      return found
    })
  }
})

/** Opens tables for a caller. */
export class TableAccess extends Context.Service<TableAccess>()("@millrace/core/table/TableAccess", { make }) {
  static readonly layer: Layer.Layer<TableAccess, never, TableStore> = Layer.effect(TableAccess, make)
}
