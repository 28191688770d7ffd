/** Making, changing, trashing and restoring rows (decisions 5.7 and 6.11). */
import * as Effect from "effect/Effect"
import { actorOf, type Principal } from "../access/Principal.ts"
import { InvalidInput, PlanLimitReached, PreconditionFailed, type Detail } from "../failure/Failure.ts"
import type { RowValues } from "../filter/FilterField.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import { plans } from "../workspace/Plan.ts"
import { cellOf, sameCell } from "./CellReader.ts"
import { keyMark } from "./Facet.ts"
import { Faults } from "./FieldDefinition.ts"
import { takenMarks } from "./Marks.ts"
import { checkRow, readValues, relationsIn, type RelationUse } from "./RowReader.ts"
import type { RowChange, RowOutcome } from "./RowRequest.ts"
import { defaultsOf, shapeOf, type RowShape } from "./RowShape.ts"
import type { Row, RowId, Table } from "./Table.ts"
import { accessTo, conflict, judged, noRow } from "./TableAccess.ts"
import type { Tables } from "./Tables.ts"
import { markKey, TableStore } from "./TableStore.ts"

const bulk = (part: string, count: number): Effect.Effect<void, InvalidInput> => {
  if (count > 0 && count <= limits.bulkRows) return Effect.void
  const message = `must be 1 to ${limits.bulkRows}`
  return new InvalidInput({
    code: "INVALID_REQUEST",
    message: `Request is invalid: ${part} ${message}`,
    details: [{ field: part, message }]
  })
}

const isFeed = ({ kind }: Row["createdBy"]): boolean => kind === "sync" || kind === "extractor"

/** Cells of rows of feeds that somebody else writes are held. */
const heldAfter = (row: Row, changed: ReadonlyArray<string>, release: ReadonlyArray<string>): ReadonlyArray<string> => {
  const held = new Set(row.held)
  for (const key of release) held.delete(key)
  if (row.held.length > 0 || isFeed(row.createdBy) || isFeed(row.updatedBy)) for (const key of changed) held.add(key)
  return [...held]
}

interface Candidate {
  readonly before: Row | undefined
  readonly after: Row
  /** Path of the row in the request, `""` for its root. */
  readonly path: string
}

const below = (path: string, part: string): string => (path === "" ? part : `${path}.${part}`)

/** The row with these cells, or the row itself when nothing changes. */
const changed = (
  table: Table,
  row: Row,
  values: RowValues,
  release: ReadonlyArray<string>,
  actor: Row["updatedBy"],
  now: Timestamp.Timestamp,
  path: string,
  faults: Faults
): Row => {
  const keys = Object.keys(values).filter((key) => !sameCell(cellOf(row.values, key), values[key]))
  const held = heldAfter(row, keys, release)
  const sameHeld = held.length === row.held.length && held.every((key) => row.held.includes(key))
  if (keys.length === 0 && sameHeld) return row
  const merged = { ...row.values, ...values }
  if (keys.length > 0) checkRow(table, merged, path, faults)
  return { ...row, values: merged, held, updatedBy: actor, updatedAt: now, version: row.version + 1 }
}

