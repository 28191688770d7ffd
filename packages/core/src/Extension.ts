/** What a program or a module adds to an installation, beside what is bundled. */
import type * as Effect from "effect/Effect"
import type { AnyCollection } from "./collection/Collection.ts"
import type { DestinationDriver } from "./destination/Destination.ts"
import type { AnyKind } from "./enrichment/Kinds.ts"
import type { Outbound } from "./outbound/Outbound.ts"
import type { ProviderFactory } from "./provider/ProviderFactory.ts"

/** A driver, or the making of one that asks outside. */
export type DestinationMaking<R = Outbound> = DestinationDriver | Effect.Effect<DestinationDriver, never, R>

/** A module that a configuration file names has one as its default export. */
export interface Extension {
  readonly providers?: ReadonlyArray<ProviderFactory>
  readonly destinations?: ReadonlyArray<DestinationMaking>
  readonly enrichments?: ReadonlyArray<AnyKind>
  /** Plain things that callers work with. Their tables are made at the start of the server. */
  readonly collections?: ReadonlyArray<AnyCollection>
}

/** The extension as it is; for its type. */
export const extension = (parts: Extension): Extension => parts
