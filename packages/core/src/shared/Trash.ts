/** How long things stay in the trash (decisions 6.11). */
import { limits } from "./Limits.ts"
import * as Timestamp from "./Timestamp.ts"

const dayMillis = 86_400_000

/** When something that was put into the trash at `trashedAt` is removed permanently. */
export const purgeAt = (trashedAt: Timestamp.Timestamp): Timestamp.Timestamp =>
  Timestamp.fromMillis(Timestamp.toMillis(trashedAt) + limits.trashDays * dayMillis)

/** What came into the trash before this is removed permanently now. */
export const purgeBefore = (now: Timestamp.Timestamp): Timestamp.Timestamp =>
  Timestamp.fromMillis(Timestamp.toMillis(now) - limits.trashDays * dayMillis)
