/** Reading rows: filters, order, pages (decisions 1.6, 5.7 and 8). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { CursorUnusable, type Detail } from "../failure/Failure.ts"
import { bind, type Given } from "../filter/Bind.ts"
import { compile, type RelatedRows, type RowTest } from "../filter/Compile.ts"
import type { RowValues } from "../filter/FilterField.ts"
import { readFilter } from "../filter/FilterNode.ts"
import { hasPattern, relationsOf, type FilterPlan } from "../filter/FilterPlan.ts"
import type { PlainValue } from "../filter/ClauseTest.ts"
import { Patterns } from "../pattern/Pattern.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf } from "../shared/Page.ts"
import { isNumber } from "../shared/RawNumber.ts"
import { zoneOf } from "../shared/TimeZone.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { facetsOf, hintOf } from "./Facet.ts"
import { tooBroad } from "./QueryCost.ts"
import { makeQueryTurns } from "./QueryTurns.ts"
import { RowCursors, type Resumed, type RowQuestion } from "./RowCursor.ts"
import type { RowScan, ScannedTable } from "./RowScan.ts"
import { noField, isSortValue, positionOf, sortKeys } from "./RowSort.ts"
import type { Row, Table } from "./Table.ts"
import { TableAccess, noRow, unprocessable } from "./TableAccess.ts"
import { filterFields, filterValues, ownNamesOf } from "./TableFilter.ts"
import type { Tables } from "./Tables.ts"
import { TableStore } from "./TableStore.ts"

/** Rows that are read at once to find those that match a pattern, and how many of them one page reads at most. */
const patternBatch = 1_000

const tooBroadMessage = "The query is too broad"

const unusable = new CursorUnusable({ expired: false })

const scalar = (item: unknown) => typeof item === "string" || isNumber(item)

const givenOf = (params: Readonly<Record<string, unknown>>, details: Array<Detail>): Given => {
  const given = new Map<string, PlainValue>()
  for (const [name, value] of Object.entries(params)) {
    const known =
      value === null || typeof value === "boolean" || scalar(value) || (Array.isArray(value) && value.every(scalar))
    if (known && storable(value)) given.set(name, value as PlainValue)
    else
      details.push({
        field: `params.${name}`,
        message: "must be text, a number, true, false, null or a list of texts or numbers"
      })
  }
  return given
}

// oxlint-disable-next-line no-control-regex -- NUL is what it looks for
const unstorable = /\0|\p{Surrogate}/u
const storable = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length <= limits.inListItems && value.every(storable)
    : typeof value !== "string" || (value.length <= limits.filterText && !unstorable.test(value))

const filterPath = (field: string): string =>
  field === "" ? "filter" : field.startsWith("[") ? `filter${field}` : `filter.${field}`

const only = (fields: ReadonlyArray<string> | undefined) => {
  if (fields === undefined) return (row: Row): Row => row
  const keys = new Set(fields)
  return (row: Row): Row => ({
    ...row,
    values: Object.fromEntries(Object.entries(row.values).filter(([key]) => keys.has(key)))
  })
}

const scanned = (of: Table, relations: ScannedTable["relations"]): ScannedTable => ({
  id: of.id,
  own: ownNamesOf(of),
  relations
})

/** A question with its meaning worked out. */
interface Asked {
  readonly scan: Omit<RowScan, "limit">
  readonly related: ReadonlyMap<string, Table>
  readonly test: RowTest | undefined
  readonly plan: FilterPlan | undefined
}

/** A field that was removed or has another type since may leave the position without a meaning. */
const fits = (scan: Asked["scan"], { values }: Resumed["at"]): boolean =>
  values.length === scan.sort.length && scan.sort.every((key, n) => isSortValue(key, values[n]!))

/** Whether rows have to be searched for, which can keep the database long. */
const searches = ({ scan }: Asked, total: boolean): boolean =>
  total ||
  (scan.where !== undefined && scan.hint?.exact !== true) ||
  (scan.sort[0] !== undefined && scan.sort[0].facet === undefined)

