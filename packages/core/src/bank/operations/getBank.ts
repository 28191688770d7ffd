import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import type { Bank } from "../Bank.ts"
import { Banks } from "../Banks.ts"
import { BankRecord, bankToWire } from "./BankRecord.ts"
import { bankExample } from "./Examples.ts"

const removalOf = ({ removal }: Bank) =>
  removal === undefined
    ? {}
    : {
        removalStatus: {
          state: removal.state,
          stage: removal.stage,
          ...(removal.reason === undefined ? {} : { reason: removal.reason })
        }
      }

export const getBank = operation({
  noun: "banks",
  id: "getBank",
  get: "/v1/banks/:bank_id",
  summary: "Get a bank connection",
  description:
    "Returns one bank connection with its health, and with how its removal goes while it is being removed for good or " +
    "after that has failed.",
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "banks get",
  tool: "get_bank",
  success: record(BankRecord),
  example: { data: bankExample },
  run: ({ caller, ids }) =>
    Banks.use((banks) =>
      Effect.map(banks.get(caller, ids.bank), (bank) => ({ ...bankToWire(bank), ...removalOf(bank) }))
    )
})
