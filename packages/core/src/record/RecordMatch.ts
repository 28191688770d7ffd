/** Whether a record meets the filter of a list, told from the record itself; stores that filter agree with it. */
import type { LedgerRecord } from "./LedgerRecord.ts"
import type { RecordFilter } from "./RecordStore.ts"
import { fold } from "../text/Fold.ts"
import * as Decimal from "../shared/Decimal.ts"

type Test = (record: LedgerRecord) => boolean

const textTest = (text: string): Test => {
  const wanted = fold(text)
  const has = (value: unknown): boolean => typeof value === "string" && fold(value).includes(wanted)
  return ({ fields }) => has(fields["description"]) || has(fields["merchantName"])
}

const amountTest =
  (holds: (amount: Decimal.Decimal) => boolean): Test =>
  ({ fields: { amount } }) =>
    Decimal.is(amount) && holds(amount)

/** All that the filter names must hold. */
export const matches = (filter: RecordFilter): Test => {
  const { state = "live", from, to, pending, type, category, text, minAmount, maxAmount } = filter
  const tests: Array<Test> = [(record) => record.state === state && record.mergedInto === undefined]
  if (from !== undefined) tests.push(({ date }) => date !== null && date >= from)
  if (to !== undefined) tests.push(({ date }) => date !== null && date <= to)
  if (pending !== undefined) tests.push((record) => record.pending === pending)
  if (type !== undefined) tests.push(({ fields }) => fields["type"] === type)
  if (category !== undefined) tests.push(({ fields }) => fields["category"] === category)
  if (text !== undefined) tests.push(textTest(text))
  if (minAmount !== undefined) tests.push(amountTest((amount) => Decimal.compare(amount, minAmount) >= 0))
  if (maxAmount !== undefined) tests.push(amountTest((amount) => Decimal.compare(amount, maxAmount) <= 0))
  return (record) => tests.every((test) => test(record))
}
