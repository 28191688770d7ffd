/** What carries messages of a worker to people: the server of destinations, which outlives it. */
import { Channels, MessageNotSent } from "@millrace/core/message"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RemoteMessage } from "./DestinationServer.ts"
import { post, type Remote } from "./Remote.ts"

export const remoteChannels = (destination: Remote): Layer.Layer<Channels> =>
  Layer.succeed(Channels, {
    send: ({ content, id }) =>
      post<boolean>(destination, "/message", { id, content } satisfies RemoteMessage).pipe(
        Effect.mapError(({ message }) => new MessageNotSent({ message, final: false, afterSeconds: 1 })),
        Effect.asVoid
      )
  })
