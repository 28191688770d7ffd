/** Connecting on PostgreSQL, by several requests at once. */
import { expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { AesSecrets } from "@millrace/adapters/secrets"
import { ownerOf, storeWorkspace } from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import * as Kernel from "../../src/Kernel.ts"
import { makeOneUseProvider } from "./OneUseProvider.ts"

it.live("one attempt is exchanged once by many requests, and many attempts get the room of the plan and no more", () =>
  Effect.gen(function* () {
    const { driver, used } = makeOneUseProvider()
    const services = Kernel.layerRun.pipe(
      Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
      Layer.provideMerge(PostgresStorage.layer),
      Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) }))
    )
    yield* Effect.gen(function* () {
      const [banks, store, sql] = [yield* Banks, yield* BankStore, yield* SqlClient.SqlClient]
      const workspace = yield* storeWorkspace({ plan: "starter" })
      const complete = (token: string, attemptId = token) =>
        banks.connect(ownerOf(workspace), {
          instanceId: driver.instanceId,
          attemptId,
          payload: { kind: "plaid_public_token", publicToken: token }
        })
      const atOnce = (tokens: ReadonlyArray<readonly [token: string, attemptId: string]>) =>
        Effect.forEach(tokens, ([token, attemptId]) => Effect.exit(complete(token, attemptId)), {
          concurrency: "unbounded"
        })
      const first = yield* atOnce(Array.from({ length: 6 }, () => ["one#1", "a"] as const))
      expect(first.filter((exit) => Exit.isSuccess(exit) && exit.value.created)).toHaveLength(1)
      expect(used).toEqual(["one#1"])
      expect(yield* complete("one#1", "a")).toMatchObject({ created: false })
      // A reconnect beside it, by two attempts: one bank.
      yield* atOnce([
        ["one#2", "b"],
        ["one#3", "c"]
      ])
      expect(yield* store.list([workspace.id])).toHaveLength(1)
      // Room for two more.
      const tokens = Array.from({ length: 5 }, (_, n) => [`other ${n}#1`, `other ${n}`] as const)
      yield* atOnce(tokens)
      const held = yield* store.list([workspace.id])
      expect(held).toHaveLength(3)
      // What was exchanged and found no room any more is kept, sealed, until there is some.
      const waiting = tokens.filter(
        ([token]) => used.includes(token) && !held.some(({ name }) => token.startsWith(`${name}#`))
      )
      const kept = yield* sql<{ readonly exchanged: string }>`select exchanged from connection_attempt
        where exchanged is not null`
      expect(kept).toHaveLength(waiting.length)
      expect(kept.filter(({ exchanged }) => exchanged.includes("secret"))).toEqual([])
      yield* store.remove(workspace.id, held[1]!.id)
      const [token, attemptId] = waiting[0] ?? ["later#1", "later"]
      const { bank } = yield* complete(token, attemptId)
      expect(used.filter((one) => one === token)).toHaveLength(1)
      expect(Option.getOrThrow(yield* store.connection(bank.id)).connection.secrets).toEqual({
        accessToken: `secret of ${token}`
      })
    }).pipe(Effect.provide(services))
  }).pipe(Effect.provide(database(inject("postgres"))))
)
