/** The OpenAPI document: what the generator cannot know is put in here (decisions 1.12 and 1.13). */
import * as Schema from "effect/Schema"
import { scopesOf } from "@millrace/core/access"
import { FilterNode } from "@millrace/core/filter"
import { limits } from "@millrace/core"
import { amountComponent, familyScopeComponent, filterComponent, isFinal, type Served } from "@millrace/core/operation"
import { exampleAnswer } from "./Examples.ts"
import { openAnswers } from "./Enums.ts"
import { nameEnvelopes } from "./Envelopes.ts"
import { errorExamples, meanings } from "./Errors.ts"
import { componentRef, isNode, mapNodes, mapValues, nodeOf, omit, type Node } from "./Node.ts"
import { idempotencyKey, parameterOf } from "./Parameters.ts"

const definitionPath = "#/$defs/"

/** The shape of filters from the kernel's schema; what it defines besides is put where it is used. */
const filterShape = (): Node => {
  const { definitions } = Schema.toJsonSchemaDocument(FilterNode)
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved)
    if (!isNode(value)) return value
    const { $ref: ref } = value
    if (typeof ref !== "string" || !ref.startsWith(definitionPath)) {
      return mapValues(omit(value, "additionalProperties"), resolved)
    }
    const name = ref.slice(definitionPath.length)
    return name === filterComponent ? componentRef(name) : resolved(definitions[name])
  }
  return {
    ...nodeOf(resolved(definitions[filterComponent])),
    description: `At most ${limits.filterNodes} clauses and groups, nested at most ${limits.filterDepth} deep. Unknown keys are refused.`
  }
}

/** Components that are described better than their codecs can tell. */
const ownShapes: Readonly<Record<string, Node>> = {
  [amountComponent]: { type: "number", description: "An exact decimal: no exponent, no trailing zeros." },
  [familyScopeComponent]: { type: "string", enum: ["self", "family"] },
  [filterComponent]: filterShape()
}

const encodedSuffix = /Encoded$/

const plainName = (name: string): string => name.replace(encodedSuffix, "")

/** Plain component names; objects in answers are open, since fields may be added at any time. */
const relabel = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(relabel)
  if (!isNode(value)) return value
  const result: Node = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === "additionalProperties" && item === false) continue
    result[key] = key === "$ref" && typeof item === "string" ? plainName(item) : relabel(item)
  }
  return result
}

/**
 * `allOf` beside `type` says further limits of the same value: flat, since generators of validators write code for it that does not
 * compile. Where two limits have one name, such as two patterns, the `allOf` stays.
 */
const flat = (value: unknown): unknown =>
  mapNodes(value, (node) => {
    const { allOf, ...rest } = node
    if (!Array.isArray(allOf) || !("type" in rest)) return node
    const merged = allOf.reduce<Node | undefined>((all, part) => {
      const { description, ...more } = nodeOf(part)
      const isTaken = all === undefined || "$ref" in more || Object.keys(more).some((name) => name in all)
      if (isTaken) return undefined
      return { ...all, ...more, ...(description === undefined || "description" in all ? {} : { description }) }
    }, rest)
    return merged ?? node
  })

/** Components to which nothing is ever added: a client may take them apart by their fields. */
const closed = ["ActorRef"]

const withClosed = (schemas: Node): Node =>
  mapValues(schemas, (schema, name) =>
    closed.includes(name)
      ? mapNodes(schema, (node) => (node["type"] === "object" ? { ...node, additionalProperties: false } : node))
      : schema
  )

const text = (description: string): Node => ({ description, schema: { type: "string" } })
const integer = (description: string): Node => ({ description, schema: { type: "integer" } })

const everywhere: Node = { "X-Request-Id": text("Id of the request; equals referenceId of errors.") }
const metered: Node = {
  "X-RateLimit-Limit": integer("Requests per minute of the workspace."),
  "X-RateLimit-Policy": text("Limit and window in seconds: `<limit>;w=60`.")
}
const retryAfter: Node = { "Retry-After": integer("Seconds to wait.") }
const challenge: Node = { "WWW-Authenticate": text("How to authenticate.") }
const etag: Node = { ETag: text("Version of the record.") }

const replayed: Node = {
  "Idempotency-Replayed": text("`true` where this is the answer of an earlier request with the same `Idempotency-Key`.")
}
const headersOf = (status: string, tagged: boolean): Node => ({
  ...everywhere,
  ...(status === "401" ? challenge : metered),
  ...(status === "429" || status === "503" ? retryAfter : {}),
  ...(tagged && (status === "200" || status === "304") ? etag : {})
})

