/** What the operator can set, read from the environment. */
import { BlockList, isIP } from "node:net"
import { resolve } from "node:path"
import { type ChannelOptions, privateHosts } from "@millrace/adapters"
import { Currency, limits, zoneOf } from "@millrace/core"
import type { RequestBudget } from "@millrace/core/rate"
import type { TableSettings } from "@millrace/core/table"
import type { UploadSettings } from "@millrace/core/upload"
import { plans } from "@millrace/core/workspace"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isKey, keyBytes } from "./KeyFile.ts"
import { logFormOf } from "./LogForm.ts"
import { channelsOf, messageConfig, messageSettingNames } from "./MessageSettings.ts"

export interface Settings {
  /** Where the server keeps what is its own: database, key file, written files. */
  readonly dataFolder: string
  /** A PostgreSQL of the operator; `undefined` starts the built-in one. */
  readonly databaseUrl: Redacted.Redacted | undefined
  /** The operator says that no pooler stands between the server and the database of `databaseUrl`. */
  readonly databaseDirect?: boolean
  readonly host: string
  readonly port: number
  /** Where browsers and upstreams reach this server, without a slash at the end; `undefined`: this machine alone. */
  readonly publicUrl?: string | undefined
  /** The one folder that feeds may write files below; `undefined`: none. */
  readonly filesFolder: string | undefined
  /** 32 bytes in base64 that seal stored secrets and sign cursors; `undefined`: a file in the data folder. */
  readonly secretKey: Redacted.Redacted | undefined
  /** Former ones that still open what they sealed. */
  readonly previousKeys?: ReadonlyArray<Redacted.Redacted>
  /** Bytes of the disk of the built-in database that uploads leave free. */
  readonly diskReserve?: number
  /** Whether a first start makes a workspace with demo banks and two feeds. */
  readonly demo: boolean
  /** Whether enrichments work. Where they do not, sources are read and nothing is delivered. */
  readonly enrichments?: boolean
  /** Jobs that run at the same time; 0: this process serves the API only. */
  readonly slots: number
  /** Where the other processes of the installation reach this one; absent: it runs jobs on its own. */
  readonly cluster?: { readonly host: string; readonly port: number } | undefined
  /** Requests per minute by provider instance, instead of what the provider declares. */
  readonly budgets?: ReadonlyMap<string, RequestBudget>
  /** Requests a minute to the API of a workspace on the plan `enterprise`, which a first start makes. Absent: as the plan has it. */
  readonly requestsPerMinute?: number
  /** Where the configuration file is, which may be missing unless it is required; absent: there is none. */
  readonly configFile?: { readonly path: string; readonly required: boolean }
  /** Providers that need no configuration, by the ids of their instances; absent: none. */
  readonly providers?: ReadonlyArray<string>
  /** Hosts that messages, webhook endpoints and destinations may be at although they are private; absent: none. */
  readonly privateHosts?: ReadonlyArray<string>
  /** Whether an address is that of a proxy before the server, whose header about the caller is believed; absent: none is. */
  readonly isProxy?: (address: string) => boolean
  /** What carries messages to people besides requests; absent: nothing. */
  readonly channels?: ChannelOptions
  /** Of a workspace that a first start makes; absent: US dollars. */
  readonly currency?: Currency.Currency
  /** Of a workspace that a first start makes, by its IANA name; absent: the time zone of this machine. */
  readonly timezone?: string
  /** Seconds without a heartbeat after which a job is taken up by another worker. */
  readonly jobLease: number
  /** Absent: as the kernel has it. */
  readonly uploads?: typeof UploadSettings.Service
  readonly tables?: typeof TableSettings.Service
}

/** A setting that cannot be used. The message names it; it never repeats a secret. */
export class SettingInvalid extends Schema.TaggedError<SettingInvalid>()("SettingInvalid", {
  message: Schema.String
}) {}

const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

