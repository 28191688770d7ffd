/**
 * What changes of enrichments would do to what is there (enrichments F2): the difference between all records run through them
 * and through the enrichments as they are, by the way of runs. Nothing is stored, sent or asked outside.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { permit, reach, shows } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { BankStore } from "../bank/BankStore.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { PlanningTurns } from "../enrichment/PlanningTurns.ts"
import { EnrichmentsOn, enrichmentsOffMessage } from "../enrichment/EnrichmentsOn.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import type { EnrichmentFact } from "../enrichment/kinds/EnrichmentFact.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import { type OwnedRecord, Rehearsal } from "../enrichment/Rehearsal.ts"
import type { ScratchAnalysis } from "../enrichment/ScratchAnalysis.ts"
import { type Detail, type Forbidden, type NotFound, Unprocessable } from "../failure/Failure.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { MessageHosts } from "../message/MessageHosts.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import { isOpen, type Simulation, type SimulationId, type SimulationInput, SimulationStore } from "./Simulation.ts"
import { type Play, simulationPlay } from "./SimulationPlay.ts"
import type { SimulationReport } from "./SimulationReport.ts"
import { simulationTask } from "./SimulationTaskKind.ts"
import { type Supposed, type SupposedFact, suppose, type Supposition } from "./WhatIf.ts"

export interface SimulationRequest {
  readonly changes: ReadonlyArray<Supposed>
  /** Only records of these days are reported; all of them are looked at. */
  readonly from?: CalendarDate.CalendarDate
  readonly to?: CalendarDate.CalendarDate
  /** Only these feeds get them. */
  readonly feedIds?: ReadonlyArray<string>
  /** The day that it is taken to be; today unless given. */
  readonly asOf?: CalendarDate.CalendarDate
}

/** The answer at once or, where there is too much to look at or it takes too long, where it will be. */
export type Simulated = { readonly report: SimulationReport } | { readonly simulation: Simulation }

/** Records up to which the answer comes at once, and seconds that it may take. */
export const AnsweredAtOnce = Context.Reference<{ readonly records: number; readonly seconds: number }>(
  "@millrace/core/explain/AnsweredAtOnce",
  { defaultValue: () => ({ records: limits.rehearsedRecords, seconds: limits.simulationSeconds }) }
)

const dayMillis = 86_400_000

const refuse = (details: ReadonlyArray<Detail>) => {
  const [first] = details
  return first === undefined
    ? Effect.void
    : Effect.fail(
        new Unprocessable({
          code: "ENRICHMENT_VALIDATION_FAILED",
          message: `${first.field} ${first.message}`,
          details: details.slice(0, limits.errorDetails)
        })
      )
}

const tooMany = () =>
  new Unprocessable({
    code: "LIMIT_EXCEEDED",
    message: `${limits.openSimulations} simulations are being played already: wait for one of them, or cancel one`,
    details: []
  })

