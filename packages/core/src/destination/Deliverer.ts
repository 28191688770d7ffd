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
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Feed } from "../feed/Feed.ts"
import type { DestinationConfig } from "../feed/FeedConfig.ts"
import type { Job } from "../job/Job.ts"
import { JobStore, type Fence, type Fenced, type Progress } from "../job/JobStore.ts"
import { pageEnd, sleepIdle } from "../job/PageEnd.ts"
import { leaveIfOver } from "../job/Tenure.ts"
import { Digest } from "../shared/Digest.ts"
import { stretched } from "../shared/Jitter.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { rowKey, type Delivery } from "./Delivery.ts"
import { DeliveryStore, type Intent, type Outcome, type Settlement } from "./DeliveryStore.ts"
import type {
  Column,
  DestinationDriver,
  DestinationError,
  DestinationSession,
  DestinationUnavailable,
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

/** What came of a batch, and whether the job is to pause after it. */
interface Handled {
  readonly refused: ReadonlyArray<Refused>
  readonly asked: boolean
}

export interface Refused {
  readonly recordId: string
  readonly reason: string
  /** It is not tried again by itself. */
  readonly dead: boolean
}

type DeliverError = DestinationError | DestinationNotAvailable | Fenced | StorageUnavailable

/** Seconds before another try: a destination that is away for a moment does not fail the job. */
const ownWaits = [1, 4, 16] as const

const isAway = (error: { readonly _tag: string }): error is DestinationUnavailable =>
  error._tag === "DestinationUnavailable"

const keyOf = (feed: Feed, recordId: string) => rowKey(feed.dataType, recordId)

const noAnswer = "The destination did not answer for it"

const forgottenError =
  "It was sent, no answer came, and the destination no longer remembers it: whether it arrived is not known. Redeliver it to send it again."

const isForgotten = ({ recordId, version }: Delivery): Settlement => ({
  recordId,
  version,
  state: "failed",
  error: forgottenError,
  final: true
})

/** Walks over what is open before the rest is left to the next run. */
const mostWalks = 5

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

const settlementsOf = (
  run: DeliveryRun,
  rows: ReadonlyArray<Delivery>,
  receipts: ReadonlyArray<Receipt>
): ReadonlyArray<Settlement> => {
  const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]))
  return rows.map((row) => settlementOf(row, byKey.get(keyOf(run.feed, row.recordId))))
}

/** Since when a destination may know of a row whose outcome is not known. */
const since = (row: Delivery) =>
  row.doubt?.sentAt ?? (row.state === "sending" ? (row.sentAt ?? row.updatedAt) : undefined)

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

