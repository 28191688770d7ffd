/** Uploaded files in memory. */
import type { Upload } from "@millrace/core/upload/Upload"
import { UploadStore } from "@millrace/core/upload/UploadStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { byAge } from "./Order.ts"

export const layer: Layer.Layer<UploadStore, never, Memory> = Layer.effect(
  UploadStore,
  Effect.gen(function* () {
    const { call, set, remove, feedRemoved } = yield* Memory
    const uploads = new Map<Upload["id"], Upload>()
    const files = new Map<Upload["id"], Uint8Array>()
    const ofFeed = (feedId: Upload["feedId"]): ReadonlyArray<Upload> =>
      [...uploads.values()].filter((upload) => upload.feedId === feedId)

    feedRemoved.push((feedId) => {
      for (const { id } of ofFeed(feedId)) {
        remove(uploads, id)
        remove(files, id)
      }
    })

    return UploadStore.of({
      insert: (upload, bytes) =>
        call(() => {
          set(uploads, upload.id, frozen(upload))
          set(files, upload.id, bytes.slice())
        }),
      bySha256: (feedId, sha256) =>
        call(() => Option.fromUndefinedOr(ofFeed(feedId).find((upload) => upload.sha256 === sha256))),
      list: (feedId, { status }) =>
        call(() =>
          ofFeed(feedId)
            .filter((upload) => status === undefined || upload.status === status)
            .toSorted(byAge)
        ),
      bytes: (id) => call(() => Option.map(Option.fromUndefinedOr(files.get(id)), (bytes) => bytes.slice())),
      setStatus: (id, change) =>
        call(() => {
          const upload = uploads.get(id)
          if (upload === undefined) return
          const { jobId: _, error: _error, ...rest } = upload
          set(uploads, id, frozen({ ...rest, ...change }))
        })
    })
  })
)
