/** The bundled server with the provider of slow pages beside it; the log of pages is in `PAGED_LOG`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Adapters } from "@millrace/adapters"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Server from "../src/Server.ts"
import { settings } from "../src/Settings.ts"
import { makePagedProvider } from "./pagedProvider.ts"

const program = Effect.gen(function* () {
  const config = yield* settings
  const adapters = Adapters.layer({
    providers: [makePagedProvider(process.env["PAGED_LOG"] ?? "")],
    folder: config.filesFolder
  })
  return yield* Effect.gen(function* () {
    process.stdout.write("Serving\n")
    return yield* Effect.never
  }).pipe(Effect.provide(Server.layer(config, adapters)))
}).pipe(Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatJson)])))

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
