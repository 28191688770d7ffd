/**
 * Holds the order of folders: a folder of the kernel imports only from folders before it, and no folder of any
 * package is on a ring of imports.
 *
 * `node scripts/folders.ts` checks the packages of this repository and ends with 1 where one breaks the order.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * The folders of the kernel, each before those that may import it. Folders inside a folder have its place, but for the folders
 * `operations` in each noun: those are the definitions of operations and stand above all use cases.
 */
export const kernelOrder: ReadonlyArray<string> = [
  "shared",
  "failure",
  "storage",
  "rate",
  "outbound",
  "text",
  "merchant",
  "pattern",
  "workspace",
  "model",
  "resource",
  "access",
  "cursor",
  "event",
  "audit",
  "idempotency",
  "collection",
  "record",
  "filter",
  "rule",
  "provider",
  "bank",
  "feed",
  "job",
  "task",
  "message",
  "enrichment",
  "identity",
  "destination",
  "sync",
  "upload",
  "table",
  "explain",
  "usecase",
  "operation",
  "operations"
]

/** A file that may name a type of a later folder, because nothing else serves. Values are never excepted. */
export interface TypeException {
  /** Paths from the package's `src`. */
  readonly from: string
  readonly to: string
  readonly reason: string
}

export const kernelExceptions: ReadonlyArray<TypeException> = []

export interface Import {
  /** Paths from the package's `src`. */
  readonly from: string
  readonly to: string
  readonly typesOnly: boolean
}

const statements = /^(?:import|export)\s+(type\s+)?([^;'"]*?\sfrom\s+)?"(\.[^"]+)"/gm
const calls = /\bimport\("(\.[^"]+)"\)/g

const namesTypesOnly = (names: string): boolean => {
  const braces = /^\{(.*)\}\s+from\s+$/s.exec(names)
  const items = braces?.[1]?.split(",").map((item) => item.trim()) ?? []
  return braces !== null && items.every((item) => item === "" || item.startsWith("type "))
}

/** What the files of a `src` folder import from each other. */
export const importsOf = (src: string): ReadonlyArray<Import> =>
  globSync("**/*.ts", { cwd: src })
    .toSorted()
    .flatMap((from) => {
      const text = readFileSync(join(src, from), "utf8")
      const to = (specifier: string) => normalize(join(dirname(from), specifier))
      return [
        ...Array.from(text.matchAll(statements), ([, type, names = "", specifier = ""]) => ({
          from,
          to: to(specifier),
          typesOnly: type !== undefined || namesTypesOnly(names)
        })),
        ...Array.from(text.matchAll(calls), ([, specifier = ""]) => ({ from, to: to(specifier), typesOnly: false }))
      ]
    })

/** Definitions of operations, whichever noun's folder they are in. */
const definitionRoom = "operations"

const roomOf = (path: string): string | undefined => {
  const [first, second, ...rest] = path.split("/")
  if (second === undefined) return undefined
  return second === definitionRoom && rest.length > 0 ? definitionRoom : first
}

const isExcepted = (one: Import, exceptions: ReadonlyArray<TypeException>): boolean =>
  one.typesOnly && exceptions.some(({ from, to }) => from === one.from && to === one.to)

/** What a package exports, by entry point: it may import everything, and nothing imports it. */
const entryRoom = "entry"

/** Imports that look up the order. Files beside the folders stand above them: only entry points import those. */
export const againstOrder = (
  imports: ReadonlyArray<Import>,
  order: ReadonlyArray<string>,
  exceptions: ReadonlyArray<TypeException> = []
): ReadonlyArray<string> => {
  const placeOf = (room: string | undefined) =>
    room === entryRoom ? order.length + 1 : room === undefined ? order.length : order.indexOf(room)
  const rooms = new Set(imports.flatMap(({ from, to }) => [from, to].map(roomOf)))
  const unknown = [...rooms].filter((room) => room !== undefined && room !== entryRoom && !order.includes(room))
  const upwards = imports.filter(({ from, to }) => placeOf(roomOf(from)) < placeOf(roomOf(to)))
  return [
    ...unknown.map(
      (room) => `the folder "${room}" has no place in the order: add it to kernelOrder in scripts/folders.ts`
    ),
    ...upwards
      .filter(({ from }) => !unknown.includes(roomOf(from)))
      .filter((one) => !isExcepted(one, exceptions))
      .map(
        ({ from, to }) =>
          `${from} imports ${to}, which stands later in the order: move what both need down, or ${from} up`
      ),
    ...exceptions
      .filter((exception) => !upwards.some((one) => isExcepted(one, [exception])))
      .map(({ from, to }) => `the exception for ${from} and ${to} is not needed: remove it from scripts/folders.ts`)
  ]
}

/** The shortest way back to `start` along imports between folders. */
const wayBack = (
  start: string,
  edges: ReadonlyMap<string, ReadonlyMap<string, Import>>
): ReadonlyArray<Import> | undefined => {
  const ways = new Map<string, ReadonlyArray<Import>>([[start, []]])
  for (const [folder, way] of ways) {
    for (const [next, by] of edges.get(folder) ?? []) {
      if (next === start) return [...way, by]
      if (!ways.has(next)) ways.set(next, [...way, by])
    }
  }
  return undefined
}

/** One line for each ring of folders, with an import for each of its steps. */
export const ringsOf = (
  imports: ReadonlyArray<Import>,
  exceptions: ReadonlyArray<TypeException> = []
): ReadonlyArray<string> => {
  const edges = new Map<string, Map<string, Import>>()
  for (const one of imports) {
    const [from, to] = [dirname(one.from), dirname(one.to)]
    if (from === to || isExcepted(one, exceptions)) continue
    const known = edges.get(from) ?? new Map<string, Import>()
    edges.set(from, known.has(to) ? known : known.set(to, one))
  }
  const told = new Set<string>()
  return [...edges.keys()].toSorted().flatMap((folder) => {
    const ring = told.has(folder) ? undefined : wayBack(folder, edges)
    if (ring === undefined) return []
    for (const { from } of ring) told.add(dirname(from))
    return [`folders on a ring: ${ring.map(({ from, to }) => `${from} imports ${to}`).join("; ")}`]
  })
}

/** What is wrong with the folders of a repository. */
export const faultsOf = (root: string): ReadonlyArray<string> =>
  globSync("packages/*/src", { cwd: root })
    .toSorted()
    .flatMap((src) => {
      const imports = importsOf(join(root, src))
      const isKernel = src === join("packages", "core", "src")
      const exceptions = isKernel ? kernelExceptions : []
      return [...(isKernel ? againstOrder(imports, kernelOrder, exceptions) : []), ...ringsOf(imports, exceptions)].map(
        (fault) => `${src}: ${fault}`
      )
    })

if (import.meta.main) {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const faults = faultsOf(root)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
