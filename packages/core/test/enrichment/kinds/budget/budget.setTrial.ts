import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import type { SetTrial } from "../Trial.ts"
import { account, budget, is, line, rates, record } from "./BudgetWorld.ts"

const groceries = line({ key: "groceries", name: "Groceries", match: is("category", "groceries"), carry: "both" })

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind: budget,
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    rates,
    today: CalendarDate.make("2026-03-10"),
    good: [
      { lines: [line()], thresholds: [5] },
      {
        currency: "USD",
        period: { unit: "week", length: 2, anchor: "2026-01-31" },
        lines: [groceries, line({ carry: "positive", carryCap: 10 })],
        assignment: "all",
        refunds: "original",
        pending: "exclude",
        thresholds: []
      }
    ],
    refused: [
      [{}, "lines"],
      [{ lines: [] }, "lines"],
      [{ lines: [line(), line({ amount: "1" })] }, "lines[1].key"],
      [{ lines: [line({ key: "a,b" })] }, "lines[0].key"],
      [{ lines: [line({ amount: "-1" })] }, "lines[0].amount"],
      [{ lines: [line({ amount: "four" })] }, "lines[0].amount"],
      [{ lines: [line({ carryCap: "5" })] }, "lines[0].carryCap"],
      [{ lines: [line({ match: is("budget.keys", "x") })] }, "lines[0].match.conditions[0].field"],
      [{ lines: [line({ match: is("amount", "x") })] }, "lines[0].match.conditions[0].value"],
      [{ lines: [line()], period: { anchor: "soon" } }, "period.anchor"],
      [{ lines: [line()], period: { length: 2 } }, "period.anchor"],
      [{ lines: [line()], includeTransferKinds: ["loan_payment", "gift"] }, "includeTransferKinds[1]"],
      [{ lines: [line()], thresholds: [0.8, 6] }, "thresholds[1]"],
      [{ lines: [line()], thresholds: ["1", "1.0"] }, "thresholds[1]"],
      [{ lines: [line()], currency: "EURO" }, "currency"]
    ],
    records: [
      record("a", "2026-01-31", "-12.5", { category: "Groceries", merchantName: "Corner Shop" }),
      record("b", "2026-02-28", "-7.25", { currency: "USD" }),
      record("c", "2026-01-07", "-10", { currency: "USD" }),
      record("d", "2026-03-02", "5", { category: "groceries", merchantName: "Corner Shop" }),
      record("e", "2026-03-03", "-1", { pending: true }),
      record("f", "2026-03-04", "-99", { "transfer.kind": "internal", "transfer.state": "auto" }),
      record("g", "2026-03-05", "-20", { "recurring.seriesId": "s", "recurring.cadence": "monthly" })
    ]
  }
]
