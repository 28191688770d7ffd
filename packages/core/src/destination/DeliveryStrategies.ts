/**
 * Strategies for sending open rows, one for each write model of a destination (decisions 6.5 and 7.4). A strategy takes
 * one page of rows, and settles it.
 *
 * Rows are marked before the first byte leaves and settled after the answer; after a crash in between they are
 * written again under the same key, or looked up first where writing again would double them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { JobStore, type Fenced, type Progress } from "../job/JobStore.ts"
import { makeRunRights } from "../job/RunRight.ts"
import { makeSafePoints } from "../job/SafePoint.ts"
import { Digest } from "../shared/Digest.ts"
import { stretched } from "../shared/Jitter.ts"
import { retryWithBackoff } from "../shared/RetryWithBackoff.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Delivery } from "./Delivery.ts"
import {
  addOf,
  carriedOf,
  type DeliveryRun,
  type Handled,
  forgottenSettlement,
  keyOf,
  noAnswer,
  type Refused,
  settlementsOf,
  since,
  toSend
} from "./DeliveryRun.ts"
import { DeliveredValues } from "./DeliveredValues.ts"
import { DeliveryStore, type Filling, type Settlement } from "./DeliveryStore.ts"
import type { DestinationSession, DestinationUnavailable, Outgoing, Receipt } from "./Destination.ts"

/** What is reported about a row that was answered as written and is not there. */
const notKept = "The destination said that it wrote the row, and does not have it."

/** Seconds before another try: a destination that is away for a moment does not fail the job. */
const ownWaits = [1, 4, 16] as const

const isAway = (error: { readonly _tag: string }): error is DestinationUnavailable =>
  error._tag === "DestinationUnavailable"

/** Whether an attempt of just this version may have arrived, although a later one was refused. */
const hasUnknownAttempt = ({ unconfirmedAttempt, version }: Delivery): boolean =>
  unconfirmedAttempt?.version === version

/** Whether a row may be at the destination although its creation was not acknowledged. */
const mayHaveArrived = (row: Delivery): boolean => row.op === "create" && (row.state !== "intended" || row.version > 1)

