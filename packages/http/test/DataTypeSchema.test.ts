import { dataTypes, fieldsOf } from "@millrace/core/record"
import { describe, expect, it } from "vitest"
import * as Server from "./fakes/Server.ts"

const server = Server.make()

interface Shown {
  readonly dataType: string
  readonly keyField: string
  readonly sources: ReadonlyArray<string>
  readonly fields: ReadonlyArray<{ readonly key: string; readonly type: string; readonly example?: unknown }>
  readonly defaultMappings: ReadonlyArray<{ readonly sourceField: string }>
  readonly options: Readonly<Record<string, unknown>>
  readonly modes: ReadonlyArray<string>
}

const shown = async (dataType: string): Promise<Shown> =>
  ((await server.call("GET", `/v1/feeds/data-types/${dataType}`)).body as unknown as { readonly data: Shown }).data

describe("the schema of a data type", () => {
  it.each(dataTypes)("shows the fields of %s from the catalogue", async (dataType) => {
    const schema = await shown(dataType)
    expect(schema.dataType).toBe(dataType)
    expect(schema.fields.map(({ key, type }) => [key, type])).toEqual(
      Object.entries(fieldsOf[dataType]).map(([key, { type }]) => [key, type])
    )
    expect(schema.fields.map(({ key }) => key)).toContain(schema.keyField)
    for (const { example, key, type } of schema.fields) {
      if (example === undefined) continue
      expect(typeof example, key).toBe(type === "num" ? "number" : type === "bool" ? "boolean" : "string")
    }
  })

  it("tells options with their defaults, ways of reading and the sources that carry it", async () => {
    const schema = await shown("transactions")
    expect(schema.options).toMatchObject({ pendingMode: { default: "track_and_update" }, lookbackDays: { default: 7 } })
    expect([schema.modes, schema.sources]).toEqual([
      ["incremental", "range", "full"],
      ["sync", "upload"]
    ])
    const loans = await shown("loans")
    expect([loans.keyField, loans.options, loans.modes]).toEqual(["accountId", {}, ["snapshot"]])
  })
})
