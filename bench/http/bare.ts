/**
 * The least that a request costs on what our server stands on: the router, the server and the PostgreSQL client of Effect,
 * with the key and the window of `peer.ts` in its two statements, a line to the log, and an answer that is made by hand.
 * What it does not reach beside fastify and pg, nothing on top of it can.
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { arrive, keyOf, limits, whoamiOf, windowMillis, type Key } from "./Checks.ts"

interface Found {
  readonly id: string
  readonly plan: string
  readonly body: Key
}

interface Window {
  readonly at: number
  readonly oldest: number | null
}

const app = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* router.add("GET", "/v1/whoami", (request) =>
      Effect.gen(function* () {
        const started = Date.now()
        const secret = request.headers["x-api-key"] ?? ""
        const hash = createHash("sha256").update(secret).digest("hex")
        const [found] = yield* sql.unsafe<Found>(keyOf, [hash])
        if (found === undefined) return HttpServerResponse.empty({ status: 401 })
        const limit = limits[found.plan]!
        const [window] = yield* sql.unsafe<Window>(arrive, [found.id, limit])
        const { at, oldest } = window!
        if (oldest !== null && at - oldest < windowMillis) return HttpServerResponse.empty({ status: 429 })
        const id = request.headers["x-request-id"] ?? randomUUID()
        const line = { id, method: request.method, path: request.url, status: 200, durationMs: Date.now() - started }
        process.stdout.write(`${JSON.stringify(line)}\n`)
        return HttpServerResponse.text(JSON.stringify(whoamiOf(found.body, { ...found })), {
          contentType: "application/json",
          headers: {
            "x-ratelimit-limit": String(limit),
            "x-ratelimit-policy": `${limit};w=60`,
            "x-request-id": id,
            "cache-control": "no-store",
            "x-content-type-options": "nosniff"
          }
        })
      })
    )
  })
)

const server = HttpRouter.serve(app, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(
    NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: Number(process.env["MILLRACE_PORT"]) })
  ),
  Layer.provide(
    PgClient.layer({
      url: Redacted.make(process.env["DATABASE_URL"]!),
      maxConnections: 12,
      startupParameters: { search_path: "millrace" }
    })
  )
)

const fiber = Effect.runFork(
  Effect.scoped(
    Effect.gen(function* () {
      yield* Layer.build(server)
      process.stdout.write("Serving\n")
      return yield* Effect.never
    })
  )
)
process.once("SIGTERM", () => {
  fiber.addObserver(() => process.exit(0))
  fiber.interruptUnsafe()
})
