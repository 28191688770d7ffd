/** Waiting for a sync job: polls it as often as the rate limit allows, and says how far it is. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Api } from "../request/Api.ts"
import { JobUnsuccessful } from "../program/Failure.ts"
import { Notes } from "../program/Notes.ts"
import type { JsonObject } from "../output/ExactJson.ts"
import { Output } from "../program/Output.ts"
import { countAt, recordOf } from "../request/Requests.ts"
import { isActive } from "./JobStatus.ts"

const textAt = (job: JsonObject, key: string): string => {
  const value = job[key]
  return typeof value === "string" ? value : ""
}

const progressOf = (job: JsonObject): string => {
  const resumeAt = textAt(job, "resumeAt")
  const paused = textAt(job, "status") === "paused" && resumeAt !== "" ? ` until ${resumeAt}` : ""
  return `${textAt(job, "status")}${paused}: ${countAt(job, "transactionsProcessed")} read, ${countAt(job, "transactionsWritten")} written`
}

/** The first look comes soon, because small syncs take no time. */
const firstPause = 300
const leastPause = 1_000
/** Part of the requests per minute that waiting may use up. */
const share = 0.5

/** Shows the job at this address when it has ended; fails unless it completed. */
export const watch = Effect.fn("JobWatch.watch")(function* (path: string) {
  const api = yield* Api
  const notes = yield* Notes
  let pause = firstPause
  for (;;) {
    const answer = yield* api.send({ method: "GET", path })
    const job = yield* recordOf(answer)
    const status = textAt(job, "status")
    if (!isActive(status)) {
      yield* notes.endProgress
      yield* (yield* Output).record(job)
      if (status === "completed") return
      return yield* new JobUnsuccessful({ message: `The job is ${status}.` })
    }
    yield* notes.progress(progressOf(job))
    yield* Effect.sleep(Duration.millis(pause))
    pause = Math.max(leastPause, answer.rateLimit === undefined ? 0 : 60_000 / (answer.rateLimit * share))
  }
})
