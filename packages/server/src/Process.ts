/** A program as the one thing that a process does: logged, stopped by signals, ended with a code. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { logger } from "./LogForm.ts"
import * as Terminal from "./Terminal.ts"

const logging = Layer.mergeAll(
  Logger.layer([logger]),
  Layer.succeed(References.MinimumLogLevel, "Info"),
  // Nobody collects the spans of this process, and they would cost each request as much as its checks.
  Layer.succeed(References.TracerEnabled, false)
)

/** The message of a failure says what to do; a stack would only hide it. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** A stop may take 10 s: what has not ended shortly before that does not end, such as a call to a database that is gone. */
const stopMillis = 9_000

const force = (why: string, code: number) => {
  process.stderr.write(`${why}: not everything was given back.\n`)
  process.exit(code)
}

/**
 * Ends the process when a stop takes too long, or is asked for twice. Nothing is lost: jobs that were not given back
 * are taken up when their lease has run out.
 */
const forceStop = (): void => {
  let asked = false
  const ask = () => {
    if (asked) force("Stopped at once", 1)
    asked = true
    setTimeout(() => force("The stop took too long", 0), stopMillis).unref()
  }
  process.on("SIGTERM", ask)
  process.on("SIGINT", ask)
}

/**
 * Runs the program until it ends or a signal stops it. Ends the process with 0 after a stop that was asked for, and
 * with 1, and the reason on standard error, after a failure. A stop ends within 10 s, and a second signal ends it at
 * once.
 */
export const run = <E>(program: Effect.Effect<unknown, E>): void => {
  const main = program.pipe(
    Effect.provide(logging),
    Effect.onExit((exit): Effect.Effect<void> => {
      if (Exit.isSuccess(exit)) return Effect.void
      return Cause.hasInterruptsOnly(exit.cause)
        ? Effect.andThen(Terminal.endProgress, Terminal.say("\n  Stopped."))
        : Effect.sync(
            () => void process.stderr.write(`\n${Terminal.red("Millrace cannot run:")} ${explain(exit.cause)}\n`)
          )
    })
  )
  forceStop()
  // A terminal that is closed is a stop like any other.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
  NodeRuntime.runMain(main, {
    disableErrorReporting: true,
    // A stop that was asked for is a success.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
}
