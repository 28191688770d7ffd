/**
 * Clusters that are kept outside of their data folder, because root started them. Beside each stands a file that names its data
 * folder, so that a start can remove the clusters whose data folder is gone.
 */
import { lstat, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Owner = Schema.fromJsonString(
  Schema.Struct({
    /** The link in the data folder. */
    link: Schema.String,
    /** The file system that the data folder is on. */
    device: Schema.Number
  })
)
const decodeOwner = Schema.decodeOption(Owner)
const encodeOwner = Schema.encodeSync(Owner)

const ending = ".folder"
const clusterName = /^[0-9a-f]{16}$/

const fileOf = (cluster: string): string => `${cluster}${ending}`

/** The file system of a path, or of the closest folder above it that is there. */
const deviceOf = async (path: string): Promise<number> => {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found !== undefined || at === dirname(at)) return found?.dev ?? -1
  }
}

/** Notes which link leads to the cluster. */
export const noteOwner = async (cluster: string, link: string): Promise<void> => {
  const device = await deviceOf(dirname(link))
  await writeFile(fileOf(cluster), encodeOwner({ link, device }), { mode: 0o600 })
}

const isRunning = async (cluster: string): Promise<boolean> => {
  const pid = Number((await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "")).split("\n")[0])
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

const isAbandoned = async (cluster: string): Promise<boolean> => {
  const text = await readFile(fileOf(cluster), "utf8").catch(() => "")
  const owner = Option.getOrUndefined(decodeOwner(text))
  if (owner === undefined || (await isRunning(cluster))) return false
  // A disk that is not mounted holds the data folder, and will hold it again.
  if ((await deviceOf(dirname(owner.link))) !== owner.device) return false
  const found = await lstat(owner.link).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return undefined
    throw cause
  })
  if (found === undefined) return true
  return found.isSymbolicLink() && (await readlink(owner.link)) !== cluster
}

/** Removes the clusters in `home` whose data folder was removed. A cluster that cannot be looked at stays. */
export const removeAbandoned = (home: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const removed: Array<string> = []
    for (const name of await readdir(home).catch((): ReadonlyArray<string> => [])) {
      const cluster = join(home, name)
      if (!clusterName.test(name) || !(await isAbandoned(cluster).catch(() => false))) continue
      await rm(cluster, { recursive: true, force: true })
      await rm(fileOf(cluster), { force: true })
      removed.push(cluster)
    }
    return removed
  })
