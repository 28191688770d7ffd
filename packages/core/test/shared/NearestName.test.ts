import { describe, expect, it } from "vitest"
import { nearestName } from "../../src/shared/NearestName.ts"

const known = ["category", "merchantName", "description", "date", "notes", "type"]

describe("the name that was meant", () => {
  it.each([
    ["catgory", "category"],
    ["cateogry", "category"],
    ["merchant_name", "merchantName"],
    ["MerchantNam", "merchantName"],
    ["note", "notes"],
    ["dtae", "date"]
  ])("of %s is %s", (name, meant) => {
    expect(nearestName(name, known)).toBe(meant)
  })

  it.each(["costCentre", "project", "x", ""])("of %s is nobody's", (name) => {
    expect(nearestName(name, known)).toBeUndefined()
  })
})
