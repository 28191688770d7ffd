/** The API on a real socket over the kernel on PostgreSQL, with an empty workspace and no rate limit. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Currency } from "@millrace/core"
import { AgreedRate } from "@millrace/core/workspace"
import { Workspaces } from "@millrace/core/kernel"
import { AccessLog, serve } from "@millrace/http"
import { call, type Sent } from "@millrace/verification/process/ApiCaller"
import { makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { expect } from "vitest"
import { layerKernel } from "../src/Server.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
export type Loose = any

export interface Told {
  readonly status: number
  readonly body: Loose
  readonly text: string
  readonly etag: string | undefined
}

/** Tests ask more often than any plan allows. */
const unmetered = Layer.succeed(AgreedRate, 20_000)

export const startTableServer = async (address: PostgresAddress) => {
  const folder = await makeDataFolder()
  const database = await makeServerDatabase(address, "migrated")
  const server = createServer()
  const runtime = ManagedRuntime.make(
    serve.pipe(
      Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
      Layer.provide(Layer.succeed(AccessLog, () => Effect.void)),
      Layer.provide(unmetered),
      Layer.provideMerge(
        layerKernel({
          dataFolder: folder.path,
          databaseUrl: Redacted.make(database.url),
          host: "127.0.0.1",
          port: 0,
          filesFolder: folder.path,
          secretKey: Redacted.make(Buffer.alloc(32, 3).toString("base64")),
          demo: false,
          slots: 0,
          jobLease: 30
        })
      )
    )
  )
  const { secret } = await runtime.runPromise(
    Effect.gen(function* () {
      return yield* (yield* Workspaces).create({
        name: "Tables",
        plan: "enterprise",
        timezone: "UTC",
        baseCurrency: Currency.make("EUR"),
        ownerEmail: "owner@localhost"
      })
    })
  )
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const callAt = async (path: string, sent: Sent = {}): Promise<Told> => {
    const { body, headers, json, status } = await call(origin, Redacted.value(secret), path, sent)
    return { status, body: body === "" ? undefined : json(), text: body, etag: headers.etag }
  }
  /** `path` is below `/v1/tables`. */
  const ask = (path: string, sent: Sent = {}): Promise<Told> => callAt(`/v1/tables${path}`, sent)

  /** The data of an answer that must succeed. */
  const get = async (path: string, sent: Sent = {}): Promise<Loose> => {
    const told = await ask(path, sent)
    expect(told.status, `${sent.method ?? ""} ${path} ${told.text}`).toBeLessThan(300)
    return told.body.data
  }

  return {
    call: callAt,
    ask,
    get,
    stop: async () => {
      server.closeAllConnections()
      await runtime.dispose()
      await database.drop()
      await folder.remove()
    }
  }
}

export type TableServer = Awaited<ReturnType<typeof startTableServer>>
