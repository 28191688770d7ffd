import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { transactionExample } from "../../operation/Examples.ts"
import { freshList, freshnessOf } from "../../operation/Freshness.ts"
import { AmountParameter, Flag, SearchText, Text, paging, daysFrom } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { recordStates } from "../../record/LedgerRecord.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { cached, refOf } from "./AccountRecord.ts"
import { Transaction } from "./DataRecords.ts"
import { exampleFreshness, readThrough } from "./Examples.ts"

export const listTransactions = operation({
  noun: "accounts",
  id: "listTransactions",
  get: "/v1/banks/:bank_id/accounts/:account_id/transactions",
  summary: "List transactions, newest first",
  description:
    "Lists transactions as the bank tells them, newest first. The last page has a cursor too: it later returns only " +
    `what was created or changed since, oldest change first, and names in \`meta.removed\` what is gone. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts transactions",
  tool: "get_transactions",
  query: {
    ...daysFrom(),
    ...paging,
    pending: Schema.optionalKey(Flag),
    type: Schema.optionalKey(Text),
    category: Schema.optionalKey(Text),
    /** Text in description or merchant. */
    q: Schema.optionalKey(SearchText),
    minAmount: Schema.optionalKey(AmountParameter),
    maxAmount: Schema.optionalKey(AmountParameter),
    state: Schema.optionalKey(
      Schema.Literals(recordStates).annotate({
        description:
          "`removed`: those that the bank no longer shows; `deleted`: those that a person deleted; `live` unless given."
      })
    ),
    cached
  },
  success: list(Transaction, { meta: freshList }),
  errors: ["Conflict"],
  example: { data: transactionExample, meta: { ...exampleFreshness, cursor: "eyJ2IjoxfQ.c2lnbmF0dXJl" } },
  run: ({ caller, ids, query }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const { cursor, limit, cached: isCached, q, ...filter } = query
      const page = yield* data.transactions(caller, refOf(ids), {
        filter: { ...filter, ...(q === undefined ? {} : { text: q }) },
        ...(cursor === undefined ? {} : { cursor }),
        ...(limit === undefined ? {} : { limit }),
        ...(isCached === undefined ? {} : { cached: isCached })
      })
      const meta = {
        ...freshnessOf(page),
        window: page.window,
        ...(page.removed === undefined ? {} : { removed: page.removed })
      }
      return { ...page, meta }
    })
})
