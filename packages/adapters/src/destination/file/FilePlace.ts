/**
 * Where a path of a feed leads: below the folder that its workspace has in the one folder of the operator (decisions
 * 7.2). No path of one workspace leads to a file of another, nor tells whether there is one.
 *
 * Links are followed and must end inside the workspace's folder. Feeds cannot make links, so nothing that a feed writes
 * can move a path between this look and the write.
 */
import { createHash } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { lstat, realpath, stat } from "node:fs/promises"
import { basename, dirname, join, normalize, relative, sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { WorkspaceId } from "@millrace/core/workspace"
import { codeOf } from "./FileFault.ts"

/** The path can not be used, for as long as it and the folder stay as they are. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", { message: Schema.String }) {}

/** Names of files in the making; no feed may use one. */
export const draftPrefix = ".millrace-"

export interface FilePlace {
  /** Links resolved; may not exist yet. */
  readonly directory: string
  readonly name: string
}

class FileAbsent extends Schema.TaggedError<FileAbsent>()("FileAbsent", {}) {}
class FileUnreadable extends Schema.TaggedError<FileUnreadable>()("FileUnreadable", { cause: Schema.Defect() }) {}

const look = <A>(read: () => Promise<A>): Effect.Effect<A, FileAbsent | FileUnreadable> =>
  Effect.tryPromise({
    try: read,
    catch: (cause) => (codeOf(cause) === "ENOENT" ? new FileAbsent() : new FileUnreadable({ cause }))
  })

const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** The real path of a directory that may not exist: that of its deepest existing parent, and the rest. */
const resolveDirectory = (directory: string): Effect.Effect<string, PathRefused | FileUnreadable> =>
  look(() => realpath(directory)).pipe(
    Effect.catchTag("FileAbsent", () =>
      look(() => lstat(directory)).pipe(
        Effect.matchEffect({
          onSuccess: () => Effect.fail(new PathRefused({ message: "leads over a link that points nowhere" })),
          onFailure: (fault) =>
            fault._tag === "FileUnreadable"
              ? Effect.fail(fault)
              : Effect.map(resolveDirectory(dirname(directory)), (parent) => join(parent, basename(directory)))
        })
      )
    )
  )

const followLink = (target: string): Effect.Effect<string, PathRefused | FileUnreadable> =>
  look(() => realpath(target)).pipe(
    Effect.catchTag("FileAbsent", () =>
      Effect.fail(new PathRefused({ message: "leads over a link that points nowhere" }))
    )
  )

const statusOf = (target: string) =>
  look(() => lstat(target)).pipe(
    Effect.asSome,
    Effect.catchTag("FileAbsent", () => Effect.succeedNone),
    Effect.map(Option.getOrUndefined)
  )

/** The folder of a workspace, below that of the operator. */
export const workspaceFolder = (folder: string, workspaceId: WorkspaceId): string => join(folder, workspaceId)

/** Finds the place of `path` below the folder of a workspace; nothing is made or changed. */
export const locate = Effect.fnUntraced(function* (
  folder: string,
  path: string
): Effect.fn.Return<FilePlace, PathRefused | FileUnreadable> {
  const parts = normalize(path).split(sep)
  const last = parts.at(-1)
  if (last === undefined || last === "" || last === ".") {
    return yield* new PathRefused({ message: "names a folder, not a file" })
  }
  if (path.startsWith("/") || parts.includes("..")) {
    return yield* new PathRefused({ message: "must stay below the folder for files" })
  }
  if (parts.some((part) => part.startsWith(draftPrefix))) {
    return yield* new PathRefused({ message: `must not use names that begin with ${draftPrefix}` })
  }
  const root = yield* resolveDirectory(folder)
  const target = join(root, ...parts)
  const status = yield* statusOf(target)
  const real =
    status?.isSymbolicLink() === true ? yield* followLink(target) : join(yield* resolveDirectory(dirname(target)), last)
  if (!isInside(root, real) || real === root) {
    return yield* new PathRefused({ message: "leads out of the folder for files over a link" })
  }
  const found = yield* statusOf(real)
  if (found?.isDirectory() === true) return yield* new PathRefused({ message: "names a folder, not a file" })
  if (found !== undefined && !found.isFile())
    return yield* new PathRefused({ message: "names something other than a file" })
  return { directory: dirname(real), name: basename(real) }
})

/**
 * What is equal for all spellings of one place: that of names which a file system may take for the same, too. A place
 * keeps it when the operator's folder is moved with all that is in it.
 */
export const claimOf = Effect.fnUntraced(function* (
  folder: string,
  { directory, name }: FilePlace
): Effect.fn.Return<string, PathRefused | FileUnreadable> {
  const path = relative(yield* resolveDirectory(folder), join(directory, name))
  const folded = path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
  return `file:${createHash("sha256").update(folded).digest("hex")}`
})

/** What a file is known by as long as nobody touches it. */
export const standingOf = ({ mtimeNs, size }: BigIntStats): string => `${size}-${mtimeNs}`

/** That of the file at a place; `undefined` when there is none. */
export const standingAt = ({ directory, name }: FilePlace): Effect.Effect<string | undefined, FileUnreadable> =>
  look(() => stat(join(directory, name), { bigint: true })).pipe(
    Effect.map(standingOf),
    Effect.catchTag("FileAbsent", () => Effect.undefined)
  )
