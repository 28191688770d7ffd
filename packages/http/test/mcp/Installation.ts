/** A whole installation in memory on a real socket, with a demo bank and keys of different scopes. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { DemoProvider } from "@millrace/adapters/provider"
import { Currency } from "@millrace/core"
import { asOwner, type Scope } from "@millrace/core/access"
import { Authenticator, Banks, Kernel, Workspaces } from "@millrace/core/kernel"
import { layerMemory } from "@millrace/jobs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { AccessLog } from "../../src/middleware/AccessLog.ts"
import { serve } from "../../src/Server.ts"

export const startInstallation = async () => {
  const server = createServer()
  const kernel = Kernel.layerUseCases(Redacted.make("a secret for cursors that only this test has")).pipe(
    Layer.provideMerge(layerMemory()),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(Adapters.layer({ providers: [DemoProvider.make()], folder: undefined })),
    Layer.provideMerge(MemoryStorage.layer)
  )
  const runtime = ManagedRuntime.make(
    serve.pipe(
      Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
      Layer.provide(Layer.succeed(AccessLog, () => Effect.void)),
      Layer.provideMerge(kernel)
    )
  )
  const made = await runtime.runPromise(
    Effect.gen(function* () {
      const { owner, secret, workspace } = yield* (yield* Workspaces).found({
        name: "Test",
        plan: "enterprise",
        timezone: "UTC",
        baseCurrency: Currency.make("USD"),
        ownerEmail: "owner@example.com"
      })
      const { bank } = yield* (yield* Banks).connect(asOwner(workspace, owner), {
        instanceId: "demo:default",
        attemptId: "mcp",
        payload: { kind: "provider_connection_id", connectionId: "mcp" }
      })
      return { bank, key: Redacted.value(secret), owner, workspace }
    })
  )
  return {
    ...made,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keyWith: async (...scopes: ReadonlyArray<Scope>): Promise<string> => {
      const key = Authenticator.use((one) =>
        one.createKey({
          workspaceId: made.workspace.id,
          createdBy: made.owner.id,
          name: "Narrow",
          scopes,
          expiresAt: null
        })
      )
      return Redacted.value((await runtime.runPromise(key)).secret)
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      await runtime.dispose()
    }
  }
}
