/**
 * Writes the lists of all operations from their definitions, so that a new one is a file of its own and no other file is edited:
 * the catalogue that access decisions read, and the definitions that surfaces serve.
 *
 * `node --conditions=@millrace/source scripts/operations.ts` writes them; with `--check` it ends with 1 where they are out of date.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const source = fileURLToPath(new URL("../packages/core/src", import.meta.url))
const index = join(source, "operations.generated.ts")
const catalogue = join(source, "access", "catalogue.generated.ts")
const note = "// Written by `npm run generate` from the definitions in */operations. Do not edit."

const stale: Array<string> = []
const write = (path: string, text: string): void => {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return
  if (process.argv.includes("--check")) stale.push(path)
  else writeFileSync(path, text)
}

// The definitions import use cases, and those the catalogue: the first time there is none yet.
if (!existsSync(catalogue)) {
  writeFileSync(
    catalogue,
    `import type { Operation } from "./Operation.ts"\nexport const operations = {} as Record<string, Operation>\n`
  )
}

interface Entry {
  readonly id: string
  readonly noun: string
  readonly path: string
  readonly method: string
}

interface Exported {
  readonly path: string
  readonly name: string
  /** Whether it holds several operations, each under its id. */
  readonly isMany: boolean
  readonly entries: ReadonlyArray<Entry>
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && "id" in value && "noun" in value && "run" in value

const exportsOf = async (path: string): Promise<ReadonlyArray<Exported>> => {
  const module = (await import(pathToFileURL(join(source, path)).href)) as Readonly<Record<string, unknown>>
  return Object.entries(module).flatMap(([name, value]): ReadonlyArray<Exported> => {
    if (isEntry(value)) return [{ path, name, isMany: false, entries: [value] }]
    const inside = typeof value === "object" && value !== null ? Object.values(value) : []
    return inside.length > 0 && inside.every(isEntry) ? [{ path, name, isMany: true, entries: inside }] : []
  })
}

const paths = globSync("*/operations/*.ts", { cwd: source })
const { nouns } = await import("../packages/core/src/access/Operation.ts")
const nounOrder = Object.keys(nouns)
const methodOrder = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const placeOf = ({ method, noun, path }: Entry): string =>
  [String(nounOrder.indexOf(noun)).padStart(3, "0"), path.replaceAll(":", "~"), methodOrder.indexOf(method)].join(" ")
const byPlace = (one: Entry, other: Entry): number => (placeOf(one) < placeOf(other) ? -1 : 1)

const found = (await Promise.all(paths.map(exportsOf)))
  .flat()
  .toSorted((one, other) => byPlace(one.entries[0]!, other.entries[0]!))

/** What names one operation and no other. A command made by hand may ask for several. */
const namesOf = (entry: Entry): ReadonlyArray<string> => {
  const { tool } = entry as Entry & { readonly tool: unknown }
  const toolName = typeof tool === "object" && tool !== null && "name" in tool ? [`tool ${String(tool.name)}`] : []
  return [`id ${entry.id}`, `route ${entry.method} ${entry.path.replaceAll(/:\w+/g, ":id")}`, ...toolName]
}

const faults = found.flatMap(({ entries, isMany, name, path }) =>
  isMany || entries[0]?.id === name ? [] : [`${path} exports ${name}, whose id is ${String(entries[0]?.id)}`]
)
const holders = new Map<string, string>()
for (const entry of found.flatMap(({ entries }) => entries)) {
  for (const name of namesOf(entry)) {
    const holder = holders.get(name)
    if (holder !== undefined) faults.push(`${entry.id} and ${holder} have the same ${name}`)
    holders.set(name, entry.id)
  }
}
if (faults.length > 0) throw new Error(faults.join("\n"))

write(
  index,
  [
    note,
    ...found.map(({ name, path }) => `import { ${name} } from "./${path}"`),
    "",
    "/** Every bundled operation, by its id. */",
    "export const definitions = {",
    found.map(({ isMany, name }) => `  ${isMany ? "..." : ""}${name}`).join(",\n"),
    "}",
    ""
  ].join("\n")
)

const fields =
  `id noun summary scopes role app only sessionParameter everyPlan idempotency waits versioned body credential tool
  command`.split(/\s+/)
const entryText = (entry: Entry): string => {
  const all = entry as unknown as Readonly<Record<string, unknown>>
  const lines = fields.map(
    (field) => `${field}: ${all[field] === undefined ? "undefined" : JSON.stringify(all[field])}`
  )
  return `  ${entry.id}: { ${lines.join(", ")} }`
}

write(
  catalogue,
  [
    note,
    'import type { Operation } from "./Operation.ts"',
    "",
    "/** The ids of all operations. */",
    "export type OperationId =",
    ...found.flatMap(({ entries }) => entries.map(({ id }) => `  | "${id}"`)),
    "",
    "/** Who may ask for what, by the id of the operation. */",
    "export const operations: Readonly<Record<OperationId, Operation>> = {",
    found
      .flatMap(({ entries }) => entries)
      .toSorted(byPlace)
      .map(entryText)
      .join(",\n"),
    "}",
    ""
  ].join("\n")
)

if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(", ")}. Run npm run generate.\n`)
  process.exitCode = 1
}
