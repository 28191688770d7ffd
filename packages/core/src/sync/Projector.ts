/**
 * Following the ledger for one feed: enrich what changed, compare with what the destination has, and write
 * down what should be there. Unchanged data costs nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Account } from "../bank/Account.ts"
import { ownerOf } from "../bank/PublicRecord.ts"
import type { Bank } from "../bank/Bank.ts"
import type { Direct, DirectWrite } from "../destination/Deliverer.ts"
import { DeliveryStore, type Intent } from "../destination/DeliveryStore.ts"
import { appends, type RunOfFeed } from "../destination/DeliveryRun.ts"
import type { DestinationError } from "../destination/Destination.ts"
import type { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { splitMismatches } from "../enrichment/kinds/split/SplitEvents.ts"
import type { CompiledPipeline, PipelineFault } from "../enrichment/Pipeline.ts"
import { CurrentRunGuard } from "../enrichment/RunGuard.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import { EventStore } from "../event/EventStore.ts"
import { isItemized, recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import { startOf as startOfFeed } from "../feed/FeedConfig.ts"
import { FeedStore, type FeedMark } from "../feed/FeedStore.ts"
import type { Fenced, JobStore } from "../job/JobStore.ts"
import { makeRunRights, type RunRight } from "../job/RunRight.ts"
import { makeSafePoints } from "../job/SafePoint.ts"
import { yieldIfRevoked } from "../job/RunLease.ts"
import { isDocumentType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { documentRows, type DocumentRow } from "./DocumentRows.ts"
import type { Force } from "./Decision.ts"
import { besideRecords } from "./BesideRecords.ts"
import { deliveredHistory } from "./DeliveredHistory.ts"
import type { Enriching } from "./EnrichedRecord.ts"
import { FaultLog } from "./FaultLog.ts"
import { combined, decidedInTurns, type Decided, type Deciding } from "./Decided.ts"
import { basesOf, linesOfRows } from "./RecordRows.ts"
import { ofSets, ownFieldsOf } from "./OwnFields.ts"
import { Parts } from "./TakenOver.ts"
import { betweenOf, grouped, isBehind, redeliveredFrom, signatureText, startOf, together } from "./ProjectionStart.ts"

export interface Projection {
  readonly feed: Feed
  readonly job: RunOfFeed
  readonly fence: RunRight
  readonly accounts: ReadonlyArray<{ readonly bank: Bank; readonly account: Account }>
  readonly pipeline: CompiledPipeline
  readonly today: CalendarDate.CalendarDate
  readonly force: Force
  /** Writes what is intended in the same transaction; `undefined` leaves it in the ledger for later. */
  readonly direct: Direct | undefined
  /** Only records of these days; how far the feed has come is then left as it is. */
  readonly range: { readonly from: CalendarDate.CalendarDate; readonly to: CalendarDate.CalendarDate } | undefined
  /**
   * Of a local run. `changes`: only what changed since is looked at, and a changed configuration is left to a job. `history`:
   * all records are, as if each had changed.
   */
  readonly local: "changes" | "history" | undefined
  /** Records of earlier days are left as they are, now and by later runs. */
  readonly since: CalendarDate.CalendarDate | undefined
}

/** What all accounts of a run have in common. */
interface Going {
  readonly faults: FaultLog
  /** Nothing was ever delivered by the feed, and nobody else delivers while the run holds it: nothing is looked for. */
  readonly isFirst: boolean
  /** Rows are worked out account by account: in turns all of them would be late, and none ready to be written. */
  readonly working: Semaphore.Semaphore
}

/** What accounts that are looked at together have in common. */
interface Together extends Going {
  /** Accounts are worked out side by side, so what one of them sets aside tells nothing of another: the order is not always the same. */
  readonly work: RunWork
  /** Characters of history that are written in one transaction, where the rest may come later. */
  readonly mostText: number
}

/** Whether the job has run before: then some of its looks and deliveries are counted already. */
const hasCounted = ({ counts }: RunOfFeed): boolean => counts.read + counts.vanished + counts.carried > 0

/** Documents that are looked at in one transaction: each may have a thousand items. */
const documentChunk = 50

/** A row with no field that was ever said otherwise than by the provider. */
const noEntries: ReadonlyMap<string, never> = new Map<string, never>()

/** Accounts with few changes, which are looked for at once. */
const accountsReadAtOnce = 4

const chunkOf = ({ dataType }: Feed): number =>
  isDocumentType(dataType) ? documentChunk : Math.min(limits.syncedChunk, limits.commitChunk)

