import { Ids } from "@millrace/core"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, inject } from "vitest"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import { layer as aesSecrets } from "../../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../../src/storage/postgres/PostgresStorage.ts"
import { tableSuite } from "./TableConformance.ts"
import { arrangeIn } from "./TableWorld.ts"

// One database for all tests: each of them makes a workspace and a table of its own.
const runtime = ManagedRuntime.make(
  Layer.mergeAll(
    storage.pipe(
      Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
      Layer.provide(database(inject("postgres")))
    ),
    Ids.layer,
    NodeDigest.layer
  )
)

afterAll(() => runtime.dispose())

tableSuite(
  "TableDestination in PostgreSQL",
  Effect.flatMap(runtime.contextEffect, (context) => Effect.provide(arrangeIn(), context))
)
