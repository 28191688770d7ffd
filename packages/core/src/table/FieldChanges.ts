/** Making, changing and removing fields of tables (decisions 5.7). */
import * as Effect from "effect/Effect"
import { columnsOf } from "../destination/Columns.ts"
import type { BoundColumns } from "../feed/BoundColumns.ts"
import { NotFound, PreconditionFailed } from "../failure/Failure.ts"
import { catalogOfFeed } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import { tableOf } from "../feed/FeedConfig.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { facetsOf } from "./Facet.ts"
import { define, Faults, isFieldKey } from "./FieldDefinition.ts"
import { fieldKey } from "./FieldKey.ts"
import { fieldMeant } from "./FieldName.ts"
import { makeRowRewrite } from "./RowRewrite.ts"
import type { Table, TableField, TableFieldType, TableId } from "./Table.ts"
import { TableAccess, conflict, judged, noField } from "./TableAccess.ts"
import type { FieldChange } from "./TableRequest.ts"
import type { Tables } from "./Tables.ts"
import { TableStore } from "./TableStore.ts"

/** Types among which a field can change. */
const convertible: ReadonlySet<TableFieldType> = new Set(["text", "select", "email", "url", "number", "date"])

export const inOrder = (fields: ReadonlyArray<TableField>): ReadonlyArray<TableField> =>
  fields.map((field, position) => ({ ...field, position }))

/** Faults of the whole table. */
export const checkFields = (fields: ReadonlyArray<TableField>, faults: Faults): void => {
  if (fields.length > limits.tableFields) faults.add("", "fields", `has more than ${limits.tableFields} fields`)
  if (fields.filter(({ type }) => type === "relation").length > limits.tableRelations)
    faults.add("", "fields", `has more than ${limits.tableRelations} relations`)
}

/** The feeds that write to a table. */
export const makeFeedsOf = Effect.map(
  FeedStore,
  (store) => (workspaceId: WorkspaceId, id: TableId) =>
    Effect.map(store.list([workspaceId], {}), (feeds) =>
      feeds.filter(({ destinationConfig }) => tableOf(destinationConfig) === id)
    )
)

const writes = (feed: Feed, bound: BoundColumns, table: Table, field: TableField): boolean =>
  columnsOf(feed, catalogOfFeed(feed), bound).some((column) => fieldMeant(table.fields, column)?.id === field.id)

/** The field after the change, with faults. Options stay where they are not given. */
const changedField = (before: TableField, change: FieldChange, faults: Faults): TableField => {
  const type = change.type ?? before.type
  const retyped = type !== before.type
  const kept = retyped ? undefined : before.options
  const options = change.options === undefined ? kept : (change.options ?? undefined)
  const relation = before.options?.relation
  const description = change.description === undefined ? before.description : (change.description ?? undefined)
  if (retyped && type !== "file" && !(convertible.has(type) && convertible.has(before.type)))
    faults.add("", "type", `cannot change from ${before.type} to ${type}`)
  const asked = change.options?.relation
  if (
    relation !== undefined &&
    change.options !== undefined &&
    (asked?.tableId !== relation.tableId || (asked.many ?? false) !== relation.many)
  )
    faults.add("", "options.relation", "cannot be changed")
  // A default of the old type is read again as one of the new.
  const cell = change.default === undefined ? (before.type === "json" ? undefined : before.default) : change.default
  const defined = define(
    {
      name: change.name ?? before.name,
      type,
      options,
      required: change.required ?? before.required,
      unique: change.unique ?? before.unique,
      indexed: change.indexed ?? before.indexed,
      default: cell,
      description
    },
    "",
    faults
  )
  const untouched = before.type === "json" && change.default === undefined && before.default !== undefined
  return {
    ...defined,
    ...(untouched ? { default: before.default } : {}),
    id: before.id,
    key: before.key,
    origin: before.origin,
    position: before.position
  }
}

const fieldOf = (table: Table, fieldId: TableField["id"]): Effect.Effect<TableField, NotFound> => {
  const field = table.fields.find(({ id }) => id === fieldId)
  return field === undefined ? Effect.fail(noField) : Effect.succeed(field)
}

