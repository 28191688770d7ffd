/** What a tool takes, from the OpenAPI document: the parameters and the fields of the body of its operation, as one object. */
import { componentOf, isNode, mapNodes, nodeOf, reached, type Node } from "../openapi/Node.ts"

/** Where an argument goes. */
export interface Argument {
  readonly name: string
  readonly in: "path" | "query" | "body"
  /** Its name there: `bank_id` for the argument `bankId`. */
  readonly sentAs: string
}

export interface ToolInput {
  readonly arguments: ReadonlyArray<Argument>
  readonly schema: Node
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** References to components as a tool has them, which stands alone. */
const standingAlone = (value: unknown): unknown =>
  mapNodes(value, (node) => {
    const name = componentOf(node)
    return name === undefined ? node : { $ref: `#/$defs/${name}` }
  })

const jsonOf = (content: unknown): Node =>
  nodeOf(nodeOf(nodeOf(nodeOf(content)["content"])["application/json"])["schema"])

/** `operation` and `schemas` are of the document of the API. An argument that two places want is a defect of the definition. */
export const toolInput = (operation: Node, schemas: Node): ToolInput => {
  const given: Array<readonly [Argument, schema: unknown, isRequired: boolean]> = []
  for (const value of listOf(operation["parameters"])) {
    const { description, in: place, name, required, schema, ...rest } = nodeOf(value)
    if (place !== "path" && place !== "query") continue
    const shape = schema === undefined ? jsonOf(rest) : nodeOf(schema)
    const sentAs = String(name)
    given.push([{ name: camel(sentAs), in: place, sentAs }, { ...shape, description }, required === true])
  }
  const body = jsonOf(operation["requestBody"])
  const shape = nodeOf(schemas[componentOf(body) ?? ""] ?? body)
  const required = listOf(shape["required"])
  for (const [name, schema] of Object.entries(nodeOf(shape["properties"]))) {
    // The series that another one is merged into: both are series, and the path names the first.
    const isTaken = given.some(([argument]) => argument.name === name)
    const own = isTaken ? `other${name.slice(0, 1).toUpperCase()}${name.slice(1)}` : name
    given.push([{ name: own, in: "body", sentAs: name }, schema, required.includes(name)])
  }
  const names = given.map(([{ name }]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) {
    throw new RangeError(`${String(operation["operationId"])} has two arguments that are called ${twice}`)
  }
  const properties = Object.fromEntries(given.map(([{ name }, schema]) => [name, standingAlone(schema)]))
  const inside = [
    ...reached(
      given.map(([, schema]) => schema),
      schemas
    )
  ]
  return {
    arguments: given.map(([argument]) => argument),
    schema: {
      type: "object",
      properties,
      required: given.flatMap(([{ name }, , isRequired]) => (isRequired ? [name] : [])),
      additionalProperties: false,
      ...(inside.length === 0
        ? {}
        : { $defs: Object.fromEntries(inside.map((name) => [name, standingAlone(schemas[name])])) })
    }
  }
}

/** The operations of a document, by id. */
export const operationsOf = (document: Node): ReadonlyMap<string, Node> =>
  new Map(
    Object.values(nodeOf(document["paths"])).flatMap((methods) =>
      Object.values(nodeOf(methods)).flatMap((operation) =>
        isNode(operation) ? [[String(operation["operationId"]), operation] as const] : []
      )
    )
  )
