import { layer as aesSecrets } from "@millrace/adapters/secrets/AesSecrets"
import { layer as storage } from "@millrace/adapters/storage/postgres/PostgresStorage"
import { layer as database } from "@millrace/testing/postgres/TestPostgres"
import { suite } from "@millrace/testing/suite/JobEngineSuite"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { layerMemory } from "../src/MemoryEngine.ts"

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

suite(
  "the engine of one process on PostgreSQL",
  storage.pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))),
  (slots) => layerMemory({ slots }),
  { liveClock: true }
)
