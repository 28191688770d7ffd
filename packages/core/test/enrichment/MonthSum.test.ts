import { everydayAccount } from "@millrace/testing/fixture"
import { setSuite } from "@millrace/testing/suite/enrichment"
import { monthSum } from "./MonthSum.ts"

const account = everydayAccount

setSuite("a set kind", {
  kind: monthSum,
  dataType: "transactions",
  accounts: [account],
  baseCurrency: account.currency,
  good: [{ limit: "50", field: "amount" }],
  refused: [[{ limit: "50" }, "field"]],
  records: [
    ["a", "2026-05-01", "30"],
    ["b", "2026-05-09", "30.5"],
    ["c", "2026-04-30", "7"]
  ].map(([recordId, date, amount]) => ({
    recordId: recordId!,
    accountId: account.accountId,
    fields: { date: date!, amount: amount! }
  }))
})
