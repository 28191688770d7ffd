import * as Result from "effect/Result"
import type { CellValue, RowValues } from "../../filter/FilterField.ts"
import { rawNumber } from "../../operation/Amount.ts"
import * as StrictJson from "../../operation/StrictJson.ts"
import type { TableField, TableFieldType } from "../Table.ts"

/** JSON cells are kept as the text that came in with a body, so their depth is bounded already. */
const jsonOf = (text: string): unknown => Result.getOrElse(StrictJson.parse(text, Number.POSITIVE_INFINITY), () => text)

/** Numbers as JSON numbers, JSON as what it says; all else as it is kept. */
export const cellToWire = (type: TableFieldType | undefined, cell: CellValue): unknown => {
  if (typeof cell !== "string") return cell
  switch (type) {
    case "number":
    case "currency":
      return rawNumber(cell)
    case "json":
      return jsonOf(cell)
    default:
      return cell
  }
}

/** Makes the values of rows ready to be sent, by the types of the fields. */
export const valuesToWire = (fields: ReadonlyArray<TableField>) => {
  const types = new Map(fields.map(({ key, type }) => [key, type]))
  return (values: RowValues): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(values).map(([key, cell]) => [key, cellToWire(types.get(key), cell)]))
}

export type Path = ReadonlyArray<string | number>

/** What a body has at a path. Decoded payloads have the same, with doubles for numbers. */
export const exactAt = (body: StrictJson.Json, path: Path): unknown =>
  path.reduce<unknown>(
    (node, key) =>
      typeof node === "object" && node !== null && Object.hasOwn(node, key)
        ? (node as Readonly<Record<string | number, unknown>>)[key]
        : undefined,
    body
  )

/** An object of a body, whose shape its decoder has checked. */
export const exactObjectAt = (body: StrictJson.Json, path: Path): Readonly<Record<string, unknown>> => {
  const found = exactAt(body, path)
  return typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>) : {}
}
