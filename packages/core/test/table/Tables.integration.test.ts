import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { layer } from "@effect/vitest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { pageTests } from "./PageTests.ts"
import { rowTests } from "./RowTests.ts"
import { tableTests } from "./TableTests.ts"
import { worldOver } from "./TableWorld.ts"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const world = worldOver(
  storage.pipe(
    Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
    Layer.provide(database(inject("postgres")))
  )
)
const options = { excludeTestServices: true, timeout: "60 seconds" } as const

layer(world, options)("tables in PostgreSQL", tableTests)
layer(world, options)("rows in PostgreSQL", rowTests)
layer(world, options)("pages of rows in PostgreSQL", pageTests)
