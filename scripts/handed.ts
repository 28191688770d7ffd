/**
 * Holds the one way to build a service: what works with a service asks for it (`yield* Outbound`), so that its type
 * says what it needs. No function is handed a service, or a part of one, as a parameter (decision 45).
 *
 * `node scripts/handed.ts` checks the packages of this repository and ends with 1 where one breaks this.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { parseAst } from "rolldown/parseAst"

/** Services that are values: nothing in them is an effect, and functions that only compute may have them. */
export const values: Readonly<Record<string, string>> = {
  Digest: "hashes of texts, computed at once",
  Kinds: "the list of kinds, which stands from the start",
  ParsedSearchParams: "what the query of a request holds"
}

/** Where functions are handed a service all the same. */
export interface Exception {
  /** What the paths of the files begin with, from the root. */
  readonly under: string
  readonly service: string
  readonly reason: string
}

const kinds = "packages/core/src/enrichment/"
const ofKinds = "a kind is a value: a program makes it before any effect runs, of what it has"

export const exceptions: ReadonlyArray<Exception> = [
  { under: kinds, service: "MemoryPatterns", reason: ofKinds },
  { under: kinds, service: "ModelUse", reason: ofKinds },
  { under: kinds, service: "RecordPasts", reason: ofKinds },
  { under: kinds, service: "TableSnapshots", reason: ofKinds }
]

export interface File {
  readonly path: string
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

const nodesIn = (value: unknown): ReadonlyArray<Node> =>
  Array.isArray(value) ? value.flatMap(nodesIn) : isNode(value) ? [value] : []

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flatMap(nodesIn)

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return ""
  if (node.type === "Identifier") return String(node["name"])
  return node.type === "TSQualifiedName" ? `${nameOf(node["left"])}.${nameOf(node["right"])}` : ""
}

const literalOf = (node: unknown): unknown =>
  isNode(node) && node.type === "TSLiteralType" && isNode(node["literal"]) ? node["literal"]["value"] : undefined

/** What is made of a type's parameters or results is no part of it. */
const derived = new Set(["Parameters", "ReturnType", "Effect.Success", "Effect.Error"])

/** The service whose shape a type is, with all of its methods. */
const shapeOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === "TSIndexedAccessType" && literalOf(node["indexType"]) === "Service") {
    const owner = node["objectType"]
    return isNode(owner) ? nameOf(owner["typeName"] ?? owner["exprName"]) : undefined
  }
  if (node.type === "TSTypeQuery") {
    const name = nameOf(node["exprName"])
    return name.endsWith(".Service") ? name.slice(0, -".Service".length) : undefined
  }
  return undefined
}

/** The services in a type, and those in what it refers to by name. */
const servicesIn = (node: Node, held: (name: string) => Iterable<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const walk = (inner: Node): void => {
    const shape = shapeOf(inner)
    if (shape !== undefined && shape !== "") return void found.add(shape)
    if (inner.type === "TSTypeReference") {
      const name = nameOf(inner["typeName"])
      if (derived.has(name)) return
      for (const service of held(name)) found.add(service)
    }
    for (const child of childrenOf(inner)) walk(child)
  }
  walk(node)
  return found
}

const everyNode = function* (root: Node): Iterable<Node> {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    open.push(...childrenOf(node))
  }
}

/** A type by where it is declared: `<file>#<name>`. */
type TypeKey = string

interface Source {
  readonly path: string
  readonly text: string
  readonly root: Node
  /** What a name in the file stands for: a type of its own, or one that it imports from another file or package. */
  readonly meant: ReadonlyMap<string, TypeKey>
  readonly types: ReadonlyArray<{ readonly key: TypeKey; readonly parts: ReadonlyArray<Node> }>
}

const declarations = new Set(["TSTypeAliasDeclaration", "TSInterfaceDeclaration"])
const packageName = /^@millrace\/([a-z]+)/

/** The file of this repository that an import is from; for one of a package, the folder of that package. */
const originOf = (path: string, specifier: string): string =>
  specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : (packageName.exec(specifier)?.[1] ?? "")

const read = ({ path, text }: File): Source => {
  const root = parseAst(text, { lang: "ts" }, path) as unknown as Node
  const meant = new Map<string, TypeKey>()
  const types: Array<Source["types"][number]> = []
  for (const node of everyNode(root)) {
    if (declarations.has(node.type)) {
      const name = nameOf(node["id"])
      meant.set(name, `${path}#${name}`)
      types.push({ key: `${path}#${name}`, parts: nodesIn([node["typeAnnotation"], node["body"], node["extends"]]) })
    } else if (node.type === "ImportDeclaration" && isNode(node["source"])) {
      const origin = originOf(path, String(node["source"]["value"]))
      for (const one of nodesIn(node["specifiers"])) {
        if (one.type === "ImportSpecifier") meant.set(nameOf(one["local"]), `${origin}#${nameOf(one["imported"])}`)
      }
    }
  }
  return { path, text, root, meant, types }
}

type Held = ReadonlyMap<TypeKey, ReadonlySet<string>>

/** What a name in a file holds of services. */
const heldBy =
  ({ meant }: Source, held: Held) =>
  (name: string): Iterable<string> => {
    const key = meant.get(name)
    return (key === undefined ? undefined : held.get(key)) ?? []
  }

