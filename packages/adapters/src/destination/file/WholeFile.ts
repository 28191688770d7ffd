/**
 * Writes a file whole: beside its place, then moved there in one step. Readers see the old content or the new
 * one, never a part; a failure or interruption before that step leaves the old content.
 */
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { DestinationRejected, DestinationUnavailable } from "@millrace/core/destination"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { fromCause } from "./FileFault.ts"
import { draftPrefix, type FilePlace, standingOf } from "./FilePlace.ts"

type WriteError = DestinationRejected | DestinationUnavailable

/** Bytes that are gathered before they are written: memory stays the same however long the file is. */
const blockBytes = 262_144

const fileMode = 0o640
const folderMode = 0o750

const attempt = <A>(path: string, call: () => Promise<A>): Effect.Effect<A, WriteError> =>
  Effect.tryPromise({ try: call, catch: (cause) => fromCause(path, cause) })

/** Keeps names across a crash: without it the move itself may be lost. */
const syncDirectory = (directory: string): Promise<void> =>
  open(directory, "r").then((handle) => handle.sync().finally(() => handle.close()))

const writeAll = (handle: FileHandle, bytes: Uint8Array, from = 0): Promise<void> =>
  handle
    .write(bytes, from)
    .then(({ bytesWritten }) =>
      from + bytesWritten < bytes.length ? writeAll(handle, bytes, from + bytesWritten) : undefined
    )

interface Draft {
  readonly path: string
  readonly handle: FileHandle
}

const removeQuietly = (path: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => rm(path, { force: true })))

/** What a crashed run left: a writer runs once at a time, so any older draft of it is dead. */
const removeStale = (directory: string, prefix: string): Effect.Effect<void> =>
  Effect.tryPromise(() => readdir(directory)).pipe(
    Effect.flatMap((names) =>
      Effect.forEach(
        names.filter((name) => name.startsWith(prefix)),
        (name) => removeQuietly(join(directory, name)),
        { discard: true }
      )
    ),
    Effect.ignore
  )

/**
 * Replaces the file at `place` by the blocks of `content`; `owner` names the one writer whose dead drafts may be
 * cleaned away, `path` is what messages call the file. Parents are made. Mode 0640. Returns what the file is known by.
 */
export const writeWhole = Effect.fnUntraced(function* <E>(
  place: FilePlace,
  owner: string,
  path: string,
  content: Stream.Stream<string, E>
): Effect.fn.Return<string, WriteError | E> {
  const prefix = `${draftPrefix}${owner}-`
  yield* attempt(path, () => mkdir(place.directory, { recursive: true, mode: folderMode }))
  yield* removeStale(place.directory, prefix)

  const openDraft = Effect.suspend(() => {
    const draft = join(place.directory, `${prefix}${randomBytes(8).toString("hex")}.tmp`)
    return attempt(path, () => open(draft, "wx", fileMode)).pipe(
      Effect.map((handle): Draft => ({ path: draft, handle }))
    )
  })

  const fill = Effect.fnUntraced(function* ({ handle, path: draft }: Draft) {
    // The mode at creation is narrowed by the umask of the process.
    yield* attempt(path, () => handle.chmod(fileMode))
    let pending = ""
    yield* Stream.runForEach(content, (text) => {
      pending += text
      if (pending.length < blockBytes) return Effect.void
      const block = Buffer.from(pending, "utf8")
      pending = ""
      return attempt(path, () => writeAll(handle, block))
    })
    yield* attempt(path, () => writeAll(handle, Buffer.from(pending, "utf8")))
    return yield* Effect.uninterruptible(
      attempt(path, () => handle.sync().then(() => handle.stat({ bigint: true }))).pipe(
        Effect.tap(attempt(path, () => rename(draft, join(place.directory, place.name)))),
        Effect.tap(attempt(path, () => syncDirectory(place.directory))),
        Effect.map(standingOf)
      )
    )
  })

  // Closing waits for the write under way, so the draft is removed only when nothing writes to it any more.
  const close = (draft: Draft, exit: Exit.Exit<string, WriteError | E>) =>
    Effect.ignore(Effect.tryPromise(() => draft.handle.close())).pipe(
      Effect.andThen(Exit.isSuccess(exit) ? Effect.void : removeQuietly(draft.path))
    )

  return yield* Effect.acquireUseRelease(openDraft, fill, close)
})
