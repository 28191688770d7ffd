/** What could be learnt of the acts about one key and one field (enrichments D5.3 to D5.5). */
import type { CalendarDate } from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { type Evidence, type Observation, weigh } from "./Evidence.ts"
import type { MemoryConfig } from "./MemoryConfig.ts"
import { amountOf, meets, type PatternCondition } from "./MemoryPattern.ts"

export interface Candidate {
  readonly condition: PatternCondition | null
  readonly evidence: Evidence
}

/** Amounts lie apart where the next is so many times as large: e to the power of a half. */
const apart = 1.6487212707001282
/** Values that a key can have at the same time. */
const mostConditions = 4

/** Whether people agree often and surely enough. */
const isSure = (
  { bound, count, isContradicted, predicted, right }: Evidence,
  { backtestPrecision, confidence, minSupport }: MemoryConfig
): boolean =>
  count >= minSupport &&
  bound >= Number(confidence) * 1_000 &&
  predicted >= 3 &&
  right >= Number(backtestPrecision) * predicted &&
  !isContradicted

const signs = [
  { kind: "sign", sign: "out" },
  { kind: "sign", sign: "in" }
] as const satisfies ReadonlyArray<PatternCondition>

/** The two bands that the widest gap between amounts parts; none where no gap is wide enough. */
const bands = (acts: ReadonlyArray<Observation>): ReadonlyArray<PatternCondition> => {
  const amounts = acts
    .flatMap(({ fields }) => {
      const amount = amountOf(fields)
      return amount === undefined || amount === Decimal.zero ? [] : [Decimal.abs(amount)]
    })
    .toSorted(Decimal.compare)
  let widest = apart
  let from: Decimal.Decimal | undefined
  for (let n = 1; n < amounts.length; n++) {
    const times = Number(amounts[n]) / Number(amounts[n - 1])
    if (times < widest || (times === widest && from !== undefined)) continue
    widest = times
    from = amounts[n]
  }
  return from === undefined
    ? []
    : [
        { kind: "amountBelow", amount: from },
        { kind: "amountFrom", amount: from }
      ]
}

const sides = (acts: ReadonlyArray<Observation>): ReadonlyArray<ReadonlyArray<PatternCondition>> => [
  signs,
  [...new Set(acts.flatMap(({ fields }) => (typeof fields["accountId"] === "string" ? [fields["accountId"]] : [])))]
    .toSorted()
    .map((accountId) => ({ kind: "account", accountId })),
  bands(acts)
]

/** Those that can be learnt, of acts in order (`inOrder`); none where people do not agree. */
export const candidatesOf = (
  acts: ReadonlyArray<Observation>,
  config: MemoryConfig,
  today: CalendarDate
): ReadonlyArray<Candidate> => {
  const since = { halfLifeDays: config.halfLifeDays, today }
  const whole = weigh(acts, since)
  if (whole === undefined) return []
  if (isSure(whole, config)) return [{ condition: null, evidence: whole }]
  if (!config.conditions) return []
  for (const conditions of sides(acts)) {
    const parted = conditions.map((condition) => ({
      condition,
      acts: acts.filter(({ fields }) => meets(condition, fields))
    }))
    // A condition that all acts meet says nothing.
    if (parted.some((side) => side.acts.length === acts.length)) continue
    const sure = parted.flatMap(({ acts: own, condition }) => {
      const evidence = weigh(own, since)
      return evidence !== undefined && isSure(evidence, config) ? [{ condition, evidence }] : []
    })
    if (sure.length > 0) return sure.toSorted((a, b) => b.evidence.bound - a.evidence.bound).slice(0, mostConditions)
  }
  return []
}
