import { displayWidth } from "effect/cli/CliOutput"
import { describe, expect, it } from "vitest"
import { parse, type JsonObject } from "../../src/output/ExactJson.ts"
import * as Table from "../../src/output/Table.ts"

const records = parse(`[
  {"id":"acct_1","about":{"name":"Konto für 寿司 und andere schöne Dinge"},"other":{"name":"short"},
   "at":"2026-03-04T05:06:07.008Z","amount":-12345678901234567.89},
  {"id":"acct_2","about":{"name":"x"},"other":{"name":null},"at":null,"amount":null}
]`) as ReadonlyArray<JsonObject>

const plain = (width: number | undefined) => ({ width, colors: false })

const heading = (names: ReadonlyArray<string>) => Table.overview(records, names, plain(undefined)).text.split("\n")[0]

describe("overview", () => {
  it("shortens text until a line fits, but no id, time or amount", () => {
    const { leftOut, text } = Table.overview(records, ["id", "about.name", "at", "amount"], plain(70))
    expect(leftOut).toBe(0)
    for (const line of text.trimEnd().split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(70)
    const row = text.split("\n")[1]!
    expect(row).toMatch(/^acct_1  Konto für 寿司.*…\s+2026-03-04 05:06:07Z  -12345678901234567\.89$/)
  })

  it("leaves out the last columns when there is no room for them, and counts them", () => {
    const { leftOut, text } = Table.overview(records, ["id", "about.name", "at", "amount"], plain(30))
    expect(leftOut).toBe(2)
    expect(text.split("\n")[0]).toBe("id      name")
  })

  it("heads columns with the last part of a name where that is enough", () => {
    expect(heading(["id", "about.name"])).toMatch(/^id +name$/)
    expect(heading(["about.name", "other.name"])).toMatch(/^about\.name +other\.name$/)
  })
})

describe("list", () => {
  it("shows every field that was asked for, whatever the width", () => {
    const text = Table.list(records, ["id", "at", "amount"], plain(10))
    expect(text.split("\n")[0]).toMatch(/^id +at +amount$/)
  })

  it("colors the heading alone", () => {
    const text = Table.list(records, ["id"], { width: undefined, colors: true })
    expect(text).toBe("\u001b[1mid\u001b[0m\nacct_1\nacct_2\n")
  })
})

describe("record", () => {
  it("breaks long lists of words below each other, and lists of objects into lines", () => {
    const value = parse('{"scopes":["banks:read","banks:write","feeds:read"],"maps":[{"a":1.0,"b":"x"},{"a":2}]}')
    expect(Table.record(value as JsonObject, undefined, plain(32))).toBe(
      ["scopes  banks:read, banks:write,", "        feeds:read", "maps    a: 1.0, b: x", "        a: 2", ""].join("\n")
    )
  })
})
