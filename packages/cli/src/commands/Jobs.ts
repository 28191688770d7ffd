import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { showList, showRecord } from "../Requests.ts"
import { choice, cursor, idArgument, idFlag, limitOf, queryOf } from "./Flags.ts"
import { jobStatuses } from "./JobStatus.ts"
import { watch } from "./JobWatch.ts"

const feed = idFlag("feed")
const id = idArgument("job")
const pageSize = 20

const list = Command.make(
  "list",
  { feed, status: choice("status", jobStatuses, "Only jobs with this status"), limit: limitOf(pageSize), cursor },
  ({ feed: feedId, limit, ...query }) =>
    showList(
      { method: "GET", path: `/v1/feeds/${feedId}/jobs`, query: queryOf({ ...query, limit: Option.some(limit) }) },
      "jobs",
      ["id", "status", "type", "counts.read", "counts.created", "counts.updated", "createdAt", "completedAt"]
    )
).pipe(Command.withDescription("List the sync jobs of a feed, newest first"))

const get = Command.make("get", { feed, id }, (input) =>
  showRecord({ method: "GET", path: `/v1/feeds/${input.feed}/jobs/${input.id}` })
).pipe(Command.withDescription("Show a sync job"))

const cancel = Command.make("cancel", { feed, id }, (input) =>
  showRecord({ method: "DELETE", path: `/v1/feeds/${input.feed}/jobs/${input.id}` })
).pipe(Command.withDescription("Cancel a sync job"))

const pause = Command.make("pause", { feed, id }, (input) =>
  showRecord({ method: "POST", path: `/v1/feeds/${input.feed}/jobs/${input.id}/pause` })
).pipe(
  Command.withDescription("Pause a sync job at the end of the page it is at; resume it within 24 hours"),
  Command.withShortDescription("Pause a sync job")
)

const resume = Command.make("resume", { feed, id }, (input) =>
  showRecord({ method: "POST", path: `/v1/feeds/${input.feed}/jobs/${input.id}/resume` })
).pipe(Command.withDescription("Resume a paused sync job"))

const watchJob = Command.make("watch", { feed, id }, (input) => watch(input.feed, input.id)).pipe(
  Command.withDescription("Wait until a sync job has ended; exit code 1 unless it completed"),
  Command.withShortDescription("Wait until a sync job has ended")
)

export const jobs = Command.make("jobs").pipe(
  Command.withDescription("Sync jobs"),
  Command.withSubcommands([list, get, cancel, pause, resume, watchJob])
)
