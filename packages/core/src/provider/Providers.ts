/** The configured provider instances. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { forPurpose, inTurn, Outbound, type Turns } from "../outbound/Outbound.ts"
import { UpstreamBudget } from "../rate/UpstreamBudget.ts"
import { makeBudgeted } from "./Budgeted.ts"
import { capabilityFault } from "./Capabilities.ts"
import type { ProviderDriver } from "./Provider.ts"
import { kindFault } from "./ProviderKind.ts"
import type { ProviderMaking } from "./ProviderFactory.ts"
import { makeTurns, sparingly } from "./Turns.ts"

/** No driver of that id is configured here (501 on the wire). */
export class ProviderNotAvailable extends Schema.TaggedError<ProviderNotAvailable>()("ProviderNotAvailable", {
  instanceId: Schema.String
}) {}

/**
 * Makes a driver whose requests take their turns and reach the private hosts of its instance. What it asks while it is made does
 * neither, since nothing is known of it yet.
 */
const withTurns = Effect.fnUntraced(function* <E>(making: Effect.Effect<ProviderDriver, E, Outbound>) {
  let turns: Turns | undefined
  let instanceId: string | undefined
  const outbound = forPurpose(yield* Outbound, () => instanceId)
  const own = inTurn(outbound, {
    take: (counts) => turns?.take(counts) ?? Effect.void,
    heed: (counts, answer) => turns?.heed(counts, answer) ?? Effect.void
  })
  const driver = yield* Effect.provideService(making, Outbound, own)
  instanceId = driver.instanceId
  turns = yield* makeTurns(driver)
  return driver
})

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
      for (const { capabilities, instanceId, kind } of drivers) {
        const fault = kindFault(kind)
        if (fault !== undefined) throw new RangeError(fault)
        const capability = capabilityFault(capabilities)
        if (capability !== undefined) throw new RangeError(`${instanceId}: ${capability}`)
      }
      return Providers.of({
        all: drivers,
        get: Effect.fnUntraced(function* (instanceId) {
          const driver = byId.get(instanceId)
          if (driver === undefined) return yield* new ProviderNotAvailable({ instanceId })
          return driver
        })
      })
    })

  /** The same, each driver keeping to its upstream's limits together with all other processes. */
  static readonly layerBudgeted = <E = never>(
    drivers: ReadonlyArray<ProviderMaking<E>>
  ): Layer.Layer<Providers, E, UpstreamBudget | Outbound> =>
    Layer.unwrap(
      Effect.gen(function* () {
        const made = yield* Effect.forEach(drivers, (driver) =>
          Effect.isEffect(driver) ? withTurns(driver) : Effect.succeed(driver)
        )
        return Providers.layer(yield* Effect.forEach(made, makeBudgeted))
      }).pipe(Effect.updateService(UpstreamBudget, sparingly))
    )
}
