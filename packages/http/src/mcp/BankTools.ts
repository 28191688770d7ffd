/** Tools of banks that clients know under names of their own (decisions 10.1): the same operations, with arguments filled in. */
import * as Effect from "effect/Effect"
import { type Node, nodeOf } from "../openapi/Node.ts"
import type { Body } from "./InProcess.ts"
import type { Refusal } from "./Refusal.ts"
import type { Arguments, Tool, ToolRequest, Unusable } from "./Tool.ts"

/** Asks the API as the caller of the tool. */
export type Asking = (request: ToolRequest) => Effect.Effect<Body, Refusal>

type Prepared = Effect.Effect<Arguments | Unusable, Refusal>

/** What stands around a tool: arguments that are filled in before, and what is added to the answer. */
export interface Around {
  readonly prepare?: (ask: Asking, given: Arguments) => Prepared
  readonly extend?: (ask: Asking, found: Node, given: Arguments) => Effect.Effect<Node, Refusal>
}

const text = (description: string): Node => ({ type: "string", description })

const rowsOf = ({ data }: Body): ReadonlyArray<Node> => (Array.isArray(data) ? data.map(nodeOf) : [])

/** The only configured instance of a provider, or which there are. */
const instanceOf = (ask: Asking, provider: unknown): Effect.Effect<string | Unusable, Refusal> =>
  Effect.map(ask({ method: "GET", target: "/v1/banks/providers" }), (body) => {
    const all = rowsOf(body).filter((one) => provider === undefined || one["provider"] === provider)
    const [only, ...others] = all.map(({ id }) => String(id))
    if (only !== undefined && others.length === 0) return only
    const names = all.map(({ id }) => String(id)).join(", ")
    return {
      fault: {
        field: "providerInstanceId",
        message: only === undefined ? "is needed: no such provider is configured" : `is needed: there are ${names}`
      }
    }
  })

const withInstance = (ask: Asking, given: Arguments, provider: unknown, rest: (id: string) => Arguments): Prepared =>
  typeof given["providerInstanceId"] === "string"
    ? Effect.succeed(rest(given["providerInstanceId"]))
    : Effect.map(instanceOf(ask, provider), (found) => (typeof found === "string" ? rest(found) : found))

/** The e-mail address of the person whose credential it is, where it is a person's. */
const ownEmail = (ask: Asking): Effect.Effect<string | undefined, Refusal> =>
  Effect.map(ask({ method: "GET", target: "/v1/whoami" }), ({ data }) => {
    const { email } = nodeOf(nodeOf(data)["user"])
    return typeof email === "string" ? email : undefined
  })

const objectOf = (properties: Node, required: ReadonlyArray<string>): Node => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const around: Readonly<Record<string, Around>> = {
  get_bank: {
    extend: (ask, bank, { bankId }) =>
      Effect.map(
        ask({ method: "GET", target: `/v1/banks/${encodeURIComponent(String(bankId))}/accounts` }),
        (body) => ({ ...bank, accounts: rowsOf(body) })
      )
  },
  create_bank_link: {
    prepare: Effect.fnUntraced(function* (ask, given) {
      const { email = yield* ownEmail(ask), provider, ...rest } = given
      return yield* withInstance(ask, given, provider, (providerInstanceId) => ({ ...rest, email, providerInstanceId }))
    })
  },
  connect_bank: {
    prepare: (ask, { institutionId, publicToken, ...given }) =>
      withInstance(ask, given, "plaid", (providerInstanceId) => ({
        providerInstanceId,
        payload: {
          kind: "plaid_public_token",
          publicToken,
          ...(institutionId === undefined ? {} : { institutionId })
        }
      }))
  }
}

export const aroundOf = (name: string): Around => around[name] ?? {}

const inputs: Readonly<Record<string, Node>> = {
  create_bank_link: objectOf(
    {
      provider: text("Name of the provider, such as plaid; its only configured instance is taken."),
      providerInstanceId: text("One of list_providers, where a provider has several instances."),
      email: text("E-mail address of the person; that of the signed-in person unless given."),
      institutionId: text("One of search_institutions.")
    },
    []
  ),
  connect_bank: objectOf(
    {
      publicToken: text("The public token that the provider's widget gave."),
      institutionId: text("The institution that the person chose."),
      institutionName: text("Its name; not needed."),
      providerInstanceId: text("One of list_providers; the only configured instance of Plaid unless given.")
    },
    ["publicToken"]
  )
}

const originals: Readonly<Record<string, string>> = {
  create_bank_link: "start_connection",
  connect_bank: "complete_connection"
}

/** The tools with those that have another name. */
export const withBankTools = (tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> => [
  ...tools,
  ...Object.entries(originals).flatMap(([name, original]) => {
    const tool = tools.find((one) => one.name === original)
    const input = inputs[name]
    return tool === undefined || input === undefined ? [] : [{ ...tool, name, input }]
  })
]
