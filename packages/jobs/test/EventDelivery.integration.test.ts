import { NodeDigest } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { walled } from "@millrace/verification/postgres/TestPostgres"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { deliveryTests } from "./EventDeliveryTests.ts"

const secrets = AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

deliveryTests(
  "deliveries of events on PostgreSQL, behind the wall",
  Layer.merge(
    PostgresStorage.layer.pipe(Layer.provide(secrets), Layer.provide(walled(inject("postgres")))),
    NodeDigest.layer
  ),
  true
)
