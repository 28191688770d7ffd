import { expect, it } from "@effect/vitest"
import { type BankId } from "../../src/bank/Bank.ts"
import { logAndIgnore } from "../../src/bank/LogAndIgnore.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"

const bank = { id: "bank_1" as string as BankId }

it.effect("what a look says of a connection is written, or logged with the bank where it cannot be", () =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    const written: Array<string> = []
    const quietly = <A, E>(write: Effect.Effect<A, E>) =>
      Effect.exit(logAndIgnore(bank, write)).pipe(
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]))
      )
    expect(yield* quietly(Effect.sync(() => written.push("health")))).toEqual(Exit.void)
    expect([written, logged]).toEqual([["health"], []])
    expect(yield* quietly(Effect.fail(new StorageUnavailable({ message: "away" })))).toEqual(Exit.void)
    expect(logged).toHaveLength(1)
    for (const told of ["WARN", "The health of a connection could not be kept", "bank_1", "away"]) {
      expect(logged[0]).toContain(told)
    }
    // A fault of ours is none of storage: it shows.
    expect(Exit.isFailure(yield* quietly(Effect.die("a fault")))).toBe(true)
  })
)
