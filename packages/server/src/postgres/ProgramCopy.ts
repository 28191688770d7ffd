/**
 * A copy of PostgreSQL's programs for the user that it runs as, where that user cannot enter the folder that they are in.
 *
 * Anyone who can put something in their place decides what runs with access to the database. So the copy is kept in a
 * folder that only root and we can change, it is looked at before it is used, entry by entry and through no link, and made
 * again when anything of it is not as it was made.
 */
import { chmod, cp, lstat, mkdtemp, readdir, readlink, realpath, rename, rm } from "node:fs/promises"
import type { Stats } from "node:fs"
import { basename, dirname, join, sep } from "node:path"

const othersWrite = 0o022
const sticky = 0o1000

const isOwn = ({ uid }: Stats): boolean => uid === 0 || uid === process.getuid?.()

/** Whether nobody but root and us can change the folder, or put another one in its place. No part of it is a link. */
const isOursAlone = async (folder: string): Promise<boolean> => {
  const parts = folder.split(sep)
  for (let n = 1; n <= parts.length; n++) {
    const found = await lstat(parts.slice(0, n).join(sep) || sep)
    if (!found.isDirectory() || !isOwn(found)) return false
    // In a folder such as /tmp everybody may write, but nobody may move what is another's.
    const keeps = n < parts.length && (found.mode & sticky) !== 0
    if ((found.mode & othersWrite) !== 0 && !keeps) return false
  }
  return true
}

/** The folder by its real name, where nobody but root and us can change it. */
export const ownPlace = async (folder: string): Promise<string | undefined> => {
  const real = await realpath(folder)
  return (await isOursAlone(real)) ? real : undefined
}

/** What a folder holds, sorted: kind, size or target, and path of each entry. `undefined` where one is not to be trusted. */
const listing = async (root: string, trusted: boolean): Promise<ReadonlyArray<string> | undefined> => {
  const found: Array<string> = []
  const look = async (path: string): Promise<boolean> => {
    const at = join(root, path)
    const entry = await lstat(at)
    const mode = entry.mode & 0o7777
    if (!trusted && !(isOwn(entry) && (entry.isSymbolicLink() || mode === 0o755 || mode === 0o644))) return false
    if (entry.isSymbolicLink()) {
      const target = await readlink(at)
      found.push(`link ${path} ${target}`)
      return trusted || basename(target) === target
    }
    if (entry.isFile()) {
      found.push(`file ${path} ${entry.size}`)
      return true
    }
    if (!entry.isDirectory()) return false
    found.push(`folder ${path}`)
    for (const name of await readdir(at)) if (!(await look(join(path, name)))) return false
    return true
  }
  return (await look("")) ? found.toSorted() : undefined
}

const isWhole = async (native: string, copy: string): Promise<boolean> => {
  const [made, wanted] = await Promise.all([
    listing(copy, false).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return undefined
      throw cause
    }),
    listing(native, true)
  ])
  return made !== undefined && made.join("\n") === wanted?.join("\n")
}

/** Everybody may read and run it, whatever the umask was. Nothing is changed through a link. */
const open = async (path: string): Promise<void> => {
  const entry = await lstat(path)
  if (entry.isDirectory()) {
    for (const name of await readdir(path)) await open(join(path, name))
    await chmod(path, 0o755)
  } else if (entry.isFile()) await chmod(path, basename(dirname(path)) === "bin" ? 0o755 : 0o644)
}

/** Makes the copy `place` where it is not there as it should be. Its folder is one of `ownPlace`. */
export const copyOf = async (native: string, place: string): Promise<void> => {
  if (await isWhole(native, place)) return
  const prefix = `${basename(place)}-`
  for (const name of await readdir(dirname(place))) {
    // What a server left that was killed while it made one.
    if (name.startsWith(prefix)) await rm(join(dirname(place), name), { recursive: true, force: true })
  }
  // Nobody else can enter it while it is made.
  const draft = await mkdtemp(join(dirname(place), prefix))
  try {
    await cp(native, join(draft, "copy"), { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false })
    await open(join(draft, "copy"))
    // A link goes, and not what it leads to.
    await rm(place, { recursive: true, force: true })
    await rename(join(draft, "copy"), place)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
