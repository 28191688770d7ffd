import { Jobs } from "../../src/job/Jobs.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import { StorageRoom } from "../../src/storage/StorageRoom.ts"
import { Uploads } from "../../src/upload/Uploads.ts"
import { UploadSettings } from "../../src/upload/UploadSettings.ts"
import { UploadStore } from "../../src/upload/UploadStore.ts"
import { storeFeed } from "@millrace/testing/fixture"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { runJob, scene } from "./Uploading.ts"

/** What is logged from here on: level, message, feed, and everything as text. */
const listen = () => {
  const heard: Array<{ readonly line: ReadonlyArray<unknown>; readonly all: string }> = []
  const layer = Logger.layer([
    Logger.make(({ fiber, logLevel, message }) => {
      const [text, error] = Array.isArray(message) ? message : [message]
      const { feedId } = fiber.getRef(References.CurrentLogAnnotations)
      heard.push({ line: [logLevel, text, feedId], all: JSON.stringify([text, error]) })
    })
  ])
  return { heard, layer }
}

const cursors = Cursors.layer(Redacted.make("only for tests"))

const bookingOf = (name: string) => ({
  fileName: name,
  contentType: "text/csv",
  bytes: new TextEncoder().encode(`Date;Description;Amount\n2026-03-02;${name};-4.50\n`)
})

const inEuro = (day: string) => ({
  fileName: `${day}.csv`,
  contentType: "text/csv",
  bytes: new TextEncoder().encode(`Date;Description;Amount;Currency\n${day};A;-4.50;EUR\n`)
})

