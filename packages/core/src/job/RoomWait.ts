/** Jobs that wait until storage has room again: they go on by themselves, and no attempt of theirs is used up. */
import type { FeedState } from "../feed/Feed.ts"
import * as Recovery from "../failure/Recovery.ts"

/** Seconds until a job looks again whether there is room: nothing is asked of a bank for that. */
export const lookAgainSeconds = 10

/** Seconds until a job tries again where only the try can tell: each one asks the bank again. */
export const tryAgainSeconds = 300

/** What the feed of such a job says. */
export const storageFull: NonNullable<FeedState["reason"]> = {
  code: "STORAGE_FULL",
  message: "There is no room to store more. The sync goes on by itself once the operator has freed some.",
  recovery: Recovery.retryAfter(lookAgainSeconds)
}
