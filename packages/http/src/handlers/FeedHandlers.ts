import * as Effect from "effect/Effect"
import { Families } from "@millrace/core/access"
import { type DataTypeSchema, DataTypeSchemas, Feeds, type FeedView } from "@millrace/core/kernel"
import type { FeedState } from "@millrace/core/feed"
import type { FieldSpec } from "@millrace/core/record"
import { rawNumber } from "../wire/Amount.ts"
import { done, many, one } from "../api/Envelope.ts"
import { badgeOf } from "./Family.ts"
import { demanded, versioned } from "./Versions.ts"
import { serve } from "./Serve.ts"

const stateToWire = (state: FeedState) => ({
  status: state.status,
  reason: state.reason ?? null,
  activeJobId: state.activeJobId ?? null,
  lastJobId: state.lastJobId ?? null,
  lastSuccessAt: state.lastSuccessAt ?? null,
  nextRunAt: state.nextRunAt ?? null,
  consecutiveFailures: state.consecutiveFailures,
  dataThrough: state.dataThrough ?? null,
  warnings: state.warnings
})

/** A feed as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = ({ feed, state }: FeedView) => ({
  id: feed.id,
  workspaceId: feed.workspaceId,
  name: feed.name,
  ...(feed.icon === undefined ? {} : { icon: feed.icon }),
  source: feed.source,
  dataType: feed.dataType,
  ...(feed.sourceConfig === undefined ? {} : { sourceConfig: feed.sourceConfig }),
  ...(feed.destinationConfig === undefined ? {} : { destinationConfig: feed.destinationConfig }),
  fieldMappings: feed.fieldMappings,
  dataTypeOptions: feed.dataTypeOptions,
  ...(feed.extractionConfig === undefined ? {} : { extractionConfig: feed.extractionConfig }),
  ...(feed.schedule === undefined ? {} : { schedule: feed.schedule }),
  state: stateToWire(state),
  order: feed.order,
  createdBy: feed.createdBy,
  version: feed.version,
  createdAt: feed.createdAt,
  updatedAt: feed.updatedAt
})

/** Numbers are sent as numbers, examples too. */
const exampleOf = ({ example, type }: FieldSpec): { readonly example?: unknown } =>
  example === undefined ? {} : { example: type === "num" && typeof example === "string" ? rawNumber(example) : example }

const schemaToWire = ({ fields, ...schema }: DataTypeSchema) => ({
  ...schema,
  fields: fields.map((field) => ({
    key: field.key,
    name: field.label,
    type: field.type,
    description: field.description,
    required: field.required,
    item: field.item === true,
    ...exampleOf(field)
  }))
})

const warned = (view: FeedView) => ({ ...one(toWire(view)), meta: { warnings: view.warnings } })

export const layer = serve(
  "feeds",
  Effect.gen(function* () {
    const feeds = yield* Feeds
    const families = yield* Families
    const schemas = yield* DataTypeSchemas
    return {
      listFeeds: Effect.fnUntraced(function* ({ caller, query: { scope, ...query }, self }) {
        const reading = yield* families.reading(caller, scope)
        const badge = badgeOf(reading, scope)
        const rows = yield* feeds.list(reading, query)
        return many(
          self,
          rows.map((view) => ({ ...toWire(view), ...badge(view.feed.workspaceId) }))
        )
      }),
      createFeed: ({ caller, payload: { icon, ...payload } }) =>
        Effect.map(feeds.create(caller, { ...payload, ...(typeof icon === "string" ? { icon } : {}) }), warned),
      getFeed: Effect.fnUntraced(function* ({ caller, headers, ids }) {
        const view = yield* feeds.get(caller, ids.feed)
        return yield* versioned(view.feed.version, headers["if-none-match"], one(toWire(view)))
      }),
      updateFeed: ({ caller, headers, ids, payload }) =>
        Effect.map(feeds.update(caller, ids.feed, payload, demanded(headers["if-match"])), warned),
      triggerLearn: ({ caller, ids }) => Effect.as(feeds.learn(caller, ids.feed), one({ triggered: true as const })),
      getDataTypeSchema: ({ caller, params }) =>
        Effect.map(schemas.get(caller, params.data_type), (schema) => one(schemaToWire(schema))),
      deleteFeed: ({ caller, headers, ids }) =>
        Effect.as(feeds.remove(caller, ids.feed, demanded(headers["if-match"])), done)
    }
  })
)
