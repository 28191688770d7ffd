/** A plain store of an embedding program, in PostgreSQL: its table is made beside ours, behind the same wall. */
import { noteResource, NoteStore } from "../../../../examples/add-a-plain-store.ts"
import { notes } from "../../../../examples/add-a-collection.ts"
import { addTables } from "../../src/storage/postgres/AddedTables.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { createResourceTable, layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { serverRole } from "../../src/storage/postgres/ServerRole.ts"
import { unwalledTables } from "../../src/storage/postgres/RowLevelSecurity.ts"
import { CurrentTenantScope } from "@millrace/core/workspace"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { AddedCollections, bundledCollections } from "@millrace/core/collection"
import { type KeyedDefinition, type Plain, Resources } from "@millrace/core/resource"
import { ResourceSuite } from "@millrace/testing/suite/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { inject } from "vitest"

/** As the owner of the database does it, once. */
const table = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* OwnerClient
    yield* Effect.provideService(createResourceTable(noteResource), SqlClient, sql)
    yield* sql`grant select, insert, update, delete on note to ${sql(serverRole)}`
    expect(yield* Effect.provideService(unwalledTables, SqlClient, sql)).toEqual([])
  })
)

ResourceSuite.suite(
  "PostgreSQL: a plain store of an embedding program",
  ResourceSuite.keyedTestsOf(noteResource, NoteStore),
  NoteStore.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(storage, table, Layer.succeed(CurrentTenantScope, "every"))),
    Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
    Layer.provide(walled(inject("postgres")))
  ),
  { liveClock: true }
)

const resource = { ...notes.resource, name: "own_note" } as KeyedDefinition<ReturnType<typeof notes.made>>

/** As a server does it at its start, each time: the second time finds what the first one made. */
const added = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* OwnerClient
    const make = addTables.pipe(
      Effect.provideService(SqlClient, sql),
      Effect.provideService(AddedCollections, [{ ...notes, resource }])
    )
    yield* make
    yield* make
    yield* sql`grant select, insert, update, delete on own_note to ${sql(serverRole)}`
    expect(yield* Effect.provideService(unwalledTables, SqlClient, sql)).toEqual([])
    yield* sql`alter table own_note drop column color`
    const { message } = yield* Effect.flip(make)
    expect(String(message)).toContain('The table "own_note" of the collection "Notes" lacks the columns color')
    yield* sql`alter table own_note add column color key_text`
  })
)

ResourceSuite.suite(
  "PostgreSQL: a collection that a program adds",
  ResourceSuite.keyedTestsOf(
    resource,
    Effect.map(Resources, ({ openKeyed }) => openKeyed(resource))
  ),
  Layer.mergeAll(storage, added, Layer.succeed(CurrentTenantScope, "every")).pipe(
    Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
    Layer.provide(walled(inject("postgres")))
  ),
  { liveClock: true }
)

for (const { resource: bundled, surface } of bundledCollections) {
  const keyed = bundled as KeyedDefinition<Plain>
  ResourceSuite.suite(
    `PostgreSQL: ${surface.words.many}`,
    bundled.unique === undefined
      ? ResourceSuite.testsOf(
          bundled,
          Effect.map(Resources, ({ open }) => open(bundled))
        )
      : ResourceSuite.keyedTestsOf(
          keyed,
          Effect.map(Resources, ({ openKeyed }) => openKeyed(keyed))
        ),
    Layer.mergeAll(storage, Layer.succeed(CurrentTenantScope, "every")).pipe(
      Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
      Layer.provide(walled(inject("postgres")))
    ),
    { liveClock: true }
  )
}
