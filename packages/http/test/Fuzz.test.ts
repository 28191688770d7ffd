/** Requests mutated at random: whatever comes, the answer is an envelope and never the fault of the server. */
import { describe, expect, it } from "vitest"
import { operations, pathOf, type Sample } from "./fakes/Operations.ts"
import * as Server from "./fakes/Server.ts"

const rounds = Number(process.env["MILLRACE_FUZZ_ROUNDS"] ?? "600")
const seed = Number(process.env["MILLRACE_FUZZ_SEED"] ?? "20260321")

/** Mulberry32: small, and the same everywhere. */
const random = (state: number) => () => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

const texts = [
  "",
  "0",
  "-1",
  "1e309",
  "NaN",
  "true",
  "null",
  "\u0000",
  "\ud800",
  "é".repeat(300),
  "x".repeat(3_000),
  "__proto__",
  "constructor",
  "../../etc",
  "%",
  "%00",
  "%25",
  "' or 1=1 --",
  "${7*7}",
  "2026-02-30",
  "2026-01-01",
  "family",
  '{"a":1}',
  '{"field":"amount","op":"eq","value":{"$field":"__proto__"}}',
  "-amount,constructor",
  "[]"
]
const keys = [
  "limit",
  "cursor",
  "from",
  "to",
  "scope",
  "q",
  "type",
  "pending",
  "__proto__",
  "toString",
  "",
  "a[b]",
  "minAmount",
  "filter",
  "sort",
  "fields",
  "rows",
  "values",
  "params"
]
const types = [
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  ";;;",
  "application/x-www-form-urlencoded"
]

describe("any request", () => {
  it(`is answered in the envelope, ${rounds} times from seed ${seed}`, async () => {
    const server = Server.make()
    const next = random(seed)
    const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(next() * from.length)]!
    const chance = (of: number) => next() < of

    const value = (depth: number): unknown => {
      const choice = Math.floor(next() * (depth > 3 ? 5 : 7))
      switch (choice) {
        case 0:
          return null
        case 1:
          return chance(0.5)
        case 2:
          return (next() - 0.5) * 10 ** Math.floor(next() * 40)
        case 3:
        case 4:
          return pick(texts)
        case 5:
          return Array.from({ length: Math.floor(next() * 4) }, () => value(depth + 1))
        default:
          return Object.fromEntries(
            Array.from({ length: Math.floor(next() * 4) }, () => [pick(keys), value(depth + 1)])
          )
      }
    }

    const bodyOf = (sample: Sample): string => {
      const changed: Record<string, unknown> = { ...sample.body }
      for (const key of [...Object.keys(sample.body ?? {}), ...keys]) if (chance(0.3)) changed[key] = value(0)
      const text = JSON.stringify(chance(0.8) ? changed : value(0))
      if (chance(0.8)) return text
      const at = Math.floor(next() * text.length)
      return text.slice(0, at) + pick(texts) + text.slice(at + Math.floor(next() * 3))
    }

    const pathOfSample = (sample: Sample): string => {
      let path = pathOf(sample.template)
      if (chance(0.2)) path = pathOf(sample.template.replace(/\{\w+\}/, encodeURIComponent(pick(texts).toWellFormed())))
      if (chance(0.1)) path += pick(["/", "//", "%2f", "/x", ";a", "%"])
      const query = Array.from({ length: Math.floor(next() * 4) }, () => {
        const text = pick(texts).toWellFormed()
        return `${encodeURIComponent(pick(keys))}=${chance(0.8) ? encodeURIComponent(text) : text.replaceAll("\u0000", "").replaceAll("#", "")}`
      })
      return query.length === 0 ? path : `${path}?${query.join("&")}`
    }

    const seen = new Set<number>()
    for (let round = 0; round < rounds; round++) {
      const sample = pick(operations)
      const method = chance(0.9) ? sample.method : pick(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
      const path = pathOfSample(sample)
      const hasBody = (method === "POST" || method === "PUT" || method === "DELETE") && chance(0.9)
      const answer = await server.call(method, path, {
        ...(hasBody ? { body: bodyOf(sample) } : {}),
        headers: {
          ...(chance(0.2) ? { "content-type": pick(types) } : {}),
          ...(chance(0.1) ? { "if-match": pick(['"1"', '"3"', "*", "x", ""]) } : {}),
          ...(chance(0.1) ? { "if-none-match": pick(['"1"', '"3"', "*", "x", ""]) } : {}),
          ...(chance(0.05) ? { "x-api-key": pick(["", "mill_", "x".repeat(5_000)]) } : {})
        }
      })
      const what = `round ${round}: ${method} ${path} -> ${answer.status} ${answer.text}`
      seen.add(answer.status)
      expect(answer.status, what).toBeLessThan(500)
      if (answer.text !== "") expect(answer.body?.success, what).toBe(answer.status < 300)
      if (answer.body?.success === false) {
        expect(answer.body.referenceId, what).toBe(answer.headers.get("x-request-id"))
      }
    }
    // The mutations reach past the first check.
    for (const status of [200, 201, 400, 401, 404, 405, 412, 415]) expect(seen).toContain(status)
  })
})
