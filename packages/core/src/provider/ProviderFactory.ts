/** A kind of provider: how an instance of it is configured, and how its driver is made. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Outbound } from "../outbound/Outbound.ts"
import { decode, type Fault } from "../shared/StrictDecoding.ts"
import type { ProviderDriver } from "./Provider.ts"
import type { Misconfigured } from "./ProviderError.ts"
import { kindFault, kindOf, ProviderInstanceId } from "./ProviderKind.ts"

/** A driver, or the making of one. What it asks through `Outbound` while it works takes its place in its budget. */
export type ProviderMaking<E = never> = ProviderDriver | Effect.Effect<ProviderDriver, E, Outbound>

export interface ProviderFactory<Config = unknown> {
  readonly kind: string
  /** Its name for people, such as `Plaid`; also that of an instance which is given none. */
  readonly label: string
  /** What an instance is configured with; secrets are `Secret`. Decoded from JSON, unknown keys are refused. */
  readonly Config: Schema.Codec<Config, unknown>
  /** The driver of one instance. It asks its upstream through the `Outbound` of this effect, and through nothing else. */
  make(instance: {
    readonly instanceId: string
    readonly config: Config
  }): Effect.Effect<ProviderDriver, Misconfigured, Outbound>
}

/** One configured instance of a provider. */
export interface InstanceSettings {
  /** `<kind>:<instance>`. */
  readonly id: string
  /** Its name for people; that of the kind unless given. */
  readonly name?: string
  /** As the kind's `Config` takes it: JSON, with `Redacted` values where secrets are. `{}` unless given. */
  readonly config?: unknown
}

/** The making of the driver of each instance; else every fault, with paths such as `[1].config.key`. */
export const configured = (
  factories: ReadonlyArray<ProviderFactory>,
  instances: ReadonlyArray<InstanceSettings>
): Result.Result<ReadonlyArray<ProviderMaking<Misconfigured>>, ReadonlyArray<Fault>> => {
  const faults: Array<Fault> = []
  const drivers: Array<ProviderMaking<Misconfigured>> = []
  const seen = new Set<string>()
  for (const [at, { config = {}, id, name }] of instances.entries()) {
    const factory = factories.find(({ kind }) => kind === kindOf(id))
    if (!Schema.is(ProviderInstanceId)(id)) {
      faults.push({ field: `[${at}].id`, message: "must be <kind>:<instance>, such as demo:default" })
    } else if (seen.has(id)) {
      faults.push({ field: `[${at}].id`, message: `is "${id}" like an earlier one` })
    } else if (factory === undefined) {
      const kinds = factories.map(({ kind }) => kind).join(", ")
      faults.push({ field: `[${at}].id`, message: `names a provider that is not here; there are ${kinds}` })
    } else {
      seen.add(id)
      const decoded = decode(factory.Config, config)
      if (Result.isFailure(decoded)) {
        for (const { field, message } of decoded.failure) {
          faults.push({ field: `[${at}].config${field === "" || field.startsWith("[") ? "" : "."}${field}`, message })
        }
      } else {
        const making = factory.make({ instanceId: id, config: decoded.success })
        drivers.push(name === undefined ? making : Effect.map(making, (driver) => ({ ...driver, name })))
      }
    }
  }
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(drivers)
}

/** What is wrong with a list of kinds, each by its name; nothing when all can be used together. */
export const factoryFaults = (factories: ReadonlyArray<ProviderFactory>): ReadonlyArray<string> =>
  factories.flatMap(({ kind }, at) => {
    const fault = kindFault(kind)
    if (fault !== undefined) return [fault]
    return factories.findIndex((other) => other.kind === kind) < at ? [`"${kind}" is the kind of two providers`] : []
  })
