/** Memories that learn from the tables of feeds, on PostgreSQL. */
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { layer } from "@effect/vitest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { learnScenes } from "./LearnScenes.ts"
import { worldOver } from "./PushedWorld.ts"

const secrets = AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) })
const storage = PostgresStorage.layer.pipe(
  Layer.provide(Layer.orDie(secrets)),
  Layer.provideMerge(database(inject("postgres")))
)

layer(worldOver(storage), { excludeTestServices: true, timeout: "60 seconds" })("a feed with a memory", learnScenes)
