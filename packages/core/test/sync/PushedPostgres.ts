/** Storage in PostgreSQL, for worlds into which records are pushed. */
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"

const secrets = AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) })

export const storage = PostgresStorage.layer.pipe(
  Layer.provide(Layer.orDie(secrets)),
  Layer.provideMerge(database(inject("postgres")))
)
