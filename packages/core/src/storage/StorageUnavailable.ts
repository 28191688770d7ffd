/** The one way in which every store can fail. */
import * as Schema from "effect/Schema"

/** Storage cannot be reached, or refused for a reason that is not the caller's: try again later (503). */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}
