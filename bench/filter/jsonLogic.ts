/** The filters on json-logic-engine, which makes code of it too; text needs methods of its own. */
import { LogicEngine } from "json-logic-engine"
import { type PeerRow, selecting } from "./Selected.ts"
import { categories, purchase, rotated, rotations, since } from "./tree.ts"

const engine = new LogicEngine()
const pattern = new RegExp(purchase)
const plain = { deterministic: true, optimizeUnary: true }
engine.addMethod("lower", (text: string | null) => (text === null ? null : text.toLowerCase()), plain)
engine.addMethod("isPurchase", (text: string) => pattern.test(text), plain)

const lower = (field: keyof PeerRow) => ({ lower: { val: field } })

const parts = [
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

const filters = rotations.map((by) => {
  const holds = engine.build({ and: rotated<object>(parts, by) })
  return (row: PeerRow): boolean => holds(row) === true
})

export const jsonLogic = selecting(filters)
