/**
 * Runs the enrichments of set kinds over what changed in the ledger (enrichments A4, A10, A11).
 *
 * Changes are looked at in slices. Each slice is one transaction: entries, states, claims, links, events and how far it came
 * are there together, or not at all. Partitions in which something changed wait until all changes have been read, so that each is
 * planned once however many slices and accounts it is made of; then they are planned in slices of their own. A record about which something else is said than before gets a new change number, so
 * that feeds deliver what follows.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Account, AccountId } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import type { BankStore } from "../bank/BankStore.ts"
import { EventStore } from "../event/EventStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { yieldIfRevoked } from "../job/RunLease.ts"
import type { DataType } from "../record/DataType.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { dayStart } from "../shared/DayStart.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Work } from "../shared/Work.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Outbox } from "../message/Outbox.ts"
import type { OutboxStore } from "../message/OutboxStore.ts"
import { LocalRuns } from "../task/LocalRuns.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { type AnalysisHead, type AnalysisMark, AnalysisStore } from "./AnalysisStore.ts"
import { AnalysisExtent } from "./AnalysisExtent.ts"
import { analysisAccounts } from "./AnalysisAccounts.ts"
import { type PlacedAccount, placing } from "./AnalysisPlaces.ts"
import { AnalysisSlice, type SliceResult } from "./AnalysisSlice.ts"
import { analysisTask, taskKey } from "./AnalysisTaskKind.ts"
import { BusinessCalendars, Rates } from "./kinds/Rates.ts"
import { revisionOf } from "./SetStep.ts"
import type { Enrichment } from "./Enrichment.ts"
import { EnrichmentsOn } from "./EnrichmentsOn.ts"
import type { AccountStatus, PartitionKey, PlannedEvent } from "./kinds/SetKind.ts"
import { Kinds } from "./Kinds.ts"
import { PlanningRoom } from "./PlanningRoom.ts"
import type { PipelineFault } from "./Pipeline.ts"
import { RunWork } from "./RunWork.ts"
import { CurrentRunGuard } from "./RunGuard.ts"
import { SetPlanner } from "./SetPlanner.ts"
import { beginnings, isBeginning } from "./Beginnings.ts"
import { makeFindingKeeping } from "./FindingKeeping.ts"
import { EntriesAhead } from "./EntriesAhead.ts"
import { EntriesHeld } from "./EntriesHeld.ts"
import { FindingStore } from "./FindingStore.ts"
import { covers, FeedPipelines } from "./FeedPipelines.ts"

export interface AnalysisRun<E> {
  readonly workspace: Workspace
  readonly dataType: DataType
  /** All of the workspace. */
  readonly enrichments: ReadonlyArray<Enrichment>
  /** Those whose changes are looked at; due partitions are planned in any case. */
  readonly accounts: ReadonlyArray<{ readonly bank: Bank; readonly account: Account }>
  readonly today: CalendarDate.CalendarDate
  readonly cause: ActorRef
  /** Whether feeds deliver by themselves what it says otherwise: what follows from people's acts, and what was due. */
  readonly follows?: boolean
  /** First call of each transaction: fails where the run may write no longer. */
  readonly guard: Effect.Effect<void, E>
}

/** Accounts to check for anything that is kept. */
const accountsAskedAtOnce = 4

/** Times that a slice is planned again because another run was faster. */
const conflictTries = 3

class Overtaken {
  readonly _tag = "Overtaken"
}

export class Analysis extends Context.Service<
  Analysis,
  {
    /** What failed is reported, and holds nothing else up. Costs one look in workspaces without set kinds. */
    readonly run: <E>(run: AnalysisRun<E>) => Effect.Effect<ReadonlyArray<PipelineFault>, E | StorageUnavailable>
  }
