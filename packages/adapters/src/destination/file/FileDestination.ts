/**
 * Files below the one folder that the operator names, in a folder for each workspace: `wholeFile`, format csv
 * (decisions 7.2 and 7.4).
 *
 * The file is the feed's alone: it is written whole on every delivery, and `claim` keeps other feeds away from it.
 */
import {
  type ClaimedPlace,
  type ConfigFault,
  type DestinationDriver,
  type DestinationError,
  DestinationRejected,
  type DestinationSession,
  type WrittenFile
} from "@millrace/core/destination"
import type { WorkspaceId } from "@millrace/core/workspace"
import type { Fields } from "@millrace/core/record"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as CsvWriter from "../csv/CsvWriter.ts"
import { fromCause } from "./FileFault.ts"
import { claimOf, locate, standingAt, workspaceFolder } from "./FilePlace.ts"
import { writeWhole } from "./WholeFile.ts"

/** A path below the folder that the operator names; `..` and absolute paths are refused. */
const relativePath = /^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))(?!.*\\)(?!.*\/\/)\P{Cc}{1,255}$/u

export const FileConfig = Schema.Struct({
  path: Schema.String.check(
    Schema.isPattern(relativePath, { message: 'must be a relative path without ".." and control characters' })
  ).annotate({ description: "relative path below the folder for files" }),
  format: Schema.Literals(["csv"]).annotate({ description: "csv" })
})
export type FileConfig = typeof FileConfig.Type

export interface FileOptions {
  /** The folder for files; undefined where the operator named none, and then no feed can use this type. */
  readonly folder: string | undefined
}

/** What the operator decided about files: none are written unless it is provided. */
export const FileSettings = Context.Reference<FileOptions>(
  "@millrace/adapters/destination/file/FileDestination/FileSettings",
  { defaultValue: () => ({ folder: undefined }) }
)

/** Characters of one piece of text on its way to the file, give or take a row. */
const textLength = 65_536

const noFolder = "no folder for files is configured"

const byReplaceOnly = Effect.fail(new DestinationRejected({ message: "A file is written whole, not row by row." }))

const place = (folder: string, workspaceId: WorkspaceId, path: string) =>
  locate(workspaceFolder(folder, workspaceId), path).pipe(
    Effect.catchTags({
      PathRefused: (fault) => Effect.fail(new DestinationRejected({ message: `The path "${path}" ${fault.message}.` })),
      FileUnreadable: (fault) => Effect.fail(fromCause(path, fault.cause))
    })
  )

export const fileDestination = ({ folder }: FileOptions): DestinationDriver<FileConfig> => ({
  type: "file",
  label: "File",
  Config: FileConfig,
  capabilities: { write: "wholeFile", canRemove: true, batch: 1_000 },

  check: Effect.fn("FileDestination.check")(function* (workspaceId, config): Effect.fn.Return<
    ReadonlyArray<ConfigFault>
  > {
    if (folder === undefined) return [{ field: "type", message: noFolder }]
    return yield* place(folder, workspaceId, config.path).pipe(
      Effect.match({
        onSuccess: () => [],
        onFailure: (fault) => [{ field: "path", message: fault.message }]
      })
    )
  }),

  claim: Effect.fn("FileDestination.claim")(function* (workspaceId, config): Effect.fn.Return<
    ClaimedPlace | undefined
  > {
    if (folder === undefined) return undefined
    const claimed = locate(workspaceFolder(folder, workspaceId), config.path).pipe(
      Effect.flatMap((target) => claimOf(folder, target))
    )
    const message = `Another feed writes the file "${config.path}": choose another path.`
    return yield* Effect.match(claimed, {
      onSuccess: (found): ClaimedPlace => ({ place: found, taken: { field: "path", message } }),
      onFailure: () => undefined
    })
  }),

  open: Effect.fn("FileDestination.open")(function* (feed, config, columns): Effect.fn.Return<
    DestinationSession,
    DestinationError
  > {
    if (folder === undefined) return yield* new DestinationRejected({ message: `There is ${noFolder}.` })
    const located = place(folder, feed.workspaceId, config.path)
    yield* located
    const writer = CsvWriter.make(columns)

    const replace = Effect.fnUntraced(function* <E>(
      rows: Stream.Stream<{ readonly key: string; readonly values: Fields }, E>
    ): Effect.fn.Return<WrittenFile, DestinationError | E> {
      // Looked up again: the folder may have changed since the run began.
      const target = yield* located
      let written = 0
      const lines = Stream.mapArray(rows, (chunk) => {
        const texts: [string, ...Array<string>] = [""]
        let text = ""
        for (const row of chunk) {
          text += writer.row(row.values)
          if (text.length < textLength) continue
          texts.push(text)
          text = ""
        }
        written += chunk.length
        texts.push(text)
        return texts
      })
      const standing = yield* writeWhole(target, feed.id, config.path, Stream.concat(Stream.make(writer.header), lines))
      return { rows: written, ref: config.path, standing }
    })

    const standing = () =>
      Effect.flatMap(located, (target) =>
        Effect.mapError(standingAt(target), ({ cause }) => fromCause(config.path, cause))
      )

    return { write: () => byReplaceOnly, lookup: () => byReplaceOnly, replace, standing }
  })
})

/** The driver for the folder of `FileSettings`. */
export const make: Effect.Effect<DestinationDriver<FileConfig>> = Effect.map(FileSettings, fileDestination)
