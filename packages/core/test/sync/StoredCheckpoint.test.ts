import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { decodeCheckpoint, encodeCheckpoint, type CheckpointOrigin } from "../../src/sync/StoredCheckpoint.ts"
import { difficultTexts } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"

const origin: CheckpointOrigin = { instanceId: "demo:default", changeModel: "delta" }

describe("a stored checkpoint", () => {
  it.each([...difficultTexts, "v1:1:7", '{"v":1}', '{"v":9,"a":[1]}', "{", "null"].filter((text) => text !== ""))(
    "gives back what the driver gave: %s",
    (text) => {
      for (const accounts of [undefined, [], ["a", "b"]]) {
        const stored = { checkpoint: text, accounts }
        expect(decodeCheckpoint(origin, encodeCheckpoint(origin, stored))).toEqual(stored)
      }
    }
  )

  it("says when all was read, also where the driver has no checkpoint", () => {
    const whole = { from: CalendarDate.make("2025-11-20"), on: CalendarDate.make("2026-11-20") }
    for (const stored of [{ whole }, { checkpoint: "x", whole }]) {
      expect(decodeCheckpoint(origin, encodeCheckpoint(origin, stored))).toEqual(stored)
    }
  })

  it("is the same text whatever the order of the accounts", () => {
    const [one, other] = [
      ["a", "b"],
      ["b", "a"]
    ].map((accounts) => encodeCheckpoint(origin, { checkpoint: "x", accounts }))
    expect(one).toBe(other)
  })

  it.each(["v1:1:7", "{", "{}", "[1]", '"text"', "null", '{"cursor":"x"}', '{"v":"1"}', '{"v":1.5}'])(
    "without a version is the driver's own: %s",
    (text) => {
      expect(decodeCheckpoint(origin, text)).toEqual({ checkpoint: text })
    }
  )

  it.each([
    '{"v":2,"instance":"demo:default","kind":"delta","checkpoint":"x"}',
    '{"v":0}',
    '{"v":1}',
    '{"v":1,"instance":"demo:default","kind":"delta","whole":{"from":"2026-13-01","on":"2026-11-20"}}',
    '{"v":1,"instance":"demo:default","kind":"delta","checkpoint":""}',
    encodeCheckpoint({ ...origin, instanceId: "demo:other" }, { checkpoint: "x" }),
    encodeCheckpoint({ ...origin, changeModel: "snapshotWindow" }, { checkpoint: "x" })
  ])("of another version or origin is none: %s", (text) => {
    expect(decodeCheckpoint(origin, text)).toBeUndefined()
  })
})
