import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { JobEngineSuite } from "@millrace/testing/suite/job"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { layerCluster } from "../src/ClusterEngine.ts"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

JobEngineSuite.suite(
  "the engine of a cluster on PostgreSQL",
  storage.pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))),
  (slots) => layerCluster({ slots }),
  { liveClock: true }
)
