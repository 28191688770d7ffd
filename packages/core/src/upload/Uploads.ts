/** Uploading statement files to a feed (decisions 5.4 and 7.1). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Principal } from "../access/Principal.ts"
import type { NotFound, Unprocessable } from "../failure/Failure.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Upload } from "./Upload.ts"

export interface NewFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Reads the file whole before anything is stored: one that cannot be read is refused with the line or
     * element, and nothing is kept. The same bytes again answer the first upload. Starts a job when the
     * feed has no schedule and a destination.
     */
    readonly add: (
      principal: Principal,
      feedId: FeedId,
      file: NewFile
    ) => Effect.Effect<
      { readonly upload: Upload; readonly created: boolean },
      NotFound | Unprocessable | StorageUnavailable
    >
    /** Newest first. */
    readonly list: (
      workspace: Workspace,
      feedId: FeedId
    ) => Effect.Effect<ReadonlyArray<Upload>, NotFound | StorageUnavailable>
  }
>()("@millrace/core/upload/Uploads") {}
