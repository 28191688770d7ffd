/**
 * Tables of ours: `transactional`, because rows and receipts are written in one transaction of our own storage
 * (decisions 7.2 and 7.4).
 *
 * Only the fields that columns are mapped to are written. All other fields and their cells, cells that people
 * wrote over what a feed delivered, the names, order and types of fields, rows in the trash, and rows without a
 * key of this feed's records are never touched.
 */
import type { ActorRef } from "@millrace/core/access"
import {
  type Column,
  type ConfigFault,
  DestinationColumnMissing,
  type DestinationDriver,
  type DestinationError,
  DestinationRejected,
  type DestinationSession,
  type Edit,
  DestinationUnavailable,
  type Outgoing,
  type Receipt
} from "@millrace/core/destination"
import type { Feed } from "@millrace/core/feed"
import { blankOf, type Fields, type FieldValue } from "@millrace/core/record"
import { Digest, Id, Ids, limits } from "@millrace/core"
import { type FeedRow, type StorageUnavailable, TableStore, WorkspaceStore } from "@millrace/core/storage"
import {
  fieldKey,
  folding,
  isPlain,
  isTooLarge,
  noRowRoom,
  makeFeedRows,
  makeRowRevival,
  makeRowRoom,
  type Row,
  rowLimitOf,
  type Table,
  type TableField,
  TableSettings
} from "@millrace/core/table"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cellTypeOf, toCell } from "./TableCell.ts"
import { boundOf, resolve, type Target } from "./TableColumns.ts"

export const TableConfig = Schema.Struct({
  tableId: Id("table").annotate({ description: "id of the table" }),
  /** Absent: where the columns are nobody's choice. */
  createMissingColumns: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "whether fields that the table has not are made" })
  )
})
export type TableConfig = typeof TableConfig.Type

/** A table, and what is written where in it. */
interface Aimed {
  readonly table: Table
  readonly targets: ReadonlyArray<Target>
}

/** Rows that are worked out before others have their turn. */
const rowsInTurn = 150

/** A batch as it goes into a table. */
interface Written {
  readonly rows: ReadonlyArray<FeedRow>
  readonly removed: ReadonlyArray<string>
  /** Of what is not written: it is removed, or does not fit. */
  readonly receipts: ReadonlyArray<Receipt>
}

const noTable = "The table does not exist or is in the trash."
const tooManyFields = `A table has at most ${limits.tableFields} fields.`
const names = (columns: ReadonlyArray<Column>): string => columns.map((column) => `"${column.name}"`).join(", ")
const missingMessage = (columns: ReadonlyArray<Column>): string =>
  `The table has no field ${names(columns)}: add it, or set createMissingColumns to true.`

const actorOf = (feed: Feed): ActorRef =>
  feed.source === "extractor" ? { kind: "extractor", feedId: feed.id } : { kind: "sync", feedId: feed.id }

/** The cells of a row, or why it does not fit. Absent values clear their cells: the row shows the record as it is now. */
const cellsOf = (
  targets: ReadonlyArray<Target>,
  blank: () => Record<string, FieldValue>,
  values: Fields
): Fields | string => {
  const cells = blank()
  for (const { column, field } of targets) {
    const cell = toCell(Object.hasOwn(values, column.name) ? values[column.name] : undefined, field)
    if (cell === undefined) return `The value of "${column.name}" is not a ${field.type}.`
    cells[field.key] = cell
  }
  return isTooLarge(cells) ? `The row is larger than ${limits.rowBytes} bytes.` : cells
}

const writtenOf = ({ table, targets }: Aimed, batch: ReadonlyArray<Outgoing>): Written => {
  const foldedOf = folding(table.fields)
  const blank = blankOf(targets.map(({ field }) => field.key))
  const receipts: Array<Receipt> = []
  const rows: Array<FeedRow> = []
  const removed: Array<string> = []
  for (const { key, op, values } of batch) {
    if (op === "remove") {
      removed.push(key)
      receipts.push({ key, outcome: "done" })
      continue
    }
    const cells = cellsOf(targets, blank, values)
    if (typeof cells === "string") receipts.push({ key, outcome: "failed", reason: cells })
    else {
      rows.push({ key, values: cells, folded: foldedOf(cells), mustExist: op === "update" })
    }
  }
  return { rows, removed, receipts }
}