const config = Config.all({
  data: Config.String("MILLRACE_DATA").pipe(Config.withDefault(".millrace")),
  databaseUrl: optional(Config.Redacted("DATABASE_URL")),
  databaseDirect: optional(Config.String("MILLRACE_DATABASE_DIRECT")),
  host: Config.String("MILLRACE_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: optional(Config.String("MILLRACE_PORT")),
  publicUrl: optional(Config.String("MILLRACE_PUBLIC_URL")),
  files: optional(Config.String("MILLRACE_FILES")),
  secretKey: optional(Config.Redacted("MILLRACE_SECRET")),
  previousKeys: optional(Config.Redacted("MILLRACE_SECRET_PREVIOUS")),
  diskReserve: optional(Config.String("MILLRACE_DISK_RESERVE_MIB")),
  demo: optional(Config.String("MILLRACE_DEMO")),
  enrichments: optional(Config.String("MILLRACE_ENRICHMENTS")),
  slots: optional(Config.String("MILLRACE_SLOTS")),
  cluster: optional(Config.String("MILLRACE_CLUSTER")),
  budgets: optional(Config.String("MILLRACE_BUDGETS")),
  requestsPerMinute: optional(Config.String("MILLRACE_REQUESTS_PER_MINUTE")),
  configFile: optional(Config.String("MILLRACE_CONFIG")),
  providers: optional(Config.String("MILLRACE_PROVIDERS")),
  privateHosts: optional(Config.String("MILLRACE_PRIVATE_HOSTS")),
  trustedProxies: optional(Config.String("MILLRACE_TRUSTED_PROXIES")),
  messages: messageConfig,
  currency: optional(Config.String("MILLRACE_CURRENCY")),
  timezone: optional(Config.String("MILLRACE_TIMEZONE")),
  log: optional(Config.String("MILLRACE_LOG")),
  jobLease: optional(Config.String("MILLRACE_JOB_LEASE")),
  tableRows: optional(Config.String("MILLRACE_TABLE_ROWS")),
  filesMebibytes: optional(Config.String("MILLRACE_FILES_MIB")),
  uploadMebibytes: optional(Config.String("MILLRACE_UPLOAD_MIB")),
  uploadDays: optional(Config.String("MILLRACE_UPLOAD_DAYS"))
})

const mebibyte = 1_048_576
/** A file is decoded into one text, and no text of the platform is longer than 512 MiB. */
const mostUploadMebibytes = 500

const invalid = (message: string) => Effect.fail(new SettingInvalid({ message }))

const wholeNumber = (
  name: string,
  text: string | undefined,
  allowed: { readonly least: number; readonly most: number; readonly otherwise: number }
): Effect.Effect<number, SettingInvalid> => {
  if (text === undefined) return Effect.succeed(allowed.otherwise)
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN
  return value >= allowed.least && value <= allowed.most
    ? Effect.succeed(value)
    : invalid(`${name} must be a whole number from ${allowed.least} to ${allowed.most}, and is "${text}".`)
}

const flags: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  yes: true,
  false: false,
  "0": false,
  no: false
}

const flag = (name: string, text: string | undefined, otherwise: boolean): Effect.Effect<boolean, SettingInvalid> => {
  const value = text === undefined ? otherwise : flags[text.trim().toLowerCase()]
  return value === undefined ? invalid(`${name} must be true or false, and is "${text}".`) : Effect.succeed(value)
}

const onOrOff = (name: string, text = "on"): Effect.Effect<boolean, SettingInvalid> => {
  const word = text.trim().toLowerCase()
  return word === "on" || word === "off"
    ? Effect.succeed(word === "on")
    : invalid(`${name} must be on or off, and is "${text}".`)
}

const checkSecret = (key: Redacted.Redacted | undefined): Effect.Effect<void, SettingInvalid> =>
  key === undefined || isKey(Redacted.value(key))
    ? Effect.void
    : invalid(`MILLRACE_SECRET must be ${keyBytes} bytes in base64: openssl rand -base64 ${keyBytes}`)

/** Former secrets, the newest first. They belong to one that is set: the key file holds its own. */
const parsePrevious = (
  text: Redacted.Redacted | undefined,
  current: Redacted.Redacted | undefined
): Effect.Effect<ReadonlyArray<Redacted.Redacted>, SettingInvalid> => {
  if (text === undefined) return Effect.succeed([])
  if (current === undefined) {
    return invalid(
      "MILLRACE_SECRET_PREVIOUS needs MILLRACE_SECRET: the key file holds former keys in lines of its own."
    )
  }
  const keys = Redacted.value(text)
    .split(",")
    .map((key) => key.trim())
  return keys.every(isKey)
    ? Effect.succeed(keys.map((key) => Redacted.make(key)))
    : invalid(`MILLRACE_SECRET_PREVIOUS must be former values of MILLRACE_SECRET, with a comma between them.`)
}

