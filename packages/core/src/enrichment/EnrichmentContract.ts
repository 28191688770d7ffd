/** How enrichments meet their callers (enrichments A1, decisions 4.3 and 5.5). Knows no kind. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ActorRef } from "../access/ActorRef.ts"
import { enrichmentSurface } from "../access/EnrichmentSurface.ts"
import type { CollectionContract } from "../collection/Collection.ts"
import type { FeedId } from "../feed/Feed.ts"
import { DataType } from "../record/DataType.ts"
import { bundledKind, Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { Name } from "../shared/Name.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { type Enrichment, Order } from "./Enrichment.ts"
import { EnrichmentType } from "./kinds/EnrichmentType.ts"
import type { Issue } from "./kinds/Kind.ts"
import { EnrichmentStatus } from "./EnrichmentStatus.ts"

/** Configuration blocks by their names, such as `ruleConfig`. */
export type Blocks = Readonly<Record<string, Schema.Json>>

/**
 * How far a change reaches back: to records that change from now on and those of the last 45 days, or to all that feeds have
 * delivered.
 */
export const Apply = Schema.Literals(["from_now", "history"])
export type Apply = typeof Apply.Type

export interface NewEnrichment {
  readonly name: string
  readonly emoji?: string | null
  readonly type: EnrichmentType
  readonly dataType: DataType
  readonly enabled?: boolean
  readonly order?: number
  /** Together with `allFeeds: true` it is refused; without either the enrichment is dormant. */
  readonly feedIds?: ReadonlyArray<FeedId>
  readonly allFeeds?: boolean
  /** The configuration block of the type, as it is sent. */
  readonly config?: Schema.Json
  /** The same by its name, for requests that name it. */
  readonly blocks?: Blocks
  /** `from_now` unless given. */
  readonly apply?: Apply
}

/** What is left out stays. A block that is given replaces the old one whole. */
export interface EnrichmentChange extends Partial<Omit<NewEnrichment, "emoji">> {
  /** `null` takes it away. */
  readonly emoji?: string | null
}

export interface EnrichmentView {
  /** Of what is secret about its destinations it holds masks (`DestinationSecrets`). */
  readonly enrichment: Enrichment
  readonly status: EnrichmentStatus
  /** Faults that block nothing. */
  readonly lints: ReadonlyArray<Issue>
}

/** `transfer_match` -> `transferMatchConfig`: the name of the block, and the root of the paths in its faults. */
export const blockName = (type: EnrichmentType): string =>
  `${type.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}Config`

const isBlock = (key: string): boolean => key.endsWith("Config")

const Emoji = Schema.String.check(Schema.isMaxLength(16))
const rest = [Schema.Record(Schema.String, Schema.Json)] as const

const said = {
  emoji: Schema.optionalKey(Schema.NullOr(Emoji)),
  enabled: Schema.optionalKey(Schema.Boolean),
  order: Schema.optionalKey(Order),
  feedIds: Schema.optionalKey(
    Schema.Array(Schema.String)
      .check(Schema.isMaxLength(limits.feedAccounts * 2))
      .annotate({
        description: "Feeds that it applies to. Not together with allFeeds."
      })
  ),
  allFeeds: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether it applies to every feed of its data type." })
  ),
  apply: Schema.optionalKey(
    Apply.annotate({
      description:
        "How far the change reaches back. `from_now`, unless given: new and changed records, and with the next run those of " +
        "the last 45 days. `history`: all records that feeds have delivered, at once and without asking a provider."
    })
  )
}

/** The body with its blocks gathered: what ends with `Config` is one, and anything else that is unknown is ignored. */
const gathered = <A extends object>(fields: Schema.Struct.Fields, identifier: string): Schema.Codec<A, unknown> =>
  Schema.StructWithRest(Schema.Struct(fields), rest)
    .annotate({ identifier })
    .pipe(
      Schema.decodeTo(Schema.Any as unknown as Schema.Codec<A>, {
        decode: SchemaGetter.transform((body: Readonly<Record<string, unknown>>) => {
          const entries = Object.entries(body)
          const known = entries.filter(([key]) => Object.hasOwn(fields, key))
          const blocks = Object.fromEntries(entries.filter(([key]) => isBlock(key)))
          return { ...Object.fromEntries(known), blocks } as unknown as A
        }),
        encode: SchemaGetter.transform((request: A) => {
          const { blocks, ...own } = request as A & { readonly blocks?: Blocks }
          return { ...own, ...blocks } as never
        })
      })
    ) as unknown as Schema.Codec<A, unknown>