/** The JSON content of a request or an answer, with an example. */
const withExample = (given: unknown, example: unknown): Node => {
  const content = nodeOf(nodeOf(given)["content"])
  const json = content["application/json"]
  if (json === undefined || example === undefined) return nodeOf(given)
  return { ...nodeOf(given), content: { ...content, "application/json": { ...nodeOf(json), example } } }
}

const operationOf = (value: unknown, operations: Served["operations"]): Node => {
  const operation = nodeOf(value)
  const operationId = String(operation["operationId"])
  const definition = operations[operationId]
  if (definition === undefined) throw new RangeError(`no operation is called ${operationId}`)
  const { app, body, command, credential, description, example, idempotency, role, scopes, summary, versioned } =
    definition
  const parameters = Array.isArray(operation["parameters"])
    ? operation["parameters"].map((parameter) => parameterOf(operationId, parameter))
    : []
  const keyed = idempotency === "key"
  const tagged = versioned && parameters.some((parameter) => parameter["name"] === "If-None-Match")
  const { requestBody } = operation
  const responses: Node = { ...nodeOf(operation["responses"]), ...(tagged ? { "304": {} } : {}) }
  return {
    ...operation,
    summary,
    description,
    "x-required-scopes": scopesOf(scopes),
    "x-required-role": role,
    "x-installed-apps": app,
    ...(typeof command === "string" ? { "x-command": command } : {}),
    parameters: keyed ? [...parameters, idempotencyKey] : parameters,
    security: credential === "none" ? [] : [{ apiKey: [] }, { bearerAuth: [] }],
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            ...withExample(requestBody, example.body),
            ...(body === "optional" ? { required: false } : {})
          }
        }),
    responses: mapValues(responses, (response, status) => ({
      ...withExample(
        response,
        status.startsWith("2") ? exampleAnswer(definition, Number(status)) : errorExamples[status]
      ),
      ...(meanings[status] === undefined ? {} : { description: meanings[status] }),
      headers: { ...headersOf(status, tagged), ...(keyed && isFinal(Number(status)) ? replayed : {}) }
    }))
  }
}

const securitySchemes: Node = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
  bearerAuth: { type: "http", scheme: "bearer" }
}

const blocks = ["sourceConfig", "destinationConfig", "fieldMappings", "dataTypeOptions", "extractionConfig", "schedule"]

/** Blocks of a feed are decoded by the kernel; they have the shapes that feeds show, and null clears them. */
const withBlocks = (schemas: Node): Node => {
  const shown = nodeOf(nodeOf(schemas["Feed"])["properties"])
  const shapes = Object.fromEntries(
    blocks.flatMap((block) => (block in shown ? [[block, { anyOf: [shown[block], { type: "null" }] }]] : []))
  )
  const complete = (name: string): Node => {
    const body = nodeOf(schemas[name])
    return { [name]: { ...body, properties: { ...nodeOf(body["properties"]), ...shapes } } }
  }
  return { ...schemas, ...complete("CreateFeed"), ...complete("UpdateFeed") }
}

/** A field with a default is taken for one that is always there by generators of types; descriptions tell it instead. */
const withoutDefaults = (value: unknown): unknown =>
  mapNodes(value, (node) => ("default" in node && typeof node["type"] === "string" ? omit(node, "default") : node))

const tagsOf = ({ nouns, operations }: Served): ReadonlyArray<Node> =>
  Object.entries(nouns)
    .filter(([noun]) => Object.values(operations).some((one) => one.noun === noun))
    .map(([name, description]) => ({ name, description }))

/** Applied to what the generator makes of the contract. */
export const toDocument =
  (served: Served) =>
  (generated: Node): Node => {
    const document = nodeOf(flat(withoutDefaults(relabel(generated))))
    const components = nodeOf(document["components"])
    const described = Object.fromEntries(
      Object.entries(nodeOf(components["schemas"])).map(([name, schema]) => [
        plainName(name),
        ownShapes[plainName(name)] ?? schema
      ])
    )
    const named = nameEnvelopes(
      mapValues(nodeOf(document["paths"]), (path) =>
        mapValues(nodeOf(path), (one) => operationOf(one, served.operations))
      )
    )
    const { paths, schemas } = openAnswers(named.paths, { ...withBlocks(described), ...named.schemas })
    return {
      ...document,
      servers: [{ url: "/", description: "The server that this document comes from." }],
      tags: tagsOf(served),
      paths,
      components: { ...components, schemas: withClosed(schemas), securitySchemes }
    }
  }