/** Its key at the destination. */
const idAt = ({ feed, job }: Projection, record: LedgerRecord) =>
  appends(feed) ? `${record.id}:${job.createdAt}` : record.id

/** Whether it is a day that the run is about, and the feed: what lies before its first day is left as it is. */
const inRange = ({ feed, range, since }: Projection, { date }: LedgerRecord): boolean => {
  if (range !== undefined && (date === null || date < range.from || date > range.to)) return false
  const begins = startOfFeed(feed.dataTypeOptions)
  return date === null || ((since === undefined || date >= since) && (begins === undefined || date >= begins))
}

/** The rows of records that the run is about. */
const rowsOf = (projection: Projection, changes: ReadonlyArray<LedgerRecord>): ReadonlyArray<DocumentRow> => {
  const { feed } = projection
  const looked = changes.filter((record) => inRange(projection, record))
  return isDocumentType(feed.dataType)
    ? looked.flatMap((record) => documentRows(feed, record))
    : looked.map((record) => ({ rowId: idAt(projection, record), record, shown: true }))
}

export class Projector extends Context.Service<
  Projector,
  {
    readonly project: (projection: Projection) => Effect.Effect<
      {
        readonly faults: ReadonlyArray<PipelineFault>
        /** How often each enrichment failed. */
        readonly failed: ReadonlyMap<string, number>
        /** Records that the upstream has and that were looked at; counted as read. */
        readonly looked: number
        /** Of the rows that were looked at, those that filters hold back for more than `limits.holdDays`. */
        readonly heldLong: number
      },
      Fenced | DestinationError
    >
  }
