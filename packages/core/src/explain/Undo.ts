/** Taking back what enrichments changed (enrichments A8): facts are added, and what follows is as if they had not spoken. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { type AnalysisScope, AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { EnrichmentFacts, type FactRecords } from "../enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { RecordChange, RecordChangeId } from "../enrichment/history/RecordChange.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { type EnrichmentFact, type FactRequest, suppression } from "../enrichment/kinds/EnrichmentFact.ts"
import { type AnyKind, Kinds } from "../enrichment/Kinds.ts"
import type { EnrichmentId } from "../enrichment/Enrichment.ts"
import { Conflict, type Forbidden, type NotFound, Unprocessable } from "../failure/Failure.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { isActive, type JobId } from "../job/Job.ts"
import { JobStore } from "../job/JobStore.ts"
import { type Ids, isId } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { actedHistory } from "./ActedHistory.ts"
import { aboutOf, linkUndo, recordOf } from "./LinkUndo.ts"
import { type ChainLink, chainsOf, ClaimTrace } from "./ClaimChain.ts"
import { type Looked, RecordLooks } from "./RecordLooks.ts"

/** What of a record is taken back: at least one is named. Without an enrichment, the one whose value holds. */
export interface UndoRequest {
  readonly field?: string
  readonly enrichmentId?: EnrichmentId
  /** A link that ties the record to others, named alone: its records are not brought together again. */
  readonly linkId?: string
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
  /** Links of records that were made by the run, and are forbidden now, or may be made again. */
  readonly links: number
  /** Fields and links that were left as they are: a person has spoken about them since. */
  readonly kept: number
}

type Failed = NotFound | Forbidden | Conflict | Unprocessable | StorageUnavailable

/** Changes of a job that are looked at together. */
const chunk = 1_000

const contentOf = ({ enrichmentId, field, kind, otherId, recordId }: FactRequest): string =>
  JSON.stringify([kind, enrichmentId, recordId, otherId, field])

const unusable = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message: `${field} ${message}`, details: [{ field, message }] })

/** The enrichment whose value of the field holds, in the first feed in which one does. */
const holderOf = (chains: ReadonlyArray<ReadonlyArray<ChainLink>>, field: string) => {
  const top = chains.flatMap(([first]) => (first === undefined ? [] : [first]))
  const found = top.find(({ authority }) => authority !== "provider")
  if (found === undefined) return Effect.fail(unusable("field", `"${field}" is as the provider says`))
  const { enrichmentId } = found
  return isId("enrichment", enrichmentId)
    ? Effect.succeed(enrichmentId)
    : Effect.fail(unusable("field", `"${field}" is a person's word: clear it`))
}

/** Lines that a record falls into have its sum together: they are taken back as a whole, and never a field of one. */
const isWhole = (kind: AnyKind | undefined): boolean => kind?.family === "record" && kind.makesLines === true

