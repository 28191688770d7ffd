/**
 * What set kinds would say, with nothing written, sent or asked outside (enrichments F): of records that are not there, or
 * under other enrichments and facts. The planning is that of runs.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { AnalysisExtent } from "./AnalysisExtent.ts"
import { isPlannedUnder, showsAccount } from "./AnalysisPlaces.ts"
import type { SliceResult } from "./AnalysisSlice.ts"
import { type AnalysisScope, AnalysisStore } from "./AnalysisStore.ts"
import type { Enrichment } from "./Enrichment.ts"
import type { FeedPipelines } from "./FeedPipelines.ts"
import { Kinds } from "./Kinds.ts"
import { type OtherFacts, otherFacts } from "./OtherFacts.ts"
import type { PipelineFault } from "./Pipeline.ts"
import { PlanningRoom } from "./PlanningRoom.ts"
import type { RecordNotes } from "./RecordNotes.ts"
import { SetPlanner } from "./SetPlanner.ts"
import { rehearsalStage, type StageInput } from "./RehearsalStage.ts"

/** A record with whose it is. */
export interface OwnedRecord {
  readonly bank: Bank
  readonly account: Account
  readonly record: LedgerRecord
}

export interface RehearsalInput extends StageInput {
  /** In the place of those of the ledger with their ids, and beside them. */
  readonly given: ReadonlyArray<OwnedRecord>
  /** `present`: from what runs have kept, where that is as new as the ledger. `beginning`: from all records, as though there had been no run. */
  readonly from: "present" | "beginning"
}

export interface Rehearsed {
  /** The annotations that a record would have that is given or, from the beginning, beside any. */
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

const make = Effect.gen(function* () {
  const store = yield* AnalysisStore
  const records = yield* RecordStore
  const banks = yield* BankStore
  const digest = yield* Digest
  const hash = (text: string) => digest.contentHash(text)
  const kinds = yield* Kinds
  const stageOf = yield* rehearsalStage
  const factsOf = yield* otherFacts
  const planner = yield* SetPlanner

  /** What is kept, as though no run had ever been; facts are there. */
  const blank = (scope: AnalysisScope, other: OtherFacts | undefined): AnalysisStore["Service"] => {
    const { facts, notes } = factsOf(other)
    return {
      ...store,
      facts,
      entries: () => Effect.succeed(nothing),
      members: () => Effect.succeed([]),
      partitions: () => Effect.succeed([]),
      outputs: () => Effect.succeed(nothing),
      stale: () => Effect.succeed([]),
      accountRecords: () => Effect.succeed([]),
      notes: (_, recordIds) => notes(scope, recordIds)
    }
  }

  /** Accounts that these feeds show. */
  const accountsOf = Effect.fnUntraced(function* (workspace: Workspace, shown: ReadonlyArray<Feed>) {
    const made = yield* Effect.forEach(shown, ({ id }) => banks.made(id))
    const found: Array<{ readonly bank: Bank; readonly account: Account }> = []
    for (const bank of [...(yield* banks.list([workspace.id])), ...made.flat()]) {
      for (const account of yield* banks.accounts(bank.id)) {
        if (shown.some((feed) => showsAccount(feed, account))) found.push({ bank, account })
      }
    }
    return found
  })

  const pages: Rehearsal["Service"]["pages"] = Effect.fnUntraced(function* (workspace, dataType, shown, visit) {
    const { changes: limit } = yield* AnalysisExtent
    for (const { account, bank } of yield* accountsOf(workspace, shown)) {
      const scope = { workspaceId: workspace.id, accountId: account.id, dataType }
      const upTo = yield* records.lastChange(account.id)
      for (let after = 0; after < upTo;) {
        const some = yield* records.changes(scope, { after, upTo, limit })
        const owned = some.map((record): OwnedRecord => ({ bank, account, record }))
        if (Arr.isReadonlyArrayNonEmpty(owned)) yield* visit(owned)
        if (some.length < limit) break
        after = some.at(-1)!.changeNo
      }
    }
  })

  const ledger: Rehearsal["Service"]["ledger"] = Effect.fnUntraced(function* (workspace, dataType, shown, most) {
    const owned: Array<OwnedRecord> = []
    yield* pages(workspace, dataType, shown, (some) => {
      owned.push(...some)
      return owned.length > most ? Effect.fail(new TooManyRecords(owned.length)) : Effect.void
    })
    return owned
  })

  const known: Rehearsal["Service"]["known"] = Effect.fnUntraced(function* (workspace, dataType, shown, ids) {
    const found = new Set<string>()
    for (const { account } of yield* accountsOf(workspace, shown)) {
      if (found.size === ids.length) break
      const scope = { workspaceId: workspace.id, accountId: account.id, dataType }
      for (const { id } of yield* records.held(scope, ids)) found.add(id)
    }
    return found
  })

  return Rehearsal.of({
    ledger,
    pages,
    known,
    rehearse: Effect.fnUntraced(function* ({ dataType, enrichments, facts, from, given, today, workspace }) {
      const scope = { workspaceId: workspace.id, dataType }
      const standing = from === "present" ? store : blank(scope, facts)
      const spoken = new Set(facts?.added.map(({ recordId }) => recordId))
      const marked = given.map((one) =>
        spoken.has(one.record.id) ? { ...one, record: { ...one.record, annotated: true } } : one
      )
      const stage = yield* stageOf({ workspace, dataType, enrichments, today, facts })
      if (stage === undefined) {
        const noted = marked.flatMap(({ record }) => (record.annotated ? [record.id] : []))
        const notes = yield* standing.notes(workspace.id, noted)
        return { notes: (id) => notes.get(id), planned: [], faults: [] } satisfies Rehearsed as Rehearsed
      }
      const slice = stage.slice(from)
      const overStanding = <A, E>(effect: Effect.Effect<A, E, AnalysisStore | RecordStore>) =>
        effect.pipe(
          Effect.provideService(AnalysisStore, standing),
          Effect.provideService(RecordStore, records),
          Effect.provideService(SetPlanner, planner)
        )
      for (const [account, some] of Map.groupBy(marked, (one) => one.account)) {
        const placed = yield* stage.place(some[0]!.bank, account)
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
    /** All records that these feeds show; fails where there are more than `most`. */
    readonly ledger: (
      workspace: Workspace,
      dataType: DataType,
      feeds: ReadonlyArray<Feed>,
      most: number
    ) => Effect.Effect<ReadonlyArray<OwnedRecord>, TooManyRecords | StorageUnavailable>
    /** The same page by page, each of one account; those that change meanwhile may be left out. */
    readonly pages: <E>(
      workspace: Workspace,
      dataType: DataType,
      feeds: ReadonlyArray<Feed>,
      visit: (records: Arr.NonEmptyReadonlyArray<OwnedRecord>) => Effect.Effect<void, E>
    ) => Effect.Effect<void, E | StorageUnavailable>
    /** Those of the ids that are records which these feeds show. */
    readonly known: (
      workspace: Workspace,
      dataType: DataType,
      feeds: ReadonlyArray<Feed>,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
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
