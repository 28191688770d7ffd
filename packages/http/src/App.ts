/**
 * The whole HTTP application as a layer. It needs the kernel's services and a router, so the server, tests
 * (`HttpRouter.toWebHandler`) and embedders mount the same thing.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Collections, type ServedCollection } from "@millrace/core/collection"
import { apiWith } from "./api/WholeApi.ts"
import * as AccountHandlers from "./handlers/AccountHandlers.ts"
import * as AuditHandlers from "./handlers/AuditHandlers.ts"
import { collectionHandlers } from "./handlers/CollectionHandlers.ts"
import * as CallbackHandlers from "./handlers/CallbackHandlers.ts"
import * as CorrectionHandlers from "./handlers/CorrectionHandlers.ts"
import * as JoinHandlers from "./handlers/JoinHandlers.ts"
import * as BankHandlers from "./handlers/BankHandlers.ts"
import * as EnrichmentHandlers from "./handlers/EnrichmentHandlers.ts"
import * as FeedHandlers from "./handlers/FeedHandlers.ts"
import * as FieldHandlers from "./handlers/FieldHandlers.ts"
import * as DecisionHandlers from "./handlers/DecisionHandlers.ts"
import * as InsightHandlers from "./handlers/InsightHandlers.ts"
import * as FindingHandlers from "./handlers/FindingHandlers.ts"
import * as IdentityHandlers from "./handlers/IdentityHandlers.ts"
import * as JobHandlers from "./handlers/JobHandlers.ts"
import * as PreviewHandlers from "./handlers/PreviewHandlers.ts"
import * as RecordHandlers from "./handlers/RecordHandlers.ts"
import * as RowHandlers from "./handlers/RowHandlers.ts"
import { serveGroup } from "./handlers/Serve.ts"
import * as TableHandlers from "./handlers/TableHandlers.ts"
import * as UploadHandlers from "./handlers/UploadHandlers.ts"
import * as ValueHandlers from "./handlers/ValueHandlers.ts"
import * as WorkspaceHandlers from "./handlers/WorkspaceHandlers.ts"
import * as Edge from "./middleware/Edge.ts"
import { routesOf } from "./request/Routes.ts"
import * as ConnectPages from "./connect/ConnectPages.ts"
import * as UploadPage from "./connect/UploadPage.ts"
import * as Probes from "./Probes.ts"
import * as Reference from "./Reference.ts"
import * as Welcome from "./Welcome.ts"

const handlers = Layer.mergeAll(
  IdentityHandlers.layer,
  WorkspaceHandlers.layer,
  AuditHandlers.layer,
  BankHandlers.layer,
  AccountHandlers.layer,
  CallbackHandlers.layer,
  CorrectionHandlers.layer,
  JoinHandlers.layer,
  FeedHandlers.layer,
  JobHandlers.layer,
  RecordHandlers.layer,
  EnrichmentHandlers.layer,
  FindingHandlers.layer,
  InsightHandlers.layer,
  DecisionHandlers.layer,
  ValueHandlers.layer,
  PreviewHandlers.layer,
  UploadHandlers.layer,
  TableHandlers.layer,
  FieldHandlers.layer,
  RowHandlers.layer
)

const appOf = (added: ReadonlyArray<ServedCollection>) => {
  const { api, entries } = apiWith(added.map(({ contract }) => contract))
  const own = added.map(({ contract, useCases }) =>
    serveGroup(api, contract.surface.noun, Effect.succeed(collectionHandlers(contract, useCases)), entries)
  )
  const served = Layer.mergeAll(handlers, ...own)
  return Layer.mergeAll(
    HttpApiBuilder.layer(api, { openapiPath: "/openapi.json" }).pipe(Layer.provide(served)),
    Reference.layer(api),
    Probes.layer,
    Welcome.layer,
    ConnectPages.layer,
    UploadPage.layer,
    Edge.layer(routesOf(api, entries))
  )
}

/** Provide `HttpServer.layerServices` (or a platform's) and the kernel's use cases. */
export const App = Layer.unwrap(Effect.map(Collections, ({ all }) => appOf(all)))
