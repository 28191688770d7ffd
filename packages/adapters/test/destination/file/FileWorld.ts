/** A folder of its own for every test, and a feed that writes into it. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids } from "@millrace/core"
import { makeFeed, makeWorkspace } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import { fileDestination } from "../../../src/destination/file/FileDestination.ts"

export const config = { type: "file", path: "books/2026/transactions.csv", format: "csv" } as const

export const arrange = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-file-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const operators = join(folder, "files")
  const workspace = yield* makeWorkspace()
  const root = join(operators, workspace.id)
  return {
    /** What lies beside the folder of the operator. */
    outside: folder,
    /** The one that the operator names: it holds a folder for each workspace. */
    operators,
    /** That of the feed's workspace. */
    folder: root,
    driver: fileDestination({ folder: operators }),
    config,
    workspace,
    feed: yield* makeFeed(workspace, { destinationConfig: config }),
    exists: (path: string) => existsSync(join(root, path)),
    /** Everything below the folder, folders too. */
    everything: Effect.sync(() =>
      existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted() : []
    )
  }
}).pipe(Effect.provide(Ids.layer))
