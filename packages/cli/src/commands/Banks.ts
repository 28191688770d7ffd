import * as Command from "effect/cli/Command"
import { showList, showRecord } from "../request/Requests.ts"
import { idArgument, queryOf, scope } from "./Flags.ts"

const columns = ["id", "name", "source", "type", "connectionStatus.status", "connectionStatus.lastCheckedAt"]

const list = Command.make("list", { scope }, (query) =>
  showList({ method: "GET", path: "/v1/banks", query: queryOf(query) }, "banks", columns)
).pipe(Command.withDescription("List bank connections"))

const get = Command.make("get", { id: idArgument("bank") }, ({ id }) =>
  showRecord({ method: "GET", path: `/v1/banks/${id}` })
).pipe(Command.withDescription("Show a bank connection"))

export const banks = Command.make("banks").pipe(
  Command.withDescription("Bank connections"),
  Command.withSubcommands([list, get])
)
