import { everydayAccount } from "@millrace/testing/fixture"
import { makeAlert } from "../../../../src/enrichment/kinds/alert/alert.ts"
import type { SetKind } from "../../../../src/enrichment/kinds/SetKind.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import type { SetTrial } from "../Trial.ts"

const destinations = [{ type: "email", recipients: ["owner@example.com"] }]
const below = (value: string) => ({ logic: "and", conditions: [{ field: "amount", operator: "lt", value }] })

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind: makeAlert({ patterns: provenPatterns }) as SetKind,
    dataType: "transactions",
    accounts: [everydayAccount],
    baseCurrency: everydayAccount.currency,
    today: CalendarDate.make("2026-05-31"),
    tells: true,
    good: [
      { conditions: below("-100"), destinations },
      { conditions: below("-100"), destinations, trigger: "everyChange", notifyResolved: true, maxAgeDays: 30 }
    ],
    refused: [
      [{ conditions: below("a lot"), destinations }, "conditions.conditions[0].value"],
      [{ conditions: below("-100"), destinations: [] }, "destinations"],
      [{ conditions: below("-100"), destinations, maxAgeDays: -1 }, "maxAgeDays"]
    ],
    records: [
      ["a", "2026-05-29", "-300"],
      ["b", "2026-05-30", "-120.5"],
      ["c", "2026-05-28", "-7"],
      ["d", "2026-05-27", "250"]
    ].map(([recordId, date, amount]) => ({
      recordId: recordId!,
      accountId: everydayAccount.accountId,
      fields: { date: date!, amount: amount!, description: `SHOP ${recordId}`, currency: "EUR" }
    }))
  }
]