export const make = Effect.gen(function* () {
  const store = yield* TableStore
  const feeds = yield* FeedStore
  const ids = yield* Ids
  const { atomically } = yield* Transactor
  const access = yield* TableAccess
  const feedsOf = yield* makeFeedsOf
  const rewriteRows = yield* makeRowRewrite

  /** Stores the table as the next version. It is locked, so nobody came first. */
  const save = Effect.fnUntraced(function* (table: Table) {
    const next = { ...table, version: table.version + 1, updatedAt: yield* Timestamp.now }
    yield* store.update(next)
    return next
  })

  /** Fails where a feed writes to the field: what it delivers next would have no place, or none that fits. */
  const unwritten = Effect.fnUntraced(function* (workspaceId: WorkspaceId, table: Table, field: TableField) {
    const writers = yield* Effect.filter(yield* feedsOf(workspaceId, table.id), (feed) =>
      Effect.map(feeds.boundColumns(feed.id), (bound) => writes(feed, bound, table, field))
    )
    if (writers.length > 0)
      return yield* conflict(
        "FIELD_IN_USE",
        "A feed writes to it",
        writers.map((feed) => ({ field: "feedIds", message: feed.id }))
      )
  })

  const createField: Tables["Service"]["createField"] = Effect.fn("Tables.createField")(
    function* (caller, id, request) {
      const table = yield* access.lock(caller, "createField", id)
      const faults = new Faults()
      const defined = define({ required: false, unique: false, indexed: false, ...request }, "", faults)
      const taken = new Set(table.fields.map((field) => field.key))
      const key = request.key ?? fieldKey(request.name, taken)
      if (!isFieldKey(key)) faults.add("", "key", "must begin with a small letter and hold letters, digits and _")
      else if (taken.has(key))
        return yield* conflict("KEY_TAKEN", `The table has a field "${key}"`, [{ field: "key", message: key }])
      const field: TableField = {
        id: yield* ids.next("field"),
        key,
        ...defined,
        origin: "user",
        position: table.fields.length
      }
      const target = field.options?.relation?.tableId
      if (target !== undefined && faults.details.length === 0 && target !== id) {
        yield* Effect.catchTag(access.load(caller, "createField", target), "NotFound", () =>
          Effect.sync(() => faults.add("", "options.relation.tableId", "is not a table of this workspace"))
        )
      }
      const fields = inOrder([...table.fields, field])
      checkFields(fields, faults)
      if (field.required && table.rowCount > 0)
        faults.add(
          "",
          "required",
          `is not possible: there is no value yet in ${table.rowCount === 1 ? "one row" : `${table.rowCount} rows`}`
        )
      yield* judged(faults.details)
      const after = { ...table, fields }
      yield* rewriteRows(yield* Timestamp.now, { before: table, after })
      return { table: yield* save(after), field }
    },
    (effect) => atomically(effect)
  )

  const updateField: Tables["Service"]["updateField"] = Effect.fn("Tables.updateField")(
    function* (caller, id, fieldId, change, ifVersion) {
      const table = yield* access.lock(caller, "updateField", id)
      if (ifVersion !== undefined && ifVersion !== table.version) return yield* new PreconditionFailed()
      const before = yield* fieldOf(table, fieldId)
      const faults = new Faults()
      const field = changedField(before, change, faults)
      const others = table.fields.filter((other) => other.id !== fieldId)
      const place = change.position ?? table.fields.indexOf(before)
      if (!(Number.isInteger(place) && place >= 0)) faults.add("", "position", "must be a whole number from 0")
      yield* judged(faults.details)
      if (field.type !== before.type) yield* unwritten(caller.principal.workspace.id, table, before)
      const fields = inOrder([...others.slice(0, place), field, ...others.slice(place)])
      const after: Table = { ...table, fields }
      const found = yield* rewriteRows(yield* Timestamp.now, {
        before: table,
        after,
        field: { before, after: field }
      })
      const part =
        change.type !== undefined && change.type !== before.type
          ? "type"
          : field.unique && !before.unique
            ? "unique"
            : field.required && !before.required
              ? "required"
              : "options"
      yield* judged(found.map((detail) => ({ ...detail, field: part })))
      return { table: yield* save(after), field: fields.find((other) => other.id === fieldId)! }
    },
    (effect) => atomically(effect)
  )

  const deleteField: Tables["Service"]["deleteField"] = Effect.fn("Tables.deleteField")(
    function* (caller, id, fieldId, ifVersion) {
      const table = yield* access.lock(caller, "deleteField", id)
      if (ifVersion !== undefined && ifVersion !== table.version) return yield* new PreconditionFailed()
      const field = yield* fieldOf(table, fieldId)
      if (table.keyFields.includes(field.key))
        return yield* conflict("FIELD_IN_USE", "It is a key field of the table", [
          { field: "keyFields", message: field.key }
        ])
      yield* unwritten(caller.principal.workspace.id, table, field)
      yield* store.clearField(id, field.key)
      if (facetsOf(table).some((facet) => facet.id === field.id)) yield* store.dropFacets(id, [field.id])
      yield* save({ ...table, fields: inOrder(table.fields.filter((other) => other.id !== fieldId)) })
    },
    (effect) => atomically(effect)
  )

  return { createField, updateField, deleteField }
})
