/** When an enrichment is degraded, and what its callers are told. */
import { describe, expect, it } from "vitest"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { afterRun, type EnrichmentRun, type RunOutcome } from "../../src/enrichment/EnrichmentRun.ts"
import { statusOf } from "../../src/enrichment/EnrichmentStatus.ts"
import type { FeedId } from "../../src/feed/Feed.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"

const at = (day: number) => Timestamp.make(`2026-03-${String(day).padStart(2, "0")}T00:00:00.000Z`)
const feedId = "feed_1" as FeedId
const workspaceId = "ws_1" as Enrichment["workspaceId"]
const enrichmentId = "enr_1" as Enrichment["id"]

/** Runs of one feed, one a day: how many faults, and on how many records. */
const after = (runs: ReadonlyArray<Partial<RunOutcome>>): EnrichmentRun =>
  runs.reduce<EnrichmentRun | undefined>(
    (before, run, n) =>
      afterRun(before, {
        workspaceId,
        enrichmentId,
        feedId,
        jobId: `job_${n}` as RunOutcome["jobId"],
        revision: 1,
        faults: 0,
        messages: (run.faults ?? 0) > 0 ? ["it broke"] : [],
        looked: 100,
        isWhole: true,
        at: at(n + 1),
        ...run
      }),
    undefined
  )!

describe("an enrichment", () => {
  it("is degraded by twenty faults on a fifth of the records of one run, and by no fewer", () => {
    expect(after([{ faults: 20, looked: 100 }]).isDegraded).toBe(true)
    expect(after([{ faults: 19, looked: 19 }]).isDegraded).toBe(false)
    expect(after([{ faults: 20, looked: 101 }]).isDegraded).toBe(false)
  })

  it("is degraded by three runs in a row that fail, of which one that is taken up again counts once", () => {
    expect(after([{ faults: 1 }, { faults: 1 }]).isDegraded).toBe(false)
    expect(after([{ faults: 1 }, { faults: 1 }, { faults: 1 }])).toMatchObject({ isDegraded: true, since: at(3) })
    expect(after([{ faults: 1 }, {}, { faults: 1 }, { faults: 1 }]).isDegraded).toBe(false)
    const jobId = "job_same" as RunOutcome["jobId"]
    expect(after([{ faults: 1 }, { faults: 1, jobId }, { faults: 1, jobId }]).failedRuns).toBe(2)
  })

  it("is well again after a run without faults that looked at something, and no earlier", () => {
    const bad = [{ faults: 50 }, { faults: 1 }]
    expect(after(bad)).toMatchObject({ isDegraded: true, since: at(1), faults: 1 })
    expect(after([...bad, { looked: 0 }])).toMatchObject({ isDegraded: true, faults: 1, messages: ["it broke"] })
    expect(after([...bad, {}])).toMatchObject({
      isDegraded: false,
      since: at(3),
      faults: 0,
      failedRuns: 0,
      messages: []
    })
  })

  it("leaves what is kept as it is while nothing is different", () => {
    const kept = after([{}])
    const { failedRuns: _, isDegraded: __, since: ___, ...rest } = kept
    expect(
      afterRun(kept, { ...rest, jobId: "job_9" as RunOutcome["jobId"], looked: 5, isWhole: true, at: at(9) })
    ).toBe(kept)
  })
})

describe("the state of an enrichment", () => {
  const enrichment: Enrichment = {
    id: enrichmentId,
    workspaceId,
    name: "Coffee",
    type: "rule",
    enabled: true,
    order: 10,
    dataType: "transactions",
    feedIds: [feedId],
    allFeeds: false,
    config: {},
    createdBy: "usr_1",
    createdAt: at(1),
    updatedAt: at(2),
    version: 1,
    revision: 1
  }
  const feeds = [{ id: feedId, workspaceId, dataType: "transactions" as const }]

  it("is dormant where it is switched off or no feed is in its scope", () => {
    const dormant = { state: "dormant", since: at(2), openFaults: 0 }
    expect(statusOf({ ...enrichment, enabled: false }, [], feeds)).toMatchObject(dormant)
    expect(statusOf(enrichment, [after([{ faults: 50 }])], [])).toMatchObject(dormant)
    expect(statusOf({ ...enrichment, feedIds: [], allFeeds: true }, [], [])).toMatchObject(dormant)
    expect(statusOf({ ...enrichment, feedIds: [], allFeeds: true }, [], feeds)).toMatchObject({ state: "active" })
  })

  it("tells what it failed on, what it waits for, and that all is well", () => {
    expect(statusOf(enrichment, [after([{ faults: 50 }])], feeds)).toEqual({
      state: "degraded",
      since: at(1),
      openFaults: 50,
      lastFaults: ["it broke"]
    })
    expect(statusOf({ ...enrichment, revision: 2 }, [after([{}])], feeds)).toMatchObject({ state: "rebuilding" })
    expect(statusOf(enrichment, [after([{ faults: 2 }])], feeds)).toMatchObject({ state: "active", openFaults: 2 })
    expect(statusOf(enrichment, [after([{}])], feeds)).toMatchObject({ state: "active", openFaults: 0 })
  })
})
