/** Writes down what a read says of records besides their content: missed, joined, suggested. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DecisionLog } from "../identity/DecisionLog.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import { Joining } from "../identity/Joining.ts"
import type { LoggedSuggestion } from "../identity/LoggedSuggestion.ts"
import { trusted } from "../identity/match/Coverage.ts"
import type { MatchResult, Suggestion } from "../identity/match/Matching.ts"
import type { JobId } from "../job/Job.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import type { SnapshotOfAccount } from "./SnapshotOfAccount.ts"

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const ids = yield* Ids
  const { join } = yield* Joining

  const missed = Effect.fnUntraced(function* (scope: RecordScope, result: MatchResult) {
    const byCount = new Map<number, Array<string>>()
    if (result.seenAgain.length > 0)
      byCount.set(
        0,
        result.seenAgain.map((entry) => entry.id)
      )
    for (const { entry, missed: count } of result.missed) {
      const list = byCount.get(count)
      if (list === undefined) byCount.set(count, [entry.id])
      else list.push(entry.id)
    }
    for (const [count, list] of byCount) yield* records.setMissed(scope, list, count)
  })

  /** Records that are joined are few, and each of them is a step of its own. */
  const joined = Effect.fnUntraced(function* (
    { coverage, idTrust, scope }: SnapshotOfAccount,
    pairs: MatchResult["joined"],
    jobId: JobId | undefined
  ) {
    const both = yield* records.held(
      scope,
      pairs.flatMap(({ booked, entry }) => [entry.id, booked.id])
    )
    const now = new Map(both.map((record) => [record.id, record]))
    for (const { booked, entry, evidence } of pairs) {
      const [a, b] = [now.get(entry.id)!, now.get(booked.id)!]
      const job = jobId === undefined ? {} : { jobId }
      yield* join(scope, a, b, { evidence, coverage, ...job, idsCount: trusted(idTrust) })
    }
  })

  const suggested = Effect.fnUntraced(function* (
    scope: RecordScope,
    suggestions: ReadonlyArray<Suggestion>,
    jobId: JobId | undefined
  ) {
    const made: Array<Omit<LoggedSuggestion, "at" | "state">> = []
    for (const { evidence, observed, recordId } of suggestions) {
      if (!("id" in observed)) continue
      const job = jobId === undefined ? {} : { jobId }
      made.push({
        id: yield* ids.next("suggestion"),
        ...scope,
        recordId,
        observedId: observed.id,
        evidence,
        ...job
      })
    }
    yield* identity.suggest(made)
  })

  return { missed, joined, suggested }
})

/** Inside of a transaction of who may write. */
export class IdentityNotes extends Context.Service<IdentityNotes>()("@millrace/core/sync/IdentityNotes", { make }) {
  static readonly layer: Layer.Layer<IdentityNotes, never, RecordStore | IdentityStore | Ids> = Layer.effect(
    IdentityNotes,
    make
  ).pipe(Layer.provide(Joining.layer.pipe(Layer.provide(DecisionLog.layer))))
}
