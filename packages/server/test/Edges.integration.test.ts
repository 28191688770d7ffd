/** Generated from the OpenAPI document: numbers at the edges of what is stored, and every literal that may be sent. */
import { limits } from "@millrace/core"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { startTableServer, type Loose, type TableServer } from "./tableServer.ts"

let server: TableServer
let document: Loose
let ids: Readonly<Record<string, string>>

beforeAll(async () => {
  server = await startTableServer(inject("postgres"))
  document = (await server.call("/openapi.json")).body
  const table = await server.get("", { json: { name: "T", fields: [{ name: "A", type: "number" }] } })
  const [row] = await server.get(`/${table.id}/rows`, { json: { rows: [{ values: { a: 1 } }] } })
  const feed = await server.call("/v1/feeds", { json: { name: "F", source: "sync", dataType: "transactions" } })
  ids = { table_id: table.id, field_id: table.fields[0].id, row_id: row.id, feed_id: feed.body.data.id }
})
afterAll(() => server?.stop())

type Path = ReadonlyArray<string | number>

const resolved = (schema: Loose): Loose =>
  schema?.$ref === undefined
    ? schema
    : schema.$ref
        .slice(2)
        .split("/")
        .reduce((node: Loose, key: string) => node[key], document)

interface Place {
  readonly path: Path
  readonly schema: Loose
}

/** Where whole numbers and literals may stand; recursion ends where a schema comes again. */
const placesOf = (given: Loose, path: Path, above: ReadonlyArray<unknown> = []): ReadonlyArray<Place> => {
  const schema = resolved(given)
  if (typeof schema !== "object" || schema === null || above.includes(schema)) return []
  const inner = [...above, schema]
  return [
    ...(schema.type === "integer" || schema.enum !== undefined ? [{ path, schema }] : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
      (schema[key] ?? []).flatMap((one: Loose) => placesOf(one, path, inner))
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, one]) => placesOf(one, [...path, key], inner)),
    ...(schema.items === undefined ? [] : placesOf(schema.items, [...path, 0], inner))
  ]
}

const withValue = (node: Loose, [key, ...rest]: Path, value: unknown): Loose => {
  if (key === undefined) return value
  if (typeof key === "number") return [withValue(Array.isArray(node) ? node[0] : undefined, rest, value)]
  return { ...node, [key]: withValue(node?.[key], rest, value) }
}

/** Edges of the columns in which whole numbers are stored, and of what the schema allows. */
const edgesOf = ({ maximum, minimum }: Loose): ReadonlyArray<number> => [
  ...new Set([
    ...[32_767, limits.largestInteger, Number.MAX_SAFE_INTEGER].flatMap((at) => [at, at + 1, -at, -at - 1, -at - 2]),
    ...(minimum === undefined ? [] : [minimum - 1, minimum]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    0
  ])
]

const valuesOf = ({ schema }: Place): ReadonlyArray<string | number> => schema.enum ?? edgesOf(schema)

const isOutside = ({ maximum, minimum, type }: Loose, value: unknown): boolean =>
  type === "integer" && typeof value === "number" && (value < minimum || value > maximum)

interface Operation {
  readonly method: string
  readonly template: string
  readonly described: Loose
}

/** Those that take something away come last. */
const operations = (): ReadonlyArray<Operation> =>
  Object.entries(document.paths as Record<string, Record<string, Loose>>)
    .flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), template, described }))
    )
    .filter(({ template }) => template.startsWith("/v1/"))
    .toSorted((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"))

const pathOf = (template: string): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `x_${"0".repeat(26)}`)

describe("every whole number and every literal that a request may hold", () => {
  it("is stored or refused: none is too large for its place, and none is unknown inside", async () => {
    let sent = 0
    for (const { described, method, template } of operations()) {
      const body = described.requestBody?.content?.["application/json"]
      const example = body?.example ?? (Object.values(body?.examples ?? {})[0] as Loose)?.value ?? {}
      for (const place of body === undefined ? [] : placesOf(body.schema, [])) {
        for (const value of valuesOf(place)) {
          const json = withValue(example, place.path, value)
          const told = await server.call(pathOf(template), { method, json })
          const what = `${method} ${template} ${place.path.join(".")}=${value}: ${told.text}`
          sent++
          expect(told.status, what).not.toBe(500)
          // 501: a destination that this server does not have.
          expect(told.status, what).toBeLessThan(502)
          if (isOutside(place.schema, value)) expect([400, 404, 422], what).toContain(told.status)
        }
      }
      for (const parameter of described.parameters ?? []) {
        if (parameter.in !== "query") continue
        for (const place of placesOf(parameter.schema, []))
          for (const value of valuesOf(place)) {
            const path = `${pathOf(template)}?${parameter.name}=${encodeURIComponent(value)}`
            const told = await server.call(path, { method })
            sent++
            expect(told.status, `${method} ${path}: ${told.text}`).toBeLessThan(500)
          }
      }
    }
    expect(sent).toBeGreaterThan(200)
  })

  it("leaves room behind the largest order", async () => {
    const feed = { name: "F", source: "sync", dataType: "transactions" }
    const last = await server.call("/v1/feeds", { json: { ...feed, order: limits.largestInteger } })
    expect([last.status, last.body.data.order]).toEqual([201, limits.largestInteger])
    const next = await server.call("/v1/feeds", { json: feed })
    expect([next.status, next.body.data.order], next.text).toEqual([201, limits.largestInteger])
    for (const order of [limits.largestInteger + 1, -limits.largestInteger - 2]) {
      const refused = await server.call("/v1/feeds", { json: { ...feed, order } })
      expect([refused.status, refused.body.details[0].field]).toEqual([400, "order"])
    }
  })
})
