/** `npm run consumer`: every published package, packed, installed, compiled against and run, as others would. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { startPostgres } from "../postgres/PostgresServer.ts"
import { emptyDatabase } from "../postgres/TestPostgres.ts"
import { install, succeed } from "./Command.ts"
import { serveOnce } from "./InstalledServer.ts"
import {
  commandLine,
  compile,
  conform,
  importEverything,
  looseFaults,
  makeProject,
  type PackedProject,
  programs,
  type Project,
  removeProject,
  run,
  testTools
} from "./Project.ts"

const versions = { publint: "0.3.25", attw: "0.18.5", oldTypeScript: "5.9.3", oldNode: "22.23.3" } as const

const began = performance.now()
const say = (line: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}\n`)
}

/** The path of a Node of another version, installed into the folder. */
const installNode = async (folder: string, version: string): Promise<string> => {
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  await install(folder)
  return join(folder, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node")
}

const expectSync = (what: string, { created, statement, status }: Awaited<ReturnType<typeof run>>): void => {
  if (status !== "completed" || statement !== 2) throw new Error(`${what} ended as ${status}, ${statement} rows read`)
  say(`${what}: ${status}, ${created} rows written, ${statement} rows of a statement read`)
}

/** Programs of every sort on one Node, in memory and on PostgreSQL. */
const runOn = async (project: Project, node: string, DATABASE_URL: string): Promise<void> => {
  const version = (await succeed(node, ["--version"], { folder: project.folder })).trim()
  say(`Node ${version}: ${await importEverything(project, node)} entry points imported`)
  for (const program of programs) {
    const ran = await run(project, program, node)
    if (program === "embed") expectSync(`Node ${version}, in memory`, ran)
    if (program === "documents") {
      if (ran.delivered !== 2) throw new Error(`Node ${version}: of two items ${ran.delivered} were delivered`)
      say(`Node ${version}, documents: a receipt brought in, ${ran.delivered} rows of its items delivered`)
    }
  }
  expectSync(`Node ${version}, PostgreSQL`, await run(project, "embed-on-postgres", node, { DATABASE_URL }))
  say(`Node ${version}, bundled server: ${await serveOnce(project, node, false)} feeds on its first start`)
  say(`Node ${version}, with a module: ${await serveOnce(project, node, true)} feeds, and a collection of the module`)
}

/** What the authors of two checks of packages have to say of each archive. */
const lint = async ({ folder, packed }: PackedProject): Promise<void> => {
  for (const { archive, name } of packed) {
    await succeed(process.execPath, ["node_modules/publint/src/cli.js", "run", archive, "--strict"], { folder })
    const attw = ["node_modules/@arethetypeswrong/cli/dist/index.js", archive, "--profile", "esm-only"]
    await succeed(process.execPath, attw, { folder })
    say(`${name}: publint and are-the-types-wrong find nothing`)
  }
}

const nodes = mkdtempSync(join(tmpdir(), "millrace-consumer-node-"))
const database = await startPostgres({ durable: false, settings: {} })
let project: PackedProject | undefined
try {
  project = await makeProject({
    ...testTools(),
    publint: versions.publint,
    "@arethetypeswrong/cli": versions.attw,
    "typescript-old": `npm:typescript@${versions.oldTypeScript}`
  })
  say(`packed and installed ${project.packed.length} packages`)
  await lint(project)
  for (const compiler of ["typescript-old", "typescript"]) {
    await compile(project, compiler)
    const tsc = [join("node_modules", compiler, "bin/tsc"), "--version"]
    const faults = await looseFaults(project, compiler)
    if (faults.length > 0) throw new Error(`For programs that are less strict:\n${faults.join("\n")}`)
    say(`compiled with TypeScript ${(await succeed(process.execPath, tsc, project)).trim()}`)
  }
  say(`added from outside, by the examples: ${await conform(project)} tests of the conformance suites pass`)
  const { code, text } = await commandLine(project, ["--help"])
  if (code !== 0 || !text.includes("feeds")) throw new Error(`npx millrace --help ended with ${code}:\n${text}`)
  say("npx millrace --help: as in the repository")
  const installed = project
  for (const node of [await installNode(nodes, versions.oldNode), process.execPath]) {
    await Effect.runPromise(
      Effect.flatMap(emptyDatabase(database), (url) =>
        Effect.promise(() => runOn(installed, node, Redacted.value(url)))
      ).pipe(Effect.scoped)
    )
  }
} finally {
  if (project !== undefined) removeProject(project)
  rmSync(nodes, { recursive: true, force: true })
  await database.stop()
}
