/** What became of each run, for the operator of the server: one line, a warning where somebody should look. */
import { isActive, type Job } from "@millrace/core/job"
import { FeedStore, JobStore } from "@millrace/core/storage"
import { JobEnded } from "@millrace/jobs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** The counts that say something: what was read always, and the others where they are not 0. */
const countsOf = ({ created, failed, read, removed, updated }: Job["counts"]): string =>
  [
    `${read} read`,
    ...Object.entries({ created, updated, removed, failed }).flatMap(([name, many]) =>
      many === 0 ? [] : `${many} ${name}`
    )
  ].join(", ")

/** Failures and waits are warnings. `feed` is its name; a feed that is gone has none. */
export const lineOf = (job: Job, feed?: string): { readonly text: string; readonly warns: boolean } => {
  const counts = countsOf(job.counts)
  const [fault] = job.errors.toSorted((a, b) => Number(b.severity === "fatal") - Number(a.severity === "fatal"))
  const state =
    job.status === "paused"
      ? `paused (${job.pauseReason ?? "unknown"}${job.resumeAt === undefined ? "" : ` until ${job.resumeAt}`})`
      : job.status
  const why = fault === undefined ? "" : `: ${fault.code === undefined ? "" : `${fault.code}: `}${fault.message}`
  return {
    text: `${feed === undefined ? "Sync" : `Sync of ${feed}`} ${state}: ${counts}${why}`,
    warns: job.status === "failed" || (job.status === "paused" && job.pauseReason !== "user")
  }
}

const tell = Effect.fnUntraced(function* (job: Job) {
  // Given back: anyone who takes it up tells.
  if (isActive(job.status) && job.status !== "paused") return
  const feed = yield* (yield* FeedStore).get(job.workspaceId, job.feedId)
  const { text, warns } = lineOf(job, Option.getOrUndefined(feed)?.name)
  yield* (warns ? Effect.logWarning(text) : Effect.logInfo(text)).pipe(
    Effect.annotateLogs({
      jobId: job.id,
      feedId: job.feedId,
      status: job.status,
      counts: job.counts,
      codes: [...new Set(job.errors.flatMap(({ code }) => (code === undefined ? [] : [code])))]
    })
  )
})

/** A line in the log for each run that ended here. */
export const layer = Layer.effect(
  JobEnded,
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const stores = yield* Effect.context<FeedStore>()
    return ({ job }) =>
      jobs.get(job.workspaceId, job.feedId, job.id).pipe(
        Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: tell })),
        Effect.provide(stores),
        // What happened is stored: that it cannot be told is no reason to run again.
        Effect.ignore
      )
  })
)
