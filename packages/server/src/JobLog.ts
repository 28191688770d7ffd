/** What became of each run, for whoever runs the server: one line, a warning where somebody should look. */
import { isActive, type Job } from "@millrace/core/job"
import { JobStore } from "@millrace/core/storage"
import { JobEnded } from "@millrace/jobs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Failures and waits are warnings. */
export const lineOf = (job: Job): { readonly text: string; readonly warns: boolean } => {
  const { created, failed, read, removed, updated } = job.counts
  const counts = `${read} read, ${created} created, ${updated} updated, ${removed} removed, ${failed} failed`
  const [fault] = job.errors.toSorted((a, b) => Number(b.severity === "fatal") - Number(a.severity === "fatal"))
  const state =
    job.status === "paused"
      ? `paused (${job.pauseReason ?? "unknown"}${job.resumeAt === undefined ? "" : ` until ${job.resumeAt}`})`
      : job.status
  const why = fault === undefined ? "" : `: ${fault.code === undefined ? "" : `${fault.code}: `}${fault.message}`
  return {
    text: `Sync ${state}: ${counts}${why}`,
    warns: job.status === "failed" || (job.status === "paused" && job.pauseReason !== "user")
  }
}

const tell = (job: Job) => {
  // Given back: whoever takes it up tells.
  if (isActive(job.status) && job.status !== "paused") return Effect.void
  const { text, warns } = lineOf(job)
  return (warns ? Effect.logWarning(text) : Effect.logInfo(text)).pipe(
    Effect.annotateLogs({
      jobId: job.id,
      feedId: job.feedId,
      status: job.status,
      counts: job.counts,
      codes: [...new Set(job.errors.flatMap(({ code }) => (code === undefined ? [] : [code])))]
    })
  )
}

/** A line in the log for each run that ended here. */
export const layer = Layer.effect(
  JobEnded,
  Effect.map(
    JobStore,
    (jobs) =>
      ({ job }) =>
        jobs.get(job.workspaceId, job.feedId, job.id).pipe(
          Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: tell })),
          // What happened is stored: that it cannot be told is no reason to run again.
          Effect.ignore
        )
  )
)
