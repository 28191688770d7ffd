import type { AccountId } from "@millrace/core/bank"
import type { EnrichmentId } from "@millrace/core/enrichment"
import { type AnalysisEntry, AnalysisStore } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { EntriesAhead } from "../../src/enrichment/EntriesAhead.ts"
import type { SetPlanned } from "../../src/enrichment/SetPlanning.ts"

const scope = { workspaceId: "ws_1" as WorkspaceId, dataType: "transactions" } as const
const enrichmentId = "enr_1" as EnrichmentId

const entryOf = (partition: string): AnalysisEntry => ({
  partition,
  recordId: `record of ${partition}`,
  accountId: "acct_1" as AccountId,
  fields: {}
})

const planned = (changes: Partial<SetPlanned["changes"]>): SetPlanned => ({
  changes: {
    enrichmentId,
    entries: [],
    partitions: [],
    dropped: [],
    notes: [],
    droppedNotes: [],
    links: [],
    droppedLinks: [],
    ...changes
  },
  events: [],
  findings: [],
  messages: [],
  touched: new Map(),
  planned: new Set(["a", "b"]),
  waiting: ["c", "d", "e"],
  failed: new Set(),
  faults: []
})

/** A store in which `empty` has no records, and what it was asked for. */
const arrange = () => {
  const asked: Array<ReadonlyArray<string>> = []
  const store = {
    members: (_scope: unknown, _id: unknown, keys: ReadonlyArray<string>) =>
      Effect.sync(() => {
        asked.push(keys)
        return keys.filter((key) => key !== "empty").map(entryOf)
      })
  } as unknown as AnalysisStore["Service"]
  return { asked, store, ahead: new EntriesAhead() }
}

it.effect("reads as many partitions ahead as were planned, and none of them again", () =>
  Effect.gen(function* () {
    const { ahead, asked, store } = arrange()
    yield* Effect.provideService(ahead.read(scope, [planned({})]), AnalysisStore, store)
    const { members } = ahead.over(store)
    expect(yield* members(scope, enrichmentId, ["c", "d"])).toEqual([entryOf("c"), entryOf("d")])
    expect(yield* members(scope, enrichmentId, ["empty", "e", "d"])).toEqual([entryOf("d"), entryOf("e")])
    expect(asked).toEqual([
      ["c", "d"],
      ["empty", "e"]
    ])
  })
)

it.effect("reads anew what was written meanwhile, and everything once it is cleared", () =>
  Effect.gen(function* () {
    const { ahead, asked, store } = arrange()
    const { members } = ahead.over(store)
    for (const end of [
      () => ahead.forget([planned({ entries: [{ recordId: "r", entries: [] }] })]),
      () => ahead.clear()
    ]) {
      yield* Effect.provideService(ahead.read(scope, [planned({})]), AnalysisStore, store)
      ahead.forget([planned({ dropped: ["c"] })])
      yield* members(scope, enrichmentId, ["c"])
      end()
      yield* members(scope, enrichmentId, ["c"])
    }
    expect(asked).toEqual([["c", "d"], ["c"], ["c", "d"], ["c"]])
  })
)
