import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { JsonObject } from "../output/ExactJson.ts"
import { namesOf } from "../output/Fields.ts"
import { showList, showRecord } from "../Requests.ts"
import { bodyFrom, file } from "./Body.ts"
import { cursor, idArgument, idFlag, limit, queryOf, text } from "./Flags.ts"

const id = idArgument("table")
const table = idFlag("table")

const list = Command.make("list", {}, () =>
  showList({ method: "GET", path: "/v1/tables" }, "tables", [
    "id",
    "name",
    "rowCount",
    "source.kind",
    "createdAt",
    "updatedAt"
  ])
).pipe(Command.withDescription("List tables"))

const get = Command.make("get", { id }, (input) => showRecord({ method: "GET", path: `/v1/tables/${input.id}` })).pipe(
  Command.withDescription("Show a table")
)

const create = Command.make(
  "create",
  {
    name: text("name", "<name>", "Name of the table"),
    description: text("description", "<text>", "What the table is for"),
    icon: text("icon", "<icon>", "Icon"),
    file
  },
  ({ file: path, ...given }) =>
    Effect.flatMap(bodyFrom(path, given, { fields: [] }), (body) =>
      showRecord({ method: "POST", path: "/v1/tables", body })
    )
).pipe(
  Command.withDescription("Create a table; the file says which fields it has"),
  Command.withShortDescription("Create a table"),
  Command.withExamples([
    {
      command: `echo '{"fields":[{"name":"Amount","type":"currency"}]}' | millrace tables create --name Money --file -`
    }
  ])
)

export const tables = Command.make("tables").pipe(
  Command.withDescription("Tables"),
  Command.withSubcommands([list, get, create])
)

const isId = (name: string): boolean => /\.id$|Id$/.test(name)

/** What a person reads first comes first; the ids of delivered records come last. */
const columnsOf = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const values = namesOf(records).filter((name) => name.startsWith("values."))
  return ["id", ...values.filter((name) => !isId(name)), ...values.filter(isId)]
}

const listRows = Command.make("list", { table, limit, cursor }, ({ table: tableId, ...query }) =>
  showList({ method: "GET", path: `/v1/tables/${tableId}/rows`, query: queryOf(query) }, "rows", columnsOf)
).pipe(Command.withDescription("List the rows of a table, oldest first"))

const getRow = Command.make("get", { table, id: idArgument("row") }, (input) =>
  showRecord({ method: "GET", path: `/v1/tables/${input.table}/rows/${input.id}` })
).pipe(Command.withDescription("Show a row"))

export const rows = Command.make("rows").pipe(
  Command.withDescription("Rows of tables"),
  Command.withSubcommands([listRows, getRow])
)
