/**
 * The configuration file: which providers there are, with their settings, and modules with drivers and kinds from outside.
 *
 * Secrets are not in it: it names environment variables. Everything that is wrong with it is reported at once, with the file
 * and the path in it, before anything is started.
 */
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import type { Extension } from "@millrace/core/extension"
import {
  type BusinessDays,
  NodeDigest,
  type PrivateHosts,
  privateHosts,
  type PrivateHostsByPurpose,
  readRateFile
} from "@millrace/adapters"
import type { ModelEndpoint } from "@millrace/adapters/model"
import { bundledProviders } from "@millrace/adapters/provider"
import { collectionFaults } from "@millrace/core/collection"
import { bundledKinds } from "@millrace/core/enrichment"
import { type OutboundPurpose, sharedPurposes } from "@millrace/core/outbound"
import { provenPatterns } from "@millrace/core/pattern"
import {
  configured,
  factoryFaults,
  type InstanceSettings,
  type Misconfigured,
  ProviderInstanceId,
  type ProviderMaking
} from "@millrace/core/provider"
import type { RequestBudget } from "@millrace/core/rate"
import { BusinessCalendar, isId, StrictDecoding } from "@millrace/core"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { modelEndpoints, ModelSettings } from "./ModelSettings.ts"
import { loadModule } from "./Modules.ts"
import { type Settings, SettingInvalid } from "./Settings.ts"

const perMinute = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999_999 }))

const HostNames = Schema.optionalKey(Schema.Array(Schema.String))

const ConfigFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  modules: Schema.optionalKey(Schema.Array(Schema.String)),
  providers: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        id: ProviderInstanceId,
        name: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 100))),
        budget: Schema.optionalKey(Schema.Struct({ perMinute, perConnectionPerMinute: Schema.optionalKey(perMinute) })),
        privateHosts: HostNames,
        config: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
      })
    )
  ),
  models: Schema.optionalKey(Schema.Array(ModelSettings)),
  privateHosts: Schema.optionalKey(
    Schema.Struct({
      models: HostNames,
      messages: HostNames,
      webhookEndpoints: HostNames,
      destinations: HostNames
    })
  ),
  rates: Schema.optionalKey(Schema.Struct({ file: Schema.NonEmptyString })),
  businessDays: Schema.optionalKey(
    Schema.Struct({
      standard: Schema.optionalKey(BusinessCalendar.BusinessCalendar),
      workspaces: Schema.optionalKey(Schema.Record(Schema.String, BusinessCalendar.BusinessCalendar))
    })
  )
})

/** What the server is put together from, besides its own. */
export interface Configuration {
  readonly providers: ReadonlyArray<ProviderMaking<Misconfigured>>
  /** Ids of these providers, in their order. */
  readonly instances: ReadonlyArray<string>
  readonly budgets: ReadonlyMap<string, RequestBudget>
  /** Hosts that may be private, for each purpose: ids of providers, and those of `sharedPurposes`. */
  readonly privateHosts: PrivateHostsByPurpose
  /** Its path; it could be read when the server started. */
  readonly ratesFile: string | undefined
  readonly businessDays: BusinessDays | undefined
  /** Models that enrichments may ask, the default first. */
  readonly models: ReadonlyArray<ModelEndpoint>
  readonly destinations: NonNullable<Extension["destinations"]>
  readonly enrichments: NonNullable<Extension["enrichments"]>
  readonly collections: NonNullable<Extension["collections"]>
}

const empty: typeof ConfigFile.Type = {}

const readConfig = Effect.fnUntraced(function* ({ path, required }: NonNullable<Settings["configFile"]>) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "unknown")
  }).pipe(
    Effect.catch((code) =>
      code === "ENOENT" && !required
        ? Effect.undefined
        : Effect.fail(`cannot be read (${code}). MILLRACE_CONFIG says where the configuration file is`)
    )
  )
  if (text === undefined) return empty
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    // What the parser says of a document repeats a piece of it.
    catch: () => "is not JSON: check its commas, quotes and brackets"
  })
  return yield* Effect.mapError(Effect.fromResult(StrictDecoding.decode(ConfigFile, json)), (faults) =>
    faults.map(({ field, message }) => `${field} ${message}`.trim()).join("; ")
  )
})

const variableForm = /^[A-Za-z_][A-Za-z0-9_]*$/

const variableOf = (value: unknown): string | undefined =>
  Predicate.isObject(value) && Object.keys(value).length === 1 && "env" in value && typeof value.env === "string"
    ? value.env
    : undefined

/** The configuration with the values of the variables that it names, each `Redacted`. */
const withSecrets = (value: unknown, path: string, faults: Array<string>): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const variable = variableOf(value)
    if (variable !== undefined) {
      if (!variableForm.test(variable)) {
        faults.push(`${path}.env must be the name of an environment variable`)
        return value
      }
      const found = yield* Effect.option(Effect.flatMap(Config.option(Config.Redacted(variable)), Effect.fromOption))
      if (Option.isSome(found) && Redacted.value(found.value) !== "") return found.value
      faults.push(`${path} names the environment variable ${variable}, which is not set`)
      return Redacted.make("")
    }
    if (Array.isArray(value)) {
      return yield* Effect.forEach(value, (inner, at) => withSecrets(inner, `${path}[${at}]`, faults))
    }
    if (!Predicate.isObject(value)) return value
    const entries = yield* Effect.forEach(Object.entries(value), ([key, inner]) =>
      Effect.map(withSecrets(inner, `${path}.${key}`, faults), (read) => [key, read] as const)
    )
    return Object.fromEntries(entries)
  })

