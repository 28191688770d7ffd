/** What the operator decides about uploaded files. */
import * as Context from "effect/Context"
import { limits } from "../shared/Limits.ts"

export const UploadSettings = Context.Reference<{
  /** Of one file. */
  readonly maxBytes: number
  /** Of all files that a workspace keeps at one time; the plan may allow less. Absent: what the plan says. */
  readonly workspaceBytes?: number | undefined
  /** Days that the content of a file that was read is kept; 0: none; absent: as long as its feed. */
  readonly keepDays?: number | undefined
}>("@millrace/core/upload/UploadSettings", { defaultValue: () => ({ maxBytes: limits.uploadBytes }) })
