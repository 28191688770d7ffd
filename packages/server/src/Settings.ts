/** What the operator can set, read from the environment. */
import { resolve } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

export interface Settings {
  /** Where the server keeps what is its own: database, key file, written files. */
  readonly dataFolder: string
  /** A PostgreSQL of the operator; `undefined` starts the built-in one. */
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly host: string
  readonly port: number
  /** The one folder that feeds may write files below; `undefined`: none. */
  readonly filesFolder: string | undefined
  /** 32 bytes in base64 that seal stored secrets and sign cursors; `undefined`: a file in the data folder. */
  readonly secretKey: Redacted.Redacted | undefined
  /** Whether a first start makes a workspace with a demo bank and two feeds. */
  readonly demo: boolean
  /** Jobs that run at the same time. */
  readonly slots: number
  /** Seconds without a heartbeat after which a job is taken up by another worker. */
  readonly jobLease: number
}

const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

const config = Config.all({
  data: Config.String("MILLRACE_DATA").pipe(Config.withDefault(".millrace")),
  databaseUrl: optional(Config.Redacted("DATABASE_URL")),
  host: Config.String("MILLRACE_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("MILLRACE_PORT").pipe(Config.withDefault(8080)),
  files: optional(Config.String("MILLRACE_FILES")),
  secretKey: optional(Config.Redacted("MILLRACE_SECRET")),
  demo: Config.Boolean("MILLRACE_DEMO").pipe(Config.withDefault(true)),
  slots: Config.Int("MILLRACE_SLOTS").pipe(Config.withDefault(4)),
  jobLease: Config.Int("MILLRACE_JOB_LEASE").pipe(Config.withDefault(6))
})

/** Every setting by the name of its variable, for help and docs. */
export const settingNames: Readonly<Record<string, string>> = {
  MILLRACE_DATA: "folder of the server's own data (default .millrace)",
  MILLRACE_PORT: "port to serve on (default 8080)",
  MILLRACE_HOST: "address to serve on (default 127.0.0.1; 0.0.0.0 for all)",
  DATABASE_URL: "a PostgreSQL 18 of yours; without it one is started in the data folder",
  MILLRACE_FILES: "the one folder that feeds may write files to (default <data>/files; none with DATABASE_URL)",
  MILLRACE_SECRET: "32 bytes in base64 that seal stored secrets (default: made once, kept in the data folder)",
  MILLRACE_DEMO: "false: a first start makes an empty workspace, without the demo bank",
  MILLRACE_SLOTS: "sync jobs that run at the same time (default 4)",
  MILLRACE_JOB_LEASE: "seconds without a sign of life after which a job is taken over (default 6)"
}

export const settings: Effect.Effect<Settings, Config.ConfigError> = Effect.map(config, (raw) => {
  const dataFolder = resolve(raw.data)
  const ownFiles = raw.databaseUrl === undefined ? resolve(dataFolder, "files") : undefined
  return {
    dataFolder,
    databaseUrl: raw.databaseUrl,
    host: raw.host,
    port: raw.port,
    filesFolder: raw.files === undefined ? ownFiles : resolve(raw.files),
    secretKey: raw.secretKey,
    demo: raw.demo,
    slots: raw.slots,
    jobLease: raw.jobLease
  }
})
