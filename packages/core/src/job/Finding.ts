/** What a run found wrong, before it stands on its job (decisions 3.2). */
import * as Effect from "effect/Effect"
import type { ErrorCategory, ErrorCode } from "../failure/ErrorCode.ts"
import type { Recovery } from "../failure/Recovery.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { JobError } from "./Job.ts"

export interface Finding {
  readonly severity: JobError["severity"]
  readonly category: ErrorCategory
  readonly code: ErrorCode
  readonly message: string
  readonly recovery?: Recovery | undefined
}

export const toJobErrors = (findings: ReadonlyArray<Finding>): Effect.Effect<ReadonlyArray<JobError>> =>
  Effect.map(Timestamp.now, (timestamp) =>
    findings.slice(0, limits.jobErrors).map(({ recovery, ...finding }) => ({
      ...finding,
      timestamp,
      ...(recovery === undefined ? {} : { recovery })
    }))
  )

export const warning = (category: ErrorCategory, code: ErrorCode, message: string): Finding => ({
  severity: "warning",
  category,
  code,
  message
})
