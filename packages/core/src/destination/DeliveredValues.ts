/**
 * Port: the values of rows that the delivery ledger keeps no copy of, because the destination tells what it has. The
 * ledger of records says the same: which of both is asked is decided where records are enriched (`sync/RecordValues.ts`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Feed } from "../feed/Feed.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Delivery } from "./Delivery.ts"
import type { Intent } from "./DeliveryStore.ts"

/** What a record is delivered as. */
export type Content = Pick<Intent, "hash" | "values" | "provenance">

export class DeliveredValues extends Context.Service<
  DeliveredValues,
  {
    /**
     * What was delivered, by record id: worked out from the record where its hash says that nothing has changed since,
     * else what the destination has of it; cells that somebody else wrote there are then left out.
     */
    readonly delivered: (
      feed: Feed,
      rows: ReadonlyArray<Delivery>
    ) => Effect.Effect<ReadonlyMap<string, Fields>, StorageUnavailable>
    /**
     * What is to be sent for rows that are sent again, by record id: what was delivered where that can be worked out,
     * else what the record holds now. Of a record that is gone, what the destination has.
     */
    readonly present: (
      feed: Feed,
      rows: ReadonlyArray<Delivery>
    ) => Effect.Effect<ReadonlyMap<string, Content>, StorageUnavailable>
  }
>()("@millrace/core/destination/DeliveredValues") {}
