/** Connecting banks: with a browser, or with what a provider gave. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { stringify } from "../output/ExactJson.ts"
import { UsageFault } from "../program/Failure.ts"
import { Output } from "../program/Output.ts"
import { Api } from "../request/Api.ts"
import { bodyOf, recordOf, rowsOf } from "../request/Requests.ts"
import { givenOf } from "./Body.ts"
import { goThrough } from "./Connecting.ts"
import { browser, either, idArgument, text, toggle, yes } from "./Flags.ts"

const bankId = idArgument("bank")

const provider = text("provider", "<instance>", "Instance of a provider, such as plaid:us; see providers list")
const country = Flag.String("country").pipe(
  Flag.withMetavar("<code>"),
  Flag.withDescription("Country as two letters; may be given several times"),
  Flag.atLeast(0)
)
const redirectUri = text("redirect-uri", "<url>", "Where the browser ends, instead of a page of the server")
const wait = either("wait", "Open the page and wait for how it ends, which it does unless --no-wait is given")

/** The only provider that there is, for who named none. */
const onlyProvider = Effect.fnUntraced(function* () {
  const all = yield* rowsOf(yield* bodyOf(yield* (yield* Api).send({ method: "GET", path: "/v1/banks/providers" })))
  const ids = all.map((one) => String(one["id"]))
  if (ids.length === 1) return ids[0]!
  return yield* new UsageFault({
    message: ids.length === 0 ? "The server has no provider." : `Say which provider: --provider ${ids.join(", or ")}`
  })
})

const connect = Command.make(
  "connect",
  {
    provider,
    email: Flag.String("email").pipe(
      Flag.withMetavar("<address>"),
      Flag.withDescription("E-mail address of the person whose bank it is")
    ),
    institution: text("institution", "<institution-id>", "The bank; see institutions search"),
    country,
    redirectUri,
    isNew: toggle("new", "Another connection, also where the bank is connected already"),
    wait,
    browser
  },
  (input) =>
    Effect.gen(function* () {
      const instance = Option.isSome(input.provider) ? input.provider.value : yield* onlyProvider()
      const body = {
        providerInstanceId: instance,
        email: input.email,
        ...givenOf({ institutionId: input.institution, redirectUri: input.redirectUri }),
        ...(input.country.length === 0 ? {} : { countryCodes: input.country }),
        ...(input.isNew ? { forceNewConnection: true } : {})
      }
      const path = "/v1/banks/connections/start"
      const started = yield* recordOf(yield* (yield* Api).send({ method: "POST", path, body: stringify(body) }))
      yield* goThrough(started, { wait: yes(input.wait), browser: yes(input.browser) })
    })
).pipe(
  Command.withDescription("Connect a bank: opens a page in the browser, waits, and shows the bank with its accounts"),
  Command.withShortDescription("Connect a bank"),
  Command.withExamples([
    { command: "millrace banks connect --email me@example.com", description: "With the only provider that there is" },
    { command: "millrace banks connect --provider plaid:us --email me@example.com --institution ins_3" }
  ])
)

const reauth = Command.make("reauth", { id: bankId, redirectUri, wait, browser }, (input) =>
  Effect.gen(function* () {
    const path = `/v1/banks/connections/${input.id}/reauth`
    const body = stringify(givenOf({ redirectUri: input.redirectUri }))
    const started = yield* recordOf(yield* (yield* Api).send({ method: "POST", path, body }))
    yield* goThrough(started, { wait: yes(input.wait), browser: yes(input.browser) })
  })
).pipe(
  Command.withDescription("Connect a bank anew: it keeps its accounts and everything that was read"),
  Command.withShortDescription("Connect a bank anew")
)

const complete = Command.make(
  "complete",
  {
    provider,
    attempt: text("attempt", "<attempt-id>", "What banks connect began; else the newest attempt"),
    publicToken: text("public-token", "<token>", "What Plaid's widget gave"),
    connectionId: text("connection-id", "<id>", "What the other providers gave; of SimpleFIN the setup token"),
    institution: text("institution", "<institution-id>", "The bank, where the provider needs it")
  },
  (input) =>
    Effect.gen(function* () {
      if (Option.isSome(input.publicToken) === Option.isSome(input.connectionId)) {
        return yield* new UsageFault({ message: "Give --public-token or --connection-id." })
      }
      const instance = Option.isSome(input.provider) ? input.provider.value : yield* onlyProvider()
      const payload = {
        kind: Option.isSome(input.publicToken) ? "plaid_public_token" : "provider_connection_id",
        ...givenOf({
          publicToken: input.publicToken,
          connectionId: input.connectionId,
          institutionId: input.institution
        })
      }
      const body = stringify({ providerInstanceId: instance, ...givenOf({ attemptId: input.attempt }), payload })
      const path = "/v1/banks/connections/complete"
      const { success: _, ...answer } = yield* bodyOf(yield* (yield* Api).send({ method: "POST", path, body }))
      yield* (yield* Output).record(answer)
    })
).pipe(Command.withDescription("Complete a connection with what the provider gave"))

/** Below `banks`. */
export const bankCommands = [connect, complete, reauth] as const
