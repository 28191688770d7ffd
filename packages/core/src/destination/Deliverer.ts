/**
 * Sending what the ledger says is open, and writing down what became of it (decisions 6.5 and 7.4).
 *
 * Exactly once in effect: what a destination can do decides how (`DeliveryStrategies`).
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { FeedStore } from "../feed/FeedStore.ts"
import type { Fenced, JobStore } from "../job/JobStore.ts"
import { makeRunRights } from "../job/RunRight.ts"
import { makeSafePoints } from "../job/SafePoint.ts"
import { yieldIfRevoked } from "../job/RunLease.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Delivery } from "./Delivery.ts"
import {
  addOf,
  type DeliveryRun,
  type Handled,
  isReadable,
  keyOf,
  outcomeOf,
  type Refused,
  toSend
} from "./DeliveryRun.ts"
import type { DeliveredValues } from "./DeliveredValues.ts"
import { DeliveryStore, type Intent, type OpenPlace } from "./DeliveryStore.ts"
import {
  type DestinationError,
  DestinationRejected,
  type DestinationSession,
  type Outgoing,
  type PreparedWrite,
  type Receipt
} from "./Destination.ts"
import { type Destination, type DestinationNotAvailable, Destinations } from "./Destinations.ts"
import { DeliveryStrategies } from "./DeliveryStrategies.ts"

type DeliverError = DestinationError | DestinationNotAvailable | Fenced | StorageUnavailable

/** Walks over what is open before the rest is left to the next run. */
const mostWalks = 5

/** Writes rows and their ledger entries, in two steps. */
export interface Direct {
  /**
   * Outside of any transaction: opens the destination, once, and works out what can be known before. `areNew`: as in
   * `intendSettled`.
   */
  readonly prepare: (
    intents: ReadonlyArray<Intent>,
    areNew: boolean
  ) => Effect.Effect<DirectWrite, DestinationError | Fenced | StorageUnavailable>
}

/** Writes and counts: to be run inside a transaction with a fence. */
export interface DirectWrite {
  /**
   * Tried first: rows that were never there, before anybody waits for the destination. Where it is not as it should be then,
   * nothing of the transaction may stay.
   */
  readonly ahead?: Effect.Effect<ReturnType<typeof addOf>, DestinationError | StorageUnavailable | Unforeseen>
  readonly inTurn: Effect.Effect<ReturnType<typeof addOf>, DestinationError | StorageUnavailable>
}

/** A row for a destination that shares our transactions. Such a one has no use for keys, so they are made when asked for. */
class DirectRow implements Outgoing {
  readonly key: string
  readonly op: Outgoing["op"]
  readonly values: Outgoing["values"]
  readonly #hash: string
  readonly #config: DeliveryRun["config"]
  readonly #contentHash: (text: string) => string

  constructor(
    key: string,
    { hash, op, values }: Intent,
    config: DeliveryRun["config"],
    contentHash: (text: string) => string
  ) {
    this.key = key
    this.op = op
    this.values = values
    this.#hash = hash
    this.#config = config
    this.#contentHash = contentHash
  }

  get idempotencyKey(): string {
    return this.#contentHash(JSON.stringify([this.#config, this.key, this.op, this.#hash]))
  }
}

/** What is kept of a write was foreseen otherwise than it came; nothing of it stays. */
export class Unforeseen extends Data.TaggedError("Unforeseen") {}

/** The receipt of each of the keys. Where all went as it should, they are in that order already. */
const inOrder = (keys: ReadonlyArray<string>, receipts: ReadonlyArray<Receipt>): ReadonlyArray<Receipt | undefined> => {
  if (receipts.length === keys.length && receipts.every(({ key }, n) => key === keys[n])) return receipts
  const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]))
  return keys.map((key) => byKey.get(key))
}

export class Deliverer extends Context.Service<
  Deliverer,
  {
    /** Sends everything that is open. Returns the records that were refused one by one. */
    readonly deliver: (run: DeliveryRun) => Effect.Effect<ReadonlyArray<Refused>, DeliverError>
    /**
     * For destinations whose rows are part of our transactions: a way to write intents and what became of them
     * in the transaction that makes them. `undefined` for all others.
     */
    readonly direct: (run: DeliveryRun) => Effect.Effect<Direct | undefined, DestinationNotAvailable, Scope.Scope>
  }
