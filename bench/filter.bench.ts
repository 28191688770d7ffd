/** One filter over many rows: what is written by hand, against libraries that are handed such a filter as data. */
import * as Effect from "effect/Effect"
import { inlineIf } from "./filter/inlineIf.ts"
import { jsonLogic } from "./filter/jsonLogic.ts"
import { mingo, sifting, ucast } from "./filter/mongo.ts"
import { closures, generated } from "./filter/ours.ts"
import { rotations } from "./filter/tree.ts"
import { digest, type PeerRow, peerRow, type Select } from "./filter/Selected.ts"
import { type Bench, contender } from "./harness/Bench.ts"
import { transactions } from "./transactions.ts"

const limit = "limit: inline if in written order"
const ours = "millrace, generated code"
const fallback = "millrace, closures"

/** Rows that stay in the caches of a processor: there the work counts. With many the memory sets the pace, for everybody. */
const few = 10_000

const countOf = (rows: ReadonlyArray<unknown>) => rows.length.toLocaleString("en-US")

export const bench: Bench = {
  name: "filter",
  title: "Filter trees: eight clauses over transactions",
  make: ({ quick }) =>
    Effect.sync(() => {
      const rows = transactions({ seed: 22, count: quick ? 100_000 : 1_000_000 })
      const some = transactions({ seed: 22, count: few })
      const peerRows = some.map(peerRow)
      const amount = some.length * rotations.length
      const expected = digest(inlineIf(some))
      const peer = (name: string, select: Select<PeerRow>) =>
        contender(name, () => select(peerRows), digest, { amount, expected })
      return {
        comparisons: [
          {
            name: `${countOf(some)} rows, one filter in three written orders`,
            amount,
            unit: "rows",
            contenders: [
              contender(limit, () => inlineIf(some), digest),
              contender(ours, () => generated(some), digest),
              contender(fallback, () => closures(some), digest),
              peer("json-logic-engine", jsonLogic),
              peer("ucast", ucast),
              peer("sift", sifting),
              peer("mingo", mingo)
            ],
            ratios: [
              { name: "generated against json-logic-engine", of: ours, by: "json-logic-engine" },
              { name: "generated against ucast", of: ours, by: "ucast" },
              // The limit of the ratio above, as far as one is written by hand.
              { name: "inline if against ucast", of: limit, by: "ucast" },
              { name: "generated against sift", of: ours, by: "sift" },
              { name: "generated against mingo", of: ours, by: "mingo" }
            ]
          },
          {
            name: `${countOf(rows)} rows, one filter in three written orders`,
            amount: rows.length * rotations.length,
            unit: "rows",
            contenders: [
              contender(limit, () => inlineIf(rows), digest),
              contender(ours, () => generated(rows), digest),
              contender(fallback, () => closures(rows), digest)
            ],
            ratios: [
              { name: "generated against inline if", of: ours, by: limit },
              { name: "closures against inline if", of: fallback, by: limit }
            ]
          }
        ]
      }
    })
}
