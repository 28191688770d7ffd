/** Records and checks for the tests of monitors. */
import { everydayAccount } from "@millrace/testing/fixture"
import { makeMonitor } from "../../../../src/enrichment/kinds/monitor/monitor.ts"
import type { SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import type { Fields } from "../../../../src/record/FieldValue.ts"

export const monitor = makeMonitor({ patterns: provenPatterns })

export const account = everydayAccount

export const record = (recordId: string, date: string, amount: string, fields: Fields = {}): SetRecord => ({
  recordId,
  accountId: account.accountId,
  fields: { date, amount, currency: "EUR", pending: false, category: "FOOD", description: recordId, ...fields }
})

const everything = { logic: "and", conditions: [{ field: "amount", operator: "isNotEmpty" }] }
export const aggregate = (change: object = {}) => ({
  kind: "aggregate",
  key: "spending",
  conditions: everything,
  measure: "count",
  windowDays: 30,
  op: "lt",
  threshold: "100",
  ...change
})
