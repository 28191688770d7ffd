import type { IdentityFact } from "../../../src/identity/match/IdentityFact.ts"
import { forbiddenPairs, withoutForbiddenLinks } from "../../../src/identity/match/ForbiddenPairs.ts"
import type { IndexEntry } from "../../../src/record/LedgerRecord.ts"
import type { Observation } from "../../../src/record/Observation.ts"
import { Ids } from "../../../src/shared/Ids.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const fact = Effect.runSync(
  Effect.gen(function* () {
    const ids = yield* Ids
    const made: IdentityFact = {
      id: yield* ids.next("fact"),
      workspaceId: yield* ids.next("workspace"),
      accountId: yield* ids.next("account"),
      dataType: "transactions",
      kind: "forbid",
      recordId: "a",
      key: { providerId: "p1", hash: "h1" },
      otherId: "b",
      otherKey: { providerId: "x1", hash: "g1" },
      by: { kind: "user", userId: "usr_1" },
      at: Timestamp.make("2026-03-14T09:30:00.000Z")
    }
    return made
  }).pipe(Effect.provide(Ids.layer))
)

const seen = (providerId: string, hash: string, pendingProviderId = ""): Observation => ({
  providerId,
  hash,
  pendingProviderId,
  pending: false,
  date: null,
  fields: {}
})

const entry = (id: string, providerId: string, hash: string): IndexEntry => ({
  id,
  providerId,
  hash,
  date: null,
  pending: false,
  state: "live",
  missed: 0
})

describe("forbiddenPairs", () => {
  it("forbids each record of a pair what the other one was known by", () => {
    const forbidden = forbiddenPairs([fact], [], true)
    expect([forbidden("a", seen("x1", "new")), forbidden("a", seen("new", "g1"))]).toEqual([true, true])
    expect([forbidden("b", seen("p1", "new")), forbidden("b", seen("", "h1"))]).toEqual([true, true])
    expect([forbidden("a", seen("p1", "h1")), forbidden("c", seen("x1", "g1"))]).toEqual([false, false])
  })

  it("forbids what the other one is known by today as well", () => {
    const forbidden = forbiddenPairs([fact], [entry("b", "x2", "g2")], true)
    expect([forbidden("a", seen("x2", "new")), forbidden("a", seen("", "g2"))]).toEqual([true, true])
  })

  it("goes by content alone where ids are renumbered", () => {
    const forbidden = forbiddenPairs([fact], [], false)
    expect([forbidden("a", seen("x1", "new")), forbidden("a", seen("new", "g1"))]).toEqual([false, true])
  })

  it("forbids nothing for other facts", () => {
    expect(forbiddenPairs([{ ...fact, kind: "keep" }], [], true)("a", seen("x1", "g1"))).toBe(false)
  })
})

describe("withoutForbiddenLinks", () => {
  it("takes away links to what an observation was parted from, under a present id or a former one", () => {
    const forbidden = forbiddenPairs([fact], [], true)
    const linked = [seen("x1", "g1", "p1"), seen("x1", "g1", "p0"), seen("y", "k", "p1"), seen("z", "l")]
    const shown = withoutForbiddenLinks(linked, [entry("a", "p1", "h1")], new Map([["p0", "a"]]), forbidden)
    expect(shown.map(({ pendingProviderId }) => pendingProviderId)).toEqual(["", "", "p1", ""])
  })
})
