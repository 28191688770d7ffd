/** A project of somebody else: nothing in it but the packed packages, and the programs of `examples`. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { install, runToEnd, succeed } from "./Command.ts"
import { layOut, manifestOf, pack, type Packed, type Published, root } from "./Packed.ts"

export interface Project {
  readonly folder: string
}

export interface PackedProject extends Project {
  readonly packed: ReadonlyArray<Packed>
}

/** Suites can be imported by Vitest alone. */
const isSuite = (entry: string): boolean => entry.includes("/suite/")

const imports = (of: ReadonlyArray<string>): string =>
  of.map((entry, n) => `export * as n${n} from "${entry}"\n`).join("")

const compilerOptions = {
  target: "esnext",
  lib: ["esnext"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  rewriteRelativeImportExtensions: true,
  noEmitOnError: true,
  rootDir: "src",
  outDir: "dist"
}

/** Runs programs of `dist` on the layers that their files export, and reads a statement in a thread beside each. */
const start = `import { StatementThreads } from "@millrace/adapters/statement"
import { StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const bytes = new TextEncoder().encode("Date,Description,Amount\\n2026-01-02,Coffee,-3.50\\n2026-01-03,Pay,100.00\\n")
const read = Effect.flatMap(StatementReader, (reader) => reader.read(bytes, { fileName: "statement.csv", baseCurrency: "USD" }))
for (const name of process.argv.slice(2)) {
  const module = await import(\`./dist/\${name}.js\`)
  const { layer = Layer.empty, program = Effect.void } = module
  const [{ accounts }, answer] = await Effect.runPromise(
    Effect.all([Effect.provide(read, StatementThreads.layer()), Effect.provide(program, layer)])
  )
  const rows = accounts[0].rows.length
  const { counts, status } = answer?.job ?? {}
  const told = { statement: rows, exported: Object.keys(module).length, status, created: counts?.created, delivered: answer?.rows?.length }
  console.log(JSON.stringify(told))
}
process.exit(0)
`

/** The versions of what our own tests are run with. */
export const testTools = (): Readonly<Record<string, string>> => {
  const { devDependencies } = manifestOf<{ readonly devDependencies: Readonly<Record<string, string>> }>(root)
  return Object.fromEntries(["vitest", "@effect/vitest"].map((name) => [name, devDependencies[name]!]))
}

/** What every project has beside our packages. */
const beside = ["effect", "typescript", "@types/node"] as const

/** The programs and settings of a project that has these packages. */
const writePrograms = (folder: string, published: ReadonlyArray<Published>): void => {
  const src = join(folder, "src")
  mkdirSync(src)
  for (const file of readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"))) {
    cpSync(join(root, "examples", file), join(src, file))
  }
  for (const { name, readme } of published) {
    for (const [, program = ""] of readme.matchAll(/^```ts\n(.*?)^```$/gms)) {
      writeFileSync(join(src, `readme-${name.slice(name.indexOf("/") + 1)}.ts`), program)
    }
  }
  const entries = published.flatMap((each) => each.entries)
  writeFileSync(join(src, "everything.ts"), imports(entries.filter((entry) => !isSuite(entry))))
  writeFileSync(join(src, "suites.ts"), imports(entries.filter(isSuite)))
  writeFileSync(join(folder, "start.js"), start)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }))
}

/** A new folder that is filled, or removed where that fails. */
const inNewFolder = async <A>(fill: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-consumer-"))
  try {
    return await fill(folder)
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw cause
  }
}

const consumer = { name: "consumer", private: true, type: "module" } as const

/** Packs, and installs from the registry what the packages themselves say that they need. */
export const makeProject = (tools: Readonly<Record<string, string>>): Promise<PackedProject> =>
  inNewFolder(async (folder) => {
    const packed = await pack(folder)
    const { devDependencies } = manifestOf<{ readonly devDependencies: Readonly<Record<string, string>> }>(root)
    const { devDependencies: ours } = manifestOf<{ readonly devDependencies: Readonly<Record<string, string>> }>(
      join(root, "packages/core")
    )
    const versions: Readonly<Record<string, string | undefined>> = { ...devDependencies, effect: ours["effect"] }
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        ...consumer,
        dependencies: {
          ...Object.fromEntries(packed.map(({ archive, name }) => [name, `file:${archive}`])),
          ...Object.fromEntries(beside.map((name) => [name, versions[name]])),
          ...tools
        }
      })
    )
    writePrograms(folder, packed)
    await install(folder)
    return { folder, packed }
  })

