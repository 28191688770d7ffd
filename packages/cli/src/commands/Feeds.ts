import { basename } from "node:path"
import type { DeliveredRecord, FeedRecord, UploadRecord } from "@millrace/core/operations"
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
import { Notes } from "../program/Notes.ts"
import { Output } from "../program/Output.ts"
import { recordOf, showList, showRecord } from "../request/Requests.ts"
import { bodyFrom, file, givenOf, listFrom } from "./Body.ts"
import {
  browser,
  choice,
  cursor,
  idArgument,
  ifVersion,
  limit,
  matching,
  queryOf,
  scope,
  text,
  toggle,
  yes
} from "./Flags.ts"
import { watch } from "./JobWatch.ts"

type FeedShape = typeof FeedRecord.Type
type UploadShape = typeof UploadRecord.Type
type RecordShape = typeof DeliveredRecord.Type

export const dataTypes = [
  "transactions",
  "balances",
  "trades",
  "holdings",
  "orders",
  "loans",
  "receipts",
  "invoices",
  "documents"
] as const satisfies ReadonlyArray<FeedShape["dataType"]>

export const feedSources = ["sync", "extractor", "upload"] as const satisfies ReadonlyArray<FeedShape["source"]>

export const recordStates = [
  "intended",
  "sending",
  "done",
  "failed",
  "skipped",
  "dead"
] as const satisfies ReadonlyArray<RecordShape["state"] | "dead">

export const redeliverable = ["failed", "dead", "skipped", "done"] as const satisfies ReadonlyArray<
  (typeof recordStates)[number]
>

export const uploadStatuses = ["stored", "processing", "processed", "failed"] as const satisfies ReadonlyArray<
  UploadShape["status"]
>

const id = idArgument("feed")
const dataType = choice("data-type", dataTypes, "Kind of the records")
const source = choice("source", feedSources, "Where the records come from")
const name = text("name", "<name>", "Name of the feed")

const list = Command.make("list", { dataType, source, scope }, (query) =>
  showList({ method: "GET", path: "/v1/feeds", query: queryOf(query) }, "feeds", [
    "id",
    "name",
    "source",
    "dataType",
    "state.status",
    "state.lastSuccessAt",
    "state.nextRunAt"
  ])
).pipe(Command.withDescription("List feeds"))

const get = Command.make("get", { id }, (input) => showRecord({ method: "GET", path: `/v1/feeds/${input.id}` })).pipe(
  Command.withDescription("Show a feed")
)

const dataTypeSchema = Command.make(
  "data-type",
  { name: Argument.Literals("data-type", dataTypes).pipe(Argument.withDescription("Kind of the records")) },
  (input) => showRecord({ method: "GET", path: `/v1/feeds/data-types/${input.name}` })
).pipe(Command.withDescription("Show the fields and options of a data type"))

const create = Command.make("create", { name, source, dataType, file }, ({ file: path, ...given }) =>
  Effect.flatMap(bodyFrom(path, given), (body) => showRecord({ method: "POST", path: "/v1/feeds", body }))
).pipe(
  Command.withDescription("Create a feed"),
  Command.withExamples([
    {
      command: "millrace feeds create --name Banking --source sync --data-type transactions --file feed.json",
      description: "sourceConfig and destinationConfig come from the file"
    }
  ])
)

const version = ifVersion("feed")

const update = Command.make(
  "update",
  { id, name, source, dataType, file, ifVersion: version },
  ({ file: path, id: feedId, ifVersion: expected, ...given }) =>
    Effect.flatMap(bodyFrom(path, given), (body) =>
      showRecord({ method: "PUT", path: `/v1/feeds/${feedId}`, body, headers: matching(expected) })
    )
).pipe(Command.withDescription("Change a feed"))

const remove = Command.make("delete", { id, ifVersion: version }, (input) =>
  Effect.gen(function* () {
    yield* (yield* Api).send({ method: "DELETE", path: `/v1/feeds/${input.id}`, headers: matching(input.ifVersion) })
    yield* (yield* Notes).say(`Deleted ${input.id}. Delivered records stay where they are.`)
  })
).pipe(Command.withDescription("Delete a feed; delivered records stay where they are"))

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

