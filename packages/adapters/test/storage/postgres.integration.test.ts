import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { layer as storeClock } from "@millrace/verification/postgres/PostgresClock"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { JobDispatchSuite, StorageSuite } from "@millrace/testing/suite/storage"
import { RateLimiterSuite, UpstreamBudgetSuite } from "@millrace/testing/suite/rate"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"

const services = Layer.merge(storage, storeClock).pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
  Layer.provide(database(inject("postgres")))
)

StorageSuite.suite("PostgreSQL storage", services, { liveClock: true })
RateLimiterSuite.suite("PostgreSQL rate limiter", services, { liveClock: true })
JobDispatchSuite.suite("PostgreSQL: handing out jobs", services, { liveClock: true })
UpstreamBudgetSuite.suite("PostgreSQL: budgets of providers", services, { liveClock: true })
