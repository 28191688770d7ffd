/** The kind passes what every set kind has to keep. */
import { transferMatch } from "../../../../src/enrichment/kinds/transfer/transferMatch.ts"
import { account, leg } from "./Legs.ts"
import type { SetTrial } from "../Trial.ts"

const everyday = account(1, "Everyday", "checking")
const saver = account(2, "Saver", "savings")
const card = account(3, "Platinum Card", "credit_card")

export const trials: ReadonlyArray<SetTrial> = [
  {
    kind: transferMatch,
    dataType: "transactions",
    accounts: [everyday, saver, card],
    baseCurrency: everyday.currency,
    good: [
      {},
      { setCategory: "Transfer", windowDays: { before: 0, after: 30 }, learn: false },
      { mirrorAccountIds: [card.accountId], includePending: false },
      { fee: { percent: 5, amount: "20.00" }, fx: { over: 2, under: 2 }, autoConfidence: 0.9, suggestConfidence: 0.5 }
    ],
    refused: [
      [{ suggestConfidence: 0.95, autoConfidence: 0.9 }, "suggestConfidence"],
      [{ autoConfidence: 0.7 }, "autoConfidence"],
      [{ windowDays: { before: 6 } }, "windowDays.before"],
      [{ windowDays: { after: 0 } }, "windowDays.after"],
      [{ fee: { amount: "1000.01" } }, "fee.amount"],
      [{ fee: { amount: "much" } }, "fee.amount"],
      [{ fx: { over: 11 } }, "fx.over"],
      [{ excludeAccountIds: ["nothing"] }, "excludeAccountIds[0]"],
      [
        { excludeAccountIds: [saver.accountId], mirrorAccountIds: [card.accountId, saver.accountId] },
        "mirrorAccountIds[1]"
      ],
      [{ setCategory: "  " }, "setCategory"]
    ],
    records: [
      leg("a", everyday, "2026-04-24", "-1240", "TRANSFER TO SAVER"),
      leg("b", saver, "2026-04-27", "1240", "FROM EVERYDAY"),
      leg("c", everyday, "2026-04-30", "-310.5", "CREDIT CARD PAYMENT"),
      leg("d", card, "2026-05-02", "310.5", "PAYMENT THANK YOU"),
      leg("e", everyday, "2026-05-03", "-310.5", "BLUE HERON CAFE"),
      leg("f", saver, "2026-05-04", "12.25", "INTEREST PAID"),
      leg("g", everyday, "2026-05-05", "-600", "TRANSFER TO SAVER"),
      leg("h", saver, "2026-05-06", "350", "TRANSFER FROM EVERYDAY"),
      leg("i", saver, "2026-05-06", "250", "TRANSFER FROM EVERYDAY"),
      leg("j", everyday, "2026-05-10", "-77", "TRANSFER TO SAVER"),
      leg("k", everyday, "2026-02-10", "-500", "TRANSFER TO SAVER"),
      leg("l", saver, "2026-02-11", "485", "TRANSFER FROM EVERYDAY"),
      leg("m", card, "2026-05-20", "-95", "PAYMENT THANK YOU"),
      leg("n", everyday, "2026-05-19", "-95", "CREDIT CARD PAYMENT")
    ]
  }
]
