import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Feeds } from "@millrace/core/usecase/Feeds"
import type { FeedView } from "@millrace/core/usecase/FeedViews"
import type { FeedState } from "@millrace/core/feed/Feed"
import { Api } from "../api/Api.ts"
import { done, many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { principal, target, workspace } from "../middleware/CurrentRequest.ts"
import { badgeOf } from "./Family.ts"
import { identified } from "./Identified.ts"
import { demanded, versioned } from "./Versions.ts"

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
  ...(feed.schedule === undefined ? {} : { schedule: feed.schedule }),
  state: stateToWire(state),
  order: feed.order,
  createdBy: feed.createdBy,
  version: feed.version,
  createdAt: feed.createdAt,
  updatedAt: feed.updatedAt
})

const warned = (view: FeedView) => ({ ...one(toWire(view)), meta: { warnings: view.warnings } })

export const layer = HttpApiBuilder.group(
  Api,
  "feeds",
  Effect.fnUntraced(function* (handlers) {
    const feeds = yield* Feeds
    return handlers
      .handle("listFeeds", ({ query: { scope, ...query } }) =>
        answering(
          Effect.gen(function* () {
            const of = yield* principal
            const badge = yield* badgeOf(of, scope)
            const rows = yield* feeds.list(of.workspace, query)
            return many(
              yield* target,
              rows.map((view) => ({ ...toWire(view), ...badge(view.feed.workspaceId) }))
            )
          })
        )
      )
      .handle("createFeed", ({ payload: { icon, ...payload } }) =>
        answering(
          Effect.gen(function* () {
            const feed = { ...payload, ...(typeof icon === "string" ? { icon } : {}) }
            return warned(yield* feeds.create(yield* principal, feed))
          })
        )
      )
      .handle("getFeed", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const view = yield* feeds.get(yield* workspace, yield* identified("feed", params.feed_id))
            return yield* versioned(view.feed.version, headers["if-none-match"], one(toWire(view)))
          })
        )
      )
      .handle("updateFeed", ({ params, headers, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            return warned(yield* feeds.update(yield* principal, id, payload, demanded(headers["if-match"])))
          })
        )
      )
      .handle("deleteFeed", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            yield* feeds.remove(yield* principal, id, demanded(headers["if-match"]))
            return done
          })
        )
      )
  })
)
