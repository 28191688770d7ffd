/**
 * A worker under test: the server with banks and destinations of the harness, as a process of its own.
 *
 * It asks the request budget like every server, with an agreed rate: the harness calls more often than any plan allows.
 */
import { layerApi, layerKernel, runProcess as run, settings, Terminal } from "@millrace/server"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as WorkerAdapters from "./WorkerAdapters.ts"

/** Requests a minute: more than the harness ever sends. */
const requestsPerMinute = 20_000

const options = Config.all({
  name: Config.String("CHAOS_WORKER"),
  bankUrl: Config.String("CHAOS_BANK"),
  destinationUrl: Config.String("CHAOS_DESTINATION"),
  model: Config.Literals(["upsertByKey", "readBack", "wholeFile"], "CHAOS_MODEL")
})

run(
  Effect.gen(function* () {
    const config = { ...(yield* settings), requestsPerMinute }
    const kernel = layerKernel(config, WorkerAdapters.layer(yield* options, config.filesFolder))
    return yield* Effect.andThen(Terminal.say("Serving"), Effect.never).pipe(
      Effect.provide(layerApi(config).pipe(Layer.provideMerge(kernel)))
    )
  })
)