const CreateEnrichment = gathered<NewEnrichment>(
  { name: Name, type: EnrichmentType, dataType: DataType, ...said },
  "CreateEnrichment"
)

const UpdateEnrichment = gathered<EnrichmentChange>(
  {
    name: Schema.optionalKey(Name),
    type: Schema.optionalKey(EnrichmentType),
    dataType: Schema.optionalKey(DataType),
    ...said
  },
  "UpdateEnrichment"
)

const EnrichmentRecord = Schema.StructWithRest(
  Schema.Struct({
    id: Id("enrichment"),
    name: Schema.String,
    emoji: Schema.optionalKey(Schema.String),
    type: EnrichmentType,
    enabled: Schema.Boolean,
    order: Schema.Int,
    dataType: DataType,
    feedIds: Schema.Array(Schema.String),
    allFeeds: Schema.Boolean,
    createdBy: Schema.String,
    createdByActor: Schema.optionalKey(ActorRef),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    version: Schema.Int,
    revision: Schema.Int.annotate({ description: "Counts changes of what it does; a rename does not count." }),
    status: EnrichmentStatus.annotate({
      description: "How it goes: whether it runs, and what it failed on in the last run."
    }),
    lints: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String })).annotate({
      description: "What is suspicious and blocks nothing. Lists leave it empty."
    })
  }),
  rest
).annotate({ identifier: "Enrichment" })
type EnrichmentRecord = typeof EnrichmentRecord.Type

const ruleConfig = {
  rules: [
    {
      conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "coffee" }] },
      action: { field: "category", value: "Coffee" }
    }
  ]
}
const example = { name: "Coffee", type: "rule", dataType: "transactions", allFeeds: true, ruleConfig }

const flag = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text: "true" | "false") => text === "true"),
    encode: SchemaGetter.transform((value: boolean) => (value ? ("true" as const) : ("false" as const)))
  })
)

export const enrichmentContract: CollectionContract<EnrichmentView, NewEnrichment, EnrichmentChange, EnrichmentRecord> =
  {
    surface: enrichmentSurface,
    kind: bundledKind("enrichment"),
    create: CreateEnrichment,
    update: UpdateEnrichment,
    record: EnrichmentRecord as unknown as Schema.Codec<EnrichmentRecord, unknown>,
    show: ({ enrichment, lints, status }) => {
      const { config, past: _past, workspaceId: _, ...own } = enrichment
      return { ...own, [blockName(own.type)]: config, status, lints } as unknown as EnrichmentRecord
    },
    query: {
      type: EnrichmentType,
      dataType: DataType,
      feedId: Schema.String.check(Schema.isMinLength(1)),
      enabled: flag
    },
    paged: false,
    removal: { apply: Apply },
    saysDeleted: false,
    examples: {
      create: example,
      update: { name: "Coffee and cake", enabled: false },
      record: {
        id: "enr_01k9d3v6w8x2y4z6a8b0c2d4e6",
        ...example,
        enabled: true,
        order: 10,
        feedIds: [],
        createdBy: "usr_01k9d3v6w8x2y4z6a8b0c2d4e6",
        createdByActor: { kind: "api", clientId: "key_01k9d3v6w8x2y4z6a8b0c2d4e6" },
        createdAt: "2026-03-04T05:06:07.008Z",
        updatedAt: "2026-03-04T05:06:07.008Z",
        version: 1,
        revision: 1,
        status: { state: "active", since: "2026-03-04T05:06:07.008Z", openFaults: 0, lastFaults: [] },
        lints: []
      }
    }
  }
