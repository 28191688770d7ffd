/** `--backup` and `--restore`: everything that is stored, into a file and back. */
import { access } from "node:fs/promises"
import { join, resolve } from "node:path"
import { backup, BackupUnusable, restore } from "@millrace/adapters/postgres"
import { Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Database from "./Database.ts"
import type { Settings } from "./Settings.ts"
import * as Terminal from "./Terminal.ts"

const whereKeyIs = (settings: Settings): string =>
  settings.secretKey === undefined ? join(settings.dataFolder, "secret.key") : "MILLRACE_SECRET"

const exists = (path: string) =>
  Effect.promise(() =>
    access(path).then(
      () => true,
      () => false
    )
  )

/** Makes a backup, while the server works or without it. */
export const backupTo = Effect.fn("Backups.backupTo")(function* (settings: Settings, file: string) {
  if (settings.databaseUrl === undefined && !(yield* exists(join(settings.dataFolder, "postgres")))) {
    return yield* new BackupUnusable({ message: `There is nothing in ${settings.dataFolder} to make a backup of.` })
  }
  const path = resolve(file)
  const { bytes, rows } = yield* backup(path, yield* Timestamp.now).pipe(
    Effect.catchTag(["DatabaseUnfit", "StorageUnavailable"], (error) =>
      Effect.fail(Database.unusable(settings)(error))
    ),
    Effect.provide(Database.layerBeside(settings))
  )
  const total = Object.values(rows).reduce((sum, n) => sum + n, 0)
  yield* Terminal.field(
    "Backup",
    `${path} ${Terminal.dim(`${Terminal.count(total)} rows, ${Terminal.count(bytes)} bytes`)}`
  )
  yield* Terminal.field(
    "",
    Terminal.yellow(`${whereKeyIs(settings)} is not in it; keep it apart: nothing sealed opens without it`)
  )
})

/** Restores a backup into a database that is empty. */
export const restoreFrom = Effect.fn("Backups.restoreFrom")(function* (settings: Settings, file: string) {
  const path = resolve(file)
  if (!(yield* exists(path))) return yield* new BackupUnusable({ message: `There is no file ${path}.` })
  const { at, rows } = yield* restore(path).pipe(
    Effect.catchTag(["DatabaseUnfit", "StorageUnavailable"], (error) =>
      Effect.fail(Database.unusable(settings)(error))
    ),
    Effect.provide(Database.layerBeside(settings))
  )
  yield* Terminal.field("Restored", `${Terminal.count(rows)} rows, as they were at ${at}`)
  yield* Terminal.field("", Terminal.yellow(`give the key of that time before you start: ${whereKeyIs(settings)}`))
})
