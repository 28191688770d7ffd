/** What the kernel needs besides storage and a job engine: providers, destinations, readers, patterns, hashing. */
import { Destinations } from "@millrace/core/destination/Destinations"
import type { ProviderDriver } from "@millrace/core/provider/Provider"
import { Providers } from "@millrace/core/provider/Providers"
import type { UpstreamBudget } from "@millrace/core/rate/UpstreamBudget"
import type { Patterns } from "@millrace/core/pattern/Pattern"
import type { Digest } from "@millrace/core/shared/Digest"
import { Ids } from "@millrace/core/shared/Ids"
import type { TableStore } from "@millrace/core/table/TableStore"
import type { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import type { StatementReader } from "@millrace/core/upload/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeDrivers, type DestinationOptions } from "./destination/registry.ts"
import * as NodeDigest from "./digest/NodeDigest.ts"
import * as Re2Patterns from "./pattern/Re2Patterns.ts"
import * as StatementReaders from "./statement/StatementReader.ts"

export interface AdapterOptions extends DestinationOptions {
  readonly providers: ReadonlyArray<ProviderDriver>
  /** Reads statement files; where there is none, they are read where they are asked for. */
  readonly statements?: Layer.Layer<StatementReader>
}

export const layer = (
  options: AdapterOptions
): Layer.Layer<
  Providers | Destinations | StatementReader | Patterns | Digest,
  never,
  TableStore | WorkspaceStore | UpstreamBudget
> =>
  Layer.mergeAll(
    Providers.layerBudgeted(options.providers),
    Layer.unwrap(Effect.map(makeDrivers(options), Destinations.layer)).pipe(
      Layer.provide([Ids.layer, NodeDigest.layer])
    ),
    options.statements ?? StatementReaders.layer,
    Re2Patterns.layer,
    NodeDigest.layer
  )
