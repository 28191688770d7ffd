/** Taking back what enrichments changed (enrichments A8): facts are added, and what follows is as if they had not spoken. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { EnrichmentFacts, type FactRecords } from "../enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { RecordChange, RecordChangeId } from "../enrichment/history/RecordChange.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { type EnrichmentFact, type FactRequest, suppression } from "../enrichment/kinds/EnrichmentFact.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import type { EnrichmentId } from "../enrichment/Enrichment.ts"
import { Conflict, type Forbidden, type NotFound, Unprocessable } from "../failure/Failure.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { isActive, type JobId } from "../job/Job.ts"
import { JobStore } from "../job/JobStore.ts"
import { type Ids, isId } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { actedHistory } from "./ActedHistory.ts"
import { type ChainLink, chainsOf, ClaimTrace } from "./ClaimChain.ts"
import { RecordLooks } from "./RecordLooks.ts"

/** What of a record is taken back: at least one is named. Without an enrichment, the one whose word holds. */
export interface UndoRequest {
  readonly field?: string
  readonly enrichmentId?: EnrichmentId
  /** Takes an undo of the same back. */
  readonly redo?: boolean
}

export interface Undone {
  readonly recordId: string
  /** What holds now because of it, or what no longer does. Empty where it was so already. */
  readonly facts: ReadonlyArray<EnrichmentFact>
}

export interface UndoneRun {
  readonly jobId: JobId
  /** Fields of records about which an enrichment is silent now, or speaks again. */
  readonly fields: number
  /** Those that were left as they are: a person has spoken about them since. */
  readonly kept: number
}

type Failed = NotFound | Forbidden | Conflict | Unprocessable | StorageUnavailable

/** Changes of a job that are looked at together. */
const chunk = 1_000

const contentOf = ({ enrichmentId, field, kind, otherId, recordId }: FactRequest): string =>
  JSON.stringify([kind, enrichmentId, recordId, otherId, field])

const unusable = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message: `${field} ${message}`, details: [{ field, message }] })

/** The record that a row is of. */
const recordOf = (rowId: string): string => rowId.split(":", 1)[0]!

/** The enrichment whose word about the field holds, in the first feed in which one does. */
const holderOf = (chains: ReadonlyArray<ReadonlyArray<ChainLink>>, field: string) => {
  const top = chains.flatMap(([first]) => (first === undefined ? [] : [first]))
  const found = top.find(({ authority }) => authority !== "provider")
  if (found === undefined) return Effect.fail(unusable("field", `"${field}" is as the provider says`))
  const { enrichmentId } = found
  return isId("enrichment", enrichmentId)
    ? Effect.succeed(enrichmentId)
    : Effect.fail(unusable("field", `"${field}" is a person's word: clear it`))
}

/** What of some changes is to be taken back, and how many a person has spoken about since. */
const judged = (
  changes: ReadonlyArray<RecordChange>,
  held: ReadonlyMap<string, ReadonlyArray<EnrichmentFact>>,
  redo: boolean
) => {
  const wanted = new Map<string, { readonly request: FactRequest; readonly accountId: RecordChange["accountId"] }>()
  const lifted = new Map<string, { readonly fact: EnrichmentFact; readonly accountId: RecordChange["accountId"] }>()
  let kept = 0
  for (const { accountId, at, enrichmentId, field, recordId: rowId } of changes) {
    if (!isId("enrichment", enrichmentId)) continue
    const recordId = recordOf(rowId)
    const [request] = suppression({ enrichmentId, recordId, field })
    const key = contentOf(request!)
    const said = held.get(recordId) ?? []
    const same = said.find((fact) => contentOf(fact) === key)
    if (redo) {
      if (same !== undefined) lifted.set(key, { fact: same, accountId })
      continue
    }
    const spoken = said.some(
      (fact) => (fact.kind === "set" || fact.kind === "lock") && fact.field === field && fact.at >= at
    )
    if (spoken) kept++
    else if (same === undefined) wanted.set(key, { request: request!, accountId })
  }
  return { wanted: [...wanted.values()], lifted: [...lifted.values()], kept }
}

