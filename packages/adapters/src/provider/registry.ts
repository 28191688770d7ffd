/** The providers that are implemented: one line each. */
import type { ProviderDriver } from "@millrace/core/provider/Provider"
import type { Misconfigured } from "@millrace/core/provider/ProviderError"
import type { ProviderKind } from "@millrace/core/provider/ProviderKind"
import * as Effect from "effect/Effect"
import * as DemoProvider from "./demo/DemoProvider.ts"

/** One configured instance of a provider. */
export interface InstanceSettings {
  /** `<kind>:<instance>`. */
  readonly instanceId: string
  /** The operator's settings by name; each constructor refuses what it cannot use as `Misconfigured`. */
  readonly values: Readonly<Record<string, string>>
}

/** Builds the driver of one instance; its requirements, such as an HTTP client, come from the server. */
export type ProviderConstructor<R> = (settings: InstanceSettings) => Effect.Effect<ProviderDriver, Misconfigured, R>

export const registry = {
  demo: ({ instanceId, values }) =>
    Effect.succeed(DemoProvider.make({ instanceId, ...(values["seed"] === undefined ? {} : { seed: values["seed"] }) }))
} as const satisfies { readonly [Kind in ProviderKind]?: ProviderConstructor<unknown> }

export type ImplementedKind = keyof typeof registry

export const implementedKinds = Object.keys(registry) as ReadonlyArray<ImplementedKind>
