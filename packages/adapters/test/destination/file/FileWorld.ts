/** A folder of its own for every test, and a feed that writes into it. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids } from "@millrace/core/shared/Ids"
import { makeFeed } from "@millrace/testing/fixture/Feed"
import { makeWorkspace } from "@millrace/testing/fixture/Workspace"
import * as Effect from "effect/Effect"
import * as FileDestination from "../../../src/destination/file/FileDestination.ts"

export const config: FileDestination.FileConfig = { type: "file", path: "books/2026/transactions.csv", format: "csv" }

export const arrange = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-file-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const root = join(folder, "files")
  return {
    /** The folder that holds `folder`. */
    outside: folder,
    folder: root,
    driver: FileDestination.make({ folder: root }),
    config,
    feed: yield* makeFeed(yield* makeWorkspace(), { destinationConfig: config }),
    exists: (path: string) => existsSync(join(root, path)),
    /** Everything below the folder, folders too. */
    everything: Effect.sync(() =>
      existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted() : []
    )
  }
}).pipe(Effect.provide(Ids.layer))
