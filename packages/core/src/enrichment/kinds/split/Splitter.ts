/** The lines of a record (enrichments C7). */
import * as Schema from "effect/Schema"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { FieldValue } from "../../../record/FieldValue.ts"
import { Cells } from "../../../filter/Cells.ts"
import { predicate, type Predicate } from "../../../filter/Closures.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { sidesOf } from "../../../rule/ActionPlan.ts"
import { conditionOf } from "../../../rule/Condition.ts"
import { typeOf } from "../../../rule/FieldAccess.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { derivedId, type Sha256 } from "../../../shared/DerivedId.ts"
import type { Claim, PlanContext, View } from "../Kind.ts"
import { type GivenUnits, type Share, share } from "./Shares.ts"
import {
  amountField,
  declaredBySplit,
  type Line,
  restKey,
  setValue,
  type SplitConfig,
  splitRuleId,
  valueOf
} from "./SplitConfig.ts"

/** What the amount of a line follows from. All numbers are text, since they may be of any size. */
export const SplitEvidence = Schema.Struct({
  method: Schema.Literals(["fixed", "percent", "remainder", "implicit"]),
  /** The amount that was split. */
  amount: Schema.String,
  /** Digits after the point of a unit. */
  digits: Schema.Int,
  /** What the line was due in units before rounding: a fraction. */
  quota: Schema.Tuple([Schema.String, Schema.String]),
  /** What it was given. */
  units: Schema.String
})
export type SplitEvidence = typeof SplitEvidence.Type

/** One of the records that a record falls into. */
export interface SplitLine {
  /** Follows from the record, the id of the rule and the key of the line: the same whatever the amount is. */
  readonly id: string
  readonly key: string
  /** Its amount, and whose line it is. */
  readonly claims: ReadonlyArray<Claim>
  readonly labels: ReadonlyArray<Claim>
}

export type Split =
  | { readonly kind: "lines"; readonly ruleId: string; readonly lines: ReadonlyArray<SplitLine> }
  /** The record stays as it is: fixed lines need more than there is, or no line takes the rest. */
  | { readonly kind: "overflow" | "mismatch"; readonly ruleId: string; readonly message: string }

interface PreparedLine {
  readonly line: Line
  readonly writes: ReadonlyArray<readonly [field: string, value: FieldValue]>
}

interface PreparedRule {
  readonly id: string
  readonly matches: Predicate<Cells>
  readonly lines: ReadonlyArray<PreparedLine>
}

const fewestDigits = 2

/** Digits of the smallest unit: those of the currency, or more where the amount has more, so that nothing is lost. */
const digitsOf = (amount: Decimal.Decimal, currency: FieldValue | undefined): number => {
  const code = typeof currency === "string" ? Currency.parse(currency) : undefined
  return Math.max(code === undefined ? fewestDigits : Currency.minorDigits(code), Decimal.scale(amount))
}

const percentDigits = 4

const shareOf = (line: Line, digits: number): Share => {
  const value = valueOf(line) ?? Decimal.zero
  switch (line.method) {
    case "fixed":
      return { method: "fixed", units: Decimal.toUnits(Decimal.roundHalfAway(value, digits), digits) }
    case "percent":
      return { method: "percent", parts: Decimal.toUnits(value, percentDigits) }
    case "remainder":
      return { method: "remainder", weight: BigInt(line.weight ?? 1) }
  }
}

const decimalOf = (value: FieldValue | undefined): Decimal.Decimal | undefined =>
  typeof value === "string" ? Decimal.parse(value) : undefined

/** The rules of one split, compiled for the fields there are. Keeps scratch space: one record at a time. */
export class Splitter {
  private readonly cells = new Cells()
  private readonly rules: ReadonlyArray<PreparedRule>
  private readonly field: "amount" | "totalAmount"
  private readonly hasSides: boolean
  private readonly config: SplitConfig
  private readonly sha256: Sha256

  constructor(config: SplitConfig, catalog: FieldCatalog, patterns: PatternEngine, sha256: Sha256) {
    this.config = config
    this.sha256 = sha256
    const added = declaredBySplit(config, catalog)
    this.field = amountField(catalog)
    this.hasSides = catalog.has("creditAmount")
    this.rules = config.rules.map((rule, position) => ({
      id: splitRuleId(rule, position),
      matches: predicate(conditionOf(rule.conditions, catalog, patterns), this.cells.reading),
      lines: rule.lines.map((line) => ({
        line,
        writes: Object.entries(line.set).map(
          ([field, sent]) =>
            [field, setValue(sent, added.get(field) ?? typeOf(field, catalog) ?? "str") ?? null] as const
        )
      }))
    }))
  }

