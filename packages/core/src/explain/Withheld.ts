/**
 * The rows that filters keep from the destination of a feed, and why (enrichments C15): what each filter says of each record is
 * worked out when it is asked for, by the way of runs.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { BankStore } from "../bank/BankStore.ts"
import { ownerOf } from "../bank/PublicRecord.ts"
import { Cursors } from "../cursor/Cursors.ts"
import type { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import type { Verdict } from "../enrichment/kinds/Kind.ts"
import { type PipelineResult, type PipelineVerdict, runWithLines } from "../enrichment/Pipeline.ts"
import type { CursorUnusable, Forbidden, NotFound } from "../failure/Failure.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { Fields } from "../record/FieldValue.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { type Page, type PageRequest, sizeOf } from "../shared/Page.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { besideRecords } from "../sync/BesideRecords.ts"
import { shownRows } from "../sync/DocumentRows.ts"
import { viewOf } from "../sync/EnrichedRecord.ts"
import { isLong, unchangedSince } from "../sync/HeldLong.ts"
import { feedOwners } from "./FeedOwners.ts"

export interface WithheldRow {
  readonly rowId: string
  readonly recordId: string
  readonly accountId: Id<"account">
  readonly date: CalendarDate.CalendarDate | null
  /** `hold`: it waits; `drop`: it is not delivered. */
  readonly verdict: PipelineVerdict
  /** The row as its enrichments leave it. */
  readonly fields: Fields
  /** Since then neither the record nor an enrichment of the feed has changed: it is withheld for at least that long. */
  readonly since: Timestamp
  /** It waits for more than `limits.holdDays`. */
  readonly overdue: boolean
}

export interface WithheldRequest extends PageRequest {
  /** Both unless given. */
  readonly verdict?: Exclude<Verdict, "deliver">
}

const WithheldCursor = Schema.Struct({
  verdict: Schema.optionalKey(Schema.Literals(["hold", "drop"])),
  accountId: Id("account"),
  /** Records of the account up to this change were looked at, and of the next one so many rows were told. */
  after: Schema.Int,
  told: Schema.Int
})

const make = Effect.gen(function* () {
  const feeds = yield* FeedStore
  const records = yield* RecordStore
  const pipelines = yield* FeedPipelines
  const cursors = yield* Cursors
  const ownersOf = yield* feedOwners
  const beside = yield* besideRecords({ mayAsk: false })

  return Withheld.of({
    list: Effect.fn("Withheld.list")(function* (caller, feedId, { cursor, limit: asked, ...filters }) {
      const { workspace } = caller.principal
      const feed = yield* reach(caller, "listWithheld", "Feed", yield* feeds.get(workspace.id, feedId))
      const bound = { workspaceId: workspace.id, list: `withheld/${feedId}` }
      const start = cursor === undefined ? filters : yield* cursors.decode(bound, WithheldCursor, cursor)
      const begun = "accountId" in start ? start : undefined
      const limit = sizeOf(limits.page, asked)
      const pipeline = yield* pipelines.of(feed)
      const found: Array<WithheldRow> = []
      if (!pipeline.decides) return { rows: found, hasMore: false }
      const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
      const pageOf = Effect.fnUntraced(function* (accountId: Id<"account">, after: number, told: number) {
        const { verdict } = start
        const next = { accountId, after, told, ...(verdict === undefined ? {} : { verdict }) }
        return { rows: found, hasMore: true, cursor: yield* cursors.encode(bound, "page", next) }
      })
      const isWanted = ({ verdict: { value } }: PipelineResult) =>
        value !== "deliver" && (start.verdict === undefined || start.verdict === value)

      let looked = 0
      const work = new RunWork()
      const owners = (yield* ownersOf(feed)).toSorted((a, b) => (a.account.id < b.account.id ? -1 : 1))
      for (const { account, bank } of owners) {
        if (begun !== undefined && account.id < begun.accountId) continue
        const isFirst = account.id === begun?.accountId
        const scope = { workspaceId: feed.workspaceId, accountId: account.id, dataType: feed.dataType }
        const enriching = {
          pipeline,
          dataType: feed.dataType,
          specs: recordFields(feed),
          ownerFields: ownerOf(bank, account),
          today,
          work
        }
        const upTo = yield* records.lastChange(account.id)
        let at = isFirst ? begun.after : 0
        let skip = isFirst ? begun.told : 0
        while (at < upTo) {
          const changes = yield* records.changes(scope, { after: at, upTo, limit: limits.commitChunk })
          if (changes.length === 0) break
          const live = changes.filter(({ state }) => state === "live")
          const rows = live.flatMap((record) => shownRows(feed, record))
          const standing = yield* beside(feed, pipeline, enriching, [[enriching, rows]])
          for (const [record, own] of Map.groupBy(rows, (row) => row.record.changeNo)) {
            yield* nextTurn(work)
            const withheld = own.flatMap((row): ReadonlyArray<readonly [string, PipelineResult]> => {
              const result = runWithLines(pipeline, viewOf(enriching, row), enriching, {
                notes: standing.notes.get(row.record.id),
                gathered: standing.gathered.get(row.rowId)?.gathered
              })
              return [
                ...(result.shown ? [[row.rowId, result.record] as const] : []),
                ...(result.linesShown ? result.lines : [])
              ].filter(([, one]) => isWanted(one))
            })
            for (const [n, [rowId, { fields, verdict }]] of withheld.entries()) {
              if (n < skip) continue
              if (found.length === limit) return yield* pageOf(account.id, at, n)
              const { record: now } = own[0]!
              const { accountId, date, id: recordId } = now
              const since = unchangedSince(now, pipeline)
              const overdue = verdict.value === "hold" && isLong(since, today)
              found.push({ rowId, recordId, accountId, date, verdict, fields, since, overdue })
            }
            at = record
            skip = 0
          }
          at = changes.at(-1)!.changeNo
          looked += changes.length
          if (looked >= limits.rehearsedRecords) return yield* pageOf(account.id, at, 0)
        }
      }
      return { rows: found, hasMore: false }
    })
  })
})

export class Withheld extends Context.Service<
  Withheld,
  {
    /** By account, then in the order in which the records changed last. A page may have fewer rows than asked for, and go on. */
    readonly list: (
      caller: Caller,
      feedId: FeedId,
      request: WithheldRequest
    ) => Effect.Effect<Page<WithheldRow>, NotFound | Forbidden | CursorUnusable | StorageUnavailable>
  }
>()("@millrace/core/explain/Withheld") {
  static readonly layer: Layer.Layer<
    Withheld,
    never,
    FeedStore | BankStore | RecordStore | FeedPipelines | AnalysisStore | Cursors
  > = Layer.effect(Withheld, make)
}
