/** Port: tables as enrichments read them, whole and at one instant. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Fields } from "../../record/FieldValue.ts"
import type { FieldType } from "../../record/DataType.ts"
import type { Id } from "../../shared/Ids.ts"
import type { StorageUnavailable } from "../../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Workspace.ts"

export interface TableSnapshot {
  /** Changes with whatever is in it. */
  readonly version: string
  /** Key of the field -> how its values are written. */
  readonly columns: ReadonlyMap<string, FieldType>
  /** In the order of their ids; at most `limits.lookupRows`. */
  readonly rows: ReadonlyArray<{ readonly id: string; readonly values: Fields }>
}

export class TableSnapshots extends Context.Service<
  TableSnapshots,
  {
    /** `undefined` where there is no such table; `"tooMany"` where it has more rows than can be read. */
    readonly read: (
      workspaceId: WorkspaceId,
      tableId: Id<"table">
    ) => Effect.Effect<TableSnapshot | "tooMany" | undefined, StorageUnavailable>
  }
>()("@millrace/core/enrichment/TableSnapshots") {}
