import type { CreateField } from "@millrace/core/operations"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Api } from "../request/Api.ts"
import { Notes } from "../program/Notes.ts"
import { showRecord } from "../request/Requests.ts"
import { bodyFrom, file } from "./Body.ts"
import { choice, either, idArgument, idFlag, ifVersion, matching, text } from "./Flags.ts"

export const fieldTypes = [
  "text",
  "number",
  "currency",
  "date",
  "datetime",
  "boolean",
  "select",
  "multi_select",
  "relation",
  "email",
  "url",
  "json"
] as const satisfies ReadonlyArray<(typeof CreateField.Type)["type"]>

const id = idArgument("field")
const table = idFlag("table")
const version = ifVersion("table")

const said = {
  name: text("name", "<name>", "Name of the field"),
  type: choice("type", fieldTypes, "What its cells hold"),
  description: text("description", "<text>", "What the field is for"),
  required: either("required", "Whether rows must have a value"),
  unique: either("unique", "Whether no two rows may have the same value"),
  indexed: either("indexed", "Whether filters and sorts on it stay fast in large tables")
}

const add = Command.make(
  "add",
  { table, key: text("key", "<key>", "Name in rows and filters; made from the name if not given"), ...said, file },
  ({ file: path, table: tableId, ...given }) =>
    Effect.flatMap(bodyFrom(path, given), (body) =>
      showRecord({ method: "POST", path: `/v1/tables/${tableId}/fields`, body })
    )
).pipe(
  Command.withDescription("Add a field to a table; options and default come from the file"),
  Command.withShortDescription("Add a field to a table"),
  Command.withExamples([
    { command: "millrace tables fields add --table tbl_01 --name Due --type date --indexed" },
    {
      command: `echo '{"options":{"choices":[{"label":"Open"},{"label":"Paid"}]}}' | millrace tables fields add --table tbl_01 --name State --type select --file -`
    }
  ])
)

const update = Command.make(
  "update",
  { id, table, ...said, file, ifVersion: version },
  ({ file: path, id: fieldId, ifVersion: expected, table: tableId, ...given }) =>
    Effect.flatMap(bodyFrom(path, given), (body) =>
      showRecord({
        method: "PUT",
        path: `/v1/tables/${tableId}/fields/${fieldId}`,
        body,
        headers: matching(expected)
      })
    )
).pipe(
  Command.withDescription("Change a field; options, default and position come from the file, and null there clears"),
  Command.withShortDescription("Change a field")
)

const remove = Command.make("remove", { id, table, ifVersion: version }, (input) =>
  Effect.gen(function* () {
    const path = `/v1/tables/${input.table}/fields/${input.id}`
    yield* (yield* Api).send({ method: "DELETE", path, headers: matching(input.ifVersion) })
    yield* (yield* Notes).say(`Removed ${input.id} and its cells.`)
  })
).pipe(Command.withDescription("Remove a field and its cells"))

export const fields = Command.make("fields").pipe(
  Command.withDescription("Fields of tables; millrace tables get shows their ids"),
  Command.withShortDescription("Fields of tables"),
  Command.withSubcommands([add, update, remove])
)
