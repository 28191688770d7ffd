/** What the kernel needs besides storage and a job engine: providers, destinations, readers, patterns, hashing, requests outside. */
import { Destinations } from "@millrace/core/destination"
import type { DestinationMaking } from "@millrace/core/extension"
import {
  type AnyKind,
  BusinessCalendars,
  Kinds,
  memoryPatterns,
  modelUse,
  proseWriter,
  Rates
} from "@millrace/core/enrichment"
import { recordPasts } from "@millrace/core/identity"
import { type Channels, MessageHosts } from "@millrace/core/message"
import { forPurpose, Outbound, type sharedPurposes } from "@millrace/core/outbound"
import { type ProviderMaking, Providers } from "@millrace/core/provider"
import type { UpstreamBudget } from "@millrace/core/rate"
import type { Patterns } from "@millrace/core/pattern"
import { BusinessCalendar, type Digest, Ids } from "@millrace/core"
import type {
  AnalysisStore,
  AnswerCache,
  BankStore,
  EventStore,
  FeedStore,
  IdentityStore,
  MemoryPatternStore,
  RecordStore,
  TableStore,
  TokenBudget,
  Transactor,
  WorkspaceStore
} from "@millrace/core/storage"
import { TableSnapshotReader } from "@millrace/core/table"
import type { StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type FileOptions, FileSettings } from "./destination/file/FileDestination.ts"
import { bundledDestinations, made } from "./destination/registry.ts"
import * as NodeDigest from "./digest/NodeDigest.ts"
import { type ChannelOptions, layer as layerChannels } from "./message/MessageChannels.ts"
import * as OutboundClient from "./outbound/OutboundClient.ts"
import { noPrivateHosts, type PrivateHostsByPurpose } from "./outbound/PrivateHosts.ts"
import * as ModelEndpoints from "./model/ModelEndpoints.ts"
import * as Re2Patterns from "./pattern/Re2Patterns.ts"
import { makeRateFile } from "./rates/RateFile.ts"
import * as StatementReaders from "./statement/StatementReader.ts"

export interface AdapterOptions<E = never> extends FileOptions {
  readonly providers: ReadonlyArray<ProviderMaking<E>>
  /** Destinations beside the bundled ones. */
  readonly destinations?: ReadonlyArray<DestinationMaking>
  /** Kinds of enrichment beside the bundled ones. */
  readonly enrichments?: ReadonlyArray<AnyKind>
  /** Models that enrichments may ask, the default first; none unless given. */
  readonly models?: ReadonlyArray<ModelEndpoints.ModelEndpoint>
  /** Reads statement files; where there is none, they are read where they are asked for. */
  readonly statements?: Layer.Layer<StatementReader>
  /** Plans for set kinds (`SetPlanner`); where there is none, they are planned where they are asked for. */
  readonly planner?: Layer.Layer<never>
  /** What carries messages to people besides requests. */
  readonly channels?: ChannelOptions
  /** Hosts that requests may reach although they are private, for each purpose; none unless given. */
  readonly privateHosts?: PrivateHostsByPurpose | undefined
  /** A file of daily rates between currencies; amounts of other currencies stay unconverted without one. */
  readonly ratesFile?: string | undefined
  /** Business days of workspaces, by their ids, and of all others as `standard`; Monday to Friday unless given. */
  readonly businessDays?: BusinessDays | undefined
}

export interface BusinessDays {
  readonly standard?: BusinessCalendar.BusinessCalendar
  readonly workspaces?: Readonly<Record<string, BusinessCalendar.BusinessCalendar>>
}

const calendars = ({ standard = BusinessCalendar.standardWeek, workspaces = {} }: BusinessDays): Layer.Layer<never> =>
  Layer.succeed(BusinessCalendars, {
    of: (id) => (Object.hasOwn(workspaces, id) ? workspaces[id]! : standard)
  })

/** The client for requests outside, for one purpose. */
const outboundFor = (purpose: (typeof sharedPurposes)[number]) =>
  Layer.effect(
    Outbound,
    Effect.map(Outbound, (outbound) => forPurpose(outbound, () => purpose))
  )

export const layer = <E = never>(
  options: AdapterOptions<E>
): Layer.Layer<
  Providers | Destinations | Kinds | StatementReader | Patterns | Digest | Channels | Outbound,
  E,
  | TableStore
  | WorkspaceStore
  | MemoryPatternStore
  | UpstreamBudget
  | AnalysisStore
  | AnswerCache
  | BankStore
  | EventStore
  | FeedStore
  | IdentityStore
  | RecordStore
  | TokenBudget
  | Transactor
> =>
  Layer.mergeAll(
    Providers.layerBudgeted(options.providers),
    Layer.unwrap(Effect.map(made([...bundledDestinations, ...(options.destinations ?? [])]), Destinations.layer)).pipe(
      Layer.provide([Ids.layer, NodeDigest.layer, Layer.succeed(FileSettings, options), outboundFor("destinations")])
    ),
    options.statements ?? StatementReaders.layer,
    options.planner ?? Layer.empty,
    Kinds.layerBundled(options.enrichments).pipe(
      Layer.provide([TableSnapshotReader.layer, memoryPatterns, recordPasts]),
      Layer.merge(proseWriter),
      Layer.provide(modelUse),
      Layer.provide(NodeDigest.layer),
      Layer.provide(Layer.provide(ModelEndpoints.layer(options.models ?? []), outboundFor("models"))),
      Layer.provideMerge(Re2Patterns.layer)
    ),
    Layer.provide(layerChannels(options.channels), outboundFor("messages")),
    Layer.succeed(MessageHosts, options.privateHosts?.["messages"] ?? noPrivateHosts),
    NodeDigest.layer,
    options.ratesFile === undefined ? Layer.empty : Layer.effect(Rates, makeRateFile(options.ratesFile)),
    calendars(options.businessDays ?? {})
  ).pipe(Layer.provideMerge(OutboundClient.layer({ privateHostsFor: options.privateHosts })))
