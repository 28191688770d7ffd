/** What a provider can do, as data (provider port). */
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
  /**
   * Days after which all of the history is read again by a run, at least 1: nothing tells of corrections and removals of rows
   * that are older than the overlap. Of `snapshotWindow` alone. Absent: never.
   */
  readonly wholeEveryDays?: number
}

/**
 * Requests that the upstream allows: at most so many within any so many seconds. Each request takes a place under every
 * limit that counts it (`OutboundRequest.counts`).
 */
export interface RequestLimit {
  /** Unique among those of the driver. */
  readonly name: string
  /** At least 1. */
  readonly requests: number
  readonly seconds: number
  /** For all requests of the instance together, or for each connection or account that they are about. */
  readonly per: "instance" | "connection" | "account"
  /** Only requests to that endpoint, by the name that they give it; absent: all. */
  readonly endpoint?: string
  /** Only requests that no person waits for, as of banks in Europe. */
  readonly backgroundOnly?: boolean
  /** How many may go at once after a rest; else half of them, or a tenth of more than 50 within a minute. */
  readonly burst?: number
}

/** What an answer says of a limit. */
export interface LimitReading {
  /** The name of the limit. */
  readonly limit: string
  /** Requests that are left. */
  readonly remaining: number
  /** Seconds until it is full again. */
  readonly resetSeconds: number
}

export interface Capabilities {
  readonly connectFlow: "link" | "authSession" | "connector" | "portal" | "redirect" | "token" | "file"
  /** `balances` ride along with the accounts and need no entry of their own. */
  readonly dataTypes: { readonly [T in Exclude<SyncDataType, "balances">]?: DataTypeCapability }
  /** Days that a new connection reaches back: unless more is asked for, and at most. */
  readonly history: {
    readonly defaultDays: number
    readonly maxDays: number
    /** What was asked for when it was connected cannot be changed later. */
    readonly fixedAtConnect?: boolean
  }
  /**
   * How a posted row is known from its pending form. `linked`: it names it. `unlinked`: nothing says so. `absent`: there
   * are no pending rows.
   */
  readonly pendingModel: "linked" | "unlinked" | "absent"
  /** Whether accounts and rows keep their ids where a connection is mended. */
  readonly reconnectKeepsIds: boolean
  /** Whether removing a connection upstream ends at once. */
  readonly removal: "sync" | "async" | "local"
  /** Stored data older than this is read again when somebody asks for it. */
  readonly freshnessSeconds: number
  readonly webhooks: boolean
  /**
   * The upstream sends browsers back to an address without its query, such as one that is registered letter by letter, so the
   * `state` of the attempt is missing there. Absent: it keeps the query.
   */
  readonly returnsWithoutState?: true
  /** Absent: it cannot be asked to read from the bank now. */
  readonly refresh?: {
    readonly dataTypes: ReadonlyArray<SyncDataType>
    /** Each time costs the operator something. */
    readonly billable: boolean
  }
  /** Absent: requests go as they come, and wait only when the upstream says so. */
  readonly limits?: ReadonlyArray<RequestLimit>
}

/**
 * What is wrong with what a driver says of itself; `undefined` where nothing is. A change feed names what changed by its id:
 * ids of a session are others after a reconnect, and no row of the feed would say which record it means.
 */
export const capabilityFault = ({ dataTypes }: Pick<Capabilities, "dataTypes">): string | undefined => {
  for (const [dataType, capability] of Object.entries(dataTypes)) {
    if (capability === undefined) continue
    const { changeModel, idTrust } = capability
    if (idTrust === "session" && (changeModel === "delta" || changeModel === "appendOnly")) {
      return `capabilities.dataTypes.${dataType}.idTrust cannot be session where changeModel is ${changeModel}`
    }
  }
  return undefined
}
