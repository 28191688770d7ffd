/** Tables of ours: making them and reading their rows (decisions 5.7). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Principal } from "../access/Principal.ts"
import type { CursorUnusable, NotFound, Unprocessable } from "../failure/Failure.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Row, Table, TableField, TableId } from "./Table.ts"

export interface NewTable {
  readonly name: string
  readonly icon?: string
  readonly description?: string
  readonly fields: ReadonlyArray<{
    /** Made from the name when absent. */
    readonly key?: string
    readonly name: string
    readonly type: TableField["type"]
  }>
}

export class Tables extends Context.Service<
  Tables,
  {
    readonly create: (principal: Principal, table: NewTable) => Effect.Effect<Table, Unprocessable | StorageUnavailable>
    readonly list: (workspace: Workspace) => Effect.Effect<ReadonlyArray<Table>, StorageUnavailable>
    readonly get: (workspace: Workspace, id: TableId) => Effect.Effect<Table, NotFound | StorageUnavailable>
    /** Oldest first. */
    readonly rows: (
      workspace: Workspace,
      id: TableId,
      query: PageRequest
    ) => Effect.Effect<Page<Row>, NotFound | CursorUnusable | StorageUnavailable>
    readonly row: (
      workspace: Workspace,
      id: TableId,
      rowId: Row["id"]
    ) => Effect.Effect<Row, NotFound | StorageUnavailable>
  }
>()("@millrace/core/table/Tables") {}
