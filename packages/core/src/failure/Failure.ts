/** Errors of use cases that several nouns share. Their HTTP status is the business of the http package. */
import * as Schema from "effect/Schema"
import { ErrorCode } from "./ErrorCode.ts"

/** One thing that is wrong with an input; `field` is a path from the root of the input. */
export const Detail = Schema.Struct({ field: Schema.optionalKey(Schema.String), message: Schema.String })
export type Detail = typeof Detail.Type

/** Absent, in the trash, of another workspace or hidden: all the same to the caller (404). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** As in "Bank not found". */
  resource: Schema.String
}) {}

/** Who asks may not do it, whatever it is about (403). */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  code: ErrorCode,
  message: Schema.String,
  details: Schema.Array(Detail)
}) {}

/** The input does not have the right shape (400). */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  code: ErrorCode,
  message: Schema.String,
  details: Schema.Array(Detail)
}) {}

/** The shape is right, the meaning is not (422). */
export class Unprocessable extends Schema.TaggedError<Unprocessable>()("Unprocessable", {
  code: ErrorCode,
  message: Schema.String,
  details: Schema.Array(Detail),
  /** Sent beside the details for feeds and enrichments. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

/** The state of things does not allow it now (409). */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  code: ErrorCode,
  message: Schema.String,
  details: Schema.Array(Detail)
}) {}

/** The record changed since the caller read it (412). */
export class PreconditionFailed extends Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", {}) {}

/** The plan of the workspace does not include it (403). */
export class PlanLimitReached extends Schema.TaggedError<PlanLimitReached>()("PlanLimitReached", {
  what: Schema.String,
  limit: Schema.Int
}) {}

/** A page cursor or watermark cannot be used (400, recovery restart_pagination). */
export class CursorUnusable extends Schema.TaggedError<CursorUnusable>()("CursorUnusable", {
  expired: Schema.Boolean
}) {}

/** More is asked at once than this server takes on; anyone who asks less or later is answered (503, recovery retry). */
export class ServerBusy extends Schema.TaggedError<ServerBusy>()("ServerBusy", {}) {}

/** Live data cannot be had, and there is none stored (503). */
export class LiveDataUnavailable extends Schema.TaggedError<LiveDataUnavailable>()("LiveDataUnavailable", {
  code: ErrorCode,
  message: Schema.String,
  /** Seconds until a retry makes sense; absent when the person must reconnect. */
  retryAfter: Schema.optionalKey(Schema.Int)
}) {}
