/**
 * Files that were damaged on their way: each is taken or refused with a sentence, and of a refused one nothing is
 * stored. `MILLRACE_LONG=1` damages 2,000 files.
 */
import { BankStore } from "../../src/bank/BankStore.ts"
import { Uploads } from "../../src/upload/Uploads.ts"
import { FaultPoints } from "@millrace/testing/fault"
import { makeUploadWorld } from "@millrace/verification/upload/UploadWorld"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { damagedFile } from "./DamagedFiles.ts"
import { engine, openLedger, runJob } from "./Uploading.ts"

const files = process.env["MILLRACE_LONG"] === "1" ? 2_000 : 80
const perWorld = 20
const worlds = Array.from({ length: files / perWorld }, (_, n) => n * perWorld + 1)

/** What asks the stores and changes nothing. */
const asking = /^(?:FeedStore\.get|UploadStore\.(?:bySha256|bytesKept))$/

/** What a person can act on: where it is, words, an end; nothing of the code. */
const sentence = /^(?=.*\p{L}{2,} \p{L}+)(?!.*(?:undefined|NaN|\[object|TypeError|RangeError)).{15,}$/su

/** Adds damaged files to a feed; tells how many were taken and how many refused. */
const play = (from: number) => {
  const points = new FaultPoints()
  const called = new Set<string>()
  const { layer } = makeUploadWorld(engine, points)
  return Effect.gen(function* () {
    const { accounts, feed, jobs, caller, rows } = yield* openLedger
    const [uploads, banks] = [yield* Uploads, yield* BankStore]
    const stored = Effect.all({
      uploads: uploads.list(caller, feed.id, { limit: 100 }),
      banks: banks.list([caller.principal.workspace.id]),
      accounts,
      records: rows,
      jobs
    })
    const count = { taken: 0, refused: 0 }
    for (let seed = from; seed < from + perWorld; seed++) {
      const before = yield* stored
      called.clear()
      points.strike = (call) => {
        called.add(call)
        return undefined
      }
      // A defect ends the test, with the seed of the file.
      const answer = yield* uploads
        .add(caller, feed.id, {
          fileName: `file-${seed}`,
          contentType: "application/octet-stream",
          bytes: damagedFile(seed)
        })
        .pipe(
          Effect.result,
          Effect.catchDefect((defect) => Effect.die(new Error(`file ${seed} ends in a defect`, { cause: defect })))
        )
      points.strike = undefined
      const told = `file ${seed}`
      if (Result.isFailure(answer)) {
        count.refused++
        expect(answer.failure, told).toMatchObject({
          _tag: "Unprocessable",
          code: "VALIDATION_FAILED",
          details: [{ field: "file", message: expect.stringMatching(sentence) as string }]
        })
        expect(
          [...called].filter((call) => !asking.test(call)),
          told
        ).toEqual([])
        expect(yield* stored, told).toEqual(before)
        continue
      }
      count.taken++
      const { created, upload } = answer.success
      if (!created) continue
      expect(upload.status, told).toBe("stored")
      // What was taken can be booked as well.
      const job = yield* runJob(feed.id)
      const status = (yield* uploads.list(caller, feed.id, {})).rows[0]?.status
      expect([job.status, status], `${told}: ${JSON.stringify(job.errors)}`).toEqual(["completed", "processed"])
    }
    return count
  }).pipe(Effect.provide(layer))
}

describe("damaged files", () => {
  it.effect.each(worlds)(
    "are taken and booked, or refused with a sentence and leave nothing behind (from seed %i)",
    (from) =>
      Effect.gen(function* () {
        const { refused, taken } = yield* play(from)
        expect(refused + taken).toBe(perWorld)
        // Twenty files of which none is refused, or all, would show half of it.
        expect([refused > 0, taken > 0]).toEqual([true, true])
      })
  )
})
