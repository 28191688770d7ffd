import * as HttpApi from "effect/http-api/HttpApi"
import * as SchemaAST from "effect/SchemaAST"
import { describe, expect, it } from "vitest"
import { type Operation, operations } from "@millrace/core/access"
import { Api } from "../src/api/Api.ts"

interface Endpoint {
  readonly noun: string
  readonly method: string
  readonly hasBody: boolean
  readonly isVersioned: boolean
}

const served = Object.values<Operation>(operations)

const endpoints = new Map<string, Endpoint>()
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group }) => {
    const ast = endpoint.headers?.ast
    const names = ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => name) : []
    endpoints.set(endpoint.identifier, {
      noun: group.identifier,
      method: endpoint.method,
      hasBody: endpoint.payload.size > 0,
      isVersioned: names.some((name) => name === "if-match" || name === "if-none-match")
    })
  }
})

/** What the catalogue says of an operation, as far as its endpoint shows it. */
const shown = ({ body, noun, versioned }: Operation) => ({
  noun,
  // Raw bytes are of no shape.
  hasBody: body !== "none" && body !== "raw",
  isVersioned: versioned
})

describe("the catalogue of operations and the endpoints of the API", () => {
  it("name the same operations", () => {
    expect([...endpoints.keys()].toSorted()).toEqual(served.map(({ id }) => id).toSorted())
  })

  it.each(served)("agree on $id", (operation) => {
    const { method, ...endpoint } = endpoints.get(operation.id)!
    expect(endpoint).toEqual(shown(operation))
    const expected: ReadonlyArray<Operation["idempotency"]> =
      method === "GET" ? ["read"] : method === "POST" ? ["key", "read", "inherent"] : ["inherent"]
    expect(expected).toContain(operation.idempotency)
  })
})
