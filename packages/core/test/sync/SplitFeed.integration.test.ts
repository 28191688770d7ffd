/** Feeds that deliver the lines of records, on PostgreSQL. */
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { layer } from "@effect/vitest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, inject } from "vitest"
import { splitScenes } from "./SplitScenes.ts"
import { worldOver } from "./PushedWorld.ts"

const folder = mkdtempSync(join(tmpdir(), "millrace-lines-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secrets = AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) })
const storage = PostgresStorage.layer.pipe(
  Layer.provide(Layer.orDie(secrets)),
  Layer.provideMerge(database(inject("postgres")))
)

layer(worldOver(storage, folder), { excludeTestServices: true, timeout: "60 seconds" })(
  "a feed of records that fall into lines",
  (it) => splitScenes(it, folder)
)
