import { expect, it } from "vitest"
import { type Job, noCounts } from "@millrace/core/job"
import { lineOf } from "../src/JobLog.ts"

const job = (more: Partial<Job>) =>
  ({ counts: { ...noCounts, read: 7, created: 5 }, errors: [], ...more }) as Partial<Job> as Job
const error = { message: "The bank does not answer.", category: "provider", code: "UPSTREAM_DOWN" }

it("tells how a run ended with its counts, and warns of failures and waits with their reason", () => {
  const counts = "7 read, 5 created"
  expect(lineOf(job({ status: "completed" }))).toEqual({ text: `Sync completed: ${counts}`, warns: false })
  expect(lineOf(job({ status: "completed" }), "Books").text).toBe(`Sync of Books completed: ${counts}`)
  const errors = [
    { ...error, severity: "warning", message: "Slow." },
    { ...error, severity: "fatal" }
  ] as unknown as Job["errors"]
  expect(lineOf(job({ status: "failed", errors }))).toEqual({
    text: `Sync failed: ${counts}: UPSTREAM_DOWN: The bank does not answer.`,
    warns: true
  })
  const resumeAt = "2026-03-01T00:00:00.000Z" as NonNullable<Job["resumeAt"]>
  expect(lineOf(job({ status: "paused", pauseReason: "provider_wait", resumeAt }))).toEqual({
    text: `Sync paused (provider_wait until ${resumeAt}): ${counts}`,
    warns: true
  })
  expect(lineOf(job({ status: "paused", pauseReason: "user" })).warns).toBe(false)
})
