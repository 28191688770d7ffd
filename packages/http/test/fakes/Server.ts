/** The real application over the fakes, called with plain `Request`s. */
import { type CredentialPrincipal, Families, type Scope, SessionArrivals } from "@millrace/core/access"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { WorkspaceStore } from "@millrace/core/storage"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { CurrentConnectAddresses } from "@millrace/core/bank"
import { AddedCollections, type AnyCollection, Collections } from "@millrace/core/collection"
import { Authenticator, CredentialInvalid, Cursors, Idempotency } from "@millrace/core/kernel"
import { RollingWindow } from "@millrace/core/rate"
import { Ids } from "@millrace/core"
import { TableSettings } from "@millrace/core/table"
import { AgreedRate, planWith, type Workspace } from "@millrace/core/workspace"
import { App } from "../../src/App.ts"
import { AccessLog, type AccessEntry } from "../../src/middleware/AccessLog.ts"
import { BodyMemoryBytes } from "../../src/middleware/BodyMemory.ts"
import { Compressor } from "../../src/middleware/Compression.ts"
import { RequestDeadline } from "../../src/middleware/Edge.ts"
import { Readiness, type ReadinessState } from "../../src/Readiness.ts"
import * as Records from "./Records.ts"
import * as UseCases from "./UseCases.ts"

export const secret = "mill_good"

export interface Options {
  readonly scopes?: ReadonlyArray<Scope>
  readonly workspace?: Partial<Workspace>
  readonly portals?: ReadonlyArray<Workspace>
  readonly trouble?: UseCases.Trouble
  readonly readiness?: ReadinessState
  /** Count against the plan; otherwise everything is admitted. */
  readonly metered?: boolean
  /** Counting never ends. */
  readonly budgetHangs?: boolean
  readonly deadline?: Duration.Duration
  readonly agreedRate?: number
  /** Where browsers reach the server. */
  readonly base?: string
  /** Who a token stands for. */
  readonly person?: CredentialPrincipal
  readonly workspaceRows?: number
  readonly compressor?: (typeof Compressor)["Service"]
  readonly bodyMemory?: number
  /** Served by their real use cases, in memory. */
  readonly collections?: ReadonlyArray<AnyCollection>
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
export type Loose = any

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Loose
}

const workspacesWith = (portals: ReadonlyArray<Workspace>) =>
  WorkspaceStore.of({
    create: () => Effect.void,
    update: () => Effect.succeed(false),
    get: () => Effect.succeedNone,
    portals: () => Effect.succeed(portals),
    all: Effect.succeed([])
  })

/** Never ends, and takes its time when it is told to. */
const stuck = Effect.onInterrupt(Effect.never, () => Effect.sleep("1 hour"))

export const make = (options: Options = {}) => {
  const calls: Record<string, Array<unknown>> = {}
  const entries: Array<AccessEntry> = []
  const counted: Array<string> = []
  const windows = new Map<string, RollingWindow.Window>()
  const counting = Effect.fnUntraced(function* (key: string, limit: number) {
    if (options.budgetHangs === true) return yield* stuck
    counted.push(key)
    if (options.metered !== true) return { admitted: true, limit, retryAfter: 0 }
    const window = windows.get(key) ?? RollingWindow.make(limit)
    windows.set(key, window)
    return RollingWindow.arrive(window, 1_000 * counted.length)
  })
  const kernel = Layer.mergeAll(
    UseCases.layer(calls, options.trouble ?? {}),
    Ids.layer,
    Idempotency.layer.pipe(Layer.provide([MemoryStorage.layer, NodeDigest.layer])),
    Collections.layer.pipe(
      Layer.provide(Layer.succeed(AddedCollections, options.collections ?? [])),
      Layer.provide(Cursors.layer(Redacted.make("a secret of these tests alone"))),
      Layer.provide([MemoryStorage.layer, NodeDigest.layer, Ids.layer])
    ),
    Families.layer.pipe(Layer.provide(Layer.succeed(WorkspaceStore, workspacesWith(options.portals ?? [])))),
    Layer.succeed(
      Authenticator,
      Authenticator.of({
        apiKey: () => Effect.die("not part of this API"),
        arrival: Effect.fnUntraced(function* (given, agreedRate) {
          if (Redacted.value(given) !== secret) return yield* new CredentialInvalid()
          const workspace = { ...Records.workspace, ...options.workspace }
          const { requestsPerMinute } = planWith(agreedRate, workspace.plan)
          const key = { ...Records.key, scopes: options.scopes ?? Records.key.scopes }
          const decision = yield* counting(workspace.id, requestsPerMinute)
          return { principal: { kind: "api_key", workspace, key } as const, decision }
        }),
        createKey: () => Effect.die("not part of this API")
      })
    ),
    Layer.succeed(AccessLog, (entry: AccessEntry) => Effect.sync(() => entries.push(entry))),
    Layer.succeed(
      Readiness,
      Effect.succeed(options.readiness ?? { database: true, migrations: true, draining: false })
    ),
    Layer.succeed(RequestDeadline, options.deadline ?? Duration.seconds(30)),
    Layer.succeed(Compressor, options.compressor),
    Layer.succeed(TableSettings, { workspaceRows: options.workspaceRows }),
    options.agreedRate === undefined ? Layer.empty : Layer.succeed(AgreedRate, options.agreedRate),
    options.base === undefined
      ? Layer.empty
      : Layer.succeed(CurrentConnectAddresses, { base: options.base, isPublic: false }),
    options.person === undefined
      ? Layer.empty
      : Layer.succeed(SessionArrivals, {
          arrival: () =>
            Effect.succeed({ principal: options.person!, decision: { admitted: true, limit: 600, retryAfter: 0 } })
        }),
    options.bodyMemory === undefined ? Layer.empty : Layer.succeed(BodyMemoryBytes, options.bodyMemory),
    HttpServer.layerServices,
    MemoryStorage.layer
  )
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message, cause }) => logged.push(`${String(message)} ${String(cause)}`))])
  const { handler, dispose } = HttpRouter.toWebHandler(App.pipe(Layer.provide(kernel), Layer.provideMerge(logger)), {
    disableLogger: true
  })

  /** `path` with a credential unless `headers` say otherwise. */
  const call = async (
    method: string,
    path: string,
    init: {
      readonly body?: string | Uint8Array<ArrayBuffer> | FormData
      readonly headers?: Readonly<Record<string, string>>
      readonly anonymous?: boolean
    } = {}
  ): Promise<Answered> => {
    const headers = {
      ...(init.anonymous === true ? {} : { "x-api-key": secret }),
      ...(typeof init.body === "string" ? { "content-type": "application/json" } : {}),
      ...init.headers
    }
    // Made into bytes first: a form that is still being written when its reader gives up fails in Node.
    const form = init.body instanceof FormData ? new Response(init.body) : undefined
    const type = form?.headers.get("content-type")
    const body =
      form !== undefined
        ? new Uint8Array(await form.arrayBuffer())
        : init.body instanceof FormData
          ? undefined
          : init.body
    const response = await handler(
      new Request(`http://test${path}`, {
        method,
        headers: { ...(typeof type === "string" ? { "content-type": type } : {}), ...headers },
        ...(body === undefined ? {} : { body })
      })
    )
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined
    }
  }

  const json = (method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call(method, path, { body: JSON.stringify(body), headers })

  return { kernel, call, json, handler, calls, entries, counted, logged, dispose }
}

export type Server = ReturnType<typeof make>