/** What feeds wrote, as it is now: cells that people wrote over it are not theirs. */
const deliveredCells = (targets: ReadonlyArray<Target>, row: Row): Fields => {
  const cells: Record<string, FieldValue> = {}
  for (const { column, field } of targets) {
    const cell = Object.hasOwn(row.values, field.key) ? row.values[field.key] : undefined
    if (row.held.includes(field.key) || Array.isArray(cell)) continue
    cells[column.name] = typeof cell === "string" || typeof cell === "boolean" ? cell : null
  }
  return cells
}

/** What a person reads in the cell. */
const labelOf = ({ options, type }: TableField, cell: FieldValue): FieldValue =>
  type === "select" ? (options?.choices?.find(({ id }) => id === cell)?.label ?? null) : cell

/** What people wrote over what feeds had written. */
const editedCells = (targets: ReadonlyArray<Target>, row: Row): Fields => {
  const cells: Record<string, FieldValue> = {}
  for (const { column, field } of targets) {
    const cell = Object.hasOwn(row.values, field.key) ? row.values[field.key] : null
    if (!row.held.includes(field.key) || Array.isArray(cell)) continue
    cells[column.name] = labelOf(field, typeof cell === "string" || typeof cell === "boolean" ? cell : null)
  }
  return cells
}

/** Neither absent nor in the trash. */
const live = (table: Option.Option<Table>): Effect.Effect<Table, DestinationRejected> =>
  Option.isSome(table) && table.value.trashedAt === undefined
    ? Effect.succeed(table.value)
    : Effect.fail(new DestinationRejected({ message: noTable }))

const byWriteOnly = Effect.fail(new DestinationRejected({ message: "A table is written row by row, not whole." }))

/** Driver over the `TableStore` of the context. Writes belong inside the transaction that keeps the receipts. */
export const make: Effect.Effect<
  DestinationDriver<TableConfig>,
  never,
  TableStore | WorkspaceStore | Ids | Digest
