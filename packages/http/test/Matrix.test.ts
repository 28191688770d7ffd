/** Generated: every operation against every way to ask for it wrongly (decisions 2.1 and 3). */
import { afterAll, describe, expect, it } from "vitest"
import { allScopes } from "@millrace/core/access"
import { operations, pathOf, type Sample } from "./fakes/Operations.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make()
afterAll(() => server.dispose())

const bodyOf = (sample: Sample): string | FormData | undefined => {
  if (sample.file === true) {
    const form = new FormData()
    form.append("file", new Blob(["a,b"]), "march.csv")
    return form
  }
  return sample.body === undefined ? undefined : JSON.stringify(sample.body)
}

const call = (
  to: Server.Server,
  sample: Sample,
  change: { path?: string; headers?: Record<string, string>; anonymous?: boolean; method?: string } = {}
) => {
  const body = bodyOf(sample)
  const method = change.method ?? sample.method
  return to.call(method, change.path ?? pathOf(sample.template), {
    ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body }),
    ...(change.headers === undefined ? {} : { headers: change.headers }),
    ...(change.anonymous === undefined ? {} : { anonymous: change.anonymous })
  })
}

const expectError = (answer: Server.Answered, status: number, code: string) => {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect(answer.body).toMatchObject({ success: false, code, referenceId: answer.headers.get("x-request-id") })
  expect(answer.body.error).toMatch(/^.{5,}$/)
  expect(answer.headers.get("cache-control")).toBe("no-store")
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
}

/** Sentences of people: nothing that a schema is written with, and no name that only our own code has. */
const expectWords = (answer: Server.Answered) => {
  for (const { message } of answer.body.details ?? []) {
    expect(message, answer.text).toMatch(/^(?:must|is|has) /)
    expect(message, answer.text).not.toMatch(
      /Expected|readonly|Missing|Unexpected|[{}<>|]|must must|\b[A-Z][a-z]+[A-Z]\w*/
    )
  }
}

const isServed = (path: string, by?: Sample["method"]): boolean =>
  operations.some(
    ({ method, template }) =>
      (by === undefined || by === method) && new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path)
  )

const fieldsOf = (answer: Server.Answered): ReadonlyArray<string> =>
  (answer.body.details as ReadonlyArray<{ field: string }>).map((detail) => detail.field)