const checkUrl = (url: Redacted.Redacted | undefined): Effect.Effect<void, SettingInvalid> => {
  if (url === undefined) return Effect.void
  const { protocol } = URL.parse(Redacted.value(url)) ?? { protocol: "" }
  return protocol === "postgres:" || protocol === "postgresql:"
    ? Effect.void
    : invalid("DATABASE_URL must be of the form postgres://user:password@host:5432/database.")
}

const addressForm = /^(?:\[([0-9a-fA-F:.]+)\]|([a-zA-Z0-9._-]+)):(\d{1,5})$/

const parseCluster = (text: string | undefined): Effect.Effect<Settings["cluster"], SettingInvalid> => {
  if (text === undefined) return Effect.undefined
  const [, bracketed, plain, digits] = addressForm.exec(text.trim()) ?? []
  const [host, port] = [bracketed ?? plain, Number(digits)]
  return host !== undefined && port >= 1 && port <= 65_535
    ? Effect.succeed({ host, port })
    : invalid(`MILLRACE_CLUSTER must be of the form host:port, as other processes reach this one, and is "${text}".`)
}

/** The parts of a list in one variable. */
const listOf = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))

const budgetForm = /^([a-z]+:[a-z0-9_-]+)=([1-9]\d{0,5})(?:\/([1-9]\d{0,5}))?$/

const parseBudgets = (text: string | undefined): Effect.Effect<ReadonlyMap<string, RequestBudget>, SettingInvalid> => {
  const budgets = new Map<string, RequestBudget>()
  for (const entry of listOf(text)) {
    const [, instance, perMinute, perConnection] = budgetForm.exec(entry) ?? []
    if (instance === undefined) {
      return invalid(
        `MILLRACE_BUDGETS must be a list such as "demo:default=600,demo:other=100/10": requests per minute of an instance, and of each connection. "${entry}" is not.`
      )
    }
    budgets.set(instance, {
      perMinute: Number(perMinute),
      ...(perConnection === undefined ? {} : { perConnectionPerMinute: Number(perConnection) })
    })
  }
  return Effect.succeed(budgets)
}

const parseHosts = (text: string | undefined): Effect.Effect<ReadonlyArray<string>, SettingInvalid> =>
  Result.match(privateHosts(listOf(text)), {
    onSuccess: () => Effect.succeed(listOf(text)),
    onFailure: (fault) => invalid(`MILLRACE_PRIVATE_HOSTS must be a list of hosts with commas between them: ${fault}.`)
  })

/** Addresses and networks of proxies, such as `10.0.0.5` and `fd00::/8`. */
const parseProxies = (text: string | undefined): Effect.Effect<(address: string) => boolean, SettingInvalid> => {
  const proxies = new BlockList()
  for (const one of listOf(text)) {
    const [address = "", bits, ...more] = one.split("/")
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    const isNet =
      version !== 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    if (!isNet) {
      return invalid(
        `MILLRACE_TRUSTED_PROXIES must be a list of addresses or networks, such as 10.0.0.5,fd00::/8: "${one}" is none.`
      )
    }
    proxies.addSubnet(address, bits === undefined ? most : Number(bits), version === 4 ? "ipv4" : "ipv6")
  }
  return Effect.succeed((address) => {
    const version = isIP(address)
    return version !== 0 && proxies.check(address, version === 4 ? "ipv4" : "ipv6")
  })
}

const parseCurrency = (text: string): Effect.Effect<Currency.Currency, SettingInvalid> => {
  const currency = Currency.parse(text.trim())
  return currency === undefined
    ? invalid(`MILLRACE_CURRENCY must be an ISO 4217 code, such as EUR, and is "${text}".`)
    : Effect.succeed(currency)
}

const parseTimeZone = (text: string): Effect.Effect<string, SettingInvalid> => {
  const zone = zoneOf(text.trim())
  return zone === undefined
    ? invalid(`MILLRACE_TIMEZONE must be the name of a time zone, such as Europe/Berlin, and is "${text}".`)
    : Effect.succeed(zone)
}

/** Several processes meet in one database; the built-in one belongs to the process that started it. */
const checkShared = (
  name: string,
  isShared: boolean,
  databaseUrl: Redacted.Redacted | undefined
): Effect.Effect<void, SettingInvalid> =>
  isShared && databaseUrl === undefined
    ? invalid(
        `${name} needs DATABASE_URL: several processes share one PostgreSQL, and the built-in one cannot be shared.`
      )
    : Effect.void

