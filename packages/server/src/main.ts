/** `npm start`: the bundled server. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import manifest from "../package.json" with { type: "json" }
import { firstStart } from "./FirstStart.ts"
import { newOwnerKeys } from "./OwnerKey.ts"
import * as Server from "./Server.ts"
import { type Settings, settingNames, settings } from "./Settings.ts"
import * as Terminal from "./Terminal.ts"

const help = `Millrace ${manifest.version}: the bundled server

Usage: npm start [-- options]

  --new-key   print a new API key of the owner, and stop
  --help      print this
  --version   print the version

Settings (environment variables):
${Object.entries(settingNames)
  .map(([name, text]) => `  ${name.padEnd(20)}${text}`)
  .join("\n")}
`

// The person reads standard output; standard error takes the log, one JSON object a line.
const logging = Layer.mergeAll(
  Logger.layer([Logger.withConsoleError(Logger.formatJson)]),
  Layer.succeed(References.MinimumLogLevel, "Info")
)

const jobsOf = ({ cluster, slots }: Settings): string => {
  if (slots === 0) return "run by other processes"
  const many = `${slots} at the same time`
  return cluster === undefined ? many : `${many}, in a cluster ${Terminal.dim(`at ${cluster.host}:${cluster.port}`)}`
}

const program = Effect.gen(function* () {
  const config = yield* settings
  yield* Terminal.say()
  yield* Terminal.say(`  ${Terminal.bold("Millrace")} ${manifest.version}`)
  yield* Terminal.say()
  const database = config.databaseUrl === undefined ? `PostgreSQL 18 in ${config.dataFolder}` : "as DATABASE_URL says"
  yield* Terminal.field("Database", database)
  if (process.argv.includes("--new-key")) {
    return yield* Effect.provide(
      newOwnerKeys(),
      Server.layerKernel(config, Server.layerAdapters(config), Server.layerNoEngine)
    )
  }
  return yield* Effect.gen(function* () {
    yield* firstStart(config)
    const base = `http://${config.host === "0.0.0.0" ? "127.0.0.1" : config.host}:${config.port}`
    yield* Terminal.say()
    yield* Terminal.field("API", `${base}/v1 ${Terminal.dim(`reference at ${base}/docs`)}`)
    yield* Terminal.field("Jobs", jobsOf(config))
    yield* Terminal.say()
    yield* Terminal.say(`  Serving; Ctrl-C stops.`)
    return yield* Effect.never
  }).pipe(Effect.provide(Server.layer(config)))
})

/** The message of a failure says what to do; a stack would only hide it. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

const main = program.pipe(
  Effect.provide(logging),
  Effect.onExit((exit): Effect.Effect<void> => {
    if (Exit.isSuccess(exit)) return Effect.void
    return Cause.hasInterruptsOnly(exit.cause)
      ? Terminal.say("\n  Stopped.")
      : Effect.sync(
          () => void process.stderr.write(`\n${Terminal.red("Millrace cannot run:")} ${explain(exit.cause)}\n`)
        )
  })
)

const known = new Set(["--help", "-h", "--version", "--new-key"])
const unknown = process.argv.slice(2).find((argument) => !known.has(argument))

if (unknown !== undefined) {
  process.stderr.write(`There is no option ${unknown}. --help lists them.\n`)
  process.exitCode = 1
} else if (process.argv.includes("--help") || process.argv.includes("-h")) process.stdout.write(help)
else if (process.argv.includes("--version")) process.stdout.write(`${manifest.version}\n`)
else {
  // A terminal that is closed is a stop like any other.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
  NodeRuntime.runMain(main, {
    disableErrorReporting: true,
    // A stop that was asked for is a success.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
}
