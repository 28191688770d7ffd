/**
 * How much one transaction of an analysis plans (enrichments A11). What has no room waits for the next one, so that a ledger of
 * any size is planned in bounded memory, and each partition once, when all that changed has been read.
 */
import * as Effect from "effect/Effect"
import type { PartitionKey } from "./kinds/SetKind.ts"

/** Partitions whose records are read before it is known how large they are. */
const firstRead = 16

/** What a partition that waits is planned under where it was not planned before: under nothing. */
export const waitingTag = ""
/** The same, where records are in it that are no past of the enrichment (`Beginnings`). */
export const waitingNewsTag = "news"

export class PlanningRoom {
  private left: number
  private waits = false

  /** `records`: that may be read; those of the partition with which they are reached are read as well. */
  constructor(records: number) {
    this.left = records
  }

  /** Room for everything. */
  static get unlimited(): PlanningRoom {
    return new PlanningRoom(Number.POSITIVE_INFINITY)
  }

  get isFull(): boolean {
    return this.left <= 0
  }

  /** Whether anything waits for another transaction. */
  get hasRest(): boolean {
    return this.waits
  }

  /** Something waits. */
  leave(): void {
    this.waits = true
  }

  /** Those of the keys that are planned now, in order: as many as there is room for. `read` counts the records of some. */
  take<E, R>(
    keys: ReadonlyArray<PartitionKey>,
    most: number,
    read: (some: ReadonlyArray<PartitionKey>) => Effect.Effect<number, E, R>
  ): Effect.Effect<ReadonlyArray<PartitionKey>, E, R> {
    return Effect.gen({ self: this }, function* () {
      let [at, count, records] = [0, Math.max(1, Math.min(firstRead, this.left)), 0]
      while (at < keys.length && at < most && !this.isFull) {
        const some = keys.slice(at, Math.min(at + count, most))
        const found = yield* read(some)
        at += some.length
        records += found
        this.left -= found
        count = Math.max(1, Math.floor(this.left / Math.max(1, records / at)))
      }
      if (at < keys.length) this.leave()
      return keys.slice(0, at)
    })
  }
}
