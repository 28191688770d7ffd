/**
 * The whole HTTP application as a layer. It needs the kernel's services and a router, so the server, tests
 * (`HttpRouter.toWebHandler`) and embedders mount the same thing.
 */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Collections, type ServedCollection } from "@millrace/core/collection"
import { collectionOperations, type ServicesOf, type Served } from "@millrace/core/operation"
import type { definitions } from "@millrace/core/operations"
import { apiOf, Api, bundled } from "./api/Api.ts"
import { serve } from "./handlers/Serve.ts"
import * as ConnectPages from "./connect/ConnectPages.ts"
import * as UploadPage from "./connect/UploadPage.ts"
import * as Mcp from "./mcp/Mcp.ts"
import { toolsOf } from "./mcp/Tools.ts"
import * as BodyMemory from "./middleware/BodyMemory.ts"
import * as Edge from "./middleware/Edge.ts"
import * as Probes from "./Probes.ts"
import * as Reference from "./Reference.ts"
import { routesOf } from "./request/Routes.ts"
import * as Welcome from "./Welcome.ts"

/** What the bundled operations run on. */
export type OperationServices = ServicesOf<(typeof definitions)[keyof typeof definitions]>

/** What is served: bundled operations, and those of collections that follow from their contracts alone. */
export const servedWith = (added: ReadonlyArray<ServedCollection>): Served => ({
  nouns: {
    ...bundled.nouns,
    ...Object.fromEntries(added.map(({ contract: { surface } }) => [surface.noun, surface.about]))
  },
  operations: Object.assign(
    {},
    bundled.operations,
    ...added.map(({ contract, useCases }) => collectionOperations(contract, contract.surface, Effect.succeed(useCases)))
  ) as Served["operations"]
})

const appOf = (added: ReadonlyArray<ServedCollection>, bodies: BodyMemory.BodyMemory) => {
  const served = servedWith(added)
  const api = added.length === 0 ? Api : apiOf(served)
  return Layer.mergeAll(
    HttpApiBuilder.layer(api, { openapiPath: "/openapi.json" }).pipe(
      Layer.provide(serve<OperationServices>(api, served))
    ),
    Reference.layer(api),
    Probes.layer,
    Welcome.layer,
    Mcp.layer(toolsOf(api, served), bodies),
    ConnectPages.layer,
    UploadPage.layer,
    Edge.layer(routesOf(served.operations), bodies)
  )
}

/** Provide `HttpServer.layerServices` (or a platform's) and the kernel's use cases. */
export const App = Layer.unwrap(
  Effect.gen(function* () {
    const { all } = yield* Collections
    return appOf(all, BodyMemory.make(yield* BodyMemory.BodyMemoryBytes))
  })
)
