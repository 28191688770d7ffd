/** What is sent is what the schema of the answer says, for every operation. */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { Decimal } from "@millrace/core"
import { encoder } from "../src/answer/Encoder.ts"
import { Api } from "../src/api/Api.ts"
import { Amount } from "@millrace/core/operation"

const answers = (): ReadonlyArray<readonly [string, Schema.Codec<unknown, unknown>]> => {
  const found: Array<readonly [string, Schema.Codec<unknown, unknown>]> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, successes }) => {
      for (const [status, schemas] of successes) {
        for (const schema of schemas) {
          found.push([`${endpoint.identifier} ${status}`, schema as unknown as Schema.Codec<unknown, unknown>])
        }
      }
    }
  })
  return found
}

describe("an answer", () => {
  it.each(answers())("of %s is written as its schema encodes it", async (_, schema) => {
    const encode = encoder(schema)
    const bySchema = Schema.encodeSync(schema)
    const values = await Effect.runPromise(
      Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 30, seed: 7, maxDiscards: 10_000 })
    )
    expect(values.length).toBe(30)
    for (const value of values) expect(encode(value)).toBe(JSON.stringify(bySchema(value)))
  })

  it("sends no field that is not declared, and none that is not there", () => {
    const encode = encoder(Schema.Struct({ id: Schema.String, name: Schema.optionalKey(Schema.String) }))
    expect(encode({ id: "1", name: undefined, secret: "x" })).toBe('{"id":"1"}')
  })

  it("sends what is unknown as null where a field is always there, and leaves it out otherwise", () => {
    const encode = encoder(
      Schema.Struct({
        always: Schema.NullOr(Schema.String),
        amount: Schema.NullOr(Amount),
        some: Schema.optionalKey(Schema.String),
        either: Schema.optionalKey(Schema.NullOr(Schema.String))
      })
    )
    expect(encode({})).toBe('{"always":null,"amount":null}')
    expect(encode({ always: null, amount: null, some: null, either: null })).toBe(
      '{"always":null,"amount":null,"either":null}'
    )
  })

  it("writes every character as JSON does", () => {
    const encode = encoder(Schema.Array(Schema.String))
    const texts = ["", "plain", 'a "b" \\ c', "line\nbreak\u0000", "\u2028é €", "🏦", "\ud800", "x\udc00y"]
    expect(encode(texts)).toBe(JSON.stringify(texts))
  })

  it("writes amounts with all their digits", () => {
    const encode = encoder(Schema.Array(Schema.NullOr(Amount)))
    const digits = [
      "0",
      "-120",
      "2412.37",
      "0.0000000001",
      "1234567890123456789.0123456789",
      "100000000000000000000000"
    ]
    const text = encode([...digits.map((each) => Decimal.make(each)), null])
    expect(text).toBe(`[${digits.join(",")},null]`)
  })
})
