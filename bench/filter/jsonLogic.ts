/** The filter on json-logic-engine, which makes code of it too; text needs methods of its own. */
import { LogicEngine } from "json-logic-engine"
import type { PeerRow, Select } from "./Selected.ts"
import { categories, purchase, since } from "./tree.ts"

const engine = new LogicEngine()
const pattern = new RegExp(purchase)
const plain = { deterministic: true, optimizeUnary: true }
engine.addMethod("lower", (text: string | null) => (text === null ? null : text.toLowerCase()), plain)
engine.addMethod("isPurchase", (text: string) => pattern.test(text), plain)

const lower = (field: keyof PeerRow) => ({ lower: { val: field } })

const holds = engine.build({
  and: [
    { "===": [lower("type"), "debit"] },
    {
      or: [
        { in: [lower("category"), categories.map((category) => category.toLowerCase())] },
        { in: ["coffee", lower("description")] }
      ]
    },
    { "<=": [-110, { val: "amount" }, -5] },
    { ">=": [{ val: "date" }, since] },
    { or: [{ "===": [{ val: "merchantName" }, null] }, { isPurchase: { val: "description" } }] },
    { "!==": [lower("currency"), "usd"] }
  ]
})

export const jsonLogic: Select<PeerRow> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) if (holds(rows[at]!) === true) selected.push(at)
  return selected
}
