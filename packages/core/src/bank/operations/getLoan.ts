import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { ownerExample } from "../../operation/Examples.ts"
import { freshness, freshnessOf } from "../../operation/Freshness.ts"
import { record } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { cached, refOf } from "./AccountRecord.ts"
import { recordToWire, schemaOf } from "./DataRecords.ts"
import { readThrough, exampleFreshness } from "./Examples.ts"

const Loan = schemaOf("loans", "Loan")

const loanExample = {
  ...ownerExample,
  loanType: "mortgage",
  principalBalance: -182340.12,
  originationPrincipalAmount: 240000,
  interestRatePercentage: 3.85,
  nextPaymentAmount: 1124.8,
  nextPaymentDueDate: "2026-04-01",
  maturityDate: "2046-04-01",
  isOverdue: false,
  currency: "EUR"
}

export const getLoan = operation({
  noun: "accounts",
  id: "getLoan",
  get: "/v1/banks/:bank_id/accounts/:account_id/loan",
  summary: "Get loan details",
  description: `Returns the terms of a loan and what is owed. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts loan",
  tool: "get_loan",
  query: { cached },
  success: record(Loan, { meta: freshness }),
  errors: ["Conflict"],
  example: { data: loanExample, meta: exampleFreshness },
  run: ({ caller, ids, query }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const answer = yield* data.loan(caller, refOf(ids), query)
      return { data: recordToWire("loans", answer.row), meta: freshnessOf(answer) }
    })
})