>()("@millrace/core/destination/Deliverer") {
  static readonly layer: Layer.Layer<
    Deliverer,
    never,
    DeliveryStore | DeliveredValues | Destinations | FeedStore | JobStore | Leases | Transactor | Digest
  > = Layer.effect(
    Deliverer,
    Effect.gen(function* () {
      const ledger = yield* DeliveryStore
      const destinations = yield* Destinations
      const feeds = yield* FeedStore
      const { fence } = yield* makeRunRights
      const { safePoint } = yield* makeSafePoints
      const { atomically } = yield* Transactor
      const digest = yield* Digest
      const { check, keyed, withRetries, readBack, remembered, transactional } = yield* DeliveryStrategies

      /** Every row again, in place only once all were written; then all that was open is done. */
      const wholeFile = Effect.fnUntraced(function* (run: DeliveryRun, session: DestinationSession) {
        yield* safePoint(run.fence, yield* check(run))
        const rows = ledger.current(run.feed.id).pipe(
          Stream.map((row) => ({ key: keyOf(run.feed, row.recordId), values: toSend(row) })),
          // With the last row the file is whole, and takes the place of the one before.
          Stream.concat(Stream.drain(Stream.fromEffect(check(run))))
        )
        const { ref, standing } = yield* withRetries(run, session.replace(rows))
        yield* allArrived(run, ref)
        yield* atomically(Effect.andThen(fence(run.fence, {}), ledger.noteFile(run.feed.id, fileMarkOf(run, standing))))
        return []
      })

      /** All that is open is in the file, so nobody looks at it row by row. */
      const allArrived = Effect.fnUntraced(function* (run: DeliveryRun, remoteRef: string) {
        let after: OpenPlace | undefined
        do {
          yield* yieldIfRevoked
          const handled = yield* atomically(
            Effect.gen(function* () {
              const { last, ...add } = yield* ledger.settleNext(run.feed.id, run.job.id, {
                limit: limits.commitChunk,
                remoteRef,
                ...(after === undefined ? {} : { after })
              })
              return { asked: last !== undefined && (yield* fence(run.fence, { add })), last }
            })
          )
          yield* safePoint(run.fence, handled.asked)
          after = handled.last
        } while (after !== undefined)
      })

      /** All open rows in pages; a row that stays open is not met twice. */
      const eachOpen = Effect.fnUntraced(function* <E>(
        run: DeliveryRun,
        query: { readonly limit: number; readonly waiting?: boolean },
        handle: (rows: ReadonlyArray<Delivery>) => Effect.Effect<Handled, E>
      ) {
        const refused: Array<Refused> = []
        let after: OpenPlace | undefined
        for (;;) {
          yield* yieldIfRevoked
          const rows = yield* ledger.open(run.feed.id, { ...query, ...(after === undefined ? {} : { after }) })
          if (rows.length === 0) return refused
          const handled = yield* handle(rows)
          refused.push(...handled.refused)
          yield* safePoint(run.fence, handled.asked)
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

      /**
       * Another one whenever the file must be written although no row has changed: it is configured otherwise, was
       * changed by somebody, or is gone.
       */
      const fileMarkOf = (run: DeliveryRun, standing: string): string =>
        digest.contentHash(JSON.stringify([run.config, run.columns, standing]))

      const isWritten = Effect.fnUntraced(function* (run: DeliveryRun, session: DestinationSession) {
        const standing = yield* withRetries(run, session.standing())
        if (standing === undefined) return false
        const written = yield* ledger.fileMark(run.feed.id)
        return Option.isSome(written) && written.value === fileMarkOf(run, standing)
      })

      /** Opens the destination, and notes which columns the names in the mappings turned out to mean. */
      const open = Effect.fnUntraced(function* (driver: Destination, run: DeliveryRun) {
        const session = yield* driver.open(run.feed, run.config, run.columns)
        const { bound } = session
        if (bound !== undefined && run.columns.some(({ id, name }) => bound.get(name) !== id)) {
          yield* atomically(Effect.andThen(fence(run.fence, {}), feeds.bindColumns(run.feed.id, bound)))
        }
        return session
      })

      /** A place that two feeds write holds the rows of the one that came last. */
      const claim = Effect.fnUntraced(function* (driver: Destination, run: DeliveryRun) {
        const claimed = yield* driver.claim?.(run.feed.workspaceId, run.config) ?? Effect.undefined
        if (claimed === undefined) return
        const own = yield* atomically(
          Effect.andThen(fence(run.fence, {}), feeds.claimPlace(run.feed.id, claimed.place))
        )
        if (!own) return yield* new DestinationRejected({ message: claimed.taken.message })
      })

      const deliver = Effect.fn("Deliverer.deliver")(function* (run: DeliveryRun) {
        const driver = yield* destinations.get(run.config.type)
        yield* claim(driver, run)
        const waiting = yield* ledger.open(run.feed.id, { limit: 1 })
        // A file is made even when there is nothing to put into it; rows need no such beginning.
        if (waiting.length === 0 && driver.capabilities.write !== "wholeFile") return []
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* open(driver, run)
            const { capabilities } = driver
            switch (capabilities.write) {
              case "wholeFile":
                if (waiting.length === 0 && (yield* isWritten(run, session))) return []
                return yield* wholeFile(run, session)
              case "transactional":
                return yield* walks(run, capabilities.batch, (rows) =>
                  transactional(run, session, rows, isReadable(run.feed, driver))
                )
              case "upsertByKey": {
                const { batch, visibleSeconds = 0 } = capabilities
                return yield* walks(run, batch, (rows) => keyed(run, session, rows, { visibleSeconds }))
              }
              case "idempotencyKey": {
                const { batch, keySeconds } = capabilities
                return yield* walks(run, batch, (rows) => remembered(run, session, keySeconds, rows))
              }
              case "readBack": {
                const { batch, visibleSeconds = 0 } = capabilities
                return yield* walks(run, batch, (rows) => readBack(run, session, visibleSeconds, rows))
              }
            }
          })
        )
      })

      const direct = Effect.fnUntraced(function* (run: DeliveryRun) {
        const driver = yield* destinations.get(run.config.type)
        if (driver.capabilities.write !== "transactional") return undefined
        const scope = yield* Effect.scope
        const session = yield* Effect.cached(Scope.provide(open(driver, run), scope))
        const outgoingOf = (intent: Intent): Outgoing =>
          new DirectRow(keyOf(run.feed, intent.recordId), intent, run.config, digest.contentHash)
        const { batch } = driver.capabilities
        const readable = isReadable(run.feed, driver)
        /** What is in the way of one batch is in the way of others. */
        let isForeseeable = true
        const prepare = Effect.fnUntraced(function* (intents: ReadonlyArray<Intent>, areNew: boolean) {
          const { prepareWrite, write } = yield* session
          const writes: Array<PreparedWrite> = []
          const keys: Array<string> = []
          for (let at = 0; at < intents.length; at += batch) {
            const some = intents.slice(at, at + batch).map(outgoingOf)
            for (const { key } of some) keys.push(key)
            writes.push(prepareWrite === undefined ? { write: write(some) } : yield* prepareWrite(some))
          }
          /** Keeps what became of the rows, and counts it. */
          const settled = Effect.fnUntraced(function* (each: ReadonlyArray<ReadonlyArray<Receipt>>) {
            const found = inOrder(keys, each.length === 1 ? each[0]! : each.flat())
            const outcomes = intents.map((_, n) => outcomeOf(found[n], readable))
            yield* ledger.intendSettled(run.feed.id, run.job.id, intents, outcomes, areNew)
            return addOf(intents, outcomes)
          })
          const inTurn = Effect.flatMap(
            Effect.forEach(writes, (one) => one.write),
            settled
          )
          const foreseen = writes.flatMap((one) => one.foreseen ?? [])
          if (!(areNew && isForeseeable && foreseen.length === writes.length)) return { inTurn }
          // A destination may be locked while it is written. Where nothing was there, what is kept of it need not wait for that.
          const ahead = Effect.gen(function* () {
            const each = yield* Effect.all(foreseen)
            const add = yield* settled(each.map(({ receipts }) => receipts))
            for (const one of each) {
              if (yield* one.write) continue
              isForeseeable = false
              return yield* new Unforeseen()
            }
            return add
          })
          return { ahead, inTurn }
        })
        return { prepare } satisfies Direct
      })

      return Deliverer.of({ deliver, direct })
    })
  ).pipe(Layer.provide(DeliveryStrategies.layer))
}
