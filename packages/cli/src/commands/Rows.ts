/** Commands of rows that take filters, or several rows at once. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Api } from "../request/Api.ts"
import { UsageFault } from "../program/Failure.ts"
import { Notes } from "../program/Notes.ts"
import { stringify, type JsonObject } from "../output/ExactJson.ts"
import { namesOf } from "../output/Fields.ts"
import { program } from "../program/Program.ts"
import { showList, showRecord } from "../request/Requests.ts"
import { bodyFrom, file, listFrom, objectFrom } from "./Body.ts"
import {
  choice,
  cursor,
  idArgument,
  idFlag,
  ifVersion,
  limit,
  matching,
  pairs,
  queryOf,
  text,
  toggle
} from "./Flags.ts"
import { cellsShown, filter, filterText, queryBody, sort } from "./RowQuery.ts"

const rowModes = ["insert", "upsert"] as const

const id = idArgument("row")
const table = idFlag("table")
const version = ifVersion("row")

const isId = (name: string): boolean => /\.id$|Id$/.test(name)

/** What a person reads first comes first; the ids of delivered records come last. */
const columnsOf = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const values = namesOf(records).filter((name) => name.startsWith("values."))
  return ["id", ...values.filter((name) => !isId(name)), ...values.filter(isId)]
}

const list = Command.make(
  "list",
  { table, filter, sort, limit, cursor, trashed: toggle("trashed", "Those in the trash instead") },
  ({ filter: json, table: tableId, trashed, ...given }) =>
    Effect.gen(function* () {
      const cells = Option.map(yield* cellsShown, (keys) => keys.join(","))
      const query = queryOf({
        ...given,
        filter: yield* filterText(json),
        fields: cells,
        trashed: trashed ? Option.some(true) : Option.none()
      })
      yield* showList({ method: "GET", path: `/v1/tables/${tableId}/rows`, query }, "rows", columnsOf)
    })
).pipe(
  Command.withDescription("List the rows of a table, oldest first unless sorted"),
  Command.withExamples([
    {
      command: `millrace rows list --table tbl_01 --filter '{"field":"amount","op":"lt","value":0}' --sort=-amount --all`
    }
  ])
)

const query = Command.make(
  "query",
  {
    table,
    filter,
    sort,
    limit,
    cursor,
    param: pairs("param", 'Value of {"$param": name} in the filter; may be given several times'),
    timezone: text("timezone", "<zone>", "Where days begin, such as Europe/Berlin; else as the workspace has it"),
    total: toggle("total", "Count all rows that pass the filter"),
    file
  },
  ({ cursor: from, file: path, filter: json, limit: size, param, sort: order, table: tableId, timezone, total }) =>
    Effect.gen(function* () {
      const body = yield* queryBody(yield* objectFrom(path), {
        filter: json,
        sort: order,
        limit: size,
        params: param,
        total,
        texts: { cursor: from, timezone }
      })
      const request = { method: "POST", path: `/v1/tables/${tableId}/rows/query`, body: stringify(body) } as const
      yield* showList(request, "rows", columnsOf)
    })
).pipe(
  Command.withDescription("Find rows by a filter of any size, with parameters, a time zone and a total"),
  Command.withShortDescription("Find rows by a filter of any size"),
  Command.withExamples([
    { command: "millrace rows query --table tbl_01 --filter @overdue.json --param owner=me --total" }
  ])
)

const rowsFile = (description: string) =>
  Flag.String("file").pipe(Flag.withMetavar("<file>"), Flag.withDescription(description))

const create = Command.make(
  "create",
  {
    table,
    mode: choice("mode", rowModes, "upsert: rows with the same key are changed (default insert)"),
    file: rowsFile("JSON list of rows, each with its values; - is standard input")
  },
  ({ file: path, mode, table: tableId }) =>
    Effect.flatMap(listFrom(path, "rows", { mode }), (body) =>
      showList({ method: "POST", path: `/v1/tables/${tableId}/rows`, body }, "rows")
    )
).pipe(
  Command.withDescription("Create or upsert at most 500 rows, all or none; says for each what became of it"),
  Command.withShortDescription("Create or upsert rows"),
  Command.withExamples([
    {
      command: `echo '[{"values":{"invoice":"A-7","amount":12.50}}]' | millrace rows create --table tbl_01 --mode upsert --file -`
    }
  ])
)

/** A version belongs to one row. */
const oneVersion = (expected: Option.Option<number>, isOne: boolean): Effect.Effect<void, UsageFault> =>
  isOne || Option.isNone(expected)
    ? Effect.void
    : Effect.fail(new UsageFault({ message: "--if-version goes with one row." }))

const update = Command.make(
  "update",
  {
    table,
    id: Argument.optional(id),
    file: rowsFile("JSON of one row with its values, or without an id a list of rows with theirs; - is standard input"),
    ifVersion: version
  },
  ({ file: path, id: rowId, ifVersion: expected, table: tableId }) => {
    const rows = `/v1/tables/${tableId}/rows`
    return Option.match(rowId, {
      onNone: () =>
        Effect.gen(function* () {
          yield* oneVersion(expected, false)
          yield* showList({ method: "PUT", path: rows, body: yield* listFrom(path, "rows", {}) }, "rows", columnsOf)
        }),
      onSome: (one) =>
        Effect.flatMap(bodyFrom(Option.some(path), {}), (body) =>
          showRecord({ method: "PUT", path: `${rows}/${one}`, body, headers: matching(expected) })
        )
    })
  }
).pipe(
  Command.withDescription("Change one row, or at most 500, all or none. Other values stay; null clears"),
  Command.withShortDescription("Change rows"),
  Command.withExamples([
    { command: `echo '{"values":{"state":"paid"}}' | millrace rows update --table tbl_01 row_01 --file -` },
    { command: "millrace rows update --table tbl_01 --file changes.json", description: "[{id, values, version}]" }
  ])
)

const remove = Command.make(
  "delete",
  { table, ids: id.pipe(Argument.atLeast(1)), ifVersion: version },
  ({ ids, ifVersion: expected, table: tableId }) =>
    Effect.gen(function* () {
      yield* oneVersion(expected, ids.length === 1)
      const api = yield* Api
      const rows = `/v1/tables/${tableId}/rows`
      const [first] = ids
      yield* ids.length === 1
        ? api.send({ method: "DELETE", path: `${rows}/${first}`, headers: matching(expected) })
        : api.send({ method: "POST", path: `${rows}/delete`, body: stringify({ ids }) })
      yield* (yield* Notes).say(
        `Moved ${ids.length === 1 ? first : `${ids.length} rows`} to the trash. For 30 days ${program} rows restore brings them back.`
      )
    })
).pipe(Command.withDescription("Move rows to the trash, all or none"))

/** Below `rows`. */
export const rowCommands = [list, query, create, update, remove] as const
