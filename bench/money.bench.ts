/** Exact decimals: amounts as they are kept and sent, which is text, against number types of others. */
import { Decimal } from "@millrace/core"
import { Big } from "big.js"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import { decimalText, generate } from "./generate.ts"
import { type Bench, type Comparison, contender } from "./harness/Bench.ts"

const amountsOf = (count: number): ReadonlyArray<Decimal.Decimal> =>
  generate({ seed: 7, transactions: count, accounts: 1 })[0]!.rows.map(({ cents }) => Decimal.make(decimalText(cents)))

const bigText = (value: Big): string => value.toFixed()

/** A file of amounts arrives as text, and its total is wanted. */
const sumComparison = (texts: ReadonlyArray<Decimal.Decimal>): Comparison => ({
  name: "sum of amounts that come as text",
  amount: texts.length,
  unit: "amounts",
  contenders: [
    contender("millrace", () => Decimal.sum(texts), String),
    contender(
      "effect BigDecimal",
      () => texts.reduce((sum, text) => BigDecimal.sum(sum, BigDecimal.fromStringUnsafe(text)), BigDecimal.make(0n, 0)),
      BigDecimal.format
    ),
    contender("big.js", () => texts.reduce((sum, text) => sum.plus(text), new Big(0)), bigText)
  ],
  ratios: [
    { name: "sum of text against effect BigDecimal", of: "millrace", by: "effect BigDecimal" },
    { name: "sum of text against big.js", of: "millrace", by: "big.js" }
  ]
})

/** The same with amounts that are in the type's own form already. */
const totalComparison = (texts: ReadonlyArray<Decimal.Decimal>): Comparison => {
  const decimals = texts.map((text) => BigDecimal.fromStringUnsafe(text))
  const bigs = texts.map((text) => new Big(text))
  return {
    name: "running total, one addition at a time",
    amount: texts.length,
    unit: "additions",
    contenders: [
      contender("millrace", () => texts.reduce((total, value) => Decimal.add(total, value), Decimal.zero), String),
      contender(
        "effect BigDecimal",
        () => decimals.reduce((total, value) => BigDecimal.sum(total, value), BigDecimal.make(0n, 0)),
        BigDecimal.format
      ),
      contender("big.js", () => bigs.reduce((total, value) => total.plus(value), new Big(0)), bigText)
    ],
    ratios: [
      { name: "running total against effect BigDecimal", of: "millrace", by: "effect BigDecimal" },
      { name: "running total against big.js", of: "millrace", by: "big.js" }
    ]
  }
}

/** Bytes of the heap that one of many amounts takes, with its place in the array. */
const bytesEach = (collect: Effect.Effect<void>, count: number, make: (n: number) => unknown) =>
  Effect.gen(function* () {
    yield* collect
    const before = process.memoryUsage().heapUsed
    const all = Array.from({ length: count }, (_, n) => make(n))
    yield* collect
    const bytes = (process.memoryUsage().heapUsed - before) / count
    // The amounts have to live until here.
    return all.length === count ? bytes : Number.NaN
  })

/** Text from outside (`-12.50`) into the form that is kept. */
const parseComparison = (texts: ReadonlyArray<string>): Comparison => ({
  name: "read an amount",
  amount: texts.length,
  unit: "amounts",
  contenders: [
    contender(
      "millrace",
      () => texts.map((text) => Decimal.parse(text)),
      (all) => String(all.at(-1))
    ),
    contender(
      "effect BigDecimal",
      () => texts.map((text) => BigDecimal.fromStringUnsafe(text)),
      (all) => BigDecimal.format(all.at(-1)!)
    ),
    contender(
      "big.js",
      () => texts.map((text) => new Big(text)),
      (all) => bigText(all.at(-1)!)
    )
  ],
  ratios: [
    { name: "read against effect BigDecimal", of: "millrace", by: "effect BigDecimal" },
    { name: "read against big.js", of: "millrace", by: "big.js" }
  ]
})

export const bench: Bench = {
  name: "money",
  title: "Exact decimals",
  make: ({ quick, collect }) =>
    Effect.sync(() => {
      const amounts = amountsOf(quick ? 100_000 : 1_000_000)
      const written = generate({ seed: 8, transactions: amounts.length, accounts: 1 })[0]!.rows
      const text = (n: number) => decimalText(written[n]!.cents)
      const own = bytesEach(collect, amounts.length, (n) => Decimal.parse(text(n)))
      const times = (make: (n: number) => unknown) =>
        Effect.zipWith(bytesEach(collect, amounts.length, make), own, (theirs, ours) => theirs / ours)
      return {
        comparisons: [
          sumComparison(amounts),
          totalComparison(amounts),
          parseComparison(written.map(({ cents }) => decimalText(cents)))
        ],
        figures: [
          { name: "bytes an amount", value: own },
          {
            name: "bytes of effect BigDecimal to ours",
            value: times((n) => BigDecimal.fromStringUnsafe(text(n)))
          },
          { name: "bytes of big.js to ours", value: times((n) => new Big(text(n))) }
        ]
      }
    })
}
