/** How a person splits a record, as they ask for it (enrichments C7). */
import * as Result from "effect/Result"
import { type PersonsSplit, splitAmountField, unitDigits } from "../enrichment/kinds/split/PersonsSplit.ts"
import type { Detail } from "../failure/Failure.ts"
import type { DataType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { coerce, meanings } from "../rule/ActionPlan.ts"
import { typeOf, writeProblem } from "../rule/FieldAccess.ts"
import * as Decimal from "../shared/Decimal.ts"
import { derivedId, type Sha256 } from "../shared/DerivedId.ts"
import { limits } from "../shared/Limits.ts"

export interface SplitRequest {
  /** Which rows feeds deliver: the lines unless given. */
  readonly deliver?: PersonsSplit["deliver"]
  readonly lines: ReadonlyArray<{
    /** Names the line for ever; `line_1`, `line_2` ... unless given. */
    readonly key?: string
    /** With the sign of the record. The last line may leave it out: it has what is left. */
    readonly amount?: string
    readonly set?: Readonly<Record<string, string | boolean | null>>
  }>
}

/** What is split. */
interface Whole {
  readonly recordId: string
  readonly dataType: DataType
  readonly fields: Fields
  readonly catalog: FieldCatalog
  readonly sha256: Sha256
}

const splitTypes: ReadonlySet<DataType> = new Set(["transactions", "receipts", "invoices"])

const labelsOf = (
  set: Readonly<Record<string, string | boolean | null>>,
  at: string,
  { catalog, fields }: Whole,
  details: Array<Detail>
): Record<string, FieldValue> => {
  const labels: Record<string, FieldValue> = {}
  for (const [field, sent] of Object.entries(set)) {
    const problem =
      field === splitAmountField(fields) ? "is what the split gives to the line" : writeProblem(field, catalog)
    const type = typeOf(field, catalog) ?? (typeof sent === "boolean" ? "bool" : "str")
    const value = sent === null || sent === "" ? null : coerce(String(sent), type)
    if (problem !== undefined) details.push({ field: `${at}.${field}`, message: problem })
    else if (value === undefined) details.push({ field: `${at}.${field}`, message: `must be ${meanings[type]}` })
    else labels[field] = value
  }
  return labels
}

/** The lines, whose sum is the amount of the record; or what is wrong, at its place below `split`. */
export const persons = (request: SplitRequest, whole: Whole): Result.Result<PersonsSplit, ReadonlyArray<Detail>> => {
  const { dataType, fields, recordId, sha256 } = whole
  const field = splitAmountField(fields)
  const shown = fields[field]
  const total = typeof shown === "string" ? Decimal.parse(shown) : undefined
  if (!splitTypes.has(dataType)) return Result.fail([{ field: "split", message: `does not apply to ${dataType}` }])
  if (total === undefined || total === Decimal.zero) {
    return Result.fail([
      { field: "split", message: `needs an amount: "${field}" of the record is ${shown ?? "empty"}` }
    ])
  }
  const details: Array<Detail> = []
  const keys = new Set<string>()
  const digits = unitDigits(fields["currency"], [total])
  const last = request.lines.length - 1
  let left: Decimal.Decimal = total
  const lines = request.lines.map(({ amount: sent, key = "", set = {} }, n) => {
    const at = `split.lines[${n}]`
    const name = key === "" ? `line_${n + 1}` : key
    if (keys.has(name)) details.push({ field: `${at}.key`, message: `"${name}" is taken` })
    keys.add(name)
    const refuse = (message: string) => {
      details.push({ field: `${at}.amount`, message })
      return Decimal.zero
    }
    const amount =
      sent === undefined
        ? n === last
          ? left
          : refuse("is missing: only the last line may leave it out")
        : (Decimal.parse(sent) ?? refuse("must be a decimal number such as -12.50"))
    if (amount !== Decimal.zero && Decimal.isNegative(amount) !== Decimal.isNegative(total)) {
      refuse(
        sent === undefined
          ? `would be ${amount}: the lines before it are more than ${total} already`
          : `must have the sign of the record, whose amount is ${total}`
      )
    }
    if (Decimal.scale(amount) > digits) refuse(`must have at most ${digits} digits after the point`)
    left = Decimal.subtract(left, amount)
    const id = derivedId(sha256, recordId, "person", name)
    return { id, key: name, amount: Decimal.abs(amount), set: labelsOf(set, `${at}.set`, whole, details) }
  })
  if (details.length === 0 && left !== Decimal.zero) {
    details.push({ field: "split.lines", message: `must be ${total} together: ${left} is left` })
  }
  return details.length > 0
    ? Result.fail(details.slice(0, limits.errorDetails))
    : Result.succeed({ deliver: request.deliver ?? "lines", lines })
}
