/** The bundled destinations: one line each. */
import type { DestinationDriver } from "@millrace/core/destination"
import type { DestinationMaking } from "@millrace/core/extension"
import type { Outbound } from "@millrace/core/outbound"
import type { Digest, Ids } from "@millrace/core"
import type { TableStore, WorkspaceStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as FileDestination from "./file/FileDestination.ts"
import * as TableDestination from "./table/TableDestination.ts"

/** What the operator decides about destinations. */
export type DestinationOptions = FileDestination.FileOptions

/** What a bundled destination may ask for. */
export type DestinationNeeds = TableStore | WorkspaceStore | Ids | Digest | Outbound

export const made = <R>(
  making: ReadonlyArray<DestinationMaking<R>>
): Effect.Effect<ReadonlyArray<DestinationDriver>, never, R> =>
  Effect.forEach(making, (one) => (Effect.isEffect(one) ? one : Effect.succeed(one)))

export const bundledDestinations = (
  options: DestinationOptions
): ReadonlyArray<DestinationMaking<DestinationNeeds>> => [TableDestination.make, FileDestination.make(options)]