/** What of some changes is to be taken back, and how many a person has spoken about since. */
const judged = (
  changes: ReadonlyArray<RecordChange>,
  held: ReadonlyMap<string, ReadonlyArray<EnrichmentFact>>,
  splitters: ReadonlySet<string>,
  redo: boolean
) => {
  const wanted = new Map<string, { readonly request: FactRequest; readonly accountId: RecordChange["accountId"] }>()
  const lifted = new Map<string, { readonly fact: EnrichmentFact; readonly accountId: RecordChange["accountId"] }>()
  let kept = 0
  for (const { accountId, at, enrichmentId, field, recordId: rowId } of changes) {
    if (!isId("enrichment", enrichmentId)) continue
    const recordId = recordOf(rowId)
    const [request] = suppression({ enrichmentId, recordId, ...(splitters.has(enrichmentId) ? {} : { field }) })
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
  const links = yield* linkUndo
  const { atomically } = yield* Transactor

  /** Of a link: all of its facts, or none. */
  const undoLink = Effect.fnUntraced(function* (
    caller: Caller,
    looked: Looked,
    linkId: string,
    { enrichmentId, field, redo = false }: UndoRequest
  ) {
    const { record, scope } = looked
    if (field !== undefined || enrichmentId !== undefined) {
      return yield* unusable("linkId", "goes with neither a field nor an enrichment: it names both")
    }
    const before = yield* looks.rows(caller, looked)
    return yield* atomically(
      Effect.gen(function* () {
        const held = (yield* links.heldOf(scope, [record.id])).filter(({ value }) => value === linkId)
        const wanted = redo || held.length > 0 ? held : yield* links.find(scope, record.id, linkId)
        const [first] = wanted ?? []
        if (wanted === undefined || first?.enrichmentId === undefined) {
          return yield* unusable("linkId", redo ? "has nothing that was undone" : "is no link of the record")
        }
        if (!redo && held.length > 0) return { recordId: record.id, facts: [] }
        const touched = yield* links.placesOf(scope, first.enrichmentId, aboutOf(wanted))
        const { dataType, workspaceId } = scope
        let changed: ReadonlyArray<EnrichmentFact> = held
        if (!redo) changed = yield* facts.add({ workspaceId, dataType }, touched, wanted, caller.cause)
        else {
          const which = held.map(({ id }) => id)
          yield* facts.lift({ workspaceId, dataType }, touched, which, caller.cause)
        }
        yield* acted(caller, looked, before)
        return { recordId: record.id, facts: changed }
      })
    )
  })

  const undo: Undo["Service"]["undo"] = Effect.fn("Undo.undo")(function* (caller, recordId, request) {
    const looked = yield* looks.open(caller, "undoChange", recordId)
    const { field, linkId, redo = false } = request
    if (linkId !== undefined) return yield* undoLink(caller, looked, linkId, request)
    const traces: Array<ClaimTrace> = []
    const before = yield* looks.rows(caller, looked, {
      trace: () => {
        const trace = new ClaimTrace()
        traces.push(trace)
        return trace.trace
      }
    })
    if (field === undefined && request.enrichmentId === undefined) {
      return yield* unusable("field", "has to be named, or an enrichment or a link in its place")
    }
    const held = (yield* store.facts(looked.scope, { recordIds: [recordId] })).filter(
      (fact) => fact.recordId === recordId && fact.kind === "suppress"
    )
    const last =
      field === undefined
        ? held.at(-1)
        : (held.findLast((fact) => fact.field === field) ?? held.findLast((fact) => fact.field === undefined))
    const enrichmentId =
      request.enrichmentId ??
      (redo
        ? (last?.enrichmentId ?? (yield* unusable("field", "has nothing that was undone")))
        : yield* holderOf(
            before.map((look, n) => chainsOf(look, traces[n]!).get(field!) ?? []),
            field!
          ))
    const enrichment = Option.getOrUndefined(yield* enrichments.get(looked.scope.workspaceId, enrichmentId))
    if (enrichment === undefined || enrichment.dataType !== looked.scope.dataType) {
      return yield* unusable("enrichmentId", "is no enrichment of such records")
    }
    const kind = kinds.get(enrichment.type)
    const target = { enrichmentId, recordId, ...(field === undefined || isWhole(kind) ? {} : { field }) }
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

  /** How many links facts are about, once `act` has been done with those of each enrichment. */
  const byEnrichment = Effect.fnUntraced(function* <Fact extends FactRequest, E>(
    of: AnalysisScope,
    all: ReadonlyArray<Fact>,
    act: (places: FactRecords, some: ReadonlyArray<Fact>) => Effect.Effect<unknown, E>
  ) {
    for (const [enrichmentId, some] of Map.groupBy(all, (one) => one.enrichmentId)) {
      if (enrichmentId !== undefined) yield* act(yield* links.placesOf(of, enrichmentId, aboutOf(some)), some)
    }
    return new Set(all.map(({ value }) => value)).size
  })

  const forbid = (caller: Caller, of: AnalysisScope, all: ReadonlyArray<FactRequest>) =>
    byEnrichment(of, all, (places, some) => facts.add(of, places, some, caller.cause))

  const unforbid = (caller: Caller, of: AnalysisScope, all: ReadonlyArray<EnrichmentFact>) =>
    byEnrichment(of, all, (places, some) =>
      facts.lift(
        of,
        places,
        some.map(({ id }) => id),
        caller.cause
      )
    )

  const undoRun: Undo["Service"]["undoRun"] = Effect.fn("Undo.undoRun")(function* (caller, jobId, redo = false) {
    const { feed, job } = yield* jobOf(caller, jobId)
    if (isActive(job.status)) {
      return yield* new Conflict({ code: "INVALID_STATE", message: `Job is ${job.status}`, details: [] })
    }
    const { dataType, workspaceId } = feed
    const of = { workspaceId, dataType }
    const splitters = new Set<string>(
      (yield* enrichments.list([workspaceId])).filter(({ type }) => isWhole(kinds.get(type))).map(({ id }) => id)
    )
    return yield* atomically(
      Effect.gen(function* () {
        let fields = 0
        let kept = 0
        let tied = 0
        for (let after: RecordChangeId | undefined; ;) {
          const changes = yield* history.ofJob(workspaceId, jobId, { after, limit: chunk })
          if (changes.length === 0) break
          after = changes.at(-1)!.id
          const recordIds = [...new Set(changes.map(({ recordId }) => recordOf(recordId)))]
          const made = yield* links.ofChanges(of, changes)
          tied += yield* redo ? unforbid(caller, of, made.held) : forbid(caller, of, [...made.wanted.values()].flat())
          if (!redo) kept += made.kept
          const held = Map.groupBy(yield* store.facts(of, { recordIds }), ({ recordId }) => recordId ?? "")
          const others = redo ? changes : changes.filter((change) => !made.covers(change))
          const found = judged(others, held, splitters, redo)
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
        return { jobId, fields, links: tied, kept }
      })
    )
  })

  return Undo.of({ undo, undoRun })
})

export class Undo extends Context.Service<
  Undo,
  {
    /** Asked for again, it changes nothing. Feeds follow by local runs. */
    readonly undo: (caller: Caller, recordId: string, request: UndoRequest) => Effect.Effect<Undone, Failed>
    /**
     * Of a job that has ended. What people said or did since about the same fields stays; what the provider said is nothing that
     * can be undone. `redo` takes it back.
     */
    readonly undoRun: (caller: Caller, jobId: JobId, redo?: boolean) => Effect.Effect<UndoneRun, Failed>
  }
>()("@millrace/core/explain/Undo") {
  static readonly layer: Layer.Layer<
    Undo,
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
  > = Layer.effect(Undo, make)
}
