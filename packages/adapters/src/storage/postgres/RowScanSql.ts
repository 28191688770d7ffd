/**
 * Reading rows in order as SQL. Where a facet narrows the rows or has their order, they come through `row_lookup`,
 * so that the database reads no more of them than it answers; the filter is asked of every row all the same.
 */
import type { Range } from "@millrace/core/filter"
import {
  type LookupHint,
  prefixOf,
  type RowPosition,
  type RowScan,
  type SortKey,
  type SortValue
} from "@millrace/core/table"
import { cellSql, filterSql, foldedSql } from "./FilterSql.ts"
import { SqlParameters } from "./SqlParameters.ts"
import { rowColumns } from "./TableRows.ts"

export interface Statement {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** PostgreSQL may keep how it runs it: it would find the same way each time. */
  readonly lasting?: boolean
}

const isOwn = ({ as }: SortKey): boolean => as === "id" || as === "createdAt" || as === "updatedAt"

/** What a row is sorted by, as an expression whose order is that of the kernel. */
const sortExpression = ({ as, field }: SortKey, parameters: SqlParameters): string => {
  if (as === "id") return "r.id"
  if (as === "createdAt") return "r.created_at"
  if (as === "updatedAt") return "r.updated_at"
  const raw = cellSql("r.field_values", field, "->>", parameters)
  switch (as) {
    case "text":
      return `(${foldedSql(`r.folded->>${parameters.text(field)}`, raw)} collate "C")`
    case "exact":
      return `(${raw} collate "C")`
    case "number":
      return `(${raw}::numeric)`
    case "truth":
      return `(${raw}::boolean)`
  }
}

const sortParameter = ({ as }: SortKey, value: string | boolean, parameters: SqlParameters): string =>
  as === "number"
    ? parameters.number(String(value))
    : as === "truth"
      ? String(value === true)
      : as === "createdAt" || as === "updatedAt"
        ? `${parameters.text(String(value))}::timestamptz`
        : parameters.text(String(value))

/** Rows behind a position; nothing comes last in both directions. */
const behind = (sort: ReadonlyArray<SortKey>, { id, values }: RowPosition, parameters: SqlParameters): string => {
  const expressions = sort.map((key) => sortExpression(key, parameters))
  const given = (at: number): SortValue => values[at] ?? null
  const bound = sort.map((key, at) => {
    const value = given(at)
    return value === null ? null : sortParameter(key, value, parameters)
  })
  const equal = (at: number) =>
    bound[at] === null ? `${expressions[at]} is null` : `${expressions[at]} = ${bound[at]}`
  const parts: Array<string> = []
  for (const [at, key] of sort.entries()) {
    if (bound[at] === null) continue
    const next = `${expressions[at]} ${key.desc ? "<" : ">"} ${bound[at]}`
    const later = isOwn(key) ? next : `(${next} or ${expressions[at]} is null)`
    parts.push([...sort.slice(0, at).map((_, n) => equal(n)), later].join(" and "))
  }
  parts.push([...sort.map((_, at) => equal(at)), `r.id > ${parameters.text(id)}`].join(" and "))
  return `(${parts.map((part) => `(${part})`).join(" or ")})`
}

const stateOf = { live: "r.trashed_at is null", trashed: "r.trashed_at is not null", any: "true" } as const

const conditions = (scan: RowScan, parameters: SqlParameters): string => {
  const parts: Array<string> = [stateOf[scan.state]]
  if (scan.where !== undefined) parts.push(filterSql(scan.where, scan.table, parameters))
  if (scan.after !== undefined) {
    // Alone, so that it is found in the primary key.
    parts.push(
      scan.sort.length === 0 ? `r.id > ${parameters.text(scan.after.id)}` : behind(scan.sort, scan.after, parameters)
    )
  }
  return parts.join(" and ")
}

const orderOf = (sort: ReadonlyArray<SortKey>, parameters: SqlParameters): ReadonlyArray<string> =>
  sort.map((key) => `${sortExpression(key, parameters)} ${key.desc ? "desc" : "asc"} nulls last`)

/** All rows of the table, read one by one. */
const everyRow = (scan: RowScan, parameters: SqlParameters, what: string): string =>
  `select ${what} from table_row r where r.table_id = ${parameters.text(scan.table.id)} and ${conditions(scan, parameters)}`

