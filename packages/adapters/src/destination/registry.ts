/** The destinations that are implemented: one line each. */
import type { DestinationDrivers } from "@millrace/core/destination/Destinations"
import type { DestinationDriver } from "@millrace/core/destination/Destination"
import type { DestinationConfig } from "@millrace/core/feed/FeedConfig"
import type { Digest } from "@millrace/core/shared/Digest"
import type { Ids } from "@millrace/core/shared/Ids"
import type { TableStore } from "@millrace/core/table/TableStore"
import type { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import * as Effect from "effect/Effect"
import * as FileDestination from "./file/FileDestination.ts"
import * as TableDestination from "./table/TableDestination.ts"

/** What the operator decides about destinations. */
export type DestinationOptions = FileDestination.FileOptions

type ConfigOf<T extends DestinationConfig["type"]> = Extract<DestinationConfig, { readonly type: T }>

type Registry = {
  readonly [T in DestinationConfig["type"]]: Effect.Effect<
    DestinationDriver<ConfigOf<T>>,
    never,
    TableStore | WorkspaceStore | Ids | Digest
  >
}

/** All drivers, for `Destinations.layer`. */
export const makeDrivers = (
  options: DestinationOptions
): Effect.Effect<DestinationDrivers, never, TableStore | WorkspaceStore | Ids | Digest> =>
  Effect.all({
    table: TableDestination.make,
    file: Effect.succeed(FileDestination.make(options))
  } satisfies Registry)
