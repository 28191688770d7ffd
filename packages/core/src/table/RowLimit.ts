/**
 * How many rows a workspace may have in its own tables: live ones, of tables that are not in the trash.
 *
 * Nothing is counted for it: each table keeps its number of rows. Who writes a table holds its lock, so that the limit is
 * exact for one table; writes to several tables at the same moment may each take what is left, and a workspace then ends
 * above the limit by at most one call, or one batch of a feed, for each of them. Nothing is deleted for it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { TableStore } from "./TableStore.ts"

/** What the operator decides about tables. */
export const TableSettings = Context.Reference<{
  /** Rows that a workspace may have in its tables; the plan may allow less. Absent: what the plan says. */
  readonly workspaceRows?: number | undefined
}>("@millrace/core/table/TableSettings", { defaultValue: () => ({}) })

/** `Infinity` where there is no limit. */
export const rowLimitOf = ({ plan }: Pick<Workspace, "plan">, settings: typeof TableSettings.Service): number =>
  Math.min(plans[plan].rows ?? Infinity, settings.workspaceRows ?? Infinity)

/** How many more rows fit; 0 also where there are too many already. */
export const makeRowRoom = Effect.map(
  TableStore,
  (store) =>
    (workspaceId: Workspace["id"], limit: number): Effect.Effect<number, StorageUnavailable> =>
      limit === Infinity
        ? Effect.succeed(Infinity)
        : Effect.map(store.rowTotal(workspaceId), (total) => Math.max(0, limit - total))
)

/** What a record says that a feed has no room for. */
export const noRowRoom = (limit: number): string =>
  `The workspace has the ${limit} rows that it may have in its tables. Delete rows, or have the limit raised: a later sync delivers it.`