const typesOf = (extension: Extension): ReadonlyArray<string> => (extension.enrichments ?? []).map(({ type }) => type)

/** Reads the configuration file and what it names, together with what settings say of providers. */
export const loadConfiguration = Effect.fn("loadConfiguration")(function* (
  settings: Settings
): Effect.fn.Return<Configuration, SettingInvalid> {
  const configFile = settings.configFile ?? { path: "millrace.config.json", required: false }
  const path = configFile.path
  const refuse = (faults: ReadonlyArray<string>) => new SettingInvalid({ message: `${path}: ${faults.join("; ")}` })
  const file =
    settings.configFile === undefined
      ? empty
      : yield* Effect.mapError(readConfig(configFile), (fault) => refuse([fault]))

  const faults: Array<string> = []
  const extensions: Array<Extension> = []
  for (const [at, name] of (file.modules ?? []).entries()) {
    const loaded = yield* Effect.result(loadModule(name, path))
    if (Result.isSuccess(loaded)) extensions.push(loaded.success)
    else faults.push(`modules[${at}]: ${loaded.failure}`)
  }
  // Kinds that a module was to bring would all be missing.
  if (faults.length > 0) return yield* refuse(faults)

  const factories = [...bundledProviders, ...extensions.flatMap(({ providers }) => providers ?? [])]
  faults.push(...factoryFaults(factories).map((fault) => `modules: ${fault}`))
  const taken = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }).map(({ type }) => type)
  for (const type of extensions.flatMap(typesOf)) {
    if (taken.includes(type)) faults.push(`modules: "${type}" is the type of two kinds of enrichment`)
    taken.push(type)
  }

  const collections = extensions.flatMap((extension) => extension.collections ?? [])
  faults.push(...collectionFaults(collections).map((fault) => `modules: ${fault}`))

  const written: ReadonlyArray<NonNullable<(typeof ConfigFile.Type)["providers"]>[number]> = file.providers ?? []
  // What the file says of an instance stands for the one of the settings.
  const named = (settings.providers ?? []).filter((id) => !written.some((one) => one.id === id))
  const given: Array<InstanceSettings> = named.map((id) => ({ id }))
  for (const [at, { config, id, name }] of written.entries()) {
    const read = yield* withSecrets(config ?? {}, `providers[${at}].config`, faults)
    given.push({ id, config: read, ...(name === undefined ? {} : { name }) })
  }
  const keys = yield* Effect.forEach(file.models ?? [], ({ apiKey }, at) =>
    apiKey === undefined ? Effect.undefined : withSecrets(apiKey, `models[${at}].apiKey`, faults)
  )
  // A variable that is missing is one fault, and not also a value of the wrong form.
  if (faults.length > 0) return yield* refuse(faults)
  const drivers = configured(factories, given)
  if (Result.isFailure(drivers)) {
    const told = drivers.failure.map(({ field, message }) => {
      const [, index = "0", rest = ""] = /^\[(\d+)\](.*)$/su.exec(field) ?? []
      const at = Number(index)
      return at < named.length
        ? new SettingInvalid({ message: `MILLRACE_PROVIDERS: "${named[at]}" ${message}` })
        : `providers[${at - named.length}]${rest} ${message}`
    })
    const inFile = told.filter((fault) => typeof fault === "string")
    return yield* told.find((fault) => typeof fault !== "string") ?? refuse(inFile)
  }

  const hosts: Record<OutboundPurpose, PrivateHosts> = {}
  const nameHosts = (purpose: OutboundPurpose, at: string, names: ReadonlyArray<string>) => {
    const read = privateHosts(names)
    if (Result.isSuccess(read)) hosts[purpose] = read.success
    else faults.push(`${at}: ${read.failure}`)
  }
  for (const purpose of sharedPurposes) {
    const ofVariable = purpose === "models" ? [] : (settings.privateHosts ?? [])
    nameHosts(purpose, `privateHosts.${purpose}`, [...ofVariable, ...(file.privateHosts?.[purpose] ?? [])])
  }
  for (const [at, { id, privateHosts: names = [] }] of written.entries()) {
    nameHosts(id, `providers[${at}].privateHosts`, names)
  }
  const nobody = Object.keys(file.businessDays?.workspaces ?? {}).find((id) => !isId("workspace", id))
  if (nobody !== undefined) return yield* refuse([`businessDays.workspaces: "${nobody}" is not the id of a workspace`])
  const ratesFile = file.rates === undefined ? undefined : resolve(dirname(path), file.rates.file)
  if (ratesFile !== undefined) {
    yield* Effect.mapError(readRateFile(ratesFile), (fault) => refuse([`rates.file: ${ratesFile} ${fault}`]))
  }
  const models = hosts["models"] === undefined ? [] : modelEndpoints(file.models ?? [], keys, hosts["models"], faults)
  if (faults.length > 0) return yield* refuse(faults)
  return {
    ratesFile,
    businessDays: file.businessDays,
    providers: drivers.success,
    instances: given.map(({ id }) => id),
    budgets: new Map(written.flatMap(({ budget, id }) => (budget === undefined ? [] : [[id, budget] as const]))),
    privateHosts: hosts,
    models,
    destinations: extensions.flatMap(({ destinations }) => destinations ?? []),
    enrichments: extensions.flatMap(({ enrichments }) => enrichments ?? []),
    collections
  }
})
