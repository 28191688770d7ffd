/** What a worker under test talks to: banks and destinations that outlive it. */
import { Adapters } from "@millrace/adapters"
import { PlanningThreads } from "@millrace/adapters/planning"
import { Destinations } from "@millrace/core/destination"
import { destinationOf, destinationsOf } from "../../../core/src/destination/Destinations.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RemoteModel } from "./DestinationServer.ts"
import { remoteChannels } from "./RemoteChannels.ts"
import { makeRemoteDestination } from "./RemoteDestination.ts"
import { makeRemoteProvider } from "./RemoteProvider.ts"

/** How feeds of files are written: `wholeFile` by the file destination itself, the others by one behind HTTP. */
export type FileModel = RemoteModel | "wholeFile"

export interface WorkerOptions {
  /** By which it is known to bank and destination. */
  readonly name: string
  readonly bankUrl: string
  readonly destinationUrl: string
  readonly model: FileModel
}

export const layer = ({ bankUrl, destinationUrl, model, name }: WorkerOptions, folder: string | undefined) => {
  const place = { url: destinationUrl, caller: name }
  const adapters = remoteChannels(place).pipe(
    Layer.provideMerge(
      Adapters.layer({
        providers: [makeRemoteProvider({ url: bankUrl, caller: name })],
        folder,
        // As the server plans.
        planner: PlanningThreads.layer()
      })
    )
  )
  if (model === "wholeFile") return adapters
  const remote = destinationOf(makeRemoteDestination(place, model))
  return Layer.effect(
    Destinations,
    Effect.map(Destinations, (own) => destinationsOf(own.all.map((one) => (one.type === "file" ? remote : one))))
  ).pipe(Layer.provideMerge(adapters))
}
