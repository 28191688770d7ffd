import { activeStatuses, isActive, jobStatuses } from "../../src/job/Job.ts"
import { jobEvents, jobTransitions, sourcesOf, transition } from "../../src/job/JobLifecycle.ts"
import { describe, expect, it } from "@effect/vitest"

/** Status -> event -> where it leads; every pair that is missing is refused. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  created: { dispatch: "in_progress", cancel: "cancelled", forceCancel: "cancelled", fail: "failed" },
  in_progress: {
    dispatch: "in_progress",
    complete: "completed",
    fail: "failed",
    cancel: "cancelled",
    forceCancel: "cancelled",
    pause: "paused"
  },
  paused: { resume: "in_progress", fail: "failed", forceCancel: "cancelled" },
  completed: {},
  failed: {},
  cancelled: {}
}

describe("JobLifecycle", () => {
  for (const status of jobStatuses) {
    for (const event of jobEvents) {
      const to = expected[status]![event]
      it(`${to === undefined ? "refuses" : "allows"} ${event} of a job that is ${status}`, () => {
        expect(transition(status, event)?.to).toBe(to)
        expect(sourcesOf(event).includes(status)).toBe(to !== undefined)
      })
    }
  }

  it("lists no pair twice", () => {
    const pairs = jobTransitions.map(({ from, event }) => `${from} ${event}`)
    expect(new Set(pairs).size).toBe(pairs.length)
  })

  it("never leaves a status that frees the feed", () => {
    expect(jobTransitions.filter(({ from }) => !isActive(from))).toEqual([])
    expect(jobStatuses.filter(isActive)).toEqual([...activeStatuses])
  })

  it("shuts out the run before on every change but its own success", () => {
    for (const { from, event, newEpoch } of jobTransitions)
      expect(newEpoch, `${from} ${event}`).toBe(event !== "complete")
  })
})
