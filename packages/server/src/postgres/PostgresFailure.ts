/** The built-in PostgreSQL cannot be used. The message says what to do. */
import * as Schema from "effect/Schema"

export class PostgresFailure extends Schema.TaggedError<PostgresFailure>()("PostgresFailure", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}
