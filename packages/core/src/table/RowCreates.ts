/** Making rows, and finding those that are there already (decisions 5.7). */
import * as Effect from "effect/Effect"
import type { Detail } from "../failure/Failure.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import { cellOf } from "./CellReader.ts"
import { keyMark } from "./Facet.ts"
import { Faults } from "./FieldDefinition.ts"
import { bulk, RowChecks, type Candidate } from "./RowChecks.ts"
import { mergeRow } from "./RowMerge.ts"
import { checkRow, readValues, relationsIn, type RelationUse } from "./RowReader.ts"
import type { RowOutcome } from "./RowRequest.ts"
import { defaultsOf, shapeOf } from "./RowShape.ts"
import type { Row } from "./Table.ts"
import { TableAccess, conflict, judged } from "./TableAccess.ts"
import type { Tables } from "./Tables.ts"
import { markKey, TableStore } from "./TableStore.ts"

export const make = Effect.gen(function* () {
  const store = yield* TableStore
  const ids = yield* Ids
  const { contentHash } = yield* Digest
  const { atomically } = yield* Transactor
  const access = yield* TableAccess
  const { checkMarks, checkPlan, checkRelations } = yield* RowChecks

  const createRows: Tables["Service"]["createRows"] = Effect.fn("Tables.createRows")(
    function* (caller, id, { mode, rows: asked }) {
      yield* bulk("rows", asked.length)
      const table = yield* access.lock(caller, "createRows", id)
      const shape = shapeOf(table, contentHash)
      const fields = new Map(table.fields.map((field) => [field.key, field]))
      const faults = new Faults()
      const given = asked.map((row, at) => readValues(fields, row.values, `rows[${at}].values`, faults))
      const defaults = defaultsOf(table.fields)
      const upserts = mode === "upsert"
      const byFields = upserts ? shape.facets.find((facet) => facet.id === "key") : undefined
      const marks = given.map((values, at) => {
        if (byFields === undefined) return undefined
        const mark = keyMark(byFields, values, contentHash)
        if (mark === undefined) {
          for (const { key } of byFields.fields)
            if (cellOf(values, key) === null)
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
        // Whether an upsert makes a row is known once the others are read.
        if (!upserts) checkRow(table, { ...defaults, ...given[at]! }, `rows[${at}].values`, faults)
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
      const actor = caller.cause
      const newIds = yield* ids.batch("row", asked.length)
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
          if (upserts) checkRow(table, after.values, `${path}.values`, faults)
          candidates.push({ after, path })
          outcomes.push({ id: after.id, status: "created" })
          continue
        }
        const after = mergeRow(found, { values, release: [], actor, now })
        const named = externalKey !== undefined && found.externalKey === undefined
        const next = named ? { ...after, externalKey } : after
        if (after !== found) checkRow(table, after.values, `${path}.values`, faults)
        if (next === found) outcomes.push({ id: found.id, status: "unchanged" })
        else {
          candidates.push({
            after: after === found ? { ...next, version: found.version + 1, updatedBy: actor, updatedAt: now } : next,
            path
          })
          outcomes.push({ id: found.id, status: "updated" })
        }
      }
      yield* checkRelations(caller, "createRows", table, uses, faults)
      yield* judged(faults.details)
      if (clashes.length > 0) return yield* conflict("ALREADY_EXISTS", "A row with this key exists", clashes)
      const added = outcomes.filter(({ status }) => status === "created").length
      yield* checkPlan(caller, added)
      const stored = yield* checkMarks(table, shape, candidates)
      if (stored.length > 0) yield* store.putRows(id, stored, added)
      return outcomes
    },
    (effect) => atomically(effect)
  )

  return { createRows }
})
