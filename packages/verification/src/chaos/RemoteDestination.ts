/** The driver of a destination behind HTTP (`DestinationServer`). It takes the place of the file destination. */
import {
  type DestinationDriver,
  DestinationRejected,
  DestinationUnavailable,
  type Receipt
} from "@millrace/core/destination"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RemoteLookup, RemoteModel, RemoteWrite } from "./DestinationServer.ts"
import { post, type Remote } from "./Remote.ts"

const Config = Schema.Struct({ path: Schema.String, format: Schema.String })

const byWriteOnly = Effect.fail(new DestinationRejected({ message: "Rows are written one by one here." }))

export const makeRemoteDestination = (
  destination: Remote,
  model: RemoteModel
): DestinationDriver<typeof Config.Type> => {
  const ask = <A>(path: string, body: RemoteWrite | RemoteLookup) =>
    Effect.mapError(post<A>(destination, path, body), ({ message }) => new DestinationUnavailable({ message }))
  return {
    type: "file",
    label: "Remote file",
    Config,
    capabilities: { write: model, canRemove: true, batch: 200 },
    check: () => Effect.succeed([]),
    open: (_feed, { path }) =>
      Effect.succeed({
        write: (records) => ask<ReadonlyArray<Receipt>>("/write", { path, model, records }),
        lookup: (keys) =>
          Effect.map(
            ask<ReadonlyArray<readonly [string, string]>>("/lookup", { path, keys }),
            (found) => new Map(found)
          ),
        replace: () => byWriteOnly,
        standing: () => byWriteOnly
      })
  }
}
