/** What a person does to banks: alone with them, and all of it or nothing. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Conflict } from "../failure/Failure.ts"
import { Ids } from "../shared/Ids.ts"
import { type Lease, Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { BankId } from "./Bank.ts"
import { bankLease } from "./BankLease.ts"

/** Somebody else reads or writes the bank just now: try again. */
export const bankIsRead = new Conflict({
  code: "SYNC_ALREADY_RUNNING",
  message: "The bank is being read at the moment",
  details: []
})

const oneIsRead = new Conflict({ ...bankIsRead, message: "One of the banks is being read at the moment" })

/** An act takes no longer than this, or it is none. */
const leaseSeconds = 120

export class AloneWithBanks extends Context.Service<
  AloneWithBanks,
  {
    /**
     * Runs `act` as one transaction under the leases of these banks, which are given back when it is over. Nobody reads or
     * writes the banks meanwhile; where somebody does already, nothing happens and it fails with `busy`, which says
     * `SYNC_ALREADY_RUNNING` unless given. Never fetch or wait inside.
     */
    readonly act: <A, E, R>(
      bankIds: ReadonlyArray<BankId>,
      act: (leases: ReadonlyMap<BankId, Lease>) => Effect.Effect<A, E, R>,
      busy?: Conflict
    ) => Effect.Effect<A, Exclude<E, { readonly _tag: "LeaseLost" }> | Conflict | StorageUnavailable, R>
  }
>()("@millrace/core/bank/AloneWithBanks") {
  static readonly layer: Layer.Layer<AloneWithBanks, never, Leases | Transactor | Ids> = Layer.effect(
    AloneWithBanks,
    Effect.gen(function* () {
      const leases = yield* Leases
      const ids = yield* Ids
      const { atomically } = yield* Transactor
      return AloneWithBanks.of({
        act: Effect.fnUntraced(function* (bankIds, act, busy = bankIds.length > 1 ? oneIsRead : bankIsRead) {
          const all = [...new Set(bankIds)]
          const holder = `act:${yield* ids.next("request")}`
          const taken = yield* leases.take(all.map(bankLease), holder, leaseSeconds)
          if (Option.isNone(taken)) return yield* busy
          const of = new Map(taken.value.map((lease) => [lease.resource, lease]))
          const fenced = Effect.andThen(
            Effect.forEach(taken.value, leases.fence, { discard: true }),
            Effect.suspend(() => act(new Map(all.map((id) => [id, of.get(bankLease(id))!]))))
          )
          return yield* atomically(fenced).pipe(
            Effect.catchTag("LeaseLost", () => Effect.fail(busy)),
            Effect.ensuring(Effect.ignore(leases.free(holder)))
          )
        })
      })
    })
  )
}