const make = Effect.gen(function* () {
  const ledger = yield* DeliveryStore
  const delivered = yield* DeliveredValues
  const jobs = yield* JobStore
  const { fence } = yield* makeRunRights
  const { sleepIdle } = yield* makeSafePoints
  const { atomically } = yield* Transactor
  const digest = yield* Digest

  /** Short waits are waited out, as long as the destination asks for; what takes longer is for another run. */
  const withRetries = <A, E extends { readonly _tag: string }, R>(
    run: DeliveryRun,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Fenced | StorageUnavailable, R> =>
    retryWithBackoff(effect, {
      retries: ownWaits.length,
      longestWait: limits.pauseOverSeconds,
      waitAfter: (error, tried) =>
        Effect.succeed(isAway(error) ? Math.max(ownWaits[tried - 1]!, error.retryAfter ?? 0) : undefined),
      sleep: (seconds) => Effect.flatMap(stretched(seconds), (spread) => sleepIdle(run.fence, spread))
    })

  const outgoing = (run: DeliveryRun, row: Delivery): Outgoing => {
    const key = keyOf(run.feed, row.recordId)
    // What is being sent already, or may have arrived, is sent again; all else is another attempt.
    const attempt = hasUnknownAttempt(row)
      ? row.unconfirmedAttempt!.attempts
      : row.state === "sending"
        ? row.attempts
        : row.attempts + 1
    return {
      key,
      op: row.op,
      values: toSend(row),
      idempotencyKey: digest.contentHash(JSON.stringify([run.config, key, row.op, row.hash, row.version, attempt])),
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
    const asked = yield* fence(run.fence, progress)
    yield* ledger.settle(run.feed.id, run.job.id, settlements)
    const refused = settlements.flatMap((settlement, n): ReadonlyArray<Refused> => {
      if (settlement.state !== "failed") return []
      const row = rows[n]!
      const attempts = row.attempts + (row.state === "sending" ? 0 : 1)
      const waits = settlement.waits === true
      const dead = !waits && (settlement.final === true || attempts >= limits.deliveryAttempts)
      return [{ recordId: settlement.recordId, reason: settlement.error, dead, waits }]
    })
    return { refused, asked } satisfies Handled
  })

  /** Rows as they are sent: those that have no values are given what the ledger says they are to hold now. */
  const withValues = Effect.fnUntraced(function* (run: DeliveryRun, rows: ReadonlyArray<Delivery>) {
    const empty = rows.filter(({ op, values }) => values === undefined && op !== "remove")
    if (empty.length === 0) return rows
    const found = yield* delivered.present(run.feed, empty)
    const fillings = empty.flatMap(({ recordId, version }): ReadonlyArray<Filling> => {
      const content = found.get(recordId)
      return content === undefined ? [] : [{ ...content, recordId, version }]
    })
    yield* ledger.fill(run.feed.id, fillings)
    return rows.map((row): Delivery =>
      row.values === undefined ? { ...row, values: {}, ...found.get(row.recordId) } : row
    )
  })

  /**
   * Rows and receipts in one commit. What this job was refused already, while it made its rows, is only told:
   * a job tries a row once.
   */
  const transactional = Effect.fnUntraced(function* (
    run: DeliveryRun,
    session: DestinationSession,
    all: ReadonlyArray<Delivery>,
    readable: boolean
  ) {
    const tried = (row: Delivery) => row.state === "failed" && row.jobId === run.job.id
    const known = all.filter(tried).map(({ attempts, dead, lastError, recordId }): Refused => ({
      recordId,
      reason: lastError ?? noAnswer,
      dead,
      waits: attempts === 0
    }))
    const rows = all.filter((row) => !tried(row))
    if (rows.length === 0) return { refused: known, asked: false } satisfies Handled
    const handled = yield* atomically(
      Effect.gen(function* () {
        yield* fence(run.fence, {})
        const filled = yield* withValues(run, rows)
        const receipts = yield* session.write(filled.map((row) => outgoing(run, row)))
        return yield* settle(run, filled, settlementsOf(run, filled, receipts, readable), true)
      })
    )
    return { refused: [...known, ...handled.refused], asked: handled.asked } satisfies Handled
  })

  /** Marks rows before they are sent. Returns them as they are then, without those that changed meanwhile. */
  const mark = (run: DeliveryRun, rows: ReadonlyArray<Delivery>) =>
    atomically(
      Effect.gen(function* () {
        yield* fence(run.fence, {})
        const missed = yield* ledger.markSending(run.feed.id, run.job.id, rows)
        const marked = rows.filter((row) => !missed.has(row.recordId))
        yield* fence(run.fence, carriedOf(run, marked))
        return marked
      })
    )

  /**
   * Whether the run may still write, asked again before something is sent that time has passed for since it
   * was: no transaction keeps a destination outside of the database from a worker that stood still meanwhile.
   */
  const check = (run: DeliveryRun) => atomically(fence(run.fence, {}))

  /**
   * Receipts as they hold: a new row that was answered `done` and is not there was not kept. Left like that, its next
   * update would find nothing and be taken for a row that a person deleted.
   */
  const confirmed = Effect.fnUntraced(function* (
    run: DeliveryRun,
    session: DestinationSession,
    visibleSeconds: number,
    rows: ReadonlyArray<Delivery>,
    receipts: ReadonlyArray<Receipt>
  ) {
    const made = new Set(rows.flatMap((row) => (row.op === "create" ? [keyOf(run.feed, row.recordId)] : [])))
    const keys = receipts.flatMap(({ key, outcome }) => (outcome === "done" && made.has(key) ? [key] : []))
    if (keys.length === 0) return receipts
    yield* sleepIdle(run.fence, visibleSeconds)
    const found = yield* withRetries(run, session.lookup(keys))
    const missing = new Set(keys.filter((key) => !found.has(key)))
    return receipts.map((receipt): Receipt =>
      missing.has(receipt.key) ? { key: receipt.key, outcome: "failed", reason: notKept } : receipt
    )
  })

  /**
   * `visibleSeconds`: of a destination whose new rows can be looked up. `remembersKeys`: a row whose outcome was unknown
   * keeps its idempotency key, whatever is answered next: an attempt under another key could arrive a second time.
   */
  const keyed = Effect.fnUntraced(function* (
    run: DeliveryRun,
    session: DestinationSession,
    rows: ReadonlyArray<Delivery>,
    {
      remembersKeys = false,
      visibleSeconds
    }: { readonly remembersKeys?: boolean; readonly visibleSeconds?: number } = {}
  ) {
    const marked = yield* mark(run, rows)
    let tries = 0
    const receipts = yield* withRetries(
      run,
      Effect.gen(function* () {
        if (tries++ > 0) yield* check(run)
        return yield* session.write(marked.map((row) => outgoing(run, row)))
      })
    )
    const kept =
      visibleSeconds === undefined ? receipts : yield* confirmed(run, session, visibleSeconds, marked, receipts)
    const isUnknown = (row: Delivery, receipt: Receipt | undefined): boolean =>
      remembersKeys && (tries > 1 || receipt === undefined || since(row) !== undefined)
    return yield* atomically(settle(run, marked, settlementsOf(run, marked, kept, false, isUnknown), false))
  })

  /**
   * Older versions whose outcome is not known, sent again under their keys to find it out: one that is refused now was not
   * written before either, so nothing keeps the newer version.
   */
  const clearUp = Effect.fnUntraced(function* (
    run: DeliveryRun,
    session: DestinationSession,
    rows: ReadonlyArray<Delivery>
  ) {
    const older = rows.flatMap((row): ReadonlyArray<Delivery> =>
      row.unconfirmedAttempt === undefined || hasUnknownAttempt(row)
        ? []
        : [{ ...row, ...row.unconfirmedAttempt, state: "sending" }]
    )
    if (older.length === 0) return
    const receipts = yield* withRetries(
      run,
      Effect.andThen(check(run), session.write(older.map((row) => outgoing(run, row))))
    )
    yield* atomically(
      Effect.andThen(
        fence(run.fence, {}),
        ledger.settle(run.feed.id, run.job.id, settlementsOf(run, older, receipts, false))
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
      : atomically(settle(run, lost, lost.map(forgottenSettlement), true))
    const safe = rows.filter((row) => !forgotten.has(row))
    yield* clearUp(run, session, safe)
    const clear = safe.filter((row) => row.unconfirmedAttempt === undefined || hasUnknownAttempt(row))
    if (clear.length === 0) return given
    const sent = yield* keyed(run, session, clear, { remembersKeys: true })
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

  /** Waits until look-ups show for certain what was sent of these rows before. */
  const untilVisible = Effect.fnUntraced(function* (
    run: DeliveryRun,
    visibleSeconds: number,
    rows: ReadonlyArray<Delivery>
  ) {
    if (visibleSeconds === 0) return
    const sent = rows.flatMap((row) => (mayHaveArrived(row) ? [Timestamp.toMillis(row.updatedAt)] : []))
    if (sent.length === 0) return
    const now = Timestamp.toMillis(yield* jobs.now)
    yield* sleepIdle(run.fence, Math.max(...sent) / 1000 + visibleSeconds - now / 1000)
  })

  /** Rows that are sent again were sent just now: who takes over has to wait from here. */
  const markAgain = (run: DeliveryRun, rows: ReadonlyArray<Delivery>) =>
    atomically(Effect.andThen(fence(run.fence, {}), ledger.markSending(run.feed.id, run.job.id, rows)))

  /**
   * Like `keyed`, but rows that may have arrived are looked up before they are sent again: after a crash,
   * after an answer that was lost, and when newer content came before either was known. Look-ups that lag behind writes
   * are waited for first, before the rows are marked: the mark is the time of the next write.
   */
  const readBack = Effect.fnUntraced(function* (
    run: DeliveryRun,
    session: DestinationSession,
    visibleSeconds: number,
    rows: ReadonlyArray<Delivery>
  ) {
    yield* untilVisible(run, visibleSeconds, rows)
    const marked = yield* mark(run, rows)
    let tried = false
    const [sent, receipts] = yield* withRetries(
      run,
      Effect.gen(function* () {
        const again = tried
        if (again) yield* sleepIdle(run.fence, visibleSeconds)
        const known = yield* resolved(run, session, marked, (row) => again || mayHaveArrived(row))
        if (again || known !== rows) yield* markAgain(run, marked)
        tried = true
        return [known, yield* session.write(known.map((row) => outgoing(run, row)))] as const
      })
    )
    const kept = yield* confirmed(run, session, visibleSeconds, sent, receipts)
    return yield* atomically(settle(run, sent, settlementsOf(run, sent, kept, false), false))
  })

  return { withRetries, check, transactional, keyed, remembered, readBack }
})

export class DeliveryStrategies extends Context.Service<DeliveryStrategies>()(
  "@millrace/core/destination/DeliveryStrategies",
  { make }
) {
  static readonly layer: Layer.Layer<
    DeliveryStrategies,
    never,
    DeliveryStore | DeliveredValues | JobStore | Leases | Transactor | Digest
  > = Layer.effect(DeliveryStrategies, make)
}
