/** A sync from nothing, of what exists already and of a few corrections, and what could be done by hand. */
import type { JobId } from "@millrace/core/job"
import type { Stage } from "../../packages/core/src/sync/Stage.ts"
import * as Effect from "effect/Effect"
import type { Client } from "pg"
import type { Contender } from "../harness/Bench.ts"
import * as Copy from "./Copy.ts"
import type { Correction } from "./CorrectingBank.ts"
import { type Connected, newJob, runJob, type Services } from "./Installation.ts"
import * as Ledger from "./Ledger.ts"
import type { Upstream } from "./Statements.ts"
import * as Upsert from "./Upsert.ts"

/** A way to sync: the whole job, or less. */
export interface Sync {
  readonly upstream: Upstream
  /** What it writes row by row. */
  readonly tables: ReadonlyArray<string>
  /** Made before each run, untimed. */
  readonly prepare: Effect.Effect<void>
  /** How many rows the upstream showed, and how many of them were new or another. */
  readonly run: Effect.Effect<{ readonly seen: number; readonly changed: number }>
}

type On = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.Effect<A>

/** From claim to completed: pull, identity, rules, ledger and delivery to a table. */
export const wholeJob = (on: On, connected: Connected, upstream: Upstream): Sync => {
  let next: JobId
  return {
    upstream,
    tables: Copy.everyTable,
    prepare: Effect.gen(function* () {
      yield* on(Ledger.release)
      next = yield* on(newJob(connected))
    }),
    run: Effect.map(
      Effect.suspend(() => on(runJob(connected, next))),
      ({ counts }) => ({ seen: counts.read, changed: counts.created + counts.updated + counts.removed })
    )
  }
}

/** From normalised and hashed observations to their last commit: identity and ledger. */
export const ledgerOnly = (on: On, connected: Connected, upstream: Upstream): Sync => {
  let staged: Stage
  return {
    upstream,
    tables: ["record"],
    prepare: Effect.gen(function* () {
      yield* on(Ledger.hold(connected))
      staged = yield* on(Ledger.stage(upstream))
    }),
    run: Effect.suspend(() => on(Ledger.write(connected, upstream, staged)))
  }
}

/** Rows of a first sync, taken back out of its tables for anyone who writes them by hand. */
export const taken = Effect.fnUntraced(function* (connection: Client, { prepare, run, tables }: Sync) {
  yield* Copy.forget(connection)
  yield* prepare
  yield* run
  return {
    copies: yield* Copy.take(connection, tables),
    upserts: yield* Effect.forEach(tables, (table) => Upsert.take(connection, table))
  }
})

export const copy = (connection: Client, copies: ReadonlyArray<Copy.CopiedTable>): Contender => ({
  name: "COPY of the same rows",
  before: Copy.forget(connection),
  run: Effect.map(Copy.put(connection, copies), (rows) => () => rows)
})

export const firstSync = (connection: Client, { prepare, run }: Sync): Contender => ({
  name: "first sync",
  before: Effect.andThen(Copy.forget(connection), prepare),
  run: Effect.map(
    run,
    ({ changed }) =>
      () =>
        changed
  )
})

export const unchangedSync = ({ prepare, run }: Sync): Contender => ({
  name: "unchanged re-sync",
  before: prepare,
  run: Effect.map(
    run,
    ({ changed, seen }) =>
      () =>
        seen - changed
  )
})

/** Every run finds other corrections. The rows corrected must be those that the bank has corrected, no more. */
export const correctedSync = ({ prepare, run, upstream }: Sync, correct: Effect.Effect<Correction>): Contender => {
  let corrected = 0
  return {
    name: "1 % changed re-sync",
    before: Effect.andThen(
      Effect.map(correct, ({ count, files }) => {
        corrected = count
        upstream.show(files)
      }),
      prepare
    ),
    run: Effect.map(
      run,
      ({ changed, seen }) =>
        () =>
          changed === corrected ? seen : `${changed} changed rows and not ${corrected}`
    )
  }
}

/** All rows of a sync written over the same rows, whether they have changed or not. */
export const upsert = (
  connection: Client,
  copies: ReadonlyArray<Copy.CopiedTable>,
  upserts: ReadonlyArray<Upsert.Upsert>
): Contender => {
  let ready: ReturnType<typeof Upsert.unpacked> = []
  return {
    name: "unconditional unnest upsert",
    before: Effect.gen(function* () {
      yield* Copy.forget(connection)
      yield* Copy.put(connection, copies)
      ready = Upsert.unpacked(upserts)
    }),
    run: Effect.suspend(() => {
      const now = ready
      ready = []
      return Effect.map(Upsert.put(connection, now), () => () => upserts[0]!.count)
    })
  }
}
