import { describe, expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { makeEnrichment, makeWrite, scopeOf } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { AnalysisExtent } from "../../src/enrichment/AnalysisExtent.ts"
import { Analysis } from "../../src/enrichment/Analysis.ts"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { bundledKinds } from "../../src/enrichment/Kinds.ts"
import type { SetKind } from "../../src/enrichment/kinds/SetKind.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import type { RecordWrite } from "../../src/record/LedgerRecord.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { analysisServices, arrange, march } from "./AnalysisWorld.ts"
import { monthSum } from "./MonthSum.ts"

/** Months in the order in which they were planned. */
const planned: Array<string> = []
const counted: SetKind = {
  ...(monthSum as SetKind),
  plan: (input) => {
    planned.push(...input.dirty)
    return (monthSum as SetKind).plan(input)
  }
}
/** Sums what the first one said: it stands behind it. */
const ofSums: SetKind = { ...counted, type: "sum_of_sums", stage: () => 101 }

const services = analysisServices([
  ...bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }),
  counted,
  ofSums
])

/** `held`: values that are held until they are planned. */
const little = (changes: number, records: number, held = 0) =>
  Effect.provideService(AnalysisExtent, { changes, planned: records, held })

/** So many records of both accounts, over four months. */
const written = Effect.fnUntraced(function* (count: number) {
  const world = yield* arrange
  const random = new Seeded(7)
  const writes: Array<readonly [account: number, write: RecordWrite]> = []
  for (let n = 0; n < count; n++) {
    const date = CalendarDate.addDays(CalendarDate.make("2025-12-01"), random.below(110))
    const fields = { description: "SHOP", date, amount: `${1 + random.below(20)}` }
    writes.push([n % 2, { ...(yield* makeWrite({ date })), hash: `${n}`, fields }])
  }
  for (const [n, { account }] of world.accounts.entries()) {
    yield* world.records.write(
      scopeOf(account),
      writes.flatMap(([of, write]) => (of === n ? [write] : []))
    )
  }
  const behind = yield* makeEnrichment(world.workspace, {
    type: "sum_of_sums",
    config: { limit: "50", field: "monthSum" }
  })
  const both: ReadonlyArray<Enrichment> = [world.sum, behind]
  /** What stands beside each record, in the order in which they were written. */
  const said = Effect.gen(function* () {
    const ids = writes.map(([, { id }]) => id)
    const notes = yield* world.store.notes(world.workspace.id, ids)
    return ids.map((id) => both.map((one) => (notes.get(id)?.claims.get(one.id) ?? []).map(({ value }) => value)))
  })
  return { ...world, both, said, writes }
})