/** Rows of one facet. Parameters are evaluated once for every row: \`offset 0\` keeps the planner from turning it round. */
const throughFacet = (
  scan: RowScan,
  facet: string,
  narrow: ReadonlyArray<string>,
  order: string,
  parameters: SqlParameters,
  what: string,
  cut = "offset 0"
): string => {
  const table = parameters.text(scan.table.id)
  return `select ${what} from (select * from row_lookup l where ${[
    `l.table_id = ${table}`,
    `l.facet = ${parameters.text(facet)}`,
    ...narrow
  ].join(" and ")} ${order} ${cut}) l
    join lateral (select * from table_row r where r.table_id = ${table} and r.id = l.row_id offset 0) r on true
    where ${conditions(scan, parameters)}`
}

/** From how many rows of a table on its index is the way to a facet, whatever else is in the database. */
const large = 10_000
/** Texts of statements differ with filters, and a connection keeps a hundred: long ones must not take the places of others. */
const shortText = 2_000

/** A page through a facet. It is planned once for each connection: that costs as much as to run it. */
const pageThroughFacet = (
  { limit, rowCount = 0 }: RowScan,
  base: string,
  order: ReadonlyArray<string>,
  parameters: SqlParameters
): Statement => {
  const text = `${base} order by ${order.join(", ")} limit ${parameters.integer(limit)}`
  return { text, values: parameters.values, lasting: rowCount >= large && text.length <= shortText }
}

const bounds = (
  column: string,
  { high, low }: Range<string>,
  bind: (value: string) => string
): ReadonlyArray<string> => {
  if (low !== undefined && high !== undefined && !low.open && !high.open && low.value === high.value)
    return [`${column} = ${bind(low.value)}`]
  return [
    `${column} is not null`,
    ...(low === undefined ? [] : [`${column} ${low.open ? ">" : ">="} ${bind(low.value)}`]),
    ...(high === undefined ? [] : [`${column} ${high.open ? "<" : "<="} ${bind(high.value)}`])
  ]
}

/** The index is in the order of nearest floating numbers: with them it finds what exact comparisons then choose from. */
const nearest = ({ high, low }: Range<string>): Range<string> => ({
  ...(low === undefined ? {} : { low: { ...low, open: false } }),
  ...(high === undefined ? {} : { high: { ...high, open: false } })
})

const narrowed = ({ number, text }: LookupHint, parameters: SqlParameters): ReadonlyArray<string> => [
  ...(text === undefined ? [] : bounds("l.text_cell", text, parameters.text)),
  ...(number === undefined
    ? []
    : [
        ...bounds("l.number_near", nearest(number), (value) => `${parameters.number(value)}::float8`),
        ...bounds("l.number_cell", number, parameters.number)
      ])
]

const nothing = "l.text_cell is null and l.number_cell is null"

/** The rows of a facet that have a value, in its order. */
const streamed = (scan: RowScan, key: SortKey, parameters: SqlParameters): Statement => {
  const { after, hint, sort } = scan
  const column = key.as === "number" ? "l.number_cell" : "l.text_cell"
  const direction = key.desc ? "desc" : "asc"
  const narrow: Array<string> = hint?.facet === key.facet ? [...narrowed(hint!, parameters)] : []
  narrow.push(`${column} is not null`)
  // Texts that begin alike are distinguished by the whole; all other values fit into the lookup.
  const whole = key.as !== "text"
  const from = after?.values[0]
  if (from !== undefined && from !== null) {
    const behindIt = key.desc ? "<=" : ">="
    const value = key.as === "number" ? parameters.number(String(from)) : parameters.text(prefixOf(String(from)))
    narrow.push(`${column} ${behindIt} ${value}`)
    if (key.as === "number") narrow.push(`l.number_near ${behindIt} ${value}::float8`)
    if (whole && sort.length === 1) narrow.push(`(${column} <> ${value} or l.row_id > ${parameters.text(after!.id)})`)
  }
  const near = key.as === "number" ? `l.number_near ${direction}, ` : ""
  // Lookups are kept of live rows alone. Where they alone decide what is next, no other row is fetched.
  const decided = whole && sort.length === 1 && scan.where === undefined
  const ids = decided || !key.desc ? ", l.row_id" : ""
  const cut = decided ? `limit ${parameters.integer(scan.limit)}` : undefined
  const inOrder = `order by ${near}${column} ${direction}${ids}`
  const base = throughFacet(scan, key.facet!, narrow, inOrder, parameters, rowColumns, cut)
  const rest = orderOf(whole ? sort.slice(1) : sort, parameters)
  const order = [`${near}${column} ${direction}`, ...rest, "l.row_id"]
  return pageThroughFacet(scan, base, order, parameters)
}

