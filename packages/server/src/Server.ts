/** Configuration -> layers -> a running server. */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Adapters from "@millrace/adapters/Adapters"
import * as DemoProvider from "@millrace/adapters/provider/demo/DemoProvider"
import * as AesSecrets from "@millrace/adapters/secrets/AesSecrets"
import * as PostgresStorage from "@millrace/adapters/storage/postgres/PostgresStorage"
import { JobLease } from "@millrace/core/job/JobLease"
import * as Kernel from "@millrace/core/Kernel"
import { Readiness } from "@millrace/http/Readiness"
import { guard, serve, serverOptions } from "@millrace/http/Server"
import { layerJobHistory, layerPurge, layerSchedules, layerUploads } from "@millrace/jobs/Chores"
import { layerCluster } from "@millrace/jobs/ClusterEngine"
import { createHmac } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "./Database.ts"
import { keyOf } from "./KeyFile.ts"
import type { Settings } from "./Settings.ts"

/** Keys for different uses never meet: each is derived from the one that is kept. */
const derive = (key: Redacted.Redacted, use: string): Redacted.Redacted =>
  Redacted.make(
    createHmac("sha256", Buffer.from(Redacted.value(key), "base64"))
      .update(use)
      .digest("base64")
  )

const readiness = Layer.effect(
  Readiness,
  Effect.map(SqlClient.SqlClient, (sql) =>
    sql`select 1`.pipe(
      Effect.timeout("2 seconds"),
      Effect.match({
        // Layers build only after the migrations ran.
        onSuccess: () => ({ database: true, migrations: true, draining: false }),
        onFailure: () => ({ database: false, migrations: true, draining: false })
      })
    )
  )
)

/** What the bundled server talks to; whoever embeds it brings providers and destinations of their own. */
export const layerAdapters = (settings: Settings) =>
  Adapters.layer({ providers: [DemoProvider.make()], folder: settings.filesFolder })

/** Storage, adapters, job engine and use cases: all but the API. */
export const layerKernel = (settings: Settings, adapters = layerAdapters(settings)) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const key = settings.secretKey ?? (yield* keyOf(settings.dataFolder))
      return Layer.mergeAll(layerSchedules, layerUploads, layerPurge, layerJobHistory).pipe(
        Layer.provideMerge(Kernel.layerUseCases(derive(key, "cursors"))),
        Layer.provideMerge(layerCluster({ slots: settings.slots })),
        Layer.provideMerge(Kernel.layerRun),
        Layer.provideMerge(adapters),
        Layer.provideMerge(PostgresStorage.layer),
        Layer.provide(AesSecrets.layer({ key: derive(key, "bank secrets") })),
        Layer.provideMerge(Layer.succeed(JobLease, settings.jobLease))
      )
    })
  ).pipe(Layer.provideMerge(Database.layer(settings)))

/** The address and port cannot be served on. */
export class ListenFailure extends Schema.TaggedError<ListenFailure>()("ListenFailure", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it. Set MILLRACE_PORT to a free one.",
  EACCES: "this user may not. Set MILLRACE_PORT to 1024 or above.",
  EADDRNOTAVAIL: "this machine has no such address. Set MILLRACE_HOST.",
  ENOTFOUND: "there is no such address. Set MILLRACE_HOST."
}

const listenFailure = (settings: Settings, cause: unknown): ListenFailure => {
  const code = Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"
  const reason = listenReasons[code] ?? `${code}. Check MILLRACE_HOST and MILLRACE_PORT.`
  return new ListenFailure({
    message: `Port ${settings.port} of ${settings.host} cannot be served on: ${reason}`,
    cause
  })
}

/** The API on its port; the port opens when everything below it stands. */
export const layerHttp = (settings: Settings) =>
  serve.pipe(
    Layer.provide(
      NodeHttpServer.layer(() => guard(createServer(serverOptions)), {
        host: settings.host,
        port: settings.port,
        gracefulShutdownTimeout: "4 seconds"
      })
    ),
    Layer.provide(readiness),
    Layer.catchTag("ServeError", ({ cause }) => Layer.effectContext(Effect.fail(listenFailure(settings, cause))))
  )

export const layer = (settings: Settings, adapters = layerAdapters(settings)) =>
  layerHttp(settings).pipe(Layer.provideMerge(layerKernel(settings, adapters)))
