/** Jobs, also without naming their feeds. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Api } from "../request/Api.ts"
import { UsageFault } from "../program/Failure.ts"
import { Notes } from "../program/Notes.ts"
import type { JsonObject } from "../output/ExactJson.ts"
import { Output } from "../program/Output.ts"
import { bodyOf, rowsOf, showList, showRecord } from "../request/Requests.ts"
import { choice, cursor, idArgument, idFlag, limitOf, queryOf } from "./Flags.ts"
import { jobStatuses } from "./JobStatus.ts"
import { watch } from "./JobWatch.ts"

const feed = idFlag("feed")
const id = idArgument("job")
const pageSize = 20

const columns = ["id", "status", "type", "counts.read", "counts.created", "counts.updated", "createdAt", "completedAt"]
/** Each feed is asked with one request, and requests are counted. */
const mostFeeds = 50

const listAt = Effect.fnUntraced(function* (path: string, query: ReadonlyArray<readonly [string, string]>) {
  return yield* rowsOf(yield* bodyOf(yield* (yield* Api).send({ method: "GET", path, query })))
})

/** The newest jobs of all feeds: those of each, merged. */
const newest = Effect.fn("Jobs.newest")(function* (query: ReadonlyArray<readonly [string, string]>, limit: number) {
  const feeds = yield* listAt("/v1/feeds", [])
  const asked = feeds.slice(0, mostFeeds)
  const jobs = yield* Effect.forEach(
    asked,
    (one) =>
      Effect.map(listAt(`/v1/feeds/${String(one["id"])}/jobs`, query), (found) =>
        found.map((job): JsonObject => ({ ...job, feedId: one["id"]!, feedName: one["name"] ?? null }))
      ),
    { concurrency: 4 }
  )
  const merged = jobs.flat().toSorted((a, b) => (String(a["createdAt"]) < String(b["createdAt"]) ? 1 : -1))
  yield* (yield* Output).list(merged.slice(0, limit), "jobs", ["feedName", ...columns])
  if (feeds.length > asked.length) {
    yield* (yield* Notes).say(`These are of ${asked.length} of ${feeds.length} feeds; --feed lists those of one`)
  }
})

const list = Command.make(
  "list",
  {
    feed: Flag.optional(feed),
    status: choice("status", jobStatuses, "Only jobs with this status"),
    limit: limitOf(pageSize),
    cursor
  },
  ({ cursor: from, feed: feedId, limit, status }) =>
    Effect.gen(function* () {
      const query = queryOf({ status, cursor: from, limit: Option.some(limit) })
      if (Option.isSome(feedId)) {
        return yield* showList({ method: "GET", path: `/v1/feeds/${feedId.value}/jobs`, query }, "jobs", columns)
      }
      if (Option.isSome(from)) return yield* new UsageFault({ message: "--cursor goes with --feed." })
      return yield* newest(query, limit)
    })
).pipe(Command.withDescription("List the newest sync jobs of all feeds, or with --feed those of one"))

/** The address of a job. Without its feed the feeds are asked for it, since the API names a job below its feed. */
const pathOf = Effect.fn("Jobs.pathOf")(function* (feedId: Option.Option<string>, jobId: string) {
  if (Option.isSome(feedId)) return `/v1/feeds/${feedId.value}/jobs/${jobId}`
  const feeds = yield* listAt("/v1/feeds", [])
  for (const one of feeds) {
    const path = `/v1/feeds/${String(one["id"])}/jobs/${jobId}`
    const isThere = yield* (yield* Api).send({ method: "GET", path }).pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => error._tag === "ApiRefused" && error.status === 404,
        () => Effect.succeed(false)
      )
    )
    if (isThere) return path
  }
  return yield* new UsageFault({ message: `No feed that this key can read has the job ${jobId}.` })
})

const optionalFeed = Flag.optional(feed)

const get = Command.make("get", { feed: optionalFeed, id }, (input) =>
  Effect.flatMap(pathOf(input.feed, input.id), (path) => showRecord({ method: "GET", path }))
).pipe(Command.withDescription("Show a sync job"))

const cancel = Command.make("cancel", { feed: optionalFeed, id }, (input) =>
  Effect.flatMap(pathOf(input.feed, input.id), (path) => showRecord({ method: "DELETE", path }))
).pipe(Command.withDescription("Cancel a sync job"))

const pause = Command.make("pause", { feed: optionalFeed, id }, (input) =>
  Effect.flatMap(pathOf(input.feed, input.id), (path) => showRecord({ method: "POST", path: `${path}/pause` }))
).pipe(
  Command.withDescription("Pause a sync job at the end of the page it is at; resume it within 24 hours"),
  Command.withShortDescription("Pause a sync job")
)

const resume = Command.make("resume", { feed: optionalFeed, id }, (input) =>
  Effect.flatMap(pathOf(input.feed, input.id), (path) => showRecord({ method: "POST", path: `${path}/resume` }))
).pipe(Command.withDescription("Resume a paused sync job"))

const watchJob = Command.make("watch", { feed: optionalFeed, id }, (input) =>
  Effect.flatMap(pathOf(input.feed, input.id), watch)
).pipe(
  Command.withDescription("Wait until a sync job has ended; exit code 1 unless it completed"),
  Command.withShortDescription("Wait until a sync job has ended")
)

/** Below `jobs`. */
export const jobCommands = [list, get, cancel, pause, resume, watchJob] as const
