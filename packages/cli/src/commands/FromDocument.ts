/** Operations from the OpenAPI document: of a server (`/openapi.json`), and of the bundled definitions when they are generated. */
import type { HttpMethod } from "effect/http/HttpMethod"
import type { DerivedField, DerivedOperation, Group } from "./Derived.ts"

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const scalars: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean"])

/** The shape that a schema has beside null. */
const plainOf = (schema: Node): Node => {
  const some = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
    .map(nodeOf)
    .filter(({ type }) => type !== "null")
  return some.length === 1 ? { ...schema, ...some[0] } : schema
}

const typeOf = ({ items, type: given }: Node): DerivedField["type"] | undefined => {
  const [type = given] = Array.isArray(given) ? given.filter((one) => one !== "null") : []
  if (type === "array") return nodeOf(items)["type"] === "string" ? "texts" : undefined
  return scalars.has(type) ? (type === "string" ? "text" : (type as DerivedField["type"])) : undefined
}

/** The state that a field of true or false names: `createMissingColumns` -> `Create missing columns, yes or no`. */
const stateOf = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("_", " ")
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}, yes or no`
}

const descriptionOf = (type: DerivedField["type"], name: string): string => {
  switch (type) {
    case "text":
      return "Text"
    case "integer":
      return "Whole number"
    case "number":
      return "Number"
    case "boolean":
      return stateOf(name)
    case "texts":
      return "Text; may be given several times"
  }
}

/** A field that an option can say; `undefined` for one that only a file can. */
const fieldOf = (name: string, schema: Node, text = ""): DerivedField | undefined => {
  const plain = plainOf(schema)
  const type = typeOf(plain)
  if (type === undefined) return undefined
  const choices = listOf(plain["enum"]).filter((one) => typeof one === "string")
  const { minimum } = plain
  const description = text || textOf(plain["description"]) || descriptionOf(type, name)
  if (choices.length > 0 && choices.every((one) => one === "true" || one === "false")) {
    return { name, type: "boolean", description }
  }
  return {
    name,
    type,
    description,
    ...(choices.length === 0 ? {} : { choices }),
    ...(type === "integer" && typeof minimum === "number" ? { minimum } : {})
  }
}

/** The fields of an object that options can say. */
const fieldsOf = (schema: Node): ReadonlyArray<DerivedField> =>
  Object.entries(nodeOf(schema["properties"])).flatMap(([name, field]) => {
    const found = fieldOf(name, nodeOf(field))
    if (found === undefined) return []
    const isRequired = listOf(schema["required"]).includes(name)
    return isRequired ? { ...found, description: `${found.description} (required)` } : found
  })

const answersOf = (schema: Node): DerivedOperation["answers"] => {
  const data = nodeOf(nodeOf(schema["properties"])["data"])
  if (data["type"] === "array") return "list"
  return "deleted" in nodeOf(data["properties"]) || Object.keys(data).length === 0 ? "nothing" : "record"
}

/** What the commands of a document are called, in groups by their first words. */
export const groupsOf = (document: unknown): ReadonlyArray<Group> => {
  const { components, paths, tags } = nodeOf(document)
  const schemas = nodeOf(nodeOf(components)["schemas"])
  const resolved = (value: unknown): Node => {
    const { $ref: ref } = nodeOf(value)
    return typeof ref === "string" ? nodeOf(schemas[ref.slice(ref.lastIndexOf("/") + 1)]) : nodeOf(value)
  }
  const jsonOf = (value: unknown): unknown => nodeOf(nodeOf(nodeOf(value)["content"])["application/json"])["schema"]
  const operationOf = (path: string, method: string, operation: Node): DerivedOperation | undefined => {
    const command = textOf(operation["x-command"])
    if (command === "") return undefined
    const parameters = listOf(operation["parameters"]).map(nodeOf)
    const success = Object.entries(nodeOf(operation["responses"])).find(([status]) => /^20\d$/.test(status))
    const body = jsonOf(operation["requestBody"])
    const shape = resolved(body)
    const fields = Object.entries(nodeOf(shape["properties"])).map(
      ([name, field]) => [name, { ...resolved(field), ...nodeOf(field) }] as const
    )
    return {
      id: textOf(operation["operationId"]),
      command,
      summary: textOf(operation["summary"]),
      method: method.toUpperCase() as HttpMethod,
      path,
      query: parameters.flatMap((one) => {
        const schema = { ...resolved(one["schema"]), ...nodeOf(one["schema"]) }
        const field =
          one["in"] === "query" ? fieldOf(textOf(one["name"]), schema, textOf(one["description"])) : undefined
        return field ?? []
      }),
      ...(body === undefined
        ? {}
        : {
            body: fieldsOf({ ...shape, properties: Object.fromEntries(fields) })
          }),
      conditional: parameters.some(({ name }) => name === "If-Match"),
      answers: success === undefined ? "nothing" : answersOf(resolved(jsonOf(success[1])))
    }
  }
  const groups = new Map<string, { description: string; operations: Array<DerivedOperation> }>()
  for (const [path, methods] of Object.entries(nodeOf(paths))) {
    for (const [method, value] of Object.entries(nodeOf(methods))) {
      const operation = operationOf(path, method, nodeOf(value))
      if (operation === undefined) continue
      const name = operation.command.split(" ", 1).join("")
      const [tag] = listOf(nodeOf(value)["tags"])
      const described = listOf(tags)
        .map(nodeOf)
        .find((one) => one["name"] === tag)
      const group = groups.get(name) ?? { description: textOf(described?.["description"]) || name, operations: [] }
      group.operations.push(operation)
      groups.set(name, group)
    }
  }
  return [...groups].map(([name, group]) => ({ name, ...group }))
}
