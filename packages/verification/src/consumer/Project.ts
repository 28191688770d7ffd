/** A project of somebody else: nothing in it but the packed packages, and the programs of `examples`. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { install, runToEnd, succeed } from "./Command.ts"
import { manifestOf, pack, type Packed, root } from "./Packed.ts"

export interface Project {
  readonly folder: string
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

/** Runs a program of `dist` on the layer that its file exports, and reads a statement in a thread beside it. */
const start = `import { StatementThreads } from "@millrace/adapters/statement"
import { StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const { layer = Layer.empty, program = Effect.void } = await import(\`./dist/\${process.argv[2]}.js\`)
const bytes = new TextEncoder().encode("Date,Description,Amount\\n2026-01-02,Coffee,-3.50\\n2026-01-03,Pay,100.00\\n")
const read = Effect.flatMap(StatementReader, (reader) => reader.read(bytes, { fileName: "statement.csv", baseCurrency: "USD" }))
const [{ accounts }, answer] = await Effect.runPromise(
  Effect.all([Effect.provide(read, StatementThreads.layer()), Effect.provide(program, layer)])
)
const rows = accounts[0].rows.length
console.log(JSON.stringify({ statement: rows, status: answer?.job?.status, created: answer?.job?.counts.created, delivered: answer?.rows?.length }))
process.exit(0)
`

/** The versions of what our own tests are run with. */
export const testTools = (): Readonly<Record<string, string>> => {
  const { devDependencies } = manifestOf<{ readonly devDependencies: Readonly<Record<string, string>> }>(root)
  return Object.fromEntries(["vitest", "@effect/vitest"].map((name) => [name, devDependencies[name]!]))
}

/** Packs, and installs from the registry what the packages themselves say that they need. */
export const makeProject = async (tools: Readonly<Record<string, string>>): Promise<Project> => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-consumer-"))
  try {
    const packed = await pack(folder)
    const { devDependencies } = manifestOf<{ readonly devDependencies: Readonly<Record<string, string>> }>(root)
    const { devDependencies: ours } = manifestOf<{ readonly devDependencies: Readonly<Record<string, string>> }>(
      join(root, "packages/core")
    )
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        name: "consumer",
        private: true,
        type: "module",
        dependencies: {
          ...Object.fromEntries(packed.map(({ archive, name }) => [name, `file:${archive}`])),
          effect: ours["effect"],
          typescript: devDependencies["typescript"],
          "@types/node": devDependencies["@types/node"],
          ...tools
        }
      })
    )
    const src = join(folder, "src")
    mkdirSync(src)
    for (const file of readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"))) {
      cpSync(join(root, "examples", file), join(src, file))
    }
    for (const { name, readme } of packed) {
      for (const [, program = ""] of readme.matchAll(/^```ts\n(.*?)^```$/gms)) {
        writeFileSync(join(src, `readme-${name.slice(name.indexOf("/") + 1)}.ts`), program)
      }
    }
    const entries = packed.flatMap((each) => each.entries)
    writeFileSync(join(src, "everything.ts"), imports(entries.filter((entry) => !isSuite(entry))))
    writeFileSync(join(src, "suites.ts"), imports(entries.filter(isSuite)))
    writeFileSync(join(folder, "start.js"), start)
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }))
    await install(folder)
    return { folder, packed }
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw cause
  }
}

export const removeProject = ({ folder }: Project): void => rmSync(folder, { recursive: true, force: true })

/** Compiles all programs of the project; `compiler` is the name of an installed TypeScript. */
export const compile = async ({ folder }: Project, compiler = "typescript"): Promise<void> => {
  rmSync(join(folder, "dist"), { recursive: true, force: true })
  await succeed(process.execPath, [join(folder, "node_modules", compiler, "bin/tsc"), "-p", "."], { folder })
}

/**
 * What a compiler finds in the programs and in our declarations where its user is less strict than we are, and has it look
 * into declarations.
 */
export const looseFaults = async ({ folder }: Project, compiler = "typescript"): Promise<ReadonlyArray<string>> => {
  const loose = ["--noEmit", "--exactOptionalPropertyTypes", "false", "--skipLibCheck", "false"]
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
  /** How the job of the program ended, and how many rows it wrote, where it has one. */
  readonly status?: string
  readonly created?: number
  /** The rows that its feed delivered, of those that it returns. */
  readonly delivered?: number
}

/** Runs a program as it was compiled. */
export const run = async (
  { folder }: Project,
  program: string,
  node: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Ran> => {
  const text = await succeed(node, ["start.js", program], { folder, env })
  return JSON.parse(text.slice(text.lastIndexOf("\n{") + 1)) as Ran
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