const make = Effect.gen(function* () {
  const enrichments = yield* EnrichmentStore
  const analyses = yield* AnalysisStore
  const feeds = yield* FeedStore
  const rehearsal = yield* Rehearsal
  const kinds = yield* Kinds
  const hosts = yield* MessageHosts
  const { sha256 } = yield* Digest
  const simulations = yield* SimulationStore
  const ids = yield* Ids
  const tasks = yield* Tasks
  const { atomically } = yield* Transactor
  const { short } = yield* simulationPlay
  const isOn = yield* EnrichmentsOn

  /** Decisions that would be taken back. */
  const liftedOf = Effect.fnUntraced(function* (workspaceId: Feed["workspaceId"], { lifts }: Supposition) {
    const facts: Array<EnrichmentFact> = []
    const details: Array<Detail> = []
    for (const { at, id } of lifts) {
      const fact = yield* analyses.fact(workspaceId, id)
      if (fact === undefined || fact.lifted !== undefined)
        details.push({ field: at, message: "is no decision that holds" })
      else facts.push(fact)
    }
    return { facts, details }
  })

  /** Records of supposed decisions that no feed shows. */
  const strangers = Effect.fnUntraced(function* (
    { facts }: Supposition,
    { feeds: shown, workspace }: Play,
    dataType: DataType
  ) {
    const named = facts
      .filter(({ fact }) => fact.dataType === dataType)
      .flatMap(({ at, fact }: SupposedFact) =>
        (["recordId", "otherId"] as const).flatMap((name) =>
          fact[name] === undefined ? [] : [{ field: `${at}.${name}`, id: fact[name] }]
        )
      )
    if (named.length === 0) return []
    const own = shown.filter((feed) => feed.dataType === dataType)
    const known = yield* rehearsal.known(
      workspace,
      dataType,
      own,
      named.map(({ id }) => id)
    )
    return named.flatMap(({ field, id }): ReadonlyArray<Detail> =>
      known.has(id) ? [] : [{ field, message: "is no record that a feed shows" }]
    )
  })

  /** All records that are looked at, by type; `undefined` where there are too many for an answer at once. */
  const ledgerOf = Effect.fnUntraced(function* ({ dataTypes, feeds: shown, workspace }: Play) {
    const found = new Map<DataType, ReadonlyArray<OwnedRecord>>()
    let { records: left } = yield* AnsweredAtOnce
    for (const dataType of dataTypes) {
      const own = shown.filter((feed) => feed.dataType === dataType)
      const records = yield* rehearsal
        .ledger(workspace, dataType, own, left)
        .pipe(Effect.catchTag("TooManyRecords", () => Effect.undefined))
      if (records === undefined) return undefined
      left -= records.length
      found.set(dataType, records)
    }
    return found
  })

  /** Those that are played for an answer at once, by workspace. */
  const playing = new Map<string, number>()
  /** Only while fewer than `limits.openSimulations` are played. */
  const whilePlaying = <A, E, R>(workspaceId: string, play: Effect.Effect<A, E, R>) =>
    Effect.suspend((): Effect.Effect<A, E | Unprocessable, R> => {
      const count = playing.get(workspaceId) ?? 0
      if (count >= limits.openSimulations) return Effect.fail(tooMany())
      playing.set(workspaceId, count + 1)
      return Effect.ensuring(
        play,
        Effect.sync(() => {
          const left = playing.get(workspaceId)! - 1
          if (left === 0) playing.delete(workspaceId)
          else playing.set(workspaceId, left)
        })
      )
    })

  /** One after the other, so that each knows of those before it. */
  const enqueuing = yield* Semaphore.make(1)

  /** Has it played in the background; who asks the same while that is open gets the same one. */
  const enqueue = Effect.fnUntraced(function* (caller: Caller, input: SimulationInput) {
    const { id: workspaceId } = caller.principal.workspace
    const createdBy = caller.cause
    // The revision of what is only supposed follows from its content.
    const { changed, ...rest } = input
    const content = changed.map(([id, after]) => [id, after?.revision ?? null])
    const fingerprint = sha256(JSON.stringify([createdBy, content, rest]))
    const now = yield* Timestamp.now
    const open = yield* simulations.open(workspaceId)
    const same = open.find((one) => one.fingerprint === fingerprint)
    if (same !== undefined) return same
    if (open.length >= limits.openSimulations) return yield* tooMany()
    const id = yield* ids.next("simulation")
    const simulation: Simulation = {
      id,
      workspaceId,
      status: "queued",
      records: 0,
      createdBy,
      createdAt: now,
      fingerprint,
      version: 1
    }
    yield* atomically(
      Effect.gen(function* () {
        yield* simulations.forget(
          workspaceId,
          Timestamp.fromMillis(Timestamp.toMillis(now) - limits.simulationDays * dayMillis)
        )
        yield* simulations.insert(simulation, input)
        yield* tasks.enqueue(simulationTask, { payload: { workspaceId, simulationId: id }, workspaceId, key: id })
      })
    )
    return simulation
  })

  const find = Effect.fnUntraced(function* (
    caller: Caller,
    operation: "getSimulation" | "cancelSimulation",
    id: SimulationId
  ) {
    const found = yield* simulations.get(caller.principal.workspace.id, id)
    return yield* reach(caller, operation, "Simulation", found)
  })

  const simulated = Effect.fnUntraced(function* (caller: Caller, request: SimulationRequest) {
    const { workspace } = caller.principal
    if (!isOn) {
      return yield* new Unprocessable({
        code: "ENRICHMENT_VALIDATION_FAILED",
        message: enrichmentsOffMessage,
        details: []
      })
    }
    const now = yield* Timestamp.now
    const present = yield* enrichments.list([workspace.id])
    const supposed = suppose(caller, present, request.changes, kinds, hosts, sha256, now)
    const lifted = yield* liftedOf(workspace.id, supposed)
    yield* refuse([...supposed.details, ...lifted.details])
    const added = supposed.facts.map(({ fact }) => fact)
    const types = new Set<DataType>([
      ...supposed.changed.flatMap(([before, after]): ReadonlyArray<DataType> => {
        const one = after ?? before
        return one === undefined ? [] : [one.dataType]
      }),
      ...[...added, ...lifted.facts].map(({ dataType }) => dataType)
    ])
    const dataTypes = [...types]
    const all = (yield* Effect.forEach(dataTypes, (dataType) => feeds.list([workspace.id], { dataType }))).flat()
    const isTold = (feed: Feed) =>
      (request.feedIds === undefined || request.feedIds.includes(feed.id)) && shows(caller, "simulateEnrichments", feed)
    const play: Play = {
      workspace,
      dataTypes,
      present,
      supposed: supposed.enrichments,
      facts: { added, lifted: new Set<string>(lifted.facts.map(({ id }) => id)) },
      today: request.asOf ?? CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone),
      from: request.from,
      to: request.to,
      feeds: all,
      isTold
    }
    for (const dataType of dataTypes) yield* refuse(yield* strangers(supposed, play, dataType))
    const ledger = yield* ledgerOf(play)
    if (ledger !== undefined) {
      const { seconds } = yield* AnsweredAtOnce
      const answer = short(play, ledger)
      // Where time is simulated, it may pass while nothing waits: then there is no limit.
      const report = yield* Number.isFinite(seconds)
        ? Effect.timeoutOption(answer, seconds * 1_000)
        : Effect.asSome(answer)
      if (Option.isSome(report)) return { report: report.value }
    }
    const { from, to, today } = play
    const input: SimulationInput = {
      dataTypes,
      changed: supposed.changed.flatMap(([before, after]) => {
        const id = (after ?? before)?.id
        return id === undefined ? [] : [[id, after ?? null] as const]
      }),
      facts: added,
      lifted: lifted.facts.map(({ id }) => id),
      today,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      feedIds: all.filter(isTold).map(({ id }) => id)
    }
    return { simulation: yield* enqueuing.withPermit(enqueue(caller, input)) }
  })

  return Simulations.of({
    simulate: Effect.fn("Simulations.simulate")(function* (caller, request) {
      yield* permit(caller, "simulateEnrichments")
      // What is supposed is checked, and some configurations are large: one caller after the other.
      yield* (yield* PlanningTurns)(0)
      return yield* whilePlaying(caller.principal.workspace.id, simulated(caller, request))
    }),
    get: Effect.fn("Simulations.get")((caller, id) => find(caller, "getSimulation", id)),
    cancel: Effect.fn("Simulations.cancel")(function* (caller, id) {
      const found = yield* find(caller, "cancelSimulation", id)
      if (!isOpen(found)) return found
      const endedAt = yield* Timestamp.now
      return yield* atomically(
        Effect.gen(function* () {
          yield* tasks.withdraw(simulationTask, id)
          // Anyone who plays it can write no more; what they wrote last is counted.
          const latest = yield* find(caller, "cancelSimulation", id)
          if (!isOpen(latest)) return latest
          const { input: _, ...kept } = latest
          const cancelled: Simulation = { ...kept, status: "cancelled", endedAt, version: latest.version + 1 }
          yield* simulations.update(cancelled)
          return cancelled
        })
      )
    })
  })
})

export class Simulations extends Context.Service<
  Simulations,
  {
    /** `Unprocessable` where a change could not be made, or where too many are being played. */
    readonly simulate: (
      caller: Caller,
      request: SimulationRequest
    ) => Effect.Effect<Simulated, Forbidden | Unprocessable | StorageUnavailable>
    /** One that is played in the background. They are kept for `limits.simulationDays`. */
    readonly get: (
      caller: Caller,
      id: SimulationId
    ) => Effect.Effect<Simulation, Forbidden | NotFound | StorageUnavailable>
    /** Plays it no further. One that has ended stays as it is. */
    readonly cancel: (
      caller: Caller,
      id: SimulationId
    ) => Effect.Effect<Simulation, Forbidden | NotFound | StorageUnavailable>
  }
>()("@millrace/core/explain/Simulations") {
  static readonly layer: Layer.Layer<
    Simulations,
    never,
    | AnalysisStore
    | EnrichmentStore
    | FeedStore
    | RecordStore
    | SimulationStore
    | ScratchAnalysis
    | Rehearsal
    | FeedPipelines
    | Kinds
    | Digest
    | BankStore
    | Ids
    | Tasks
    | Transactor
  > = Layer.effect(Simulations, make)
}