const learn = Command.make("learn", { id }, (input) =>
  showRecord({ method: "POST", path: `/v1/feeds/${input.id}/learn` })
).pipe(Command.withDescription("Learn at once from what people changed at the destination"))

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

const uploadId = Argument.String("upload-id").pipe(Argument.withDescription("Id of an uploaded file"))

const listUploads = Command.make(
  "list",
  { id, status: choice("status", uploadStatuses, "Only files in this state"), limit, cursor },
  ({ id: feedId, ...query }) =>
    showList({ method: "GET", path: `/v1/feeds/${feedId}/uploads`, query: queryOf(query) }, "uploads", [
      "id",
      "fileName",
      "format",
      "size",
      "status",
      "jobId",
      "createdAt"
    ])
).pipe(Command.withDescription("List the uploaded files, newest first"))

const readUpload = Command.make("read", { id, uploadId }, (input) =>
  showRecord({ method: "POST", path: `/v1/feeds/${input.id}/uploads/${input.uploadId}/read` })
).pipe(
  Command.withDescription("Read a file again with the options that the feed has now; what it gave before is replaced"),
  Command.withShortDescription("Read a file again with the options of the feed")
)

const deleteUpload = Command.make("delete", { id, uploadId }, (input) =>
  Effect.gen(function* () {
    yield* (yield* Api).send({ method: "DELETE", path: `/v1/feeds/${input.id}/uploads/${input.uploadId}` })
    yield* (yield* Notes).say(`Deleted ${input.uploadId} and what only it showed.`)
  })
).pipe(Command.withDescription("Delete a file and the records that only it showed"))

const endUpload = Command.make(
  "end",
  { id, pageId: Argument.String("page").pipe(Argument.withDescription("The id of the address, as it was made")) },
  (input) =>
    Effect.gen(function* () {
      yield* (yield* Api).send({ method: "DELETE", path: `/v1/feeds/${input.id}/uploads/pages/${input.pageId}` })
      yield* (yield* Notes).say(`Ended ${input.pageId}. Files that came by it stay.`)
    })
).pipe(Command.withDescription("End the address of an upload page"))

const uploads = Command.make("uploads").pipe(
  Command.withDescription("The uploaded files of a feed"),
  Command.withSubcommands([listUploads, readUpload, deleteUpload, endUpload])
)

const records = Command.make(
  "records",
  {
    id,
    state: choice("state", recordStates, "Only records in this state; dead ones were refused for good"),
    job: text("job", "<job-id>", "Only records that this job handled last"),
    record: text("record", "<record-id>", "Only this record"),
    limit,
    cursor
  },
  ({ id: feedId, job, record, ...query }) =>
    showList(
      {
        method: "GET",
        path: `/v1/feeds/${feedId}/records`,
        query: queryOf({ ...query, jobId: job, recordId: record })
      },
      "records",
      ["recordId", "op", "state", "dead", "version", "attempts", "lastError", "jobId", "updatedAt"]
    )
).pipe(
  Command.withDescription("List what became of the records of a feed at its destination, newest first"),
  Command.withShortDescription("List what became of the records of a feed")
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

const withheld = Command.make(
  "withheld",
  {
    id,
    verdict: choice("verdict", ["hold", "drop"], "Only rows that wait, or only those that are dropped"),
    limit,
    cursor
  },
  ({ id: feedId, ...query }) =>
    showList({ method: "GET", path: `/v1/feeds/${feedId}/withheld`, query: queryOf(query) }, "rows", [
      "rowId",
      "date",
      "verdict",
      "reason",
      "enrichmentId",
      "since",
      "overdue"
    ])
).pipe(
  Command.withDescription(
    "List the rows that filters keep from the destination of a feed: those that wait and those that are dropped, and why"
  ),
  Command.withShortDescription("List the rows that filters keep back, and why")
)

export const feeds = Command.make("feeds").pipe(
  Command.withDescription("Feeds: what is synced where, and the files of upload feeds"),
  Command.withShortDescription("Feeds and their files"),
  Command.withSubcommands([
    list,
    get,
    dataTypeSchema,
    create,
    update,
    remove,
    sync,
    learn,
    upload,
    uploads,
    records,
    redeliver,
    preview,
    withheld
  ])
)
