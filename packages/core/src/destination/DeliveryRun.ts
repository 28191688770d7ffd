/** What happens to rows that were given to a destination, and how a job counts them (decisions 6.5). */
import type { Feed } from "../feed/Feed.ts"
import type { DestinationConfig } from "../feed/FeedConfig.ts"
import type { Job } from "../job/Job.ts"
import type { Progress } from "../job/JobStore.ts"
import type { RunRight } from "../job/RunRight.ts"
import type { Fields } from "../record/FieldValue.ts"
import { rowKey, type Delivery } from "./Delivery.ts"
import type { Outcome, Settlement } from "./DeliveryStore.ts"
import type { Column, Receipt } from "./Destination.ts"
import type { Destination } from "./Destinations.ts"

/** What deliveries know a run by: a job, or a local run, whose id names none. */
export type RunOfFeed = Pick<Job, "id" | "createdAt" | "counts">

/** One run's deliveries to the destination of its feed. */
export interface DeliveryRun {
  readonly feed: Feed
  readonly config: DestinationConfig
  readonly job: RunOfFeed
  readonly fence: RunRight
  readonly columns: ReadonlyArray<Column>
}

/** What came of a batch, and whether the job is to pause after it. */
export interface Handled {
  readonly refused: ReadonlyArray<Refused>
  readonly asked: boolean
}

export interface Refused {
  readonly recordId: string
  readonly reason: string
  /** It is not tried again by itself. */
  readonly dead: boolean
  /** There is no room for it now; later runs try it again. */
  readonly waits: boolean
}

/** Whether each run of the feed is a reading of its own, and no row is ever delivered a second time. */
export const appends = ({ dataTypeOptions }: Pick<Feed, "dataTypeOptions">): boolean =>
  dataTypeOptions.dataType === "balances" && dataTypeOptions.mode === "append"

/** Whether the destination tells what it has, and the ledger what would be sent again: then no copy is kept. */
export const isReadable = (feed: Feed, driver: Pick<Destination, "capabilities" | "read">): boolean =>
  driver.capabilities.write === "transactional" && driver.read !== undefined && !appends(feed)

export const keyOf = (feed: Feed, recordId: string) => rowKey(feed.dataType, recordId)

export const noAnswer = "The destination did not answer for it"

const forgottenError =
  "It was sent, no answer came, and the destination no longer remembers it: whether it arrived is not known. Redeliver it to send it again."

export const forgottenSettlement = ({ recordId, version }: Delivery): Settlement => ({
  recordId,
  version,
  state: "failed",
  error: forgottenError,
  final: true
})

/** What an open row sends. Rows that have nothing yet are filled before they are sent. */
export const toSend = ({ op, recordId, values }: Pick<Delivery, "op" | "recordId" | "values">): Fields => {
  if (values !== undefined) return values
  if (op === "remove") return {}
  throw new Error(`The delivery of ${recordId} has no values: another write model kept them`)
}

const waiting = ({ waits }: { readonly waits?: true }): { readonly waits?: true } => (waits === true ? { waits } : {})

const settlementOf = (row: Delivery, receipt: Receipt | undefined): Settlement => {
  const at = { recordId: row.recordId, version: row.version }
  if (receipt === undefined) return { ...at, state: "failed", error: noAnswer }
  switch (receipt.outcome) {
    case "done": {
      // What a look-up found out is worth keeping, too.
      const remoteRef = receipt.remoteRef ?? row.remoteRef
      return {
        ...at,
        state: "done",
        ...(remoteRef === undefined ? {} : { remoteRef })
      }
    }
    case "skipped":
      return { ...at, state: "skipped" }
    case "failed":
      return { ...at, state: "failed", error: receipt.reason, ...waiting(receipt) }
  }
}

/** `readable`: as in `Done`. `isUnknown`: whether an attempt under the same key may have arrived before these receipts. */
export const settlementsOf = (
  run: DeliveryRun,
  rows: ReadonlyArray<Delivery>,
  receipts: ReadonlyArray<Receipt>,
  readable: boolean,
  isUnknown: (row: Delivery, receipt: Receipt | undefined) => boolean = () => false
): ReadonlyArray<Settlement> => {
  const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]))
  return rows.map((row) => {
    const receipt = byKey.get(keyOf(run.feed, row.recordId))
    const settlement = settlementOf(row, receipt)
    if (settlement.state === "failed" && isUnknown(row, receipt)) return { ...settlement, unknown: true }
    return readable && settlement.state === "done" ? { ...settlement, readable } : settlement
  })
}

/** Since when a destination may know of a row whose outcome is not known. */
export const since = (row: Delivery) =>
  row.unconfirmedAttempt?.sentAt ?? (row.state === "sending" ? (row.sentAt ?? row.updatedAt) : undefined)

export const addOf = (
  rows: ReadonlyArray<Pick<Delivery, "op">>,
  outcomes: ReadonlyArray<{ readonly state: string }>
) => {
  const add = { created: 0, updated: 0, removed: 0, unchanged: 0, failed: 0 }
  for (const [n, { op }] of rows.entries()) {
    const { state } = outcomes[n]!
    if (state === "failed") add.failed++
    else if (state === "skipped") add.unchanged++
    else if (op === "create") add.created++
    else if (op === "update") add.updated++
    else add.removed++
  }
  return add
}

/** Rows that an earlier job, or this one before, had counted and left open, or that a redelivery opened. */
export const carriedOf = (run: DeliveryRun, rows: ReadonlyArray<Delivery>): Progress => ({
  add: {
    carried: rows.filter((row) => row.jobId !== run.job.id || row.state === "failed" || row.redeliveryRequested).length
  }
})

/** `readable`: as in `Done`. */
export const outcomeOf = (receipt: Receipt | undefined, readable: boolean): Outcome => {
  if (receipt === undefined) return { state: "failed", error: noAnswer }
  switch (receipt.outcome) {
    case "done":
      return {
        state: "done",
        ...(receipt.remoteRef === undefined ? {} : { remoteRef: receipt.remoteRef }),
        ...(readable ? { readable } : {})
      }
    case "skipped":
      return { state: "skipped" }
    case "failed":
      return { state: "failed", error: receipt.reason, ...waiting(receipt) }
  }
}
