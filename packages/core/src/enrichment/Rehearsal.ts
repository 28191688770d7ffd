/**
 * What set kinds would say, with nothing written, sent or asked outside (enrichments F): of records that are not there, or
 * under other enrichments and facts. The planning is that of runs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { RecordStore } from "../record/RecordStore.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { analysisAccounts } from "./AnalysisAccounts.ts"
import { isPlannedUnder, placing, showsAccount } from "./AnalysisPlaces.ts"
import { AnalysisSlice, type SliceResult } from "./AnalysisSlice.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import type { Enrichment } from "./Enrichment.ts"
import { covers, FeedPipelines } from "./FeedPipelines.ts"
import type { EnrichmentFact } from "./kinds/EnrichmentFact.ts"
import { BusinessCalendars, Rates } from "./kinds/Rates.ts"
import { Kinds } from "./Kinds.ts"
import type { PipelineFault } from "./Pipeline.ts"
import { PlanningRoom } from "./PlanningRoom.ts"
import { notesOf, type RecordNotes } from "./RecordNotes.ts"

/** A record with whose it is. */
export interface OwnedRecord {
  readonly bank: Bank
  readonly account: Account
  readonly record: LedgerRecord
}

/** Facts as they might be. */
export interface OtherFacts {
  readonly added: ReadonlyArray<EnrichmentFact>
  readonly lifted: ReadonlySet<string>
}

export interface RehearsalInput {
  readonly workspace: Workspace
  readonly dataType: DataType
  /** All of the workspace, as they are or might be. */
  readonly enrichments: ReadonlyArray<Enrichment>
  readonly today: CalendarDate
  /** In the place of those of the ledger with their ids, and beside them. */
  readonly given: ReadonlyArray<OwnedRecord>
  /** `present`: from what runs have kept, where that is as new as the ledger. `beginning`: from all records, as though there had been no run. */
  readonly from: "present" | "beginning"
  readonly facts?: OtherFacts | undefined
}

export interface Rehearsed {
  /** What would stand beside a record that is given or, from the beginning, beside any. */
  readonly notes: (recordId: string) => RecordNotes | undefined
  readonly planned: SliceResult["planned"]
  readonly faults: ReadonlyArray<PipelineFault>
}

/** The ledger holds more records than are looked at for what is only shown. */
export class TooManyRecords {
  readonly _tag = "TooManyRecords"
  readonly records: number
  constructor(records: number) {
    this.records = records
  }
}

const nothing = new Map<string, never>()

/** What is kept, as though no run had ever been; facts are there. */
const blank = (
  real: AnalysisStore["Service"],
  scope: Parameters<AnalysisStore["Service"]["facts"]>[0],
  other: OtherFacts | undefined
): AnalysisStore["Service"] => {
  const facts: AnalysisStore["Service"]["facts"] = (of, which) =>
    Effect.map(real.facts(of, which), (held) => {
      if (other === undefined) return held
      const added = other.added.filter((fact) =>
        "enrichmentId" in which
          ? fact.enrichmentId === undefined || fact.enrichmentId === which.enrichmentId
          : which.recordIds.some((id) => id === fact.recordId || id === fact.otherId)
      )
      return [...held.filter(({ id }) => !other.lifted.has(id)), ...added]
    })
  return {
    ...real,
    facts,
    entries: () => Effect.succeed(nothing),
    members: () => Effect.succeed([]),
    partitions: () => Effect.succeed([]),
    outputs: () => Effect.succeed(nothing),
    stale: () => Effect.succeed([]),
    accountRecords: () => Effect.succeed([]),
    notes: (_, recordIds) =>
      Effect.map(facts(scope, { recordIds }), (held) => notesOf([], held.filter(isOf(recordIds))))
  }
}

const isOf = (recordIds: ReadonlyArray<string>) => {
  const wanted = new Set(recordIds)
  return ({ recordId }: EnrichmentFact): boolean => recordId !== undefined && wanted.has(recordId)
}