> = Effect.gen(function* () {
  const store = yield* TableStore
  const ids = yield* Ids
  const workspaces = yield* WorkspaceStore
  const settings = yield* TableSettings

  const putFeedRows = yield* makeFeedRows
  const reviveRows = yield* makeRowRevival
  const rowRoom = yield* makeRowRoom

  const tableOf = Effect.fnUntraced(function* (feed: Feed, config: TableConfig) {
    return yield* live(yield* store.get(feed.workspaceId, config.tableId))
  })

  const createFields = Effect.fnUntraced(function* (table: Table, columns: ReadonlyArray<Column>) {
    if (table.fields.length + columns.length > limits.tableFields) {
      return yield* new DestinationRejected({ message: tooManyFields })
    }
    const taken = new Set(table.fields.map((field) => field.key))
    const fieldIds = yield* ids.batch("field", columns.length)
    const first = table.fields.reduce((next, field) => Math.max(next, field.position + 1), 0)
    const fields = columns.map((column, i): TableField => {
      const key = fieldKey(column.name, taken)
      taken.add(key)
      const type = cellTypeOf[column.type]
      const flags = { required: false, unique: false, indexed: false }
      return { id: fieldIds[i]!, key, name: column.name, type, ...flags, origin: "feed", position: first + i }
    })
    yield* store.addFields(table.id, fields)
  })

  /** Returns the table and what is written where, with the fields that were missing made. */
  const prepare = Effect.fnUntraced(function* (
    feed: Feed,
    config: TableConfig,
    columns: ReadonlyArray<Column>
  ): Effect.fn.Return<Aimed, DestinationError> {
    const mayCreate = config.createMissingColumns ?? feed.mappingsDefaulted
    // Another feed may take the same key at the same time: what it took is missing again.
    for (let round = 0; round < 3; round++) {
      const table = yield* tableOf(feed, config)
      const { targets, missing, faults } = resolve(table, columns)
      if (faults.length > 0) return yield* new DestinationRejected({ message: faults.join(" ") })
      if (missing.length === 0) return { table, targets }
      if (!mayCreate) {
        return yield* new DestinationColumnMissing({
          message: missingMessage(missing),
          columns: missing.map((column) => column.name)
        })
      }
      yield* createFields(table, missing)
    }
    return yield* new DestinationUnavailable({ message: "The fields of the table are being changed by others." })
  })

  const check = Effect.fn("TableDestination.check")(function* (
    workspaceId: Feed["workspaceId"],
    config: TableConfig,
    columns: ReadonlyArray<Column>,
    mappingsDefaulted: boolean
  ): Effect.fn.Return<ReadonlyArray<ConfigFault>, StorageUnavailable> {
    const table = Option.filter(
      yield* store.get(workspaceId, config.tableId),
      ({ trashedAt }) => trashedAt === undefined
    )
    if (Option.isNone(table)) return [{ field: "tableId", message: noTable }]
    const { missing, faults } = resolve(table.value, columns)
    const found = faults.map((message): ConfigFault => ({ field: "tableId", message }))
    if (missing.length === 0) return found
    if (!(config.createMissingColumns ?? mappingsDefaulted)) {
      found.push({ field: "createMissingColumns", message: missingMessage(missing) })
    } else if (table.value.fields.length + missing.length > limits.tableFields) {
      found.push({ field: "tableId", message: tooManyFields })
    }
    return found
  })

  const bind = Effect.fn("TableDestination.bind")(function* (
    workspaceId: Feed["workspaceId"],
    config: TableConfig,
    columns: ReadonlyArray<Column>
  ) {
    const table = yield* store.get(workspaceId, config.tableId)
    return boundOf(Option.isNone(table) ? [] : resolve(table.value, columns).targets)
  })

  const read = Effect.fn("TableDestination.read")(function* (
    feed: Feed,
    config: TableConfig,
    columns: ReadonlyArray<Column>,
    keys: ReadonlyArray<string>
  ) {
    const table = yield* store.get(feed.workspaceId, config.tableId)
    if (Option.isNone(table)) return new Map<string, Fields>()
    const { targets } = resolve(table.value, columns)
    const rows = yield* store.rowsByKey(config.tableId, keys)
    return new Map(
      rows.flatMap((row) => (row.externalKey === undefined ? [] : [[row.externalKey, deliveredCells(targets, row)]]))
    )
  })

  const edits = Effect.fn("TableDestination.edits")(function* (
    feed: Feed,
    config: TableConfig,
    columns: ReadonlyArray<Column>,
    page: { readonly after: string | undefined; readonly limit: number }
  ): Effect.fn.Return<ReadonlyArray<Edit>, DestinationError> {
    const table = yield* tableOf(feed, config)
    const { targets } = resolve(table, columns)
    return (yield* store.heldRows(table.id, page)).map((row) => ({
      key: row.externalKey!,
      values: editedCells(targets, row),
      by: row.updatedBy,
      at: row.updatedAt
    }))
  })

  const open = Effect.fn("TableDestination.open")(function* (
    feed: Feed,
    config: TableConfig,
    columns: ReadonlyArray<Column>
  ): Effect.fn.Return<DestinationSession, DestinationError> {
    const prepared = yield* prepare(feed, config, columns)
    const meant = prepared.targets.map(({ column, field }): Column => ({ ...column, id: field.id }))
    const actor = actorOf(feed)
    const limit = Option.match(yield* workspaces.get(feed.workspaceId), {
      onNone: () => Infinity,
      onSome: (workspace) => rowLimitOf(workspace, settings)
    })

    /** Keys of rows that would be made and that there is no room for. What is there is updated whatever the limit. */
    const beyond = Effect.fnUntraced(function* (rows: ReadonlyArray<FeedRow>) {
      const made = rows.flatMap(({ key, mustExist }) => (mustExist ? [] : [key]))
      const room = made.length === 0 ? Infinity : yield* rowRoom(feed.workspaceId, limit)
      if (made.length <= room) return new Set<string>()
      const known = new Set((yield* store.rowsByKey(config.tableId, made)).map(({ externalKey }) => externalKey))
      return new Set(made.filter((key) => !known.has(key)).slice(room))
    })

    /** The table as it is now, for nobody else to change until the rows are written, and what is written where. */
    const locked = Effect.gen(function* () {
      const table = yield* live(yield* store.lock(feed.workspaceId, config.tableId))
      const { faults, missing, targets } = resolve(table, meant)
      if (faults.length > 0) return yield* new DestinationRejected({ message: faults.join(" ") })
      if (missing.length > 0) {
        return yield* new DestinationColumnMissing({
          message: missingMessage(missing),
          columns: missing.map((column) => column.name)
        })
      }
      return { table, targets }
    })

    const put = Effect.fnUntraced(function* (
      table: Table,
      rows: ReadonlyArray<FeedRow>,
      taken: ReadonlyArray<Row["id"]> | undefined
    ) {
      const made = rows.filter(({ mustExist }) => !mustExist).map(({ key }) => key)
      yield* reviveRows(table, made)
      const rowIds = taken?.length === rows.length ? taken : yield* ids.batch("row", rows.length)
      if (!isPlain(table)) return yield* putFeedRows(table, rows, rowIds, actor)
      const written = yield* store.putFeedRows(table.id, rows, rowIds, actor)
      return { written, failed: new Map<string, string>() }
    })

    /** `taken`: ids for the rows that are made, where some were taken for them before. */
    const write = Effect.fnUntraced(function* (
      batch: ReadonlyArray<Outgoing>,
      before: Written,
      taken?: ReadonlyArray<Row["id"]>
    ) {
      const aimed = yield* locked
      const { table } = aimed
      // Nobody else writes the table from here on, so whatever takes time was done before, if its fields are the same still.
      const {
        receipts: others,
        removed,
        rows
      } = table.version === prepared.table.version ? before : writtenOf(aimed, batch)
      const receipts: Array<Receipt> = [...others]
      if (removed.length > 0) yield* store.removeFeedRows(config.tableId, removed)
      const crowded = yield* beyond(rows)
      for (const key of crowded) receipts.push({ key, outcome: "failed", reason: noRowRoom(limit), waits: true })
      const fitting = crowded.size === 0 ? rows : rows.filter(({ key }) => !crowded.has(key))
      if (fitting.length === 0) return receipts
      const { failed, written } = yield* put(table, fitting, taken)
      for (const { key } of fitting) {
        const reason = failed.get(key)
        const remoteRef = written.get(key)
        receipts.push(
          reason !== undefined
            ? { key, outcome: "failed", reason }
            : remoteRef === undefined
              ? { key, outcome: "skipped" }
              : { key, outcome: "done", remoteRef }
        )
      }
      return receipts
    })

    /** Whether all rows are new, and were made. */
    const makeAll = (rows: ReadonlyArray<FeedRow>, own: ReadonlyArray<Row["id"]>) =>
      store.makeFeedRows(prepared.table, rows, own, actor, limit)

    /** The same, where it takes a look at each row. */
    const makeEach = (before: Written, batch: ReadonlyArray<Outgoing>, own: ReadonlyArray<Row["id"]>) =>
      Effect.map(write(batch, before, own), (receipts) => {
        const refs = new Map(
          receipts.map((receipt) => [receipt.key, receipt.outcome === "done" ? receipt.remoteRef : ""])
        )
        return before.rows.every(({ key }, n) => refs.get(key) === own[n])
      })

    /** In turns with anyone who waits for the database. */
    const prepareWrite = Effect.fnUntraced(function* (batch: ReadonlyArray<Outgoing>) {
      const rows: Array<FeedRow> = []
      const removed: Array<string> = []
      const receipts: Array<Receipt> = []
      for (let at = 0; at < batch.length; at += rowsInTurn) {
        if (at > 0) yield* Effect.yieldNow
        const some = writtenOf(prepared, batch.slice(at, at + rowsInTurn))
        rows.push(...some.rows)
        removed.push(...some.removed)
        receipts.push(...some.receipts)
      }
      const before = { rows, removed, receipts }
      // In the transaction, so that ids of rows are in the order in which they are made, as far as accounts are not written at once.
      const foreseen = Effect.gen(function* () {
        const own = yield* ids.batch("row", rows.length)
        const done = rows.map(({ key }, n): Receipt => ({ key, outcome: "done", remoteRef: own[n]! }))
        return {
          receipts: [...receipts, ...done],
          write: isPlain(prepared.table) ? makeAll(rows, own) : makeEach(before, batch, own)
        }
      })
      const isMade = rows.length > 0 && removed.length === 0 && rows.every(({ mustExist }) => !mustExist)
      return { write: write(batch, before), ...(isMade ? { foreseen } : {}) }
    })

    const lookup = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      const found = yield* store.rowsByKey(config.tableId, keys)
      return new Map(
        found.flatMap((row) =>
          row.externalKey === undefined || row.trashedAt !== undefined ? [] : [[row.externalKey, row.id as string]]
        )
      )
    })

    return {
      bound: boundOf(prepared.targets),
      write: (batch) => write(batch, writtenOf(prepared, batch)),
      prepareWrite,
      lookup,
      replace: () => byWriteOnly,
      standing: () => byWriteOnly
    }
  })

  return {
    type: "table",
    label: "Table",
    Config: TableConfig,
    capabilities: { write: "transactional", canRemove: true, batch: limits.commitChunk },
    check,
    bind,
    read,
    edits,
    open
  }
})
