/** The thin client of Plaid: every call is a POST with JSON, and every failure a `ProviderError`. */
import { Outbound } from "@millrace/core/outbound"
import { type ProviderError, readJson, unanswered } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { PlaidSettings } from "./PlaidConfig.ts"
import { type Asked, refusal } from "./PlaidError.ts"

/** Requests that share a limit of their own, by the path of their endpoint. */
export const limited = {
  "/accounts/get": "accounts",
  "/accounts/balance/get": "balances",
  "/transactions/sync": "transactions",
  "/investments/holdings/get": "holdings",
  "/investments/transactions/get": "trades",
  "/liabilities/get": "liabilities",
  "/item/get": "item",
  "/item/remove": "remove",
  "/institutions/get": "institutions",
  "/institutions/get_by_id": "institution",
  "/webhook_verification_key/get": "keys"
} as const

export type PlaidPath =
  | keyof typeof limited
  | "/institutions/search"
  | "/link/token/create"
  | "/link/token/get"
  | "/item/public_token/exchange"
  | "/transactions/refresh"
  | "/investments/refresh"

export interface PlaidCall extends Omit<Asked, "counts"> {
  /** The item that it is about. */
  readonly item?: string
  /** Seconds that the answer may take, where Plaid asks the bank itself. */
  readonly seconds?: number
}

export interface PlaidClient {
  readonly ask: <A>(
    path: PlaidPath,
    schema: Schema.Codec<A, unknown>,
    body: Readonly<Record<string, unknown>>,
    call?: PlaidCall
  ) => Effect.Effect<A, ProviderError>
}

const endpointOf = (path: PlaidPath): string | undefined => (limited as Readonly<Record<string, string>>)[path]

/** The client of an instance. */
export const makeClient = Effect.fnUntraced(function* (settings: PlaidSettings) {
  const outbound = yield* Outbound
  const ask: PlaidClient["ask"] = Effect.fnUntraced(function* (
    path,
    schema,
    body,
    { dataType, hasCursor, item, seconds } = {}
  ) {
    const endpoint = endpointOf(path)
    const counts = {
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(item === undefined ? {} : { connection: item })
    }
    const answer = yield* Effect.mapError(
      outbound.request({
        url: `${settings.baseUrl}${path}`,
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          "plaid-version": "2020-09-14",
          // In headers they are in no body that somebody logs.
          "plaid-client-id": settings.clientId,
          "plaid-secret": settings.secret
        },
        body: JSON.stringify(body),
        counts,
        ...(seconds === undefined ? {} : { timeoutSeconds: seconds })
      }),
      unanswered
    )
    const refused = refusal(answer, {
      counts,
      ...(dataType === undefined ? {} : { dataType }),
      ...(hasCursor === undefined ? {} : { hasCursor })
    })
    if (refused !== undefined) return yield* refused
    return yield* Effect.fromResult(readJson("Plaid", schema, answer))
  })
  return { ask } satisfies PlaidClient
})

/** What the access token of a connection is, as the body of a request has it. */
export const tokenOf = (secrets: Readonly<Record<string, string>>) => ({ access_token: secrets["accessToken"] ?? "" })
