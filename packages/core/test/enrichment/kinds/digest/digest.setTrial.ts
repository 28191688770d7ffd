import { everydayAccount } from "@millrace/testing/fixture"
import { noModels } from "./NoModels.ts"
import { makeDigest } from "../../../../src/enrichment/kinds/digest/digest.ts"
import type { SetKind } from "../../../../src/enrichment/kinds/SetKind.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../../../src/shared/Timestamp.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import type { SetTrial } from "../Trial.ts"

const destinations = [{ type: "email", recipients: ["owner@example.com"] }]
const read = {
  ...everydayAccount,
  status: { balance: Decimal.zero, syncedAt: Timestamp.make("2026-05-31T06:00:00.000Z") }
}

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind: makeDigest(noModels) as SetKind,
    dataType: "transactions",
    accounts: [read],
    baseCurrency: read.currency,
    today: CalendarDate.make("2026-05-31"),
    tells: true,
    good: [
      { destinations, cadence: "daily" },
      { destinations, cadence: "weekly", watermarkHours: 0, amend: false }
    ],
    refused: [
      [{ destinations, cadence: "yearly" }, "cadence"],
      [{ destinations, timeOfDay: "25:00" }, "timeOfDay"],
      [{ destinations, sections: [] }, "sections"]
    ],
    records: [
      ["a", "2026-05-29", "-300"],
      ["b", "2026-05-30", "-120.5"],
      ["c", "2026-05-20", "-7"],
      ["d", "2026-05-21", "250"],
      ["e", "2026-05-31", "-18.3"]
    ].map(([recordId, date, amount]) => ({
      recordId: recordId!,
      accountId: read.accountId,
      fields: { date: date!, amount: amount!, category: "GROCERIES", merchantName: "Corner Shop", currency: "EUR" }
    }))
  },
  {
    kind: makeDigest(noModels) as SetKind,
    dataType: "balances",
    accounts: [read],
    baseCurrency: read.currency,
    today: CalendarDate.make("2026-05-31"),
    tells: true,
    good: [{ destinations, cadence: "daily" }],
    refused: [[{ destinations, sections: ["weather"] }, "sections[0]"]],
    records: [
      ["a", "1200.5"],
      ["b", "-300"],
      ["c", "0.07"]
    ].map(([recordId, amount]) => ({
      recordId: recordId!,
      accountId: read.accountId,
      fields: { amount: amount!, currency: "EUR", accountType: "checking", accountName: recordId! }
    }))
  }
]
