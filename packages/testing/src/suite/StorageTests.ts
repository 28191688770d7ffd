/** What the conformance suites of the storage ports need, and how they are registered. */
import type { Kernel } from "@millrace/core/kernel"
import { Ids } from "@millrace/core"
import { layer as withLayer, type Vitest } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Every store, and the transactions over them. Plain things are held to suites of their own. */
export type StorageServices = Kernel.Stores

/** Makes time pass for the store alone: a database's clock cannot be set, but its instants can be moved back. */
export class StoreClock extends Context.Service<
  StoreClock,
  { readonly pass: (seconds: number) => Effect.Effect<void> }
>()("@millrace/testing/suite/StorageTests/StoreClock") {}

export interface SuiteOptions {
  /** Runs the tests on the machine's clock, as stores with a clock of their own need it. */
  readonly liveClock?: boolean
}

export type StorageTests = (it: Vitest.MethodsNonLive<StorageServices | StoreClock | Ids>) => void

export type StorageSuite = <E>(
  name: string,
  layer: Layer.Layer<StorageServices | StoreClock, E>,
  options?: SuiteOptions
) => void

/** A suite of these tests alone. Every test makes a workspace of its own, so a shared database serves. */
export const suiteOf =
  (tests: StorageTests): StorageSuite =>
  (name, layer, options) => {
    withLayer(Layer.merge(layer, Ids.layer), {
      excludeTestServices: options?.liveClock ?? false,
      timeout: "60 seconds"
    })(name, tests)
  }

/** Lets every fiber that can run do so, a few times over. */
export const letOthersRun: Effect.Effect<void> = Effect.forEach(Array.from({ length: 5 }), () => Effect.yieldNow, {
  discard: true
})
