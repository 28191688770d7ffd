/** Making, changing, trashing and restoring tables (decisions 5.7 and 6.11). */
import * as Effect from "effect/Effect"
import { permit, shows } from "../access/Access.ts"
import { readableIds } from "../access/Caller.ts"
import { PreconditionFailed } from "../failure/Failure.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { nameFault } from "../shared/Name.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { purgeAt, purgeBefore } from "../shared/Trash.ts"
import { Transactor } from "../storage/Transactor.ts"
import { isScalar } from "./Facet.ts"
import { checkFields, inOrder, makeFeedsOf } from "./FieldChanges.ts"
import { define, Faults, isFieldKey } from "./FieldDefinition.ts"
import { fieldKey } from "./FieldKey.ts"
import { makeRowRewrite } from "./RowRewrite.ts"
import type { Table, TableField } from "./Table.ts"
import { RowChecks } from "./RowChecks.ts"
import { TableAccess, conflict, judged, noTable } from "./TableAccess.ts"
import type { NewTable } from "./TableRequest.ts"
import type { Tables } from "./Tables.ts"
import { TableStore } from "./TableStore.ts"

/** Rows and tables that one run of `purge` removes at most. */
const purgeBatch = 5_000

/** Keys of new fields, made from the names where none is given. */
const keysOf = (fields: NewTable["fields"], faults: Faults): ReadonlyArray<string> => {
  const taken = new Set(fields.flatMap((field) => (field.key === undefined ? [] : [field.key])))
  const seen = new Set<string>()
  return fields.map((field, at) => {
    const key = field.key ?? fieldKey(field.name, taken)
    if (!isFieldKey(key))
      faults.add(`fields[${at}]`, "key", "must begin with a small letter and hold letters, digits and _")
    if (seen.has(key)) faults.add(`fields[${at}]`, "key", `"${key}" is used twice`)
    seen.add(key)
    taken.add(key)
    return key
  })
}

const checkKeyFields = (keys: ReadonlyArray<string>, fields: ReadonlyArray<TableField>, faults: Faults): void => {
  for (const [at, key] of keys.entries()) {
    const field = fields.find((other) => other.key === key)
    if (field === undefined) faults.add("", `keyFields[${at}]`, `"${key}" is no field`)
    else if (!isScalar(field)) faults.add("", `keyFields[${at}]`, `"${key}" can have more than one value`)
    if (keys.indexOf(key) !== at) faults.add("", `keyFields[${at}]`, `"${key}" is used twice`)
  }
}

const checkText = (name: string | undefined, description: string | null | undefined, faults: Faults): void => {
  const unnamed = name === undefined ? undefined : nameFault(name)
  if (unnamed !== undefined) faults.add("", "name", unnamed)
  if ((description?.length ?? 0) > limits.textLength)
    faults.add("", "description", `must have at most ${limits.textLength} characters`)
}

const checkFolder = (folderId: string | null | undefined, faults: Faults): void => {
  if (folderId !== undefined && folderId !== null) faults.add("", "folderId", "is no folder of this workspace")
}

/** The fields named first, then the others as they were. */
const ordered = (
  fields: ReadonlyArray<TableField>,
  order: ReadonlyArray<string>,
  faults: Faults
): ReadonlyArray<TableField> => {
  const first = order.flatMap((key, at) => {
    const field = fields.find((other) => other.key === key)
    if (field === undefined) faults.add("", `fieldOrder[${at}]`, `"${key}" is no field`)
    if (order.indexOf(key) !== at) faults.add("", `fieldOrder[${at}]`, `"${key}" is used twice`)
    return field === undefined ? [] : [field]
  })
  return inOrder([...first, ...fields.filter((field) => !order.includes(field.key))])
}

const restoredName = (name: string, taken: ReadonlySet<string>): string => {
  let restored = name
  for (let n = 1; taken.has(restored); n++) {
    const suffix = n === 1 ? " (restored)" : ` (restored ${n})`
    restored = [...name].slice(0, limits.nameLength - suffix.length).join("") + suffix
  }
  return restored
}

