import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { BankRemovals } from "../../usecase/BankRemovals.ts"
import { BankRecord, bankToWire } from "./BankRecord.ts"
import { bankExample } from "./Examples.ts"

export const restoreBank = operation({
  noun: "banks",
  id: "restoreBank",
  post: "/v1/banks/:bank_id/restore",
  summary: "Bring back a deleted bank connection, or one whose removal failed",
  description:
    "Brings back a bank that was deleted, or one that could not be disconnected, and looks at its connection again. " +
    "Refused (409) while it is being removed, and once something of it was destroyed.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "key",
  command: "banks restore",
  tool: "restore_bank",
  hints: { idempotentHint: true },
  success: record(BankRecord),
  example: { data: bankExample },
  audits: audits(BankRemovals, "restore"),
  run: ({ caller, ids }) =>
    BankRemovals.use((removals) => Effect.map(removals.restore(caller, ids.bank), (bank) => bankToWire(bank)))
})
