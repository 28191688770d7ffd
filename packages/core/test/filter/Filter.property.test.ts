import { bind } from "../../src/filter/Bind.ts"
import { compile, type RelatedRows, type RowTest } from "../../src/filter/Compile.ts"
import { generate } from "../../src/filter/Generated.ts"
import type { Order } from "../../src/filter/Order.ts"
import * as Plan from "../../src/filter/FilterPlan.ts"
import { readFilter } from "../../src/filter/FilterNode.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import {
  type Answer,
  interpretFilter,
  moments,
  randomFields,
  randomFilter,
  randomRelated,
  randomRow,
  Seeded,
  zones
} from "@millrace/testing/model"
import * as Result from "effect/Result"
import { expect, it } from "vitest"

const long = process.env["MILLRACE_LONG"] === "1"
const filters = long ? 50_000 : 300
const rowsPerFilter = 40

const answers = (plan: Plan.FilterPlan, make: (plan: Plan.FilterPlan) => RowTest) => {
  const isTrue = make(plan)
  const isFalse = make(Plan.not(plan))
  return (row: Parameters<RowTest>[0], related: RelatedRows): Answer =>
    isTrue(row, related) ? true : isFalse(row, related) ? false : null
}

it(
  `gives the answer of the plain interpreter, generated and as closures, on ${filters * rowsPerFilter} random pairs of filter and row`,
  { timeout: 3_600_000 },
  () => {
    const random = new Seeded(20_263)
    const seen = { true: 0, false: 0, null: 0 }
    for (let n = 0; n < filters; n++) {
      const filter = randomFilter(random, 5, true)
      expect(Result.getOrThrow(readFilter(filter))).toEqual(filter)
      const zone = random.pick(zones)
      const now = Timestamp.make(random.pick(moments))
      const plan = Result.getOrThrow(bind(filter, randomFields, { now, zone, patterns: provenPatterns }))
      // Whatever order the parts are asked in.
      const shuffled: Order = (parts) => parts.toSorted(() => random.below(3) - 1)
      const generated = answers(plan, (part) => generate(part, shuffled)!)
      const closures = answers(plan, (part) => compile(part, "closures"))
      const byId = randomRelated(random)
      const related: RelatedRows = (_relation, ids) => ids.flatMap((id) => (byId.has(id) ? [byId.get(id)!] : []))
      for (let at = 0; at < rowsPerFilter; at++) {
        const row = randomRow(random)
        const wanted = interpretFilter(filter, row, randomFields, { now, zone, related })
        const found = { generated: generated(row, related), closures: closures(row, related) }
        if (found.generated !== wanted || found.closures !== wanted)
          expect({ filter, row, now, zone, ...found }).toEqual({
            filter,
            row,
            now,
            zone,
            generated: wanted,
            closures: wanted
          })
        seen[String(wanted) as keyof typeof seen]++
      }
    }
    // The three answers are all well represented.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan((filters * rowsPerFilter) / 10)
  }
)
