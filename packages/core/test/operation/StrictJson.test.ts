import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as StrictJson from "../../src/operation/StrictJson.ts"

const read = (text: string) => {
  const result = StrictJson.parse(text, 32)
  return Result.isSuccess(result) ? result.success : result.failure.code
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

describe("StrictJson", () => {
  it.each([
    "null",
    "true",
    ' [1, -0.5, 1e3, "a\\u00e9\\n\\\\\\/"] ',
    '{"a":{"b":[]},"":0}',
    '"\\ud83d\\ude00"',
    '{"__proto__":{"x":1},"constructor":2}'
  ])("reads %s as JSON.parse does", (text) => {
    expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it("leaves prototypes alone", () => {
    const value = read('{"__proto__":{"polluted":true}}') as { readonly polluted?: boolean }
    expect(value.polluted).toBeUndefined()
    expect(Object.keys(value)).toEqual(["__proto__"])
  })

  it.each([
    "",
    "{",
    "[1,]",
    "{'a':1}",
    "01",
    "1.",
    ".5",
    "+1",
    "NaN",
    "tru",
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    "[1] 2",
    '{"a"}',
    "\u00a01"
  ])("refuses %j", (text) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(read(text)).toBe("INVALID_JSON")
  })

  it("refuses a property that comes twice, however it is written", () => {
    expect(read('{"a":1,"\\u0061":2}')).toBe("INVALID_JSON")
    expect(read('{"__proto__":1,"__proto__":2}')).toBe("INVALID_JSON")
  })

  it("refuses NUL and half surrogate pairs, in names too", () => {
    for (const text of ['"\\u0000"', '"\\ud800"', '"\\udc00x"', '{"\\u0000":1}']) {
      expect(read(text)).toBe("INVALID_ENCODING")
    }
    expect(Result.isFailure(StrictJson.parseBytes(new Uint8Array([0x22, 0xc3, 0x28, 0x22]), 32))).toBe(true)
  })

  it("counts depth up to the limit", () => {
    expect(read(nested(32))).not.toBe("BODY_TOO_DEEP")
    expect(read(nested(33))).toBe("BODY_TOO_DEEP")
    expect(read("[".repeat(1_000_000))).toBe("BODY_TOO_DEEP")
  })

  it("hands on numbers as doubles where one holds them, and else with every digit as raw JSON", () => {
    expect(read("0.1")).toBe(0.1)
    expect(read("1.50")).toBe(1.5)
    for (const digits of ["9007199254740993", "0.1000000000000000055511151231257827", "1e400"])
      expect(read(digits)).toEqual({ rawJSON: digits })
    const text = '{"a":[9007199254740993,0.1,1e400],"b":"1"}'
    const json = Result.getOrThrow(StrictJson.parse(text, 32))
    expect(JSON.stringify(json)).toBe(text)
    expect(StrictJson.withDoubles(json)).toBe('{"a":[9007199254740992,0.1,1.7976931348623157e+308],"b":"1"}')
    expect(StrictJson.withDoubles({ rawJSON: "1" })).toBe('{"rawJSON":"1"}')
  })

  it("reads a megabyte without a pattern going wild", () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ name: `row ${n} "x"`, n })))
    expect(read(text)).toEqual(JSON.parse(text))
  })
})
