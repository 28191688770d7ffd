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

export const bench: Bench = {
  name: "filter",
  title: "Filter trees: eight clauses over transactions",
  make: ({ quick }) =>
    Effect.sync(() => {
      const rows = transactions({ seed: 22, count: quick ? 10_000 : 1_000_000 })
      const peerRows = rows.map(peerRow)
      // The slow ones get a part of the rows.
      const slice = rows.slice(0, quick ? 10_000 : 100_000)
      const expected = digest(inlineIf(slice))
      const peerSlice = peerRows.slice(0, slice.length)
      const sliced = (name: string, select: Select<PeerRow>) =>
        contender(name, () => select(peerSlice), digest, { amount: slice.length * rotations.length, expected })
      return {
        comparisons: [
          {
            name: `${rows.length.toLocaleString("en-US")} rows, one filter in three written orders`,
            amount: rows.length * rotations.length,
            unit: "rows",
            contenders: [
              contender(limit, () => inlineIf(rows), digest),
              contender(ours, () => generated(rows), digest),
              contender(fallback, () => closures(rows), digest),
              contender("json-logic-engine", () => jsonLogic(peerRows), digest),
              contender("ucast", () => ucast(peerRows), digest),
              sliced("sift", sifting),
              sliced("mingo", mingo)
            ],
            ratios: [
              { name: "generated against inline if", of: ours, by: limit },
              { name: "closures against inline if", of: fallback, by: limit },
              { name: "generated against json-logic-engine", of: ours, by: "json-logic-engine" },
              { name: "generated against ucast", of: ours, by: "ucast" },
              { name: "generated against sift", of: ours, by: "sift" },
              { name: "generated against mingo", of: ours, by: "mingo" }
            ]
          }
        ]
      }
    })
}
