import { expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { ProtocolViolation } from "@millrace/core/provider"
import { eachCall } from "@millrace/testing/fake"
import { upstreamSuite } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Outbound } from "@millrace/core/outbound"
import * as Layer from "effect/Layer"
import { listbank } from "../add-a-provider.ts"
import { outbound, serve } from "../LocalUpstream.ts"
import { fakeList } from "./ListUpstream.ts"

upstreamSuite("add a provider", {
  fake: fakeList,
  factory: listbank,
  outbound,
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer),
  dataTypes: ["transactions"],
  // There are no pending rows.
  moves: [
    ["posted", 6],
    ["edited", 3],
    ["removed", 1],
    ["backdated", 2]
  ]
})

const account = { id: "DE-1", name: "Account", currency: "EUR", balance: "0", historyFrom: "2026-08-01", rows: [] }

it.live("add a provider: an answer of another form is an error that says where, never an empty list", () =>
  Effect.gen(function* () {
    const connection = { ref: "example", secrets: {} }
    const answers: ReadonlyArray<readonly [answer: unknown, path: string]> = [
      [null, ""],
      [{}, "accounts"],
      [{ accounts: "none" }, "accounts"]
    ]
    for (const [answer, path] of answers) {
      const url = yield* serve(() => [200, answer])
      const config = { url, token: Redacted.make("s3cret") }
      const making = listbank.make({ instanceId: "listbank:main", config })
      const driver = yield* Effect.provideService(making, Outbound, yield* outbound)
      const error = yield* Effect.flip(eachCall(driver).listAccounts(connection))
      expect(error).toEqual(
        new ProtocolViolation({ message: "The answer of The list does not have the agreed form", path })
      )
    }
  }).pipe(Effect.scoped)
)

it.live("add a provider: an account that cannot be read keeps no other from being read", () =>
  Effect.gen(function* () {
    const url = yield* serve(() => [
      200,
      {
        accounts: [
          { ...account, balance: "much" },
          { ...account, id: "DE-2" }
        ]
      }
    ])
    const making = listbank.make({ instanceId: "listbank:main", config: { url, token: Redacted.make("s3cret") } })
    const driver = yield* Effect.provideService(making, Outbound, yield* outbound)
    const listed = yield* eachCall(driver).listAccounts({ ref: "example", secrets: {} })
    expect(listed.map(({ providerAccountId }) => providerAccountId)).toEqual(["DE-2"])
  }).pipe(Effect.scoped)
)