>()("@millrace/core/enrichment/Analysis") {
  static readonly layer: Layer.Layer<
    Analysis,
    never,
    | AnalysisStore
    | FindingStore
    | RecordStore
    | BankStore
    | FeedStore
    | EventStore
    | Transactor
    | Tasks
    | TaskStore
    | Ids
    | OutboxStore
    | Digest
    | Kinds
    | FeedPipelines
  > = Layer.effect(
    Analysis,
    Effect.gen(function* () {
      const store = yield* AnalysisStore
      const findings = yield* FindingStore
      const keepFindings = yield* makeFindingKeeping
      const records = yield* RecordStore
      const feeds = yield* FeedStore
      const events = yield* EventStore
      const tasks = yield* Tasks
      const outbox = yield* Outbox
      const digest = yield* Digest
      const kinds = yield* Kinds
      const localRuns = yield* LocalRuns
      const pipelines = yield* FeedPipelines
      const rateSource = yield* Rates
      const calendars = yield* BusinessCalendars
      const { atomically } = yield* Transactor
      const { accountsOf, statusesOf } = yield* analysisAccounts
      const planner = yield* SetPlanner
      const isOn = yield* EnrichmentsOn

      /** Writes a slice; fails with `Overtaken` where another run was faster. */
      const commit = Effect.fnUntraced(function* <E>(
        run: AnalysisRun<E>,
        head: AnalysisHead,
        slice: SliceResult,
        marks: ReadonlyArray<AnalysisMark>,
        unmarked: ReadonlyArray<AccountId>,
        planned: AnalysisHead["planned"],
        gone: ReadonlyArray<string>,
        today: CalendarDate.CalendarDate
      ) {
        const { dataType, workspace } = run
        const scope = { workspaceId: workspace.id, dataType }
        return yield* atomically(
          Effect.gen(function* () {
            yield* run.guard
            const moved = new Map<AccountId, AnalysisMark>(marks.map((mark) => [mark.accountId, mark]))
            for (const [accountId, ids] of [...slice.touched].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
              const { after, before } = yield* records.touch({ ...scope, accountId }, [...ids].toSorted())
              const mark = moved.get(accountId) ?? head.marks.find((one) => one.accountId === accountId)
              // Nothing came between: what was touched needs no second look.
              if (mark?.changeNo === before) moved.set(accountId, { ...mark, changeNo: after })
            }
            if (run.follows === true) yield* localRuns.ofAccounts(scope, slice.touched.keys())
            const changed = slice.planned.map(({ changes }) => changes)
            const written = yield* store.commit(scope, head.version, {
              asOf: today,
              planned,
              marks: [...moved.values()],
              unmarked,
              enrichments: changed
            })
            if (!written) return yield* Effect.fail(new Overtaken())
            const keeping = { scope, cause: run.cause, sha256: digest.sha256 }
            for (const id of gone as ReadonlyArray<Enrichment["id"]>) {
              const rests = run.enrichments.some((one) => one.id === id)
              // What people decided about one that rests holds when it works again.
              const decided = rests ? yield* store.facts(scope, { enrichmentId: id }) : []
              yield* store.forget(workspace.id, id)
              yield* outbox.silence({ workspaceId: workspace.id, enrichmentId: id })
              yield* store.addFacts(decided.filter(({ enrichmentId }) => enrichmentId === id))
              // One that was deleted takes its findings with it; one that rests finds nothing.
              if (!rests) yield* findings.forget(workspace.id, id)
              else {
                const kept = yield* keepFindings({
                  ...keeping,
                  enrichmentId: id,
                  planned: undefined,
                  found: [],
                  quiet: false
                })
                if (!kept) return yield* Effect.fail(new Overtaken())
              }
            }
            const earlier: Array<PlannedEvent & { readonly enrichmentId: Enrichment["id"] }> = []
            for (const { events: told, findings: found, messages, planned: keys, step } of slice.planned) {
              const before = head.planned[step.enrichment.id]
              const isKnown =
                step.kind.begins !== undefined || (before !== undefined && revisionOf(before) === revisionOf(step.tag))
              if (step.kind.capabilities.finds !== undefined) {
                const enrichmentId = step.enrichment.id
                const kept = yield* keepFindings({ ...keeping, enrichmentId, planned: keys, found, quiet: !isKnown })
                if (!kept) return yield* Effect.fail(new Overtaken())
              }
              const fresh = yield* store.addEvents(
                scope,
                step.enrichment.id,
                told.map(({ key }) => key)
              )
              // What was so when the enrichment began is no news.
              if (!isKnown) continue
              const scoped = { workspaceId: workspace.id, enrichmentId: step.enrichment.id }
              const news = told.filter(({ key }) => fresh.has(key)).slice(0, limits.enrichmentEvents)
              const heard = new Work()
              heard.allow(limits.setWork)
              const answer =
                earlier.length === 0
                  ? undefined
                  : step.kind.hears?.({
                      ...scoped,
                      prepared: step.prepared,
                      name: step.enrichment.name,
                      locale: workspace.locale,
                      sha256: (text) => digest.sha256(text),
                      events: earlier,
                      work: heard
                    })
              earlier.push(...news.map((one) => ({ ...one, enrichmentId: step.enrichment.id })))
              const types = new Map((step.kind.capabilities.emits ?? []).map((type) => [type.type, type]))
              yield* outbox.post(scoped, [...messages, ...(answer?.messages ?? [])])
              yield* events.append(
                [...news, ...(answer?.events ?? [])].map(({ data, subjectId, type }) => ({
                  workspaceId: workspace.id,
                  type,
                  subject: { kind: types.get(type)!.subject, id: subjectId },
                  cause: run.cause,
                  data
                }))
              )
            }
            const due = changed
              .flatMap(({ partitions }) =>
                partitions.flatMap((one) => (one.due === null || one.due <= today ? [] : [one.due]))
              )
              .toSorted()[0]
            if (due !== undefined) {
              yield* tasks.enqueue(analysisTask, {
                payload: scope,
                workspaceId: workspace.id,
                key: taskKey(scope),
                at: dayStart(due, workspace.timezone)
              })
            }
            return true
          })
        ).pipe(
          Effect.catch((error): Effect.Effect<boolean, E | StorageUnavailable> =>
            error instanceof Overtaken ? Effect.succeed(false) : Effect.fail(error as E | StorageUnavailable)
          )
        )
      })

      const runAll = Effect.fn("Analysis.run")(
        function* <E>(run: AnalysisRun<E>) {
          if (!isOn) return []
          const { dataType, workspace } = run
          const enrichments = run.enrichments.filter((one) => one.enabled && one.dataType === dataType)
          const sets = enrichments.filter((one) => kinds.get(one.type)?.family === "set")
          const scope = { workspaceId: workspace.id, dataType }
          const extent = yield* AnalysisExtent
          let head = yield* store.head(scope)
          // What the last one said that is gone now, or rests, is still to be taken back.
          if (sets.length === 0 && Object.keys(head.planned).length === 0) return []
          const inScope = (yield* feeds.list([workspace.id], { dataType })).filter((feed) =>
            sets.some((one) => covers(one, feed))
          )
          const rates = yield* rateSource.read
          const calendar = calendars.of(workspace.id)
          const surroundings = { rates: rates.version, calendar: digest.contentHash(JSON.stringify(calendar)) }
          let statuses: ReadonlyMap<AccountId, AccountStatus> | undefined
          const accountsVersion = Effect.gen(function* () {
            statuses ??= yield* statusesOf(scope)
            return digest.contentHash(JSON.stringify([...statuses]))
          })
          const hash = (text: string) => digest.contentHash(text)
          const places = yield* placing(enrichments, inScope, hash, surroundings, accountsVersion).pipe(
            Effect.provideService(FeedPipelines, pipelines)
          )
          const at = yield* Timestamp.now
          const work = new RunWork((yield* CurrentRunGuard).aside)
          const placed = yield* Effect.forEach(run.accounts, ({ account, bank }) => places.place(bank, account))
          const last = yield* records.lastChanges(placed.map(({ account }) => account.id))
          const lastOf = ({ account }: PlacedAccount) => last.get(account.id) ?? 0
          const faults: Array<PipelineFault> = []
          const failed = new Map<string, ReadonlySet<PartitionKey>>()
          const planned = new Map(places.steps.map(({ enrichment, wholeTag }) => [enrichment.id as string, wholeTag]))
          let accounts: Effect.Success<ReturnType<typeof accountsOf>> | undefined
          /** Accounts with nothing kept by any enrichment, as long as no other run writes. */
          let fresh: ReadonlySet<AccountId> = new Set()
          const freshAmong = Effect.fnUntraced(function* (accountIds: ReadonlyArray<AccountId>) {
            const kept = yield* Effect.forEach(accountIds, (id) => store.accountRecords(scope, id, 1), {
              concurrency: accountsAskedAtOnce
            })
            return new Set(accountIds.filter((_, n) => kept[n]!.length === 0))
          })
          /** What is to be looked at where the analysis has come so far; `undefined` where that is nothing. */
          const read = Effect.fnUntraced(function* (from: AnalysisHead) {
            const today = from.asOf !== null && from.asOf > run.today ? from.asOf : run.today
            const marks = new Map(from.marks.map((mark) => [mark.accountId, mark]))
            const startOf = (one: PlacedAccount) => {
              const mark = marks.get(one.account.id)
              return mark?.signature === one.signature ? mark.changeNo : 0
            }
            const behind = placed.filter(
              (one) =>
                (one.places.size > 0 || marks.has(one.account.id)) &&
                (startOf(one) < lastOf(one) || marks.get(one.account.id)?.signature !== one.signature)
            )
            const isDue = from.due !== null && from.due <= today
            const unplanned = places.steps.filter(
              ({ enrichment, wholeTag }) => from.planned[enrichment.id] !== wholeTag
            )
            const gone = Object.keys(from.planned).filter((id) => !isBeginning(id) && !planned.has(id))
            if (behind.length === 0 && !isDue && unplanned.length === 0 && gone.length === 0) return undefined
            accounts ??= yield* accountsOf(workspace, places, statuses)
            const { all, placeOf } = accounts
            const unmarked = from.marks.flatMap(({ accountId }) => (all.has(accountId) ? [] : [accountId]))
            const begun = beginnings(
              from.planned,
              places.steps,
              behind.map((one) => ({ accountId: one.account.id, by: one.places, lastChange: lastOf(one) })),
              unmarked
            )
            const slice = new AnalysisSlice({
              scope,
              steps: places.steps,
              accounts: all,
              placeOf,
              baseCurrency: workspace.baseCurrency,
              at,
              planned: from.planned,
              begun,
              locale: workspace.locale,
              timezone: workspace.timezone,
              rates,
              calendar,
              today,
              hasFacts: from.hasFacts,
              work,
              sha256: (text) => digest.sha256(text)
            })
            const moved: Array<AnalysisMark> = []
            let left = extent.changes
            let whole = 0
            for (const one of behind) {
              if (left <= 0) break
              const { account, signature } = one
              const after = startOf(one)
              const upTo = lastOf(one)
              const changes = yield* records.changes({ ...scope, accountId: account.id }, { after, upTo, limit: left })
              yield* slice.add(one, changes, fresh.has(account.id))
              const isWhole = changes.length < left
              left -= changes.length
              moved.push({ accountId: account.id, changeNo: isWhole ? upTo : changes.at(-1)!.changeNo, signature })
              if (isWhole) whole++
            }
            // Accounts that no feed in scope shows any more.
            const emptied: Array<AccountId> = []
            for (const accountId of unmarked) {
              const ids = yield* store.accountRecords(scope, accountId, extent.changes)
              slice.remove(ids)
              if (ids.length < extent.changes) emptied.push(accountId)
            }
            // Partitions are planned when all that changed has been read: each once, however many accounts share it.
            const isRead = whole === behind.length && emptied.length === unmarked.length
            if (!isRead) yield* slice.show()
            return { begun, emptied, gone, isRead, moved, slice, today, hasUnmarked: emptied.length < unmarked.length }
          })
          type Read = NonNullable<Effect.Success<ReturnType<typeof read>>>

          /** As it is left by a slice that only wrote down where records stand, if nobody else writes. */
          const headAfter = (
            { emptied, moved, today }: Read,
            { planned: written }: SliceResult,
            known: AnalysisHead["planned"]
          ): AnalysisHead => {
            const gone = new Set(emptied)
            const marks = new Map(head.marks.map((mark) => [mark.accountId, mark]))
            for (const mark of moved) marks.set(mark.accountId, mark)
            return {
              ...head,
              version: head.version + 1,
              asOf: today,
              planned: known,
              marks: [...marks.values()].filter(({ accountId }) => !gone.has(accountId)),
              due: written.some(({ changes }) => changes.partitions.length > 0) ? today : head.due
            }
          }

          fresh = yield* freshAmong(
            placed.flatMap((one) =>
              one.places.size > 0 &&
              lastOf(one) > 0 &&
              !head.marks.some(({ accountId }) => accountId === one.account.id)
                ? [one.account.id]
                : []
            )
          )
          let next = yield* read(head)
          const ahead = new EntriesAhead()
          const held = new EntriesHeld(head.version === 0, extent.held)
          const seen = held.over(ahead.over(store))
          for (let tries = 0; next !== undefined;) {
            yield* yieldIfRevoked
            const { begun, emptied, gone, isRead, moved, slice, today } = next
            const room = new PlanningRoom(isRead ? extent.planned : 0)
            const result = yield* Effect.provideService(
              slice.plan({ room, isRead, aside: failed }),
              AnalysisStore,
              seen
            )
            // What was read before was for these.
            ahead.clear()
            const isLast = isRead && !room.hasRest
            const known = Object.fromEntries(
              [...planned].flatMap(([id, tag]) => {
                // An enrichment is known from the first run on that saw all accounts; it is quiet until then.
                if (isLast) return [[id, tag]]
                const before = head.planned[id]
                return before === undefined ? [] : [[id, before]]
              })
            )
            if (!isLast) for (const id of gone) known[id] = head.planned[id]!
            Object.assign(known, begun)
            // While a slice is written the next one is read: it holds other records, and depends on nothing that this one says.
            const foreseen = isRead || next.hasUnmarked ? undefined : headAfter(next, result, known)
            // Where partitions wait their records are read, which this one seldom writes.
            const unheld = result.planned.filter(({ changes }) => !held.holds(changes.enrichmentId))
            const reading = isRead && !isLast ? ahead.read(scope, unheld) : Effect.void
            const [written, following] = yield* Effect.all(
              [
                commit(run, head, result, moved, emptied, known, isLast ? gone : [], today),
                foreseen === undefined ? Effect.as(reading, undefined) : read(foreseen)
              ],
              { concurrency: 2 }
            )
            if (written) {
              ahead.forget(result.planned)
              held.add(result.planned)
            }
            if (!written) {
              if (++tries > conflictTries) {
                faults.push(
                  ...sets.map(({ id }) => ({
                    enrichmentId: id,
                    message: "conflict: other runs were faster; the next run looks again"
                  }))
                )
                return faults
              }
            } else {
              tries = 0
              faults.push(...result.faults)
              for (const { failed: some, step } of result.planned) {
                failed.set(step.enrichment.id, (failed.get(step.enrichment.id) ?? new Set()).union(some))
              }
              if (isLast) return faults
            }
            const version = written ? head.version + 1 : undefined
            head = yield* store.head(scope)
            const isAlone = head.version === version
            if (!isAlone) {
              fresh = new Set()
              ahead.clear()
              held.drop()
            }
            next = isAlone && following !== undefined ? following : yield* read(head)
          }
          return faults
        },
        (effect) =>
          effect.pipe(
            Effect.provideService(AnalysisStore, store),
            Effect.provideService(RecordStore, records),
            Effect.provideService(SetPlanner, planner)
          )
      )

      return Analysis.of({ run: runAll as Analysis["Service"]["run"] })
    })
  ).pipe(Layer.provide([Outbox.layer, LocalRuns.layer]))
}
