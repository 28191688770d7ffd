import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Notes } from "../program/Notes.ts"
import { Api } from "../request/Api.ts"
import { showList, showRecord } from "../request/Requests.ts"
import { idArgument, queryOf, scope } from "./Flags.ts"

const columns = ["id", "name", "source", "type", "connectionStatus.status", "connectionStatus.lastCheckedAt"]

const list = Command.make("list", { scope }, (query) =>
  showList({ method: "GET", path: "/v1/banks", query: queryOf(query) }, "banks", columns)
).pipe(Command.withDescription("List bank connections"))

const get = Command.make("get", { id: idArgument("bank") }, ({ id }) =>
  showRecord({ method: "GET", path: `/v1/banks/${id}` })
).pipe(Command.withDescription("Show a bank connection"))

const remove = Command.make("delete", { id: idArgument("bank") }, ({ id }) =>
  Effect.gen(function* () {
    yield* (yield* Api).send({ method: "DELETE", path: `/v1/banks/${id}` })
    yield* (yield* Notes).say(`Deleted ${id}. It can be restored until the beginning of a month removes it for good.`)
  })
).pipe(
  Command.withDescription(
    "Delete a bank connection that no feed uses; a signed-in person can remove one for good in the console"
  )
)

const restore = Command.make("restore", { id: idArgument("bank") }, ({ id }) =>
  showRecord({ method: "POST", path: `/v1/banks/${id}/restore` })
).pipe(Command.withDescription("Bring back a deleted bank connection, or one whose removal failed"))

export const banks = Command.make("banks").pipe(
  Command.withDescription("Bank connections"),
  Command.withSubcommands([list, get, remove, restore])
)
