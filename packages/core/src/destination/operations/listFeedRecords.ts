import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { catalogOfFeed } from "../../feed/Extraction.ts"
import type { Feed } from "../../feed/Feed.ts"
import { rawNumber } from "../../operation/Amount.ts"
import { operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { Text, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { columnsOf } from "../Columns.ts"
import type { Delivery } from "../Delivery.ts"
import { FeedRecords, recordStates } from "../FeedRecords.ts"
import { DeliveredRecord } from "./DeliveredRecord.ts"

/** Columns that hold numbers, as the feed maps them now. */
const numbersOf = (feed: Feed): ReadonlySet<string> =>
  new Set(
    columnsOf(feed, catalogOfFeed(feed))
      .filter(({ type }) => type === "num")
      .map(({ name }) => name)
  )

/** A record as it is sent. Names every field, so that nothing internal can slip through. */
const deliveryToWire = (numbers: ReadonlySet<string>) => (row: Delivery) => ({
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

const deliveredExample = {
  recordId: exampleIds.transaction,
  version: 2,
  op: "update",
  state: "done",
  dead: false,
  jobId: exampleIds.job,
  destinationRef: exampleIds.row,
  values: { date: "2026-03-03", amount: -48.55 },
  attempts: 1,
  lastError: null,
  updatedAt: exampleTime
}

export const listFeedRecords = operation({
  noun: "records",
  id: "listFeedRecords",
  get: "/v1/feeds/:feed_id/records",
  summary: "List what became of the records of a feed, newest first",
  description: "Lists what became of each record at the destination, newest first.",
  access: { anyOf: ["jobs:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "feeds records",
  tool: "list_feed_records",
  query: {
    jobId: Schema.optionalKey(Text.annotate({ description: "Only what this job delivered." })),
    state: Schema.optionalKey(
      Schema.Literals(recordStates).annotate({
        description: "Only those in this state; `dead` are those that were refused permanently."
      })
    ),
    recordId: Schema.optionalKey(Text),
    ...paging
  },
  success: list(DeliveredRecord),
  example: { data: deliveredExample },
  run: ({ caller, ids, query }) =>
    FeedRecords.use((records) =>
      Effect.map(records.list(caller, ids.feed, query), (page) => ({
        ...page,
        rows: page.rows.map(deliveryToWire(numbersOf(page.feed)))
      }))
    )
})
