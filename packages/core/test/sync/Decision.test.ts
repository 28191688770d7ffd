import type { DeliveryEntry } from "../../src/destination/DeliveryStore.ts"
import { deliveryStates, type Delivery } from "../../src/destination/Delivery.ts"
import { pendingModes } from "../../src/feed/FeedConfig.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { recordStates, type LedgerRecord } from "../../src/record/LedgerRecord.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { decide, onRemovedOf, type Enriched, type Force } from "../../src/sync/Decision.ts"
import { makeFeed, makeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"

const base = Effect.runSync(
  Effect.gen(function* () {
    const feed = yield* makeFeed(yield* makeWorkspace(), {
      fieldMappings: [
        { sourceField: "amount", destinationField: "Amount" },
        { sourceField: "removed", destinationField: "Gone" }
      ]
    })
    return { feed, accountId: yield* (yield* Ids).next("account") }
  }).pipe(Effect.provide(Ids.layer))
)

type Options = {
  readonly mode?: (typeof pendingModes)[number]
  readonly onRemoved?: "delete" | "mark" | "keep" | undefined
}

const feedOf = ({ mode = "track_and_update", onRemoved }: Options): Feed => ({
  ...base.feed,
  dataTypeOptions: { dataType: "transactions", pendingMode: mode },
  destinationConfig: { type: "file", path: "x.csv", format: "csv", ...(onRemoved === undefined ? {} : { onRemoved }) }
})

const instant = Timestamp.make("2026-03-14T09:30:00.000Z")

const recordOf = (change: Partial<LedgerRecord> = {}): LedgerRecord => ({
  id: "txn_1",
  accountId: base.accountId,
  dataType: "transactions",
  providerId: "p1",
  date: CalendarDate.make("2026-03-14"),
  pending: false,
  state: "live",
  hash: "h",
  fields: {},
  changeNo: 1,
  publicChangeNo: 1,
  version: 1,
  annotated: false,
  createdAt: instant,
  updatedAt: instant,
  ...change
})

const hash = (text: string) => text
const contentOf = (removed = false) => JSON.stringify({ Amount: "1", Gone: removed })
const calm: Force = { unchanged: false, skipped: false }
const delivered: Enriched = { fields: { amount: "1" }, verdict: "deliver", removeWhenDropped: false, provenance: [] }

const entryOf = (change: Partial<DeliveryEntry> = {}): DeliveryEntry => ({
  recordId: "txn_1",
  hash: contentOf(),
  op: "create",
  state: "done",
  dead: false,
  jobId: "job_00000000000000000000000001" as DeliveryEntry["jobId"],
  present: true,
  acknowledged: false,
  ...change
})

const dead = entryOf({ state: "failed", dead: true, present: false })

const anotherJob = "job_00000000000000000000000002" as DeliveryEntry["jobId"]

const decided = (
  options: Options & {
    readonly record?: Partial<LedgerRecord>
    readonly entry?: DeliveryEntry
    readonly enriched?: Partial<Enriched>
    readonly force?: Partial<Force>
    readonly jobId?: DeliveryEntry["jobId"]
  }
) => {
  const decision = decide({
    feed: feedOf(options),
    recordId: "txn_1",
    record: recordOf(options.record),
    enriched: { ...delivered, ...options.enriched },
    entry: options.entry,
    force: { ...calm, ...options.force },
    jobId: options.jobId ?? anotherJob,
    hash
  })
  return decision.kind === "intend" ? decision.intent.op : decision.kind
}

const old = entryOf({ hash: "other" })
const gone = { state: "removed" } as const

describe("what is kept of a row", () => {
  it("names who made each value, and leaves what it follows from to the history", () => {
    const origin = { field: "amount", before: "2", after: "1", enrichmentId: "enr_1", revision: 3, path: "rules[0]" }
    const decision = decide({
      feed: feedOf({}),
      recordId: "txn_1",
      record: recordOf(),
      enriched: { ...delivered, provenance: [{ ...origin, evidence: { matched: ["rules[0].conditions"] } }] },
      entry: undefined,
      force: calm,
      jobId: anotherJob,
      hash
    })
    expect(decision).toMatchObject({ kind: "intend", intent: { op: "create" } })
    expect(decision.kind === "intend" && decision.intent.provenance).toEqual([origin])
  })
})

describe("decide", () => {
  it.each([
    ["makes what is not there", {}, "create"],
    ["leaves what is there alone", { entry: entryOf() }, "unchanged"],
    ["updates what is there with other content", { entry: old }, "update"],
    ["sends again what is forced", { entry: entryOf(), force: { unchanged: true } }, "update"],
    ["makes again what was removed", { entry: entryOf({ op: "remove", present: false, hash: "" }) }, "create"],
    ["leaves what is on its way as it is", { entry: entryOf({ state: "intended", present: false }) }, "unchanged"],
    [
      "does not force what is on its way",
      { entry: entryOf({ state: "sending" }), force: { unchanged: true } },
      "unchanged"
    ],
    ["makes what may never have arrived", { entry: entryOf({ state: "sending", hash: "other" }) }, "create"],
    ["makes what was refused", { entry: entryOf({ state: "failed", present: false, hash: "other" }) }, "create"],
    [
      "makes what may have been removed after all",
      { entry: entryOf({ op: "remove", state: "sending", hash: "" }) },
      "create"
    ],
    [
      "updates what was to be removed, and was not yet",
      { entry: entryOf({ op: "remove", state: "intended", hash: "", acknowledged: true }) },
      "update"
    ],
    [
      "updates what an update is on its way to",
      { entry: entryOf({ op: "update", state: "sending", hash: "other" }) },
      "update"
    ],
    ["leaves what a person deleted", { entry: entryOf({ state: "skipped", present: false }) }, "unchanged"],
    [
      "keeps what would be there if a person had not deleted it",
      { entry: entryOf({ state: "skipped", present: false, hash: "other" }) },
      "keep"
    ],
    [
      "leaves what a person deleted when only unchanged rows are forced",
      { entry: entryOf({ state: "skipped", present: false }), force: { unchanged: true } },
      "unchanged"
    ],
    [
      "makes again what a person deleted after a reset",
      { entry: entryOf({ state: "skipped", present: false }), force: { unchanged: true, skipped: true } },
      "create"
    ],
    [
      "does not send again what the same job has sent",
      { entry: entryOf({ jobId: anotherJob }), force: { unchanged: true } },
      "unchanged"
    ],
    [
      "does not make again what a person deleted meanwhile",
      { entry: entryOf({ jobId: anotherJob, state: "skipped" }), force: { unchanged: true, skipped: true } },
      "unchanged"
    ],
    ["leaves what was refused for good", { entry: dead }, "unchanged"],
    ["makes it when it is another", { entry: { ...dead, hash: "other" } }, "create"],
    ["makes it when unchanged rows are forced", { entry: dead, force: { unchanged: true } }, "create"]
  ] as const)("%s", (_, options, expected) => {
    expect(decided(options)).toBe(expected)
  })

  it.each([
    ["removes it", { onRemoved: "delete", entry: entryOf() }, "remove"],
    ["removes it by default where pending rows are tracked", { entry: entryOf() }, "remove"],
    ["marks it", { onRemoved: "mark", entry: entryOf() }, "update"],
    ["marks it once", { onRemoved: "mark", entry: entryOf({ hash: contentOf(true) }) }, "unchanged"],
    ["keeps it", { onRemoved: "keep", entry: entryOf() }, "unchanged"],
    ["keeps it by default where pending rows are filtered", { mode: "filter_pending", entry: entryOf() }, "unchanged"],
    ["makes nothing of it when it never arrived", { onRemoved: "mark" }, "unchanged"],
    [
      "takes it back when it is still on its way",
      { onRemoved: "keep", entry: entryOf({ state: "intended", present: false }) },
      "remove"
    ],
    ["takes it back when it was refused", { entry: entryOf({ state: "failed", present: false }) }, "remove"],
    ["does not remove it twice", { entry: entryOf({ op: "remove", state: "intended", hash: "" }) }, "unchanged"],
    [
      "leaves a removal that was refused for good",
      { entry: entryOf({ op: "remove", state: "failed", dead: true, hash: "" }) },
      "unchanged"
    ],
    [
      "removes it again when unchanged rows are forced",
      { entry: entryOf({ op: "remove", state: "failed", dead: true, hash: "" }), force: { unchanged: true } },
      "remove"
    ],
    ["takes back what was given up while it may have arrived", { entry: { ...dead, present: true } }, "remove"],
    ["leaves what was removed", { entry: entryOf({ op: "remove", present: false, hash: "" }) }, "unchanged"]
  ] as const)("when the upstream no longer has it: %s", (_, options, expected) => {
    expect(decided({ ...options, record: gone })).toBe(expected)
  })

  it.each([
    ["delivers pending rows", { mode: "sync_all" }, "create"],
    [
      "keeps a pending row that vanished",
      { mode: "sync_all", onRemoved: "delete", record: gone, entry: entryOf() },
      "unchanged"
    ],
    ["holds pending rows back", { mode: "filter_pending" }, "filtered"],
    ["takes back a pending row that another mode delivered", { mode: "filter_pending", entry: entryOf() }, "remove"],
    [
      "leaves it where rows are never taken away",
      { mode: "filter_pending", onRemoved: "keep", entry: entryOf() },
      "filtered"
    ],
    [
      "takes back a pending row on its way",
      { mode: "filter_pending", onRemoved: "keep", entry: entryOf({ state: "intended", present: false }) },
      "remove"
    ],
    ["lets a vanished one of another mode go", { mode: "filter_pending", record: gone, entry: entryOf() }, "remove"]
  ] as const)("in pending modes: %s", (_, options, expected) => {
    expect(decided({ ...options, record: { pending: true, ...("record" in options ? options.record : {}) } })).toBe(
      expected
    )
  })

  it.each([
    ["holds", { verdict: "hold" }, undefined, "filtered"],
    ["drops", { verdict: "drop" }, undefined, "filtered"],
    ["leaves a delivered row that it drops", { verdict: "drop" }, old, "filtered"],
    ["leaves a delivered row that it holds", { verdict: "hold", removeWhenDropped: true }, old, "filtered"],
    ["takes back a delivered row where that is wanted", { verdict: "drop", removeWhenDropped: true }, old, "remove"],
    ["takes back what is on its way", { verdict: "hold" }, entryOf({ state: "intended", present: false }), "remove"],
    [
      "takes it back once",
      { verdict: "drop", removeWhenDropped: true },
      entryOf({ op: "remove", state: "sending", hash: "" }),
      "unchanged"
    ]
  ] as const)("behind a filter: %s", (_, enriched, entry, expected) => {
    expect(decided({ enriched, ...(entry === undefined ? {} : { entry }) })).toBe(expected)
  })

  it.each([
    ["deleted", { mode: "sync_all", record: { state: "deleted", pending: true } }, "remove"],
    ["deleted, where rows are kept", { onRemoved: "keep", record: { state: "deleted" } }, "unchanged"],
    ["deleted, where rows are marked", { onRemoved: "mark", record: { state: "deleted" } }, "update"],
    [
      "joined to another, where rows are kept",
      { onRemoved: "keep", record: { ...gone, mergedInto: "txn_0" } },
      "remove"
    ],
    [
      "joined to another, where rows are marked",
      { onRemoved: "mark", record: { ...gone, mergedInto: "txn_0" } },
      "update"
    ]
  ] as const)(
    "takes what a person took away from the destination, unless told otherwise: %s",
    (_, options, expected) => {
      expect(decided({ ...options, entry: entryOf() })).toBe(expected)
    }
  )

  it("never leaves a row behind that is neither wanted nor kept, in any combination", () => {
    for (const mode of pendingModes) {
      for (const onRemoved of [undefined, "delete", "mark", "keep"] as const) {
        for (const state of recordStates) {
          for (const pending of [true, false]) {
            for (const verdict of ["deliver", "drop"] as const) {
              for (const entryState of deliveryStates) {
                for (const op of ["create", "update", "remove"] as Array<Delivery["op"]>) {
                  for (const present of [true, false]) {
                    const entry = entryOf({ state: entryState, op, present, hash: op === "remove" ? "" : contentOf() })
                    const record = recordOf({ state, pending })
                    const feed = feedOf({ mode, onRemoved })
                    const result = decided({
                      mode,
                      onRemoved,
                      record,
                      entry,
                      enriched: { verdict, removeWhenDropped: true }
                    })
                    if (entryState === "skipped") {
                      expect(["unchanged", "filtered", "keep"]).toContain(result)
                      continue
                    }
                    const hidden = verdict === "drop" || (mode === "filter_pending" && pending)
                    const wanted = state === "live" && !hidden
                    const coming = (entryState !== "done" || present) && op !== "remove"
                    const rule = onRemovedOf(feed, record)
                    const takenAway =
                      state !== "live"
                        ? rule === "delete" || !present
                        : verdict === "drop" && !(mode === "filter_pending" && pending)
                          ? true
                          : rule === "delete" || !present
                    const at = [mode, onRemoved, state, pending, verdict, entryState, op, present, result]
                    if (wanted && !coming)
                      expect(at).toEqual([...at.slice(0, 8), op === "remove" || !present ? "create" : "update"])
                    if (wanted && coming) expect(at).toEqual([...at.slice(0, 8), "unchanged"])
                    if (!wanted && coming && takenAway) expect(at).toEqual([...at.slice(0, 8), "remove"])
                    if (!wanted && !coming && !present)
                      expect(["unchanged", "filtered", "update", "remove"]).toContain(result)
                    if (!wanted && !present) expect(result).not.toBe("create")
                  }
                }
              }
            }
          }
        }
      }
    }
  })
})
