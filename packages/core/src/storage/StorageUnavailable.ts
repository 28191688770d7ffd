/** The one way in which every store can fail. */
import * as Schema from "effect/Schema"

/** Storage cannot be reached, or refused for a reason that is not the caller's: try again later (503). */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  message: Schema.String,
  /** There is no room: what is written is refused until the operator makes some, and what is read is answered. */
  full: Schema.optionalKey(Schema.Literal(true)),
  /** A read took longer than the caller would wait. */
  tooLong: Schema.optionalKey(Schema.Literal(true)),
  cause: Schema.optionalKey(Schema.Defect())
}) {}
