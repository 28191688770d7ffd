/** The data folder: what it holds decides what the server does, so nobody else may put anything into it. */
import { mkdir, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class DataFolderUnsafe extends Schema.TaggedError<DataFolderUnsafe>()("DataFolderUnsafe", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const groupWrites = 0o020
const othersWrite = 0o002

interface FolderRights {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

interface ProcessRights {
  readonly uid: number
  readonly groups: ReadonlyArray<number>
}

/** Who besides this process and root could change the folder, and how to end that; `undefined` where nobody could. */
export const folderFault = ({ gid, mode, uid }: FolderRights, own: ProcessRights): string | undefined => {
  if (uid !== own.uid && uid !== 0) return "belongs to another user. Give it to the user that runs the server (chown)"
  if ((mode & othersWrite) !== 0) return "may be written by every user of this machine. Take that right away: chmod o-w"
  // A group of the process is trusted, as volumes of containers are shared by one; root trusts its own alone.
  const trusted = own.uid === 0 ? gid === 0 : own.groups.includes(gid)
  return (mode & groupWrites) !== 0 && !trusted
    ? "may be written by a group of other users. Take that right away: chmod g-w"
    : undefined
}

/** Makes the folder where it is missing. Fails where others own it or may write to it. */
export const safeDataFolder = (folder: string): Effect.Effect<void, DataFolderUnsafe> =>
  Effect.gen(function* () {
    const found = yield* Effect.tryPromise({
      try: async () => {
        await mkdir(folder, { recursive: true, mode: 0o755 })
        return await stat(folder)
      },
      catch: (cause) =>
        new DataFolderUnsafe({
          message: `The data folder ${folder} cannot be made. Set MILLRACE_DATA to one that can.`,
          cause
        })
    })
    const uid = process.getuid?.()
    // Windows has no such rights.
    if (uid === undefined) return
    const fault = folderFault(found, { uid, groups: process.getgroups?.() ?? [] })
    if (fault !== undefined) {
      return yield* new DataFolderUnsafe({
        message: `The data folder ${folder} ${fault}, or set MILLRACE_DATA to another.`
      })
    }
  })
