import { describe, expect, it } from "vitest"
import * as Routes from "../src/request/Routes.ts"

const route = (method: string, path: string): Routes.Route => ({
  id: `${method} ${path}`,
  method,
  segments: path.slice(1).split("/"),
  operation: undefined,
  paged: { query: false, body: false }
})
const routes = [route("GET", "/v1/things/:id"), route("GET", "/v1/things/kinds"), route("POST", "/v1/things/kinds")]

describe("routes", () => {
  it("lets fixed segments win over parameters, whatever their order", () => {
    for (const table of [routes, routes.toReversed()]) {
      const match = Routes.matcher(table)
      expect(match("GET", "/v1/things/kinds")?.route?.id).toBe("GET /v1/things/kinds")
      expect(match("HEAD", "/v1/things/kind")?.route?.id).toBe("GET /v1/things/:id")
      expect(match("DELETE", "/v1/things/kinds")).toMatchObject({ route: undefined })
      expect(match("POST", "/v1/things/1")).toEqual({ route: undefined, allow: "GET, HEAD, OPTIONS" })
    }
  })

  it("knows no other spelling of a path", () => {
    for (const path of [
      "/v1/things/",
      "/v1/things",
      "/v1//things/1",
      "/v1/Things/1",
      "/v1/things/1/",
      "/v1/thing%73/1",
      ""
    ]) {
      expect(Routes.matcher(routes)("GET", path), path).toBeUndefined()
    }
  })

  it("goes back to a parameter where the fixed segment leads nowhere", () => {
    const match = Routes.matcher([route("GET", "/v1/a/b"), route("GET", "/v1/:x/c"), route("GET", "/v1/:x/:y/d")])
    expect(match("GET", "/v1/a/c")?.route?.id).toBe("GET /v1/:x/c")
    expect(match("GET", "/v1/a/b/d")?.route?.id).toBe("GET /v1/:x/:y/d")
    expect(match("GET", "/v1/a/b/e")).toBeUndefined()
    expect(match("GET", "/v1/a")).toBeUndefined()
  })

  it("hands parameters that can be no id to the router as a dash", () => {
    const only = routes[0]!
    expect(Routes.routable(only, "/v1/things/ok-1")).toBe("/v1/things/ok-1")
    expect(Routes.routable(only, "/v1/things/%e2%82%ac")).toBe("/v1/things/%e2%82%ac")
    for (const bad of ["%zz", "%ff", "%", "a".repeat(101)])
      expect(Routes.routable(only, `/v1/things/${bad}`)).toBe("/v1/things/-")
  })
})
