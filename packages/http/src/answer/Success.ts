/** How the success of each operation is sent: encoded once, and as text. */
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { encoder } from "./Encoder.ts"

export interface Success {
  readonly status: number
  /** The body as JSON text. */
  readonly write: (value: unknown) => string
}

/** By the id of the operation; one that is missing answers in more ways than one, or with nothing. */
export const successesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, Success> => {
  const found = new Map<string, Success>()
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, successes: all }) => {
      const [[status, [schema, ...others]] = [200, []], ...more] = all
      if (schema === undefined || others.length > 0 || more.length > 0) return
      if (HttpApiSchema.isNoContent(schema.ast)) return
      found.set(endpoint.identifier, { status, write: encoder(schema) })
    }
  })
  return found
}
