/** Amounts of many rows that are turned round on PostgreSQL, by a process that stops at any moment. */
import { expect, it } from "@effect/vitest"
import { Adapters, NodeDigest } from "@millrace/adapters"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { AesSecrets } from "@millrace/adapters/secrets"
import { makeWrite, ownerOf, scopeOf, storeWorkspace } from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { bankLease } from "../../src/bank/BankLease.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import * as Kernel from "../../src/Kernel.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Leases } from "../../src/storage/Lease.ts"
import type { RunningTask } from "../../src/task/TaskHandler.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { AccountChanges } from "../../src/usecase/AccountChanges.ts"
import { signChanges } from "../../src/usecase/SignChangeTask.ts"
import { signChangeTask } from "../../src/usecase/SignChangeTaskKind.ts"
import { RowsTurnedAtOnce } from "../../src/usecase/FlippedAmounts.ts"
import { makeOneUseProvider } from "../bank/OneUseProvider.ts"

/** Enough for several statements, so that there is a time in between. */
const rows = 3_000

it.live("turns all rows of a large account or none, keeps its bank and its task meanwhile, and makes nobody wait", () =>
  Effect.gen(function* () {
    const { driver } = makeOneUseProvider()
    const services = AccountChanges.layer.pipe(
      Layer.provide(NodeDigest.layer),
      Layer.provideMerge(Kernel.layerRun),
      Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
      Layer.provideMerge(PostgresStorage.layer),
      Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) }))
    )
    yield* Effect.gen(function* () {
      const [banks, store, sql, leases] = [yield* Banks, yield* BankStore, yield* SqlClient.SqlClient, yield* Leases]
      const [records, tasks, changes] = [yield* RecordStore, yield* TaskStore, yield* AccountChanges]
      const caller = ownerOf(yield* storeWorkspace({ plan: "starter" }))
      const { accounts, bank } = yield* banks.connect(caller, {
        instanceId: driver.instanceId,
        attemptId: "a",
        payload: { kind: "plaid_public_token", publicToken: "one#1" }
      })
      const account = accounts[0]!
      const written = yield* Effect.forEach(Array.from({ length: rows }), () => makeWrite())
      yield* records.write(scopeOf(account), written)
      const signs = Effect.map(
        sql<{ readonly positive: number; readonly negative: number }>`select
          count(*) filter (where amount >= 0)::int as positive,
          count(*) filter (where amount < 0)::int as negative
          from record where account_id = ${account.id}`,
        ([counts]) => counts!
      )
      const before = yield* signs
      expect(before.positive + before.negative).toBe(rows)
      const asked = changes.update(caller, { bankId: bank.id, accountId: account.id }, { signOverride: true })
      expect((yield* Effect.provideService(asked, RowsTurnedAtOnce, 100)).row.signAskedAt).toBeDefined()
      expect(yield* signs).toEqual(before)

      const handler = yield* signChanges.pipe(Effect.provide(NodeDigest.layer))
      let refused = 0
      /** A process takes the task, and stops after so long. */
      const tried = Effect.fnUntraced(function* (millis: number) {
        const [claimed] = (yield* tasks.claim("runner", [{ kind: signChangeTask.name, limit: 1 }], 60)).tasks
        const { fence, task } = claimed!
        const running = { ...task, attempt: 1, guard: tasks.fence(fence) } as unknown as RunningTask<unknown>
        const work = yield* Effect.forkChild(handler.run(running))
        yield* Effect.sleep(millis)
        const done = work.pollUnsafe() !== undefined
        if (!done) {
          // Who wants the bank is told at once, and the task stays with who has it.
          if (Option.isNone(yield* leases.take([bankLease(bank.id)], "somebody else", 10))) refused++
          yield* leases.free("somebody else")
          expect(yield* tasks.beat([fence], 60)).toEqual([task.id])
        }
        yield* Fiber.interrupt(work)
        yield* tasks.release(fence, 0)
        return (yield* store.accounts(bank.id)).find(({ id }) => id === account.id)!.signOverride === true
      })
      let turned = false
      let stopped = 0
      // Under load even the shortest of these may see it done, so they begin with none at all.
      for (let millis = 0; !turned; millis = Math.ceil(millis * 1.3) + 1) {
        turned = yield* tried(millis)
        const now = yield* signs
        expect([millis, now]).toEqual([
          millis,
          turned ? { positive: before.negative, negative: before.positive } : before
        ])
        if (!turned) stopped++
      }
      expect([stopped > 1, refused > 0]).toEqual([true, true])
      expect(Option.isSome(yield* leases.take([bankLease(bank.id)], "somebody else", 10))).toBe(true)
    }).pipe(Effect.provide(services))
  }).pipe(Effect.provide(database(inject("postgres"))))
)
