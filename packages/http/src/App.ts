/**
 * The whole HTTP application as a layer. It needs the kernel's services and a router, so the server, tests
 * (`HttpRouter.toWebHandler`) and embedders mount the same thing.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"
import { Api } from "./api/Api.ts"
import * as AccountHandlers from "./handlers/AccountHandlers.ts"
import * as AuditHandlers from "./handlers/AuditHandlers.ts"
import * as CorrectionHandlers from "./handlers/CorrectionHandlers.ts"
import * as BankHandlers from "./handlers/BankHandlers.ts"
import * as FeedHandlers from "./handlers/FeedHandlers.ts"
import * as FieldHandlers from "./handlers/FieldHandlers.ts"
import * as IdentityHandlers from "./handlers/IdentityHandlers.ts"
import * as JobHandlers from "./handlers/JobHandlers.ts"
import * as RecordHandlers from "./handlers/RecordHandlers.ts"
import * as RowHandlers from "./handlers/RowHandlers.ts"
import * as TableHandlers from "./handlers/TableHandlers.ts"
import * as UploadHandlers from "./handlers/UploadHandlers.ts"
import * as Edge from "./middleware/Edge.ts"
import * as SchemaFaults from "./answer/SchemaFaults.ts"
import * as Probes from "./Probes.ts"
import * as Welcome from "./Welcome.ts"

const handlers = Layer.mergeAll(
  IdentityHandlers.layer,
  AuditHandlers.layer,
  BankHandlers.layer,
  AccountHandlers.layer,
  CorrectionHandlers.layer,
  FeedHandlers.layer,
  JobHandlers.layer,
  RecordHandlers.layer,
  UploadHandlers.layer,
  TableHandlers.layer,
  FieldHandlers.layer,
  RowHandlers.layer
).pipe(Layer.provide(SchemaFaults.layer))

/** The page of the reference loads nothing from elsewhere and tells nobody that it was opened. */
const documents = { withDefaultFonts: false, telemetry: false, showOperationId: true }

/** Provide `HttpServer.layerServices` (or a platform's) and the kernel's use cases. */
export const App = Layer.mergeAll(
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(Layer.provide(handlers)),
  HttpApiScalar.layer(Api, { path: "/docs", scalar: documents }),
  Probes.layer,
  Welcome.layer,
  Edge.layer
)
