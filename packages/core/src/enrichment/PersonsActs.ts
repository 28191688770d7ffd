/** What people did about records, as an enrichment sees those records (enrichments D5.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { nextTurn } from "./PlanningTurns.ts"
import { RunWork } from "./RunWork.ts"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { ownerOf, toPublic } from "../bank/PublicRecord.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { HeldRecord } from "../record/LedgerRecord.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { showsAccount } from "./AnalysisPlaces.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import type { Enrichment } from "./Enrichment.ts"
import { FeedPipelines } from "./FeedPipelines.ts"
import type { EnrichmentFact } from "./kinds/EnrichmentFact.ts"
import type { PersonsAct } from "./kinds/Kind.ts"
import { run } from "./Pipeline.ts"
import { gather } from "./PipelineOpening.ts"

/** Who is behind edits that were found at a destination, where nobody tells who made them. */
export const editedThere: ActorRef = { kind: "system", reason: "destination" }

/** Whether a person is behind it: their hand, their key, a file of theirs, or what they changed at a destination. */
export const isPerson = (actor: ActorRef): boolean =>
  actor.kind === "user" ||
  actor.kind === "api" ||
  actor.kind === "import" ||
  (actor.kind === "system" && actor.reason === "destination")

export interface ActsQuery {
  readonly workspace: Workspace
  /** All of the workspace. */
  readonly enrichments: ReadonlyArray<Enrichment>
  readonly enrichment: Enrichment
  /** Those in scope, by order, then age. */
  readonly feeds: ReadonlyArray<Feed>
  /** About these alone. */
  readonly fields: ReadonlyArray<string>
  /** That hold. */
  readonly facts: ReadonlyArray<EnrichmentFact>
}

/** A record as the feed that comes first shows it. */
interface Seen {
  readonly bank: Bank
  readonly account: Account
  readonly feed: Feed
  readonly records: ReadonlyArray<HeldRecord>
}

export class PersonsActs extends Context.Service<
  PersonsActs,
  {
    /** Those about live records that one of the feeds shows. */
    readonly of: (query: ActsQuery) => Effect.Effect<ReadonlyArray<PersonsAct>, StorageUnavailable>
    /** The records among the ids that one of the feeds shows, by account. */
    readonly records: (
      feeds: ReadonlyArray<Feed>,
      ids: ReadonlySet<string>
    ) => Effect.Effect<ReadonlyArray<Seen>, StorageUnavailable>
  }
>()("@millrace/core/enrichment/PersonsActs") {
  static readonly layer: Layer.Layer<PersonsActs, never, AnalysisStore | BankStore | RecordStore | FeedPipelines> =
    Layer.effect(
      PersonsActs,
      Effect.gen(function* () {
        const store = yield* AnalysisStore
        const banks = yield* BankStore
        const ledger = yield* RecordStore
        const pipelines = yield* FeedPipelines

        /** The accounts that feeds show, each with the first that does. */
        const shown = Effect.fnUntraced(function* (feeds: ReadonlyArray<Feed>) {
          const all = new Map<string, Omit<Seen, "records">>()
          for (const bank of yield* banks.list([feeds[0]!.workspaceId])) {
            for (const account of yield* banks.accounts(bank.id)) {
              const feed = feeds.find((one) => showsAccount(one, account))
              if (feed !== undefined) all.set(account.id, { bank, account, feed })
            }
          }
          // What was made for a feed is in no list.
          for (const feed of feeds) {
            for (const bank of yield* banks.made(feed.id)) {
              for (const account of yield* banks.accounts(bank.id)) all.set(account.id, { bank, account, feed })
            }
          }
          return all.values()
        })

        const records: PersonsActs["Service"]["records"] = Effect.fn("PersonsActs.records")(function* (feeds, ids) {
          const found: Array<Seen> = []
          const [first] = feeds
          const left = new Set(ids)
          if (first === undefined || left.size === 0) return found
          const { dataType, workspaceId } = first
          for (const { account, bank, feed } of yield* shown(feeds)) {
            if (left.size === 0) break
            const scope = { workspaceId, accountId: account.id, dataType }
            const wanted = [...left]
            const held: Array<HeldRecord> = []
            for (let at = 0; at < wanted.length; at += limits.commitChunk) {
              held.push(...(yield* ledger.held(scope, wanted.slice(at, at + limits.commitChunk))))
            }
            for (const { id } of held) left.delete(id)
            if (held.length > 0) found.push({ bank, account, feed, records: held })
          }
          return found
        })

        const of: PersonsActs["Service"]["of"] = Effect.fn("PersonsActs.of")(function* (query) {
          const { enrichment, enrichments, facts, feeds, fields, workspace } = query
          const own = facts.filter(
            ({ by, enrichmentId, field, kind, recordId }) =>
              recordId !== undefined &&
              isPerson(by) &&
              (kind === "set"
                ? field !== undefined && fields.includes(field)
                : kind === "suppress" && enrichmentId === enrichment.id)
          )
          const today = CalendarDate.inZone(Timestamp.toMillis(yield* Timestamp.now), workspace.timezone)
          const seen = yield* records(feeds, new Set(own.map(({ recordId }) => recordId!)))
          const views = new Map<string, PersonsAct["fields"]>()
          const work = new RunWork()
          for (const { account, bank, feed, records: held } of seen) {
            const pipeline = yield* pipelines.among(enrichments, feed)
            const before = pipeline.steps.findIndex((step) => step.enrichment.id === enrichment.id)
            if (before < 0) continue
            const live = held.filter(({ state }) => state === "live")
            const noted = live.flatMap(({ annotated, id }) => (annotated ? [id] : []))
            const notes = noted.length === 0 ? new Map() : yield* store.notes(workspace.id, noted)
            const owner = ownerOf(bank, account)
            const pending = live.map((record) => ({
              view: { recordId: record.id, fields: toPublic(feed.dataType, record, owner, recordFields(feed)) },
              notes: notes.get(record.id)
            }))
            const { chunks } = yield* gather(pipeline, feed, pending, { today, work, mayAsk: false })
            const gathered = new Map(
              chunks.flatMap((chunk) => chunk.records.map(({ view }) => [view.recordId, chunk.gathered] as const))
            )
            for (const one of pending) {
              const { recordId } = one.view
              const options = { notes: one.notes, gathered: gathered.get(recordId), before }
              views.set(recordId, run(pipeline, one.view, { today, work }, options).fields)
              yield* nextTurn(work)
            }
          }
          return own.flatMap(({ at, field, id, kind, recordId, value }) => {
            const view = views.get(recordId!)
            if (view === undefined) return []
            const act = {
              recordId: recordId!,
              fields: view,
              at,
              day: CalendarDate.inZone(Timestamp.toMillis(at), workspace.timezone)
            }
            if (kind === "set") return [{ ...act, id, field: field!, value: value ?? null }]
            const silent = field === undefined ? fields : fields.filter((one) => one === field)
            return silent.map((one): PersonsAct => ({ ...act, id, field: one, value: undefined }))
          })
        })

        return PersonsActs.of({ of, records })
      })
    )
}
