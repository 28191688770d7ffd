import * as NodeDigest from "@millrace/adapters/digest/NodeDigest"
import { layer as aesSecrets } from "@millrace/adapters/secrets/AesSecrets"
import { layer as storage } from "@millrace/adapters/storage/postgres/PostgresStorage"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { deliveryTests } from "./EventDeliveryTests.ts"

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

deliveryTests(
  "deliveries of events on PostgreSQL",
  Layer.merge(storage.pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))), NodeDigest.layer),
  true
)
