/** One record of the ledger, and what each feed that shows it makes of it now. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { type Account, isOwnAccount } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { ownerOf } from "../bank/PublicRecord.ts"
import { showsAccount } from "../enrichment/AnalysisPlaces.ts"
import type { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import {
  type CompiledPipeline,
  type PipelineFault,
  runWithLines,
  type Trace,
  type WithLines
} from "../enrichment/Pipeline.ts"
import { noNotes, type RecordNotes } from "../enrichment/RecordNotes.ts"
import { type NotFound, type Forbidden } from "../failure/Failure.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { type DataType, idKindOf } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { isId } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { besideRecords } from "../sync/BesideRecords.ts"
import { shownRows } from "../sync/DocumentRows.ts"
import { viewOf } from "../sync/EnrichedRecord.ts"

/** A record with whose it is. */
export interface Looked {
  readonly scope: RecordScope
  readonly record: LedgerRecord
  readonly bank: Bank
  readonly account: Account
  /** Those that show it, in their order. */
  readonly feeds: ReadonlyArray<Feed>
}

/** What a feed makes of one row of a record. */
export interface RowLook {
  readonly feed: Feed
  readonly pipeline: CompiledPipeline
  readonly rowId: string
  /** What the provider says. */
  readonly provided: Fields
  readonly notes: RecordNotes
  readonly result: WithLines
  /** Enrichments that could not be asked at all. */
  readonly faults: ReadonlyArray<PipelineFault>
}

const typeOf = (recordId: string): DataType | undefined =>
  (Object.keys(idKindOf) as ReadonlyArray<DataType>).find((type) => isId(idKindOf[type], recordId))

const make = Effect.gen(function* () {
  const banks = yield* BankStore
  const records = yield* RecordStore
  const feeds = yield* FeedStore
  const pipelines = yield* FeedPipelines
  const history = yield* RecordChangeStore
  const beside = yield* besideRecords({ mayAsk: false })

  /** All accounts of the workspace, those that were made for feeds at the end. */
  const accountsOf = Effect.fnUntraced(function* (workspaceId: RecordScope["workspaceId"], all: ReadonlyArray<Feed>) {
    const found: Array<{ readonly bank: Bank; readonly account: Account }> = []
    const made = yield* Effect.forEach(all, ({ id }) => banks.made(id))
    for (const bank of [...(yield* banks.list([workspaceId])), ...made.flat()]) {
      for (const account of yield* banks.accounts(bank.id)) if (isOwnAccount(account)) found.push({ bank, account })
    }
    return found
  })

  const find = Effect.fnUntraced(function* (workspaceId: RecordScope["workspaceId"], recordId: string) {
    const dataType = typeOf(recordId)
    if (dataType === undefined) return undefined
    const all = yield* feeds.list([workspaceId], { dataType })
    const accounts = yield* accountsOf(workspaceId, all)
    // The history knows where it is, if it knows it.
    const [known] = yield* history.ofRecord(workspaceId, recordId, 1)
    const likely = accounts.toSorted(
      (a, b) => Number(b.account.id === known?.accountId) - Number(a.account.id === known?.accountId)
    )
    for (const { account, bank } of likely) {
      const scope = { workspaceId, accountId: account.id, dataType }
      const [record] = yield* records.held(scope, [recordId])
      if (record === undefined) continue
      const shown = all.filter((feed) => showsAccount(feed, account) || bank.madeFor === feed.id)
      return { scope, record, bank, account, feeds: shown } satisfies Looked as Looked
    }
    return undefined
  })

  return RecordLooks.of({
    open: Effect.fnUntraced(function* (caller, operation, recordId) {
      const found = yield* find(caller.principal.workspace.id, recordId)
      yield* reach(caller, operation, "Record", Option.fromUndefinedOr(found?.bank))
      return found!
    }),
    rows: Effect.fnUntraced(function* (caller, { account, bank, feeds: shown, record }, { changed, trace } = {}) {
      const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, caller.principal.workspace.timezone)
      const looks: Array<RowLook> = []
      for (const feed of shown) {
        const pipeline = yield* pipelines.of(feed)
        const enriching = {
          pipeline,
          dataType: feed.dataType,
          specs: recordFields(feed),
          ownerFields: ownerOf(bank, account),
          today,
          work: new RunWork()
        }
        // Something may stand beside it that was said a moment ago.
        const rows = shownRows(feed, changed === true ? { ...record, annotated: true } : record)
        const standing = yield* beside(feed, pipeline, enriching, [[enriching, rows]])
        for (const row of rows) {
          const view = viewOf(enriching, row)
          const notes = standing.notes.get(record.id)
          const options = {
            notes,
            gathered: standing.gathered.get(row.rowId)?.gathered,
            trace: trace?.(feed, row.rowId)
          }
          const result = runWithLines(pipeline, view, enriching, options)
          yield* nextTurn(enriching.work)
          const faults = [...pipeline.faults, ...standing.faults]
          const { rowId } = row
          looks.push({ feed, pipeline, rowId, provided: view.fields, notes: notes ?? noNotes, result, faults })
        }
      }
      return looks
    })
  })
})

export class RecordLooks extends Context.Service<
  RecordLooks,
  {
    /** The record, where the caller may do this to it. */
    readonly open: (
      caller: Caller,
      operation: OperationId,
      recordId: string
    ) => Effect.Effect<Looked, NotFound | Forbidden | StorageUnavailable>
    /** Feed by feed. `changed`: what stands beside it has changed since it was opened. */
    readonly rows: (
      caller: Caller,
      looked: Looked,
      options?: { readonly changed?: boolean; readonly trace?: (feed: Feed, rowId: string) => Trace }
    ) => Effect.Effect<ReadonlyArray<RowLook>, StorageUnavailable>
  }
>()("@millrace/core/explain/RecordLooks") {
  static readonly layer: Layer.Layer<
    RecordLooks,
    never,
    BankStore | RecordStore | FeedStore | FeedPipelines | AnalysisStore | RecordChangeStore
  > = Layer.effect(RecordLooks, make)
}
