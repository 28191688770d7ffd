/** `npm start`: the bundled server. */
import { AddedCollections } from "@millrace/core/collection"
import { AccessLog } from "@millrace/http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import manifest from "../package.json" with { type: "json" }
import { firstStart } from "./FirstStart.ts"
import { connectBank } from "./ConnectBank.ts"
import { backupTo, restoreFrom } from "./Backups.ts"
import { type Options, parseOptions } from "./Options.ts"
import { newOwnerKeys, ownerSessions } from "./OwnerKey.ts"
import { run } from "./Process.ts"
import { type Configuration, loadConfiguration } from "./Configuration.ts"
import { writeRequest } from "./LogForm.ts"
import * as Server from "./Server.ts"
import { type Settings, settingNames, settings } from "./Settings.ts"
import * as Terminal from "./Terminal.ts"
import { tellTrial, type TrialConfiguration, withTrial } from "./Trial.ts"

const help = `Millrace ${manifest.version}: the bundled server

Usage: npm start [-- options], or npx millrace-server [options] where it is installed

  --new-key        print a new API key of the owner, and stop
  --sign-in        print a session of the owner for twelve hours, and stop: removing banks permanently needs one
  --connect PROVIDER ID
                   connect a bank by the id that the provider knows it by, such as --connect acme:main 123, and stop
  --provider KIND  try a provider without credentials, such as plaid or simplefin: a stand-in of it on this machine
  --backup FILE    write everything that is stored into a new file, and stop; a server may be working meanwhile
  --restore FILE   read such a file into an empty database or data folder, and stop
  --help           print this
  --version        print the version

Settings (environment variables):
${Object.entries(settingNames)
  .map(([name, text]) => `  ${name.padEnd(22)}${text}`)
  .join("\n")}
`

const jobsOf = ({ cluster, slots }: Settings): string => {
  if (slots === 0) return "run by other processes"
  const many = `${slots} at the same time`
  return cluster === undefined ? many : `${many}, in a cluster ${Terminal.dim(`at ${cluster.host}:${cluster.port}`)}`
}

const served = Effect.fnUntraced(function* (
  { backup, connect, newKey, provider, restore, signIn }: Options,
  config: Settings,
  configuration: Configuration & Partial<TrialConfiguration>
) {
  const adapters = Server.layerAdapters(config, configuration)
  yield* Terminal.say()
  yield* Terminal.say(`  ${Terminal.bold("Millrace")} ${manifest.version}`)
  yield* Terminal.say()
  const database = config.databaseUrl === undefined ? `PostgreSQL 18 in ${config.dataFolder}` : "as DATABASE_URL says"
  yield* Terminal.field("Database", database)
  if (backup !== undefined) return yield* backupTo(config, backup)
  if (restore !== undefined) return yield* restoreFrom(config, restore)
  if (newKey) {
    return yield* Effect.provide(newOwnerKeys(), Server.layerKernel(config, adapters, Server.layerNoEngine))
  }
  if (signIn) {
    return yield* Effect.provide(ownerSessions(), Server.layerKernel(config, adapters, Server.layerNoEngine))
  }
  if (connect !== undefined) {
    return yield* Effect.provide(connectBank(connect), Server.layerKernel(config, adapters, Server.layerNoEngine))
  }
  return yield* Effect.gen(function* () {
    yield* Terminal.introducing(firstStart(config))
    const base = `http://${config.host === "0.0.0.0" ? "127.0.0.1" : config.host}:${config.port}`
    yield* Terminal.say()
    yield* Terminal.field("API", `${base}/v1 ${Terminal.dim(`reference at ${base}/docs`)}`)
    yield* Terminal.field("Jobs", jobsOf(config))
    yield* Terminal.field("Providers", configuration.instances.join(", ") || "none")
    const { trialPage } = configuration
    if (provider !== undefined && trialPage !== undefined) yield* tellTrial(provider, trialPage)
    yield* Terminal.say()
    yield* Terminal.say(`  Serving; Ctrl-C stops.`)
    return yield* Effect.never
  }).pipe(Effect.provide(Server.layer(config, adapters)), Effect.provideService(AccessLog, writeRequest))
})

/** What is asked for, with the collections that modules bring. */
const program = Effect.fnUntraced(function* (asked: Options) {
  const config = yield* settings
  const loaded = yield* loadConfiguration(config)
  const configuration = asked.provider === undefined ? loaded : yield* withTrial(loaded, asked.provider)
  return yield* Effect.provide(
    served(asked, config, configuration),
    Layer.succeed(AddedCollections, configuration.collections)
  )
}, Effect.scoped)

const options = parseOptions(process.argv.slice(2))

if (typeof options === "string") {
  process.stderr.write(`${options}\n`)
  process.exitCode = 1
} else if (options.help) process.stdout.write(help)
else if (options.version) process.stdout.write(`${manifest.version}\n`)
else run(program(options))
