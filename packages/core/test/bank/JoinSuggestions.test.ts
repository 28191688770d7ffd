/** What may be one account: on enough evidence, and never across what tells two accounts apart. */
import { makeAccount, makeBank, storeWorkspace } from "@millrace/testing/fixture"
import { MemoryStorage } from "@millrace/adapters/memory"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe } from "vitest"
import type { Account } from "../../src/bank/Account.ts"
import type { Bank } from "../../src/bank/Bank.ts"
import { joinSuggestions } from "../../src/bank/JoinSuggestions.ts"
import { Ids } from "../../src/shared/Ids.ts"

const like = { accountName: "Everyday", accountNumber: "****6789", stableKeys: [] } satisfies Partial<Account>

/** Of an account and another one that is like it but for what is said: in what they agree, if it is enough. */
const asked = Effect.fnUntraced(function* (
  other: Partial<Account>,
  bank: Partial<Bank> = {},
  own: Partial<Account> = {}
) {
  const workspace = yield* storeWorkspace()
  const [one, two] = [
    yield* makeBank(workspace, { institutionId: "ins_1", providerInstanceId: "demo:default" }),
    yield* makeBank(workspace, { institutionId: "ins_1", providerInstanceId: "demo:default", ...bank })
  ]
  const a = { bank: one, account: yield* makeAccount(one, { ...like, ...own }) }
  const b = { bank: two, account: yield* makeAccount(two, { ...like, ...other }) }
  const found = joinSuggestions(b, [a, b])
  expect(found.map(({ accountId }) => accountId)).toEqual(found.map(() => a.account.id))
  return found[0]?.evidence
})

const run = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof layer>>) => Effect.provide(effect, layer)
const layer = Layer.merge(MemoryStorage.layer, Ids.layer)

describe("a suggestion that two accounts are one", () => {
  it.effect("says in what they agree", () =>
    run(
      Effect.gen(function* () {
        expect(yield* asked({})).toEqual(["institution", "currency", "type", "number", "name"])
        expect(yield* asked({ accountName: "EVERYDAY" })).toContain("name")
        const keys = { stableKeys: ["iban:1"] }
        expect(yield* asked({ ...keys, accountName: "Other", accountNumber: "****" }, {}, keys)).toEqual([
          "stableKey",
          "institution",
          "currency",
          "type"
        ])
      })
    )
  )

  it.effect("is made of an id that one provider shows twice, where no keys say otherwise", () =>
    run(
      Effect.gen(function* () {
        const id = { providerAccountId: "same", accountName: "Other", accountNumber: "****" }
        expect(yield* asked(id, {}, id)).toEqual(["providerAccountId", "institution", "currency", "type", "name"])
        const renamed = { ...id, accountName: "Mine" }
        expect(yield* asked(renamed, {}, id)).toEqual(["providerAccountId", "institution", "currency", "type"])
        expect(yield* asked({ ...renamed, stableKeys: ["a"] }, {}, { ...id, stableKeys: ["b"] })).toBeUndefined()
        expect(yield* asked({ ...renamed, accountType: "savings" }, {}, id)).toBeUndefined()
        expect(yield* asked(renamed, { providerInstanceId: "demo:other" }, id)).toBeUndefined()
      })
    )
  )

  it.effect("is not made on less, nor of what is one already", () =>
    run(
      Effect.gen(function* () {
        for (const other of [
          { accountName: "Savings pot" },
          { accountNumber: "****1234" },
          { accountType: "savings" },
          { accountType: "mortgage" },
          { currency: "EUR" },
          { joinedInto: "acct_00000000000000000000000001" }
        ] as ReadonlyArray<Partial<Account>>) {
          expect([other, yield* asked(other)]).toEqual([other, undefined])
        }
        const unknown = { accountNumber: "****" }
        expect(yield* asked(unknown, {}, unknown)).toBeUndefined()
        expect(yield* asked({}, { institutionId: "ins_2" })).toBeUndefined()
        expect(yield* asked({}, { source: "file" })).toBeUndefined()
      })
    )
  )
})