/** The origin of an address; browsers end there after they were at a bank, so that it must be one of the web. */
const publicOrigin = (text: string | undefined): Effect.Effect<string | undefined, SettingInvalid> => {
  if (text === undefined) return Effect.undefined
  const url = URL.parse(text)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\/[^/?#@]+\/?$/.test(text)
  return isOrigin
    ? Effect.succeed(url.origin)
    : invalid("MILLRACE_PUBLIC_URL must be an address without a path, such as https://money.example.")
}

/** Every setting by the name of its variable, for help and docs. */
export const settingNames: Readonly<Record<string, string>> = {
  MILLRACE_DATA: "folder of the server's own data (default .millrace)",
  MILLRACE_PORT: "port to serve on (default 8080)",
  MILLRACE_HOST: "address to serve on (default 127.0.0.1; 0.0.0.0 for all)",
  MILLRACE_PUBLIC_URL:
    "address at which browsers and providers reach this server, such as https://money.example (default: this machine alone)",
  MILLRACE_CURRENCY: "base currency of the workspace that a first start makes, such as EUR (default USD)",
  MILLRACE_TIMEZONE: "its time zone, such as Europe/Berlin (default: that of this machine)",
  MILLRACE_LOG:
    "text: log and requests as lines for people; json: for programs (default text; json with NODE_ENV=production)",
  DATABASE_URL: "a PostgreSQL 18 of yours; without it one is started in the data folder",
  MILLRACE_DATABASE_DIRECT:
    "true: no pooler stands in between, so small statements cost half as much (default false); see Operating first",
  MILLRACE_FILES: "the one folder that feeds may write files to (default <data>/files; none with DATABASE_URL)",
  MILLRACE_SECRET: "32 bytes in base64 that seal stored secrets (default: made once, kept in the data folder)",
  MILLRACE_SECRET_PREVIOUS: "the secret before this one, until what it sealed is sealed again; several with a comma",
  MILLRACE_DISK_RESERVE_MIB:
    "MiB of the disk that uploads leave free, with the built-in database (default 256; 0: none)",
  MILLRACE_DEMO: "false: a first start makes an empty workspace, without the demo banks",
  MILLRACE_ENRICHMENTS:
    "off: sources are read and nothing is delivered, while an enrichment keeps the server from working",
  MILLRACE_SLOTS: "sync jobs that run at the same time (default 4; 0: only the API, with DATABASE_URL)",
  MILLRACE_CLUSTER:
    "host:port at which other processes on the same DATABASE_URL reach this one; without it, it runs alone",
  MILLRACE_CONFIG:
    "the configuration file (default millrace.config.json in the folder of the start, where there is one)",
  MILLRACE_PROVIDERS:
    "providers that need no configuration, such as demo:default,demo:test (default demo:default; none: only those of the file)",
  MILLRACE_BUDGETS:
    "requests per minute to providers, such as demo:default=600 or, with each connection's, demo:default=600/30",
  MILLRACE_PRIVATE_HOSTS:
    "private hosts that messages, webhook endpoints and destinations may be sent to, such as n8n.internal:5678 (default: none)",
  MILLRACE_TRUSTED_PROXIES:
    "addresses or networks of proxies before the server, whose X-Forwarded-For says who asks (default: none is believed)",
  MILLRACE_REQUESTS_PER_MINUTE: `requests per minute to the API, of all keys of the workspace together (default ${plans.enterprise.requestsPerMinute})`,
  MILLRACE_JOB_LEASE: "seconds without a sign of life after which a job is taken over (default 6)",
  ...messageSettingNames,
  MILLRACE_FILES_MIB:
    "MiB of uploaded files that a workspace may keep at one time (default: what its plan allows, which is no bound on enterprise)",
  MILLRACE_TABLE_ROWS:
    "rows that a workspace may have in its tables (default: what its plan allows, which is no bound on enterprise)",
  MILLRACE_UPLOAD_MIB: "size in MiB of the largest file that may be uploaded (default 25, at most 500)",
  MILLRACE_UPLOAD_DAYS:
    "days that uploaded files are kept once they were read, 0 for not at all (default: as long as their feed)"
}

export const settings: Effect.Effect<Settings, Config.ConfigError | SettingInvalid> = Effect.gen(function* () {
  const raw = yield* config
  const dataFolder = resolve(raw.data)
  const ownFiles = raw.databaseUrl === undefined ? resolve(dataFolder, "files") : undefined
  yield* checkSecret(raw.secretKey)
  yield* checkUrl(raw.databaseUrl)
  if (logFormOf({ MILLRACE_LOG: raw.log }) === undefined) {
    return yield* invalid(`MILLRACE_LOG must be text or json, and is "${raw.log}".`)
  }
  const slots = yield* wholeNumber("MILLRACE_SLOTS", raw.slots, { least: 0, most: 100, otherwise: 4 })
  const cluster = yield* parseCluster(raw.cluster)
  yield* checkShared("MILLRACE_CLUSTER", cluster !== undefined, raw.databaseUrl)
  yield* checkShared("MILLRACE_SLOTS=0", slots === 0, raw.databaseUrl)
  if (raw.databaseDirect !== undefined && raw.databaseUrl === undefined) {
    return yield* invalid("MILLRACE_DATABASE_DIRECT needs DATABASE_URL: nothing stands before the built-in PostgreSQL.")
  }
  const kept =
    raw.filesMebibytes === undefined
      ? {}
      : {
          workspaceBytes:
            mebibyte *
            (yield* wholeNumber("MILLRACE_FILES_MIB", raw.filesMebibytes, { least: 1, most: 1_048_576, otherwise: 1 }))
        }
  const rows =
    raw.tableRows === undefined
      ? {}
      : {
          workspaceRows: yield* wholeNumber("MILLRACE_TABLE_ROWS", raw.tableRows, {
            least: 1,
            most: 1_000_000_000,
            otherwise: 1
          })
        }
  const mebibytes = yield* wholeNumber("MILLRACE_UPLOAD_MIB", raw.uploadMebibytes, {
    least: 1,
    most: mostUploadMebibytes,
    otherwise: limits.uploadBytes / mebibyte
  })
  const keepDays =
    raw.uploadDays === undefined
      ? undefined
      : yield* wholeNumber("MILLRACE_UPLOAD_DAYS", raw.uploadDays, { least: 0, most: 36_500, otherwise: 0 })
  return {
    dataFolder,
    databaseUrl: raw.databaseUrl,
    databaseDirect: yield* flag("MILLRACE_DATABASE_DIRECT", raw.databaseDirect, false),
    host: raw.host,
    port: yield* wholeNumber("MILLRACE_PORT", raw.port, { least: 1, most: 65_535, otherwise: 8080 }),
    publicUrl: yield* publicOrigin(raw.publicUrl),
    filesFolder: raw.files === undefined ? ownFiles : resolve(raw.files),
    secretKey: raw.secretKey,
    previousKeys: yield* parsePrevious(raw.previousKeys, raw.secretKey),
    diskReserve:
      mebibyte *
      (yield* wholeNumber("MILLRACE_DISK_RESERVE_MIB", raw.diskReserve, { least: 0, most: 1_048_576, otherwise: 256 })),
    demo: yield* flag("MILLRACE_DEMO", raw.demo, true),
    enrichments: yield* onOrOff("MILLRACE_ENRICHMENTS", raw.enrichments),
    slots,
    ...(cluster === undefined ? {} : { cluster }),
    budgets: yield* parseBudgets(raw.budgets),
    configFile: { path: resolve(raw.configFile ?? "millrace.config.json"), required: raw.configFile !== undefined },
    providers: raw.providers === "none" ? [] : listOf(raw.providers ?? "demo:default"),
    privateHosts: yield* parseHosts(raw.privateHosts),
    isProxy: yield* parseProxies(raw.trustedProxies),
    channels: yield* Effect.catch(Effect.fromResult(channelsOf(raw.messages)), invalid),
    requestsPerMinute: yield* wholeNumber("MILLRACE_REQUESTS_PER_MINUTE", raw.requestsPerMinute, {
      least: 1,
      most: 100_000,
      otherwise: plans.enterprise.requestsPerMinute
    }),
    ...(raw.currency === undefined ? {} : { currency: yield* parseCurrency(raw.currency) }),
    ...(raw.timezone === undefined ? {} : { timezone: yield* parseTimeZone(raw.timezone) }),
    jobLease: yield* wholeNumber("MILLRACE_JOB_LEASE", raw.jobLease, { least: 1, most: 3_600, otherwise: 6 }),
    tables: rows,
    uploads: { maxBytes: mebibytes * mebibyte, keepDays, ...kept }
  }
})