const make = Effect.gen(function* () {
  const looks = yield* RecordLooks
  const facts = yield* EnrichmentFacts
  const store = yield* AnalysisStore
  const enrichments = yield* EnrichmentStore
  const kinds = yield* Kinds
  const history = yield* RecordChangeStore
  const feeds = yield* FeedStore
  const jobs = yield* JobStore
  const acted = yield* actedHistory
  const { atomically } = yield* Transactor

  const undo: Undoing["Service"]["undo"] = Effect.fn("Undoing.undo")(function* (caller, recordId, request) {
    const looked = yield* looks.open(caller, "undoChange", recordId)
    const { field, redo = false } = request
    const traces: Array<ClaimTrace> = []
    const before = yield* looks.rows(caller, looked, {
      trace: () => {
        const trace = new ClaimTrace()
        traces.push(trace)
        return trace.trace
      }
    })
    if (field === undefined && request.enrichmentId === undefined) {
      return yield* unusable("field", "or an enrichment has to be named")
    }
    const held = (yield* store.facts(looked.scope, { recordIds: [recordId] })).filter(
      (fact) => fact.recordId === recordId && fact.kind === "suppress" && (fact.field === field || field === undefined)
    )
    const enrichmentId =
      request.enrichmentId ??
      (redo
        ? (held.at(-1)?.enrichmentId ?? (yield* unusable("field", "has nothing that was undone")))
        : yield* holderOf(
            before.map((look, n) => chainsOf(look, traces[n]!).get(field!) ?? []),
            field!
          ))
    const enrichment = Option.getOrUndefined(yield* enrichments.get(looked.scope.workspaceId, enrichmentId))
    if (enrichment === undefined || enrichment.dataType !== looked.scope.dataType) {
      return yield* unusable("enrichmentId", "is no enrichment of such records")
    }
    const kind = kinds.get(enrichment.type)
    const target = { enrichmentId, recordId, ...(field === undefined ? {} : { field }) }
    const wanted = kind?.family === "set" ? kind.undo(target) : suppression(target)
    return yield* atomically(
      Effect.gen(function* () {
        const all = yield* store.facts(looked.scope, { recordIds: [recordId] })
        const known = new Map(all.map((fact) => [contentOf(fact), fact]))
        const about = wanted.flatMap(({ otherId }) => (otherId === undefined ? [] : [otherId]))
        const touched: FactRecords = [{ scope: looked.scope, recordIds: [...new Set([recordId, ...about])] }]
        let changed: ReadonlyArray<EnrichmentFact>
        if (redo) {
          changed = wanted.flatMap((one) => known.get(contentOf(one)) ?? [])
          if (changed.length > 0) {
            yield* facts.lift(
              looked.scope,
              touched,
              changed.map(({ id }) => id),
              caller.cause
            )
          }
        } else {
          const fresh = wanted.filter((one) => !known.has(contentOf(one)))
          const { dataType, workspaceId } = looked.scope
          changed = fresh.length === 0 ? [] : yield* facts.add({ workspaceId, dataType }, touched, fresh, caller.cause)
        }
        yield* acted(caller, looked, before)
        return { recordId, facts: changed }
      })
    )
  })

  /** The job, with the feed that it is of. */
  const jobOf = Effect.fnUntraced(function* (caller: Caller, id: JobId) {
    const workspaceId = caller.principal.workspace.id
    for (const feed of yield* feeds.list([workspaceId], {})) {
      const job = yield* jobs.get(workspaceId, feed.id, id)
      if (Option.isNone(job)) continue
      yield* reach(caller, "undoRun", "Job", Option.some(feed))
      return { feed, job: job.value }
    }
    return yield* reach(caller, "undoRun", "Job", Option.none())
  })

  const undoRun: Undoing["Service"]["undoRun"] = Effect.fn("Undoing.undoRun")(function* (caller, jobId, redo = false) {
    const { feed, job } = yield* jobOf(caller, jobId)
    if (isActive(job.status)) {
      return yield* new Conflict({ code: "INVALID_STATE", message: `Job is ${job.status}`, details: [] })
    }
    const { dataType, workspaceId } = feed
    const of = { workspaceId, dataType }
    return yield* atomically(
      Effect.gen(function* () {
        let fields = 0
        let kept = 0
        for (let after: RecordChangeId | undefined; ;) {
          const changes = yield* history.ofJob(workspaceId, jobId, { after, limit: chunk })
          if (changes.length === 0) break
          after = changes.at(-1)!.id
          const recordIds = [...new Set(changes.map(({ recordId }) => recordOf(recordId)))]
          const held = Map.groupBy(yield* store.facts(of, { recordIds }), ({ recordId }) => recordId ?? "")
          const found = judged(changes, held, redo)
          kept += found.kept
          const places = new Map(
            [...found.wanted, ...found.lifted].flatMap((one) => {
              const recordId = "request" in one ? one.request.recordId : one.fact.recordId
              return recordId === undefined ? [] : [[recordId, one.accountId] as const]
            })
          )
          const touched = Array.from(
            Map.groupBy(places.keys(), (id) => places.get(id)!),
            ([accountId, ids]) => ({ scope: { ...of, accountId }, recordIds: ids })
          )
          const requests = found.wanted.map(({ request }) => request)
          const which = found.lifted.map(({ fact }) => fact.id)
          if (requests.length > 0) yield* facts.add(of, touched, requests, caller.cause)
          if (which.length > 0) yield* facts.lift(of, touched, which, caller.cause)
          fields += requests.length + which.length
        }
        return { jobId, fields, kept }
      })
    )
  })

  return Undoing.of({ undo, undoRun })
})

export class Undoing extends Context.Service<
  Undoing,
  {
    /** Asked for once more, it changes nothing. Feeds follow with their next run. */
    readonly undo: (caller: Caller, recordId: string, request: UndoRequest) => Effect.Effect<Undone, Failed>
    /**
     * Of a job that has ended. What people said or did since about the same fields stays; what the provider said is nothing that
     * can be undone. `redo` takes it back.
     */
    readonly undoRun: (caller: Caller, jobId: JobId, redo?: boolean) => Effect.Effect<UndoneRun, Failed>
  }
>()("@millrace/core/explain/Undoing") {
  static readonly layer: Layer.Layer<
    Undoing,
    never,
    | RecordLooks
    | EnrichmentFacts
    | AnalysisStore
    | EnrichmentStore
    | Kinds
    | RecordChangeStore
    | FeedStore
    | JobStore
    | Transactor
    | Ids
  > = Layer.effect(Undoing, make)
}
