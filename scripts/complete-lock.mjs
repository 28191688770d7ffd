/**
 * Completes package-lock.json: npm leaves the binaries for other platforms out of it where its registry does
 * not carry them, and then `npm ci` refuses the file on every machine. Run after every change of dependencies.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = join(import.meta.dirname, "..", "package-lock.json")
const lock = JSON.parse(readFileSync(file, "utf8"))

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"]
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"]

/** A name such as `@oxlint/binding-linux-x64-musl` says where it runs; what cannot be told is never installed. */
const platformOf = (name) => {
  const words = name.split("/").at(-1).split("-")
  const os = systems.find((system) => words.includes(system))
  const cpu = processors.find((processor) => words.includes(processor))
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => word.startsWith("gnu"))
      ? "glibc"
      : undefined
  return {
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(os === undefined ? { os: ["none"] } : { os: [os] }),
    ...(libc !== undefined && os === "linux" ? { libc: [libc] } : {})
  }
}

const added = []
for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const own = `node_modules/${name}`
    if (lock.packages[own] !== undefined || lock.packages[`${path}/${own}`] !== undefined) continue
    const version = range.replace(/^[\^~]/, "")
    lock.packages[own] = {
      version,
      ...platformOf(name),
      ...(entry.dev === true ? { dev: true } : {}),
      optional: true
    }
    added.push(`${name}@${version}`)
  }
}
const sorted = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, "en")))
writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, undefined, 2)}\n`)
process.stdout.write(`${added.length} entries added\n`)
