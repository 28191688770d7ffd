/** JSON from outside as the cell of a field, or what is wrong with it (decisions 1.3 and 4.5). */
import * as Result from "effect/Result"
import type { CellValue, RowValues } from "../filter/FilterField.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Currency from "../shared/Currency.ts"
import * as Decimal from "../shared/Decimal.ts"
import { isId } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { digitsOf, isNumber } from "../shared/RawNumber.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Choice, TableField } from "./Table.ts"

/** What the cells of a field can be. */
export type CellForm = Pick<TableField, "type" | "options">

type Read = Result.Result<CellValue, string>

// oxlint-disable-next-line no-control-regex -- NUL is what it looks for
const unstorable = /\0|\p{Surrogate}/u
/** The same inside JSON text: an even number of backslashes before it belongs to the text. */
const unstorableJson = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i
const email = /^[^\s@"(),:;<>[\\\]]{1,64}@[^\s@"(),:;<>[\\\]]{1,189}\.[^\s@."(),:;<>[\\\]]{2,63}$/u
const url = /^https?:\/\/[^\s/?#]+(?:[/?#]\S*)?$/iu

const readText = (input: unknown): Read =>
  typeof input !== "string"
    ? Result.fail("must be text")
    : unstorable.test(input)
      ? Result.fail("must not hold NUL or half a surrogate pair")
      : Result.succeed(input)

const readNumber = (input: unknown, scale: number): Read => {
  const text = typeof input === "string" ? input : isNumber(input) ? digitsOf(input) : undefined
  if (text === undefined) return Result.fail("must be a number such as -12.50")
  if (text.length > limits.numberText) return Result.fail(`must have at most ${limits.numberText} characters`)
  const number = Decimal.parse(text)
  if (number === undefined) return Result.fail("must be a number such as -12.50")
  if (number.length > limits.numberText) return Result.fail(`must have at most ${limits.numberText} characters`)
  return Decimal.scale(number) > scale
    ? Result.fail(`must have at most ${scale} digits after the point`)
    : Result.succeed(number)
}

/** Digits after the point that a cell may have: what the field says, else what its currency has (decisions 1.3). */
const scaleOf = (options: CellForm["options"]): number => {
  const currency = options?.currency === undefined ? undefined : Currency.parse(options.currency)
  return options?.scale ?? (currency === undefined ? limits.fieldScale : Currency.minorDigits(currency))
}

const choiceOf = (choices: ReadonlyArray<Choice>, input: unknown): Read => {
  const found = choices.find(({ id }) => id === input) ?? choices.find(({ label }) => label === input)
  return found === undefined ? Result.fail("is none of the choices of the field") : Result.succeed(found.id)
}

const rowId = (input: unknown): Read =>
  isId("row", input) ? Result.succeed(input) : Result.fail("must be the id of a row")

const readList = (input: unknown, read: (item: unknown) => Read): Read => {
  if (!Array.isArray(input)) return Result.fail("must be a list")
  if (input.length > limits.cellItems) return Result.fail(`must have at most ${limits.cellItems} items`)
  const items = new Set<string>()
  for (const [at, item] of input.entries()) {
    const cell = read(item)
    if (Result.isFailure(cell)) return Result.fail(`item ${at + 1} ${cell.failure}`)
    items.add(String(cell.success))
  }
  return Result.succeed([...items])
}

const readJson = (input: unknown): Read => {
  const text = JSON.stringify(input) as string | undefined
  return text === undefined
    ? Result.fail("must be JSON")
    : unstorableJson.test(text)
      ? Result.fail("must not hold NUL or half a surrogate pair")
      : Result.succeed(text)
}

const matching = (input: unknown, form: RegExp, message: string): Read =>
  Result.flatMap(readText(input), (text) =>
    typeof text === "string" && text.length <= limits.textLength && form.test(text)
      ? Result.succeed(text)
      : Result.fail(message)
  )

const parsed = (input: unknown, parse: (text: string) => string | undefined, message: string): Read => {
  const value = typeof input === "string" ? parse(input) : undefined
  return value === undefined ? Result.fail(message) : Result.succeed(value)
}

/**
 * The cell, or what is wrong, as the end of a sentence that begins with the place: "must be a number". Null clears.
 * Whether rows that a relation names exist is left to the caller.
 */
export const readCell = ({ type, options }: CellForm, input: unknown): Result.Result<CellValue, string> => {
  if (input === null) return Result.succeed(null)
  switch (type) {
    case "text":
      return readText(input)
    case "number":
    case "currency":
      return readNumber(input, scaleOf(options))
    case "date":
      return parsed(input, CalendarDate.ofText, "must be a date (YYYY-MM-DD)")
    case "datetime":
      return parsed(input, Timestamp.parse, "must be a date-time with an offset (2026-03-14T09:00:00Z)")
    case "boolean":
      return typeof input === "boolean" ? Result.succeed(input) : Result.fail("must be true or false")
    case "select":
      return choiceOf(options?.choices ?? [], input)
    case "multi_select":
      return readList(input, (item) => choiceOf(options?.choices ?? [], item))
    case "relation":
      return options?.relation?.many === true ? readList(input, rowId) : rowId(input)
    case "email":
      return matching(input, email, "must be an e-mail address")
    case "url":
      return matching(input, url, "must be an address such as https://example.com")
    case "json":
      return readJson(input)
  }
}

/** The cell of a field. Keys such as `constructor` are names like any other, and nothing is inherited. */
export const cellOf = (values: RowValues, key: string): CellValue =>
  Object.hasOwn(values, key) ? (values[key] ?? null) : null

/** Whether there is nothing in it. */
export const isAbsent = (cell: CellValue | undefined): cell is null | undefined =>
  cell === null || cell === undefined || (Array.isArray(cell) && cell.length === 0)

export const sameCell = (a: CellValue | undefined, b: CellValue | undefined): boolean =>
  Array.isArray(a) && Array.isArray(b) ? a.length === b.length && a.every((item, at) => item === b[at]) : a === b

/** A cell as text that a field of another type can be read from; a choice is its label. */
export const cellText = ({ type, options }: CellForm, cell: CellValue): string | null =>
  typeof cell !== "string"
    ? null
    : type === "select"
      ? (options?.choices?.find(({ id }) => id === cell)?.label ?? cell)
      : cell
