/**
 * Sending what the ledger says is open, and writing down what became of it (decisions 6.5 and 7.4).
 *
 * Exactly once in effect: what a destination can do decides how. Rows are marked before the first byte
 * leaves and settled after the answer; after a crash in between they are written again under the same key,
 * or looked up first where writing again would double them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Feed } from "../feed/Feed.ts"
import type { DestinationConfig } from "../feed/FeedConfig.ts"
import type { Job } from "../job/Job.ts"
import { JobStore, type Fence, type Fenced, type Progress } from "../job/JobStore.ts"
import { leaveIfOver } from "../job/Tenure.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Delivery } from "./Delivery.ts"
import { DeliveryStore, type Intent, type Outcome, type Settlement } from "./DeliveryStore.ts"
import type {
  Column,
  DestinationDriver,
  DestinationError,
  DestinationSession,
  Outgoing,
  Receipt
} from "./Destination.ts"
import { Destinations, type DestinationNotAvailable } from "./Destinations.ts"

export interface DeliveryRun {
  readonly feed: Feed
  readonly config: DestinationConfig
  readonly job: Job
  readonly fence: Fence
  readonly columns: ReadonlyArray<Column>
}

export interface Refused {
  readonly recordId: string
  readonly reason: string
}

type DeliverError = DestinationError | DestinationNotAvailable | Fenced | StorageUnavailable

// A destination that is away for a moment does not fail the job: 1 s, 4 s, 16 s.
const briefly = Schedule.exponential("1 second", 4).pipe(Schedule.jittered)
const briefTries = 3

const patiently = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    schedule: briefly,
    times: briefTries,
    while: (error) => error._tag === "DestinationUnavailable"
  })

const keyOf = (feed: Feed, recordId: string) => `${feed.dataType}:${recordId}`

const noAnswer = "The destination did not answer for it"

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
      return { ...at, state: "failed", error: receipt.reason }
  }
}

const addOf = (rows: ReadonlyArray<Pick<Delivery, "op">>, outcomes: ReadonlyArray<{ readonly state: string }>) => {
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

/** Counters of settled rows: those that an earlier job, or this one before, had left open are `carried` as well. */
const progressOf = (run: DeliveryRun, rows: ReadonlyArray<Delivery>, settled: ReadonlyArray<Settlement>): Progress => ({
  add: {
    ...addOf(rows, settled),
    carried: rows.filter((row) => row.jobId !== run.job.id || row.state === "failed").length
  }
})

/** Writes rows and their ledger entries; to be called inside a transaction, after its fence. */
export interface Direct {
  /** Opens the destination, once; outside of any transaction. */
  readonly open: Effect.Effect<void, DestinationError>
  readonly write: (intents: ReadonlyArray<Intent>) => Effect.Effect<Progress, DestinationError | StorageUnavailable>
}

const outcomeOf = (receipt: Receipt | undefined): Outcome => {
  if (receipt === undefined) return { state: "failed", error: noAnswer }
  switch (receipt.outcome) {
    case "done":
      return { state: "done", ...(receipt.remoteRef === undefined ? {} : { remoteRef: receipt.remoteRef }) }
    case "skipped":
      return { state: "skipped" }
    case "failed":
      return { state: "failed", error: receipt.reason }
  }
}

export class Deliverer extends Context.Service<
  Deliverer,
  {
    /** Sends everything that is open. Answers the records that were refused one by one. */
    readonly deliver: (run: DeliveryRun) => Effect.Effect<ReadonlyArray<Refused>, DeliverError>
    /**
     * For destinations whose rows are part of our transactions: a way to write intents and what became of them
     * in the transaction that makes them. `undefined` for all others.
     */
    readonly direct: (run: DeliveryRun) => Effect.Effect<Direct | undefined, DestinationNotAvailable, Scope.Scope>
  }
