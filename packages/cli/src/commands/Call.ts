/** Any operation of the API by its path, for what has no command of its own. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Api, type Answer, type Request } from "../request/Api.ts"
import { UsageFault } from "../program/Failure.ts"
import { cleanLines } from "../output/Clean.ts"
import { isArray, isObject } from "../output/ExactJson.ts"
import { Output } from "../program/Output.ts"
import { bodyOf, showAnswer, showList } from "../request/Requests.ts"
import { Settings } from "../program/Settings.ts"
import { jsonFrom } from "./Body.ts"
import { pairs } from "./Flags.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
type Method = (typeof methods)[number]

const isMethod = (text: string): text is Method => (methods as ReadonlyArray<string>).includes(text)

/** A path of this server only: the key goes nowhere else. */
const targetOf = Effect.fnUntraced(function* (path: string) {
  const url = URL.parse(path, "http://server/")
  if (url === null || url.host !== "server" || /^[a-z][a-z0-9+.-]*:/i.test(path)) {
    return yield* new UsageFault({ message: `The path "${path}" is not one below the server, such as /v1/banks.` })
  }
  return { path: url.pathname, query: [...url.searchParams] }
})

const show = Effect.fn("Call.show")(function* (answer: Answer) {
  const output = yield* Output
  const { fields, format } = yield* Settings
  if (answer.text === "") return
  if (!/^application\/(?:.+\+)?json\b/.test(answer.contentType)) {
    return yield* output.text(process.stdout.isTTY === true ? cleanLines(answer.text) : answer.text)
  }
  const body = yield* bodyOf(answer)
  const { data } = body
  // The whole answer, unless what was asked for has no place for more than the records.
  if (fields === undefined && (format === "json" || format === "yaml" || format === "toon"))
    return yield* output.value(body)
  if (isArray(data)) return yield* showAnswer(body, "records")
  return yield* output.record(isObject(data) ? data : body)
})

export const call = Command.make(
  "call",
  {
    method: Argument.String("method").pipe(
      Argument.withDescription(methods.join(", ")),
      Argument.map((text) => text.toUpperCase()),
      Argument.filter(isMethod as (text: string) => boolean, (text) => `one of ${methods.join(", ")}, not "${text}"`)
    ),
    path: Argument.String("path").pipe(Argument.withDescription("Path with or without a query, /v1/banks")),
    query: pairs("query", "Query parameter; may be given several times").pipe(Flag.withAlias("q")),
    data: Flag.String("data").pipe(
      Flag.withAlias("d"),
      Flag.withMetavar("<json|@file>"),
      Flag.withDescription("JSON body, or @ and the name of a file with it; @- is standard input"),
      Flag.optional
    ),
    header: pairs("header", "Header; may be given several times").pipe(Flag.withAlias("H"))
  },
  ({ data, header, method, path, query }) =>
    Effect.gen(function* () {
      const target = yield* targetOf(path)
      const body = Option.isSome(data) ? yield* jsonFrom(data.value, "The body") : undefined
      const request: Request = {
        method: method as Method,
        path: target.path,
        query: [...target.query, ...query],
        headers: Object.fromEntries(header),
        ...(body === undefined ? {} : { body })
      }
      if ((yield* Settings).all && method === "GET") return yield* showList(request, "records")
      return yield* show(yield* (yield* Api).send(request))
    })
).pipe(
  Command.withDescription(
    "Send any request to the API. As json, yaml or toon the whole answer is shown, else its records"
  ),
  Command.withShortDescription("Send any request to the API"),
  Command.withExamples([
    { command: "millrace call GET /v1/feeds -q dataType=transactions" },
    { command: "millrace call POST /v1/tables -d @table.json" }
  ])
)
