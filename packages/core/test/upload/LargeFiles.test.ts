import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { openLedger, runJob, scene } from "./Uploading.ts"

const fileOf = (rows: number): string =>
  `Date;Description;Amount;Currency\n${Array.from(
    { length: rows },
    (_, n) =>
      `2026-${String(1 + (n % 12)).padStart(2, "0")}-${String(1 + (n % 28)).padStart(2, "0")};Purchase ${n};-${n + 1}.50;CHF\n`
  ).join("")}`

/** How often another fiber has its turn while a file of so many rows is booked. */
const turnsWhileBooking = Effect.fnUntraced(function* (rows: number) {
  const opened = yield* openLedger
  yield* opened.add(fileOf(rows))
  let turns = 0
  const other = yield* Effect.sync(() => void turns++).pipe(
    Effect.andThen(Effect.yieldNow),
    Effect.forever,
    Effect.forkChild
  )
  const job = yield* runJob(opened.feed.id)
  yield* Fiber.interrupt(other)
  expect(job.counts.created).toBe(rows)
  return turns
})

describe("a file of many rows", () => {
  scene("leaves others their turn between its rows, however many they are", () =>
    Effect.gen(function* () {
      const few = yield* turnsWhileBooking(1_000)
      const many = yield* turnsWhileBooking(11_000)
      expect(many - few).toBeGreaterThanOrEqual(9)
    })
  )
})
