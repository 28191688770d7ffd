import { layer as aesSecrets } from "@millrace/adapters/secrets/AesSecrets"
import { layer as storage } from "@millrace/adapters/storage/postgres/PostgresStorage"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { suite } from "@millrace/testing/suite/JobEngineSuite"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { layerCluster } from "../src/ClusterEngine.ts"

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

suite(
  "the engine of a cluster on PostgreSQL",
  storage.pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))),
  (slots) => layerCluster({ slots }),
  { liveClock: true }
)
