/** The OpenAPI document: what the generator cannot know is put in here (decisions 1.12 and 1.13). */
import * as Schema from "effect/Schema"
import { FilterNode } from "@millrace/core/filter/FilterNode"
import { limits } from "@millrace/core/shared/Limits"
import type { PageSize } from "@millrace/core/shared/Page"
import { amountComponent } from "./api/Amount.ts"
import { familyScopeComponent } from "./api/Family.ts"
import { filterComponent } from "./api/Filter.ts"

type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

const omit = (node: Node, name: string): Node => {
  const { [name]: _, ...rest } = node
  return rest
}

const mapValues = (node: Node, change: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]))

const componentRef = (name: string): Node => ({ $ref: `#/components/schemas/${name}` })

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
const described: Readonly<Record<string, Node>> = {
  [amountComponent]: { type: "number", description: "An exact decimal: no exponent, no trailing zeros." },
  [familyScopeComponent]: { type: "string", enum: ["self", "family"], default: "self" },
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

const headersOf = (status: string, versioned: boolean): Node => ({
  ...everywhere,
  ...(status === "401" ? challenge : metered),
  ...(status === "429" || status === "503" ? retryAfter : {}),
  ...(versioned && (status === "200" || status === "304") ? etag : {})
})

const headerNames: Readonly<Record<string, string>> = { "if-match": "If-Match", "if-none-match": "If-None-Match" }

const pageSizes: Readonly<Record<string, PageSize>> = {
  listTransactions: limits.transactionsPage,
  listTrades: limits.tradesPage,
  listJobs: limits.jobsPage,
  listRows: limits.page
}

const flag: Node = { type: "boolean" }
const decimal: Node = { type: "number" }

/** What the text of a query parameter stands for. */
const parameterSchemas: Readonly<Record<string, Node>> = {
  pending: flag,
  cached: flag,
  trashed: flag,
  permanent: flag,
  minAmount: decimal,
  maxAmount: decimal
}

const schemaOf = (operationId: string, name: string): Node | undefined => {
  if (name !== "limit") return parameterSchemas[name]
  const size = pageSizes[operationId]
  return size === undefined
    ? undefined
    : {
        type: "integer",
        minimum: 1,
        default: size.default,
        description: `More than ${size.max} is taken for ${size.max}.`
      }
}

/** What is said of query parameters beside their schema. */
const parameterNotes: Readonly<Record<string, string>> = {
  sort: `At most ${limits.rowSortFields} keys of fields, separated by commas; \`-\` before one to descend.`,
  fields: "Keys of the only cells to answer, separated by commas.",
  filter: `A filter as JSON, at most ${limits.filterParameterBytes} bytes. Longer ones can be posted.`,
  trashed: "Those in the trash instead.",
  permanent: "Delete for good what is in the trash."
}

const parameterOf = (operationId: string, value: unknown): unknown => {
  const given = nodeOf(value)
  const name = String(given["name"])
  if (given["in"] === "header") return { ...given, name: headerNames[name] ?? name }
  const note = given["in"] === "query" ? parameterNotes[name] : undefined
  const parameter = note === undefined ? given : { ...given, description: note }
  if (name === "filter") {
    return { ...omit(parameter, "schema"), content: { "application/json": { schema: componentRef(filterComponent) } } }
  }
  const schema = parameter["in"] === "query" ? schemaOf(operationId, name) : undefined
  return schema === undefined ? parameter : { ...parameter, schema }
}

/** Descriptions of statuses whose schema is the one of all errors. */
const meanings: Readonly<Record<string, string>> = {
  "200": "Success",
  "201": "Created",
  "400": "The request has the wrong shape",
  "401": "The credential is missing or not valid",
  "403": "The credential, the role or the plan does not allow it",
  "404": "Not found",
  "409": "The present state does not allow it",
  "412": "The record has changed",
  "413": "The body is too large",
  "415": "The content type is not supported",
  "422": "The shape is right, the meaning is not",
  "429": "Rate limit exceeded",
  "500": "Something went wrong",
  "501": "Not available in this environment",
  "503": "Temporarily unavailable, or the bank must be reconnected"
}

const optionalBodies: ReadonlySet<string> = new Set(["triggerSync", "queryRows"])

const operationOf = (value: unknown): Node => {
  const operation = nodeOf(value)
  const operationId = String(operation["operationId"])
  const parameters = Array.isArray(operation["parameters"])
    ? operation["parameters"].map((parameter) => parameterOf(operationId, parameter))
    : []
  const versioned = parameters.some((parameter) => nodeOf(parameter)["name"] === "If-None-Match")
  const responses: Node = {
    ...nodeOf(operation["responses"]),
    ...(versioned ? { "304": { description: "The version of If-None-Match is the present one" } } : {})
  }
  const optionalBody = nodeOf(operation["requestBody"])
  return {
    ...operation,
    parameters,
    security: [{ apiKey: [] }, { bearerAuth: [] }],
    ...(optionalBodies.has(operationId) ? { requestBody: { ...optionalBody, required: false } } : {}),
    responses: mapValues(responses, (response, status) => ({
      ...nodeOf(response),
      ...(meanings[status] === undefined ? {} : { description: meanings[status] }),
      headers: headersOf(status, versioned)
    }))
  }
}

const securitySchemes: Node = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
  bearerAuth: { type: "http", scheme: "bearer" }
}

const blocks = ["sourceConfig", "destinationConfig", "fieldMappings", "dataTypeOptions", "schedule"]

/** Blocks of a feed are decoded by the kernel; they have the shapes that feeds show. */
const withBlocks = (schemas: Node): Node => {
  const shown = nodeOf(nodeOf(schemas["Feed"])["properties"])
  const shapes = Object.fromEntries(blocks.flatMap((block) => (block in shown ? [[block, shown[block]]] : [])))
  const complete = (name: string): Node => {
    const body = nodeOf(schemas[name])
    return { [name]: { ...body, properties: { ...nodeOf(body["properties"]), ...shapes } } }
  }
  return { ...schemas, ...complete("CreateFeed"), ...complete("UpdateFeed") }
}

/** Applied to what the generator makes of the contract. */
export const toDocument = (generated: Node): Node => {
  const document = nodeOf(relabel(generated))
  const components = nodeOf(document["components"])
  const schemas = Object.fromEntries(
    Object.entries(nodeOf(components["schemas"])).map(([name, schema]) => [
      plainName(name),
      described[plainName(name)] ?? schema
    ])
  )
  return {
    ...document,
    paths: mapValues(nodeOf(document["paths"]), (path) => mapValues(nodeOf(path), operationOf)),
    components: { ...components, schemas: withBlocks(schemas), securitySchemes }
  }
}
