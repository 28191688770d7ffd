/** Places that a feed has for itself, and columns that its names mean: what saving a feed keeps of its destination. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClaimedPlace } from "../destination/Destination.ts"
import { Destinations } from "../destination/Destinations.ts"
import type { Detail } from "../failure/Failure.ts"
import type { BoundColumns } from "../feed/BoundColumns.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { DestinationConfig } from "../feed/FeedConfig.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { invalidFeed } from "./InvalidFeed.ts"

const takenDetail = ({ taken }: ClaimedPlace): Detail => ({
  field: `destinationConfig.${taken.field}`,
  message: taken.message
})

const make = Effect.gen(function* () {
  const store = yield* FeedStore
  const destinations = yield* Destinations

  /** The place that the feed is to have for itself; a fault where another feed has it already. */
  const claimOf = Effect.fnUntraced(function* (
    workspace: Workspace,
    config: DestinationConfig | undefined,
    id: FeedId | undefined,
    details: Array<Detail>
  ) {
    if (config === undefined) return undefined
    const driver = yield* destinations.get(config.type)
    const claimed = yield* driver.claim?.(workspace.id, config) ?? Effect.undefined
    if (claimed === undefined) return undefined
    // Feeds that have not run since places are claimed hold theirs by their configuration alone.
    for (const other of yield* store.list([workspace.id], {})) {
      const held = other.destinationConfig
      if (other.id === id || held?.type !== config.type) continue
      if ((yield* driver.claim!(workspace.id, held))?.place !== claimed.place) continue
      details.push(takenDetail(claimed))
      break
    }
    return claimed
  })

  /** Of several that save at the same time one has it; for the transaction that writes the feed down. */
  const take = Effect.fnUntraced(function* (id: FeedId, claimed: ClaimedPlace | undefined) {
    if (yield* store.claimPlace(id, claimed?.place)) return
    if (claimed !== undefined) return yield* invalidFeed([takenDetail(claimed)], [])
  })

  /** For the transaction that writes the feed down. Names that are mapped no more are forgotten. */
  const bind = Effect.fnUntraced(function* (id: FeedId, bound: BoundColumns | undefined) {
    if (bound === undefined) return
    yield* store.unbindColumns(id)
    if (bound.size > 0) yield* store.bindColumns(id, bound)
  })

  return { claimOf, take, bind }
})

export class FeedPlaces extends Context.Service<FeedPlaces>()("@millrace/core/usecase/FeedPlaces", { make }) {
  static readonly layer: Layer.Layer<FeedPlaces, never, FeedStore | Destinations> = Layer.effect(FeedPlaces, make)
}
