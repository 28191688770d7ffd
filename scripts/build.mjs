/**
 * `npm run build [package ...]`: JavaScript and declarations of the packages that are published, each after those it
 * stands on. What did not change since it was built is left as it is. The server is also put together to a few files.
 *
 * `--types-are-checked`: whoever calls has checked the types of all packages right before (`npm run check` does). Declarations are
 * written, and what cannot be declared is found, in half of the time.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { whole } from "./whole.mjs"

const root = join(import.meta.dirname, "..")
const stamps = join(root, "node_modules/.cache/millrace-build")
const checkedAlready = "--types-are-checked"
const given = process.argv.slice(2)

const manifests = new Map(
  readdirSync(join(root, "packages"))
    .map((folder) => [folder, JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))])
    .filter(([, manifest]) => manifest.private !== true)
)
const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]))

/** The packages of ours that one stands on. */
const basesOf = (folder) => {
  const { dependencies = {} } = manifests.get(folder)
  return Object.keys(dependencies).flatMap((name) => folderOf.get(name) ?? [])
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

const configs = ["tsconfig.json", "tsconfig.build.json", "package-lock.json", "scripts/whole.mjs"].map((name) =>
  join(root, name)
)

const stampOf = (folder, below) => {
  const place = join(root, "packages", folder)
  const hash = createHash("sha256")
  const files = [
    ...configs,
    join(place, "package.json"),
    join(place, "tsconfig.build.json"),
    ...filesBelow(join(place, "src"))
  ]
  for (const file of files)
    hash
      .update(`${file.slice(place.length)}\0`)
      .update(readFileSync(file))
      .update("\0")
  for (const stamp of below) hash.update(stamp)
  return hash.digest("hex")
}

const built = new Map()

const build = async (folder) => {
  const done = built.get(folder)
  if (done !== undefined) return done
  const below = []
  for (const base of basesOf(folder)) below.push(await build(base))
  const stamp = stampOf(folder, below)
  built.set(folder, stamp)
  const kept = join(stamps, folder)
  const dist = join(root, "packages", folder, "dist")
  if (existsSync(dist) && existsSync(kept) && readFileSync(kept, "utf8") === stamp) return stamp
  rmSync(kept, { force: true })
  rmSync(dist, { recursive: true, force: true })
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const config = join(root, "packages", folder, "tsconfig.build.json")
  const less = given.includes(checkedAlready) ? ["--noCheck"] : []
  const { status } = spawnSync(process.execPath, [compiler, "-p", config, ...less], { stdio: "inherit" })
  if (status !== 0) {
    rmSync(dist, { recursive: true, force: true })
    process.stderr.write(`packages/${folder} was not built: mend what the compiler says above\n`)
    process.exit(1)
  }
  if (folder === "server") await whole(root)
  mkdirSync(stamps, { recursive: true })
  writeFileSync(kept, stamp)
  return stamp
}

const asked = given.filter((one) => one !== checkedAlready)
const unknown = asked.filter((folder) => !manifests.has(folder))
if (unknown.length > 0) {
  process.stderr.write(`no such package: ${unknown.join(", ")}. There are: ${[...manifests.keys()].join(", ")}\n`)
  process.exit(1)
}
for (const folder of asked.length > 0 ? asked : manifests.keys()) await build(folder)
