import { zoneOf } from "../../src/shared/TimeZone.ts"
import { expect, it } from "vitest"

it("knows a zone by one spelling, whatever the case it is sent in, and nothing else", () => {
  expect(["europe/BERLIN", "Europe/Berlin", "utc", "Etc/Nowhere", "", "Europe/Berlin "].map(zoneOf)).toEqual([
    "Europe/Berlin",
    "Europe/Berlin",
    "UTC",
    undefined,
    undefined,
    undefined
  ])
})
