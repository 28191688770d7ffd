/**
 * Copies a template: `npm run new -- operation listIdle --noun feeds`, or `provider`, `kind`, `destination` and `collection` with a
 * name. An operation is its definition, its use case and its test in the kernel; the others are a module of its own with its test
 * in `examples`, as a configuration file names it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { operations } from "../packages/core/src/access/catalogue.generated.ts"

/** Where what is copied begins, and what to do next. */
interface Copied {
  readonly files: ReadonlyArray<readonly [path: string, text: string]>
  readonly next: string
}

interface Example {
  readonly file: string
  /** The form in which the new name takes the place of each name. */
  readonly names: Readonly<Record<string, string>>
  /** What its test needs beside it. */
  readonly fake?: string
}

const examples: Readonly<Record<string, Example>> = {
  provider: {
    file: "add-a-provider",
    names: { listbank: "small", ListUpstream: "upstream", makeList: "makeFake", fakeList: "fake" },
    fake: "ListUpstream"
  },
  kind: { file: "add-an-enrichment-kind", names: { firstWord: "camel", first_word: "snake" } },
  destination: { file: "add-a-destination", names: { rowStore: "camel", row_store: "snake" } },
  collection: {
    file: "add-a-collection",
    names: { notes: "camel", createNote: "createOne", Notes: "pascal", Note: "one", note: "prefix" }
  }
}

const usage = `npm run new -- operation <id> --noun <noun>
npm run new -- provider|kind|destination|collection <name>

The name is written in camel case, such as listIdle or priceWatch.`

const separated = (name: string, by: string): string => name.replaceAll(/([A-Z])/g, `${by}$1`).toLowerCase()
const pascal = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/** The name in each form. */
const formsOf = (name: string): Readonly<Record<string, string>> => ({
  camel: name,
  pascal: pascal(name),
  one: pascal(name).replace(/s$/, ""),
  createOne: `create${pascal(name).replace(/s$/, "")}`,
  snake: separated(name, "_"),
  small: name.toLowerCase(),
  upstream: `${pascal(name)}Upstream`,
  makeFake: `make${pascal(name)}`,
  fake: `fake${pascal(name)}`,
  prefix: separated(name, "").slice(0, 4)
})

const replaced = (text: string, names: ReadonlyArray<readonly [from: string, to: string]>): string =>
  names.reduce((all, [from, to]) => all.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to), text)

/** A module with its test, from the example of its kind. */
const moduleOf = (root: string, what: string, name: string): Copied => {
  const example = examples[what]!
  const forms = formsOf(name)
  const names = Object.entries(example.names).map(([from, form]) => [from, forms[form]!] as const)
  const file = separated(name, "-")
  const copy = (path: string) => replaced(readFileSync(join(root, path), "utf8"), names).replaceAll(example.file, file)
  return {
    files: [
      [`examples/${file}.ts`, copy(`examples/${example.file}.ts`)],
      [`examples/test/${file}.test.ts`, copy(`examples/test/${example.file}.test.ts`)],
      ...(example.fake === undefined
        ? []
        : [[`examples/test/${forms["upstream"]!}.ts`, copy(`examples/test/${example.fake}.ts`)] as const])
    ],
    next: `npx vitest run examples/test/${file}.test.ts`
  }
}

/** The folder of the kernel in which the operations of a noun are. */
const folderOf = (root: string, noun: string): string | undefined => {
  const index = readFileSync(join(root, "packages/core/src/operations.generated.ts"), "utf8")
  const id = Object.values(operations).find((one) => one.noun === noun)?.id
  return new RegExp(`"\\./(\\w+)/operations/${id}\\.ts"`).exec(index)?.[1]
}

const operationOf = (root: string, id: string, noun: string): Copied | string => {
  const folder = folderOf(root, noun)
  if (folder === undefined) {
    const nouns = [...new Set(Object.values(operations).map((one) => one.noun))]
    return `there is no noun "${noun}"; there are ${nouns.join(", ")}`
  }
  if (Object.hasOwn(operations, id)) return `there is an operation "${id}" already`
  const names = [
    ["operationId", id],
    ["useCase", `${id}Of`],
    ["UseCase", pascal(id)],
    ["theNoun", noun],
    ["theFolder", folder],
    ["thePath", `${noun}/${separated(id, "-")}`],
    ["theCommand", `${noun} ${separated(id, "-")}`],
    ["the_tool", separated(id, "_")]
  ] as const
  const template = (name: string) => replaced(readFileSync(join(root, `scripts/template/${name}.txt`), "utf8"), names)
  return {
    files: [
      [`packages/core/src/${folder}/operations/${id}.ts`, template("definition")],
      [`packages/core/src/${folder}/${pascal(id)}.ts`, template("useCase")],
      [`packages/core/test/${folder}/${pascal(id)}.test.ts`, template("test")]
    ],
    next: `npm run generate, then npx vitest run packages/core/test/${folder}/${pascal(id)}.test.ts`
  }
}

/** What is copied into the repository at `root`, or what is wrong with what was asked. */
export const copied = (root: string, args: ReadonlyArray<string>): Copied | string => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { noun: { type: "string" } }
  })
  const [what = "", name = ""] = positionals
  if (!/^[a-z][a-zA-Z]{2,39}$/.test(name)) return usage
  if (what === "operation") return values.noun === undefined ? usage : operationOf(root, name, values.noun)
  return Object.hasOwn(examples, what) ? moduleOf(root, what, name) : usage
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const made = copied(root, process.argv.slice(2))
  const taken = typeof made === "string" ? made : made.files.find(([path]) => existsSync(join(root, path)))
  if (typeof made === "string") {
    process.stderr.write(`${made}\n`)
    process.exitCode = 2
  } else if (taken === undefined) {
    for (const [path, text] of made.files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      process.stdout.write(`${path}\n`)
    }
    process.stdout.write(`Next: ${made.next}\n`)
  } else {
    process.stderr.write(`${String(taken[0])} is there already\n`)
    process.exitCode = 1
  }
}
