/**
 * Facets: what of a table's rows can be looked up without reading them all. The kernel says which there are and
 * what a row has for each; stores keep it, for live rows alone.
 */
import type { CellValue, RowValues } from "../filter/FilterField.ts"
import type { FilterPlan, Range, TestNode } from "../filter/FilterPlan.ts"
import { fold } from "../text/Fold.ts"
import type { Digest } from "../shared/Digest.ts"
import type { Table, TableField } from "./Table.ts"

export interface Facet {
  /** Id of its field, or `key` for all key fields together. */
  readonly id: string
  readonly fields: ReadonlyArray<TableField>
  /** No two live rows have the same. */
  readonly exclusive: boolean
}

/** What one row has for one facet. Neither text nor number: nothing. */
export interface LookupEntry {
  readonly facet: string
  /** The first 200 characters; folded where the field is text. */
  readonly text?: string
  readonly number?: string
  /** Of exclusive facets: a digest of the whole value. */
  readonly mark?: string
}

/** What stores learn about a filter so that they need not read every row; all that it finds is asked again. */
export interface LookupHint {
  readonly facet: string
  readonly text?: Range<string>
  readonly number?: Range<string>
  /** Both ends are the same value. */
  readonly exact: boolean
}

const prefixLength = 200

/** The beginning of a text, which orders like the text except among those that begin alike. */
export const prefixOf = (text: string): string => {
  if (text.length <= prefixLength) return text
  const points: Array<string> = []
  for (const point of text) {
    points.push(point)
    if (points.length === prefixLength) break
  }
  return points.join("")
}

const textTypes: ReadonlySet<TableField["type"]> = new Set(["text", "email", "url"])
const numberTypes: ReadonlySet<TableField["type"]> = new Set(["number", "currency"])

/** Fields whose cells are compared folded. */
export const isText = ({ type }: Pick<TableField, "type">): boolean => textTypes.has(type)
export const isNumber = ({ type }: Pick<TableField, "type">): boolean => numberTypes.has(type)

/** Fields with one value, which rows can be distinguished, sorted and looked up by. */
export const isScalar = ({ type, options }: Pick<TableField, "type" | "options">): boolean =>
  type !== "json" && type !== "multi_select" && !(type === "relation" && options?.relation?.many === true)

export const facetsOf = ({ fields, keyFields }: Pick<Table, "fields" | "keyFields">): ReadonlyArray<Facet> => {
  const found: Array<Facet> = []
  for (const field of fields) {
    if (isScalar(field) && (field.unique || field.indexed || keyFields.includes(field.key)))
      found.push({ id: field.id, fields: [field], exclusive: field.unique })
  }
  if (keyFields.length > 0) {
    const keys = keyFields.flatMap((key) => fields.find((field) => field.key === key) ?? [])
    found.push({ id: "key", fields: keys, exclusive: true })
  }
  return found
}

/** A cell in the form in which equal ones are the same text. */
const comparable = (field: TableField, cell: CellValue | undefined): string | undefined =>
  typeof cell === "string" ? (isText(field) ? fold(cell) : cell) : typeof cell === "boolean" ? String(cell) : undefined

type Hash = Digest["Service"]["contentHash"]

/** What the key fields of a row say, `undefined` when one of them has no value. */
export const keyMark = (facet: Facet, values: RowValues, hash: Hash): string | undefined => {
  const cells = facet.fields.map((field) => comparable(field, values[field.key]))
  return cells.includes(undefined) ? undefined : hash(JSON.stringify(cells))
}

export const entriesOf = (facets: ReadonlyArray<Facet>, values: RowValues, hash: Hash): ReadonlyArray<LookupEntry> =>
  facets.flatMap((facet): ReadonlyArray<LookupEntry> => {
    if (facet.id === "key") {
      const mark = keyMark(facet, values, hash)
      return mark === undefined ? [] : [{ facet: facet.id, mark }]
    }
    const field = facet.fields[0]!
    const value = comparable(field, values[field.key])
    if (value === undefined) return [{ facet: facet.id }]
    const entry = isNumber(field) ? { facet: facet.id, number: value } : { facet: facet.id, text: prefixOf(value) }
    return [facet.exclusive ? { ...entry, mark: hash(value) } : entry]
  })

const exactly = (value: string): Range<string> => ({ low: { value, open: false }, high: { value, open: false } })

/** A range of the beginnings of texts, with both ends inside: beginnings can be equal where texts are not. */
const beginnings = ({ low, high }: Range<string>): Range<string> => ({
  ...(low === undefined ? {} : { low: { value: prefixOf(low.value), open: false } }),
  ...(high === undefined ? {} : { high: { value: prefixOf(high.value), open: false } })
})

const isPoint = ({ low, high }: Range<string>): boolean =>
  low !== undefined && high !== undefined && low.value === high.value

const asked = ({ test, json }: TestNode): Omit<LookupHint, "facet" | "exact"> | undefined => {
  if (json !== undefined) return undefined
  switch (test.tag) {
    case "text":
      return test.how === "equals" && !test.trimmed && test.values.length === 1
        ? { text: exactly(prefixOf(test.values[0]!)) }
        : undefined
    case "key":
      return test.values.length === 1 ? { text: exactly(prefixOf(test.values[0]!)) } : undefined
    case "truth":
      return test.values.length === 1 ? { text: exactly(String(test.values[0])) } : undefined
    case "order":
      return { text: beginnings(test.range) }
    case "time":
      return test.ranges.length === 1 ? { text: beginnings(test.ranges[0]!) } : undefined
    case "number":
      return test.ranges.length === 1 ? { number: test.ranges[0]! } : undefined
    default:
      return undefined
  }
}

/** The part of a filter that every row has to pass and that a facet answers best. */
export const hintOf = (plan: FilterPlan, facets: ReadonlyArray<Facet>): LookupHint | undefined => {
  const hints = (plan.tag === "and" ? plan.parts : [plan]).flatMap((part): ReadonlyArray<LookupHint> => {
    if (part.tag === "and") {
      const inner = hintOf(part, facets)
      return inner === undefined ? [] : [inner]
    }
    if (part.tag !== "test") return []
    const facet = facets.find(({ id, fields }) => id !== "key" && fields[0]!.key === part.field)
    const ranges = facet === undefined ? undefined : asked(part)
    return facet === undefined || ranges === undefined
      ? []
      : [{ facet: facet.id, ...ranges, exact: isPoint(ranges.text ?? ranges.number ?? {}) }]
  })
  const exclusive = (hint: LookupHint) => facets.some(({ id, exclusive: only }) => only && id === hint.facet)
  return hints.find((hint) => hint.exact && exclusive(hint)) ?? hints.find(({ exact }) => exact) ?? hints[0]
}
