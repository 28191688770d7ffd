import * as Effect from "effect/Effect"
import { columnsOf, type Delivery } from "@millrace/core/destination"
import { FeedRecords } from "@millrace/core/kernel"
import { catalogOfFeed, type Feed } from "@millrace/core/feed"
import { rawNumber } from "../wire/Amount.ts"
import { many, one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

/** Columns that hold numbers, as the feed maps them now. */
const numbersOf = (feed: Feed): ReadonlySet<string> =>
  new Set(
    columnsOf(feed, catalogOfFeed(feed))
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
    Object.entries(row.values ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" && numbers.has(name) ? rawNumber(value) : value
    ])
  ),
  attempts: row.attempts,
  lastError: row.lastError ?? null,
  updatedAt: row.updatedAt
})

export const layer = serve(
  "records",
  Effect.gen(function* () {
    const records = yield* FeedRecords
    return {
      listFeedRecords: ({ caller, ids, query, self }) =>
        Effect.map(records.list(caller, ids.feed, query), (page) =>
          many(self, page.rows.map(toWire(numbersOf(page.feed))), page)
        ),
      redeliverFeedRecords: ({ caller, ids, payload }) =>
        Effect.map(records.redeliver(caller, ids.feed, payload), ({ hasMore, jobId, records: count }) =>
          one({ records: count, hasMore, jobId: jobId ?? null })
        )
    }
  })
)
