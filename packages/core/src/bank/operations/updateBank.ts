import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { Name } from "../../shared/Name.ts"
import { Banks } from "../Banks.ts"
import { BankRecord, bankToWire } from "./BankRecord.ts"
import { bankExample } from "./Examples.ts"

const UpdateBank = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(limits.textLength)))),
  order: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: -limits.largestInteger, maximum: limits.largestInteger }))
  )
}).annotate({ identifier: "UpdateBank" })

export const updateBank = operation({
  noun: "banks",
  id: "updateBank",
  put: "/v1/banks/:bank_id",
  summary: "Change the name, icon or place of a bank",
  description:
    "Changes the name, icon or place of a bank and leaves the rest as it is. `null` takes the icon away. Everything else " +
    "is what the bank tells.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "inherent",
  command: "banks update",
  tool: "update_bank",
  body: UpdateBank,
  success: record(BankRecord),
  errors: ["Conflict"],
  example: { body: { name: "Household", order: 3 }, data: { ...bankExample, name: "Household", order: 3 } },
  audits: audits(Banks, "update", { read: "get" }),
  run: ({ caller, ids, body }) =>
    Banks.use((banks) => Effect.map(banks.update(caller, ids.bank, body), (bank) => bankToWire(bank)))
})
