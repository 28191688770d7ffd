import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/shared/StrictDecoding.ts"

const Config = Schema.Struct({
  unit: Schema.Literals(["week", "month"]),
  days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 45 })),
  kinds: Schema.Array(Schema.String).check(Schema.isMinLength(1))
})

describe("faults of a configuration", () => {
  it("name the field and say what has to be in words", () => {
    const decoded = decode(Config, { unit: "year", days: 99, kinds: [] })
    const told = Result.isFailure(decoded) ? decoded.failure.map(({ field, message }) => `${field} ${message}`) : []
    expect(told).toEqual([
      "unit must be one of week, month",
      "days must be between 1 and 45",
      "kinds must not be empty"
    ])
  })
})
