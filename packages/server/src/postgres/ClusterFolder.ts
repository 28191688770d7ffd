/**
 * Where the database cluster lives: in the data folder, or elsewhere with a link to it.
 *
 * PostgreSQL refuses to run as root. When root starts the server in a folder that others may not enter, the
 * user PostgreSQL then runs as could not reach its own data; it is kept below /var/lib instead, where a
 * service keeps its state, and a link in the data folder says where.
 */
import { randomBytes } from "node:crypto"
import { lstat, mkdir, readlink, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { PostgresFailure } from "./PostgresFailure.ts"
import { noteOwner } from "./AbandonedClusters.ts"
import { isReachable } from "./Reach.ts"

/** Where a service keeps its state. */
export const home = "/var/lib/millrace"

const linked = async (folder: string): Promise<string> => {
  const known = await readlink(folder).catch(() => undefined)
  if (known !== undefined) {
    // What is there will be changed as root.
    if ((await lstat(folder)).uid !== process.getuid?.()) throw new TypeError(`the link ${folder} is somebody else's`)
    if (dirname(known) === home) await noteOwner(known, folder)
    return known
  }
  await mkdir(home, { recursive: true, mode: 0o755 })
  const target = join(home, randomBytes(8).toString("hex"))
  await noteOwner(target, folder)
  await symlink(target, folder)
  return target
}

/** `otherUser`: PostgreSQL runs as somebody else than this process. */
export const clusterFolder = (folder: string, otherUser: boolean): Effect.Effect<string, PostgresFailure> =>
  Effect.tryPromise({
    try: async () => {
      if (!otherUser || (await isReachable(dirname(folder)))) return folder
      const target = await linked(folder)
      if (!(await isReachable(home))) throw new TypeError(`${home} cannot be entered by others`)
      return target
    },
    catch: (cause) =>
      new PostgresFailure({
        message:
          `PostgreSQL does not run as root, and its user cannot enter ${dirname(folder)}` +
          `${cause instanceof TypeError ? ` (${cause.message})` : ""}. ` +
          `Set MILLRACE_DATA to a folder below one that others may enter, or run as another user.`,
        cause
      })
  })
