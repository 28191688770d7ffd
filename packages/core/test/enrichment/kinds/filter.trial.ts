import { limits } from "../../../src/shared/Limits.ts"
import { tram, when, type Trial } from "./Trial.ts"

const nested = (depth: number): object => (depth === 1 ? tram : { logic: "or", conditions: [nested(depth - 1)] })

export const trial: Trial = {
  type: "filter",
  good: [
    { conditions: tram },
    { mode: "keep", conditions: tram },
    { conditions: when("amount", "gt", "0"), hold: tram },
    { conditions: when("date", "gte", "7d") }
  ],
  limits: [
    {
      at: { conditions: nested(limits.conditionDepth) },
      over: { conditions: nested(limits.conditionDepth + 1) },
      path: "conditions"
    }
  ],
  refused: [
    [{ conditions: when("amount", "lt", "zero") }, "conditions.conditions[0].value"],
    [{ conditions: tram, hold: when("amount", "like", "1") }, "hold.conditions[0].operator"],
    [{ conditions: tram, hold: tram }, "hold"],
    [{ mode: "drop" }, "conditions"],
    [{ conditions: tram, mode: "hide" }, "mode"],
    [{ conditions: tram, onFault: "drop" }, "onFault"],
    [{ conditions: tram, onDropAfterDelivery: "hide" }, "onDropAfterDelivery"],
    [{ conditions: tram, reason: "x".repeat(201) }, "reason"]
  ]
}
