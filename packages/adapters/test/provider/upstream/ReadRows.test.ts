import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readRows } from "@millrace/core/provider"
import { Amount, instantOf } from "../../../src/provider/upstream/UpstreamForm.ts"

const Row = Schema.Struct({ id: Schema.Union([Schema.String, Schema.Finite]), amount: Amount })

describe("readRows", () => {
  it("says of each row that cannot be read where it does not fit, by the id that can be seen", () => {
    const rows = [
      { id: "a", amount: 1.5 },
      { id: 7, amount: "much" },
      { id: " b", amount: null },
      { id: "c".repeat(257), amount: "1e-41" },
      null
    ]
    expect(readRows(rows, Row, "id")).toEqual({
      rows: [{ id: "a", amount: "1.5" }],
      quarantined: [
        { providerId: "7", reason: "amount does not have the agreed form" },
        { providerId: "", reason: "amount does not have the agreed form" },
        { providerId: "", reason: "amount does not have the agreed form" },
        { providerId: "", reason: "the row does not have the agreed form" }
      ]
    })
  })

  it("translates rows, and tells in their order which cannot be", () => {
    const rows = [{ id: "a", amount: 0 }, {}, { id: "b", amount: "2" }]
    const read = readRows(rows, Row, "id", ({ amount, id }) =>
      amount === "0" ? Result.fail("nothing moved") : Result.succeed(`${id} ${amount}`)
    )
    expect(read.rows).toEqual(["b 2"])
    expect(read.quarantined.map(({ reason }) => reason)).toEqual(["nothing moved", "id does not have the agreed form"])
  })
})

it("reads instants with a zone, with a T or a blank before the time, and no others", () => {
  expect(instantOf("2026-11-20 15:00:00.5+00:00")).toBe("2026-11-20T15:00:00.500Z")
  expect(instantOf(" 2026-11-20T15:00:00Z ")).toBe("2026-11-20T15:00:00.000Z")
  for (const text of ["2026-11-20", "2026-11-20T15:00:00", "soon", "", null, undefined]) {
    expect(instantOf(text)).toBeUndefined()
  }
})
