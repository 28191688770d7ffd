/** Looks at a connection because something may have changed: a bank that came back, a callback of its provider. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import { bankLease } from "../bank/BankLease.ts"
import { isLive } from "../bank/BankRemoval.ts"
import { Banks } from "../bank/Banks.ts"
import { BankStore } from "../bank/BankStore.ts"
import { Leases } from "../storage/Lease.ts"
import { handleTask, type RunAgain, type TaskError, TaskFailure } from "../task/TaskHandler.ts"
import { connectionCheckTask } from "./BankRemovalTaskKind.ts"

const leaseSeconds = 120
/** Seconds until another look, while somebody reads the bank: that one looks at its connection as well. */
const busySeconds = 10

const cause: ActorRef = { kind: "system", reason: "connection_check" }

/** The handler of checks. */
export const connectionChecks = Effect.gen(function* () {
  const store = yield* BankStore
  const banks = yield* Banks
  const leases = yield* Leases

  return handleTask(connectionCheckTask, (task) =>
    Effect.gen(function* () {
      const { bankId, workspaceId } = task.payload
      const holder = `check:${task.id}`
      const taken = yield* leases.take([bankLease(bankId)], holder, leaseSeconds)
      if (Option.isNone(taken)) return { againSeconds: busySeconds }
      return yield* Effect.gen(function* () {
        const bank = yield* store.get(workspaceId, bankId)
        if (Option.isNone(bank) || !isLive(bank.value)) return
        const guard = Effect.andThen(task.guard, leases.fence(taken.value[0]!))
        yield* banks.refresh(bank.value, guard, cause)
      }).pipe(
        Effect.catch((error): Effect.Effect<RunAgain | undefined, TaskError> => {
          switch (error._tag) {
            case "TaskFenced":
            case "StorageUnavailable":
              return Effect.fail(error)
            case "LeaseLost":
              return Effect.succeed({ againSeconds: busySeconds })
            case "NotFound":
              return Effect.undefined
            case "ProviderNotAvailable":
              return Effect.fail(
                new TaskFailure({ message: `No provider ${error.instanceId} is configured`, final: true })
              )
            default: {
              const afterSeconds = "retryAfter" in error ? error.retryAfter : undefined
              return Effect.fail(
                new TaskFailure({ message: error.message, ...(afterSeconds === undefined ? {} : { afterSeconds }) })
              )
            }
          }
        }),
        Effect.ensuring(Effect.ignore(leases.free(holder)))
      )
    })
  )
})
