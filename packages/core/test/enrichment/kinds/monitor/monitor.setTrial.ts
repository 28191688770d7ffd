import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import type { SetTrial } from "../Trial.ts"
import { account, aggregate, monitor, record } from "./MonitorScene.ts"

/** A case that no record changes: what was told when depends on what came when. */
const nothing = aggregate({
  key: "nothing",
  conditions: { logic: "and", conditions: [{ field: "description", operator: "equals", value: "nobody" }] }
})

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind: monitor,
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    today: CalendarDate.make("2026-03-10"),
    good: [
      { checks: [nothing] },
      {
        checks: [
          nothing,
          aggregate({ op: "gte", threshold: 1_000_000 }),
          aggregate({ key: "b", measure: "max", op: "gt", threshold: `1${"0".repeat(90)}`, groupBy: "account" }),
          { kind: "tieOut", key: "t" },
          { kind: "missingRecurring", key: "r" },
          { kind: "missingTransferLeg", key: "l" }
        ],
        confirmRuns: 1,
        hysteresisPercent: 0
      }
    ],
    refused: [
      [{}, "checks"],
      [{ checks: [] }, "checks"],
      [{ checks: [{ kind: "balance", key: "a" }] }, "checks[0]"],
      [{ checks: [{ kind: "balance", key: "a", below: "10", above: "5" }] }, "checks[0].below"],
      [{ checks: [aggregate(), aggregate({ threshold: "1" })] }, "checks[1].key"],
      [{ checks: [aggregate({ measure: "sum", field: "description" })] }, "checks[0].field"],
      [{ checks: [aggregate({ threshold: "much" })] }, "checks[0].threshold"],
      [{ checks: [{ kind: "stale", key: "a", maxAgeHours: 0 }] }, "checks[0].maxAgeHours"],
      [{ checks: [{ kind: "tieOut", key: "a", tolerance: "-1" }] }, "checks[0].tolerance"],
      [{ checks: [aggregate()], confirmRuns: 6 }, "confirmRuns"],
      [{ checks: [aggregate()], hysteresisPercent: "51" }, "hysteresisPercent"]
    ],
    records: [
      record("a", "2026-03-01", "-10"),
      record("b", "2026-03-02", "-20", { type: "TRANSFER_OUTGOING" }),
      record("c", "2026-02-27", "5", { pending: true }),
      record("d", "2026-01-01", "7")
    ]
  }
]
