import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { layer as storeClock } from "@millrace/verification/postgres/PostgresClock"
import { OwnerClient, walled as database } from "@millrace/verification/postgres/TestPostgres"
import { ResourceSuite, JobDispatchSuite, StorageSuite } from "@millrace/testing/suite/storage"
import { RateLimiterSuite, UpstreamBudgetSuite } from "@millrace/testing/suite/rate"
import { apiKeyResource } from "@millrace/core/access"
import { Resources } from "@millrace/core/resource"
import { CurrentTenantScope } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { inject } from "vitest"

// Stores as a server has them, whatever the workspace; the clock of the database is turned by its owner.
const services = Layer.mergeAll(
  storage,
  storeClock.pipe(Layer.provide(Layer.effect(SqlClient, OwnerClient))),
  Layer.succeed(CurrentTenantScope, "every")
).pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
  Layer.provide(database(inject("postgres")))
)

StorageSuite.suite("PostgreSQL storage", services, { liveClock: true })
RateLimiterSuite.suite("PostgreSQL rate limiter", services, { liveClock: true })
ResourceSuite.suite(
  "PostgreSQL: plain things with keys",
  ResourceSuite.keyedTestsOf(
    apiKeyResource,
    Effect.map(Resources, ({ openKeyed }) => openKeyed(apiKeyResource))
  ),
  services,
  { liveClock: true }
)
JobDispatchSuite.suite("PostgreSQL: handing out jobs", services, { liveClock: true })
UpstreamBudgetSuite.suite("PostgreSQL: budgets of providers", services, { liveClock: true })
