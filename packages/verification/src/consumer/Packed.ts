/** The packages that are published: as the archives that a registry would hand out, or as the files that would be in them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { succeed } from "./Command.ts"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Published {
  readonly name: string
  /** What can be imported from it. */
  readonly entries: ReadonlyArray<string>
  readonly readme: string
}

export interface Packed extends Published {
  /** Path of the archive. */
  readonly archive: string
}

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly files: ReadonlyArray<string>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export const manifestOf = <A = Manifest>(folder: string): A =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as A

/** Builds every package that is published, and names their folders. */
const build = async (): Promise<ReadonlyArray<string>> => {
  await succeed(process.execPath, [join(root, "scripts/build.mjs")], { folder: root })
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => manifestOf(folder).private !== true)
}

const publishedOf = (folder: string): Published => {
  const { exports, name } = manifestOf(folder)
  return {
    name,
    readme: readFileSync(join(folder, "README.md"), "utf8"),
    entries: Object.keys(exports)
      .filter((key) => key !== "./package.json")
      .map((key) => `${name}${key.slice(1)}`)
  }
}

/** Builds every package that is published, and packs it into the folder. */
export const pack = async (into: string): Promise<ReadonlyArray<Packed>> => {
  const folders = await build()
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", into, ...folders]
  await succeed("npm", args, { folder: root })
  return folders.map((folder) => {
    const { name, version } = manifestOf(folder)
    return { ...publishedOf(folder), archive: join(into, `${name.slice(1).replace("/", "-")}-${version}.tgz`) }
  })
}

/** What its user has to have or gets with it. */
const neededBy = ({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta: meta = {} }: Manifest) => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => meta[name]?.optional !== true)
]

/**
 * Builds every package that is published, and lays out in the folder what an installation of them would: their files that are
 * named as published, and links to what their manifests say that they need, of what the repository has installed. Nothing is
 * asked of the registry, and nothing else can be imported.
 */
export const layOut = async (folder: string, more: ReadonlyArray<string>): Promise<ReadonlyArray<Published>> => {
  const folders = await build()
  const modules = join(folder, "node_modules")
  const manifests = folders.map((from) => ({ from, manifest: manifestOf(from) }))
  mkdirSync(join(modules, ".bin"), { recursive: true })
  for (const { from, manifest } of manifests) {
    const into = join(modules, manifest.name)
    for (const name of ["package.json", "README.md", ...manifest.files]) {
      cpSync(join(from, name), join(into, name), { recursive: true })
    }
    for (const [name, file] of Object.entries(manifest.bin ?? {})) {
      symlinkSync(join(into, file), join(modules, ".bin", name))
    }
  }
  const ours = new Set(manifests.map(({ manifest }) => manifest.name))
  const others = new Set([...more, ...manifests.flatMap(({ manifest }) => neededBy(manifest))])
  for (const name of others) {
    if (ours.has(name)) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  return folders.map(publishedOf)
}