export const make = Effect.gen(function* () {
  const store = yield* TableStore
  const ids = yield* Ids
  const { contentHash } = yield* Digest
  const { atomically } = yield* Transactor
  const access = accessTo(store)

  /** Faults for rows that relations name and that do not exist, live, in a table that can be seen. */
  const checkRelations = Effect.fnUntraced(function* (
    principal: Principal,
    table: Table,
    uses: ReadonlyArray<RelationUse>,
    faults: Faults
  ) {
    if (uses.length === 0) return
    const tables = yield* access.related(principal, table)
    for (const tableId of new Set(uses.map((use) => use.tableId))) {
      const own = uses.filter((use) => use.tableId === tableId)
      const target = tables.get(tableId)
      const wanted = [...new Set(own.flatMap((use) => use.ids))]
      const found = target === undefined ? [] : yield* store.rowsById(target.id, wanted)
      const live = new Set<string>(found.flatMap((row) => (row.trashedAt === undefined ? [row.id] : [])))
      for (const { ids: asked, key, path } of own) {
        const missing = asked.find((id) => !live.has(id))
        if (missing !== undefined) faults.add(path, key, `"${missing}" is no row of the related table`)
      }
    }
  })

  const checkPlan = Effect.fnUntraced(function* (principal: Principal, added: number) {
    const limit = plans[principal.workspace.plan].rows
    if (limit === undefined || added <= 0) return
    if ((yield* store.rowTotal(principal.workspace.id)) + added > limit)
      return yield* new PlanLimitReached({ what: "rows", limit })
  })

  /** Fails where a row would have what must be unique and another row has it. */
  const checkMarks = Effect.fnUntraced(function* (table: Table, shape: RowShape, candidates: ReadonlyArray<Candidate>) {
    const rows = candidates.map(({ after }) => shape.stored(after))
    const taken = yield* takenMarks(store, table.id, rows)
    const details = taken.map(({ at, facet, by }): Detail => {
      const { path } = candidates[at]!
      const fields = shape.facets.find(({ id }) => id === facet)?.fields ?? []
      const message =
        facet === "key"
          ? `has the same ${fields.map(({ key }) => key).join(", ")} as ${by}`
          : `is the same as that of ${by}, and has to be unique`
      return { field: below(path, facet === "key" ? "values" : `values.${fields[0]?.key ?? ""}`), message }
    })
    if (details.length > 0) return yield* conflict("ALREADY_EXISTS", "A row with this value exists", details)
    return rows
  })

  const createRows: Tables["Service"]["createRows"] = Effect.fn("Tables.createRows")(
    function* (principal, id, { mode, rows: asked }) {
      yield* bulk("rows", asked.length)
      const table = yield* access.lock(principal, id)
      const shape = shapeOf(table, contentHash)
      const fields = new Map(table.fields.map((field) => [field.key, field]))
      const faults = new Faults()
      const given = asked.map((row, at) => readValues(fields, row.values, `rows[${at}].values`, faults))
      const upserts = mode === "upsert"
      const byFields = upserts ? shape.facets.find((facet) => facet.id === "key") : undefined
      const marks = given.map((values, at) => {
        if (byFields === undefined) return undefined
        const mark = keyMark(byFields, values, contentHash)
        if (mark === undefined) {
          for (const { key } of byFields.fields)
            if (
              cellOf(values, key) === null &&
              !faults.details.some(({ field }) => field === `rows[${at}].values.${key}`)
            )
              faults.add(`rows[${at}].values`, key, "is a key field and must have a value")
        }
        return mark
      })
      const seen = new Set<string>()
      for (const [at, { externalKey }] of asked.entries()) {
        if (externalKey !== undefined && (externalKey === "" || externalKey.length > limits.externalKeyLength))
          faults.add(`rows[${at}]`, "externalKey", `must have 1 to ${limits.externalKeyLength} characters`)
        if (externalKey !== undefined && (!externalKey.isWellFormed() || externalKey.includes("\0")))
          faults.add(`rows[${at}]`, "externalKey", "must not hold NUL or half a surrogate pair")
        if (upserts && byFields === undefined && externalKey === undefined)
          faults.add(`rows[${at}]`, "externalKey", "is required to upsert, since the table has no key fields")
        if (externalKey !== undefined) {
          if (seen.has(`external ${externalKey}`)) faults.add(`rows[${at}]`, "externalKey", "is used by two rows")
          seen.add(`external ${externalKey}`)
        }
        const mark = marks[at]
        if (mark !== undefined && seen.has(`key ${mark}`))
          faults.add(`rows[${at}]`, "values", "has the key of another row")
        if (mark !== undefined) seen.add(`key ${mark}`)
      }
      yield* judged(faults.details)

      const external = asked.flatMap(({ externalKey }) => (externalKey === undefined ? [] : [externalKey]))
      const byExternal = new Map(
        (external.length === 0 ? [] : yield* store.rowsByKey(id, external)).map((row) => [row.externalKey, row])
      )
      const held = yield* store.holders(
        id,
        marks.flatMap((mark) => (mark === undefined ? [] : [{ facet: "key", mark }]))
      )
      const byMark = new Map((yield* store.rowsById(id, [...held.values()])).map((row) => [row.id, row]))
      const now = yield* Timestamp.now
      const actor = actorOf(principal)
      const newIds = yield* ids.batch("row", asked.length)
      const defaults = defaultsOf(table.fields)
      const clashes: Array<Detail> = []
      const outcomes: Array<RowOutcome> = []
      const candidates: Array<Candidate> = []
      const uses: Array<RelationUse> = []
      for (const [at, { externalKey }] of asked.entries()) {
        const path = `rows[${at}]`
        const values = given[at]!
        const mark = marks[at]
        const byKey = externalKey === undefined ? undefined : byExternal.get(externalKey)
        const found = mark === undefined ? (upserts ? byKey : undefined) : byMark.get(held.get(markKey("key", mark))!)
        if (byKey !== undefined && byKey.id !== found?.id)
          clashes.push({ field: `${path}.externalKey`, message: `is that of ${byKey.id}` })
        if (found?.trashedAt !== undefined)
          clashes.push({ field: `${path}.externalKey`, message: `is that of ${found.id}, which is in the trash` })
        uses.push(...relationsIn(fields, values, `${path}.values`))
        if (found === undefined) {
          const after: Row = {
            id: newIds[at]!,
            tableId: id,
            values: { ...defaults, ...values },
            ...(externalKey === undefined ? {} : { externalKey }),
            held: [],
            createdBy: actor,
            updatedBy: actor,
            version: 1,
            createdAt: now,
            updatedAt: now
          }
          checkRow(table, after.values, `${path}.values`, faults)
          candidates.push({ before: undefined, after, path })
          outcomes.push({ id: after.id, status: "created" })
          continue
        }
        const after = changed(table, found, values, [], actor, now, `${path}.values`, faults)
        const named = externalKey !== undefined && found.externalKey === undefined
        const next = named ? { ...after, externalKey } : after
        if (next === found) outcomes.push({ id: found.id, status: "unchanged" })
        else {
          candidates.push({
            before: found,
            after: after === found ? { ...next, version: found.version + 1, updatedBy: actor, updatedAt: now } : next,
            path
          })
          outcomes.push({ id: found.id, status: "updated" })
        }
      }
      yield* checkRelations(principal, table, uses, faults)
      yield* judged(faults.details)
      if (clashes.length > 0) return yield* conflict("ALREADY_EXISTS", "A row with this key exists", clashes)
      const added = candidates.filter(({ before }) => before === undefined).length
      yield* checkPlan(principal, added)
      const stored = yield* checkMarks(table, shape, candidates)
      if (stored.length > 0) yield* store.putRows(id, stored, added)
      return outcomes
    },
    (effect) => atomically(effect)
  )

  /** Changes live rows of a locked table, all or none. */
  const change = Effect.fnUntraced(function* (
    principal: Principal,
    table: Table,
    asked: ReadonlyArray<{ readonly row: Row; readonly change: RowChange; readonly path: string }>
  ) {
    const shape = shapeOf(table, contentHash)
    const fields = new Map(table.fields.map((field) => [field.key, field]))
    const faults = new Faults()
    const uses: Array<RelationUse> = []
    const now = yield* Timestamp.now
    const actor = actorOf(principal)
    const rows = asked.map(({ change: request, path, row }) => {
      const at = below(path, "values")
      const values = readValues(fields, request.values, at, faults)
      uses.push(...relationsIn(fields, values, at))
      for (const [n, key] of (request.release ?? []).entries())
        if (!fields.has(key)) faults.add(path, `release[${n}]`, `"${key}" is no field of the table`)
      return changed(table, row, values, request.release ?? [], actor, now, at, faults)
    })
    const stale = asked.filter(({ change: { version }, row }) => version !== undefined && version !== row.version)
    yield* checkRelations(principal, table, uses, faults)
    yield* judged(faults.details)
    if (stale.length > 0)
      return yield* conflict(
        "INVALID_STATE",
        "Row has changed",
        stale.map(({ path, row }) => ({ field: below(path, "version"), message: `is ${row.version} now` }))
      )
    const candidates = rows.flatMap((after, n): ReadonlyArray<Candidate> => {
      const { path, row: before } = asked[n]!
      return after === before ? [] : [{ before, after, path }]
    })
    const stored = yield* checkMarks(table, shape, candidates)
    if (stored.length > 0) yield* store.putRows(table.id, stored, 0)
    return rows
  })

  /** Live rows in the order of their ids; fails when one is missing. */
  const liveRows = Effect.fnUntraced(function* (table: Table, rowIds: ReadonlyArray<string>) {
    const found = new Map((yield* store.rowsById(table.id, rowIds)).map((row): [string, Row] => [row.id, row]))
    const rows: Array<Row> = []
    for (const id of rowIds) {
      const row = found.get(id)
      if (row === undefined || row.trashedAt !== undefined) return yield* noRow
      rows.push(row)
    }
    return rows
  })

  const updateRows: Tables["Service"]["updateRows"] = Effect.fn("Tables.updateRows")(
    function* (principal, id, asked) {
      yield* bulk("rows", asked.length)
      const table = yield* access.lock(principal, id)
      const twice = asked.flatMap((row, at) =>
        asked.findIndex((other) => other.id === row.id) === at
          ? []
          : [{ field: `rows[${at}].id`, message: "is used twice" }]
      )
      yield* judged(twice)
      const found = yield* liveRows(
        table,
        asked.map((row) => row.id)
      )
      const rows = yield* change(
        principal,
        table,
        asked.map((request, at) => ({ row: found[at]!, change: request, path: `rows[${at}]` }))
      )
      return { table, rows }
    },
    (effect) => atomically(effect)
  )

  const updateRow: Tables["Service"]["updateRow"] = Effect.fn("Tables.updateRow")(
    function* (principal, id, rowId, request, ifVersion) {
      const table = yield* access.lock(principal, id)
      const [before] = yield* liveRows(table, [rowId])
      if (ifVersion !== undefined && ifVersion !== before!.version) return yield* new PreconditionFailed()
      const [row] = yield* change(principal, table, [{ row: before!, change: request, path: "" }])
      return { table, row: row! }
    },
    (effect) => atomically(effect)
  )

  const trashAll = Effect.fnUntraced(function* (principal: Principal, table: Table, rows: ReadonlyArray<Row>) {
    const shape = shapeOf(table, contentHash)
    const now = yield* Timestamp.now
    const trashed = rows.map((row) =>
      shape.stored({
        ...row,
        version: row.version + 1,
        updatedBy: actorOf(principal),
        updatedAt: now,
        trashedAt: now
      })
    )
    yield* store.putRows(table.id, trashed, -rows.length)
  })

  const deleteRows: Tables["Service"]["deleteRows"] = Effect.fn("Tables.deleteRows")(
    function* (principal, id, rowIds) {
      yield* bulk("ids", rowIds.length)
      const table = yield* access.lock(principal, id)
      yield* trashAll(principal, table, yield* liveRows(table, [...new Set(rowIds)]))
    },
    (effect) => atomically(effect)
  )

  const deleteRow: Tables["Service"]["deleteRow"] = Effect.fn("Tables.deleteRow")(
    function* (principal, id, rowId, ifVersion) {
      const table = yield* access.lock(principal, id)
      const rows = yield* liveRows(table, [rowId])
      if (ifVersion !== undefined && ifVersion !== rows[0]!.version) return yield* new PreconditionFailed()
      yield* trashAll(principal, table, rows)
    },
    (effect) => atomically(effect)
  )

  const restoreRow: Tables["Service"]["restoreRow"] = Effect.fn("Tables.restoreRow")(
    function* (principal, id, rowId: RowId) {
      const table = yield* access.lock(principal, id)
      const [found] = yield* store.rowsById(id, [rowId])
      if (found === undefined) return yield* noRow
      const { trashedAt, ...row } = found
      if (trashedAt === undefined) return yield* conflict("INVALID_STATE", "Row is live")
      yield* checkPlan(principal, 1)
      const after: Row = {
        ...row,
        version: row.version + 1,
        updatedBy: actorOf(principal),
        updatedAt: yield* Timestamp.now
      }
      const stored = yield* checkMarks(table, shapeOf(table, contentHash), [{ before: undefined, after, path: "" }])
      yield* store.putRows(id, stored, 1)
      return { table, row: after }
    },
    (effect) => atomically(effect)
  )

  return { createRows, updateRows, updateRow, deleteRows, deleteRow, restoreRow }
})