/** Rows that an earlier job, or this one before, had counted and left open, or that a redelivery opened. */
const carriedOf = (run: DeliveryRun, rows: ReadonlyArray<Delivery>): Progress => ({
  add: { carried: rows.filter((row) => row.jobId !== run.job.id || row.state === "failed" || row.asked).length }
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

        /** Short waits are waited out, as long as the destination asks for; what takes longer is for another run. */
        const patiently = <A, E extends { readonly _tag: string }, R>(
          run: DeliveryRun,
          effect: Effect.Effect<A, E, R>
        ): Effect.Effect<A, E | Fenced | StorageUnavailable, R> => {
          const attempt = (tries: number): Effect.Effect<A, E | Fenced | StorageUnavailable, R> =>
            Effect.catch(effect, (error) => {
              const own = ownWaits[tries]
              const asked = isAway(error) ? (error.retryAfter ?? 0) : undefined
              return own === undefined || asked === undefined || asked > limits.pauseOverSeconds
                ? Effect.fail(error)
                : stretched(Math.max(own, asked)).pipe(
                    Effect.flatMap((seconds) => sleepIdle(jobs, run.fence, seconds)),
                    Effect.andThen(attempt(tries + 1))
                  )
            })
          return attempt(0)
        }

        const outgoing = (run: DeliveryRun, row: Delivery): Outgoing => {
          const key = keyOf(run.feed, row.recordId)
          // What is being sent already is sent again; all else is another attempt.
          const attempt = row.state === "sending" ? row.attempts : row.attempts + 1
          return {
            key,
            op: row.op,
            values: row.values,
            idempotencyKey: digest.contentHash(
              JSON.stringify([run.config, key, row.op, row.hash, row.version, attempt])
            ),
            ...(row.remoteRef === undefined ? {} : { remoteRef: row.remoteRef })
          }
        }

        /** Writes down what became of rows. `carried` is false where `mark` has counted it. */
        const settle = Effect.fnUntraced(function* (
          run: DeliveryRun,
          rows: ReadonlyArray<Delivery>,
          settlements: ReadonlyArray<Settlement>,
          carried: boolean
        ) {
          const progress: Progress = {
            add: { ...addOf(rows, settlements), ...(carried ? carriedOf(run, rows).add : {}) }
          }
          const asked = yield* jobs.fence(run.fence, progress)
          yield* ledger.settle(run.feed.id, run.job.id, settlements)
          const refused = settlements.flatMap((settlement, n): ReadonlyArray<Refused> => {
            if (settlement.state !== "failed") return []
            const row = rows[n]!
            const attempts = row.attempts + (row.state === "sending" ? 0 : 1)
            const dead = settlement.final === true || attempts >= limits.deliveryAttempts
            return [{ recordId: settlement.recordId, reason: settlement.error, dead }]
          })
          return { refused, asked } satisfies Handled
        })

        /**
         * Rows and receipts in one commit. What this job was refused already, while it made its rows, is only told:
         * a job tries a row once.
         */
        const transactional = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          all: ReadonlyArray<Delivery>
        ) {
          const tried = (row: Delivery) => row.state === "failed" && row.jobId === run.job.id
          const known = all
            .filter(tried)
            .map(({ dead, lastError, recordId }): Refused => ({ recordId, reason: lastError ?? noAnswer, dead }))
          const rows = all.filter((row) => !tried(row))
          if (rows.length === 0) return { refused: known, asked: false } satisfies Handled
          const handled = yield* atomically(
            Effect.gen(function* () {
              yield* jobs.fence(run.fence, {})
              const receipts = yield* session.write(rows.map((row) => outgoing(run, row)))
              return yield* settle(run, rows, settlementsOf(run, rows, receipts), true)
            })
          )
          return { refused: [...known, ...handled.refused], asked: handled.asked } satisfies Handled
        })

        /** Marks rows before they are sent. Answers them as they are then, without those that changed meanwhile. */
        const mark = (run: DeliveryRun, rows: ReadonlyArray<Delivery>) =>
          atomically(
            Effect.gen(function* () {
              const missed = yield* ledger.markSending(run.feed.id, run.job.id, rows)
              const marked = rows.filter((row) => !missed.has(row.recordId))
              yield* jobs.fence(run.fence, carriedOf(run, marked))
              return marked
            })
          )

        /**
         * Whether the run may still write, asked once more before something is sent that time has passed for since it
         * was: no transaction keeps a destination outside of the database from a worker that stood still meanwhile.
         */
        const check = (run: DeliveryRun) => atomically(jobs.fence(run.fence, {}))

        const keyed = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          rows: ReadonlyArray<Delivery>
        ) {
          const marked = yield* mark(run, rows)
          let again = false
          const receipts = yield* patiently(
            run,
            Effect.gen(function* () {
              if (again) yield* check(run)
              again = true
              return yield* session.write(marked.map((row) => outgoing(run, row)))
            })
          )
          return yield* atomically(settle(run, marked, settlementsOf(run, marked, receipts), false))
        })

        /** Older versions whose outcome is not known, sent once more under their keys to find it out. */
        const clearUp = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          rows: ReadonlyArray<Delivery>
        ) {
          const older = rows.flatMap((row): ReadonlyArray<Delivery> =>
            row.doubt === undefined ? [] : [{ ...row, ...row.doubt, state: "sending" }]
          )
          if (older.length === 0) return
          const receipts = yield* patiently(
            run,
            Effect.andThen(check(run), session.write(older.map((row) => outgoing(run, row))))
          )
          yield* atomically(
            Effect.andThen(
              jobs.fence(run.fence, {}),
              ledger.settle(run.feed.id, run.job.id, settlementsOf(run, older, receipts))
            )
          )
        })

        /**
         * Like `keyed`, but sending again is safe only while the destination remembers the key, and only under the
         * key and with the content of the first time. So an older version that may have arrived is cleared up
         * first, and its row met again in the next walk. What nobody remembers any more is left to a person:
         * sending it again could double it, and leaving it out could lose it.
         */
        const remembered = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          keySeconds: number,
          rows: ReadonlyArray<Delivery>
        ) {
          const unknown = rows.filter((row) => since(row) !== undefined)
          let forgotten: ReadonlySet<Delivery> = new Set()
          if (unknown.length > 0) {
            const now = Timestamp.toMillis(yield* jobs.now)
            forgotten = new Set(unknown.filter((row) => now - Timestamp.toMillis(since(row)!) >= keySeconds * 1000))
          }
          const lost = [...forgotten]
          const given = yield* lost.length === 0
            ? Effect.succeed({ refused: [], asked: false })
            : atomically(settle(run, lost, lost.map(isForgotten), true))
          const safe = rows.filter((row) => !forgotten.has(row))
          yield* clearUp(run, session, safe)
          const clear = safe.filter((row) => row.doubt === undefined)
          if (clear.length === 0) return given
          const sent = yield* keyed(run, session, clear)
          return { refused: [...given.refused, ...sent.refused], asked: sent.asked } satisfies Handled
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
         * after an answer that was lost, and when newer content came before either was known.
         */
        const readBack = Effect.fnUntraced(function* (
          run: DeliveryRun,
          session: DestinationSession,
          rows: ReadonlyArray<Delivery>
        ) {
          const marked = yield* mark(run, rows)
          let tried = false
          const [sent, receipts] = yield* patiently(
            run,
            Effect.gen(function* () {
              const again = tried
              const known = yield* resolved(
                run,
                session,
                marked,
                (row) => again || row.state !== "intended" || row.version > 1
              )
              if (again || known !== rows) yield* check(run)
              tried = true
              return [known, yield* session.write(known.map((row) => outgoing(run, row)))] as const
            })
          )
          return yield* atomically(settle(run, sent, settlementsOf(run, sent, receipts), false))
        })

        /** Every row anew, in place only once all were written; then all that was open is done. */
        const wholeFile = Effect.fnUntraced(function* (run: DeliveryRun, session: DestinationSession) {
          yield* pageEnd(jobs, run.fence, yield* check(run))
          const rows = ledger.current(run.feed.id).pipe(
            Stream.map((row) => ({ key: keyOf(run.feed, row.recordId), values: row.values })),
            // With the last row the file is whole, and takes the place of the one before.
            Stream.concat(Stream.drain(Stream.fromEffect(check(run))))
          )
          const { ref } = yield* patiently(run, session.replace(rows))
          yield* eachOpen(run, { limit: limits.commitChunk }, (open) =>
            atomically(
              settle(
                run,
                open,
                open.map(({ recordId, version }) => ({ recordId, version, state: "done", remoteRef: ref })),
                true
              )
            )
          )
          yield* atomically(Effect.andThen(jobs.fence(run.fence, {}), ledger.noteFile(run.feed.id, fileMarkOf(run))))
          return []
        })

        /** All open rows in pages; a row that stays open is not met twice. */
        const eachOpen = Effect.fnUntraced(function* <E>(
          run: DeliveryRun,
          query: { readonly limit: number; readonly waiting?: boolean },
          handle: (rows: ReadonlyArray<Delivery>) => Effect.Effect<Handled, E>
        ) {
          const refused: Array<Refused> = []
          let after: { readonly date: Delivery["date"]; readonly recordId: string } | undefined
          for (;;) {
            yield* leaveIfOver
            const rows = yield* ledger.open(run.feed.id, { ...query, ...(after === undefined ? {} : { after }) })
            if (rows.length === 0) return refused
            const handled = yield* handle(rows)
            refused.push(...handled.refused)
            yield* pageEnd(jobs, run.fence, handled.asked)
            const last = rows[rows.length - 1]!
            after = { date: last.date, recordId: last.recordId }
          }
        })

        /** Walks until nothing waits: rows may have been opened behind the walk, or come back to be sent after all. */
        const walks = Effect.fnUntraced(function* <E>(
          run: DeliveryRun,
          limit: number,
          handle: (rows: ReadonlyArray<Delivery>) => Effect.Effect<Handled, E>
        ) {
          const refused = [...(yield* eachOpen(run, { limit }, handle))]
          for (let walk = 1; walk < mostWalks; walk++) {
            const waiting = yield* ledger.open(run.feed.id, { limit: 1, waiting: true })
            if (waiting.length === 0) break
            refused.push(...(yield* eachOpen(run, { limit, waiting: true }, handle)))
          }
          return refused
        })

        /** Changes whenever the file must be written although no row has changed. */
        const fileMarkOf = (run: DeliveryRun): string => digest.contentHash(JSON.stringify([run.config, run.columns]))

        const isWritten = Effect.fnUntraced(function* (driver: DestinationDriver, run: DeliveryRun) {
          if (driver.capabilities.write !== "wholeFile") return true
          const written = yield* ledger.fileMark(run.feed.id)
          if (Option.isSome(written)) return written.value === fileMarkOf(run)
          // Written before marks were kept.
          return (yield* ledger.list(run.feed.id, { state: "done", limit: 1 })).length > 0
        })

        const deliver = Effect.fn("Deliverer.deliver")(function* (run: DeliveryRun) {
          const driver = yield* destinations.get(run.config.type)
          const open = yield* ledger.open(run.feed.id, { limit: 1 })
          // A file is made even when there is nothing to put into it; rows need no such beginning.
          if (open.length === 0 && (yield* isWritten(driver, run))) return []
          return yield* Effect.scoped(
            Effect.gen(function* () {
              const session = yield* driver.open(run.feed, run.config, run.columns)
              const { capabilities } = driver
              switch (capabilities.write) {
                case "wholeFile":
                  return yield* wholeFile(run, session)
                case "transactional":
                  return yield* walks(run, capabilities.batch, (rows) => transactional(run, session, rows))
                case "upsertByKey":
                  return yield* walks(run, capabilities.batch, (rows) => keyed(run, session, rows))
                case "idempotencyKey": {
                  const { batch, keySeconds } = capabilities
                  return yield* walks(run, batch, (rows) => remembered(run, session, keySeconds, rows))
                }
                case "readBack":
                  return yield* walks(run, capabilities.batch, (rows) => readBack(run, session, rows))
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
