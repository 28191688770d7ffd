import { describe, expect, it } from "vitest"
import { filterOperators } from "../../core/src/filter/FilterOperator.ts"
import { bundledCollections } from "@millrace/core/collection"
import { operations, pathOf, type Sample } from "./fakes/Operations.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make()
const document = (await server.call("GET", "/openapi.json", { anonymous: true })).body

const resolve = (pointer: string): Server.Loose =>
  pointer
    .slice(2)
    .split("/")
    .reduce((node, key) => node?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], document)

const nodes = function* (node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== "object" || node === null) return
  if (!Array.isArray(node)) yield node as Record<string, unknown>
  for (const value of Object.values(node)) yield* nodes(value)
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

/** Faults of a value against the part of JSON Schema that the document uses. */
const faultsOf = (schema: Server.Loose, value: Server.Loose, path: string): ReadonlyArray<string> => {
  if (schema.$ref !== undefined) return faultsOf(resolve(schema.$ref), value, path)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) {
    const fits = alternatives.some((one: unknown) => faultsOf(one, value, path).length === 0)
    return fits ? [] : [`${path} fits no alternative`]
  }
  const faults: Array<string> = []
  const type = typeOf(value)
  if (schema.type !== undefined && schema.type !== type && !(schema.type === "number" && type === "integer")) {
    return [`${path} is ${type}, not ${schema.type}`]
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) faults.push(`${path} is not in the enumeration`)
  for (const part of schema.allOf ?? []) faults.push(...faultsOf(part, value, path))
  if (type === "array" && schema.items !== undefined) {
    value.forEach((item: unknown, at: number) => faults.push(...faultsOf(schema.items, item, `${path}[${at}]`)))
  }
  if (type === "object") {
    for (const key of schema.required ?? []) if (!(key in value)) faults.push(`${path}.${key} is missing`)
    for (const [key, item] of Object.entries(value)) {
      const own = schema.properties?.[key] ?? schema.additionalProperties
      if (own !== undefined) faults.push(...faultsOf(own, item, `${path}.${key}`))
    }
  }
  return faults
}

const described = (sample: Sample) => document.paths[sample.template]?.[sample.method.toLowerCase()]

/** Everything that some parts of the document lead to. */
const reachedFrom = (start: ReadonlyArray<unknown>) => {
  const seen = new Set<unknown>()
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return
    seen.add(node)
    const { $ref: ref } = node as { readonly $ref?: string }
    if (ref !== undefined) walk(resolve(ref))
    Object.values(node).forEach(walk)
  }
  start.forEach(walk)
  return [...seen] as ReadonlyArray<Server.Loose>
}

const query = (id: string, name: string) => {
  const { parameters } = described(operations.find((one) => one.id === id)!)
  return parameters.find((one: { name: string }) => one.name === name).schema
}