/** The services that types hold, through as many others as they refer to. */
const servicesOfTypes = (sources: ReadonlyArray<Source>): Held => {
  const held = new Map<TypeKey, Set<string>>()
  const add = (key: TypeKey, service: string): boolean => {
    const found = held.get(key) ?? new Set()
    if (found.has(service)) return false
    held.set(key, found.add(service))
    return true
  }
  for (let grew = true; grew;) {
    grew = false
    for (const source of sources) {
      for (const { key, parts } of source.types) {
        for (const service of parts.flatMap((part) => [...servicesIn(part, heldBy(source, held))])) {
          // Others import it from the package, by its name.
          const ofPackage = key.replace(/^packages\/([a-z]+)\/.*#/, "$1#")
          const isNew = [add(key, service), add(ofPackage, service)].includes(true)
          grew ||= isNew
        }
      }
    }
  }
  return held
}

const settingForm = /(?:const|class) (\w+)[^=\n]*(?:=|extends)\s*Context\.Reference\b/g

/** Names of settings: a `Context.Reference` holds a value, whatever its type says. */
const settingsIn = (files: ReadonlyArray<File>): ReadonlySet<string> =>
  new Set(files.flatMap(({ text }) => Array.from(text.matchAll(settingForm), ([, name = ""]) => name)))

const shapeForm = /\["Service"\]|\btypeof \w+\.Service\b/

/** The files that could hand a service on, with what types hold: those that name a service's shape or such a type. */
const suspects = (files: ReadonlyArray<File>): { readonly sources: ReadonlyArray<Source>; readonly held: Held } => {
  const sources: Array<Source> = []
  const rest = new Set(files)
  let held: Held = new Map()
  for (let form = shapeForm, before = -1; sources.length > before;) {
    before = sources.length
    for (const file of rest) {
      if (!form.test(file.text)) continue
      rest.delete(file)
      sources.push(read(file))
    }
    held = servicesOfTypes(sources)
    const names = new Set([...held.keys()].map((key) => key.slice(key.indexOf("#") + 1)))
    if (names.size > 0) form = new RegExp(`\\b(?:${[...names].join("|")})\\b`)
  }
  return { sources: sources.toSorted((a, b) => (a.path < b.path ? -1 : 1)), held }
}

const annotation = (node: unknown): Node | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === "TSParameterProperty") return annotation(node["parameter"])
  if (node.type === "AssignmentPattern") return annotation(node["left"])
  const type = node["typeAnnotation"]
  return isNode(type) && isNode(type["typeAnnotation"]) ? type["typeAnnotation"] : undefined
}

/** Names that a file exports as values: of a class that it keeps to itself nobody else can make one. */
const exportedFrom = (root: Node): ReadonlySet<string> =>
  new Set(
    nodesIn(root["body"]).flatMap((statement) => {
      if (!statement.type.startsWith("Export") || statement["exportKind"] === "type") return []
      const listed = nodesIn(statement["specifiers"]).map((one) => nameOf(one["local"]))
      return [...nodesIn(statement["declaration"]).map((one) => nameOf(one["id"])), ...listed]
    })
  )

/** Every function of a file, but for constructors of classes that the file keeps to itself. */
const functionsIn = function* (root: Node): Iterable<Node> {
  const exported = exportedFrom(root)
  const kept = new Set<Node>()
  for (const node of everyNode(root)) {
    if (node.type === "ClassDeclaration" && !exported.has(nameOf(node["id"]))) {
      for (const member of nodesIn(node["body"]).flatMap((body) => nodesIn(body["body"]))) {
        if (member["kind"] === "constructor") for (const made of nodesIn(member["value"])) kept.add(made)
      }
    }
    const isGeneric = node.type.startsWith("TSTypeParameter")
    if (!isGeneric && !kept.has(node) && ("params" in node || "parameters" in node)) yield node
  }
}

export interface Handed {
  /** From the root. */
  readonly path: string
  readonly line: number
  readonly service: string
}

/** Parameters by which functions are handed services. One that gives back the service that it was handed adds to it. */
export const handedIn = (files: ReadonlyArray<File>): ReadonlyArray<Handed> => {
  const { held, sources } = suspects(files)
  const settings = settingsIn(files)
  return sources.flatMap((source) => {
    const { path, root, text } = source
    const found: Array<Handed> = []
    for (const node of functionsIn(root)) {
      const returned = node["returnType"]
      const given = shapeOf(isNode(returned) ? returned["typeAnnotation"] : undefined)
      for (const param of nodesIn(node["params"] ?? node["parameters"])) {
        const type = annotation(param)
        if (type === undefined) continue
        for (const service of servicesIn(type, heldBy(source, held))) {
          if (service === given || settings.has(service) || Object.hasOwn(values, service)) continue
          found.push({ path, line: text.slice(0, param.start).split("\n").length, service })
        }
      }
    }
    return found.toSorted((a, b) => a.line - b.line)
  })
}

const excuses = ({ path, service }: Handed, exception: Exception): boolean =>
  exception.service === service && path.startsWith(exception.under)

/** What is wrong, a line for each. */
export const faultsOf = (
  handed: ReadonlyArray<Handed>,
  excepted: ReadonlyArray<Exception> = exceptions
): ReadonlyArray<string> => [
  ...handed
    .filter((one) => !excepted.some((exception) => excuses(one, exception)))
    .map(({ line, path, service }) => `${path}:${line}: is handed ${service}: ask for it (yield* ${service})`),
  ...excepted
    .filter((exception) => !handed.some((one) => excuses(one, exception)))
    .map(({ service, under }) => `the exception for ${service} under ${under} is not needed: remove it`)
]

/** The sources of the packages that others install; how they are tested and verified is not held to it. */
export const filesOf = (root: string): ReadonlyArray<File> =>
  globSync("packages/{adapters,cli,core,embed,http,jobs,server}/src/**/*.ts", { cwd: root })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

if (import.meta.main) {
  const faults = faultsOf(handedIn(filesOf(fileURLToPath(new URL("..", import.meta.url)))))
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