  /** `undefined`: no rule is about the record, or it has no amount to split. The first rule that matches decides. */
  split(view: View, context: PlanContext): Split | undefined {
    const amount = decimalOf(view.fields[this.field])
    if (amount === undefined || amount === Decimal.zero) return undefined
    this.cells.load(view.fields, context)
    const rule = this.rules.find(({ matches }) => matches(this.cells))
    if (rule === undefined) return undefined
    const digits = digitsOf(amount, view.fields["currency"])
    const { implicitRemainder, onOverflow } = this.config
    const shared = share(Decimal.toUnits(Decimal.abs(amount), digits), {
      shares: rule.lines.map(({ line }) => shareOf(line, digits)),
      onOverflow,
      implicitRemainder
    })
    if (shared.kind === "overflow") {
      const message = `the fixed line "${rule.lines[shared.at]!.line.key}" needs more than is left of ${amount}`
      return { kind: "overflow", ruleId: rule.id, message }
    }
    if (shared.kind === "mismatch") {
      const message = `no line takes the last ${Decimal.fromUnits(shared.rest, digits)} of ${amount}`
      return { kind: "mismatch", ruleId: rule.id, message }
    }
    const { rest } = shared
    const of = rule.lines.length + (rest > 0n ? 1 : 0)
    const made = (key: string, method: SplitEvidence["method"], given: GivenUnits, writes: PreparedLine["writes"]) => {
      const units = Decimal.isNegative(amount) ? -given.units : given.units
      const evidence: SplitEvidence = {
        method,
        amount,
        digits,
        quota: [String(given.dividend), String(given.divisor)],
        units: String(units)
      }
      return this.line(view.recordId, rule.id, key, of, Decimal.fromUnits(units, digits), evidence, writes)
    }
    const lines = rule.lines.map(({ line, writes }, at) => made(line.key, line.method, shared.lines[at]!, writes))
    if (rest > 0n) lines.push(made(restKey, "implicit", { units: rest, dividend: rest, divisor: 1n }, []))
    return { kind: "lines", ruleId: rule.id, lines }
  }

  private line(
    parentId: string,
    path: string,
    key: string,
    of: number,
    amount: Decimal.Decimal,
    evidence: SplitEvidence,
    writes: PreparedLine["writes"]
  ): SplitLine {
    const id = derivedId(this.sha256, parentId, path, key)
    const sides = this.hasSides ? Object.entries(sidesOf(amount)) : []
    const claims: Array<Claim> = [{ field: this.field, value: amount, path, evidence }]
    for (const [field, value] of sides) claims.push({ field, value, path })
    claims.push({ field: "split.parentId", value: parentId, path })
    claims.push({ field: "split.key", value: key, path })
    claims.push({ field: "split.of", value: Decimal.make(String(of)), path })
    return { id, key, claims, labels: writes.map(([field, value]) => ({ field, value, path })) }
  }
}

const methods: Readonly<Record<SplitEvidence["method"], string>> = {
  fixed: "a fixed amount",
  percent: "a percentage",
  remainder: "a part of what is left",
  implicit: "what no other line takes"
}

/** One sentence that says why a line has its amount, and whether the evidence leads to it. */
export const explainSplit = (
  evidence: SplitEvidence,
  made: FieldValue
): { readonly sentence: string; readonly holds: boolean } => {
  const { amount, digits, method, quota, units } = evidence
  const value = Decimal.fromUnits(BigInt(units), digits)
  const [dividend, divisor] = quota.map(BigInt) as [bigint, bigint]
  const given = BigInt(Decimal.abs(Decimal.make(units)))
  const floor = dividend / divisor
  // A fixed line may be cut to what was left; any other is its quota, rounded down or up.
  const due = method === "fixed" ? given <= floor : given === floor || (given === floor + 1n && dividend % divisor > 0n)
  const exact = divisor === 1n ? String(dividend) : `${dividend}/${divisor}`
  const sentence = `${value} of ${amount}: ${methods[method]}; ${given} units were given for ${exact}`
  return { sentence, holds: value === made && due }
}
