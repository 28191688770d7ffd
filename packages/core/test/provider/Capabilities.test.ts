import { plainCapabilities } from "@millrace/testing/fake"
import { describe, expect, it } from "vitest"
import { capabilityFault, type ChangeModel, type IdTrust } from "../../src/provider/Capabilities.ts"

const faultOf = (changeModel: ChangeModel, idTrust: IdTrust) =>
  capabilityFault({
    ...plainCapabilities,
    dataTypes: {
      transactions: { changeModel, idTrust, scope: "connection", historyDays: 90, overlapDays: 0 }
    }
  })

describe("what a driver says of its ids", () => {
  it("is refused where a change feed would name rows by ids of a session", () => {
    const trusts: ReadonlyArray<IdTrust> = ["stable", "perStatus", "positional", "session", "none"]
    const models: ReadonlyArray<ChangeModel> = ["delta", "appendOnly", "snapshotWindow", "snapshotFull"]
    const refused = models.flatMap((model) =>
      trusts.filter((trust) => faultOf(model, trust) !== undefined).map((t) => [model, t])
    )
    expect(refused).toEqual([
      ["delta", "session"],
      ["appendOnly", "session"]
    ])
  })

  it("names the field", () => {
    expect(faultOf("delta", "session")).toBe(
      "capabilities.dataTypes.transactions.idTrust cannot be session where changeModel is delta"
    )
  })
})