export const make = Effect.gen(function* () {
  const store = yield* TableStore
  const ids = yield* Ids
  const { atomically } = yield* Transactor
  const access = yield* TableAccess
  const { checkPlan } = yield* RowChecks
  const feedsOf = yield* makeFeedsOf
  const rewriteRows = yield* makeRowRewrite

  const create: Tables["Service"]["create"] = Effect.fn("Tables.create")(function* (caller, request) {
    yield* permit(caller, "createTable")
    const faults = new Faults()
    checkText(request.name, request.description, faults)
    checkFolder(request.folderId, faults)
    const keys = keysOf(request.fields, faults)
    const fieldIds = yield* ids.batch("field", request.fields.length)
    const fields = request.fields.map((field, position): TableField => ({
      id: fieldIds[position]!,
      key: keys[position]!,
      ...define({ required: false, unique: false, indexed: false, ...field }, `fields[${position}]`, faults),
      origin: "user",
      position
    }))
    checkFields(fields, faults)
    const keyFields = request.keyFields ?? []
    checkKeyFields(keyFields, fields, faults)
    yield* judged(faults.details)
    for (const [at, { options }] of fields.entries()) {
      const target = options?.relation?.tableId
      if (target === undefined) continue
      yield* Effect.catchTag(access.load(caller, "createTable", target), "NotFound", () =>
        Effect.sync(() => faults.add(`fields[${at}]`, "options.relation.tableId", "is not a table of this workspace"))
      )
    }
    yield* judged(faults.details)
    const now = yield* Timestamp.now
    const table: Table = {
      id: yield* ids.next("table"),
      workspaceId: caller.principal.workspace.id,
      name: request.name,
      ...(request.icon === undefined ? {} : { icon: request.icon }),
      ...(request.description === undefined ? {} : { description: request.description }),
      fields,
      keyFields,
      rowCount: 0,
      createdBy: caller.cause,
      version: 1,
      createdAt: now,
      updatedAt: now
    }
    yield* store.insert(table)
    return table
  })

  const list: Tables["Service"]["list"] = Effect.fn("Tables.list")(function* (caller, query) {
    yield* permit(caller, "listTables")
    // There are no folders, so nothing is in one.
    if (query.folderId !== undefined) return []
    const tables = yield* store.list(readableIds(caller))
    return tables.filter(
      (table) => shows(caller, "listTables", table) && (table.trashedAt !== undefined) === (query.trashed ?? false)
    )
  })

  const update: Tables["Service"]["update"] = Effect.fn("Tables.update")(
    function* (caller, id, change, ifVersion) {
      const before = yield* access.lock(caller, "updateTable", id)
      if (ifVersion !== undefined && ifVersion !== before.version) return yield* new PreconditionFailed()
      const faults = new Faults()
      checkText(change.name, change.description, faults)
      checkFolder(change.folderId, faults)
      const fields = change.fieldOrder === undefined ? before.fields : ordered(before.fields, change.fieldOrder, faults)
      const keyFields = change.keyFields ?? before.keyFields
      checkKeyFields(keyFields, fields, faults)
      yield* judged(faults.details)
      const { description: _d, icon: _i, ...kept } = before
      const icon = change.icon === undefined ? before.icon : (change.icon ?? undefined)
      const description = change.description === undefined ? before.description : (change.description ?? undefined)
      const now = yield* Timestamp.now
      const after: Table = {
        ...kept,
        name: change.name ?? before.name,
        ...(icon === undefined ? {} : { icon }),
        ...(description === undefined ? {} : { description }),
        fields,
        keyFields,
        version: before.version + 1,
        updatedAt: now
      }
      const found = yield* rewriteRows(now, { before, after })
      yield* judged(found.map((detail) => ({ ...detail, field: "keyFields" })))
      yield* store.update(after)
      return after
    },
    (effect) => atomically(effect)
  )

  const trash: Tables["Service"]["trash"] = Effect.fn("Tables.trash")(
    function* (caller, id, { ifVersion, permanent }) {
      const table = yield* access.lockAny(caller, "deleteTable", id)
      // The trash shows nothing but lists, restore and removal permanently.
      if (table.trashedAt !== undefined && !permanent) return yield* noTable
      if (ifVersion !== undefined && ifVersion !== table.version) return yield* new PreconditionFailed()
      if (permanent && table.trashedAt === undefined)
        return yield* conflict("INVALID_STATE", "Table is not in the trash")
      if (permanent) return yield* store.remove(id)
      const writers = yield* feedsOf(caller.principal.workspace.id, id)
      if (writers.length > 0)
        return yield* conflict(
          "TABLE_IN_USE",
          "A feed writes to the table",
          writers.map((feed) => ({ field: "feedIds", message: feed.id }))
        )
      const now = yield* Timestamp.now
      yield* store.update({
        ...table,
        version: table.version + 1,
        updatedAt: now,
        trashedAt: now,
        purgeAt: purgeAt(now)
      })
    },
    (effect) => atomically(effect)
  )

  const restore: Tables["Service"]["restore"] = Effect.fn("Tables.restore")(
    function* (caller, id) {
      const { purgeAt: _p, trashedAt, ...table } = yield* access.lockAny(caller, "restoreTable", id)
      if (trashedAt === undefined) return yield* conflict("INVALID_STATE", "Table is live")
      yield* checkPlan(caller, table.rowCount)
      const others = yield* store.list([caller.principal.workspace.id])
      const names = new Set(others.flatMap((other) => (other.trashedAt === undefined ? [other.name] : [])))
      const restored = {
        ...table,
        name: restoredName(table.name, names),
        version: table.version + 1,
        updatedAt: yield* Timestamp.now
      }
      yield* store.update(restored)
      return restored
    },
    (effect) => atomically(effect)
  )

  const purge: Tables["Service"]["purge"] = Effect.gen(function* () {
    return yield* store.purge(purgeBefore(yield* Timestamp.now), purgeBatch)
  }).pipe(Effect.withSpan("Tables.purge"))

  const get: Tables["Service"]["get"] = Effect.fn("Tables.get")((caller, id) => access.load(caller, "getTable", id))

  return { create, list, get, update, trash, restore, purge }
})
