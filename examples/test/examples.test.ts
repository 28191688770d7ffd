import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Documents from "../documents.ts"
import * as Embed from "../embed.ts"
import * as FilterRows from "../filter-rows.ts"

it.live("embed: syncs a demo bank through a rule into a table", () =>
  Effect.gen(function* () {
    const { job, rows } = yield* Embed.program.pipe(Effect.provide(Embed.layer), Effect.scoped)
    expect(job.status).toBe("completed")
    expect(job.counts.created).toBe(job.counts.read)
    expect(rows).toHaveLength(5)
  })
)

it.effect("filter rows: tells which rows pass, why, and what is wrong with a filter", () =>
  Effect.gen(function* () {
    const { answers, mistakes } = yield* FilterRows.program
    expect(answers.map(({ passes }) => passes)).toEqual([true, false, false, false])
    expect(answers.map(({ because }) => because.length)).toEqual([3, 1, 1, 1])
    expect(answers[2]!.because).toEqual(['amount has no value: amount lt "-4.50" is unknown'])
    expect(mistakes).toEqual([{ code: "FILTER_INVALID", field: "field", message: '"amout" is no field' }])
  })
)

it.live("documents: brings in a receipt, and has a row for each of its items", () =>
  Effect.gen(function* () {
    const { pushed, rows } = yield* Documents.program.pipe(Effect.provide(Documents.layer), Effect.scoped)
    expect(pushed).toEqual({ written: 1, unchanged: 0, removed: 0, failed: [] })
    expect(rows.map((row) => [row["cost_centre"], row["itemName"], Number(row["itemAmount"])])).toEqual([
      ["north", "Tea", 2.5],
      ["north", "Cake", 4]
    ])
  })
)
