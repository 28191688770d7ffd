import { Audit } from "../../src/audit/Audit.ts"
import { AuditStore, type ChainedRow } from "../../src/audit/AuditStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeAuditRow } from "@millrace/testing/fixture"
import { storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const base = Layer.mergeAll(NodeDigest.layer, MemoryStorage.layer, Ids.layer)

/** A chain of six entries, of which somebody has made something else in storage. */
const verified = (tamper: (chain: Array<ChainedRow>) => void, known?: "second" | "rewritten") =>
  Effect.gen(function* () {
    const { id } = yield* storeWorkspace()
    const store = yield* AuditStore
    for (let n = 0; n < 6; n++) yield* store.end(yield* makeAuditRow(id, { requestId: `r${n}` }))
    const ends = yield* store.ends(id)
    const chain = [...(yield* store.chain(id, 0, 100))]
    const second = { number: 2, hash: known === "rewritten" ? "0".repeat(64) : chain[1]!.hash }
    tamper(chain)
    const tampered = AuditStore.of({
      ...store,
      ends: () => Effect.succeed(ends),
      chain: (_, after, limit) => Effect.succeed(chain.filter(({ number }) => number > after).slice(0, limit))
    })
    const audit = Layer.fresh(Audit.layer).pipe(
      Layer.provide(Layer.succeed(AuditStore, tampered)),
      Layer.provide(NodeDigest.layer)
    )
    return yield* Effect.flatMap(Audit, ({ verify }) => verify(id, known === undefined ? undefined : second)).pipe(
      Effect.provide(audit)
    )
  }).pipe(Effect.provide(base))

describe("the check of an audit", () => {
  it.effect("finds a chain whole that is what was written, also from a place that is known", () =>
    Effect.gen(function* () {
      expect(yield* verified(() => {})).toMatchObject({ intact: true, entries: 6, newest: { number: 6 } })
      expect(yield* verified(() => {}, "second")).toMatchObject({ intact: true, entries: 4, newest: { number: 6 } })
    })
  )

  const third = 2
  const tampering: ReadonlyArray<readonly [string, (chain: Array<ChainedRow>) => void, string, number]> = [
    [
      "was changed",
      (chain) => void (chain[third] = { ...chain[third]!, content: chain[third]!.content.replace('"ok"', '"denied"') }),
      "changed",
      3
    ],
    [
      "says something else where it is searched by",
      (chain) => void (chain[third] = { ...chain[third]!, actorId: "usr_other" }),
      "changed",
      3
    ],
    [
      "is about nothing any more",
      (chain) => {
        const { resourceId: _, ...row } = chain[third]!
        chain[third] = row
      },
      "changed",
      3
    ],
    ["was removed", (chain) => void chain.splice(third, 1), "missing", 3],
    ["was removed at the beginning", (chain) => void chain.shift(), "missing", 1],
    ["was removed at the end", (chain) => void chain.pop(), "missing", 6],
    [
      "was removed, and the others moved up",
      (chain) => {
        chain.splice(third, 1)
        for (const [n, row] of chain.entries()) chain[n] = { ...row, number: n + 1 }
      },
      "changed",
      3
    ],
    [
      "was put in between",
      (chain) => {
        chain.splice(third, 0, { ...chain[0]! })
        for (const [n, row] of chain.entries()) chain[n] = { ...row, number: n + 1 }
      },
      "changed",
      3
    ],
    [
      "changed places with its neighbour",
      (chain) => {
        const [a, b] = [chain[third]!, chain[third + 1]!]
        chain[third] = { ...b, number: 3 }
        chain[third + 1] = { ...a, number: 4 }
      },
      "changed",
      3
    ]
  ]
  for (const [what, tamper, fault, number] of tampering) {
    it.effect(`finds an entry that ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* verified(tamper)).toEqual({ intact: false, fault, number })
      })
    )
  }

  it.effect("finds a chain that was made anew, against a hash that was kept elsewhere", () =>
    Effect.gen(function* () {
      expect(yield* verified(() => {}, "rewritten")).toEqual({ intact: false, fault: "changed", number: 3 })
    })
  )
})
