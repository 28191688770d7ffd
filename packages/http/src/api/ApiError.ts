/** The one form of every error (specification 7, decisions 3.1). */
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Detail, Recovery } from "@millrace/core"

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

/** An error that an endpoint declares, known to the compiler by its status. */
export interface Declaring<Status extends number> {
  readonly "~status"?: Status
}

const of = <const Status extends number>(status: Status) => {
  const schema = ApiError.pipe(HttpApiSchema.status(status))
  return schema as typeof schema & Declaring<Status>
}

const BadRequest = of(400)
const Unauthorized = of(401)
const Forbidden = of(403)
const Missing = of(404)
const StateConflict = of(409)
const Stale = of(412)
const TooLarge = of(413)
const WrongMediaType = of(415)
const Unprocessable = of(422)
const TooMany = of(429)
const Internal = of(500)
const NotAvailable = of(501)
const Unavailable = of(503)

/** What every operation can answer (decisions 2.9). */
export const always = [BadRequest, Unauthorized, Forbidden, TooMany, Internal, Unavailable] as const
/** Beside that, of operations with a path parameter. */
export const ofPath = [...always, Missing] as const
/** Of callbacks, which prove themselves by a signature and are never counted. */
export const ofCallback = [BadRequest, Unauthorized, Missing, TooLarge, Internal, Unavailable] as const
/** Beside that, of operations with a body. */
export const ofBody = [TooLarge, WrongMediaType] as const
/** Beside that, of operations that honour an idempotency key. */
export const ofKey = [StateConflict, Unprocessable] as const
export { NotAvailable, Stale, StateConflict, Unprocessable }