/** The rows for which the facet has nothing. */
const streamedNothing = (scan: RowScan, key: SortKey, parameters: SqlParameters): Statement => {
  const base = throughFacet(scan, key.facet!, [nothing], "order by l.row_id", parameters, rowColumns)
  const order = [...orderOf(scan.sort.slice(1), parameters), "l.row_id"]
  return pageThroughFacet(scan, base, order, parameters)
}

/** Up to how many rows of a range are gathered and sorted, rather than looked for in the order asked. */
const gathered = 2_000

/** Counts the rows in the range of a hint, up to one more than are gathered. */
const rangeSize = (scan: RowScan, hint: LookupHint): Statement => {
  const parameters = new SqlParameters()
  const where = [
    `l.table_id = ${parameters.text(scan.table.id)}`,
    `l.facet = ${parameters.text(hint.facet)}`,
    ...narrowed(hint, parameters)
  ]
  return {
    text: `select count(*)::int as found from (select from row_lookup l where ${where.join(" and ")} limit ${gathered + 1}) q`,
    values: parameters.values
  }
}

/** Rows of a hint in the order asked. Where the order is that of ids, they come in it. */
const throughHint = (scan: RowScan, hint: LookupHint, parameters: SqlParameters): Statement => {
  const narrow = [...narrowed(hint, parameters)]
  const byId = scan.sort.length === 0
  if (byId && scan.after !== undefined) narrow.push(`l.row_id > ${parameters.text(scan.after.id)}`)
  const base = throughFacet(scan, hint.facet, narrow, byId ? "order by l.row_id" : "", parameters, rowColumns)
  const order = byId ? ["l.row_id"] : [...orderOf(scan.sort, parameters), "r.id"]
  return pageThroughFacet(scan, base, order, parameters)
}

const plain = (scan: RowScan, parameters: SqlParameters): Statement => {
  const base = everyRow(scan, parameters, rowColumns)
  const order = [...orderOf(scan.sort, parameters), "r.id"]
  return {
    text: `${base} order by ${order.join(", ")} limit ${parameters.integer(scan.limit)}`,
    values: parameters.values
  }
}

/** How a scan is answered: statements whose rows follow one another until there are enough. */
export interface ScanPlan {
  /** Asked first where it has to be known; the rows in the range of the hint. */
  readonly probe?: Statement
  /** `narrow` is whether the probe, if there is one, found few. */
  readonly parts: (narrow: boolean) => ReadonlyArray<Statement>
}

export const scanPlan = (given: RowScan): ScanPlan => {
  // A statement takes no more than a 32-bit limit.
  const scan = { ...given, limit: Math.min(given.limit, 2_147_483_647) }
  const hint = scan.state === "live" ? scan.hint : undefined
  const first = scan.sort[0]
  const key = scan.state === "live" && first?.facet !== undefined ? first : undefined
  const inOrder = (): ReadonlyArray<Statement> => {
    if (key === undefined) return [plain(scan, new SqlParameters())]
    const ranged = hint?.facet === key.facet
    const from = scan.after?.values[0]
    return [
      ...(from === null ? [] : [streamed(scan, key, new SqlParameters())]),
      // What passes a comparison has a value.
      ...(ranged ? [] : [streamedNothing(scan, key, new SqlParameters())])
    ]
  }
  if (hint?.exact === true) return { parts: () => [throughHint(scan, hint, new SqlParameters())] }
  if (hint === undefined || hint.facet === key?.facet) return { parts: inOrder }
  return {
    probe: rangeSize(scan, hint),
    parts: (narrow) => (narrow ? [throughHint(scan, hint, new SqlParameters())] : inOrder())
  }
}

export const isNarrow = (found: number): boolean => found <= gathered

export const countSql = (scan: RowScan): Statement => {
  const parameters = new SqlParameters()
  const hint = scan.state === "live" ? scan.hint : undefined
  const { after: _, ...whole } = scan
  const text =
    hint === undefined
      ? everyRow(whole, parameters, "count(*)::int as found")
      : throughFacet(whole, hint.facet, narrowed(hint, parameters), "", parameters, "count(*)::int as found")
  return { text, values: parameters.values }
}
