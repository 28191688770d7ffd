/** Which banks can be connected. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isArray, isObject, stringify } from "../output/ExactJson.ts"
import { Notes } from "../program/Notes.ts"
import { Output } from "../program/Output.ts"
import { Api } from "../request/Api.ts"
import { recordOf } from "../request/Requests.ts"
import { text } from "./Flags.ts"

const search = Command.make(
  "search",
  {
    query: Argument.String("query").pipe(Argument.withDescription("Name of the bank, or a part of it")),
    provider: text("provider", "<instance>", "Only this instance of a provider"),
    country: Flag.String("country").pipe(
      Flag.withMetavar("<code>"),
      Flag.withDescription("Country as two letters; may be given several times"),
      Flag.atLeast(0)
    )
  },
  ({ country, provider, query }) =>
    Effect.gen(function* () {
      const body = stringify({
        query,
        ...(country.length === 0 ? {} : { countryCodes: country }),
        ...(Option.isSome(provider) ? { providerInstanceId: provider.value } : {})
      })
      const answer = yield* recordOf(yield* (yield* Api).send({ method: "POST", path: "/v1/banks/search", body }))
      const { institutions, providers } = answer
      // Whoever could not be asked may have what is looked for.
      for (const one of isArray(providers) ? providers.filter(isObject) : []) {
        const { error, id, status } = one
        if (typeof error === "string") yield* (yield* Notes).say(`${String(id)} is ${String(status)}: ${error}`)
      }
      const found = isArray(institutions) ? institutions.filter(isObject) : []
      yield* (yield* Output).list(found, "banks", ["id", "name", "countryCodes", "providerInstanceId", "status"])
    })
).pipe(Command.withDescription("Search the banks that can be connected"))

/** Below `institutions`. */
export const institutionCommands = [search] as const
