import * as Effect from "effect/Effect"
import { Transaction, recordToWire } from "../../bank/operations/DataRecords.ts"
import { audits, operation } from "../../operation/Definition.ts"
import { transactionExample } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { refOf } from "./CorrectionRecord.ts"

export const restoreTransaction = operation({
  noun: "corrections",
  id: "restoreTransaction",
  post: "/v1/banks/:bank_id/accounts/:account_id/transactions/:transaction_id/restore",
  summary: "Bring back a transaction that was deleted, or that the bank no longer shows",
  description: "Brings back a transaction that a person deleted, or that the bank no longer shows.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts restore-transaction",
  tool: { absent: "A person decides which transactions are the same." },
  success: record(Transaction),
  example: { data: transactionExample },
  audits: audits(Corrections, "restore"),
  run: ({ caller, ids }) =>
    Corrections.use((corrections) =>
      Effect.map(corrections.restore(caller, refOf(ids), ids.transaction), (row) => recordToWire("transactions", row))
    )
})
