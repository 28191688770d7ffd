/**
 * Plans of filters as SQL over rows of tables (decisions 8.3). Field keys and values are parameters; the text is made
 * of the fixed parts in this file alone, so no filter can reach the database as text.
 *
 * An expression is true, false or null like the filter itself. Patterns are left out: where one stands, the
 * expression lets more rows through than the filter, and anyone who runs it asks `compile` of what comes back.
 */
import {
  type FilterPlan,
  jsonNumberLength,
  type Range,
  type RelatedNode,
  type Test,
  type TestNode
} from "@millrace/core/filter"
import type { SqlParameters } from "./SqlParameters.ts"

/** The rows that are filtered. */
export interface FilteredTable {
  readonly id: string
  /** Names that mean the row itself and not one of its cells: `id`, `createdAt`, `updatedAt`. */
  readonly own: ReadonlySet<string>
  /** Relation field -> the table it leads to. */
  readonly relations: ReadonlyMap<string, FilteredTable>
}

const ownColumns: Readonly<Record<string, (row: string) => string>> = {
  id: (row) => `${row}.id::text`,
  createdAt: (row) => `to_char(${row}.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  updatedAt: (row) => `to_char(${row}.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Conditions have tests of their own, such as parts of days and blank text; they are asked of records alone. */
const onlyRecords = "a condition is not asked of tables"

type Typed = Exclude<Test, { readonly tag: "pattern" }>

const orders = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** JSON text of a number that the kernel reads as one (`JsonScalar`); of longer ones a cast could fail. */
const isJsonNumber = (text: string): string =>
  `length(${text}) <= ${jsonNumberLength} and ${text} ~ '^-?[0-9]+([.][0-9]+)?([eE][-+]?(0?[0-3]?[0-9]{1,2}|0?400))?$'`

const anyOf = (parts: ReadonlyArray<string>): string => (parts.length === 1 ? parts[0]! : `(${parts.join(" or ")})`)

/**
 * The folded text of a cell: kept where it is more than ASCII letters in lower case. The order "C" is what keeps `lower` to ASCII.
 */
export const foldedSql = (kept: string, text: string): string => `coalesce(${kept}, lower(${text} collate "C"))`

/** A cell, null where the row has none. */
export const cellSql = (cells: string, field: string, how: "->" | "->>", parameters: SqlParameters): string =>
  `(${cells}${how}${parameters.text(field)})`

class Row {
  private readonly alias: string
  private readonly table: FilteredTable
  private readonly parameters: SqlParameters

  constructor(alias: string, table: FilteredTable, parameters: SqlParameters) {
    this.alias = alias
    this.table = table
    this.parameters = parameters
  }

  private key(field: string): string {
    return this.parameters.text(field)
  }

  private own(field: string): string | undefined {
    return this.table.own.has(field) ? ownColumns[field]?.(this.alias) : undefined
  }

  private cell(field: string, how: "->" | "->>"): string {
    return cellSql(`${this.alias}.field_values`, field, how, this.parameters)
  }

  raw(field: string): string {
    return this.own(field) ?? this.cell(field, "->>")
  }

  json(field: string): string {
    return this.cell(field, "->")
  }

  /** Text whose upper and lower case are the same. */
  folded(field: string): string {
    return this.own(field) ?? foldedSql(this.keptFold(field), this.raw(field))
  }

  private keptFold(field: string): string {
    return `${this.alias}.folded->>${this.key(field)}`
  }

  /** Casts must not be tried on rows of other tables, in whatever order conditions are asked. */
  private guarded(expression: string): string {
    return `(case when ${this.alias}.table_id = ${this.parameters.text(this.table.id)} then ${expression} end)`
  }

  number(field: string, json: boolean): string {
    const raw = this.raw(field)
    return this.guarded(json ? `case when ${isJsonNumber(raw)} then ${raw}::numeric end` : `${raw}::numeric`)
  }

  /** The string in a cell of JSON text. */
  jsonText(field: string): string {
    return this.guarded(
      `case when starts_with(${this.raw(field)}, '"') then ${foldedSql(this.keptFold(field), `(${this.raw(field)}::jsonb #>> '{}')`)} end`
    )
  }

  empty(field: string): string {
    return this.own(field) === undefined ? `(${this.raw(field)} is null or ${this.json(field)} = '[]'::jsonb)` : "false"
  }

  private textRange(value: string, { low, high }: Range<string>): string {
    const parts: Array<string> = []
    const ordered = `${value} collate "C"`
    if (low !== undefined) parts.push(`${ordered} ${low.open ? ">" : ">="} ${this.parameters.text(low.value)}`)
    if (high !== undefined) parts.push(`${ordered} ${high.open ? "<" : "<="} ${this.parameters.text(high.value)}`)
    return `(${parts.join(" and ")})`
  }

  private numbers(node: TestNode, test: Extract<Test, { readonly tag: "number" }>): string {
    const value = () => this.number(node.field, node.json !== undefined)
    const exact = test.ranges.flatMap(({ low, high }) =>
      low !== undefined && high !== undefined && !low.open && !high.open && low.value === high.value ? [low.value] : []
    )
    if (exact.length === test.ranges.length) return `(${value()} = any(${this.parameters.numbers(exact)}))`
    return anyOf(
      test.ranges.map(({ low, high }) => {
        const parts: Array<string> = []
        if (low !== undefined) parts.push(`${value()} ${low.open ? ">" : ">="} ${this.parameters.number(low.value)}`)
        if (high !== undefined) parts.push(`${value()} ${high.open ? "<" : "<="} ${this.parameters.number(high.value)}`)
        return `(${parts.join(" and ")})`
      })
    )
  }

  private text(node: TestNode, test: Extract<Test, { readonly tag: "text" }>): string {
    const value = node.json === undefined ? this.folded(node.field) : this.jsonText(node.field)
    const [first] = test.values as readonly [string]
    switch (test.how) {
      case "equals":
        return test.values.length === 1
          ? `(${value} = ${this.parameters.text(first)})`
          : `(${value} = any(${this.parameters.texts(test.values)}))`
      case "contains":
        return `(strpos(${value}, ${this.parameters.text(first)}) > 0)`
      case "startsWith":
        return `starts_with(${value}, ${this.parameters.text(first)})`
      case "endsWith": {
        const end = this.parameters.text(first)
        return `(right(${value}, length(${end})) = ${end})`
      }
    }
  }

  private keys(field: string, test: Extract<Test, { readonly tag: "keys" }>): string {
    const held =
      test.how === "any"
        ? `${this.json(field)} ?| ${this.parameters.texts(test.values)}`
        : `${this.json(field)} = jsonb_build_array(${this.parameters.text(test.values[0]!)})`
    return `(case when not ${this.empty(field)} then ${held} end)`
  }

  private against(node: TestNode, test: Extract<Test, { readonly tag: "field" }>): string {
    const both = (read: (field: string) => string): string =>
      `(${read(node.field)} ${orders[test.op]} ${read(test.other)})`
    switch (test.as) {
      case "number":
        return both((field) => this.number(field, false))
      case "text":
        return both((field) => `${this.folded(field)} collate "C"`)
      case "boolean":
        return both((field) => this.raw(field))
      default:
        return both((field) => `${this.raw(field)} collate "C"`)
    }
  }

  test(node: TestNode, test: Typed): string {
    const { field } = node
    switch (test.tag) {
      case "text":
        return this.text(node, test)
      case "order":
        return this.textRange(node.json === undefined ? this.folded(field) : this.jsonText(field), test.range)
      case "key":
        return `(${this.raw(field)} = any(${this.parameters.texts(test.values)}))`
      case "keys":
        return this.keys(field, test)
      case "number":
        return this.numbers(node, test)
      case "time":
        return anyOf(test.ranges.map((range) => this.textRange(this.raw(field), range)))
      case "truth":
        return `(case when ${this.raw(field)} in ('true', 'false') then ${this.raw(field)} = any(${this.parameters.texts(test.values.map(String))}) end)`
      case "field":
        return this.against(node, test)
      case "day":
      case "digits":
        throw new TypeError(onlyRecords)
    }
  }

  /** Live rows, as `x`, that the relation leads to. */
  private related(relation: string): { readonly table: FilteredTable; readonly from: string } {
    const table = this.table.relations.get(relation)
    if (table === undefined) throw new TypeError(`"${relation}" is no relation`)
    const cell = this.json(relation)
    const ids = `(case jsonb_typeof(${cell})
      when 'array' then array(select jsonb_array_elements_text(${cell}))
      when 'string' then array[${this.raw(relation)}] end)`
    return {
      table,
      from: `table_row x where x.table_id = ${this.parameters.text(table.id)} and x.id = any(${ids}) and x.trashed_at is null`
    }
  }

  relatedTest({ relation, part }: RelatedNode, test: Typed): string {
    const { table, from } = this.related(relation)
    const holds = new Row("x", table, this.parameters).test(part, test)
    return `(select case when bool_or(q.holds) then true when count(*) = 0 or bool_or(q.holds is null) then null else false end
      from (select ${holds} as holds from ${from}) q)`
  }

  unrelated(relation: string, field: string): string {
    const { table, from } = this.related(relation)
    return `(not exists (select from ${from} and not ${new Row("x", table, this.parameters).empty(field)}))`
  }
}

const typed = (node: TestNode): Typed | undefined => {
  if (node.blank || (node.test.tag === "text" && node.test.trimmed)) throw new TypeError(onlyRecords)
  return node.test.tag === "pattern" ? undefined : node.test
}

/** What stands for a pattern lets rows through: true, and below an odd number of negations false. */
const unasked = (negated: boolean): string => String(!negated)

const expression = (plan: FilterPlan, row: Row, negated: boolean): string => {
  switch (plan.tag) {
    case "constant":
      return plan.value === null ? "null::boolean" : String(plan.value)
    case "empty":
      return row.empty(plan.field)
    case "test": {
      const test = typed(plan)
      return test === undefined ? unasked(negated) : row.test(plan, test)
    }
    case "related": {
      const test = typed(plan.part)
      return test === undefined ? unasked(negated) : row.relatedTest(plan, test)
    }
    case "unrelated":
      return row.unrelated(plan.relation, plan.field)
    case "not":
      return `(not ${expression(plan.part, row, !negated)})`
    case "and":
    case "or":
      return plan.parts.length === 0
        ? String(plan.tag === "and")
        : `(${plan.parts.map((part) => expression(part, row, negated)).join(` ${plan.tag} `)})`
  }
}

/** A boolean expression over `r`, a row of `table_row`; its values are added to the parameters. */
export const filterSql = (plan: FilterPlan, table: FilteredTable, parameters: SqlParameters): string =>
  expression(plan, new Row("r", table, parameters), false)
