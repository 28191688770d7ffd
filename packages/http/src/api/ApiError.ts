/** The one form of every error (specification 7, decisions 3.1). */
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Detail, Recovery } from "@millrace/core"
import { type AnyDefinition, furtherErrors } from "@millrace/core/operation"

export class ApiError extends Schema.Error<ApiError>("ApiError")(
  {
    success: Schema.Literal(false).pipe(Schema.withConstructorDefault(Effect.succeed(false as const))),
    error: Schema.String,
    /** One of the catalogue; new codes may be added. */
    code: Schema.String,
    recovery: Schema.optionalKey(Recovery.Recovery),
    /** Equals the header X-Request-Id. */
    referenceId: Schema.String,
    details: Schema.optionalKey(Schema.Array(Detail)),
    /** With 422 of feeds: what blocks, and what does not. */
    errors: Schema.optionalKey(Schema.Array(Schema.String)),
    warnings: Schema.optionalKey(Schema.Array(Schema.String))
  },
  { description: "Error" }
) {
  readonly _tag = "ApiError" as const
}

const of = (status: number) => ApiError.pipe(HttpApiSchema.status(status))

/** What every operation can answer (decisions 2.9). */
const always = [400, 401, 403, 429, 500, 503]
/** Of callbacks, which prove themselves by a signature and are never counted. */
const ofCallback = [400, 401, 404, 413, 500, 503]

const statusesOf = ({
  body,
  credential,
  errors,
  idempotency,
  method,
  path,
  versioned
}: AnyDefinition): ReadonlyArray<number> =>
  credential === "none"
    ? ofCallback
    : [
        ...always,
        ...(path.includes("/:") ? [404] : []),
        ...(body === "none" ? [] : [413, 415]),
        ...(idempotency === "key" ? [409, 422] : []),
        ...(versioned && method !== "GET" ? [412] : []),
        ...errors.map((name) => furtherErrors[name])
      ]

/** The errors that an operation declares, each with its status. */
export const errorSchemas = (definition: AnyDefinition) => [...new Set(statusesOf(definition))].map(of)
