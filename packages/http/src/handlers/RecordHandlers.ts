import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { columnsOf } from "@millrace/core/destination/Columns"
import type { Delivery } from "@millrace/core/destination/Delivery"
import { FeedRecords } from "@millrace/core/destination/FeedRecords"
import type { Feed } from "@millrace/core/feed/Feed"
import { catalogOf } from "@millrace/core/record/FieldCatalog"
import { rawNumber } from "../api/Amount.ts"
import { Api } from "../api/Api.ts"
import { many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { principal, target, workspace } from "../middleware/CurrentRequest.ts"
import { identified } from "./Identified.ts"

/** Columns that hold numbers, as the feed maps them now. */
const numbersOf = (feed: Feed): ReadonlySet<string> =>
  new Set(
    columnsOf(feed, catalogOf(feed.dataType))
      .filter(({ type }) => type === "num")
      .map(({ name }) => name)
  )

/** A record as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (numbers: ReadonlySet<string>) => (row: Delivery) => ({
  recordId: row.recordId,
  version: row.version,
  op: row.op,
  state: row.state,
  dead: row.dead,
  jobId: row.jobId,
  destinationRef: row.remoteRef ?? null,
  values: Object.fromEntries(
    Object.entries(row.values).map(([name, value]) => [
      name,
      typeof value === "string" && numbers.has(name) ? rawNumber(value) : value
    ])
  ),
  attempts: row.attempts,
  lastError: row.lastError ?? null,
  updatedAt: row.updatedAt
})

export const layer = HttpApiBuilder.group(
  Api,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const records = yield* FeedRecords
    return handlers
      .handle("listFeedRecords", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            const page = yield* records.list(yield* workspace, id, query)
            return many(yield* target, page.rows.map(toWire(numbersOf(page.feed))), page)
          })
        )
      )
      .handle("redeliverFeedRecords", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            const { hasMore, jobId, records: count } = yield* records.redeliver(yield* principal, id, payload)
            return one({ records: count, hasMore, jobId: jobId ?? null })
          })
        )
      )
  })
)
