/** The configured provider instances. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { UpstreamBudget } from "../rate/UpstreamBudget.ts"
import { budgeted } from "./Budgeted.ts"
import type { ProviderDriver } from "./Provider.ts"

/** No driver of that id is configured here (501 on the wire). */
export class ProviderNotAvailable extends Schema.TaggedError<ProviderNotAvailable>()("ProviderNotAvailable", {
  instanceId: Schema.String
}) {}

export class Providers extends Context.Service<
  Providers,
  {
    readonly all: ReadonlyArray<ProviderDriver>
    readonly get: (instanceId: string) => Effect.Effect<ProviderDriver, ProviderNotAvailable>
  }
>()("@millrace/core/provider/Providers") {
  /** Ids must be unique: two drivers of one id are a defect of the configuration. */
  static readonly layer = (drivers: ReadonlyArray<ProviderDriver>): Layer.Layer<Providers> =>
    Layer.sync(Providers, () => {
      const byId = new Map(drivers.map((driver) => [driver.instanceId, driver]))
      if (byId.size !== drivers.length) throw new RangeError("two provider instances have the same id")
      return Providers.of({
        all: drivers,
        get: Effect.fnUntraced(function* (instanceId) {
          const driver = byId.get(instanceId)
          if (driver === undefined) return yield* new ProviderNotAvailable({ instanceId })
          return driver
        })
      })
    })

  /** The same, each driver keeping to its upstream's budget together with all other processes. */
  static readonly layerBudgeted = (
    drivers: ReadonlyArray<ProviderDriver>
  ): Layer.Layer<Providers, never, UpstreamBudget> =>
    Layer.unwrap(
      Effect.map(UpstreamBudget, (lines) => Providers.layer(drivers.map((driver) => budgeted(driver, lines))))
    )
}