>()("@millrace/core/sync/Projector") {
  static readonly layer: Layer.Layer<
    Projector,
    never,
    | RecordStore
    | FeedStore
    | DeliveryStore
    | JobStore
    | Leases
    | AnalysisStore
    | RecordChangeStore
    | EventStore
    | Transactor
    | Digest
    | Ids
  > = Layer.effect(
    Projector,
    Effect.gen(function* () {
      const records = yield* RecordStore
      const feeds = yield* FeedStore
      const deliveries = yield* DeliveryStore
      const { fence } = yield* makeRunRights
      const { safePoint } = yield* makeSafePoints
      const { atomically } = yield* Transactor
      const digest = yield* Digest
      const events = yield* EventStore
      const history = yield* deliveredHistory
      const beside = yield* besideRecords({ mayAsk: true })

      /** Everything besides the records that decides what is delivered. */
      const signatureOf = (projection: Projection, owner: Fields): string => {
        const { dataTypeOptions, destinationConfig, fieldMappings } = projection.feed
        const perItem = isItemized(projection.feed) ? ["itemizePerRow"] : []
        const own = digest.contentHash(
          JSON.stringify([owner, fieldMappings, dataTypeOptions, destinationConfig?.onRemoved ?? null, ...perItem])
        )
        const { decidesDaily, signature } = projection.pipeline
        const enrichments = decidesDaily ? `${signature} ${projection.today}` : signature
        return signatureText(own, digest.contentHash(enrichments), projection.pipeline)
      }

      /**
       * Writes intents of a job that was taken up again. Returns how many replaced one that it had made before: of those
       * two looks only the later one will be settled.
       */
      const intendAgain = Effect.fnUntraced(function* (feed: Feed, job: RunOfFeed, intents: ReadonlyArray<Intent>) {
        const before = yield* deliveries.countOpen(feed.id, job.id)
        yield* deliveries.intend(feed.id, job.id, intents)
        const after = yield* deliveries.countOpen(feed.id, job.id)
        return intents.length - (after.own - before.own)
      })

      /** Where an account begins, and what is asked of each of its records. */
      const started = (
        projection: Projection,
        owner: { readonly bank: Bank; readonly account: Account },
        mark: FeedMark | undefined,
        upTo: number,
        /** Whether it may have rows that no mark tells of. */
        forgotten: boolean
      ) => {
        const { account, bank } = owner
        const { dataType } = projection.feed
        const ownerFields = ownerOf(bank, account)
        const { local, pipeline, range } = projection
        const signature =
          local === "changes" && mark !== undefined ? mark.signature : signatureOf(projection, ownerFields)
        const from = startOf(projection.feed, range !== undefined || local === "history", mark, signature, forgotten)
        return {
          account,
          ownerFields,
          scope: { workspaceId: projection.feed.workspaceId, accountId: account.id, dataType },
          mark,
          signature,
          upTo,
          /** Where other accounts became part of it. */
          parts: undefined as Parts | undefined,
          ...from,
          mayHaveLines: from.mayHaveLines || pipeline.makesLines
        }
      }
      type Started = ReturnType<typeof started>

      /** Whether nothing about the record changed but enrichments, and it is too old to be delivered again for that. */
      const isSettled = ({ today }: Projection, { known }: Started, { changeNo, date }: LedgerRecord): boolean =>
        changeNo <= known && date !== null && date < redeliveredFrom(today)

      /** Whether it is as old, and only one of its annotations has changed. */
      const isOnlyTouched = ({ today }: Projection, { known }: Started, record: LedgerRecord): boolean =>
        record.changeNo > known &&
        record.publicChangeNo <= known &&
        record.date !== null &&
        record.date < redeliveredFrom(today)

      /** What it takes to enrich the records of an account. */
      const enrichingOf = (
        { feed, job, pipeline, today }: Projection,
        { account, ownerFields, scope }: Started,
        work: RunWork
      ) => {
        // Of a balance that is appended, and whose upstream does not say when it was true, each run is a reading.
        const reading = appends(feed) && account.balanceAsOf === undefined ? { reading: { date: job.createdAt } } : {}
        return {
          pipeline,
          dataType: scope.dataType,
          specs: recordFields(feed),
          ownerFields,
          today,
          work,
          ...reading
        } satisfies Enriching
      }

      /** The annotations of the records of some accounts; faults are noted. */
      const lookBeside = Effect.fnUntraced(function* (
        projection: Projection,
        all: ReadonlyArray<readonly [Started, ReadonlyArray<DocumentRow>]>,
        { faults, work }: Together
      ) {
        const { feed, pipeline, today } = projection
        const looked = all.map(([start, some]) => [enrichingOf(projection, start, work), some] as const)
        const found = yield* beside(feed, pipeline, { today, work }, looked)
        for (const fault of found.faults) faults.note(fault)
        return found
      })

      /** Decides what is to be done about records: their annotations and what is there are looked at in one go. */
      const judgedRows = Effect.fnUntraced(function* (
        projection: Projection,
        given: ReadonlyArray<readonly [Started, ReadonlyArray<DocumentRow>]>,
        going: Together
      ) {
        const { faults, isFirst, work, working } = going
        const { feed, force, job } = projection
        const { note } = faults
        const entries = new Map(
          isFirst
            ? []
            : yield* deliveries.entries(
                feed.id,
                given.flatMap(([{ parts }, rows]) =>
                  rows.flatMap(({ record, rowId }) => (parts === undefined ? [rowId] : parts.among(record)))
                )
              )
        )
        const all = given.map(([start, rows]) => [start, start.parts?.rows(rows, entries) ?? rows] as const)
        const standing = yield* lookBeside(projection, all, going)
        /** Those that enrichments may split or may have split, and those that a person did. */
        const linesIn = ([start, rows]: readonly [Started, ReadonlyArray<DocumentRow>]) =>
          start.mayHaveLines ? rows : rows.filter(({ record }) => standing.notes.get(record.id)?.split !== undefined)
        const withLines = all.flatMap(linesIn)
        const under =
          withLines.length === 0 ? undefined : yield* deliveries.entriesUnder(feed.id, basesOf(feed, withLines))
        for (const some of under?.values() ?? []) for (const entry of some) entries.set(entry.recordId, entry)
        const touched = all.flatMap(([start, rows]) =>
          rows.flatMap(({ record, rowId }) => (isOnlyTouched(projection, start, record) ? [rowId] : []))
        )
        const delivered = yield* history.lastOf(feed.id, touched)
        const isOfSets = ofSets(projection.pipeline)
        return yield* Effect.forEach(all, (one) => {
          const [start, rows] = one
          const enriching = enrichingOf(projection, start, work)
          const mayHaveLines = linesIn(one).length > 0
          const judging: Deciding = {
            feed,
            job,
            force,
            enriching,
            standing,
            entries,
            isSettled: (record) => isSettled(projection, start, record),
            decides: start.decides,
            // Lines have the sum of their record together: they are written as they are.
            onlyOwn: ({ record, rowId }, view) =>
              !mayHaveLines && isOnlyTouched(projection, start, record)
                ? ownFieldsOf(view, delivered.get(rowId) ?? noEntries, standing.notes.get(record.id), isOfSets)
                : view,
            mayHaveLines,
            hash: digest.contentHash,
            note,
            linesOf: (some, known, hear) =>
              under === undefined || !mayHaveLines ? some : linesOfRows(enriching, some, known, under, hear),
            earlier: (some) =>
              history.earlier(
                feed.id,
                some.flatMap(({ rowId }) => [rowId, ...(under?.get(rowId) ?? []).map(({ recordId }) => recordId)])
              )
          }
          return working.withPermit(decidedInTurns(judging, rows, going.mostText))
        })
      })

      /** Writes what was decided, and how far the feed has come by it. */
      const put = Effect.fnUntraced(function* (
        projection: Projection,
        { add, areNew, intents, kept, told }: Decided,
        { working }: Together,
        setMarks: Effect.Effect<void, StorageUnavailable>
      ) {
        const { feed, job } = projection
        const direct =
          projection.direct === undefined || intents.length === 0
            ? undefined
            : yield* working.withPermit(projection.direct.prepare(intents, areNew))
        const changes = yield* history.of(projection, told)
        const alongside = Effect.gen(function* () {
          if (kept.length > 0) yield* deliveries.keep(feed.id, kept)
          if (changes.length > 0) yield* history.append(changes)
          const mismatches = splitMismatches(changes)
          if (mismatches.length > 0) yield* events.append(mismatches)
          yield* setMarks
        })
        const written = <E>(write: Effect.Effect<Effect.Success<DirectWrite["inTurn"]>, E>) =>
          atomically(
            Effect.gen(function* () {
              // First, because a table is locked while it is written: the histories of several accounts need not wait for each other.
              yield* alongside
              const counts = yield* write
              // Last, because the job is one row: accounts that are written at once would wait for each other from here on.
              return yield* fence(projection.fence, {
                add: { ...add, ...counts, unchanged: add.unchanged + counts.unchanged }
              })
            })
          )
        if (direct !== undefined) {
          const { ahead, inTurn } = direct
          const asked = yield* ahead === undefined
            ? written(inTurn)
            : Effect.catchTag(written(ahead), "Unforeseen", () => written(inTurn))
          return yield* safePoint(projection.fence, asked)
        }
        const asked = yield* atomically(
          Effect.gen(function* () {
            if (!hasCounted(job)) {
              if (intents.length > 0) yield* deliveries.intend(feed.id, job.id, intents)
              yield* alongside
              return yield* fence(projection.fence, { add })
            }
            // First, because what is open is counted before and after: nobody else of the run may open rows in between.
            const wanted = yield* fence(projection.fence, { add })
            if (intents.length > 0) {
              const replaced = yield* intendAgain(feed, job, intents)
              if (replaced > 0) yield* fence(projection.fence, { add: { unchanged: replaced } })
            }
            yield* alongside
            return wanted
          })
        )
        yield* safePoint(projection.fence, asked)
      })

      /** What was set aside is looked at again by the next run. */
      const signatureAfter = ({ signature }: Started, { work }: Together): string =>
        work.setAside.size === 0 ? signature : betweenOf({ signature }, signature)

      /** Rows go out under another signature than the mark's, and not all of them did. */
      const markBetween = (feed: Feed, { mark, signature }: Started, { intents }: Decided) =>
        mark !== undefined && mark.signature !== signature && intents.length > 0
          ? feeds.setMarks(feed.id, [{ ...mark, signature: betweenOf(mark, signature) }])
          : Effect.void

      /** Rows that each run makes are nobody's to take over. */
      const withParts = (projection: Projection, start: Started) =>
        start.account.joins === undefined || appends(projection.feed) || isDocumentType(projection.feed.dataType)
          ? Effect.succeed(start)
          : Effect.map(records.merged(start.scope), (merged): Started => ({ ...start, parts: new Parts(merged) }))

      /** One account, in as many transactions as it takes. */
      const projectAccount = Effect.fnUntraced(function* (projection: Projection, start: Started, run: Going) {
        const { feed } = projection
        const { account, after, mark, scope, signature, upTo } = start
        const going: Together = {
          ...run,
          work: new RunWork((yield* CurrentRunGuard).aside),
          // Rows that are taken over are reported by others, so those that were judged cannot be counted.
          mostText: start.parts === undefined ? limits.historyText : Infinity
        }
        let at = after
        let live = 0
        let overdue = 0
        while (at < upTo) {
          yield* yieldIfRevoked
          const changes = yield* records.changes(scope, { after: at, upTo, limit: chunkOf(feed) })
          if (changes.length === 0) break
          const rows = rowsOf(projection, changes)
          const decided = combined(yield* judgedRows(projection, [[start, rows]], going))
          const last = decided.rows < rows.length ? rows[decided.rows - 1]!.record : changes[changes.length - 1]!
          at = last.changeNo
          const changeNo = at
          live += decided.add.read
          overdue += decided.heldLong
          // Until the last chunk a changed signature stays unfinished, so that a new run begins again.
          const done =
            projection.range === undefined && (changeNo >= upTo || mark === undefined || mark.signature === signature)
          yield* put(
            projection,
            decided,
            going,
            done
              ? feeds.setMarks(feed.id, [{ accountId: account.id, changeNo, signature: signatureAfter(start, going) }])
              : markBetween(feed, start, decided)
          )
        }
        if (projection.range === undefined && (at < upTo || (isBehind(start) && at === after))) {
          // The account changed in other types of data only: nothing to send, but nothing to look at again.
          yield* atomically(
            Effect.andThen(
              fence(projection.fence, {}),
              feeds.setMarks(feed.id, [
                { accountId: account.id, changeNo: upTo, signature: signatureAfter(start, going) }
              ])
            )
          )
        }
        return { live, overdue }
      })

      /** Accounts with so few changes that one transaction holds them all. */
      const projectTogether = Effect.fnUntraced(function* (
        projection: Projection,
        starts: ReadonlyArray<Started>,
        run: Going
      ) {
        yield* yieldIfRevoked
        const { feed } = projection
        const going: Together = { ...run, work: new RunWork((yield* CurrentRunGuard).aside), mostText: Infinity }
        // While the database finds those of some accounts, those of others are read.
        const looked = yield* Effect.forEach(
          starts,
          (start) =>
            Effect.map(
              records.changes(start.scope, { after: start.after, upTo: start.upTo, limit: together }),
              (changes) => rowsOf(projection, changes)
            ),
          { concurrency: accountsReadAtOnce }
        )
        const each = yield* judgedRows(
          projection,
          starts.map((start, n) => [start, looked[n]!] as const),
          going
        )
        const decided = combined(each)
        yield* put(
          projection,
          decided,
          going,
          projection.range !== undefined
            ? Effect.forEach(starts, (start, n) => markBetween(feed, start, each[n]!), { discard: true })
            : feeds.setMarks(
                feed.id,
                starts.map((start) => ({
                  accountId: start.account.id,
                  changeNo: start.upTo,
                  signature: signatureAfter(start, going)
                }))
              )
        )
        return { live: decided.add.read, overdue: decided.heldLong }
      })

      const project = Effect.fn("Projector.project")(function* (projection: Projection) {
        const marks = new Map((yield* feeds.marks(projection.feed.id)).map((mark) => [mark.accountId, mark]))
        const last = yield* records.lastChanges(projection.accounts.map(({ account }) => account.id))
        const faults = new FaultLog()
        const isUnmarked = projection.accounts.some(({ account }) => !marks.has(account.id))
        const isFirst = isUnmarked && (yield* deliveries.list(projection.feed.id, { limit: 1 })).length === 0
        // Where marks were taken away so that all is looked at again, the destination has what they told of.
        const forgotten = !projection.pipeline.makesLines && isUnmarked && !isFirst
        const going: Going = { faults, isFirst, working: Semaphore.makeUnsafe(1) }
        const starts = yield* Effect.forEach(
          projection.accounts
            .map((owner) =>
              started(projection, owner, marks.get(owner.account.id), last.get(owner.account.id) ?? 0, forgotten)
            )
            .filter((start) => start.after < start.upTo || isBehind(start)),
          (start) => withParts(projection, start)
        )
        // While the database writes one account, the next is ready to be written, and the records of another are enriched.
        const groups = isDocumentType(projection.feed.dataType) ? starts.map((start) => [start]) : grouped(starts)
        const looked = yield* Effect.forEach(
          groups,
          (group) =>
            group.length === 1
              ? projectAccount(projection, group[0]!, going)
              : projectTogether(projection, group, going),
          { concurrency: Math.min(3, groups.length) }
        )
        return {
          faults: faults.faults,
          failed: faults.counts,
          looked: looked.reduce((sum, { live }) => sum + live, 0),
          heldLong: looked.reduce((sum, { overdue }) => sum + overdue, 0)
        }
      })

      return Projector.of({ project })
    })
  )
}
