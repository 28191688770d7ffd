/** What a provider can do, as data (provider port). */
import type { RequestBudget } from "../rate/RequestBudget.ts"
import type { SyncDataType } from "../record/DataType.ts"

/**
 * How changes are learnt.
 * `delta`: the upstream lists what was added, changed and removed since a checkpoint.
 * `appendOnly`: new rows only; nothing is ever said about old ones.
 * `snapshotWindow`: all rows of a range of dates. `snapshotFull`: all rows.
 */
export type ChangeModel = "delta" | "appendOnly" | "snapshotWindow" | "snapshotFull"

/**
 * How far an upstream id can be trusted (identity).
 * `stable`: survives settlement. `perStatus`: a posted row has another id than its pending form.
 * `positional`: renumbered between reads. `session`: valid for one connection. `none`: there is none.
 */
export type IdTrust = "stable" | "perStatus" | "positional" | "session" | "none"

export interface DataTypeCapability {
  readonly changeModel: ChangeModel
  /** Whether one pull (and its checkpoint) is about the whole connection or one account. */
  readonly scope: "connection" | "account"
  readonly idTrust: IdTrust
  /** Days of history the upstream can give. */
  readonly historyDays: number
  /** Days before the last data date that are read again, because rows may arrive late. */
  readonly overlapDays: number
}

export interface Capabilities {
  readonly connectFlow: "link" | "portal" | "redirect" | "token" | "file"
  /** `balances` ride along with the accounts and need no entry of their own. */
  readonly dataTypes: { readonly [T in Exclude<SyncDataType, "balances">]?: DataTypeCapability }
  /** Whether removing a connection upstream ends at once. */
  readonly removal: "sync" | "async" | "local"
  /** Stored data older than this is read again when somebody asks for it. */
  readonly freshnessSeconds: number
  readonly webhooks: boolean
  /** Absent: requests go as they come, and wait only when the upstream says so. */
  readonly budget?: RequestBudget
  /**
   * What takes a place in the budget: `call`, which it is unless given, each method of the driver; `request`, each request
   * that the driver sends through `Outbound`, which says in `counts` what it is about.
   */
  readonly budgetPer?: "call" | "request"
}
