import { accounts, payment, recurring } from "./Scene.ts"
import type { SetTrial } from "../Trial.ts"

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind: recurring,
    dataType: "transactions",
    accounts,
    baseCurrency: accounts[0]!.currency,
    good: [{}, { direction: "out", lookbackMonths: 12, graceDays: 0 }],
    refused: [
      [{ lookbackMonths: 5 }, "lookbackMonths"],
      [{ direction: "up" }, "direction"],
      [{ amountChangePercent: 51 }, "amountChangePercent"]
    ],
    records: [
      ...["01-31", "02-28", "03-31", "04-30"].map((day) => payment(`2026-${day}`, "-14.9")),
      ...["02-05", "02-12", "02-19", "02-26", "03-05", "03-12"].map((day, n) =>
        payment(`2026-${day}`, `-${30 + n}.5`, "Market Hall 12")
      ),
      payment("2026-03-01", "-250", "Joiner Brothers")
    ]
  }
]