const make = Effect.gen(function* () {
  const store = yield* AnalysisStore
  const records = yield* RecordStore
  const banks = yield* BankStore
  const feeds = yield* FeedStore
  const digest = yield* Digest
  const hash = (text: string) => digest.contentHash(text)
  const kinds = yield* Kinds
  const pipelines = yield* FeedPipelines
  const rateSource = yield* Rates
  const calendars = yield* BusinessCalendars
  const { accountsOf, statusesOf } = yield* analysisAccounts

  const ledger: Rehearsal["Service"]["ledger"] = Effect.fnUntraced(function* (workspace, dataType, shown) {
    const owned: Array<OwnedRecord> = []
    const made = yield* Effect.forEach(shown, ({ id }) => banks.made(id))
    for (const bank of [...(yield* banks.list([workspace.id])), ...made.flat()]) {
      for (const account of yield* banks.accounts(bank.id)) {
        if (!shown.some((feed) => showsAccount(feed, account))) continue
        const scope = { workspaceId: workspace.id, accountId: account.id, dataType }
        const upTo = yield* records.lastChange(account.id)
        for (let after = 0; after < upTo;) {
          const some = yield* records.changes(scope, { after, upTo, limit: limits.commitChunk })
          owned.push(...some.map((record) => ({ bank, account, record })))
          if (owned.length > limits.rehearsedRecords) return yield* Effect.fail(new TooManyRecords(owned.length))
          if (some.length < limits.commitChunk) break
          after = some.at(-1)!.changeNo
        }
      }
    }
    return owned
  })

  return Rehearsal.of({
    ledger,
    rehearse: Effect.fnUntraced(function* ({ dataType, enrichments, facts, from, given, today, workspace }) {
      const scope = { workspaceId: workspace.id, dataType }
      const enabled = enrichments.filter((one) => one.enabled && one.dataType === dataType)
      const sets = enabled.filter((one) => kinds.get(one.type)?.family === "set")
      const standing = from === "present" ? store : blank(store, scope, facts)
      const inScope = (yield* feeds.list([workspace.id], { dataType })).filter((feed) =>
        sets.some((one) => covers(one, feed))
      )
      const spoken = new Set(facts?.added.map(({ recordId }) => recordId))
      const marked = given.map((one) =>
        spoken.has(one.record.id) ? { ...one, record: { ...one.record, annotated: true } } : one
      )
      if (inScope.length === 0) {
        const noted = marked.flatMap(({ record }) => (record.annotated ? [record.id] : []))
        const notes = yield* standing.notes(workspace.id, noted)
        return { notes: (id) => notes.get(id), planned: [], faults: [] } satisfies Rehearsed as Rehearsed
      }
      const rates = yield* rateSource.read
      const calendar = calendars.of(workspace.id)
      const surroundings = { rates: rates.version, calendar: hash(JSON.stringify(calendar)) }
      const statuses = yield* statusesOf(scope)
      const version = Effect.succeed(hash(JSON.stringify([...statuses])))
      const places = yield* placing(enabled, inScope, hash, surroundings, version).pipe(
        Effect.provideService(FeedPipelines, pipelines)
      )
      const { all, placeOf } = yield* accountsOf(workspace, places, statuses)
      const head = yield* store.head(scope)
      const slice = new AnalysisSlice({
        scope,
        steps: places.steps,
        accounts: all,
        placeOf,
        baseCurrency: workspace.baseCurrency,
        at: yield* Timestamp.now,
        planned: from === "present" ? head.planned : {},
        begun: head.planned,
        locale: workspace.locale,
        timezone: workspace.timezone,
        rates,
        calendar,
        today: head.asOf !== null && head.asOf > today ? head.asOf : today,
        hasFacts: head.hasFacts || (facts?.added.length ?? 0) > 0,
        sha256: (text) => digest.sha256(text),
        mayAsk: false
      })
      const overStanding = <A, E>(effect: Effect.Effect<A, E, AnalysisStore | RecordStore>) =>
        effect.pipe(Effect.provideService(AnalysisStore, standing), Effect.provideService(RecordStore, records))
      for (const [account, some] of Map.groupBy(marked, (one) => one.account)) {
        const placed = yield* places.place(some[0]!.bank, account)
        yield* overStanding(
          slice.add(
            placed,
            some.map(({ record }) => record)
          )
        )
      }
      const { faults, planned } = yield* overStanding(
        slice.plan({ room: PlanningRoom.unlimited, isRead: from === "beginning" })
      )
      return { notes: (id) => slice.notesOf(id), planned, faults } satisfies Rehearsed as Rehearsed
    }),
    isPresent: Effect.fnUntraced(function* (workspace, dataType, enrichments) {
      const enabled = enrichments.filter((one) => one.enabled && one.dataType === dataType)
      const sets = enabled.flatMap((enrichment) => {
        const kind = kinds.get(enrichment.type)
        return kind?.family === "set" ? [{ enrichment, kind }] : []
      })
      if (sets.length === 0) return true
      const { planned } = yield* store.head({ workspaceId: workspace.id, dataType })
      return sets.every(({ enrichment, kind }) => isPlannedUnder(planned[enrichment.id], enrichment, kind, hash))
    })
  })
})

export class Rehearsal extends Context.Service<
  Rehearsal,
  {
    /** All records that these feeds show. */
    readonly ledger: (
      workspace: Workspace,
      dataType: DataType,
      feeds: ReadonlyArray<Feed>
    ) => Effect.Effect<ReadonlyArray<OwnedRecord>, TooManyRecords | StorageUnavailable>
    readonly rehearse: (input: RehearsalInput) => Effect.Effect<Rehearsed, StorageUnavailable>
    /** Whether runs have looked at everything under these revisions. */
    readonly isPresent: (
      workspace: Workspace,
      dataType: DataType,
      enrichments: ReadonlyArray<Enrichment>
    ) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("@millrace/core/enrichment/Rehearsal") {
  static readonly layer: Layer.Layer<
    Rehearsal,
    never,
    AnalysisStore | RecordStore | BankStore | FeedStore | Digest | Kinds | FeedPipelines
  > = Layer.effect(Rehearsal, make)
}