export const make = Effect.gen(function* () {
  const store = yield* TableStore
  const cursors = yield* RowCursors
  const patterns = yield* Patterns
  const access = yield* TableAccess
  const turns = makeQueryTurns()

  const ask = Effect.fnUntraced(function* (
    caller: Caller,
    operation: OperationId,
    table: Table,
    question: RowQuestion,
    now: Timestamp.Timestamp
  ) {
    const details: Array<Detail> = []
    const sort = sortKeys(table, question.sort ?? [], details)
    for (const [at, key] of (question.fields ?? []).entries())
      if (!table.fields.some((field) => field.key === key))
        details.push({ field: `fields[${at}]`, message: noField(table, key) })
    const zone = zoneOf(question.timezone ?? caller.principal.workspace.timezone)
    if (zone === undefined) details.push({ field: "timezone", message: "is no time zone" })
    const params = givenOf(question.params ?? {}, details)
    if (zone === undefined || details.length > 0) return yield* unprocessable(details)
    const related = yield* access.related(caller, operation, table)
    const relations = new Map(
      table.fields.flatMap(({ key, options }): ReadonlyArray<[string, ScannedTable]> => {
        const target = options?.relation && related.get(options.relation.tableId)
        return target === undefined ? [] : [[key, scanned(target, new Map())]]
      })
    )
    const scan: Asked["scan"] = {
      table: scanned(table, relations),
      state: question.trashed === true ? "trashed" : "live",
      sort,
      rowCount: table.rowCount
    }
    if (question.filter === undefined || question.filter === null)
      return { scan, related, test: undefined, plan: undefined } satisfies Asked
    const node = readFilter(question.filter)
    if (Result.isFailure(node))
      return yield* unprocessable(
        node.failure.map(({ field, message }) => ({ field: filterPath(field), message })),
        "FILTER_INVALID",
        "The filter is not valid"
      )
    const bound = bind(node.success, filterFields(table, related), { now, zone, params, patterns })
    if (Result.isFailure(bound)) {
      const faults = bound.failure
      return yield* unprocessable(
        faults.map(({ field, message }) => ({ field: filterPath(field), message })),
        faults.find(({ code }) => code === "FILTER_INVALID")?.code ?? faults[0]!.code,
        "The filter is not valid"
      )
    }
    const plan = bound.success
    const hint = scan.state === "live" ? hintOf(plan, facetsOf(table)) : undefined
    const broad = tooBroad(table, plan, hint)
    if (broad !== undefined) return yield* unprocessable([broad], "QUERY_TOO_BROAD", tooBroadMessage)
    return {
      scan: { ...scan, where: plan, ...(hint === undefined ? {} : { hint }) },
      related,
      test: hasPattern(plan) ? compile(plan) : undefined,
      plan
    } satisfies Asked
  })

  /** Those of the rows that pass patterns as well, with the rows that relations lead to. */
  const passing = Effect.fnUntraced(function* (table: Table, asked: Asked, test: RowTest, rows: ReadonlyArray<Row>) {
    const own = ownNamesOf(table)
    const reached = new Map<string, ReadonlyMap<string, RowValues>>()
    for (const relation of asked.plan === undefined ? [] : relationsOf(asked.plan)) {
      const target = table.fields.find(({ key }) => key === relation)?.options?.relation
      const other = target && asked.related.get(target.tableId)
      if (other === undefined) continue
      const cells = rows.flatMap(({ values }) => {
        const cell = values[relation]
        return typeof cell === "string" ? [cell] : typeof cell === "object" && cell !== null ? cell : []
      })
      const wanted = [...new Set(cells)]
      const otherOwn = ownNamesOf(other)
      const found = wanted.length === 0 ? [] : yield* store.rowsById(other.id, wanted)
      reached.set(
        relation,
        new Map(
          found.flatMap((row) => (row.trashedAt === undefined ? [[row.id, filterValues(row, otherOwn)] as const] : []))
        )
      )
    }
    const relatedRows: RelatedRows = (relation, relatedIds) => {
      const byId = reached.get(relation)
      return relatedIds.flatMap((id) => {
        const values = byId?.get(id)
        return values === undefined ? [] : [values]
      })
    }
    const kept: Array<Row> = []
    for (const row of rows) {
      if (test(filterValues(row, own), relatedRows)) kept.push(row)
      // A pattern can take its time on a long text: others have their turn, and the deadline its say, after each.
      yield* Effect.yieldNow
    }
    return kept
  })

  /** Rows behind a position until there are `wanted`, and the last one looked at if there may be more. */
  const page = Effect.fnUntraced(function* (table: Table, asked: Asked, after: RowScan["after"], wanted: number) {
    const { scan, test } = asked
    if (test === undefined) {
      const found = yield* store.rows({ ...scan, limit: wanted + 1, ...(after === undefined ? {} : { after }) })
      const rows = found.slice(0, wanted)
      return { rows, last: found.length > wanted ? rows.at(-1) : undefined }
    }
    const rows: Array<Row> = []
    let position = after
    for (let read = 0; read < limits.patternScanRows; read += patternBatch) {
      const found = yield* store.rows({
        ...scan,
        limit: patternBatch,
        ...(position === undefined ? {} : { after: position })
      })
      const kept = yield* passing(table, asked, test, found)
      for (const row of kept) {
        // One more than is wanted shows that there is another page.
        if (rows.length === wanted) return { rows, last: rows.at(-1) }
        rows.push(row)
      }
      const last = found.at(-1)
      if (last === undefined || found.length < patternBatch) return { rows, last: undefined }
      position = positionOf(last, scan.sort)
      if (read + patternBatch >= limits.patternScanRows) return { rows, last }
    }
    return { rows, last: undefined }
  })

  const totalOf = Effect.fnUntraced(function* (table: Table, asked: Asked) {
    if (asked.test === undefined) return yield* store.count({ ...asked.scan, limit: 1 })
    const scan = { ...asked.scan, sort: [] }
    let total = 0
    let after: RowScan["after"]
    for (let read = 0; read <= limits.patternScanRows; read += patternBatch) {
      const found = yield* store.rows({ ...scan, limit: patternBatch, ...(after === undefined ? {} : { after }) })
      if (read === limits.patternScanRows && found.length > 0) break
      total += (yield* passing(table, asked, asked.test, found)).length
      const last = found.at(-1)
      if (last === undefined || found.length < patternBatch) return total
      after = { values: [], id: last.id }
    }
    return yield* unprocessable(
      [{ field: "includeTotal", message: `reads at most ${limits.patternScanRows} rows where a pattern is matched` }],
      "QUERY_TOO_BROAD",
      tooBroadMessage
    )
  })

  /** Searches have few turns and little time: what one asks for must not keep the others waiting. */
  const inTurn = <A, E>(caller: Caller, read: Effect.Effect<A, E | StorageUnavailable>) =>
    Effect.catchIf(
      turns.take(caller.principal.workspace.id, read),
      (error): error is StorageUnavailable => error instanceof StorageUnavailable && error.tooLong === true,
      () =>
        unprocessable(
          [
            {
              field: "filter",
              message:
                `takes longer than ${limits.querySeconds} seconds. ` +
                "Compare an indexed field with eq, sort by an indexed field, or ask without includeTotal"
            }
          ],
          "QUERY_TOO_BROAD",
          tooBroadMessage
        )
    )

  const queryRows: Tables["Service"]["queryRows"] = Effect.fn("Tables.queryRows")(function* (caller, id, query) {
    const table = yield* access.load(caller, "queryRows", id)
    const bound = { workspaceId: caller.principal.workspace.id, list: `rows/${id}` }
    const resumed = query.cursor === undefined ? undefined : yield* cursors.decode(bound, query.cursor)
    const question: RowQuestion = resumed?.question ?? query
    const now = resumed?.now ?? (yield* Timestamp.now)
    const asked = yield* ask(caller, "queryRows", table, question, now)
    if (resumed !== undefined && !fits(asked.scan, resumed.at)) return yield* unusable
    const counts = query.includeTotal === true
    const search = searches(asked, counts)
    const patient = search ? { ...asked, scan: { ...asked.scan, patience: limits.querySeconds } } : asked
    const read = Effect.gen(function* () {
      const found = yield* page(table, patient, resumed?.at, sizeOf(limits.page, query.limit))
      return { ...found, total: counts ? { total: yield* totalOf(table, patient) } : {} }
    })
    const { last, rows, total } = yield* search ? inTurn(caller, read) : read
    const shown = rows.map(only(question.fields))
    if (last === undefined) return { table, rows: shown, hasMore: false, ...total }
    const cursor = yield* cursors.encode(bound, now, question, positionOf(last, asked.scan.sort))
    return { table, rows: shown, hasMore: true, cursor, ...total }
  })

  const getRow: Tables["Service"]["getRow"] = Effect.fn("Tables.getRow")(function* (caller, id, rowId) {
    const table = yield* access.load(caller, "getRow", id)
    const [row] = yield* store.rowsById(id, [rowId])
    if (row === undefined || row.trashedAt !== undefined) return yield* noRow
    return { table, row }
  })

  return { queryRows, getRow }
})