describe.each(operations)("$id", (sample) => {
  it("answers a right request", async () => {
    const answer = await call(server, sample)
    expect(answer.status, answer.text).toBe(sample.status)
    expect(answer.body.success).toBe(true)
    expect(answer.text).not.toContain("SECRET")
    expect(answer.headers.get("x-ratelimit-policy")).toBe("30;w=60")
  })

  it("refuses to answer without a credential, or with a bad, a foreign or two", async () => {
    const missing = await call(server, sample, { anonymous: true })
    expectError(missing, 401, "MISSING_CREDENTIAL")
    expect(missing.headers.get("www-authenticate")).toContain("Bearer")
    expect(missing.headers.get("x-ratelimit-limit")).toBeNull()
    expectError(await call(server, sample, { headers: { "x-api-key": "mill_bad" } }), 401, "INVALID_CREDENTIAL")
    const token = await call(server, sample, { anonymous: true, headers: { authorization: "Bearer abc" } })
    expectError(token, 401, "INVALID_CREDENTIAL")
    expect(token.body.error).toBe("Invalid or expired token")
    expectError(await call(server, sample, { headers: { authorization: "Bearer abc" } }), 401, "CREDENTIAL_AMBIGUOUS")
  })

  it("needs exactly its scopes", async () => {
    for (const scope of sample.scopes) {
      const holder = Server.make({ scopes: [scope] })
      expect((await call(holder, sample)).status).toBe(sample.status)
    }
    const others = Server.make({ scopes: allScopes.filter((scope) => !sample.scopes.includes(scope)) })
    const answer = await call(others, sample)
    if (sample.scopes.length === 0) return expect(answer.status).toBe(200)
    expectError(answer, 403, "INSUFFICIENT_SCOPE")
    expect(answer.body.error).toBe(`Missing scope: ${sample.scopes.join(" or ")}`)
    expect(answer.body.details.map((detail: { message: string }) => detail.message)).toEqual(sample.scopes)
  })

  it("is closed to plans without API access, whoami excepted", async () => {
    const free = await call(Server.make({ workspace: { plan: "free" } }), sample)
    if (sample.id === "whoami") return expect(free.status).toBe(200)
    expectError(free, 403, "PLAN_WITHOUT_API_ACCESS")
    expect(free.headers.get("x-ratelimit-limit")).toBe("10")
  })

  it("names the methods of its path for a method it does not have", async () => {
    const methods = operations.filter(({ template }) => template === sample.template).map(({ method }) => method)
    const wrong = (["GET", "POST", "PUT", "DELETE", "PATCH"] as const).filter(
      (method) => !(methods as ReadonlyArray<string>).includes(method)
    )
    for (const method of wrong) {
      const answer = await server.call(method, pathOf(sample.template))
      expectError(answer, 405, "METHOD_NOT_ALLOWED")
      const allowed = answer.headers.get("allow")?.split(", ") ?? []
      expect(allowed).toEqual(expect.arrayContaining([...methods, "OPTIONS"]))
      expect(allowed.includes("HEAD")).toBe(methods.includes("GET"))
    }
    const options = await server.call("OPTIONS", pathOf(sample.template), { anonymous: true })
    expect([options.status, options.text]).toEqual([204, ""])
    expect(options.headers.get("allow")?.split(", ")).toContain(sample.method)
  })

  it("has one 404 for malformed, unknown and foreign ids", async () => {
    for (const [, name] of sample.template.matchAll(/\{(\w+)\}/g)) {
      const unknown = (sample.template.includes(name!) ? pathOf("{" + name + "}") : "").replace(/.$/, "z")
      for (const id of [
        unknown,
        "x",
        "%00",
        "..%2f..",
        "%zz",
        "%ff",
        "a".repeat(120),
        "a".repeat(5_000),
        "ä",
        unknown.toUpperCase()
      ]) {
        const answer = await call(server, sample, { path: pathOf(sample.template, { [name!]: id }) })
        expectError(answer, 404, "NOT_FOUND")
        const resource = name!.replace("_id", "").replaceAll("_", " ")
        expect(answer.body.error).toBe(`${resource[0]!.toUpperCase()}${resource.slice(1)} not found`)
      }
    }
  })

  it("knows its path in one spelling only", async () => {
    const path = pathOf(sample.template)
    for (const other of [
      `${path}/`,
      path.replace("/v1/", "/v1//"),
      path.replace(/[a-z]+$/, (end) => end.toUpperCase())
    ]) {
      if (other === path) continue
      const answer = await call(server, sample, { path: other })
      // `query` in another case is the id of a row, which has other methods; the name of a data type is another name, and
      // `providers` in another case the id of a bank.
      const named = sample.template.endsWith("}") || isServed(other, sample.method)
      expect(answer.status, `${other} ${answer.text}`).toBe(isServed(other) && !named ? 405 : 404)
      expect(answer.body.success).toBe(false)
    }
  })

  it("accepts each documented parameter, and ignores what it does not know", async () => {
    for (const [name, values] of Object.entries(sample.query ?? {})) {
      for (const value of values) {
        const path = `${pathOf(sample.template)}?${name}=${encodeURIComponent(value)}`
        const answer = await call(server, sample, { path })
        expect(answer.status, `${path} ${answer.text}`).toBe(sample.status)
      }
    }
    const answer = await call(server, sample, { path: `${pathOf(sample.template)}?api_key=x&unknown=1&unknown=2` })
    expect(answer.status).toBe(sample.status)
  })

  if (sample.faults?.["cursor"] !== undefined) {
    it("ignores what is sent beside a cursor, wrong values too, but for what is about the page", async () => {
      const isBody = sample.body !== undefined
      for (const [field, values] of Object.entries(sample.faults ?? {})) {
        if (["cursor", "limit", "cached", "includeTotal"].includes(field)) continue
        const top = field.replace(/\[.*/, "")
        for (const value of values) {
          const answer = isBody
            ? await server.json(sample.method, pathOf(sample.template), {
                ...sample.body,
                [top]: value,
                cursor: "next"
              })
            : await call(server, sample, {
                path: `${pathOf(sample.template)}?${field}=${encodeURIComponent(String(value))}&cursor=next&${field}=x`
              })
          expect(answer.status, `${field}=${JSON.stringify(value)} ${answer.text}`).toBe(sample.status)
        }
      }
    })
  }

  it("refuses each wrong value, and says where it is", async () => {
    const isBody = sample.body !== undefined
    for (const [field, values] of Object.entries(sample.faults ?? {})) {
      const top = field.replace(/\[.*/, "")
      for (const value of values) {
        const answer = isBody
          ? await server.json(sample.method, pathOf(sample.template), { ...sample.body, [top]: value })
          : await call(server, sample, {
              path: `${pathOf(sample.template)}?${field}=${encodeURIComponent(String(value))}`
            })
        expect(answer.status, `${field}=${JSON.stringify(value)} ${answer.text}`).toBe(400)
        expect(fieldsOf(answer), answer.text).toEqual([field])
        expectWords(answer)
      }
    }
    for (const field of sample.required ?? []) {
      const rest = Object.fromEntries(Object.entries(sample.body ?? {}).filter(([key]) => key !== field))
      const answer = await server.json(sample.method, pathOf(sample.template), rest)
      expectError(answer, 400, "INVALID_REQUEST")
      expect(answer.body.details).toEqual([{ field, message: "is required" }])
    }
    for (const name of Object.keys(sample.query ?? {})) {
      const twice = `${pathOf(sample.template)}?${name}=1&${name}=2`
      const answer = await call(server, sample, { path: twice })
      expectError(answer, 400, "INVALID_REQUEST")
      expect(answer.body.details).toEqual([{ field: name, message: "must be given only once" }])
    }
  })

  it("reads its body strictly", async () => {
    if (sample.body === undefined) return
    const path = pathOf(sample.template)
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      server.call(sample.method, path, { body, headers: { "content-type": "application/json", ...headers } })
    const deep = `${"[".repeat(33)}${"]".repeat(33)}`
    expectError(await send("{"), 400, "INVALID_JSON")
    expectError(await send(`{"a":1,"a":2}`), 400, "INVALID_JSON")
    expectError(await send(`{"a":1} x`), 400, "INVALID_JSON")
    expectError(await send(deep), 400, "BODY_TOO_DEEP")
    expectError(await send(`{"name":"\\u0000"}`), 400, "INVALID_ENCODING")
    expectError(await send(`{"name":"\\ud800"}`), 400, "INVALID_ENCODING")
    expectError(await send(new Uint8Array([0x22, 0xff, 0x22])), 400, "INVALID_ENCODING")
    for (const shape of ["[]", "1", "null", `"x"`]) {
      const answer = await send(shape)
      expectError(answer, 400, "INVALID_REQUEST")
      expect(answer.body.details).toEqual([{ message: "the request must be an object" }])
    }
    // Every field with values of every sort: what is wrong is told in words, at its place.
    for (const field of Object.keys(sample.body))
      for (const value of [null, true, -1.5, 1e300, "", "x".repeat(3_000), [], [[]], [null], {}, { a: 1 }]) {
        const answer = await send(JSON.stringify({ ...sample.body, [field]: value }))
        if (answer.status === 400 && answer.body.code === "INVALID_REQUEST") {
          expectWords(answer)
          for (const place of fieldsOf(answer)) expect(place.startsWith(field), answer.text).toBe(true)
        }
      }
    expectError(
      await send("a=1", { "content-type": "application/x-www-form-urlencoded" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE"
    )
    expectError(await send("{}", { "content-type": "application/json; charset=latin1" }), 415, "UNSUPPORTED_MEDIA_TYPE")
    expectError(await send("{}", { "content-encoding": "gzip" }), 415, "UNSUPPORTED_MEDIA_TYPE")
    const large = await send(`{"name":"${"x".repeat(1_048_576)}"}`)
    expectError(large, 413, "BODY_TOO_LARGE")
    const plain = JSON.stringify(sample.body)
    for (const type of [
      "application/json; charset=utf-8",
      "application/json;charset=utf8",
      'application/json; charset="UTF-8"',
      "application/vnd.x+json",
      "APPLICATION/JSON"
    ]) {
      expect((await send(plain, { "content-type": type })).status).toBe(sample.status)
    }
  })
})
