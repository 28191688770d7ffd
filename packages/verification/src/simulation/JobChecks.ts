/** What must be true of a job at the moment it ends. */
import { DeliveryStore } from "@millrace/core/storage"
import type { ErrorCode } from "@millrace/core"
import type { Job, JobCounts, JobError } from "@millrace/core/job"
import * as Effect from "effect/Effect"
import { must, mustEqual } from "./Invariant.ts"

const imbalance = (counts: JobCounts): number =>
  counts.read +
  counts.vanished +
  counts.carried -
  (counts.created + counts.updated + counts.removed + counts.unchanged + counts.filtered + counts.failed)

/** What somebody can do about an error of this code. */
const actions: Readonly<Partial<Record<ErrorCode, string>>> = {
  RECONNECT_REQUIRED: "reconnect",
  BANK_CONSENT_REQUIRED: "reconnect",
  PROVIDER_UNAVAILABLE: "retry",
  PROVIDER_RATE_LIMITED: "retry",
  DATA_NOT_READY: "retry",
  PROVIDER_MISCONFIGURED: "contact_support",
  DESTINATION_UNAVAILABLE: "retry",
  STORAGE_UNAVAILABLE: "retry"
}

const checkError = ({ code, message, recovery, severity }: JobError): void => {
  must("nothing breaks inside", code !== "INTERNAL_ERROR", () => message)
  if (severity !== "fatal") return
  const action =
    code === "INSTITUTION_UNAVAILABLE"
      ? recovery?.action === "contact_support"
        ? recovery.action
        : "retry"
      : actions[code]
  if (action !== undefined) mustEqual("an error says what to do about it", recovery?.action, action, code)
}

/** Whether nobody was left to count what the job did. */
const isLost = ({ errors }: Job): boolean =>
  errors.some(({ code }) => code === "WORKER_LOST" || code === "QUEUE_TIMEOUT" || code === "PAUSE_EXPIRED")

/** To be asked before anything else happens to the feed. */
export const checkEnded = Effect.fnUntraced(function* (job: Job) {
  for (const error of job.errors) checkError(error)
  if (job.status === "cancelled" || isLost(job)) return
  const { own } = yield* (yield* DeliveryStore).countOpen(job.feedId, job.id)
  must("the counters of a job balance", imbalance(job.counts) === own, () => ({ own, job }))
  if (job.status === "completed") must("the counters of a job balance", own === 0, () => ({ own, job }))
})
