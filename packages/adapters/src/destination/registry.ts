/** The registry of bundled destinations. */
import type { DestinationDriver } from "@millrace/core/destination"
import type { DestinationMaking } from "@millrace/core/extension"
import type { Outbound } from "@millrace/core/outbound"
import * as Effect from "effect/Effect"
import * as bundled from "./bundled.ts"

/** What the bundled destinations ask for. */
export type DestinationNeeds = Outbound | Effect.Services<(typeof bundled)[keyof typeof bundled]>

export const made = <R>(
  making: ReadonlyArray<DestinationMaking<R>>
): Effect.Effect<ReadonlyArray<DestinationDriver>, never, R> =>
  Effect.forEach(making, (one) => (Effect.isEffect(one) ? one : Effect.succeed(one)))

/** By type. */
export const bundledDestinations: ReadonlyArray<DestinationMaking<DestinationNeeds>> = Object.values(bundled)
