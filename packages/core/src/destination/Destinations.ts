/** The destinations this server can write to. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { DestinationConfig } from "../feed/FeedConfig.ts"
import type { DestinationDriver } from "./Destination.ts"

/** No adapter of that type is enabled here (501 on the wire). */
export class DestinationNotAvailable extends Schema.TaggedError<DestinationNotAvailable>()("DestinationNotAvailable", {
  type: Schema.String
}) {}

/** One driver per type; `undefined` where the operator has not enabled it. */
export type DestinationDrivers = { readonly [T in DestinationConfig["type"]]: DestinationDriver | undefined }

export class Destinations extends Context.Service<
  Destinations,
  {
    readonly get: (type: DestinationConfig["type"]) => Effect.Effect<DestinationDriver, DestinationNotAvailable>
  }
>()("@millrace/core/destination/Destinations") {
  static readonly layer = (drivers: DestinationDrivers): Layer.Layer<Destinations> =>
    Layer.succeed(
      Destinations,
      Destinations.of({
        get: Effect.fnUntraced(function* (type) {
          const driver = drivers[type]
          if (driver === undefined) return yield* new DestinationNotAvailable({ type })
          return driver
        })
      })
    )
}
