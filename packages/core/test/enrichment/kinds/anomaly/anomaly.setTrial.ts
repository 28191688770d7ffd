import { account, bought, kind, usual } from "./Scene.ts"
import type { SetTrial } from "../Trial.ts"

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind,
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    good: [{}, { sensitivity: "high", direction: "both", detectors: ["amount", "duplicateCharge"] }],
    refused: [
      [{ detectors: [] }, "detectors"],
      [{ detectors: ["weather"] }, "detectors[0]"],
      [{ minExcess: "-1" }, "minExcess"],
      [{ lookbackDays: 30 }, "lookbackDays"]
    ],
    records: [
      ...usual(14, 4_000, 10, "2026-03-01"),
      bought("2026-05-20", "400"),
      bought("2026-05-22", "42.5", { description: "Hardware Barn" }),
      bought("2026-05-23", "42.5", { description: "Hardware Barn" }),
      bought("2026-05-24", "12", { description: "Night Train", currency: "CZK" })
    ]
  }
]
