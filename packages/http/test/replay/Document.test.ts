/** The document of the API, a line for each operation and each schema. `vitest -u` writes down what it says now. */
import { expect, it } from "vitest"
import { expectGolden } from "./Golden.ts"
import { makeWorld } from "./World.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The same with names in order. */
const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((one: Json) => sorted(one))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name]!)])
  )
}

/** Objects down to that depth have a line for each name. */
const linesOf = (value: Json, depth: number, indent = ""): string => {
  if (depth === 0 || !isObject(value)) return JSON.stringify(value)
  const inner = `${indent} `
  const lines = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${linesOf(one, depth - 1, inner)}`
  )
  return `{\n${lines.join(",\n")}\n${indent}}`
}

it("documents the API as it was recorded", async () => {
  const world = await makeWorld()
  const { status, text } = await world.send({ method: "GET", path: "/openapi.json" })
  await world.dispose()
  expect(status).toBe(200)
  await expectGolden("openapi.json", `${linesOf(sorted(JSON.parse(text) as Json), 3)}\n`)
})
