/**
 * How a person split a record (enrichments C7): lines with fixed amounts, the last of which absorbs what the record's amount
 * differs by. No enrichment is needed for it, and none says otherwise.
 */
import * as Schema from "effect/Schema"
import { FieldValue, type Fields } from "../../../record/FieldValue.ts"
import { sidesOf } from "../../../rule/ActionPlan.ts"
import type { Claim, Line, LineDelivery } from "../../../rule/Outcome.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { share } from "./Shares.ts"

/** The field of facts about it. No record has a field of that name: what a split writes begins with `split.`. */
export const splitField = "split"

export const PersonsSplit = Schema.Struct({
  /** Which rows feeds deliver. */
  deliver: Schema.Literals(["lines", "parent", "both"]),
  lines: Schema.Array(
    Schema.Struct({
      /** Follows from the record and the key. */
      id: Schema.String,
      key: Schema.String,
      /** Without a sign: it has that of the record. */
      amount: Schema.String,
      set: Schema.Record(Schema.String, FieldValue)
    })
  )
})
export type PersonsSplit = typeof PersonsSplit.Type

const AsText = Schema.fromJsonString(PersonsSplit)
/** As a fact keeps it. */
export const splitText: (split: PersonsSplit) => string = Schema.encodeSync(AsText)
export const splitOf: (text: string) => PersonsSplit = Schema.decodeSync(AsText)

/** The field whose value is split. */
export const splitAmountField = (fields: Fields): "amount" | "totalAmount" =>
  Object.hasOwn(fields, "totalAmount") ? "totalAmount" : "amount"

const fewestDigits = 2

/** Digits of the smallest unit in which these amounts are whole. */
export const unitDigits = (currency: FieldValue | undefined, amounts: ReadonlyArray<Decimal.Decimal>): number => {
  const code = typeof currency === "string" ? Currency.parse(currency) : undefined
  return Math.max(code === undefined ? fewestDigits : Currency.minorDigits(code), ...amounts.map(Decimal.scale))
}

interface PersonsLines {
  /** What is said of the record itself. */
  readonly claims: ReadonlyArray<Claim>
  readonly lines: { readonly of: ReadonlyArray<Line>; readonly deliver: LineDelivery }
}

/** Units for the lines, and whether they had to be made smaller: the amount is less than the lines before the last. */
const unitsOf = (total: bigint, said: ReadonlyArray<bigint>) => {
  const others = said.slice(0, -1)
  const rest = others.reduce((left, one) => left - one, total)
  if (rest >= 0n) return { units: [...others, rest], mismatch: false }
  const shared = share(total, {
    shares: said.map((weight) => ({ method: "remainder", weight })),
    onOverflow: "clip",
    implicitRemainder: true
  })
  return { units: shared.kind === "lines" ? shared.lines.map(({ units }) => units) : [], mismatch: true }
}

/** `undefined` where there is no amount to split. */
export const personsLines = (recordId: string, fields: Fields, split: PersonsSplit): PersonsLines | undefined => {
  const field = splitAmountField(fields)
  const value = fields[field]
  const amount = typeof value === "string" ? Decimal.parse(value) : undefined
  if (amount === undefined || amount === Decimal.zero) return undefined
  const said = split.lines.map((line) => Decimal.make(line.amount))
  const digits = unitDigits(fields["currency"], [amount, ...said])
  const { mismatch, units } = unitsOf(
    Decimal.toUnits(Decimal.abs(amount), digits),
    said.map((one) => Decimal.toUnits(one, digits))
  )
  const path = ""
  const warning: ReadonlyArray<Claim> = mismatch ? [{ field: "split.mismatch", value: true, path }] : []
  const of = Decimal.make(String(split.lines.length))
  const lines = split.lines.map(({ id, key, set }, n): Line => {
    const own = Decimal.fromUnits(Decimal.isNegative(amount) ? -units[n]! : units[n]!, digits)
    const sides = Object.hasOwn(fields, "creditAmount") ? Object.entries(sidesOf(own)) : []
    return {
      id,
      claims: [
        { field, value: own, path },
        ...sides.map(([side, part]): Claim => ({ field: side, value: part, path })),
        { field: "split.parentId", value: recordId, path },
        { field: "split.key", value: key, path },
        { field: "split.of", value: of, path },
        ...warning,
        // What a person says of one line counts more than what they say of all of the record.
        ...Object.entries(set).map(([name, label]): Claim => ({ field: name, value: label, path }))
      ],
      labels: []
    }
  })
  return {
    claims: [{ field: "split.of", value: of, path }, ...warning],
    lines: { of: lines, deliver: split.deliver }
  }
}
