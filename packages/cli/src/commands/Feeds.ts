/** Commands of feeds that watch a job, send a file or take a list. */
import { basename } from "node:path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { stringify } from "../output/ExactJson.ts"
import { Api } from "../request/Api.ts"
import { openBrowser } from "../program/Browser.ts"
import { AnswerUnreadable } from "../program/Failure.ts"
import { readBytes } from "../program/Input.ts"
import { Output } from "../program/Output.ts"
import { recordOf, showRecord } from "../request/Requests.ts"
import { givenOf, listFrom } from "./Body.ts"
import { browser, choice, idArgument, text, toggle, yes } from "./Flags.ts"
import { watch } from "./JobWatch.ts"

export const redeliverable = ["failed", "dead", "skipped", "done"] as const

const id = idArgument("feed")
const jobIdOf = Effect.fnUntraced(function* (job: Readonly<Record<string, unknown>>) {
  const found = job["id"]
  return typeof found === "string" ? found : yield* new AnswerUnreadable({ message: "The answer has no job." })
})

const sync = Command.make(
  "sync",
  {
    id,
    start: text("start", "<date>", "First day, YYYY-MM-DD"),
    end: text("end", "<date>", "Last day, YYYY-MM-DD"),
    force: toggle("force", "Cancel a running job first"),
    reset: toggle("reset", "Read everything again"),
    skipDedup: toggle("skip-dedup", "Match by id only, and deliver records that were delivered before, too"),
    wait: toggle("wait", "Wait until the job has ended; exit code 1 unless it completed")
  },
  ({ end, force, id: feedId, reset, skipDedup, start, wait }) =>
    Effect.gen(function* () {
      const body = JSON.stringify({
        startDate: Option.getOrUndefined(start),
        endDate: Option.getOrUndefined(end),
        forceCancelActive: force || undefined,
        resetCursors: reset || undefined,
        skipDedup: skipDedup || undefined
      })
      const job = yield* recordOf(yield* (yield* Api).send({ method: "POST", path: `/v1/feeds/${feedId}/sync`, body }))
      if (!wait) return yield* (yield* Output).record(job)
      return yield* watch(`/v1/feeds/${feedId}/jobs/${yield* jobIdOf(job)}`)
    })
).pipe(
  Command.withDescription("Start a sync job"),
  Command.withExamples([{ command: "millrace feeds sync feed_01 --wait", description: "Sync, and wait for the end" }])
)

const upload = Command.make(
  "upload",
  {
    id,
    file: Argument.String("file").pipe(
      Argument.withDescription("Statement: OFX, QFX, QIF, CAMT.052/053/054, MT940, MT942 or CSV"),
      Argument.optional
    ),
    redirectUri: text("redirect-uri", "<url>", "Where the page leads back to"),
    browser
  },
  ({ browser: opens, file: given, id: feedId, redirectUri }) =>
    Effect.gen(function* () {
      const path = `/v1/feeds/${feedId}/uploads`
      if (Option.isSome(given)) {
        const bytes = yield* readBytes(given.value)
        return yield* showRecord({ method: "POST", path, body: { fileName: basename(given.value), bytes } })
      }
      const body = stringify(givenOf({ redirectUri }))
      const page = yield* recordOf(yield* (yield* Api).send({ method: "POST", path: `${path}/start`, body }))
      yield* (yield* Output).record(page)
      if (yes(opens)) yield* openBrowser(String(page["url"]))
    })
).pipe(
  Command.withDescription("Upload a statement file; without one, open a page that takes files for an hour"),
  Command.withExamples([
    { command: "millrace feeds upload feed_01 march.ofx" },
    { command: "millrace feeds upload feed_01 --no-browser", description: "An address for somebody else" }
  ])
)

const redeliver = Command.make(
  "redeliver",
  {
    id,
    state: choice("state", redeliverable, "All records in this state"),
    records: Argument.String("record-id").pipe(Argument.withDescription("Id of a record"), Argument.variadic())
  },
  ({ id: feedId, records: recordIds, state }) =>
    showRecord({
      method: "POST",
      path: `/v1/feeds/${feedId}/records/redeliver`,
      body: JSON.stringify({
        ...(recordIds.length === 0 ? {} : { recordIds }),
        ...(Option.isNone(state) ? {} : { state: state.value })
      })
    })
).pipe(
  Command.withDescription("Send records again: delivered, refused, or deleted by people at the destination"),
  Command.withShortDescription("Send records again"),
  Command.withExamples([
    { command: "millrace feeds redeliver feed_01 --state dead", description: "Try again what was given up" }
  ])
)

const preview = Command.make(
  "preview",
  {
    id,
    file: Flag.String("file").pipe(
      Flag.withMetavar("<file>"),
      Flag.withDescription("JSON of the records, at most 50; - is standard input")
    )
  },
  ({ file: path, id: feedId }) =>
    Effect.gen(function* () {
      const body = yield* listFrom(path, "records", {})
      yield* showRecord({ method: "POST", path: `/v1/feeds/${feedId}/enrich/preview`, body })
    })
).pipe(
  Command.withDescription("Show what the enrichments of a feed would make of records; nothing is stored or sent"),
  Command.withShortDescription("Show what enrichments would make of records")
)

/** Below `feeds`. */
export const feedCommands = [sync, upload, redeliver, preview] as const
