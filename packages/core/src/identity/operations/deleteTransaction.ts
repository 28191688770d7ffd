import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { deleted } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { refOf } from "./CorrectionRecord.ts"

export const deleteTransaction = operation({
  noun: "corrections",
  id: "deleteTransaction",
  delete: "/v1/banks/:bank_id/accounts/:account_id/transactions/:transaction_id",
  summary: "Delete a transaction; it stays deleted however often the bank shows it",
  description: "Deletes a transaction here and at destinations. It stays deleted however often the bank shows it.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "accounts delete-transaction",
  tool: { absent: "A person decides which transactions are the same." },
  success: deleted,
  errors: ["Conflict", "Unprocessable"],
  example: {},
  audits: audits(Corrections, "remove"),
  run: ({ caller, ids }) =>
    Corrections.use((corrections) => Effect.asVoid(corrections.remove(caller, refOf(ids), ids.transaction)))
})
