import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Families } from "../../access/Families.ts"
import { operation } from "../../operation/Definition.ts"
import { badgeOf, familyScope } from "../../operation/Family.ts"
import { Flag } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { trashedOf } from "../Bank.ts"
import { Banks } from "../Banks.ts"
import { BankRecord, bankToWire } from "./BankRecord.ts"
import { bankExample } from "./Examples.ts"

export const listBanks = operation({
  noun: "banks",
  id: "listBanks",
  get: "/v1/banks",
  summary: "List bank connections",
  description: "Lists the bank connections of the workspace in their order, with the health of each.",
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "banks list",
  tool: "list_banks",
  query: {
    scope: familyScope,
    deleted: Schema.optionalKey(
      Flag.annotate({ description: "true: the banks that were deleted, instead of the others; needs banks:write." })
    )
  },
  success: list(BankRecord),
  example: { data: bankExample },
  run: ({ caller, query }) =>
    Effect.gen(function* () {
      const families = yield* Families
      const banks = yield* Banks
      const reading = yield* families.reading(caller, query.scope)
      const badge = badgeOf(reading, query.scope)
      const rows = yield* banks.list(reading, query.deleted === true ? "deleted" : "live")
      return {
        rows: rows.map((bank) => ({
          ...bankToWire(bank),
          ...trashedOf(bank),
          ...badge(bank.workspaceId)
        }))
      }
    })
})
