import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Api } from "../request/Api.ts"
import { Notes } from "../program/Notes.ts"
import { program } from "../program/Program.ts"
import { showList, showRecord } from "../request/Requests.ts"
import { bodyFrom, file } from "./Body.ts"
import { idArgument, ifVersion, matching, queryOf, text, toggle } from "./Flags.ts"
import { fields } from "./TableFields.ts"

const id = idArgument("table")
const version = ifVersion("table")

const said = {
  name: text("name", "<name>", "Name of the table"),
  description: text("description", "<text>", "What the table is for"),
  icon: text("icon", "<icon>", "Icon")
}

const list = Command.make("list", { trashed: toggle("trashed", "Those in the trash instead") }, ({ trashed }) =>
  showList(
    { method: "GET", path: "/v1/tables", query: queryOf({ trashed: trashed ? Option.some(true) : Option.none() }) },
    "tables",
    ["id", "name", "rowCount", "source.kind", "createdAt", "updatedAt", ...(trashed ? ["purgeAt"] : [])]
  )
).pipe(Command.withDescription("List tables"))

const get = Command.make("get", { id }, (input) => showRecord({ method: "GET", path: `/v1/tables/${input.id}` })).pipe(
  Command.withDescription("Show a table with its fields")
)

const create = Command.make("create", { ...said, file }, ({ file: path, ...given }) =>
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

const update = Command.make(
  "update",
  { id, ...said, file, ifVersion: version },
  ({ file: path, id: tableId, ifVersion: expected, ...given }) =>
    Effect.flatMap(bodyFrom(path, given), (body) =>
      showRecord({ method: "PUT", path: `/v1/tables/${tableId}`, body, headers: matching(expected) })
    )
).pipe(
  Command.withDescription("Change a table; keyFields and fieldOrder come from the file, and null there clears"),
  Command.withShortDescription("Change a table"),
  Command.withExamples([
    {
      command: `echo '{"keyFields":["invoice"]}' | millrace tables update tbl_01 --file -`,
      description: "Rows are upserted by their invoice"
    }
  ])
)

const remove = Command.make(
  "delete",
  { id, permanent: toggle("permanent", "For good, from the trash"), ifVersion: version },
  (input) =>
    Effect.gen(function* () {
      yield* (yield* Api).send({
        method: "DELETE",
        path: `/v1/tables/${input.id}`,
        query: input.permanent ? [["permanent", "true"]] : [],
        headers: matching(input.ifVersion)
      })
      yield* (yield* Notes).say(
        input.permanent
          ? `Deleted ${input.id} for good.`
          : `Moved ${input.id} to the trash. For 30 days this brings it back: ${program} tables restore ${input.id}`
      )
    })
).pipe(
  Command.withDescription("Move a table to the trash, where it stays for 30 days"),
  Command.withShortDescription("Move a table to the trash")
)

const restore = Command.make("restore", { id }, (input) =>
  showRecord({ method: "POST", path: `/v1/tables/${input.id}/restore` })
).pipe(Command.withDescription("Take a table out of the trash"))

export const tables = Command.make("tables").pipe(
  Command.withDescription("Tables and their fields"),
  Command.withSubcommands([list, get, create, update, remove, restore, fields])
)
