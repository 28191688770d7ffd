import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Api } from "../request/Api.ts"
import { recordOf, showRecord } from "../request/Requests.ts"
import { bodyFrom, file } from "./Body.ts"
import { ifVersion, matching, text } from "./Flags.ts"

/** The address of the workspace of the credential: there is no other one that it reaches. */
const ownPath = Effect.fn("Workspace.ownPath")(function* () {
  const self = yield* recordOf(yield* (yield* Api).send({ method: "GET", path: "/v1/whoami" }))
  return `/v1/workspaces/${String(self["workspaceId"])}`
})

const get = Command.make("get", {}, () =>
  Effect.flatMap(ownPath(), (path) => showRecord({ method: "GET", path }))
).pipe(Command.withDescription("Show the workspace"))

const update = Command.make(
  "update",
  {
    name: text("name", "<name>", "Name of the workspace"),
    icon: text("icon", "<icon>", "Icon"),
    baseCurrency: text("currency", "<code>", "Base currency, such as EUR: sums over several currencies are in it"),
    timezone: text("timezone", "<zone>", "Time zone, such as Europe/Berlin: it decides what day is today"),
    locale: text("locale", "<tag>", "Language tag, such as de-CH"),
    file,
    ifVersion: ifVersion("workspace")
  },
  ({ file: source, ifVersion: expected, ...given }) =>
    Effect.gen(function* () {
      const body = yield* bodyFrom(source, given)
      return yield* showRecord({ method: "PUT", path: yield* ownPath(), body, headers: matching(expected) })
    })
).pipe(
  Command.withDescription("Change the workspace; enrichments work out sums again after another base currency"),
  Command.withShortDescription("Change the workspace"),
  Command.withExamples([{ command: "millrace workspace update --currency EUR --timezone Europe/Berlin" }])
)

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("The workspace: its name, base currency and time zone"),
  Command.withSubcommands([get, update])
)
