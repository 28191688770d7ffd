import { fees } from "../../../../src/enrichment/kinds/fees/fees.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { account, leg } from "../transfer/Legs.ts"
import type { SetTrial } from "../Trial.ts"

const everyday = account(1, "Everyday", "checking")
const card = account(2, "Platinum Card", "credit_card")
const today = CalendarDate.make("2026-05-31")

const common = { kind: fees, accounts: [everyday, card], baseCurrency: everyday.currency, today }

export const trials: ReadonlyArray<SetTrial> = [
  {
    ...common,
    dataType: "transactions",
    good: [
      {},
      { setCategory: "Bank fees", linkWindowDays: 10, embedded: false },
      { locales: ["en", "de"], kinds: ["fx", "maintenance", "atm"], minConfidence: 0.5 }
    ],
    refused: [
      [{ kinds: [] }, "kinds"],
      [{ kinds: ["tips"] }, "kinds[0]"],
      [{ locales: ["tlh"] }, "locales[0]"],
      [{ locales: [] }, "locales"],
      [{ linkWindowDays: 11 }, "linkWindowDays"],
      [{ minConfidence: 1 }, "minConfidence"],
      [{ setCategory: " " }, "setCategory"]
    ],
    records: [
      leg("a", card, "2026-04-30", "-62.35", "BISTRO LUNE PARIS"),
      leg("b", card, "2026-04-30", "-1.87", "FOREIGN TRANSACTION FEE"),
      leg("c", everyday, "2026-05-01", "-4.9", "MONTHLY SERVICE CHARGE"),
      leg("d", everyday, "2026-05-20", "4.9", "FEE REVERSAL SERVICE CHARGE"),
      leg("e", everyday, "2026-03-31", "-100", "ATM WITHDRAWAL"),
      leg("f", everyday, "2026-04-02", "-3.5", "ATM FEE"),
      leg("g", everyday, "2026-04-12", "-9", "KONTOFUEHRUNGSGEBUEHR"),
      leg("h", everyday, "2026-04-15", "-500", "TRANSFER", {
        "transfer.role": "out",
        "transfer.state": "auto",
        "transfer.fee": "12.5"
      })
    ]
  },

  {
    ...common,
    dataType: "trades",
    good: [{}, { setCategory: "Costs" }],
    refused: [[{ kinds: ["tips"] }, "kinds[0]"]],
    records: ["1.5", "0", "2"].map((charged, n) => ({
      recordId: `t${n}`,
      accountId: everyday.accountId,
      fields: { date: "2026-04-15", fees: charged, currency: "EUR" }
    }))
  }
]