describe("the OpenAPI document", () => {
  it("says how a request can end before it reaches an operation", () => {
    for (const status of [400, 408, 414, 417, 431, 503]) {
      expect(document.info.description).toMatch(new RegExp(`^- ${status}: .`, "m"))
    }
  })

  it("is 3.1 and says so, with plain names for its components", () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info.version).toBe("1.0.0")
    expect(Object.keys(document.components.securitySchemes)).toEqual(["apiKey", "bearerAuth"])
    expect(Object.keys(document.components.schemas).filter((name) => /Encoded|\d$/.test(name))).toEqual([])
    expect(document.components.schemas.Decimal).toMatchObject({ type: "number" })
  })

  it("has exactly the operations that are served", () => {
    const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId)
    )
    // What nobody calls with a credential is no sample of requests that have one; collections are tried in Collection.test.
    const others = [
      "receiveProviderWebhook",
      ...bundledCollections.flatMap(({ surface }) => Object.keys(surface.entries))
    ]
    expect(ids.toSorted()).toEqual([...operations.map(({ id }) => id), ...others].toSorted())
  })

  it("resolves every reference", () => {
    for (const node of nodes(document)) {
      if (typeof node["$ref"] === "string") expect(resolve(node["$ref"]), node["$ref"]).toBeDefined()
    }
  })

  it("leaves answers open for more properties, but for who did something, which is told apart by its fields", () => {
    const { ActorRef, ...others } = document.components.schemas
    for (const node of nodes({ ...document, components: { schemas: others } })) {
      expect(node["additionalProperties"]).not.toBe(false)
    }
    for (const one of ActorRef.anyOf) expect(one.additionalProperties).toBe(false)
  })

  it.each(operations)("describes $id as it is", async (sample) => {
    const operation = described(sample)
    expect(operation.operationId).toBe(sample.id)
    expect(operation["x-required-scopes"]).toEqual(sample.scopes)
    expect(operation.summary).toMatch(/\w/)
    expect(operation.security).toEqual([{ apiKey: [] }, { bearerAuth: [] }])
    const named = (place: string) =>
      operation.parameters.filter((one: { in: string }) => one.in === place).map((one: { name: string }) => one.name)
    expect(named("path")).toEqual([...sample.template.matchAll(/\{(\w+)\}/g)].map((found) => found[1]))
    expect(named("query").toSorted()).toEqual(Object.keys(sample.query ?? {}).toSorted())
    for (const status of ["400", "401", "403", "429", "500", "503"]) {
      expect(operation.responses[status].content["application/json"].schema).toEqual({
        $ref: "#/components/schemas/ApiError"
      })
    }
    expect("404" in operation.responses).toBe(sample.template.includes("{"))
    expect(operation.responses["429"].headers).toHaveProperty("Retry-After")
    expect("requestBody" in operation).toBe(sample.body !== undefined || sample.file === true)
  })

  it.each(operations)("describes what $id answers", async (sample) => {
    const form = new FormData()
    form.append("file", new Blob(["x"]), "x.csv")
    const answer =
      sample.file === true
        ? await server.call(sample.method, pathOf(sample.template), { body: form })
        : sample.body === undefined
          ? await server.call(sample.method, pathOf(sample.template))
          : await server.json(sample.method, pathOf(sample.template), sample.body)
    const schema = described(sample).responses[String(answer.status)].content["application/json"].schema
    expect(faultsOf(schema, answer.body, "body")).toEqual([])
    const refused = await server.call(sample.method, pathOf(sample.template), { anonymous: true })
    const error = described(sample).responses["401"].content["application/json"].schema
    expect(faultsOf(error, refused.body, "body")).toEqual([])
  })

  it.each(operations)("says what $id promises, what each parameter means, and how it looks", (sample) => {
    const operation = described(sample)
    const sentence = /^[A-Z`].{15,}\.$/s
    expect(operation.description).toMatch(sentence)
    for (const { description, in: place, name, schema } of operation.parameters) {
      expect(description, `${place} ${name}`).toMatch(/^[A-Z`].{8,}\.$/s)
      if (name === "limit") expect(schema).toMatchObject({ type: "integer", minimum: 1 })
    }
    const answered = operation.responses[String(sample.status)].content["application/json"]
    expect(faultsOf(answered.schema, answered.example, "answer")).toEqual([])
    expect(answered.schema.$ref, "the answer has a name").toMatch(/\/\w+(?:List|Answer)$/)
    if (sample.body !== undefined) {
      const { example, schema } = operation.requestBody.content["application/json"]
      expect(example).toBeDefined()
      expect(faultsOf(schema, example, "body")).toEqual([])
    }
    for (const [status, response] of Object.entries<Server.Loose>(operation.responses)) {
      if (!status.startsWith("4") && !status.startsWith("5")) continue
      expect(
        faultsOf(response.content["application/json"].schema, response.content["application/json"].example, status)
      ).toEqual([])
      expect(response.content["application/json"].example.success).toBe(false)
    }
  })

  it.each(operations.filter(({ body }) => body !== undefined))("shows a body of $id that is taken", async (sample) => {
    const { example } = described(sample).requestBody.content["application/json"]
    const answer = await server.json(sample.method, pathOf(sample.template), example)
    // Records of the example need not be there; its shape and its meaning are right.
    expect([sample.status, 404], answer.text).toContain(answer.status)
  })

  it("has no default that would make a field of a request one that must be there", () => {
    const bodies = Object.values<Server.Loose>(document.paths).flatMap((path) =>
      Object.values<Server.Loose>(path).map(({ requestBody }) => requestBody)
    )
    const found = reachedFrom(bodies).filter((node) => "default" in node && typeof node["type"] === "string")
    expect(found).toEqual([])
    const { parameters } = described(operations.find((one) => one.id === "listRows")!)
    expect(parameters.find((one: { name: string }) => one.name === "limit").schema.default).toBe(100)
  })

  it("leaves enumerations of answers open, and names the values of those in requests", () => {
    const all = Object.values<Server.Loose>(document.paths).flatMap((path) => Object.values<Server.Loose>(path))
    const closed = reachedFrom(all.map(({ responses }) => responses)).filter(
      (node) => Array.isArray(node.enum) && node.enum.length > 1
    )
    expect(closed).toEqual([])
    const asked = reachedFrom(all.flatMap(({ parameters, requestBody }) => [parameters, requestBody]))
    expect(asked.filter((node) => "x-extensible-enum" in node)).toEqual([])
    expect(document.components.schemas.CreateFeed.properties.source.enum).toContain("upload")
    expect(document.components.schemas.Feed.properties.source).toMatchObject({
      type: "string",
      "x-extensible-enum": ["sync", "extractor", "upload"]
    })
  })

  it("lets null be sent where it clears", () => {
    const { properties } = document.components.schemas.UpdateFeed
    for (const name of ["icon", "sourceConfig", "destinationConfig", "fieldMappings", "dataTypeOptions", "schedule"]) {
      expect(faultsOf(properties[name], null, name), name).toEqual([])
    }
    expect(faultsOf(properties.name, null, "name")).not.toEqual([])
    expect(faultsOf(document.components.schemas.UpdateTable.properties.description, null, "x")).toEqual([])
  })

  it("names the server that it comes from, and describes every group of operations", () => {
    expect(document.servers[0].url).toBe("/")
    const used = new Set(
      Object.values<Server.Loose>(document.paths).flatMap((path) =>
        Object.values<Server.Loose>(path).flatMap(({ tags }) => tags)
      )
    )
    const named = document.tags.map(({ name }: { name: string }) => name)
    expect(named.toSorted()).toEqual([...used].toSorted())
    for (const { description } of document.tags) expect(description).toMatch(/\.$/)
  })

  it("tells sizes, flags and blocks for what they are", () => {
    expect(query("listTransactions", "limit")).toMatchObject({ type: "integer", minimum: 1, maximum: 500 })
    expect(query("listJobs", "limit")).toMatchObject({ maximum: 100 })
    expect(query("listTransactions", "cached")).toEqual({ type: "boolean" })
    expect(query("listTransactions", "minAmount")).toEqual({ type: "number" })
    expect(resolve(query("listBanks", "scope").$ref)).toMatchObject({ enum: ["self", "family"] })
    expect(document.components.schemas.CreateFeed.properties.schedule.anyOf[0]).toMatchObject({ type: "object" })
    for (const id of ["triggerSync", "queryRows"]) {
      expect(described(operations.find((one) => one.id === id)!).requestBody.required).toBe(false)
    }
    expect(query("listTables", "trashed")).toEqual({ type: "boolean" })
    expect(query("deleteTable", "permanent")).toEqual({ type: "boolean" })
  })

  it("describes filters as a tree, for queries and bodies alike", () => {
    const ref = { $ref: "#/components/schemas/FilterNode" }
    const { description, ...filter } = document.components.schemas.FilterNode
    expect(description).toContain("256")
    const [clause, group, not] = filter.anyOf
    expect(clause.required).toEqual(["field", "op"])
    expect(clause.properties.op.enum).toEqual(filterOperators)
    expect(group).toMatchObject({
      properties: { logic: { enum: ["and", "or"] }, conditions: { type: "array", items: ref } },
      required: ["logic", "conditions"]
    })
    expect(not).toMatchObject({ properties: { logic: { enum: ["not"] }, condition: ref } })
    expect(document.components.schemas.QueryRows.properties.filter).toEqual(ref)
    const { parameters } = described(operations.find((one) => one.id === "listRows")!)
    const parameter = parameters.find((one: { name: string }) => one.name === "filter")
    expect(parameter.schema).toEqual({ type: "string" })
    expect(faultsOf(ref, { logic: "not", condition: { logic: "or", conditions: [] } }, "filter")).toEqual([])
    expect(faultsOf(ref, { logic: "and", conditions: [{ field: "a", op: "like" }] }, "filter")).not.toEqual([])
  })

  it("can be read as a page that needs no other host", async () => {
    const page = await server.call("GET", "/docs", { anonymous: true })
    expect(page.headers.get("content-type")).toContain("text/html")
    expect(page.text).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="https?:/)
    const slashed = await server.call("GET", "/docs/", { anonymous: true })
    expect([slashed.status, slashed.text]).toEqual([200, page.text])
    expect((await server.call("GET", "/favicon.ico", { anonymous: true })).headers.get("content-type")).toBe(
      "image/x-icon"
    )
  })

  it("has no script inside of the page, and offers no services of others", async () => {
    const page = await server.call("GET", "/docs", { anonymous: true })
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self';")
    const scripts = [...page.text.matchAll(/<script([^>]*)>([^<]*)/g)]
    expect(scripts.map(([, attributes, text]) => [attributes, text])).toEqual([
      [' src="/docs/scalar.js"', ""],
      [' src="/docs/start.js"', ""]
    ])
    const start = await server.call("GET", "/docs/start.js", { anonymous: true })
    expect(start.headers.get("content-type")).toContain("text/javascript")
    for (const setting of ['"showDeveloperTools":"never"', '"hideClientButton":true', '"telemetry":false']) {
      expect(start.text).toContain(setting)
    }
  })
})
