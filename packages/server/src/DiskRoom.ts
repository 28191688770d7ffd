/** Free space of the disk that the built-in PostgreSQL is on. */
import { statfs } from "node:fs/promises"
import { StorageRoom, StorageUnavailable } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What is stored is written twice, into its table and into the log of the database; the rest is for indexes and pages. */
const timesStored = 2.5

/** The part of the reserve that syncs leave alone, too: a database that cannot write its own log ends. */
const syncsLeave = 1 / 4

/** `free`: bytes that may still be written; undefined where that cannot be told. */
export const roomOf = (free: Effect.Effect<number | undefined>, reserve: number) => ({
  need: Effect.fn("StorageRoom.need")(function* (bytes: number) {
    const left = yield* free
    if (left === undefined || left - bytes * timesStored >= reserve) return
    return yield* new StorageUnavailable({
      message: `The disk has ${left} bytes left, and ${reserve} of them are kept free: ${bytes} more are not stored`,
      full: true
    })
  }),
  forSyncs: Effect.gen(function* () {
    const left = yield* free
    if (left === undefined || left >= reserve * syncsLeave) return
    return yield* new StorageUnavailable({
      message: `The disk has ${left} bytes left: syncs wait until ${reserve * syncsLeave} are free`,
      full: true
    })
  }).pipe(Effect.withSpan("StorageRoom.forSyncs"))
})

/** Where the folder is, links followed. Asked again each time: space that is freed counts at once. */
const freeIn = (folder: string): Effect.Effect<number | undefined> =>
  Effect.promise(() =>
    statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined
    )
  )

export const layer = (folder: string, reserve: number): Layer.Layer<never> =>
  Layer.succeed(StorageRoom, roomOf(freeIn(folder), reserve))
