/**
 * Turning the amounts of a large account round, behind the request that asked for it: one transaction, alone with the bank.
 * A process that dies on the way leaves nothing of it, and another one begins again.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { bankLease } from "../bank/BankLease.ts"
import { BankStore } from "../bank/BankStore.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases } from "../storage/Lease.ts"
import { Transactor } from "../storage/Transactor.ts"
import { handleTask, type RunAgain } from "../task/TaskHandler.ts"
import { signChangeTask } from "./SignChangeTaskKind.ts"
import { makeTurnAmounts } from "./FlippedAmounts.ts"

const leaseSeconds = 60
/** Seconds between its prolongations: two may be lost. */
const extendSeconds = 20
/** Seconds until another look, while somebody reads the bank. */
const busySeconds = 5

/** The handler of changes of sign. */
export const signChanges = Effect.gen(function* () {
  const banks = yield* BankStore
  const leases = yield* Leases
  const { atomically } = yield* Transactor
  const turn = yield* makeTurnAmounts

  return handleTask(signChangeTask, (task) => {
    const { accountId, bankId } = task.payload
    const wanted = Effect.map(banks.accounts(bankId), (accounts) =>
      accounts.find(({ id, signAskedAt }) => id === accountId && signAskedAt !== undefined)
    )
    const busy: RunAgain = { againSeconds: busySeconds }
    return Effect.gen(function* () {
      if ((yield* wanted) === undefined) return
      // The same one over all tries: what a process that died had is taken up at once.
      const holder = `sign:${task.id}`
      const taken = yield* leases.take([bankLease(bankId)], holder, leaseSeconds)
      if (Option.isNone(taken)) return busy
      const lease = taken.value[0]!
      // Its row stays free while we write, so that nobody who looks at it waits: it is asked for again at the end.
      const extended = Effect.repeat(
        Effect.ignore(leases.extend([lease], leaseSeconds)),
        Schedule.spaced(`${extendSeconds} seconds`)
      )
      const written = atomically(
        Effect.gen(function* () {
          const account = yield* wanted
          if (account === undefined) return
          yield* turn(account)
          // Anyone who came in between has a later epoch, or has withdrawn the task.
          yield* leases.fence(lease)
          yield* task.guard
          const details = { signOverride: account.signOverride !== true, signAskedAt: null }
          yield* banks.describeAccount(accountId, details, yield* Timestamp.now)
        })
      )
      yield* Effect.raceFirst(written, Effect.andThen(extended, Effect.never)).pipe(
        Effect.ensuring(Effect.ignore(leases.free(holder)))
      )
    }).pipe(
      Effect.catchTag("LeaseLost", () => Effect.succeed(busy)),
      Effect.catchTag("TooManyRows", () => Effect.die("All rows of an account were allowed"))
    )
  })
})
