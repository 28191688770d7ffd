import { layer as aesSecrets } from "@millrace/adapters/secrets/AesSecrets"
import { layer as storage } from "@millrace/adapters/storage/postgres/PostgresStorage"
import { layer as storeClock } from "@millrace/testing/postgres/PostgresClock"
import { layer as database } from "@millrace/testing/postgres/TestPostgres"
import { suite } from "@millrace/testing/suite/StorageSuite"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

suite(
  "PostgreSQL storage",
  Layer.mergeAll(storage, storeClock).pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))),
  { liveClock: true }
)