describe("uploading", () => {
  scene("stores a file and starts the feed", () =>
    Effect.gen(function* () {
      const { feed, jobs, statuses, upload } = yield* openUploadFeed
      const { created, upload: made } = yield* upload("march.csv")
      expect([created, made.status, made.format, made.statements.map(({ rows }) => rows)]).toEqual([
        true,
        "stored",
        "csv",
        [1]
      ])
      expect(yield* statuses).toEqual({ "march.csv": "stored" })
      expect(yield* jobs).toMatchObject([{ feedId: feed.id, startedBy: { kind: "user" }, status: "created" }])
    })
  )

  scene("answers the job that it started, so that nobody has to start one", () =>
    Effect.gen(function* () {
      const { jobs, upload } = yield* openUploadFeed
      const { upload: made } = yield* upload("march.csv")
      const [job] = yield* jobs
      expect(made.jobId).toBe(job?.id)
      // Another file comes while that job is active: it starts none, and says so.
      expect((yield* upload("april.csv")).upload.jobId).toBeUndefined()
    })
  )

  scene(
    "says at the first file of a feed that its amounts are in another currency than the sums of the workspace",
    () =>
      Effect.gen(function* () {
        const { caller, feed, upload } = yield* openUploadFeed
        const uploads = yield* Uploads
        const first = yield* uploads.add(caller, feed.id, inEuro("2026-03-02"))
        expect(first.upload.warnings.at(-1)).toBe(
          "The amounts are in EUR, and the workspace sums in CHF. To sum in EUR: npx millrace workspace update --currency EUR"
        )
        const second = yield* uploads.add(caller, feed.id, inEuro("2026-03-03"))
        expect(second.upload.warnings.join()).not.toContain("the workspace sums in")
        expect((yield* upload("march.csv")).upload.warnings.join()).not.toContain("the workspace sums in")
      })
  )

  scene("keeps the same bytes once that come many times at one moment, and starts one job for them", () =>
    Effect.gen(function* () {
      const { jobs, statuses, upload } = yield* openUploadFeed
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => upload("march.csv")),
        { concurrency: "unbounded" }
      )
      expect(answers.filter(({ created }) => created)).toHaveLength(1)
      expect(new Set(answers.map((answer) => answer.upload.id)).size).toBe(1)
      expect([yield* statuses, (yield* jobs).length]).toEqual([{ "march.csv": "stored" }, 1])
    })
  )

  scene("answers the same bytes with the first upload, whatever their name, and starts nothing", () =>
    Effect.gen(function* () {
      const { feed, jobs, caller, statuses, upload } = yield* openUploadFeed
      const first = yield* upload("march.csv")
      const { status } = yield* runJob(feed.id)
      const bytes = yield* Effect.flatMap(UploadStore, (store) => store.bytes(first.upload.id))
      const again = yield* (yield* Uploads).add(caller, feed.id, {
        fileName: "copy.csv",
        contentType: "text/csv",
        bytes: yield* Effect.fromOption(bytes)
      })
      expect([status, again.created, again.upload.id, again.upload.status]).toEqual([
        "completed",
        false,
        first.upload.id,
        "processed"
      ])
      expect([yield* statuses, (yield* jobs).length]).toEqual([{ "march.csv": "processed" }, 1])
    })
  )

  scene("keeps nothing of a file that cannot be read, and says where the fault is", () =>
    Effect.gen(function* () {
      const { feed, jobs, caller, statuses } = yield* openUploadFeed
      const refused = yield* Effect.flip(
        (yield* Uploads).add(caller, feed.id, {
          fileName: "empty.csv",
          contentType: "text/csv",
          bytes: new Uint8Array()
        })
      )
      expect(refused).toMatchObject({
        _tag: "Unprocessable",
        code: "VALIDATION_FAILED",
        details: [{ field: "file", message: "line 1: the file is empty" }]
      })
      expect([yield* statuses, yield* jobs]).toEqual([{}, []])
    })
  )

  scene("refuses files for feeds that read from connections, and for those of others", () =>
    Effect.gen(function* () {
      const { caller } = yield* openUploadFeed
      const other = yield* openUploadFeed
      const connected = yield* storeFeed(caller.principal.workspace, { source: "sync" })
      const file = { fileName: "march.csv", contentType: "text/csv", bytes: new Uint8Array([1]) }
      const uploads = yield* Uploads
      expect(yield* Effect.flip(uploads.add(caller, connected.id, file))).toMatchObject({
        details: [{ field: "feedId" }]
      })
      expect(yield* Effect.flip(uploads.add(caller, other.feed.id, file))).toMatchObject({ _tag: "NotFound" })
    })
  )

  scene("leaves the file to the schedule where there is one", () =>
    Effect.gen(function* () {
      const { change, jobs, statuses, upload } = yield* openUploadFeed
      yield* change((feed) => ({ ...feed, schedule: { enabled: true, frequency: "daily", timeOfDay: "06:30" } }))
      yield* upload("march.csv")
      expect([yield* statuses, yield* jobs]).toEqual([{ "march.csv": "stored" }, []])
    })
  )

  scene("stores a file while a job runs, and does not mention it", () =>
    Effect.gen(function* () {
      const { jobs, statuses, upload } = yield* openUploadFeed
      const { heard, layer } = listen()
      yield* upload("march.csv")
      yield* Effect.provide(upload("april.csv"), layer)
      expect(yield* statuses).toEqual({ "march.csv": "stored", "april.csv": "stored" })
      expect([(yield* jobs).length, heard]).toEqual([1, []])
    })
  )

  scene("keeps a file whose sync cannot start for another reason, and logs which feed it was", () =>
    Effect.gen(function* () {
      const { feed, caller, statuses } = yield* openUploadFeed
      const { heard, layer } = listen()
      const broken = Layer.effect(
        Jobs,
        Effect.map(Jobs, (jobs) =>
          Jobs.of({ ...jobs, trigger: () => new StorageUnavailable({ message: "connection refused" }) })
        )
      )
      const { created } = yield* Effect.flatMap(Uploads, (uploads) =>
        uploads.add(caller, feed.id, {
          fileName: "march.csv",
          contentType: "text/csv",
          bytes: new TextEncoder().encode("Date;Description;Amount\n2026-03-02;a private matter;-4.50\n")
        })
      ).pipe(
        Effect.provide(
          Layer.merge(layer, Uploads.layer.pipe(Layer.provide(broken), Layer.provide(cursors), Layer.fresh))
        )
      )
      expect([created, yield* statuses]).toEqual([true, { "march.csv": "stored" }])
      expect(heard.map(({ line }) => line)).toEqual([["Warn", "An upload could not start a sync", feed.id]])
      expect(heard[0]!.all).toContain("connection refused")
      expect(heard[0]!.all).not.toContain("private")
    })
  )

  scene("takes no file while the disk is short of room, goes on with all else, and takes it once there is some", () =>
    Effect.gen(function* () {
      const { feed, caller, statuses, upload } = yield* openUploadFeed
      yield* upload("march.csv")
      let full = true
      const asked: Array<number> = []
      const need = (bytes: number) =>
        Effect.suspend(() => {
          asked.push(bytes)
          return full ? Effect.fail(new StorageUnavailable({ message: "no room", full: true })) : Effect.void
        })
      const bytes = new TextEncoder().encode("Date;Description;Amount\n2026-04-02;late;-4.50\n")
      const late = { fileName: "april.csv", contentType: "text/csv", bytes }
      yield* Effect.gen(function* () {
        const uploads = yield* Uploads
        expect(yield* Effect.flip(uploads.add(caller, feed.id, late))).toMatchObject({ full: true })
        expect(asked).toEqual([bytes.length])
        expect(yield* statuses).toEqual({ "march.csv": "stored" })
        // What is there already needs no room.
        const same = yield* Effect.flatMap(UploadStore, (store) => store.list(feed.id, {}))
        const first = yield* Effect.fromOption(yield* Effect.flatMap(UploadStore, (store) => store.bytes(same[0]!.id)))
        expect((yield* uploads.add(caller, feed.id, { ...late, bytes: first })).created).toBe(false)
        expect((yield* runJob(feed.id)).status).toBe("completed")
        full = false
        expect((yield* uploads.add(caller, feed.id, late)).created).toBe(true)
      }).pipe(
        Effect.provide(
          Uploads.layer.pipe(
            Layer.provide([Layer.succeed(StorageRoom, { need, forSyncs: Effect.void }), cursors]),
            Layer.fresh
          )
        )
      )
    })
  )

  scene("keeps no more files of a workspace than the operator allows", () =>
    Effect.gen(function* () {
      const { feed, caller, statuses } = yield* openUploadFeed
      const size = bookingOf("one").bytes.length
      const settings = Layer.succeed(UploadSettings, { maxBytes: 1_000_000, workspaceBytes: 2 * size })
      yield* Effect.gen(function* () {
        const { add } = yield* Uploads
        yield* add(caller, feed.id, bookingOf("one"))
        yield* add(caller, feed.id, bookingOf("two"))
        expect(yield* Effect.flip(add(caller, feed.id, bookingOf("six")))).toMatchObject({
          _tag: "PlanLimitReached",
          what: "bytes of uploaded files",
          limit: 2 * size
        })
        expect(yield* statuses).toEqual({ one: "stored", two: "stored" })
      }).pipe(Effect.provide(Uploads.layer.pipe(Layer.provide([settings, cursors]), Layer.fresh)))
    })
  )
})
