/**
 * What is, or is to be, at a destination that tells what it has (`DeliveredValues`).
 *
 * The record of the ledger, run through the enrichments of the feed, gives what was delivered as long as nothing has
 * changed since; the hash in the delivery ledger says whether that is so.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { AccountId } from "../bank/Account.ts"
import type { BankId } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { ownerOf } from "../bank/PublicRecord.ts"
import { columnsOf } from "../destination/Columns.ts"
import type { Delivery } from "../destination/Delivery.ts"
import { type Content, DeliveredValues } from "../destination/DeliveredValues.ts"
import { keyOf } from "../destination/DeliveryRun.ts"
import { Destinations } from "../destination/Destinations.ts"
import type { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import { originsOf } from "../enrichment/Provenance.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { isDocumentType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { contentOf, onRemovedOf } from "./Decision.ts"
import { documentOf, type DocumentRow, documentRows } from "./DocumentRows.ts"
import { besideRecords } from "./BesideRecords.ts"
import { type EnrichedRow, rowsOfRow } from "./RecordRows.ts"

const make = Effect.gen(function* () {
  const banks = yield* BankStore
  const records = yield* RecordStore
  const feeds = yield* FeedStore
  const workspaces = yield* WorkspaceStore
  const pipelines = yield* FeedPipelines
  const destinations = yield* Destinations
  const beside = yield* besideRecords({ mayAsk: false })
  const { contentHash } = yield* Digest

  /** The owner's fields of some accounts. What is the feed's own, and banks that it names, are looked into first. */
  const ownersOf = Effect.fnUntraced(function* (feed: Feed, wanted: ReadonlySet<AccountId>) {
    const owners = new Map<AccountId, Fields>()
    const config = feed.sourceConfig
    const named = new Set<BankId>(config?.type === "sync" ? config.accounts.map(({ bankId }) => bankId) : [])
    const all = yield* banks.list([feed.workspaceId])
    const first = [...(yield* banks.made(feed.id)), ...all.filter(({ id }) => named.has(id))]
    for (const bank of [...first, ...all.filter(({ id }) => !named.has(id))]) {
      if (owners.size === wanted.size) break
      for (const account of yield* banks.accounts(bank.id)) {
        if (wanted.has(account.id)) owners.set(account.id, ownerOf(bank, account))
      }
    }
    return owners
  })

  /** What each record is delivered as now, and whether that is what was delivered. */
  const contents = Effect.fnUntraced(function* (feed: Feed, rows: ReadonlyArray<Delivery>) {
    const found = new Map<string, Content & { readonly same: boolean }>()
    const workspace = yield* workspaces.get(feed.workspaceId)
    if (Option.isNone(workspace)) return found
    const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.value.timezone)
    const pipeline = yield* pipelines.of(feed)
    const { dataType } = feed
    const ofDocuments = isDocumentType(dataType)
    const specs = recordFields(feed)
    const byAccount = Map.groupBy(rows, ({ accountId }) => accountId)
    const owners = yield* ownersOf(feed, new Set(byAccount.keys()))
    for (const [accountId, some] of byAccount) {
      const ownerFields = owners.get(accountId)
      if (ownerFields === undefined) continue
      const byId = new Map(some.map((row) => [row.recordId, row]))
      const scope = { workspaceId: feed.workspaceId, accountId, dataType }
      const work = new RunWork()
      const enriching = { pipeline, dataType, specs, ownerFields, today, work }
      const ids = [...new Set(Array.from(byId.keys(), documentOf))]
      const held = yield* records.held(scope, ids)
      const all: ReadonlyArray<DocumentRow> = ofDocuments
        ? held.flatMap((record) => documentRows(feed, record))
        : held.map((record) => ({ record, rowId: record.id, shown: true }))
      // A row that is not there may have lines that are.
      const bases = new Set(ids)
      const named = pipeline.makesLines ? all : all.filter(({ rowId }) => byId.has(rowId) || bases.has(rowId))
      const standing = yield* beside(feed, pipeline, enriching, [[enriching, named]])
      const wanted: Array<EnrichedRow> = []
      for (const row of named) {
        // Of what was set aside nobody knows what it would be: what stands at the destination is reported.
        for (const made of rowsOfRow(enriching, row, standing).rows) {
          if (byId.has(made.rowId) && made.enriched.isPartial !== true) wanted.push(made)
        }
        yield* nextTurn(work)
      }
      for (const { enriched: row, record, rowId } of wanted) {
        const { fields, provenance } = row
        const { hash } = byId.get(rowId)!
        const marked = record.state !== "live" && onRemovedOf(feed, record) === "mark"
        const now = contentOf(feed, fields, marked, contentHash)
        const other = now.hash === hash ? now : contentOf(feed, fields, !marked, contentHash)
        const same = other.hash === hash
        found.set(rowId, { ...(same ? other : now), provenance: originsOf(provenance), same })
      }
    }
    return found
  })

  const atDestination = Effect.fnUntraced(function* (feed: Feed, rows: ReadonlyArray<Delivery>) {
    const config = feed.destinationConfig
    const none: ReadonlyMap<string, Fields> = new Map()
    if (rows.length === 0 || config === undefined) return none
    const driver = yield* Effect.option(destinations.get(config.type))
    const read = Option.getOrUndefined(driver)?.read
    if (read === undefined) return none
    const { catalog } = yield* pipelines.of(feed)
    const columns = columnsOf(feed, catalog, yield* feeds.boundColumns(feed.id))
    const idOf = new Map(rows.map(({ recordId }) => [keyOf(feed, recordId), recordId]))
    const cells = yield* read(feed, config, columns, [...idOf.keys()])
    return new Map(Array.from(cells, ([key, values]) => [idOf.get(key)!, values]))
  })

  return DeliveredValues.of({
    delivered: Effect.fn("RecordValues.delivered")(function* (feed, rows) {
      const found = yield* contents(feed, rows)
      const rest = rows.filter(({ recordId }) => found.get(recordId)?.same !== true)
      const values = new Map(yield* atDestination(feed, rest))
      for (const [recordId, content] of found) if (content.same) values.set(recordId, content.values)
      return values
    }),
    present: Effect.fn("RecordValues.present")(function* (feed, rows) {
      const found = new Map<string, Content>()
      for (const [recordId, { hash, provenance, values }] of yield* contents(feed, rows)) {
        found.set(recordId, { hash, provenance, values })
      }
      const gone = rows.filter(({ recordId }) => !found.has(recordId))
      const cells = yield* atDestination(feed, gone)
      for (const { hash, provenance, recordId } of gone) {
        const values = cells.get(recordId)
        if (values !== undefined) found.set(recordId, { hash, provenance, values })
      }
      return found
    })
  })
})

/** `DeliveredValues` over the ledger of records and the destinations. */
export const layer: Layer.Layer<
  DeliveredValues,
  never,
  BankStore | RecordStore | FeedStore | WorkspaceStore | FeedPipelines | AnalysisStore | Destinations | Digest
> = Layer.effect(DeliveredValues, make)