>()("@millrace/core/destination/Deliverer") {
  static readonly layer: Layer.Layer<Deliverer, never, DeliveryStore | Destinations | JobStore | Transactor | Digest> =
    Layer.effect(
      Deliverer,
      Effect.gen(function* () {
        const ledger = yield* DeliveryStore
        const destinations = yield* Destinations
        const jobs = yield* JobStore
        const { atomically } = yield* Transactor
        const digest = yield* Digest

        const outgoing = (run: DeliveryRun, row: Delivery): Outgoing => {
          const key = keyOf(run.feed, row.recordId)
          return {
            key,
            op: row.op,
            values: row.values,
            idempotencyKey: digest.contentHash(JSON.stringify([run.config, key, row.op, row.hash])),
            ...(row.remoteRef === undefined ? {} : { remoteRef: row.remoteRef })
          }
        }

        const settle = Effect.fnUntraced(function* (
          run: DeliveryRun,
          rows: ReadonlyArray<Delivery>,
          receipts: ReadonlyArray<Receipt>
        ) {
          const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]))
          const settlements = rows.map((row) => settlementOf(row, byKey.get(keyOf(run.feed, row.recordId))))
          yield* jobs.fence(run.fence, progressOf(run, rows, settlements))
          yield* ledger.settle(run.feed.id, run.job.id, settlements)
          return settlements.flatMap((settlement): ReadonlyArray<Refused> =>
            settlement.state === "failed" ? [{ recordId: settlement.recordId, reason: settlement.error }] : []
          )
        })

        /** Rows and receipts in one commit. */
        const transactional = (run: DeliveryRun, session: DestinationSession, rows: ReadonlyArray<Delivery>) =>
          atomically(
            Effect.gen(function* () {
              yield* jobs.fence(run.fence, {})
              const receipts = yield* session.write(rows.map((row) => outgoing(run, row)))
              return yield* settle(run, rows, receipts)
            })
          )

        const mark = (run: DeliveryRun, rows: ReadonlyArray<Delivery>) =>
          atomically(
            Effect.andThen(
              jobs.fence(run.fence, {}),
              ledger.markSending(
                run.feed.id,
                rows.map((row) => row.recordId)
              )
            )
          )

        const keyed = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          rows: ReadonlyArray<Delivery>
        ) {
          yield* mark(run, rows)
          const receipts = yield* patiently(session.write(rows.map((row) => outgoing(run, row))))
          return yield* atomically(settle(run, rows, receipts))
        })

        /**
         * Rows as they are to be written, once it is known which of the doubtful ones have arrived: those are
         * updated in place, also when what arrived was an older version, and the others are made.
         */
        const resolved = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          rows: ReadonlyArray<Delivery>,
          isDoubtful: (row: Delivery) => boolean
        ) {
          const doubtful = rows.filter((row) => row.op === "create" && isDoubtful(row))
          if (doubtful.length === 0) return rows
          const found = yield* session.lookup(doubtful.map((row) => keyOf(run.feed, row.recordId)))
          const asked = new Set(doubtful)
          return rows.map((row): Delivery => {
            if (!asked.has(row)) return row
            const { remoteRef: _, ...rest } = row
            const key = keyOf(run.feed, row.recordId)
            const remoteRef = found.get(key)
            return {
              ...rest,
              op: found.has(key) ? "update" : "create",
              ...(remoteRef === undefined ? {} : { remoteRef })
            }
          })
        })

        /**
         * Like `keyed`, but rows that may have arrived are looked up before they are sent again: after a crash,
         * after an answer that was lost, and when newer content came before either was known. A refused row is
         * not marked again before it is retried, so it counts among them.
         */
        const readBack = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          rows: ReadonlyArray<Delivery>
        ) {
          yield* mark(run, rows)
          let tried = false
          const [sent, receipts] = yield* patiently(
            Effect.gen(function* () {
              const again = tried
              const known = yield* resolved(
                run,
                session,
                rows,
                (row) => again || row.state !== "intended" || row.version > 1
              )
              tried = true
              return [known, yield* session.write(known.map((row) => outgoing(run, row)))] as const
            })
          )
          return yield* atomically(settle(run, sent, receipts))
        })

        /** Every row anew, in place only once all were written; then all that was open is done. */
        const wholeFile = Effect.fnUntraced(function* (run: DeliveryRun, session: DestinationSession) {
          yield* atomically(jobs.fence(run.fence, {}))
          const rows = ledger
            .current(run.feed.id)
            .pipe(Stream.map((row) => ({ key: keyOf(run.feed, row.recordId), values: row.values })))
          const { ref } = yield* patiently(session.replace(rows))
          yield* eachOpen(run, limits.commitChunk, (open) =>
            atomically(
              settle(
                run,
                open,
                open.map((row) => ({ key: keyOf(run.feed, row.recordId), outcome: "done", remoteRef: ref }))
              )
            )
          )
          return []
        })

        /** All open rows in pages; a row that stays open is not met twice. */
        const eachOpen = Effect.fnUntraced(function* <E>(
          run: DeliveryRun,
          limit: number,
          handle: (rows: ReadonlyArray<Delivery>) => Effect.Effect<ReadonlyArray<Refused>, E>
        ) {
          const refused: Array<Refused> = []
          let after: { readonly date: Delivery["date"]; readonly recordId: string } | undefined
          for (;;) {
            yield* leaveIfOver
            const rows = yield* ledger.open(run.feed.id, { limit, ...(after === undefined ? {} : { after }) })
            if (rows.length === 0) return refused
            refused.push(...(yield* handle(rows)))
            const last = rows[rows.length - 1]!
            after = { date: last.date, recordId: last.recordId }
          }
        })

        const isWritten = (driver: DestinationDriver, run: DeliveryRun) =>
          driver.capabilities.write !== "wholeFile"
            ? Effect.succeed(true)
            : Effect.map(ledger.list(run.feed.id, { state: "done", limit: 1 }), (rows) => rows.length > 0)

        const deliver = Effect.fn("Deliverer.deliver")(function* (run: DeliveryRun) {
          const driver = yield* destinations.get(run.config.type)
          const open = yield* ledger.open(run.feed.id, { limit: 1 })
          // A file is made even when there is nothing to put into it; rows need no such beginning.
          if (open.length === 0 && (yield* isWritten(driver, run))) return []
          return yield* Effect.scoped(
            Effect.gen(function* () {
              const session = yield* driver.open(run.feed, run.config, run.columns)
              switch (driver.capabilities.write) {
                case "wholeFile":
                  return yield* wholeFile(run, session)
                case "transactional":
                  return yield* eachOpen(run, driver.capabilities.batch, (rows) => transactional(run, session, rows))
                case "upsertByKey":
                  return yield* eachOpen(run, driver.capabilities.batch, (rows) => keyed(run, session, rows))
                case "readBack":
                  return yield* eachOpen(run, driver.capabilities.batch, (rows) => readBack(run, session, rows))
              }
            })
          )
        })

        const direct = Effect.fn("Deliverer.direct")(function* (run: DeliveryRun) {
          const driver = yield* destinations.get(run.config.type)
          if (driver.capabilities.write !== "transactional") return undefined
          const scope = yield* Effect.scope
          const session = yield* Effect.cached(Scope.provide(driver.open(run.feed, run.config, run.columns), scope))
          const outgoingOf = (intent: Intent): Outgoing => {
            const key = keyOf(run.feed, intent.recordId)
            const idempotencyKey = digest.contentHash(JSON.stringify([run.config, key, intent.op, intent.hash]))
            return { key, op: intent.op, values: intent.values, idempotencyKey }
          }
          const write = Effect.fnUntraced(function* (intents: ReadonlyArray<Intent>) {
            const opened = yield* session
            const byKey = new Map<string, Receipt>()
            for (let at = 0; at < intents.length; at += driver.capabilities.batch) {
              const batch = intents.slice(at, at + driver.capabilities.batch)
              for (const receipt of yield* opened.write(batch.map(outgoingOf))) byKey.set(receipt.key, receipt)
            }
            const outcomes = intents.map((intent) => outcomeOf(byKey.get(keyOf(run.feed, intent.recordId))))
            yield* ledger.intendSettled(run.feed.id, run.job.id, intents, outcomes)
            return { add: addOf(intents, outcomes) } satisfies Progress
          })
          return { open: Effect.asVoid(session), write } satisfies Direct
        })

        return Deliverer.of({ deliver, direct })
      })
    )
}
