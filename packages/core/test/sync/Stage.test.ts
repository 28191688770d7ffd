import { NodeDigest } from "@millrace/adapters"
import type { ObservedRecord, SyncPage } from "../../src/provider/Provider.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { Stage } from "../../src/sync/Stage.ts"
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"

const digest = Effect.runSync(Digest.pipe(Effect.provide(NodeDigest.layer)))

const row = (providerId: string, description = "x", account = "a"): ObservedRecord => ({
  providerAccountId: account,
  providerId,
  pending: false,
  fields: { date: "2026-03-14", description, originalDescription: description, amount: "1", currency: "USD" }
})

const page = (change: Partial<SyncPage>): SyncPage => ({
  upserted: [],
  removed: [],
  quarantined: [],
  coverage: { kind: "delta" },
  end: { kind: "more", position: "v1:1" },
  ...change
})

const staged = (...pages: ReadonlyArray<Partial<SyncPage>>) => {
  const stage = new Stage("transactions", digest)
  for (const one of pages) stage.add(page(one))
  return stage
}

const full = { kind: "full", complete: true } as const
const texts = (stage: Stage, account = "a") => stage.rows(account).map((one) => one.fields["description"])
const gone = (providerId: string) => ({ providerAccountId: "a", providerId })

describe("Stage", () => {
  it("takes the last word of a change feed on an id", () => {
    expect(texts(staged({ upserted: [row("1", "old"), row("2")] }, { upserted: [row("1", "new")] }))).toEqual([
      "x",
      "new"
    ])
  })

  it("forgets a removal that is taken back, and a row that is removed afterwards", () => {
    const back = staged({ removed: [gone("1")] }, { upserted: [row("1")] })
    expect([texts(back), [...back.removed("a")]]).toEqual([["x"], []])
    const away = staged({ upserted: [row("1")] }, { removed: [gone("1")] })
    expect([texts(away), [...away.removed("a")]]).toEqual([[], ["1"]])
  })

  it("takes a row that a snapshot shows on two pages for one, and twins without ids for two", () => {
    expect(texts(staged({ coverage: full, upserted: [row("1")] }, { coverage: full, upserted: [row("1")] }))).toEqual([
      "x"
    ])
    expect(texts(staged({ coverage: full, upserted: [row(""), row("")] }))).toEqual(["x", "x"])
    expect(texts(staged({ coverage: full, upserted: [row("1", "one"), row("1", "two")] }))).toEqual(["one", "two"])
  })

  it("tells unreadable rows apart by account, also when another run goes on with its pages", () => {
    const unreadable = { ...row("1"), fields: {} }
    const stage = staged({
      upserted: [unreadable, row("1", "x", "b")],
      quarantined: [{ providerId: "2", reason: "no form that is known" }]
    })
    const taken = new Stage("transactions", digest, JSON.parse(JSON.stringify(stage.state)))
    for (const one of [stage, taken]) {
      expect([[...one.unread("a")].toSorted(), [...one.unread("b")]]).toEqual([["1", "2"], ["2"]])
    }
  })

  it("keeps accounts apart", () => {
    const stage = staged({
      upserted: [row("1", "a"), row("1", "b", "b")],
      removed: [{ providerAccountId: "b", providerId: "9" }]
    })
    expect([texts(stage), texts(stage, "b"), [...stage.accounts], stage.removed("a").size]).toEqual([
      ["a"],
      ["b"],
      ["a", "b"],
      0
    ])
  })

  it("keeps what could not be read, with its id and, where that is known, its account", () => {
    const stage = staged({
      upserted: [{ ...row("1"), fields: {} }, row("2"), { ...row("4", "four", "b"), fields: {} }],
      quarantined: [{ providerId: "3", reason: "no date" }]
    })
    expect([stage.count, stage.quarantined.length]).toEqual([1, 3])
    expect(["a", "b", "c"].map((account) => [...stage.unread(account)])).toEqual([["3", "1"], ["3", "4"], ["3"]])
  })

  it("keeps a checkpoint of the last page, but no blank one", () => {
    expect(staged({ end: { kind: "done", checkpoint: "v1:7" } }).checkpoint).toBe("v1:7")
    expect(staged({ end: { kind: "done", checkpoint: " " } }).checkpoint).toBeUndefined()
    expect(staged({ end: { kind: "done" } }).checkpoint).toBeUndefined()
  })
})