/** The same without archives and registry: the files that would be packed, and links to what they say that they need. */
export const layOutProject = (): Promise<Project> =>
  inNewFolder(async (folder) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify(consumer))
    writePrograms(folder, await layOut(folder, beside))
    return { folder }
  })

export const removeProject = ({ folder }: Project): void => rmSync(folder, { recursive: true, force: true })

/** Compiles all programs of the project; `compiler` is the name of an installed TypeScript. */
export const compile = async ({ folder }: Project, compiler = "typescript"): Promise<void> => {
  rmSync(join(folder, "dist"), { recursive: true, force: true })
  await succeed(process.execPath, [join(folder, "node_modules", compiler, "bin/tsc"), "-p", "."], { folder })
}

/**
 * What a compiler finds in the programs and in our declarations where its user is less strict than we are, and has it look
 * into declarations. `emit`: the programs are written to `dist`, whatever it finds in declarations of others.
 */
export const looseFaults = async (
  { folder }: Project,
  compiler = "typescript",
  emit = false
): Promise<ReadonlyArray<string>> => {
  const loose = [
    ...(emit ? ["--noEmitOnError", "false"] : ["--noEmit"]),
    "--exactOptionalPropertyTypes",
    "false",
    "--skipLibCheck",
    "false"
  ]
  const tsc = join(folder, "node_modules", compiler, "bin/tsc")
  const { text } = await runToEnd(process.execPath, [tsc, "-p", ".", "--pretty", "false", ...loose], { folder })
  // Suites are for those who have installed what runs them.
  const ours = /^(?:src|node_modules\/@millrace)\/(?!.*'@effect\/vitest').*error TS/
  return text.split("\n").filter((line) => ours.test(line))
}

/** The programs that can be run without a database. */
export const programs = [
  "embed",
  "documents",
  "filter-rows",
  "add-an-enrichment-kind",
  "run-a-provider",
  "add-a-collection"
] as const

export interface Ran {
  /** Rows of the statement that was read in a thread. */
  readonly statement: number
  /** What the file of the program exports. */
  readonly exported: number
  /** How the job of the program ended, and how many rows it wrote, where it has one. */
  readonly status?: string
  readonly created?: number
  /** The rows that its feed delivered, of those that it returns. */
  readonly delivered?: number
}

/** Runs programs as they were compiled, one after the other in one process; how each of them ended, in their order. */
export const runAll = async (
  { folder }: Project,
  names: ReadonlyArray<string>,
  node: string,
  env: Readonly<Record<string, string>> = {}
): Promise<ReadonlyArray<Ran>> => {
  const text = await succeed(node, ["start.js", ...names], { folder, env })
  return text
    .split("\n")
    .filter((line) => line.startsWith('{"statement":'))
    .map((line) => JSON.parse(line) as Ran)
}

/** Runs a program as it was compiled, in a process of its own. */
export const run = async (
  project: Project,
  program: string,
  node: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Ran> => {
  const [ran] = await runAll(project, [program], node, env)
  if (ran === undefined) throw new Error(`${program} did not say how it ended`)
  return ran
}

/** Imports every entry point at once, and says how many there are. */
export const importEverything = async ({ folder }: Project, node: string): Promise<number> => {
  const code = `console.log(Object.keys(await import("./dist/everything.js")).length)`
  return Number(await succeed(node, ["--input-type=module", "-e", code], { folder }))
}

/** What an author outside of the repository writes: the examples that add something, each with its test. */
const authored = /^add-/

/**
 * Runs the conformance suites over what the examples add, as the packed packages have them, with the `vitest` of the project.
 * Returns how many tests there were.
 */
export const conform = async ({ folder }: Project): Promise<number> => {
  const own = join(folder, "own")
  cpSync(join(root, "examples"), own, { recursive: true, filter: (path) => !path.includes("node_modules") })
  const tests = readdirSync(join(own, "test")).filter((name) => authored.test(name))
  // Tests of plain stores compare what they count with what the recipe promises.
  cpSync(join(root, "docs/recipes"), join(folder, "docs/recipes"), { recursive: true })
  const report = join(folder, "conformance.json")
  const args = ["run", "--root", own, "--reporter=default", "--reporter=json", `--outputFile=${report}`, ...tests]
  await succeed(process.execPath, [join(folder, "node_modules/vitest/vitest.mjs"), ...args], { folder })
  return (JSON.parse(readFileSync(report, "utf8")) as { readonly numPassedTests: number }).numPassedTests
}

/** `npx millrace` with arguments. */
export const commandLine = (
  { folder }: Project,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) => runToEnd("npx", ["--no-install", "millrace", ...args], { folder, env })
