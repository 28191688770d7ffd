/** Sync jobs: triggering, looking up, cancelling (decisions 5.4, 6.4 and 7.5). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Principal } from "../access/Principal.ts"
import type { Conflict, CursorUnusable, InvalidInput, NotFound, Unprocessable } from "../failure/Failure.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Job, JobId, JobStatus } from "./Job.ts"

/** TriggerSyncBody (specification 2.3). */
export interface TriggerSync {
  readonly startDate?: CalendarDate
  readonly endDate?: CalendarDate
  readonly forceCancelActive?: boolean
  readonly resetCursors?: boolean
  readonly skipDedup?: boolean
}

export class Jobs extends Context.Service<
  Jobs,
  {
    /** Creates a job and takes the feed lock with it. */
    readonly trigger: (
      principal: Principal,
      feedId: FeedId,
      options: TriggerSync
    ) => Effect.Effect<Job, NotFound | InvalidInput | Unprocessable | Conflict | StorageUnavailable>
    readonly get: (workspace: Workspace, feedId: FeedId, id: JobId) => Effect.Effect<Job, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      workspace: Workspace,
      feedId: FeedId,
      query: PageRequest & { readonly status?: JobStatus }
    ) => Effect.Effect<Page<Job>, NotFound | CursorUnusable | StorageUnavailable>
    /** Releases the feed lock at once. */
    readonly cancel: (
      workspace: Workspace,
      feedId: FeedId,
      id: JobId
    ) => Effect.Effect<Job, NotFound | Conflict | StorageUnavailable>
    /** For the scheduler: jobs of all feeds whose schedule is due. Answers how many were made. */
    readonly scheduleDue: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/job/Jobs") {}