describe("an analysis of many slices", () => {
  it.effect("plans each partition once, however many slices and accounts it is made of", () =>
    Effect.gen(function* () {
      const { run } = yield* written(40)
      planned.length = 0
      expect(yield* run().pipe(little(3, 12))).toEqual([])
      expect(planned.toSorted()).toEqual(["2025-12", "2026-01", "2026-02", "2026-03"])
    }).pipe(Effect.provide(services))
  )

  it.effect("says what one slice would say, now and after changes", () =>
    Effect.gen(function* () {
      const sizes = new Seeded(3)
      for (let round = 0; round < 9; round++) {
        const whole = yield* written(30)
        const parted = yield* written(30)
        yield* whole.run({ enrichments: whole.both })
        // Nothing is held, or all until it is too much, or all.
        const held = [0, 60, 10_000][round % 3]!
        yield* parted.run({ enrichments: parted.both }).pipe(little(1 + sizes.below(9), 1 + sizes.below(20), held))
        expect(yield* parted.said).toEqual(yield* whole.said)
        for (const { accounts, both, records, run, writes } of [whole, parted]) {
          for (const [n, { account }] of accounts.entries()) {
            const changed = writes.flatMap(([of, write], at) =>
              of === n && at % 3 === 0
                ? [{ ...write, hash: `${write.hash} again`, fields: { ...write.fields, amount: "5" } }]
                : []
            )
            yield* records.write(scopeOf(account), changed)
          }
          yield* run({ enrichments: both }).pipe(records === whole.records ? (one) => one : little(2, 1))
        }
        expect(yield* parted.said).toEqual(yield* whole.said)
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("goes on where a run stopped, at any transaction", () =>
    Effect.gen(function* () {
      const whole = yield* written(24)
      yield* whole.run({ enrichments: whole.both })
      const expected = yield* whole.said
      for (let last = 0; ; last++) {
        const { accounts, both, run, said, workspace } = yield* written(24)
        let transactions = 0
        const stopped = yield* Effect.result(
          Effect.flatMap(Analysis, (analysis) =>
            analysis.run({
              workspace,
              dataType: "transactions",
              enrichments: both,
              accounts,
              today: march,
              cause: { kind: "system", reason: "test" },
              guard: Effect.suspend(() => (transactions++ < last ? Effect.void : Effect.fail("stopped")))
            })
          ).pipe(little(5, 3))
        )
        yield* run({ enrichments: both }).pipe(little(4, 9))
        expect(yield* said).toEqual(expected)
        if (Result.isSuccess(stopped)) {
          // Slices that read, and more than one that plans.
          expect(last).toBeGreaterThan(6)
          break
        }
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("says the same where another run is faster, though the slice behind was read already", () =>
    Effect.gen(function* () {
      const whole = yield* written(24)
      yield* whole.run({ enrichments: whole.both })
      const expected = yield* whole.said
      for (let which = 1; which <= 8; which++) {
        const { accounts, both, said, scope, store, workspace, writes } = yield* written(24)
        let transactions = 0
        yield* Effect.flatMap(Analysis, (analysis) =>
          analysis.run({
            workspace,
            dataType: "transactions",
            enrichments: both,
            accounts,
            today: march,
            cause: { kind: "system", reason: "test" },
            // What the slice was read at is another version by now.
            guard: Effect.suspend(() =>
              transactions++ === Math.ceil(which / 2) ? store.disturb(scope, [writes[0]![1].id], march) : Effect.void
            )
          })
        ).pipe(little(5, 30, which % 2 === 0 ? 10_000 : 0))
        expect(transactions).toBeGreaterThan(Math.ceil(which / 2))
        expect(yield* said).toEqual(expected)
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("ends where partitions fail, and leaves them for the next run with what they knew", () =>
    Effect.gen(function* () {
      const { records, run, scope, said, writes } = yield* written(30)
      yield* run().pipe(little(4, 5))
      const before = yield* said
      const [, bad] = writes.find(([of]) => of === 0)!
      const failing = { ...bad, hash: "666", fields: { ...bad.fields, amount: "666" } }
      yield* records.write(scope, [failing])
      const faults = yield* run().pipe(little(4, 5))
      expect(faults.map(({ message }) => message)).toEqual([
        `666 is no amount (partition ${String(bad.fields["date"]).slice(0, 7)})`
      ])
      expect(yield* said).toEqual(before)
      yield* records.write(scope, [{ ...bad, hash: "mended" }])
      expect(yield* run().pipe(little(4, 5))).toEqual([])
      expect(yield* said).toEqual(before)
    }).pipe(Effect.provide(services))
  )

  it.effect("tells of what is new, and of nothing that was there, though it waited to be planned", () =>
    Effect.gen(function* () {
      const { eventsOf, run, workspace, write } = yield* arrange
      const alert = yield* makeEnrichment(workspace, {
        type: "alert",
        config: {
          conditions: { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "-100" }] },
          destinations: [{ type: "email", recipients: ["owner@example.com"] }]
        }
      })
      const fired = () => Effect.map(eventsOf, (events) => events.filter(({ type }) => type === "alert.fired").length)
      for (let n = 0; n < 7; n++) yield* write(`-${200 + n}`, "2026-03-18")
      expect(yield* run({ enrichments: [alert] }).pipe(little(2, 2))).toEqual([])
      expect(yield* fired()).toBe(0)
      for (let n = 0; n < 7; n++) yield* write(`-${300 + n}`, "2026-03-19")
      expect(yield* run({ enrichments: [alert] }).pipe(little(2, 2))).toEqual([])
      expect(yield* fired()).toBe(7)
    }).pipe(Effect.provide(services))
  )
})
