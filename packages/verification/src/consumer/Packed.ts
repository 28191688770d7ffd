/** The packages that are published, as the archives that a registry would hand out. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { succeed } from "./Command.ts"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Packed {
  readonly name: string
  /** Path of the archive. */
  readonly archive: string
  /** What can be imported from it. */
  readonly entries: ReadonlyArray<string>
  readonly readme: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
}

export const manifestOf = <A = Manifest>(folder: string): A =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as A

/** Builds every package that is published, and packs it into the folder. */
export const pack = async (into: string): Promise<ReadonlyArray<Packed>> => {
  const place = { folder: root }
  await succeed(process.execPath, [join(root, "scripts/build.mjs")], place)
  const folders = readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => manifestOf(folder).private !== true)
  await succeed("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", into, ...folders], place)
  return folders.map((folder) => {
    const { exports, name, version } = manifestOf(folder)
    return {
      name,
      readme: readFileSync(join(folder, "README.md"), "utf8"),
      archive: join(into, `${name.slice(1).replace("/", "-")}-${version}.tgz`),
      entries: Object.keys(exports)
        .filter((key) => key !== "./package.json")
        .map((key) => `${name}${key.slice(1)}`)
    }
  })
}
