/**
 * Which rows a filter means, and why: the filter language of the kernel by itself, without storage.
 *
 * A filter comes as JSON from somewhere, so it is decoded, bound to the fields there are, and only then compiled.
 * Every mistake is reported with its place. Run it with `node --conditions=@millrace/source examples/filter-rows.ts`.
 */
import { Re2Patterns } from "@millrace/adapters/pattern"
import { bind, compile, explainFilter, type FilterField, FilterNode, type RowValues } from "@millrace/core/filter"
import { StrictDecoding, Timestamp } from "@millrace/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const fields = new Map<string, FilterField>([
  ["description", { type: "text" }],
  ["amount", { type: "number" }],
  ["date", { type: "date" }]
])

/** Numbers are decimals as text, dates are text; what is absent is unknown. */
const rows: ReadonlyArray<RowValues> = [
  { description: "BLUE DOOR COFFEE", amount: "-4.7", date: "2026-03-02" },
  { description: "Blue Door Coffee", amount: "-4.7", date: "2025-12-30" },
  { description: "Blue Door Coffee", date: "2026-03-05" },
  { description: "Rent", amount: "-950", date: "2026-03-01" }
]

const asked = {
  logic: "and",
  conditions: [
    { field: "description", op: "contains", value: "coffee" },
    { field: "amount", op: "lt", value: "-4.50" },
    { field: "date", op: "gte", value: { rel: "mtd" } }
  ]
}

export const program = Effect.gen(function* () {
  const environment = {
    now: Timestamp.make("2026-03-14T12:00:00.000Z"),
    zone: "Europe/Zurich",
    patterns: Re2Patterns.re2Patterns
  }
  const node = yield* Effect.fromResult(StrictDecoding.decode(FilterNode, asked))
  const plan = yield* Effect.fromResult(bind(node, fields, environment))
  const passes = compile(plan)
  const answers = rows.map((row) => ({
    passes: passes(row),
    because: explainFilter(node, plan, row).decided.map(({ text }) => text)
  }))
  const mistake = bind({ field: "amout", op: "gt", value: 1 }, fields, environment)
  return { answers, mistakes: Result.isFailure(mistake) ? mistake.failure : [] }
})

if (import.meta.main) {
  Effect.runFork(
    Effect.gen(function* () {
      const { answers, mistakes } = yield* program
      for (const { because, passes } of answers)
        yield* Console.log(`${passes ? "passes" : "does not pass"}: ${because.join("; ")}`)
      for (const { field, message } of mistakes) yield* Console.log(`a filter that is refused: ${field} ${message}`)
    })
  )
}
